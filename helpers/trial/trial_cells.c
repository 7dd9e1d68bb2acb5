/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_cells.c -- numbers as text, for the rows of traces and series, which are many: two digits at a time, in place. */
#include <string.h>

#include "helpers/trial/trial_inner.h"

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

char *cells_number(char *p, uint64_t n)
{
    int digits = 1;
    while (digits < DIGITS && n >= tens[digits])
        digits++;
    put_digits(p + digits, n, digits);
    return p + digits;
}

char *cells_put(char *p, uint64_t n)
{
    *p++ = ',';
    return n == IW_NEVER ? p : cells_number(p, n);
}

char *cells_millionths(char *p, double millionths)
{
    enum { DECIMALS = 6 };
    uint64_t n = (uint64_t)(millionths + 0.5), part = n % tens[DECIMALS];
    p = cells_put(p, n / tens[DECIMALS]);
    if (!part)
        return p;
    *p++ = '.';
    put_digits(p + DECIMALS, part, DECIMALS);
    for (p += DECIMALS; p[-1] == '0';)
        p--;
    return p;
}
