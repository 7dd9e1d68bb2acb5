/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* ddpp.h -- DDPP core (draft-bailey-roi-ddpp-core-00): direct data placement over transports that may be
 * unreliable, and may be unordered.
 *
 *   decorated   0                    4        8                 16        section 2.2
 *               | N 1 | Message Id 31| STag   | Offset          | payload
 *   undecorated | the client's octets
 *
 * A transport message is one or the other; the mapping knows which (over SCTP: the payload protocol
 * identifier) and in which order they were submitted: its *key* counts the messages of one direction, from 0
 * on, without gaps.
 *
 *   client  ddpp_split_* -> messages -> transport -> ddpp_check, ddpp_commit -> memory
 *                                                            -> ddpp_take: indications, undecorated messages
 *
 *                      delivered once   in order                        a set() is performed
 *   reliable ordered   yes              yes, and all before is placed   until a later event is delivered
 *   reliable unordered yes              no                              until its own indication is delivered
 *   unreliable ordered at most          what comes, in order            until a later event is delivered
 *   unreliable unord.  no promise       no                              whenever it comes
 *
 * The draft defines no errors: what cannot be placed is dropped and counted (conformance.md 4.6, C5).
 * Sans-I/O, like iw.h.
 */
#ifndef IW_ENGINE_DDPP_H
#define IW_ENGINE_DDPP_H

#include "engine/stag.h"
#include "engine/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { DDPP_HEAD = 16, DDPP_ID_MAX = 0x7fffffff };

struct ddpp_head {
    bool notify; /* N */
    uint32_t id; /* 31 bits, the client's; without `notify` it means nothing */
    iw_stag stag;
    uint64_t offset;
};
/* Write it at `out`; read it from `in`: DDPP_HEAD octets. */
void ddpp_head_put(uint8_t *out, const struct ddpp_head *h);
void ddpp_head_get(const uint8_t *in, struct ddpp_head *h);

/* ---- sending ---- */

/* One decorated message of the client. */
struct ddpp_send {
    iw_stag stag;
    uint64_t offset;
    uint32_t len; /* octets; 0 is possible */
    bool notify;  /* indicate reception, with `id` */
    uint32_t id;
    bool atomic;    /* in one transport message, or not at all (section 2.1) */
    bool backwards; /* the last octets first: any order is allowed */
};

/* The same, as the messages that the transport takes. */
struct ddpp_split {
    struct ddpp_send what;
    uint32_t most; /* payload octets in one message */
    uint32_t pieces, next;
};
/* `message_max`: octets of the largest transport message. IW_EINVAL: atomic and too large, an id of more than
 * 31 bits, an offset that passes 2^64, no room for a decoration and one octet. Nothing is to be sent then. */
int ddpp_split_start(struct ddpp_split *s, const struct ddpp_send *what, uint32_t message_max);

struct ddpp_piece {
    uint8_t head[DDPP_HEAD];
    uint32_t from, len; /* octets of the client's message */
};
/* The next piece, in the order to be sent; false after the last. Law: N is set in the last one only, if at
 * all. */
bool ddpp_split_take(struct ddpp_split *s, struct ddpp_piece *piece);

/* ---- receiving ---- */

struct ddpp_conf {
    struct iw_stags *stags;
    uint32_t pd, stream; /* who the receiver is for STag checks */
    bool reliable, ordered;
    uint16_t remember;    /* messages beyond the edge, and events not yet taken; a power of two */
    uint16_t keep;        /* undecorated messages that wait */
    uint32_t message_max; /* octets of the largest */
    uint16_t quarantine;  /* STags under quarantine at a time */
};
const char *ddpp_conf_error(const struct ddpp_conf *conf);

struct ddpp;
size_t ddpp_size(const struct ddpp_conf *conf);
struct ddpp *ddpp_init(void *memory, const struct ddpp_conf *conf);

/* Where the octets of a decorated message go. Belongs to it from ddpp_check() to ddpp_commit(). */
struct ddpp_place {
    uint64_t key;
    iw_stag stag;
    uint64_t to;
    uint8_t *address; /* NULL: nothing to write (no payload, or length-only memory) */
    const uint8_t *octets;
    uint32_t len;
    bool notify;
    uint32_t id;
    struct stag_slot *slot;
};

enum ddpp_verdict {
    DDPP_PLACE,   /* ddpp_commit() must follow once, in any order */
    DDPP_TAKEN,   /* an undecorated message: copied */
    DDPP_DROPPED, /* a rule forbids it, or it has no place */
    DDPP_LATER    /* no room to remember it: it must come again (unreliable: it is lost) */
};
/* A transport message came. `octets` are borrowed until ddpp_commit(); `octets` NULL with len: payload that
 * nobody stores (then `head` alone is read). Time is picoseconds, for quarantines. */
enum ddpp_verdict ddpp_check_decorated(struct ddpp *d, uint64_t now, uint64_t key,
                                       const uint8_t head[DDPP_HEAD], const uint8_t *octets, uint32_t len,
                                       struct ddpp_place *place);
enum ddpp_verdict ddpp_check_undecorated(struct ddpp *d, uint64_t key, const uint8_t *octets, uint32_t len);
/* The octets have reached memory: copies them, ends the hold on the region, and lets what waited for it be
 * delivered. IW_OK; IW_ESTATE: the region was revoked meanwhile, nothing was written, and no indication comes
 * of it. */
int ddpp_commit(struct ddpp *d, const struct ddpp_place *place);
/* Unreliable ordered transports: what is missing below `key` will not be waited for any more. */
void ddpp_give_up(struct ddpp *d, uint64_t key);
/* Everything below has come, or was given up. */
uint64_t ddpp_edge(const struct ddpp *d);

struct ddpp_event {
    bool indication; /* of a decorated message: `id`; else an undecorated message */
    uint64_t key;
    uint32_t id;
    const uint8_t *octets; /* borrowed until the next call; NULL where nobody stored them */
    uint32_t len;
};
/* What the client is told next: false when there is nothing. */
bool ddpp_take(struct ddpp *d, struct ddpp_event *event);

/* No set() through `stag` before `until`: where an STag is used for another buffer at once, what is late for
 * the old one would land in the new one (section 3.4). Choose the longest life of a datagram. Asked twice, the later
 * time counts. IW_EFULL. */
int ddpp_quarantine(struct ddpp *d, uint64_t now, iw_stag stag, uint64_t until);

struct ddpp_stats {
    uint64_t placed, octets;           /* set()s of messages; octets of them */
    uint64_t indications, undecorated; /* delivered */
    uint64_t late;                     /* dropped: an event after them is delivered, or they came before */
    uint64_t nowhere;                  /* dropped: no such buffer, out of its bounds, not this receiver's */
    uint64_t quarantined;
    uint64_t no_room;
};
const struct ddpp_stats *ddpp_statistics(const struct ddpp *d);

#ifdef __cplusplus
}
#endif
#endif
