/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* mpa.h -- MPA: how DDP segments ride a TCP stream (RFC 5044), and how such a stream is started (RFC 5044
 * section 7, RFC 6581).
 *
 *   | marker? | ULPDU_Length 2 | ULPDU ... | PAD 0-3 | CRC 4 |     one FPDU
 *     ^ key                                                    ^ end
 *   markers may fall on any 4-octet border
 *
 * Nothing here does I/O, knows a TCP or looks at a clock. Three parts, each usable alone:
 *   transmit   one segment in, the octets of one FPDU out
 *   receive    octets of the stream in, at any offset, in any order, cut anywhere, repeated; FPDUs out
 *   start-up   Request and Reply frames in and out; an agreement, a rejection or an error out
 *
 * Offsets count the octets of one direction from the first octet of full operation (offset 0), in 64 bits;
 * TCP sequence numbers become offsets by mpa_offset(). The *key* of an FPDU is the offset where it starts; a
 * marker due exactly there belongs to it (RFC 5044 4.3). FPDUs lie end to end: the end of one is the key of
 * the next, so both sides know the same keys without sending them.
 */
#ifndef IW_LLP_MPA_H
#define IW_LLP_MPA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/iw.h"
#include "engine/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MPA_MULPDU_MIN = 128,   /* RFC 5044 section 3 */
    MPA_MULPDU_MAX = 64768, /* a sender never makes a larger ULPDU */
    MPA_ULPDU_MAX = 65535,  /* what the length field can say; some senders pass 64768 */
    MPA_MARKER_EVERY = 512,
    MPA_MARKER = 4,
    MPA_AROUND = 6,      /* octets around a ULPDU: ULPDU_Length and CRC */
    MPA_FPDU_MAX = 66064 /* octets of the largest FPDU that the length field can describe, markers included */
};

/* ---- geometry of an FPDU ---- */

/* Octets of the FPDU that starts at `key` and carries `ulpdu_len` octets. A marker that follows its CRC
 * belongs to the next FPDU. The stream is periods of 128 words, the first of each a marker. */
static inline uint32_t mpa_fpdu_size(uint64_t key, uint32_t ulpdu_len, bool markers)
{
    uint32_t words = (2 + ulpdu_len + 3) / 4 + 1;
    if (!markers)
        return words * 4;
    uint32_t at = (uint32_t)(key % MPA_MARKER_EVERY) / 4;
    uint32_t first = at ? at - 1 : 0; /* of its words, counted from the marker before */
    return (words + !at + (first + words - 1) / (MPA_MARKER_EVERY / 4 - 1)) * 4;
}

/* The offset of TCP sequence number `seq`, where `seq_start` is that of offset 0 and `near` any offset
 * less than 2^31 octets away (the edge, say). Exact across wraps of the sequence number. */
static inline uint64_t mpa_offset(uint64_t near, uint32_t seq, uint32_t seq_start)
{
    uint32_t ahead = seq - seq_start - (uint32_t)near; /* modulo 2^32 */
    return ahead & 0x80000000u ? near - (uint32_t)-ahead : near + ahead;
}

/* MULPDU for an effective MSS (RFC 5044 4.5), 128 .. 64768. */
uint32_t mpa_mulpdu(uint32_t emss, bool markers);

/* ---- transmit ---- */

enum {
    MPA_MARKERS = 1,         /* this direction carries markers: its receiver asked for them */
    MPA_CRC = 2,             /* CRCs are generated and checked: either side asked for them */
    MPA_TRUST_ALIGNMENT = 4, /* receive: believe that every TCP segment is whole FPDUs: with CRC off they
                              * may be handed up ahead, with MPA_CRC_DROP refused ahead of the edge */
    MPA_CRC_DROP = 8,        /* receive: refuse a segment whose CRC is bad; TCP retransmits it (RFC 5044 8) */
    MPA_IN_ORDER = 16,       /* receive: hand nothing up ahead of its turn */
    MPA_PIECES = 32 /* receive: an FPDU that few markers cut is handed up in pieces, where it arrived */
};

/* One direction, sending. Law: offset is a multiple of 4 and is the key of the next FPDU. */
struct mpa_tx {
    uint64_t offset;
    uint32_t emss;
    unsigned flags; /* MPA_MARKERS | MPA_CRC */
};

enum { MPA_HEAD_MAX = IW_HEAD_MAX + IW_TERM_MAX };

