/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "engine/wire.h"

#include <string.h>

#include "engine/term.h"

_Static_assert(IW_HEAD_TAGGED == 2 + 4 + 8, "control, STag, TO: RFC 5041 4.2");
_Static_assert(IW_HEAD_UNTAGGED == 2 + 4 + 4 + 4 + 4, "control, RsvdULP, QN, MSN, MO: RFC 5041 4.3");
_Static_assert(IW_READ_REQ_SIZE == 4 + 8 + 4 + 4 + 8,
               "sink STag, sink TO, size, source STag, source TO: RFC 5040 4.4");
_Static_assert(IW_ATOMIC_REQ_SIZE == 3 * 4 + 5 * 8,
               "operation, request identifier, STag; TO, data, mask, compare data, mask: RFC 7306 5.2.1");
_Static_assert(IW_ATOMIC_RESP_SIZE == 4 + 8, "request identifier, original value: RFC 7306 5.2.2");

enum { CTL_TAGGED = 0x80, CTL_LAST = 0x40, CTL_VERSION = 0x03 };
enum { TERM_M = 0x80, TERM_D = 0x40, TERM_R = 0x20 };

void iw_seg_view(struct iw_seg *seg, uint64_t key, const void *octets, uint32_t len)
{
    const uint8_t *p = octets;
    uint32_t head = len && p[0] & CTL_TAGGED ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED;
    if (head > len)
        head = len;
    seg->key = key;
    seg->head_len = (uint8_t)head;
    seg->payload_len = len - head;
    seg->frags = 1;
    if (len >= IW_HEAD_MAX)
        memcpy(seg->head, p,
               IW_HEAD_MAX); /* a constant length is two moves; octets beyond head_len mean nothing */
    else if (head == IW_HEAD_TAGGED)
        memcpy(seg->head, p, IW_HEAD_TAGGED);
    else if (head)
        memcpy(seg->head, p, head);
    seg->frag[0] = (struct iw_frag){head < len ? p + head : NULL, len - head};
}

uint32_t ddp_head_put(uint8_t *out, const struct ddp_head *h)
{
    uint8_t *p = iw_put8(
        out, (uint8_t)((h->tagged ? CTL_TAGGED : 0) | (h->last ? CTL_LAST : 0) | (h->version & CTL_VERSION)));
    if (h->tagged) {
        iw_put64(iw_put32(iw_put8(p, (uint8_t)h->rsvdulp), h->stag), h->to);
        return IW_HEAD_TAGGED;
    }
    p = iw_put32(iw_put8(p, (uint8_t)(h->rsvdulp >> 32)), (uint32_t)h->rsvdulp);
    iw_put32(iw_put32(iw_put32(p, h->qn), h->msn), h->mo);
    return IW_HEAD_UNTAGGED;
}

bool ddp_head_get(const uint8_t *in, uint32_t len, struct ddp_head *h)
{
    if (len < 1)
        return false;
    h->tagged = in[0] & CTL_TAGGED;
    h->last = in[0] & CTL_LAST;
    h->version = in[0] & CTL_VERSION;
    if (len < ddp_head_size(h))
        return false;
    h->rsvdulp = in[1];
    if (h->tagged) {
        iw_get64(iw_get32(in + 2, &h->stag), &h->to);
        h->qn = h->msn = h->mo = 0;
        return true;
    }
    uint32_t low;
    const uint8_t *p = iw_get32(in + 2, &low);
    h->rsvdulp = h->rsvdulp << 32 | low;
    iw_get32(iw_get32(iw_get32(p, &h->qn), &h->msn), &h->mo);
    h->stag = 0;
    h->to = 0;
    return true;
}

void rdmap_read_req_put(uint8_t *out, const struct rdmap_read_req *r)
{
    uint8_t *p = iw_put32(iw_put64(iw_put32(out, r->sink_stag), r->sink_to), r->size);
    iw_put64(iw_put32(p, r->src_stag), r->src_to);
}

void rdmap_read_req_get(const uint8_t *in, struct rdmap_read_req *r)
{
    const uint8_t *p = iw_get32(iw_get64(iw_get32(in, &r->sink_stag), &r->sink_to), &r->size);
    iw_get64(iw_get32(p, &r->src_stag), &r->src_to);
}

void rdmap_atomic_req_put(uint8_t *out, const struct rdmap_atomic_req *r)
{
    uint8_t *p = iw_put32(iw_put32(iw_put32(out, r->code & 15u), r->request_id), r->stag);
    p = iw_put64(iw_put64(iw_put64(p, r->to), r->data), r->mask);
    iw_put64(iw_put64(p, r->compare), r->compare_mask);
}

void rdmap_atomic_req_get(const uint8_t *in, struct rdmap_atomic_req *r)
{
    uint32_t code;
    const uint8_t *p = iw_get32(iw_get32(iw_get32(in, &code), &r->request_id), &r->stag);
    p = iw_get64(iw_get64(iw_get64(p, &r->to), &r->data), &r->mask);
    iw_get64(iw_get64(p, &r->compare), &r->compare_mask);
    r->code = code & 15; /* the other bits are reserved: ignored */
}

void rdmap_atomic_resp_put(uint8_t *out, const struct rdmap_atomic_resp *r)
{
    iw_put64(iw_put32(out, r->request_id), r->original);
}

void rdmap_atomic_resp_get(const uint8_t *in, struct rdmap_atomic_resp *r)
{
    iw_get64(iw_get32(in, &r->request_id), &r->original);
}

uint32_t rdmap_terminate_put(uint8_t *out, const struct rdmap_terminate *t)
{
    uint8_t *p = iw_put16(out, (uint16_t)t->term);
    p = iw_put8(p, (uint8_t)((t->m ? TERM_M : 0) | (t->d ? TERM_D : 0) | (t->r ? TERM_R : 0)));
    p = iw_put8(p, 0);
    if (t->m || t->d)
        p = iw_put16(p, t->segment_len);
    if (t->d) {
        memcpy(p, t->head, t->head_len);
        p += t->head_len;
    }
    if (t->r) {
        memcpy(p, t->read_req, IW_READ_REQ_SIZE);
        p += IW_READ_REQ_SIZE;
    }
    return (uint32_t)(p - out);
}

bool rdmap_terminate_get(const uint8_t *in, uint32_t len, struct rdmap_terminate *t)
{
    uint16_t value;
    uint8_t bits;
    *t = (struct rdmap_terminate){.raw_len = (uint8_t)(len < IW_TERM_MAX ? len : IW_TERM_MAX)};
    memcpy(t->raw, in, t->raw_len);
    if (len < 4)
        return false;
    iw_get8(iw_get16(in, &value), &bits);
    t->term = 1 << 16 | value;
    t->m = bits & TERM_M;
    t->d = bits & TERM_D;
    t->r = bits & TERM_R;
    in += 4;
    len -= 4;
    if (t->m || t->d) {
        if (len < 2)
            return false;
        in = iw_get16(in, &t->segment_len);
        len -= 2;
    }
    if (t->d) {
        uint32_t head = len && in[0] & CTL_TAGGED ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED;
        if (len < head)
            return false;
        memcpy(t->head, in, head);
        t->head_len = (uint8_t)head;
        in += head;
        len -= head;
    }
    if (t->r) {
        if (len < IW_READ_REQ_SIZE)
            return false;
        memcpy(t->read_req, in, IW_READ_REQ_SIZE);
    }
    return true;
}
