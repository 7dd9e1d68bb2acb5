/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer.h -- who is judged: the other end of a byte stream. Three kinds: our own engine, without I/O, whoever answers at a
 * TCP port, and whoever connects to one of ours; each of them also while a capture is made. */
#ifndef HELPERS_JUDGE_PEER_H
#define HELPERS_JUDGE_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PEER_NOTHING = 0, PEER_FIN = -1, PEER_LOST = -2, PEER_ABSENT = -3 };

/* What it shall be and want, if it can be told. */
enum { PEER_MARKERS = 1, PEER_INITIATES = 2 };

struct judge_peer {
    void *context;
    bool alone; /* its octets come at once or never: nobody needs to wait for them */
    /* A new connection, to its MPA responder, or (PEER_INITIATES) from its initiator. False: it cannot be had. */
    bool (*open)(void *context, unsigned wishes);
    void (*send)(void *context, const uint8_t *octets, uint32_t len);
    /* Octets it has sent, at least one, within `ms`; or PEER_*. */
    int (*hear)(void *context, uint8_t *out, uint32_t room, unsigned ms);
    void (*finish)(void *context); /* our FIN */
    void (*close)(void *context);
};

/* Our engine, as session.h and memory.h put it together; peer_own_free() ends it. False: out of memory. */
struct peer_own;
struct peer_own *peer_own_new(struct judge_peer *peer, unsigned profile);
void peer_own_free(struct peer_own *own);

/* A TCP port, as "HOST:PORT"; each case is a connection of its own. NULL: `why` (PEER_WHY_MAX octets) is one sentence. */
enum { PEER_WHY_MAX = 256 };
struct peer_tcp;
struct peer_tcp *peer_tcp_new(struct judge_peer *peer, const char *address, char *why);
/* Whoever connects to this port, which the kernel chooses when it is 0 (peer_tcp_address() tells); `patience_ms`: how long the
 * next connection may take. */
struct peer_tcp *peer_tcp_listen(struct judge_peer *peer, const char *host, uint16_t port,
                                 unsigned patience_ms, char *why);
const char *peer_tcp_address(const struct peer_tcp *tcp);
void peer_tcp_free(struct peer_tcp *tcp);

/* From now on what passes goes into a capture, too: `out`, which peer_record_free() closes. NULL: it cannot be written, or memory
 * is short; `out` is closed, and the peer is as it was. */
struct peer_record;
struct peer_record *peer_record_new(struct judge_peer *peer, FILE *out);
bool peer_record_free(struct peer_record *p); /* false: writing failed */

#endif