/* A length-only FPDU (payload none): what a simulator carries instead of octets. The ULPDU's head is its
 * DDP header, and the payload too where that has octets and is short (Read Request, Terminate). */
struct mpa_mark {
    uint64_t key;
    uint16_t ulpdu_len;
    uint8_t head_len; /* octets in `head`: the first of the ULPDU */
    bool bad;         /* altered on the way: its CRC does not match */
    uint8_t head[MPA_HEAD_MAX];
};

/* The most octets in `head` for a segment. */
static inline uint32_t mpa_head_most(const struct iw_seg *seg)
{
    return seg->head_len + (seg->payload_len <= IW_TERM_MAX ? seg->payload_len : 0u);
}

void mpa_tx_init(struct mpa_tx *tx, unsigned flags, uint32_t emss);
/* TCP's EMSS has changed. FPDUs already made keep their size. */
static inline void mpa_set_emss(struct mpa_tx *tx, uint32_t emss)
{
    tx->emss = emss;
}
/* The key of the next FPDU: what iw_transmit() takes as key. */
static inline uint64_t mpa_key(const struct mpa_tx *tx)
{
    return tx->offset;
}
/* MULPDU for the next segment when `room` octets of the current TCP segment are left: the largest ULPDU
 * whose FPDU fits there, or that of a full segment when it would be below 128 (RFC 5044 4.5). */
uint32_t mpa_mulpdu_fit(const struct mpa_tx *tx, uint32_t room);

/* Octets of the next FPDU if it carries `seg`. 0: the ULPDU is empty or larger than 64768. */
uint32_t mpa_fpdu_len(const struct mpa_tx *tx, const struct iw_seg *seg);
/* Write the next FPDU at `out` (mpa_fpdu_len() octets); the octets written. 0, and nothing changed: mpa_fpdu_len()
 * is 0 or seg->key is not mpa_key(). Fragments without octets are sent as zeros, and so is the CRC when it
 * is off. */
uint32_t mpa_put(struct mpa_tx *tx, const struct iw_seg *seg, uint8_t *out);

/* The same FPDU without copying the payload: head, then the fragments of `seg`, then tail. */
struct mpa_gather {
    uint8_t head_len, tail_len;
    uint8_t head[2 + IW_HEAD_MAX]; /* ULPDU_Length and the segment's header */
    uint8_t tail[3 + 4];           /* PAD and CRC */
};
/* As mpa_put(). Only without markers, which would cut the payload: 0 with them. Fragments need their
 * octets when CRC is on (those without count as zeros). */
uint32_t mpa_gather(struct mpa_tx *tx, const struct iw_seg *seg, struct mpa_gather *out);
/* The same FPDU without octets: its mark and its size. */
uint32_t mpa_advance(struct mpa_tx *tx, const struct iw_seg *seg, struct mpa_mark *mark);

/* ---- receive ---- */

/* How much a receiver may remember beyond its edge. */
struct mpa_rx_conf {
    unsigned flags;     /* MPA_MARKERS ... MPA_PIECES */
    uint32_t ulpdu_max; /* largest ULPDU taken, 1 .. 65535; 0: 64768 */
    uint32_t store;     /* octets from the edge on that are taken, at least one FPDU of ulpdu_max. Choose the
                         * receive window and one FPDU more: the edge stands at an FPDU, TCP's at an octet */
    uint32_t ranges;    /* runs remembered out of order, up to 65535; 0: what is not in order is refused */
    uint32_t fpdus;     /* 0: octets; 2 and above: length-only, and so many unfinished or kept FPDUs are
                         * remembered */
};

/* One direction, receiving.
 *
 *   taken in order    | edge ...     missing ...   held   ...   taken ahead  ...   kept |  edge + store
 *
 * Laws: every FPDU is handed up at most once, except that one given back by mpa_keep() is handed up again
 * when it is in order; what was handed up had a CRC that matched (CRC on) and a start that was proven: in
 * order by the chain of lengths from offset 0, out of order by its CRC; of octets that arrive twice the
 * first win; no octet beyond edge + store is taken, and held octets lie below it; at most `ranges` runs
 * lie beyond the edge, and two more at the edge.
 *
 * Bound: whatever arrives, the work of one arrival is that of its octets, of the FPDUs it lets be handed up, of
 * moving 4 octets per run remembered, and of at most 16 CRCs over octets that are no FPDU. With 65,535 runs that is
 * 0.14 ms for the worst segment known (validation/bench/hostile_bench.c).
 *
 * Octets are read where they arrived; they are copied into the store only when an FPDU is not whole,
 * cannot be proven yet, or is kept. The receiver lives in one block the caller owns; there is nothing to
 * destroy. */
