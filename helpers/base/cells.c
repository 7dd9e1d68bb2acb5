/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/cells.h"

#include <string.h>

enum { EIGHT = 8 };
static const uint64_t E6 = 1000000, E8 = 100000000;

/* A number below 10^8 as eight octets, the first digit lowest: halves, pairs and digits side by side, each divided by a product. */
static uint64_t eight_digits(uint32_t n)
{
    uint64_t x = n / 10000 | (uint64_t)(n % 10000) << 32;
    uint64_t hundreds = x * 10486 >> 20 & 0x7f0000007f;
    x = hundreds | (x - 100 * hundreds) << 16;
    uint64_t tenths = x * 103 >> 10 & 0xf000f000f000f;
    return tenths | (x - 10 * tenths) << 8;
}

static inline void put_digits(char *p, uint64_t digits, size_t count)
{
    digits |= 0x3030303030303030;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    digits = __builtin_bswap64(digits);
#endif
    memcpy(p, &digits, count);
}

/* The zeros in front go. */
static inline char *put_few(char *p, uint32_t n)
{
    uint64_t digits = eight_digits(n);
    int zeros = __builtin_ctzll(digits | UINT64_C(1) << 8 * (EIGHT - 1)) / 8; /* but for one that is alone */
    put_digits(p, digits >> 8 * zeros, EIGHT);
    return p + EIGHT - zeros;
}

char *cells_number(char *p, uint64_t n)
{
    if (n < E8)
        return put_few(p, (uint32_t)n);
    p = cells_number(p, n / E8);
    put_digits(p, eight_digits((uint32_t)(n % E8)), EIGHT);
    return p + EIGHT;
}

char *cells_put(char *p, uint64_t n)
{
    *p++ = ',';
    return n == CELL_EMPTY ? p : cells_number(p, n);
}

char *cells_decimal(char *p, uint64_t millionths)
{
    enum { DECIMALS = 6 };
    uint64_t part = millionths % E6;
    p = cells_number(p, millionths / E6);
    if (!part)
        return p;
    *p++ = '.';
    put_digits(p, eight_digits((uint32_t)part) >> 8 * (EIGHT - DECIMALS), DECIMALS);
    for (p += DECIMALS; p[-1] == '0';)
        p--;
    return p;
}

char *cells_millionths(char *p, double millionths)
{
    *p++ = ',';
    return cells_decimal(p, (uint64_t)(millionths + 0.5));
}
