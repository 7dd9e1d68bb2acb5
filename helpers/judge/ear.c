/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/ear.h"

bool ear_open(struct ear *e, const struct decode_sink *sink, int caller)
{
    static const struct decode_options options;
    *e = (struct ear){.seq = {1000, 2000}};
    e->decoder = decoder_new(&options, sink);
    if (!e->decoder)
        return false;
    ear_take(e, caller, TCP_SYN, NULL, 0);
    ear_take(e, 1 - caller, TCP_SYN | TCP_ACK, NULL, 0);
    ear_take(e, caller, TCP_ACK, NULL, 0);
    return true;
}

void ear_take(struct ear *e, int from, uint8_t flags, const uint8_t *octets, uint32_t len)
{
    enum { MS = 1000000 };
    static const struct capture_end ends[2] = {{{127, 0, 0, 1}, 4, 0, 40000}, {{127, 0, 0, 1}, 4, 0, 7174}};
    const struct capture_segment s = {.frame = ++e->frame,
                                      .time_ns = (int64_t)(e->frame * MS),
                                      .source = ends[from],
                                      .target = ends[1 - from],
                                      .seq = e->seq[from],
                                      .ack = e->seq[1 - from],
                                      .flags = flags,
                                      .window = 65535,
                                      .shift = -1,
                                      .checksum = CAPTURE_CHECKSUM_GOOD,
                                      .octets = octets,
                                      .len = len};
    decoder_hear(e->decoder, &s);
    e->seq[from] += len + (flags & (TCP_SYN | TCP_FIN) ? 1 : 0);
}

void ear_hear_peer(struct ear *e, const uint8_t *octets, int got)
{
    uint8_t ends = got == PEER_FIN ? TCP_FIN : got == PEER_LOST ? TCP_RST : 0;
    if (got != PEER_NOTHING)
        ear_take(e, EAR_PEER, ends | TCP_ACK, octets, got > 0 ? (uint32_t)got : 0);
}

void ear_close(struct ear *e)
{
    if (e->decoder)
        decoder_end(e->decoder, NULL, NULL);
    e->decoder = NULL;
}