struct mpa_rx;

/* Octets of that block; 0 when the configuration is refused. */
size_t mpa_rx_size(const struct mpa_rx_conf *conf);
/* Make it in `memory` (aligned as malloc does). Most of the block is not touched before it is needed. NULL
 * when the configuration is refused. */
struct mpa_rx *mpa_rx_init(void *memory, const struct mpa_rx_conf *conf);
/* What is wrong with a configuration, in words; NULL when nothing is. */
const char *mpa_rx_conf_error(const struct mpa_rx_conf *conf);

/* What arrived in one TCP segment: octets, or (length-only) the marks of all FPDUs of which it holds
 * octets, in order. A mark is `bad` when this segment's part of the FPDU was altered. Both ways give the
 * same answers, but for one: with CRC and without markers, octets in the middle of an FPDU may look like
 * the start of a longer one, and others that could have been handed up ahead then wait for their turn. */
struct mpa_arrival {
    uint64_t offset; /* of its first octet */
    const uint8_t *octets;
    uint32_t len;
    uint32_t marks;
    const struct mpa_mark *mark;
};

/* How many octets of the arrival, from the first on, mpa_arrive() would take if no CRC is bad: for a TCP
 * that asks before it acknowledges. */
uint32_t mpa_would_take(const struct mpa_rx *rx, const struct mpa_arrival *in);
/* An arrival. Returns how many octets, from the first on, are taken (those known already count as taken); the
 * rest must not be acknowledged: it lies beyond the store or would need a range too many, or (MPA_CRC_DROP;
 * then 0) the segment ends an FPDU whose start is sure and whose CRC is bad. An octet at the edge is never
 * refused for want of room. After an error everything is taken and nothing looked at.
 * MPA_CRC_DROP with MPA_TRUST_ALIGNMENT mends everything: no bad octet is taken. Without that trust it mends
 * what one whole segment shows to be bad. Not what was taken before: an altered length that makes an FPDU
 * look incomplete, or the first part of an FPDU cut in two. When a segment that ends such an FPDU comes a
 * second time it is taken, and the error reported.
 * Call mpa_take() until it returns no FPDU, or one that is the `last` was taken; until then `octets` and `mark` are
 * borrowed, and another arrival is refused as a whole. */
uint32_t mpa_arrive(struct mpa_rx *rx, const struct mpa_arrival *in);
/* The same of what starts at the edge, where nothing lies beyond it. False: it does not, and nothing changed. */
bool mpa_arrive_direct(struct mpa_rx *rx, const struct mpa_arrival *in);
static inline uint32_t mpa_receive(struct mpa_rx *rx, uint64_t offset, const void *octets, uint32_t len)
{
    struct mpa_arrival in = {offset, (const uint8_t *)octets, len, 0, NULL};
    return mpa_arrive(rx, &in);
}

/* The next octets of a stream that comes in order, each once, and whose TCP has acknowledged them already: a byte stream has
 * no way to refuse. Returns how many are taken; call mpa_take() until it returns no FPDU, then again with the others.
 * 0 only while a kept FPDU fills the store. Not together with mpa_receive() on the same receiver. */
uint32_t mpa_stream(struct mpa_rx *rx, const void *octets, uint32_t len);

/* One FPDU handed up. `ulpdu` is borrowed until the next mpa_take() or mpa_arrive(). */
struct mpa_fpdu {
    uint64_t key, end;    /* its octets in the stream */
    const uint8_t *ulpdu; /* markers, length, pad and CRC are gone (MPA-4.3-4) */
    uint32_t len;         /* of the ULPDU; 0 is possible: RFC 5044 has no error for it, DDP has */
    uint32_t octets; /* at `ulpdu`: len; length-only: of its head; with MPA_PIECES: up to the first marker */
    bool in_order;   /* every FPDU before it was handed up and taken */
    bool again;      /* it was kept before */
    bool last;       /* once it is taken nothing more is here */
    uint8_t pieces;  /* MPA_PIECES: of the rest of its octets; else 0 */
    struct iw_frag piece[IW_FRAGS_MAX - 1];
};

