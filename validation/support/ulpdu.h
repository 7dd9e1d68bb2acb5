/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IW_SUPPORT_ULPDU_H
#define IW_SUPPORT_ULPDU_H

#include <string.h>

#include "llp/mpa.h"

/* The octets of an FPDU's ULPDU as DDP sees them, in one piece in `out`. Returns how many: f->len, unless the receiver is
 * length-only. */
static inline uint32_t ulpdu_octets(const struct mpa_fpdu *f, uint8_t *out)
{
    struct iw_seg seg;
    mpa_seg(f, &seg);
    uint32_t n = seg.head_len;
    memcpy(out, seg.head, n);
    for (uint32_t i = 0; i < seg.frags; i++) {
        if (!seg.frag[i].octets)
            continue;
        memcpy(out + n, seg.frag[i].octets, seg.frag[i].len);
        n += seg.frag[i].len;
    }
    return n;
}

#endif
