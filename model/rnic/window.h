/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window.h -- what a receiver advertises: the window policies of one connection (RFC 5041 Appendix A).
 *
 *   N  next octet expected (RCV.NXT)      S  octets still in staging: accepted, not yet placed; the segment that is
 *   H  octets held out of order              being acknowledged is not counted, its write starts now
 *   U  octets that the ULP has consumed   W  window.bytes
 *
 *   policy     R*, the right edge               what counts
 *   ---------  -------------------------------  -------------------------------------------------------
 *   constant   N + W                            nothing
 *   placed     N + W - S                        the backlog: what is placed is free (Appendix A)
 *   held       N + W - S - H                    NIC memory too
 *   buffer     U + W                            everything until the ULP has consumed it
 *   bdp        as placed, W = headroom x rate x RTT, both measured here; W grows from 10 FPDUs up to window.bytes
 *   retire     as placed, but while staging is above `mark` it grows at most at the retire rate x drain
 *
 * Law: what was advertised stays advertised. N + (field << shift) never gets smaller from one call to the next, in
 * spite of the unit of the scaled window: a field that would fall short of what was told is one more. The price: while
 * N moves on and R* does not (held, buffer), each acknowledgement may raise the edge by less than 2^shift; `excess`
 * says by how much in all.
 */
#ifndef IW_RNIC_WINDOW_H
#define IW_RNIC_WINDOW_H

#include "engine/iw.h"
#include "rnic/conf.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RNIC_WINDOW_MAX 1073725440u /* 65535 << 14: the most that TCP can say (RFC 7323 2.3) */

/* Stream offsets count from 0 and never wrap. */
struct rnic_window_state {
    uint64_t next;     /* N */
    uint64_t backlog;  /* S, of this connection */
    uint64_t held;     /* H */
    uint64_t consumed; /* U */
    uint64_t staging;  /* octets in staging, of all connections */
};

struct rnic_window {
    uint64_t edge;        /* max of all R* */
    uint64_t advertised;  /* the edge on the wire: at least `edge` in policies that place, rounded up */
    uint64_t excess;      /* most octets that `advertised` was ever ahead of R* */
    struct {              /* retire */
        uint64_t retired; /* in-order octets out of staging at the last call */
        bool slowed;      /* the mark was passed once */
    } retire;
    struct rnic_window_conf conf;
    uint32_t fpdu;
    uint8_t shift;
    struct { /* bdp */
        bool open;
        uint64_t from, to;     /* stream offsets: an epoch ends when N passes `to`, the edge at its start */
        iw_time since, opened; /* start of the epoch; when an edge above `to` was first advertised */
        iw_time rtt;           /* the smallest seen; IW_NEVER: none yet */
        iw_time
            rtt_least; /* none can be smaller: set by a world whose senders do not stop at the edge; 0: none known */
        double rate; /* the highest seen, octets per picosecond */
    } bdp;
};

/* NULL, or why this window makes no sense on connections with full segments of `fpdu` octets. */
const char *rnic_window_error(const struct rnic_window_conf *conf, uint32_t fpdu);

/* The smallest shift with which TCP can say `bytes`, 0 .. 14. */
unsigned rnic_window_shift(uint64_t bytes);

/* Start at stream offset 0 with nothing advertised. `shift`: rnic_window_shift(conf->bytes) or more; SCTP, whose
 * credit has 32 bits: 0, and the field is then not bounded by 65535. */
void rnic_window_init(struct rnic_window *w, const struct rnic_window_conf *conf, uint32_t fpdu,
                      unsigned shift);

/* An acknowledgement of N = state->next leaves now: the window field for it, in units of 2^shift.
 * `now` and `next` never go back. `retire` moves the edge by what left staging since the last call: by `drain` of those
 * octets while staging is above the mark; below it by 9/8 of them, and by twice as many until the mark was first passed.
 * So the peer soon sends no faster than placement keeps up. It starts with 10 FPDUs and always leaves the peer 2.
 * A SYN, whose field is not scaled, says min(field << shift, 65535), and so never more than the answer. */
uint64_t rnic_window_advertise(struct rnic_window *w, iw_time now, const struct rnic_window_state *state);

/* Something was placed, retired or consumed: is an acknowledgement due that only opens the window? True when the peer
 * has less than one FPDU left and would get one, when the edge would move by two FPDUs or half of W, and when it would
 * move by one and nothing is left in staging, so that no later acknowledgement need come. */
bool rnic_window_opened(const struct rnic_window *w, const struct rnic_window_state *state);

/* Does the edge rest on what the ULP has consumed? Where not, reading frees nothing, and no update is due for it. */
bool rnic_window_counts_consumed(const struct rnic_window *w);

/* W as it is now: conf.bytes, or what bdp has found. */
uint64_t rnic_window_bytes(const struct rnic_window *w);

#ifdef __cplusplus
}
#endif
#endif
