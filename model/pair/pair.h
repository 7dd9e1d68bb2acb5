/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pair.h -- two endpoints in memory, simulated time: where lessons, laws and the demo run in milliseconds.
 *
 *   side 0 (MPA initiator)                                            side 1 (MPA responder)
 *   engine -> MPA -> ideal sender -> port -> channel -> | link delay | -> MPA -> engine
 *
 * The octets on the link are those of the wire: FPDUs, cut into packets at FPDU boundaries or anywhere. The world has no
 * TCP: the sender knows no congestion, only the receiver's window. The same configuration gives the same events, always.
 *
 * With an adapter (pair_conf.rnic) each side has the stages of model/rnic between engine and link, and the receiver a
 * window policy (rnic.h, window.h): doorbell, descriptor, DMA read, pipeline, port; staging, pipeline, acceptance, DMA
 * write or copy; completions in host memory, polled or announced by interrupts. One adapter serves one connection here.
 * A Read Request or Terminate that arrives stays on the adapter: no DMA write. Acknowledgements take the port and the
 * receive pipeline, as TCP's do; those that only open the window do not meet the channel: a lost one would need TCP's
 * persist timer.
 */
#ifndef IW_PAIR_H
#define IW_PAIR_H

#include "channel/channel.h"
#include "engine/iw.h"
#include "llp/ideal.h"
#include "llp/mpa.h"
#include "rnic/rnic.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pair_conf {
    /* the link */
    uint64_t rate;    /* bits per second */
    iw_time delay;    /* one way */
    uint32_t mtu;     /* octets of the largest packet's FPDU part (EMSS) */
    uint32_t framing; /* octets on the wire beside them: Ethernet 38 + IP 20 + TCP 20 */
    struct channel_conf channel;
    bool impair_acks; /* acknowledgements meet the channel too */
    uint64_t seed;
    uint32_t repeat;
    /* the lower layer */
    bool markers[2]; /* in what side i sends */
    bool crc;
    bool crc_drop; /* a bad CRC is a loss and not an error */
    bool trust_alignment;
    bool
        in_order; /* hand nothing up ahead of its turn: the receiver that iWARP improves on; so do hold and copy */
    uint32_t cut;    /* above 0: packets of 1 .. cut octets, wherever FPDUs end; 0: one FPDU per packet */
    uint32_t window; /* the sender's buffer: octets in flight, or ready to be sent */
    uint32_t ranges; /* remembered out of order */
    iw_time timeout; /* until a packet is sent again; 0: two round trips of a full packet */
    /* Packets in order that one acknowledgement answers; it leaves after `ack_delay` at the latest, or with the next
     * packet of data. 0 or 1: each packet is answered at once. */
    uint32_t delayed_ack;
    iw_time ack_delay;
    bool length_only; /* no octets: FPDUs travel as marks */
    /* the hosts */
    const struct rnic_conf
        *rnic[2];          /* the adapters, copied; NULL: nothing takes time, nothing fills, no window */
    uint64_t consume_rate; /* bits per second at which ULPs read what is in order; 0: at once */
    iw_time dma; /* between iw_check() and iw_commit(), in order; with an adapter at least (not: copy) */
    uint32_t regions_max, cq_entries;
    struct iw_conf ep[2]; /* stags, queues, mulpdu and llp are filled in by pair_init() */
};

enum pair_what {
    PAIR_SENT,      /* a packet left: offset, len, sends */
    PAIR_LOST,      /* the channel took it */
    PAIR_ARRIVED,   /* it is at the receiver */
    PAIR_REFUSED,   /* no room, or a bad CRC: as if lost */
    PAIR_PLACED,    /* a segment is in memory: seg, place, in_order */
    PAIR_KEPT,      /* a segment waits for its turn: seg */
    PAIR_DELIVERED, /* a message: message */
    PAIR_FAULT,     /* the stream ended for `term` at this side */
    PAIR_CLOSED,    /* FIN or RST left: term is iw_llp_want */
    /* only of a side with an adapter: */
    PAIR_PULLED,   /* a segment was made: seg; its FPDU is offset, len */
    PAIR_SNAPSHOT, /* its octets have left host memory: iw_accepted() */
    PAIR_STAGED,   /* a packet takes staging */
    PAIR_DROPPED,  /* no staging: as if lost */
    PAIR_TAKEN,    /* MPA hands up a segment for the first time: seg, in_order, late */
    PAIR_WINDOW,   /* an acknowledgement of everything below offset leaves: edge */
    PAIR_COMPLETED /* the ULP may take a completion: done */
};
struct pair_event {
    iw_time t;
    enum pair_what what;
    int side; /* where it happens */
    uint64_t offset;
    uint32_t len, sends;
    bool in_order, corrupted;
    bool late; /* TAKEN: when it came an earlier octet was missing */
    const struct iw_seg *seg;
    const struct iw_place *place;
    const struct iw_message *message;
    int term;
    uint64_t edge;          /* right edge of the window on the wire */
    uint64_t staging, held; /* of a side with an adapter: octets now */
    const struct iw_done *done;
};