/* The next FPDU: 1. 0: nothing more now. IW_T_LLP_CRC, IW_T_LLP_MARKER: this direction has failed (RFC
 * 5044 section 8); nothing is handed up any more, and whoever closes TCP, it is not MPA. The error stays:
 * every later call returns it.
 *
 *   IW_T_LLP_CRC     the FPDU at the edge has a bad CRC; or (CRC on) it runs into FPDUs that were handed up
 *                    ahead, so that one of them cannot be an FPDU
 *   IW_T_LLP_MARKER  a marker in the FPDU at the edge does not point to its start; or (CRC off) it runs into
 *                    FPDUs that were handed up ahead; or its length is above ulpdu_max, so that no FPDU can
 *                    start there
 * Errors are reported when the FPDU is at the edge, so that they are those of an in-order receiver. */
int mpa_take(struct mpa_rx *rx, struct mpa_fpdu *fpdu);
/* Give back the FPDU that mpa_take() handed up last (iw_check() said IW_LATER): it is handed up again when
 * it is in order; if it was in order already, after the next mpa_again() or arrival. IW_ESTATE: there is
 * none, or mpa_edge() counted it as taken. */
int mpa_keep(struct mpa_rx *rx);
/* What stood in the way of the kept FPDU at the edge may be gone (a buffer was posted): call mpa_take(). */
void mpa_again(struct mpa_rx *rx);
/* Everything below was handed up and taken, the FPDU that mpa_take() handed up last included: what
 * iw_deliver() takes. */
uint64_t mpa_edge(struct mpa_rx *rx);
/* View an FPDU as the segment that DDP takes. Borrows what `fpdu` borrows. */
void mpa_seg(const struct mpa_fpdu *fpdu, struct iw_seg *seg);

/* TCP's FIN came: the stream ends at `offset` (MPA-7.2-1). */
void mpa_fin(struct mpa_rx *rx, uint64_t offset);
enum mpa_end {
    MPA_OPEN, /* no FIN, or octets before it are missing or kept */
    MPA_FIN,  /* everything before the FIN was handed up and taken: IW_LLP_FIN */
    MPA_CUT   /* the FIN stands inside an FPDU: IW_LLP_LOST (2/0/01) */
};
enum mpa_end mpa_ended(struct mpa_rx *rx);

/* Length-only: marks remembered now; octets of memory for `fpdus` of them; go on in that memory, with so many. IW_EINVAL:
 * fewer than are remembered, or a number that mpa_rx_conf refuses. The memory used before is the owner's again. */
uint32_t mpa_rx_marks(const struct mpa_rx *rx);
size_t mpa_rx_marks_octets(uint32_t fpdus);
int mpa_rx_move_marks(struct mpa_rx *rx, void *memory, uint32_t fpdus);

/* Runs remembered now; octets of memory for `ranges` of them; go on in that memory, with so many. What one arrival can do is as
 * it would be with any larger number while 2 x runs + 8 are at most `ranges`. */
uint32_t mpa_rx_runs(const struct mpa_rx *rx);
size_t mpa_rx_runs_octets(uint32_t ranges);
void mpa_rx_move_runs(struct mpa_rx *rx, void *memory, uint32_t ranges);

struct mpa_stats {
    uint64_t fpdus, fpdus_ahead; /* handed up for the first time; of those: out of order */
    uint64_t kept;               /* mpa_keep() */
    uint64_t octets_again;       /* arrived though known already */
    uint64_t octets_refused;
    uint64_t octets_copied;   /* into the store */
    uint64_t crc_bad;         /* FPDUs with a sure start whose CRC did not match */
    uint64_t guesses;         /* segments tried as the start of an FPDU */
    uint64_t guesses_wrong;   /* FPDU starts that were disproved, those that a marker pointed to included */
    uint32_t held, held_peak; /* octets in the store */
    uint32_t ranges, ranges_peak;
};
const struct mpa_stats *mpa_statistics(const struct mpa_rx *rx);

/* ---- start-up frames ---- */

enum {
    MPA_FRAME_HEAD = 20,
    MPA_PRIVATE_MAX = 512, /* enhanced: 4 less */
    MPA_ENHANCED = 4,      /* octets of the IRD/ORD word */
    MPA_FRAME_MAX = MPA_FRAME_HEAD + MPA_PRIVATE_MAX,
    MPA_FRAME_LEAST = MPA_FRAME_HEAD + MPA_ENHANCED, /* without private data */
    MPA_DEPTH_ULP = 0x3fff /* IRD or ORD: the ULP negotiates this one (RFC 6581 9.1) */
};
enum { MPA_RTR_SEND = 1, MPA_RTR_WRITE = 2, MPA_RTR_READ = 4 }; /* flags B, C, D (RFC 6581 9.2) */

