/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_sctp.c -- a life of an association, as the input tells it: packets that are nearly right, messages to
 * send, time.
 *
 * Input: 1 octet of configuration, 1 octet: the state at the start, then steps of 4 octets {what, a, b, c}.
 * Laws: those of sctp_scene.c after every step; what is queued is acknowledged at most once; the association
 * ends at most once.
 */
#include <stdlib.h>
#include <string.h>

#include "validation/fuzz/sctp_scene.h"

static void data_came(struct scene *s, const uint8_t *x)
{
    uint8_t chunk[16 + 40] = {SCTP_DATA, (uint8_t)(x[0] >> 5 | DATA_BEGIN | DATA_END)};
    uint32_t len = 1 + x[1] % 40;
    iw_put16(chunk + 2, (uint16_t)(16 + len));
    uint8_t *p = iw_put32(chunk + 4, s->a->rx.cum + x[2] % 70 - 2);
    iw_put32(iw_put16(iw_put16(p, x[1] >> 6), x[0] >> 3 & 3), 16);
    scene_deliver(s, s->a->tag, chunk, padded(16 + len), x[2] & 128 ? x[1] : 0);
}

static void sack_came(struct scene *s, const uint8_t *x)
{
    uint8_t chunk[16 + 8] = {SCTP_SACK, 0, 0, 24};
    uint8_t *p = iw_put32(chunk + 4, s->a->tx.una + x[0] % 16 - 2);
    p = iw_put16(iw_put16(iw_put32(p, x[1] & 1 ? 4000 : 0), 2), 0);
    uint16_t first = 2 + (x[1] >> 4), last = (uint16_t)(first + (x[1] >> 1 & 7)),
             second = (uint16_t)(last + 2 + (x[2] & 7));
    iw_put16(iw_put16(iw_put16(iw_put16(p, first), last), second), (uint16_t)(second + (x[2] >> 4)));
    scene_deliver(s, s->a->tag, chunk, sizeof chunk, 0);
}

static void forward_came(struct scene *s, const uint8_t *x)
{
    uint8_t chunk[16] = {SCTP_FORWARD_TSN, 0, 0, 16};
    uint8_t *p = iw_put32(chunk + 4, s->a->rx.cum + x[0] % 16 - 2);
    iw_put16(iw_put16(iw_put16(iw_put16(p, x[1] & 3), x[1] >> 2), x[2] & 3), x[2] >> 2);
    scene_deliver(s, s->a->tag, chunk, sizeof chunk, 0);
}

static void control_came(struct scene *s, const uint8_t *x)
{
    static const uint8_t types[] = {SCTP_SHUTDOWN,   SCTP_SHUTDOWN_ACK, SCTP_SHUTDOWN_COMPLETE,
                                    SCTP_COOKIE_ACK, SCTP_ABORT,        SCTP_ERROR,
                                    SCTP_HEARTBEAT,  SCTP_HEARTBEAT_ACK};
    uint8_t chunk[8] = {types[x[0] & 7], x[0] >> 7, 0, x[1] & 1 ? 8 : 4};
    iw_put32(chunk + 4, s->a->tx.una - 1);
    scene_deliver(s, x[1] & 2 ? SCENE_PEER_TAG : s->a->tag, chunk, chunk[3], 0);
}

static void queue(struct scene *s, const uint8_t *x)
{
    struct iw_frag frag = {NULL, 1 + (uint32_t)x[1] * 2};
    struct sctp_out out = {.ppid = 16,
                           .stream = x[0] & 3,
                           .unordered = x[0] & 4,
                           .retransmits = x[0] & 8 ? SCTP_RELIABLE : x[2] & 3,
                           .at_once = x[0] & 16,
                           .frags = 1,
                           .frag = &frag};
    sctp_send(s->a, s->now, &out);
}

static void pass_time(struct scene *s, const uint8_t *x)
{
    iw_time due = sctp_deadline(s->a);
    s->now += (iw_time)x[0] << (x[1] & 31);
    if (x[2] & 1 && due != IW_NEVER && due > s->now)
        s->now = due;
    sctp_expire(s->a, s->now);
}

static void act(struct scene *s, const uint8_t *x)
{
    if (x[0] & 64)
        sctp_credit(s->a, s->now, (uint32_t)x[1] * 64);
    else if (x[0] == 1)
        sctp_abort(s->a, s->now);
    else if (x[0] < 8)
        sctp_shutdown(s->a, s->now);
}

static void hear(struct scene *s, uint32_t *ends)
{
    struct sctp_event e;
    while (sctp_event(s->a, &e))
        *ends += e.kind >= SCTP_EV_DOWN;
    if (*ends > 1)
        abort();
    for (uint16_t i = 0; i < s->a->conf.streams; i++)
        if (sctp_acked(s->a, i) > sctp_queued(s->a, i))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    typedef void step(struct scene *, const uint8_t *);
    static step *const steps[] = {data_came, sack_came, forward_came, control_came,
                                  queue,     queue,     pass_time,    act};
    struct scene s;
    uint32_t ends = 0;
    if (size < 2 || size > 4096)
        return 0;
    scene_open(&s, data[0], (enum sctp_state)(data[1] % SCTP_STATES));
    for (size_t at = 2; at + 4 <= size; at += 4) {
        steps[data[at] & 7](&s, data + at + 1);
        for (int i = data[at] >> 5; i > 0; i--)
            scene_transmit(&s);
        scene_check(&s);
        hear(&s, &ends);
    }
    scene_close(&s);
    return 0;
}
