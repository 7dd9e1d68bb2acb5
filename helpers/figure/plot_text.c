/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_text.c -- letters and lines (plot_text.h). */
#include "helpers/figure/plot_text.h"

#include <stdint.h>
#include <string.h>

#include "helpers/base/quote.h"

/* Of ' ' to '~', in thousandths of the font's size. */
static const uint16_t widths[] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};
_Static_assert(sizeof widths / sizeof *widths == '~' - ' ' + 1, "a width for each letter");
enum {
    OTHER = 838,
    WIDE = 1000,
    FIRST_WIDE = 0x2e80
}; /* letters of no table: signs and alphabets, ideographs */

static unsigned width_of(int32_t letter)
{
    if (letter >= ' ' && letter <= '~')
        return widths[letter - ' '];
    return letter < FIRST_WIDE ? OTHER : WIDE;
}

double text_inches(const char *text, size_t len, double points)
{
    double sum = 0;
    for (const char *p = text; p < text + len;) {
        int32_t letter = utf8_next(&p);
        p += letter < 0;
        sum += width_of(letter);
    }
    return sum / 1000 * points / 72;
}

double text_line(double points)
{
    return 1.25 * points / 72;
}

/* Octets of the next line. */
static size_t line_end(const char *text, double inches, double points)
{
    size_t len = strlen(text), blank = 0, end = 0;
    while (end < len) {
        const char *next = text + end;
        if (utf8_next(&next) < 0)
            next++;
        if (end && text_inches(text, (size_t)(next - text), points) > inches)
            return blank ? blank : end;
        end = (size_t)(next - text);
        if (text[end] == ' ')
            blank = end;
    }
    return len;
}

void text_break(const char *text, double inches, double points, struct text_lines *lines)
{
    lines->count = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        bool last = lines->count + 1 == TEXT_LINES;
        size_t len = last ? strlen(text) : line_end(text, inches, points);
        lines->line[lines->count++] = (struct text_piece){text, len};
        text += len;
    }
}

double text_widest(const struct text_lines *lines, double points)
{
    double widest = 0;
    for (size_t i = 0; i < lines->count; i++) {
        double inches = text_inches(lines->line[i].text, lines->line[i].len, points);
        widest = inches > widest ? inches : widest;
    }
    return widest;
}