/* 0-15: Key | 16: M C R S Res(4) | 17: Rev | 18-19: PD_Length | if S 20-23: A B IRD(14) C D ORD(14) | private
 * data */
struct mpa_frame {
    bool reply;
    bool markers, crc, rejected; /* M, C, R; R means nothing in a Request */
    bool enhanced;               /* S, at Rev 2 and above */
    uint8_t reserved;            /* octet 16 without M, C, R; at Rev 2 and above without S */
    uint8_t rev;
    uint16_t pd_length; /* as on the wire */
    bool peer_to_peer;  /* A */
    uint8_t rtr;        /* MPA_RTR_*: B, C, D as on the wire; they count only with A */
    uint16_t ird, ord;
    uint16_t private_len; /* without the IRD/ORD word */
    const uint8_t *private_data;
};

enum mpa_frame_is {
    MPA_FRAME_WHOLE,
    MPA_FRAME_MORE,     /* right so far, octets are missing */
    MPA_FRAME_NO_KEY,   /* neither a Request nor a Reply */
    MPA_FRAME_TOO_LONG, /* PD_Length above 512 */
    MPA_FRAME_NO_DEPTH  /* enhanced, but too short for the IRD/ORD word */
};
/* Read the start-up frame at `in`: for start-up and for decoders of others' traffic. Fields are set as far
 * as the octets reach, whatever the answer; `size` becomes the octets of the frame, 0 while unknown.
 * private_data borrows `in`. Reserved bits and Rev are returned, not judged. */
enum mpa_frame_is mpa_frame_get(const uint8_t *in, uint32_t len, struct mpa_frame *frame, uint32_t *size);
/* Write a frame at `out` (MPA_FRAME_MAX octets), reserved bits 0; the octets written. pd_length is made from
 * private_len; 0 when that is too long. */
uint32_t mpa_frame_put(uint8_t *out, const struct mpa_frame *frame);

/* ---- start-up ---- */

enum mpa_role { MPA_INITIATOR, MPA_RESPONDER };
enum mpa_kind { MPA_IETF, MPA_IETF_PERMISSIVE, MPA_RDMAC }; /* RFC 5044 figure 14 */

struct mpa_start_conf {
    enum mpa_role role;
    enum mpa_kind kind;
    bool markers;      /* our receiver wants markers */
    bool no_crc;       /* the administrator wants no CRC (RFC 5044 4.4); the peer may still ask for it */
    bool enhanced;     /* initiator: ask with the frames of RFC 6581; responder: understand them */
    bool peer_to_peer; /* initiator, enhanced: the first message is an RTR */
    uint8_t rtr;       /* enhanced: MPA_RTR_* we can send (initiator) or take (responder: at least one) */
    uint16_t ird, ord; /* enhanced: what we ask for (initiator), at most give (responder); MPA_DEPTH_ULP */
    uint16_t ird_max;  /* initiator: what we can give if the Reply asks for more; at least ird */
    uint16_t ord_min;  /* outbound Reads our ULP cannot do without */
    bool
        lenient; /* initiator: octets behind the Reply are no error but the peer's first FPDU, as Linux siw sends it */
    uint16_t private_len;        /* initiator: 0 .. 512, enhanced 508 */
    const uint8_t *private_data; /* copied */
    iw_time timeout;             /* for the whole of start-up; 0: none */
    uint8_t *frames; /* lent as long as start-up and `peer` are looked at: room for two frames of */
    uint16_t
        frame_max; /* so many octets, MPA_FRAME_LEAST or more; 0: MPA_FRAME_MAX. A longer one is refused */
};

enum mpa_state {
    MPA_WAIT_REPLY,   /* initiator */
    MPA_WAIT_REQUEST, /* responder */
    MPA_DECIDE,       /* responder: a good Request is here; mpa_accept() or mpa_reject() */
    MPA_FULL,         /* agreed: offset 0 is the next octet of either direction */
    MPA_REJECTED,     /* MPA is over; TCP stays open and is the ULP's */
    MPA_FAILED        /* `term`, `why` and `tcp` say what to do */
};

