/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/cells.h"

static const uint64_t E6 = 1000000;

size_t cells_large_twice(char *p, char *q, uint64_t n)
{
    size_t len = cells_twice(p, q, n / CELLS_E8);
    uint64_t digits = cells_eight_digits((uint32_t)(n % CELLS_E8));
    cells_put_digits(p + len, digits, CELLS_EIGHT);
    cells_put_digits(q + len, digits, CELLS_EIGHT);
    return len + CELLS_EIGHT;
}

char *cells_number(char *p, uint64_t n)
{
    return p + cells_twice(p, p, n);
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
    cells_put_digits(p, cells_eight_digits((uint32_t)part) >> 8 * (CELLS_EIGHT - DECIMALS), DECIMALS);
    for (p += DECIMALS; p[-1] == '0';)
        p--;
    return p;
}

char *cells_millionths(char *p, double millionths)
{
    *p++ = ',';
    return cells_decimal(p, (uint64_t)(millionths + 0.5));
}
