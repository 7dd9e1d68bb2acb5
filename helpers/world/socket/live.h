/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.h -- ends of live connections that play scripts: what `iwarpsim serve` and `connect` share. */
#ifndef HELPERS_WORLD_SOCKET_LIVE_H
#define HELPERS_WORLD_SOCKET_LIVE_H

#include "helpers/world/socket/player.h"
#include "socket/sockets.h"

struct live_conf {
    bool rev1, markers, no_crc;
    bool bare;         /* say nothing in private data */
    uint16_t ird, ord; /* 0: 16 */
    uint32_t emss;     /* 0: TCP's */
    uint32_t memory;   /* octets of home */
    uint32_t ends;     /* connections at a time */
    iw_time start_up;  /* picoseconds a start-up may take */
    uint64_t seed;     /* of the STags; 0: readable ones */
};

enum live_end_state { LIVE_OPENING, LIVE_OPEN, LIVE_GONE };

struct live_end {
    struct live *live;
    struct link *link;
    struct live_player player;
    char script[PLAYER_TEXT_MAX + 1]; /* of the other end, for `serve` */
    uint8_t private_data[PLAYER_PRIVATE_MAX];
    const struct live_told *given; /* connect: what the peer does not tell itself */
    enum live_end_state state;
    bool initiator, closing, told;
    bool was_open, rejected;
    int error;                          /* errno of the socket */
    enum mpa_why why_start;             /* start-up failed */
    struct rdmap_terminate sent, heard; /* term 0: none */
    bool fatal;
    int fatal_term;
    char why[PLAYER_WHY_MAX]; /* the script cannot be played here; empty: it can */
    struct mpa_agreement agreed;
    void *user;
};

/* What the owner is told; each may be NULL. */
struct live_note {
    void *context;
    void (*opened)(void *context, struct live_end *e);
    void (*gone)(void *context,
                 struct live_end *e); /* freed behind this call, unless it is the initiator's */
    void (*octets)(void *context, struct live_end *e, bool sent, const struct iw_frag *piece, uint32_t pieces,
                   size_t octets);
};

struct live {
    struct live_conf conf;
    struct live_note note;
    struct live_memory memory;
    struct sockets *sockets;
    uint32_t streams;
};

/* False: `why` (PLAYER_WHY_MAX octets) says why. */
bool live_open(struct live *l, const struct live_conf *conf, const struct live_note *note, char *why);
/* Resets what is left of the connections. */
void live_stop(struct live *l);
/* The same, and the memory goes, too; behind live_end_free(). */
void live_close(struct live *l);
/* One that connects, and plays `script`; the caller's, freed with live_end_free(). NULL: `why`. */
struct live_end *live_connect(struct live *l, const struct socket_address *to, const char *text,
                              const struct script *script, const struct live_told *given, char *why);
void live_end_free(struct live_end *e);
/* Wait at most until `until`, and do what is to be done. Below zero: an errno. */
int live_turn(struct live *l, iw_time until);

#endif