enum mpa_why {
    MPA_WHY_NONE,
    MPA_WHY_KEY,          /* the octets are no start-up frame */
    MPA_WHY_SAME_ROLE,    /* both sides are initiators (RFC 5044 7.1.2 rule 8) */
    MPA_WHY_REV,          /* a revision we cannot interoperate with */
    MPA_WHY_PRIVATE_DATA, /* PD_Length is above 512, or too short for the IRD/ORD word */
    MPA_WHY_ENHANCED,     /* enhanced where it must not be, or not where it must */
    MPA_WHY_SURPLUS,      /* octets after the frame, before the sender may send any */
    MPA_WHY_TIMEOUT,
    MPA_WHY_LOST, /* TCP ended first */
    MPA_WHY_IRD,  /* 2/0/06 */
    MPA_WHY_RTR,  /* 2/0/07 */
    MPA_WHYS
};
/* In words. */
const char *mpa_why_text(enum mpa_why why);

enum mpa_tcp {
    MPA_TCP_KEEP,
    MPA_TCP_CLOSE,       /* at once */
    MPA_TCP_CLOSE_AFTER, /* when the frame of mpa_start_out() is sent */
    MPA_TCP_TERMINATE    /* enter full operation, send a Terminate with `term`, close (RFC 6581 9) */
};

/* What both sides agreed on. Meaningful in MPA_FULL, and with MPA_TCP_TERMINATE. */
struct mpa_agreement {
    uint8_t rev;     /* of the peer's frame: 0, 1, 2 */
    uint8_t version; /* DV and RV: 1; with RDMAC 0 (MPA-3-6) */
    bool markers_tx, markers_rx, crc;
    bool enhanced;
    bool peer_to_peer;
    uint8_t rtr;       /* initiator: the one to send first; responder: those it may be; 0: none */
    uint16_t ird, ord; /* ours from now on; unenhanced: as configured */
};

/* One start-up. Look with the calls below. */
struct mpa_start {
    struct mpa_start_conf conf;
    enum mpa_state state;
    enum mpa_why why;
    enum mpa_tcp tcp;
    int term;              /* MPA_FAILED: IW_T_LLP_*; MPA_REJECTED for want of IRD: IW_T_LLP_IRD; else 0 */
    bool retry_unenhanced; /* initiator: the peer may not know RFC 6581: without it a new try may work */
    struct mpa_agreement agreed;
    struct mpa_frame peer; /* the peer's frame, private data included; valid from MPA_DECIDE, MPA_FULL or
                              * MPA_REJECTED on */
    iw_time deadline;
    uint32_t in_len, out_len;
    uint8_t *in, *out; /* in conf.frames */
};

/* Begin. The initiator's Request waits in mpa_start_out(). IW_EINVAL: no frames; else mpa_start_conf_error() says why. */
int mpa_start(struct mpa_start *start, iw_time now, const struct mpa_start_conf *conf);
const char *mpa_start_conf_error(const struct mpa_start_conf *conf);
/* Octets of the peer, as many as there are, cut anywhere. Returns how many belong to start-up; when the
 * state then is MPA_REJECTED the rest is the ULP's. Octets after a frame that is not a rejection are
 * MPA_WHY_SURPLUS (with `lenient` they wait behind the Reply instead). In MPA_FULL pass octets to mpa_receive(). */
uint32_t mpa_start_in(struct mpa_start *start, iw_time now, const uint8_t *octets, uint32_t len);
/* The frame to send now, at `out` (MPA_FRAME_MAX octets); its octets, each frame once; 0: none. */
uint32_t mpa_start_out(struct mpa_start *start, uint8_t *out);
/* MPA_DECIDE: the ULP's answer, which goes with the Reply. IW_ESTATE; IW_EINVAL: too much private data. Until
 * then the ULP, who knows `peer` now, may change ird, ord and ord_min in start->conf.
 * mpa_accept() itself rejects (MPA_WHY_IRD) when the initiator's IRD is below ord_min. */
int mpa_accept(struct mpa_start *start, const uint8_t *private_data, uint16_t private_len);
int mpa_reject(struct mpa_start *start, const uint8_t *private_data, uint16_t private_len);
/* TCP ended. */
void mpa_start_lost(struct mpa_start *start);
/* When to call mpa_start_expire() if nothing else happens first, IW_NEVER when start-up is over; early
 * calls do nothing. The time MPA_DECIDE takes counts. */
iw_time mpa_start_deadline(const struct mpa_start *start);
void mpa_start_expire(struct mpa_start *start, iw_time now);

#ifdef __cplusplus
}
#endif
#endif
