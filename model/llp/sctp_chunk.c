/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sctp_chunk.c -- octets <-> chunks and parameters (RFC 9260 3.2, 3.2.1); bitmaps of TSNs. */
#include "llp/sctp_inner.h"

#include <string.h>

#include "engine/law.h"

/* Octets of the chunk that are there: all, or for DATA without payload its head and the first octets. */
static uint32_t carried(uint8_t type, uint32_t full, uint32_t head_max)
{
    uint32_t most = SCTP_DATA_HEAD + head_max;
    return type == SCTP_DATA && head_max && full > most ? most : full;
}

uint32_t chunk_get(const uint8_t *p, uint32_t len, uint32_t head_max, struct sctp_tlv *chunk)
{
    uint16_t full;
    uint8_t type;
    if (len < CHUNK_HEAD)
        return 0;
    iw_get16(iw_get8(iw_get8(p, &type), &chunk->flags), &full);
    if (full < CHUNK_HEAD)
        return 0;
    chunk->at = p;
    chunk->type = type;
    chunk->full = full;
    chunk->len = carried(type, full, head_max);
    if (chunk->len > len)
        return 0;
    LAW(chunk->len <= chunk->full);
    return padded(chunk->len) < len ? padded(chunk->len) : len;
}

uint32_t param_get(const uint8_t *p, uint32_t len, struct sctp_tlv *param)
{
    uint16_t full;
    if (len < PARAM_HEAD)
        return 0;
    iw_get16(iw_get16(p, &param->type), &full);
    if (full < PARAM_HEAD || full > len)
        return 0;
    param->at = p;
    param->flags = 0;
    param->len = param->full = full;
    return padded(full) < len ? padded(full) : len;
}

uint8_t *chunk_put(uint8_t *out, uint8_t type, uint8_t flags, uint32_t len)
{
    return iw_put16(iw_put8(iw_put8(out, type), flags), (uint16_t)len);
}

uint8_t *param_put(uint8_t *out, uint16_t type, uint32_t len)
{
    return iw_put16(iw_put16(out, type), (uint16_t)len);
}

static uint32_t lowest_bit(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word);
}

uint32_t bit_find(const struct sctp_bits *b, uint32_t from, uint32_t to, bool set)
{
    while (from != to) {
        uint64_t word = b->word[(from & b->mask) / 64];
        word = (set ? word : ~word) >> (from & 63);
        uint32_t here = 64 - (from & 63), left = to - from;
        if (word) {
            uint32_t n = lowest_bit(word);
            LAW(bit_is(b, from + n) == set);
            return n < left ? from + n : to;
        }
        from = here < left ? from + here : to;
    }
    return to;
}
