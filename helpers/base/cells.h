/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells.h -- numbers as text, for the rows of traces and series, which are many: eight digits at a time, in place. */
#ifndef HELPERS_BASE_CELLS_H
#define HELPERS_BASE_CELLS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Of a number that is not there: its cell is empty. */
#define CELL_EMPTY UINT64_MAX
enum { CELL_MOST = 21 }; /* octets that any of these writes, a comma among them */

/* ---- a number at two places, `p` and `q`, each of CELL_MOST octets: how long it is ---- */

enum { CELLS_EIGHT = 8 };
#define CELLS_E8 UINT64_C(100000000)

/* A number below 10^8 as eight octets, the first digit lowest: halves, pairs and digits side by side, each divided by a product. */
static inline uint64_t cells_eight_digits(uint32_t n)
{
    uint64_t x = n / 10000 | (uint64_t)(n % 10000) << 32;
    uint64_t hundreds = x * 10486 >> 20 & 0x7f0000007f;
    x = hundreds | (x - 100 * hundreds) << 16;
    uint64_t tenths = x * 103 >> 10 & 0xf000f000f000f;
    return tenths | (x - 10 * tenths) << 8;
}

/* Octets of `text`, the lowest one first. */
static inline void cells_put_octets(char *p, uint64_t text, size_t count)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    text = __builtin_bswap64(text);
#endif
    memcpy(p, &text, count);
}

static inline void cells_put_digits(char *p, uint64_t digits, size_t count)
{
    cells_put_octets(p, digits | 0x3030303030303030, count);
}

size_t cells_large_twice(char *p, char *q, uint64_t n);

/* The zeros in front go, but for one that is alone. */
static inline size_t cells_twice(char *p, char *q, uint64_t n)
{
    if (n >= CELLS_E8)
        return cells_large_twice(p, q, n);
    uint64_t digits = cells_eight_digits((uint32_t)n), last = UINT64_C(1) << 8 * (CELLS_EIGHT - 1);
    size_t zeros = (size_t)__builtin_ctzll(digits | last) / 8;
    cells_put_digits(p, digits >> 8 * zeros, CELLS_EIGHT);
    cells_put_digits(q, digits >> 8 * zeros, CELLS_EIGHT);
    return CELLS_EIGHT - zeros;
}

/* Eight hexadecimal digits. */
static inline void cells_hex_twice(char *p, char *q, uint32_t n)
{
    uint64_t x = n;
    x = (x << 32 | x >> 16) & 0x0000ffff0000ffff;
    x = (x << 16 | x >> 8) & 0x00ff00ff00ff00ff;
    x = (x << 8 | x >> 4) & 0x0f0f0f0f0f0f0f0f;
    x += ((x + 0x0606060606060606) >> 4 & 0x0101010101010101) * ('a' - '9' - 1);
    x += 0x3030303030303030;
    cells_put_octets(p, x, CELLS_EIGHT);
    cells_put_octets(q, x, CELLS_EIGHT);
}

/* ---- at one ---- */

/* The number at `p`; what comes behind it. */
char *cells_number(char *p, uint64_t n);
/* A comma and the number, or a comma alone: CELL_EMPTY. */
char *cells_put(char *p, uint64_t n);
/* Millionths as ones: at most six decimals, none of them a 0 at the end. */
char *cells_decimal(char *p, uint64_t millionths);
/* A comma and that. */
char *cells_millionths(char *p, double millionths);

#endif
