/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* wire.h -- octets <-> structs: one DDP segment, its header, the RDMAP headers inside it.
 *
 *   tagged    0       1        2            6                     14      RFC 5041 4.2
 *             | ctl   | RsvdULP| STag       | TO                  | payload
 *   untagged  0       1                     6       10      14      18    RFC 5041 4.3
 *             | ctl   | RsvdULP (5)         | QN    | MSN   | MO    | payload
 *   ctl       T | L | Rsvd(4) | DV(2)                                     RFC 5041 4.1
 *   RDMAP     RsvdULP octet 0 = RV(2) | Rsv(2) | Opcode(4);               RFC 5040 4.1
 *             octets 1-4 of an untagged RsvdULP = Invalidate STag
 */
#ifndef IW_ENGINE_WIRE_H
#define IW_ENGINE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    IW_HEAD_TAGGED = 14,
    IW_HEAD_UNTAGGED = 18,
    IW_HEAD_MAX = 18,
    IW_READ_REQ_SIZE = 28,                                     /* RFC 5040 4.4 */
    IW_ATOMIC_REQ_SIZE = 52,                                   /* RFC 7306 5.2.1 */
    IW_ATOMIC_RESP_SIZE = 12,                                  /* RFC 7306 5.2.2 */
    IW_TERM_MAX = 4 + 2 + IW_HEAD_UNTAGGED + IW_READ_REQ_SIZE, /* RFC 5040 4.8 */
    IW_FRAGS_MAX = 4
};

/* Part of a payload. octets == NULL: `len` octets that nobody stores (length-only payload). */
struct iw_frag {
    const void *octets;
    uint32_t len;
};

/* One DDP segment (RFC 5041 4.4): header by value, payload by reference.
 * `key` orders the segments of one direction: strictly increasing in the order sent, not consecutive.
 * MPA: the 64-bit stream offset of the FPDU; SCTP: the unwrapped DDP-SSN.
 * The payload is borrowed: on the transmit side valid until the LLP called iw_accepted() beyond `key`; on the
 * receive side until the segment's iw_commit(). */
struct iw_seg {
    uint64_t key;
    uint32_t payload_len; /* octets in all fragments together */
    uint8_t head_len;     /* 14 tagged, 18 untagged; less: the segment was shorter than its header */
    uint8_t frags;        /* fragments in use */
    uint8_t head[IW_HEAD_MAX];
    struct iw_frag frag[IW_FRAGS_MAX];
};

/* View `len` received octets of one ULPDU as the segment `key`. Borrows `octets`; checks nothing. */
void iw_seg_view(struct iw_seg *seg, uint64_t key, const void *octets, uint32_t len);

/* Cursor codecs, big endian. The caller has checked the length. */
static inline uint8_t *iw_put8(uint8_t *p, uint8_t v)
{
    *p = v;
    return p + 1;
}
/* One store each: of single octets a compiler makes chains of shifts. */
enum { IW_SWAPS = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };
static inline uint8_t *iw_put16(uint8_t *p, uint16_t v)
{
    uint16_t wire = IW_SWAPS ? __builtin_bswap16(v) : v;
    return (uint8_t *)memcpy(p, &wire, sizeof wire) + sizeof wire;
}
static inline uint8_t *iw_put32(uint8_t *p, uint32_t v)
{
    uint32_t wire = IW_SWAPS ? __builtin_bswap32(v) : v;
    return (uint8_t *)memcpy(p, &wire, sizeof wire) + sizeof wire;
}
static inline uint8_t *iw_put64(uint8_t *p, uint64_t v)
{
    uint64_t wire = IW_SWAPS ? __builtin_bswap64(v) : v;
    return (uint8_t *)memcpy(p, &wire, sizeof wire) + sizeof wire;
}
static inline const uint8_t *iw_get8(const uint8_t *p, uint8_t *v)
{
    *v = *p;
    return p + 1;
}
static inline const uint8_t *iw_get16(const uint8_t *p, uint16_t *v)
{
    *v = (uint16_t)(p[0] << 8 | p[1]);
    return p + 2;
}
static inline const uint8_t *iw_get32(const uint8_t *p, uint32_t *v)
{
    *v = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    return p + 4;
}
static inline const uint8_t *iw_get64(const uint8_t *p, uint64_t *v)
{
    uint32_t high, low;
    p = iw_get32(iw_get32(p, &high), &low);
    *v = (uint64_t)high << 32 | low;
    return p;
}

/* A DDP header. rsvdulp: 8 bits tagged, 40 bits untagged, the ULP's own (RFC 5041 4.2, 4.3). */
struct ddp_head {
    bool tagged, last;
    uint8_t version; /* DV: 1, RDMAC 0 */
    uint64_t rsvdulp;
    uint32_t stag; /* tagged */
    uint64_t to;
    uint32_t qn, msn, mo; /* untagged */
};

/* Octets of the header that `h` makes: 14 or 18. */
static inline uint32_t ddp_head_size(const struct ddp_head *h)
{
    return h->tagged ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED;
}
/* Write it at `out` (IW_HEAD_MAX octets); the octets written. Reserved bits are 0 (DDP-4.1-9). */
uint32_t ddp_head_put(uint8_t *out, const struct ddp_head *h);
/* Read `len` octets; false when they are fewer than the header that the T bit asks for. Reserved bits are
 * ignored (DDP-4.1-10); the version is returned, not judged. */
