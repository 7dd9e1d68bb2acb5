/* SPDX-License-Identifier: GPL-2.0-or-later */
/* framed.h -- a hostile stream as a TCP connection brings it: FPDUs with CRC, with markers or without, some of whose
 * octets were altered on the way, in pieces of any size. */
#ifndef IW_LAWS_FRAMED_H
#define IW_LAWS_FRAMED_H

#include "hostile.h"

enum { FRAMED_OCTETS = STREAM_MAX * (STREAM_OCTETS + 16) };

struct framed {
    unsigned flags; /* MPA_CRC, and MPA_MARKERS or not */
    uint32_t len;
    uint8_t octets[FRAMED_OCTETS];
};

/* Frame the segments; with `alter` up to three bits are not what was sent, most of them in lengths. */
void framed_draw(struct framed *f, const struct stream *s, uint64_t seed, bool alter);
/* The victim hears it in order, or in pieces that come in any order, overlap and repeat. Returns whether it took or
 * refused all of it: an altered length can make it wait for octets that never come. */
bool framed_hear(struct victim *v, const struct framed *f, const struct presentation *p, struct outcome *o);

#endif
