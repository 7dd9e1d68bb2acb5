/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_sctp_ddp.c -- any messages to the adaptation of RFC 5043, and a ULP that does what it likes.
 *
 * Input: 1 octet of configuration, then steps of 4 octets {what, a, b, c}. Laws: an edge moves to the right
 * only; a segment is handed up once, and again only if it was kept; no segment without a session; what is
 * sent has no gap in its DDP-SSNs.
 */
#include <stdlib.h>
#include <string.h>

#include "validation/fuzz/sctp_scene.h"
#include "validation/support/sctp_sessions.h"

enum { STREAMS = 3, KEYS = 1 << 16 };

struct watch {
    struct scene s;
    struct sctp_ddp *d;
    uint64_t edge[STREAMS];
    uint8_t given[STREAMS][KEYS / 8], kept[STREAMS][KEYS / 8];
    enum sctp_ddp_state state[STREAMS];
};

static struct watch w;

static void must(bool law)
{
    if (!law)
        abort();
}

/* A session that ended, or began, starts the count again. */
static void look(uint16_t stream)
{
    enum sctp_ddp_state now = sctp_ddp_state(w.d, stream);
    if (w.state[stream] == SCTP_DDP_CLOSED || now == SCTP_DDP_CLOSED) {
        memset(w.given[stream], 0, sizeof w.given[stream]);
        memset(w.kept[stream], 0, sizeof w.kept[stream]);
        w.edge[stream] = 0;
    }
    w.state[stream] = now;
}

static void read_segments(uint16_t stream, uint8_t lot)
{
    struct llp_segment in;
    for (int i = 0; sctp_ddp_next(w.d, stream, &in); i++) {
        uint64_t key = in.seg.key;
        uint8_t bit = (uint8_t)(1u << key % 8), *given = &w.given[stream][key % KEYS / 8],
                *kept = &w.kept[stream][key % KEYS / 8];
        must(sctp_ddp_state(w.d, stream) == SCTP_DDP_OPEN || sctp_ddp_state(w.d, stream) == SCTP_DDP_ENDING);
        must(in.again ? *kept & bit : !(*given & bit));
        must(!in.again || in.in_order);
        must(!in.late || in.in_order);
        *given |= bit;
        *kept &= (uint8_t)~bit;
        if (!(lot >> (i & 7) & 1))
            continue;
        int result = sctp_ddp_keep(w.d, stream);
        must(result == IW_OK || (result == IW_EFULL && !in.again));
        if (result == IW_OK)
            *kept |= bit;
        else
            *given &= (uint8_t)~bit;
        if (in.again)
            break; /* there is no buffer */
    }
    uint64_t edge = sctp_ddp_edge(w.d, stream);
    must(edge >= w.edge[stream]);
    w.edge[stream] = edge;
}

static void message_came(const uint8_t *x)
{
    uint8_t octets[80] = {0};
    uint16_t stream = x[0] % STREAMS;
    uint32_t len = 1 + x[1] % 40;
    struct sctp_in in = {.ppid = x[0] & 4   ? 16
                                 : x[0] & 8 ? 17
                                            : x[1],
                         .stream = stream,
                         .len = len,
                         .kept = len};
    struct sctp_ddp_told told;
    uint16_t ssn = (uint16_t)(w.edge[stream] + (uint64_t)(x[2] % 24) - (x[2] & 128 ? 3 : 0));
    if (x[0] & 8 && !(x[0] & 4))
        in.len = in.kept = len = x[0] & 16 ? 4 : len;
    iw_put16(iw_put16(octets, ssn), x[0] >> 5);
    in.octets = octets;
    in.fresh = in.unordered = true;
    look(stream);
    sctp_ddp_advance(w.d);
    enum sctp_ddp_what what = sctp_ddp_receive(w.d, w.s.now, &in, &told);
    must(told.private_len <= SCTP_DDP_PRIVATE_MAX);
    look(stream);
    if (what != SCTP_DDP_REFUSED)
        read_segments(stream, x[1]);
}

static void ulp_acts(const uint8_t *x)
{
    uint16_t stream = x[0] % STREAMS;
    struct iw_seg seg = {.payload_len = 4, .head_len = 14, .frags = 1, .frag = {{NULL, 4}}};
    look(stream);
    switch (x[1] & 7) {
    case 0: sctp_ddp_initiate(w.d, w.s.now, stream, "private", x[2] & 7); break;
    case 1: sctp_ddp_decide(w.d, w.s.now, stream, SCTP_DDP_ACCEPT, "private", x[2] & 7); break;
    case 2: sctp_ddp_decide(w.d, w.s.now, stream, SCTP_DDP_REJECT, "private", x[2] & 7); break;
    case 3: sctp_ddp_terminate(w.d, w.s.now, stream); break;
    case 4: sctp_ddp_again(w.d, stream); break;
    case 5:
        seg.key = sctp_ddp_key(w.d, stream);
        must(sctp_ddp_send(w.d, w.s.now, stream, &seg, LLP_RIGHT) != IW_OK ||
             sctp_ddp_key(w.d, stream) == seg.key + 1);
        break;
    default: break;
    }
    look(stream);
    read_segments(stream, x[2]);
}

/* The peer acknowledges what was sent, or some of it. */
static void acknowledged(const uint8_t *x)
{
    uint8_t chunk[16] = {SCTP_SACK, 0, 0, 16};
    scene_transmit(&w.s);
    iw_put32(iw_put32(chunk + 4, w.s.a->tx.next - 1 - (x[0] & 3)), 1 << 16);
    scene_deliver(&w.s, w.s.a->tag, chunk, sizeof chunk, 0);
    sctp_ddp_note_acked(w.d, w.s.now);
    for (uint16_t i = 0; i < STREAMS; i++)
        look(i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    typedef void step(const uint8_t *);
    static step *const steps[] = {message_came, message_came, message_came, ulp_acts, ulp_acts, acknowledged};
    struct sctp_ddp_conf conf = {.streams = STREAMS, .reorder = 64, .keep = 3, .pending = 2, .reserve = 16};
    if (size < 1 || size > 4096)
        return 0;
    memset(&w, 0, sizeof w);
    scene_open(&w.s, data[0] & (1 | 8), SCTP_ESTABLISHED);
    conf.shut_down = data[0] & 2;
    w.d = sctp_sessions_new(&conf, &w.s.a->conf, w.s.a);
    for (size_t at = 1; at + 4 <= size; at += 4)
        steps[data[at] % 6](data + at + 1);
    free(w.d);
    scene_close(&w.s);
    return 0;
}
