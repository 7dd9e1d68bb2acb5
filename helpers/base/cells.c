/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/cells.h"

#include <string.h>

enum { DIGITS = 20 }; /* of the largest */

static const uint64_t tens[DIGITS] = {1ull,
                                      10ull,
                                      100ull,
                                      1000ull,
                                      10000ull,
                                      100000ull,
                                      1000000ull,
                                      10000000ull,
                                      100000000ull,
                                      1000000000ull,
                                      10000000000ull,
                                      100000000000ull,
                                      1000000000000ull,
                                      10000000000000ull,
                                      100000000000000ull,
                                      1000000000000000ull,
                                      10000000000000000ull,
                                      100000000000000000ull,
                                      1000000000000000000ull,
                                      10000000000000000000ull};

/* In front of `end`, so many digits, zeros in front among them. */
static void put_digits(char *end, uint64_t n, int digits)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    for (; digits > 1; digits -= 2, n /= 100)
        memcpy(end -= 2, pairs + 2 * (n % 100), 2);
    if (digits)
        *--end = (char)('0' + n);
}

/* By the binary length: 1233 / 4096 is the logarithm of 2. */
static int digits_of(uint64_t n)
{
    int bits = 64 - __builtin_clzll(n | 1), digits = bits * 1233 >> 12;
    return digits + (n >= tens[digits] || !n);
}

char *cells_number(char *p, uint64_t n)
{
    int digits = digits_of(n);
    put_digits(p + digits, n, digits);
    return p + digits;
}

char *cells_put(char *p, uint64_t n)
{
    *p++ = ',';
    return n == CELL_EMPTY ? p : cells_number(p, n);
}

char *cells_decimal(char *p, uint64_t millionths)
{
    enum { DECIMALS = 6 };
    uint64_t part = millionths % tens[DECIMALS];
    p = cells_number(p, millionths / tens[DECIMALS]);
    if (!part)
        return p;
    *p++ = '.';
    put_digits(p + DECIMALS, part, DECIMALS);
    for (p += DECIMALS; p[-1] == '0';)
        p--;
    return p;
}

char *cells_millionths(char *p, double millionths)
{
    *p++ = ',';
    return cells_decimal(p, (uint64_t)(millionths + 0.5));
}
