/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/tap.h"

#include <string.h>

enum { EMSS = 1460, HEARD_MAX = 64 << 10 };

bool tap_open(struct tap *t, const struct judge_peer *peer, const struct decode_sink *sink, int caller)
{
    static const struct decode_options options;
    *t = (struct tap){.peer = peer, .is = MPA_FRAME_MORE, .seq = {1000, 2000}};
    t->decoder = decoder_new(&options, sink);
    if (!t->decoder)
        return false;
    tap_hear(t, caller, TCP_SYN, NULL, 0);
    tap_hear(t, 1 - caller, TCP_SYN | TCP_ACK, NULL, 0);
    tap_hear(t, caller, TCP_ACK, NULL, 0);
    return true;
}

void tap_hear(struct tap *t, int from, uint8_t flags, const uint8_t *octets, uint32_t len)
{
    enum { MS = 1000000 };
    static const struct capture_end ends[2] = {{{127, 0, 0, 1}, 4, 0, 40000}, {{127, 0, 0, 1}, 4, 0, 7174}};
    const struct capture_segment s = {.frame = ++t->frame,
                                      .time_ns = (int64_t)(t->frame * MS),
                                      .source = ends[from],
                                      .target = ends[1 - from],
                                      .seq = t->seq[from],
                                      .ack = t->seq[1 - from],
                                      .flags = flags,
                                      .window = 65535,
                                      .shift = -1,
                                      .checksum = CAPTURE_CHECKSUM_GOOD,
                                      .octets = octets,
                                      .len = len};
    decoder_hear(t->decoder, &s);
    t->seq[from] += len + (flags & (TCP_SYN | TCP_FIN) ? 1 : 0);
}

void tap_send(struct tap *t, const uint8_t *octets, uint32_t len)
{
    tap_hear(t, TAP_US, TCP_ACK, octets, len);
    t->peer->send(t->peer->context, octets, len);
}

bool tap_listen(struct tap *t, unsigned ms)
{
    static uint8_t octets[HEARD_MAX];
    uint32_t size;
    int got = t->ended ? PEER_NOTHING : t->peer->hear(t->peer->context, octets, sizeof octets, ms);
    uint32_t len = got > 0 ? (uint32_t)got : 0;
    uint8_t ends = got == PEER_FIN ? TCP_FIN : got == PEER_LOST ? TCP_RST : 0;
    if (got == PEER_NOTHING)
        return false;
    t->ended = got < 0;
    tap_keep(t->start, &t->start_len, sizeof t->start, octets, len);
    t->is = mpa_frame_get(t->start, t->start_len, &t->theirs, &size);
    t->framed = t->is != MPA_FRAME_MORE;
    tap_hear(t, TAP_PEER, ends | TCP_ACK, octets, len);
    return true;
}

void tap_begin(struct tap *t, const struct mpa_frame *ours)
{
    unsigned crc = ours->crc || t->theirs.crc ? MPA_CRC : 0;
    mpa_tx_init(&t->tx, crc | (t->theirs.markers ? MPA_MARKERS : 0u), EMSS);
}

void tap_keep(uint8_t *to, uint32_t *have, uint32_t most, const uint8_t *octets, uint32_t len)
{
    uint32_t room = most - *have, n = len < room ? len : room;
    if (n)
        memcpy(to + *have, octets, n);
    *have += n;
}

void tap_close(struct tap *t)
{
    if (t->decoder)
        decoder_end(t->decoder, NULL, NULL);
    t->decoder = NULL;
}
