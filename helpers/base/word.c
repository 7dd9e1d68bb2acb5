/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/word.h"

#include <string.h>

/* So many edits are few for a word of this length. */
static size_t few_edits(size_t length)
{
    return 1 + length / 4;
}

size_t word_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), few = few_edits(n), row[3][WORD_FAR + 1], least[2] = {0, 0};
    if (n > WORD_FAR || m > WORD_FAR || m > n + few || n > m + few)
        return WORD_FAR;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = least[i % 2] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
            least[i % 2] = best < least[i % 2] ? best : least[i % 2];
        }
        if (least[0] > few && least[1] > few) /* a swap goes back two rows */
            return WORD_FAR;
    }
    return row[n % 3][m] > few ? WORD_FAR : row[n % 3][m];
}
