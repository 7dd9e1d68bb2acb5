/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_wire.c -- any octets as DDP and RDMAP headers: nothing is read beyond its end, and what was read and
 * is written again reads the same.
 *
 * Input: the octets of one ULPDU; as a Terminate, a Read Request and control words they are read as well. */
#include <stdlib.h>
#include <string.h>

#include "engine/term.h"
#include "engine/wire.h"

enum { DDP_RESERVED = 0x3c, RDMAP_RESERVED = 0x30 };

static void must(bool law)
{
    if (!law)
        abort();
}

/* Input in a block of its own, so that the sanitizer sees every octet read beyond it. */
static uint8_t *copy_of(const uint8_t *in, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    must(copy);
    if (len)
        memcpy(copy, in, len);
    return copy;
}

/* checks: DDP-4.1-9 DDP-4.1-10 */
static void ddp_header(const uint8_t *in, uint32_t len)
{
    struct ddp_head h, again;
    uint8_t out[IW_HEAD_MAX];
    bool read = ddp_head_get(in, len, &h);
    must(read == (len > 0 && len >= (in[0] & 0x80 ? (uint32_t)IW_HEAD_TAGGED : (uint32_t)IW_HEAD_UNTAGGED)));
    if (!read)
        return;
    uint32_t n = ddp_head_put(out, &h);
    must(n == ddp_head_size(&h) && n <= len);
    must(out[0] == (in[0] & ~DDP_RESERVED));
    must(!memcmp(out + 1, in + 1, n - 1));
    must(ddp_head_get(out, n, &again) && again.tagged == h.tagged && again.last == h.last &&
         again.to == h.to && again.mo == h.mo && again.rsvdulp == h.rsvdulp);
}

static void rdmap_control(const uint8_t *in, uint32_t len)
{
    struct ddp_head h;
    struct rdmap_ctl c;
    if (!ddp_head_get(in, len, &h))
        return;
    rdmap_ctl_get(h.rsvdulp, h.tagged, &c);
    must(c.version < 4 && c.opcode < 16);
    uint64_t reserved = h.tagged ? RDMAP_RESERVED : (uint64_t)RDMAP_RESERVED << 32;
    must(rdmap_ctl_put(&c, h.tagged) == (h.rsvdulp & ~reserved));
}

static void read_request(const uint8_t *in, uint32_t len)
{
    struct rdmap_read_req r;
    uint8_t out[IW_READ_REQ_SIZE];
    if (len < IW_READ_REQ_SIZE)
        return;
    rdmap_read_req_get(in, &r);
    rdmap_read_req_put(out, &r);
    must(!memcmp(in, out, sizeof out));
}

static void check_terminate(const struct rdmap_terminate *t)
{
    struct rdmap_terminate again;
    uint8_t out[IW_TERM_MAX];
    uint32_t n = rdmap_terminate_put(out, t);
    must(n >= 4 && n <= IW_TERM_MAX);
    must(rdmap_terminate_get(out, n, &again));
    must(again.term == t->term && again.m == t->m && again.d == t->d && again.r == t->r);
    must(!t->d || (again.head_len == t->head_len && !memcmp(again.head, t->head, t->head_len)));
    must(!t->m || again.segment_len == t->segment_len);
    must(!t->r || !memcmp(again.read_req, t->read_req, sizeof t->read_req));
}

/* checks: RDMAP-4.8-1 RDMAP-4.8-11 */
static void terminate(const uint8_t *in, uint32_t len)
{
    struct rdmap_terminate t;
    memset(&t, 0, sizeof t);
    bool whole = rdmap_terminate_get(in, len, &t);
    must(t.head_len <= IW_HEAD_MAX);
    must(!whole || len >= 4);
    if (whole)
        check_terminate(&t);
}

static void segment(const uint8_t *in, uint32_t len)
{
    struct iw_seg seg;
    uint32_t octets = 0;
    iw_seg_view(&seg, 7, in, len);
    must(seg.key == 7 && seg.head_len <= IW_HEAD_MAX && seg.frags <= IW_FRAGS_MAX);
    must(seg.head_len + seg.payload_len == len);
    must(!memcmp(seg.head, in, seg.head_len));
    for (int i = 0; i < seg.frags; i++)
        octets += seg.frag[i].len;
    must(octets == seg.payload_len);
    must(!octets || seg.frag[0].octets == in + seg.head_len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096)
        return -1;
    uint8_t *in = copy_of(data, size);
    uint32_t len = (uint32_t)size;
    segment(in, len);
    ddp_header(in, len);
    rdmap_control(in, len);
    read_request(in, len);
    terminate(in, len);
    free(in);
    return 0;
}