struct pair;
/* NULL, or what is wrong with the configuration in words. */
const char *pair_conf_error(const struct pair_conf *conf);
/* Octets of an FPDU that carries the largest segment `side` sends: what rnic_conf_error() asks for. */
uint32_t pair_fpdu(const struct pair_conf *conf, int side);
/* Octets of the block; then the world in it (the caller's, aligned as malloc does). Both endpoints are enabled, the
 * responder waits for the first FPDU. `trace` (may be NULL) hears every event; what it points to is borrowed. */
size_t pair_size(const struct pair_conf *conf);
struct pair *pair_init(void *memory, const struct pair_conf *conf,
                       void (*trace)(void *user, const struct pair_event *), void *user);

/* The parts of a side, for the host that plays the ULP. */
struct iw_ep *pair_ep(struct pair *p, int side);
struct iw_cq *pair_cq(struct pair *p, int side);
struct iw_stags *pair_stags(struct pair *p, int side);
const struct mpa_rx *pair_mpa(const struct pair *p, int side);
const struct rnic *pair_adapter(const struct pair *p, int side); /* NULL: it has none */
iw_time pair_now(const struct pair *p);

/* iw_post(), and the doorbell; the next pair_kick() has the effects, those of pair_again() for a receive included.
 * Without an adapter iw_post() does as well. */
int pair_post(struct pair *p, int side, const struct iw_work *work);
/* iw_poll(): the oldest completion that the ULP can see by now. With an adapter pair_cq() is not for the ULP. */
bool pair_poll(struct pair *p, int side, struct iw_done *done);
/* Interrupts for which completions, from now on (at first IW_ARM_ALL). */
void pair_arm(struct pair *p, int side, enum iw_arm arm);

/* The ULP did something at `side` (posted, closed, terminated, changed the MULPDU): let it have effect. */
void pair_kick(struct pair *p, int side);
/* A receive buffer was posted where segments wait for one (IW_RECOVER). */
void pair_again(struct pair *p, int side);
/* When the next event happens; IW_NEVER: nothing will, unless the ULP acts. */
iw_time pair_next(const struct pair *p);
/* Let it happen: false when there is none. */
bool pair_step(struct pair *p);
/* Move the clock to `t` without an event; only up to pair_next(). */
void pair_wait(struct pair *p, iw_time t);
/* What no honest adapter sends, for lessons and tests: `len` (1 .. PAIR_WRONG_MAX) octets as one ULPDU, behind what was
 * pulled so far; the engine does not know of it. The next pair_kick() has the effects. IW_EINVAL: longer than a packet,
 * or a wrong marker where there is none; IW_EFULL: too many on the way; IW_ESTATE: this side sends no more. */
enum pair_wrong {
    PAIR_WRONG_ULPDU,  /* CRC and markers are right */
    PAIR_WRONG_CRC,    /* the CRC does not match */
    PAIR_WRONG_MARKER, /* the first marker in the FPDU points elsewhere, under a CRC that matches */
    PAIR_WRONGS
};
enum { PAIR_WRONG_MAX = 256 };
int pair_inject(struct pair *p, int side, enum pair_wrong how, const uint8_t *ulpdu, uint32_t len);

/* Cut the link: nothing arrives any more, and both sides are told that the LLP is lost. */
void pair_cut(struct pair *p);

#ifdef __cplusplus
}
#endif
#endif