bool ddp_head_get(const uint8_t *in, uint32_t len, struct ddp_head *h);

/* RDMAP opcodes (RFC 5040 figure 4; 8-11: RFC 7306). */
enum rdmap_opcode {
    RDMAP_WRITE,
    RDMAP_READ_REQ,
    RDMAP_READ_RESP,
    RDMAP_SEND,
    RDMAP_SEND_INV,
    RDMAP_SEND_SE,
    RDMAP_SEND_SE_INV,
    RDMAP_TERMINATE,
    RDMAP_IMMEDIATE,
    RDMAP_IMMEDIATE_SE,
    RDMAP_ATOMIC_REQ,
    RDMAP_ATOMIC_RESP,
    RDMAP_OPCODES
};

/* RDMAP control octet and Invalidate STag, as they ride in RsvdULP (RFC 5040 4.1). */
struct rdmap_ctl {
    uint8_t version; /* RV: 1, RDMAC 0 */
    uint8_t opcode;
    uint32_t inval_stag; /* untagged only */
};
static inline uint64_t rdmap_ctl_put(const struct rdmap_ctl *c, bool tagged) /* the RsvdULP value */
{
    uint64_t octet = (uint64_t)(c->version & 3) << 6 | (c->opcode & 15);
    return tagged ? octet : octet << 32 | c->inval_stag;
}
static inline void rdmap_ctl_get(uint64_t rsvdulp, bool tagged, struct rdmap_ctl *c)
{
    uint8_t octet = (uint8_t)(tagged ? rsvdulp : rsvdulp >> 32);
    c->version = octet >> 6;
    c->opcode = octet & 15;
    c->inval_stag = tagged ? 0 : (uint32_t)rsvdulp;
}

/* Of a header as it is on the wire: the L bit (RFC 5041 4.2), and the opcode in the octet behind it, tagged or not. */
static inline bool ddp_is_last(const uint8_t *head)
{
    return head[0] & 0x40;
}
static inline unsigned rdmap_opcode_of(const uint8_t *head)
{
    return head[1] & 15;
}

/* RDMA Read Request header (RFC 5040 4.4), IW_READ_REQ_SIZE octets. */
struct rdmap_read_req {
    uint32_t sink_stag;
    uint64_t sink_to;
    uint32_t size;
    uint32_t src_stag;
    uint64_t src_to;
};
void rdmap_read_req_put(uint8_t *out, const struct rdmap_read_req *r);
void rdmap_read_req_get(const uint8_t *in, struct rdmap_read_req *r);

/* Atomic Request header (RFC 7306 figure 4), IW_ATOMIC_REQ_SIZE octets. */
enum rdmap_atomic_code { RDMAP_FETCH_ADD = 0, RDMAP_CMP_SWAP = 2 };
struct rdmap_atomic_req {
    uint8_t code; /* enum rdmap_atomic_code, or what nobody defines */
    uint32_t request_id;
    uint32_t stag;
    uint64_t to;
    uint64_t data, mask;            /* to add or to swap in */
    uint64_t compare, compare_mask; /* CmpSwap */
};
void rdmap_atomic_req_put(uint8_t *out, const struct rdmap_atomic_req *r);
void rdmap_atomic_req_get(const uint8_t *in, struct rdmap_atomic_req *r);

/* Atomic Response header (RFC 7306 figure 6), IW_ATOMIC_RESP_SIZE octets. */
struct rdmap_atomic_resp {
    uint32_t request_id;
    uint64_t original; /* the value that was there */
};
void rdmap_atomic_resp_put(uint8_t *out, const struct rdmap_atomic_resp *r);
void rdmap_atomic_resp_get(const uint8_t *in, struct rdmap_atomic_resp *r);

/* Terminate header (RFC 5040 4.8). m: `segment_len` is valid; d: `head` is present; r: `read_req` is. */
struct rdmap_terminate {
    int term; /* IW_TERM(...) */
    bool m, d, r;
    uint16_t segment_len; /* the DDP segment, header and payload */
    uint8_t head_len;
    uint8_t head[IW_HEAD_MAX];
    uint8_t read_req[IW_READ_REQ_SIZE];
    uint8_t
        raw_len; /* read: the octets it was read from, for a host that knows its peer orders the bits otherwise */
    uint8_t raw[IW_TERM_MAX];
};
/* Write it at `out` (IW_TERM_MAX octets); the octets written. */
uint32_t rdmap_terminate_put(uint8_t *out, const struct rdmap_terminate *t);
/* Read `len` octets; false when a header that M, D or R promises is cut short (RDMAP-4.8-11); `raw` has the octets anyway. Octets beyond what
 * they promise are ignored: some senders fill unused fields with zero (conformance.md F10). */
bool rdmap_terminate_get(const uint8_t *in, uint32_t len, struct rdmap_terminate *t);

#ifdef __cplusplus
}
#endif
#endif
