/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot_layout.c -- how large things are and where they stand (plot_layout.h). */
#include "helpers/figure/plot_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/value.h"

/* ---- sizes ---- */

const struct layout_size layout_sizes[SIZES] = {
    [SIZE_COLUMN] = {3.35, 2.6, 1.3, 8, 1.2, 0.5, 2.2, true},
    [SIZE_PAGE] = {7.0, 4.2, 1.9, 11, 1.6, 0.8, 2.5, false},
    [SIZE_SLIDE] = {10.0, 5.6, 2.2, 18, 2.5, 1.2, 2.5, false},
};

#define PANEL_MORE 0.6 /* of a figure's height for each panel after the first */
/* Times the font's size: at the edges of the picture, between things, a tick with its distance from its label (what gnuplot takes beside the
 * y axis is more), and from the upper edge of a line to its middle. */
#define EDGE       0.5
#define GAP        0.6
#define TICK       0.7
#define Y_TICK     1.7
#define LINE_SPACE 1.25

double layout_em(const struct figure *f, double count)
{
    return count * layout_sizes[f->size].font / 72;
}

static double lines_high(const struct figure *f, size_t lines)
{
    return layout_em(f, LINE_SPACE * (double)lines);
}

static double width_of(const struct figure *f, const char *text)
{
    return text_inches(text, strlen(text), layout_sizes[f->size].font);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* ---- curves ---- */

size_t layout_measured_in(const struct figure *f, size_t panel)
{
    size_t n = 0;
    for (size_t y = 0; y < f->y_count; y++)
        n += f->y[y].panel == panel && !f->y[y].exact;
    return n;
}

void layout_curve_title(const struct figure *f, const struct plot_series *s, char *title, size_t size)
{
    const struct plot_y *y = &f->y[s->y];
    bool named = y->exact || layout_measured_in(f, y->panel) > 1;
    snprintf(title, size, "%s%s%s", named ? y->curve : "", named && *s->group ? ", " : "", s->group);
}

/* The how manieth of its panel a column is, closed forms not counted. */
size_t layout_turn_of(const struct figure *f, size_t y)
{
    size_t turn = 0;
    for (size_t i = 0; i < y; i++)
        turn += f->y[i].panel == f->y[y].panel && !f->y[i].exact;
    return turn;
}

const struct plot_y *layout_first_of(const struct figure *f, size_t panel)
{
    size_t y = 0;
    while (y + 1 < f->y_count && f->y[y].panel != panel)
        y++;
    return &f->y[y];
}

void layout_legend_title(const struct figure *f, const struct plot_series *s, char title[LAYOUT_TITLE_LONG])
{
    if (f->y[s->y].exact) /* one line for all of a closed form */
        snprintf(title, LAYOUT_TITLE_LONG, "%s", f->y[s->y].curve);
    else
        layout_curve_title(f, s, title, LAYOUT_TITLE_LONG);
}

/* All panels share one legend; a curve of the same title looks the same in each. */
bool layout_in_legend(const struct figure *f, const struct plot_series *s)
{
    char title[LAYOUT_TITLE_LONG], before[LAYOUT_TITLE_LONG];
    layout_legend_title(f, s, title);
    for (const struct plot_series *t = f->series; t < s; t++) {
        layout_legend_title(f, t, before);
        if (strcmp(title, before) == 0)
            return false;
    }
    return true;
}

/* Does a closed form say again what it said of another curve? */
bool layout_is_drawn(const struct figure *f, const struct plot_series *s)
{
    for (const struct plot_series *t = f->series; f->y[s->y].exact && t < s; t++) {
        size_t same = 0;
        if (t->y != s->y)
            continue;
        for (size_t i = 0; i < s->count; i++)
            for (size_t j = 0; j < t->count; j++)
                same += !(s->points[i].x < t->points[j].x) && !(t->points[j].x < s->points[i].x) &&
                        fabs(s->points[i].stats.median - t->points[j].stats.median) <=
                            1e-9 * fabs(s->points[i].stats.median);
        if (same == s->count)
            return true;
    }
    return false;
}

/* ---- numbers on axes ---- */

/* 5, 0.25, 1e-5, 2e6 */
static void number_text(double x, char *text, size_t size)
{
    snprintf(text, size, "%.6g", x);
    char *sign = strpbrk(text, "e");
    if (!sign)
        return;
    char *digits = sign + 2 + strspn(sign + 2, "0"), *to = sign + 1 + (sign[1] == '-');
    memmove(to, digits, strlen(digits) + 1);
}

/* The next of ... 0.1, 0.2, 0.5, 1, 2, 5 ... that is no smaller. */
static double round_step(double step)
{
    double power = pow(10, floor(log10(step)));
    for (int i = 0; i < 3; i++)
        if (step <= power * (const double[]){1, 2, 5}[i] * (1 + 1e-9))
            return power * (const double[]){1, 2, 5}[i];
    return power * 10;
}

/* Round numbers from `low` to `high`, at most about `most`. */
static size_t plain_ticks(double low, double high, size_t most, double times, struct layout_tick *tick)
{
    double step = round_step((high - low) / (double)(most ? most : 1));
    size_t n = 0;
    for (double k = ceil(low / step - 1e-6) + 0.0;
         /* -0 is 0 */ k * step <= high + step * 1e-6 && n < LAYOUT_TICKS; k++) {
        tick[n].at = k * step;
        number_text(tick[n].at * times, tick[n].text, sizeof tick[n].text);
        n++;
    }
    return n;
}

/* Over less than two decades powers of ten are too few: 1, 2, 5, 10, 20 ...; over more those between have no label. */
static size_t decade_ticks(double low, double high, size_t most, double times, struct layout_tick *tick)
{
    bool few = high / low < 100;
    int first = (int)floor(log10(low)), last = (int)floor(log10(high)),
        each = 1 + (last - first) / (int)(most ? most : 1);
    size_t n = 0;
    for (int decade = first; decade <= last; decade++)
        for (int digit = 1; digit < 10 && n < LAYOUT_TICKS; digit++) {
            double at = pow(10, decade) * digit;
            bool named =
                few ? digit == 1 || digit == 2 || digit == 5 : digit == 1 && (decade - first) % each == 0;
            if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9) || (!named && (few || each > 1)))
                continue;
            tick[n].at = at;
            *tick[n].text = 0;
            if (named)
                number_text(at * times, tick[n].text, sizeof tick[n].text);
            n++;
        }
    return n;
}

/* ---- the x axis ---- */

static struct layout_span span_of(const struct figure *f)
{
    struct layout_span s = {.low = 1, .high = 1};
    size_t count, first = 0;
    const struct plot_point **place = figure_places(f, &count);
    for (; place && f->logx && first < count && !(place[first]->x > 0); first++)
        s.zero = true;
    if (place && first < count) {
        s.low = place[first]->x;
        s.high = place[count - 1]->x;
        double step = first + 1 < count ? place[first + 1]->x / s.low : 10;
        s.zero_at = s.low / (step < 2 ? 2 : step > 10 ? 10 : step);
    }
    free(place);
    double room = f->words ? 0.3 : (s.high - s.low) * 0.04;
    s.left = f->logx ? (s.zero ? s.zero_at : s.low) / 1.15 : s.low - room;
    s.right = f->logx ? s.high * 1.15 : s.high + room;
    return s;
}

double layout_position(const struct figure *f, const struct layout *l, double x)
{
    const struct layout_span *s = &l->span;
    x = f->logx && !(x > 0) ? s->zero_at : x;
    double share =
        f->logx ? log(x / s->left) / log(s->right / s->left) : (x - s->left) / (s->right - s->left);
    return s->right > s->left ? share * (l->right - l->left) : (l->right - l->left) / 2;
}

double layout_slot(const struct figure *f, const struct layout *l)
{
    return larger(layout_position(f, l, 1) - layout_position(f, l, 0) - layout_em(f, GAP), layout_em(f, 1));
}

/* "4KiB", "1e-5", "0.25", a word. */
static void place_text(const struct figure *f, const struct plot_point *p, char *text, size_t size)
{
    static const struct value_rules octets = {.type = VALUE_OCTETS};
    struct value v = {.type = VALUE_OCTETS, .n = p->x > 0 ? (uint64_t)p->x : 0};
    if (f->words)
        snprintf(text, size, "%s", p->name);
    else if (f->octets && v.n < 10000 && v.n % 1024) /* 9000B, the MTU, and not 9kB */
        snprintf(text, size, "%lluB", (unsigned long long)v.n);
    else if (f->octets)
        value_write(&v, &octets, text, size);
    else
        number_text(p->x, text, size);
}

/* The places of the curves, as many as have room for their labels; words all. */
static size_t place_ticks(const struct figure *f, const struct layout *l, const struct plot_point **place,
                          size_t count, struct layout_tick *tick)
{
    size_t n = 0;
    double end = -1e9; /* of the last label */
    for (size_t i = 0; i < count; i++) {
        struct layout_tick *t = &tick[n];
        place_text(f, place[i], t->text, sizeof t->text);
        double half = width_of(f, t->text) / 2, at = layout_position(f, l, place[i]->x);
        if (!f->words && at - half < end + layout_em(f, GAP))
            continue;
        end = at + half;
        t->at = f->logx && !(place[i]->x > 0) ? l->span.zero_at : place[i]->x;
        n++;
    }
    return n;
}

enum { PLACES_FEW = 9 }; /* of more on a plain axis round numbers are shown */

struct layout_tick *layout_x_ticks(const struct figure *f, const struct layout *l, size_t *count)
{
    size_t places;
    const struct plot_point **place = figure_places(f, &places);
    struct layout_tick *tick = calloc(places + LAYOUT_TICKS, sizeof *tick);
    bool round = !f->words && !f->logx && !f->octets && places > PLACES_FEW;
    *count = 0;
    if (place && tick && round)
        *count = plain_ticks(l->span.left, l->span.right, (size_t)((l->right - l->left) / layout_em(f, 5)), 1,
                             tick);
    else if (place && tick)
        *count = place_ticks(f, l, place, places, tick);
    free(place);
    return tick;
}

/* Words are turned where one is wider than its room. */
static void make_x_ticks(const struct figure *f, struct layout *l)
{
    size_t count, lines = 1;
    struct layout_tick *tick = layout_x_ticks(f, l, &count);
    double slot = layout_slot(f, l), font = layout_sizes[f->size].font, widest = 0;
    l->turned = false;
    for (size_t i = 0; tick && f->words && i < count; i++) {
        struct text_lines words;
        text_break(tick[i].text, slot, font, &words);
        lines = words.count > lines ? words.count : lines;
        widest = larger(widest, width_of(f, tick[i].text));
        for (const char *word = tick[i].text; *word; word += strcspn(word, " "), word += strspn(word, " "))
            l->turned |= text_inches(word, strcspn(word, " "), font) > slot;
    }
    l->ticks_high = l->turned ? widest : lines_high(f, lines);
    free(tick);
    text_break(f->x_label, l->right - l->left, font, &l->x_label);
}

/* ---- the y axes ---- */

struct heights {
    double low, high; /* of those above 0, bars included */
    double least;     /* of all, at most 0 */
    size_t at_zero;   /* points that a logarithmic axis cannot show */
};

static void heights_take(struct heights *h, double low, double high)
{
    h->low = low > 0 && low < h->low ? low : h->low;
    h->high = larger(h->high, high);
    h->least = low < h->least ? low : h->least;
}

static struct heights heights_of(const struct figure *f, size_t panel)
{
    struct heights h = {.low = INFINITY};
    for (size_t i = 0; i < f->count; i++)
        for (size_t j = 0; f->y[f->series[i].y].panel == panel && j < f->series[i].count; j++) {
            const struct plot_point *p = &f->series[i].points[j];
            const struct stats *s = &p->stats;
            if (p->drawn)
                heights_take(&h, p->band_low, p->band_high);
            if (s->n == 0)
                continue;
            h.at_zero += !(s->median > 0);
            heights_take(&h, s->median, s->median);
            if (stats_has_bar(s))
                heights_take(&h, stats_bar_low(s), stats_bar_high(s));
        }
    return h;
}

/* Five digits are three too many. */
static const struct {
    const char *unit;
    double from, times;
    const char *shown;
} larger_units[] = {{"Gbps", 1e4, 1e-3, "Tbps"}, {"us", 1e7, 1e-6, "s"},       {"us", 1e4, 1e-3, "ms"},
                    {"ns", 1e4, 1e-3, "us"},     {"octets", 1e10, 1e-9, "GB"}, {"octets", 1e7, 1e-6, "MB"},
                    {"octets", 1e4, 1e-3, "kB"}};

/* The unit that an axis to `high` has; of numbers in the column's so many times as many. */
static double unit_of(const char **unit, double high)
{
    for (size_t i = 0; i < sizeof larger_units / sizeof *larger_units; i++)
        if (strcmp(larger_units[i].unit, *unit) == 0 && high >= larger_units[i].from) {
            *unit = larger_units[i].shown;
            return larger_units[i].times;
        }
    return 1;
}

/* What is measured in a unit, where columns have no words in common. */
static const char *quantity_of(const char *unit)
{
    static const char *const quantities[][2] = {
        {"Gbps", "Rate"},   {"Tbps", "Rate"}, {"s", "Time"},  {"ms", "Time"}, {"us", "Time"}, {"ns", "Time"},
        {"octets", "Size"}, {"kB", "Size"},   {"MB", "Size"}, {"GB", "Size"}, {"", "Value"}};
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (strcmp(quantities[i][0], unit) == 0)
            return quantities[i][1];
    return "Count";
}

/* Words that all measured columns of a panel end with, "latency"; the rest of `label`. */
static const char *common_end(const struct figure *f, size_t panel, const char *label)
{
    for (const char *words = label; words; words = strchr(words + 1, ' ')) {
        bool all = true;
        for (size_t y = 0; y < f->y_count; y++) {
            size_t len = strlen(f->y[y].label), end = strlen(words);
            bool counts = f->y[y].panel == panel && !f->y[y].exact;
            all &= !counts || (len >= end && strcmp(f->y[y].label + len - end, words) == 0);
        }
        if (all)
            return words + (*words == ' ');
    }
    return "";
}

/* The label of the panel's column; of several what their labels have in common; with the unit. */
static void make_y_label(const struct figure *f, size_t panel, const char *unit, struct layout_panel *to)
{
    const struct plot_y *shown = NULL;
    bool measured = layout_measured_in(f, panel) > 0;
    for (size_t y = 0; y < f->y_count; y++)
        if (!shown && f->y[y].panel == panel && (!measured || !f->y[y].exact))
            shown = &f->y[y];
    const char *label = measured ? common_end(f, panel, shown->label) : shown->label;
    if (!*label || strncmp(label, "of ", 3) == 0) /* of several things */
        label = quantity_of(unit);
    if (*unit)
        snprintf(to->label, sizeof to->label, "%s (%s)", label, unit);
    else
        snprintf(to->label, sizeof to->label, "%s", label);
    if (*to->label >= 'a' && *to->label <= 'z')
        *to->label = (char)(*to->label - 'a' + 'A');
    text_break(to->label, to->top - to->bottom + layout_em(f, GAP), layout_sizes[f->size].font,
               &to->label_lines);
}

/* The ends of the y axis: a user's; on a logarithmic one a bit of room; else round numbers. */
static void make_ends(const struct figure *f, size_t panel, const struct heights *h, size_t most,
                      struct layout_panel *to)
{
    bool given = !isnan(f->y_low) && strcmp(layout_first_of(f, panel)->unit, f->y[0].unit) == 0;
    double room = h->high / h->low > 100 ? 1.5 : 1.1, high = h->high > 0 || h->least < 0 ? h->high : 1;
    double step = round_step((high - h->least) / (double)most);
    to->low = given ? f->y_low : f->logy ? h->low / room : step * floor(h->least / step + 1e-6);
    to->high = given ? f->y_high : f->logy ? h->high * room : step * ceil(high / step - 1e-6);
    if (f->logy && !(to->low > 0 && to->high > to->low)) {
        to->low = 0.1;
        to->high = 1;
    }
}

static void make_panel(const struct figure *f, struct layout *l, size_t panel)
{
    enum { MOST = 8, LEAST = 3 };
    struct layout_panel *to = &l->panel[panel];
    struct heights h = heights_of(f, panel);
    const char *unit = layout_first_of(f, panel)->unit;
    size_t most = (size_t)((to->top - to->bottom) / layout_em(f, 2));
    most = most > MOST ? MOST : most < LEAST ? LEAST : most;
    make_ends(f, panel, &h, most, to);
    bool small = f->logy && to->low < 1000; /* no larger unit where the other end would be below 1 of it */
    double times = small ? 1 : unit_of(&unit, to->high);
    to->ticks = f->logy ? decade_ticks(to->low, to->high, most, times, to->tick)
                        : plain_ticks(to->low, to->high, most, times, to->tick);
    make_y_label(f, panel, unit, to);
}

static size_t hidden(const struct figure *f)
{
    size_t n = 0;
    for (size_t p = 0; f->logy && p < f->panels; p++)
        n += heights_of(f, p).at_zero;
    return n;
}

/* ---- title and caption ---- */

static void append_counts(char *text, size_t size, const char *format, size_t count, size_t of)
{
    size_t used = strlen(text);
    if (count)
        snprintf(text + used, size - used, format, count, of);
}

static void caption_of(const struct figure *f, char *text, size_t size)
{
    size_t unseen = hidden(f);
    *text = 0;
    if (f->bare)
        return;
    figure_method(f, text, size);
    append_counts(text, size, "; %zu of %zu runs are marked: too short for what chance decides", f->marked,
                  f->runs);
    append_counts(text, size, "; %zu of %zu runs were not steady and are not drawn", f->unsteady, f->runs);
    append_counts(text, size, "; at %zu of %zu points what binds is a guess", f->points_guessed,
                  f->points_drawn);
    size_t used = strlen(text);
    if (f->points_guessed && used < size)
        used += (size_t)snprintf(text + used, size - used, " (%s)", f->guesses);
    if (*f->estimates && used < size)
        used += (size_t)snprintf(text + used, size - used, "; %s", f->estimates);
    if (*f->versions && used < size)
        used += (size_t)snprintf(text + used, size - used, "; rows of versions %s", f->versions);
    if (unseen && used < size)
        snprintf(text + used, size - used, "; %zu point%s at 0 not shown", unseen, unseen == 1 ? "" : "s");
}

static void make_header(const struct figure *f, struct layout *l)
{
    double room = l->width - 2 * layout_em(f, EDGE), font = layout_sizes[f->size].font;
    caption_of(f, l->caption, sizeof l->caption);
    text_break(f->title, room, font, &l->title);
    text_break(l->caption, room, font * LAYOUT_SMALL, &l->caption_lines);
}

static double heading_high(const struct figure *f)
{
    return f->y_count && *f->y[0].heading ? lines_high(f, 1) : 0;
}

/* Above the first panel. */
static double header_high(const struct figure *f, const struct layout *l)
{
    return layout_em(f, EDGE + GAP) + lines_high(f, l->title.count) +
           LAYOUT_SMALL * lines_high(f, l->caption_lines.count) + heading_high(f);
}

/* ---- the legend ---- */

static double sample_wide(const struct figure *f)
{
    return layout_em(f, layout_sizes[f->size].sample + GAP);
}

/* Inches of the widest text. */
static double widest_entry(const struct figure *f, size_t *entries)
{
    double widest = 0;
    *entries = 0;
    for (size_t i = 0; i < f->count; i++) {
        char title[LAYOUT_TITLE_LONG];
        if (!layout_in_legend(f, &f->series[i]))
            continue;
        layout_legend_title(f, &f->series[i], title);
        widest = larger(widest, width_of(f, title));
        ++*entries;
    }
    return widest;
}

/* Lines of all entries, where each has a row of its own. */
static size_t entry_lines(const struct figure *f, double room)
{
    size_t lines = 0;
    for (size_t i = 0; i < f->count; i++) {
        char title[LAYOUT_TITLE_LONG];
        struct text_lines broken;
        layout_legend_title(f, &f->series[i], title);
        text_break(title, room, layout_sizes[f->size].font, &broken);
        lines += layout_in_legend(f, &f->series[i]) ? broken.count : 0;
    }
    return lines;
}

static void settle_legend(const struct figure *f, struct layout_legend *g, double room)
{
    g->cell = sample_wide(f) + g->text;
    g->columns = (size_t)((room + layout_em(f, 2)) / (g->cell + layout_em(f, 2)));
    g->columns = g->columns > g->entries ? g->entries : g->columns;
    if (g->columns < 2 || !g->below) {
        g->columns = 1;
        if (g->cell > room) {
            g->cell = room;
            g->text = room - sample_wide(f);
        }
    }
    size_t rows = g->columns == 1 ? entry_lines(f, g->text) : (g->entries + g->columns - 1) / g->columns;
    text_break(f->by_label, g->below ? room : larger(g->cell, layout_em(f, 9)), layout_sizes[f->size].font,
               &g->title);
    g->high = lines_high(f, rows + g->title.count);
}

/* Beside the panels where it takes less than a third of the width, and is no higher than they are. */
static void make_legend(const struct figure *f, struct layout *l)
{
    struct layout_legend *g = &l->legend;
    double third = l->width * 0.3;
    g->text = widest_entry(f, &g->entries);
    g->shown = g->entries > 1;
    g->below = false;
    if (!g->shown)
        return;
    if (!layout_sizes[f->size].below && g->text + sample_wide(f) < third) {
        settle_legend(f, g, third);
        g->cell = larger(g->cell, text_widest(&g->title, layout_sizes[f->size].font));
        if (g->cell <= third && g->high < layout_sizes[f->size].least * (double)f->panels)
            return;
        g->text = widest_entry(f, &g->entries);
    }
    g->below = true;
    settle_legend(f, g, l->width - 2 * layout_em(f, EDGE));
}

static double legend_beside(const struct figure *f, const struct layout *l)
{
    return l->legend.shown && !l->legend.below ? l->legend.cell + layout_em(f, 2) : 0;
}

static double legend_below(const struct figure *f, const struct layout *l)
{
    return l->legend.shown && l->legend.below ? l->legend.high + layout_em(f, GAP) : 0;
}

static void place_legend(const struct figure *f, struct layout *l)
{
    struct layout_legend *g = &l->legend;
    double wide = g->cell * (double)g->columns + layout_em(f, 2) * ((double)g->columns - 1);
    double middle = (l->panel[0].top + l->panel[f->panels - 1].bottom + g->high) / 2;
    g->title_top = g->below ? layout_em(f, EDGE) + g->high : middle;
    g->top = g->title_top - lines_high(f, g->title.count);
    g->left = g->below ? (l->width - wide) / 2 : l->right + layout_em(f, 2);
    g->title_at = g->below ? l->width / 2 : g->left + g->cell / 2;
}

/* ---- all of it ---- */

/* Below the last panel; between two. */
static double below_last(const struct figure *f, const struct layout *l)
{
    return layout_em(f, EDGE + TICK) + l->ticks_high + lines_high(f, l->x_label.count) + legend_below(f, l);
}

static double between(const struct figure *f)
{
    return layout_em(f, 1.2) + heading_high(f);
}

static void place_panels(const struct figure *f, struct layout *l)
{
    const struct layout_size *size = &layout_sizes[f->size];
    double n = (double)f->panels, rest = header_high(f, l) + below_last(f, l) + between(f) * (n - 1);
    double each = larger(size->least, (size->height * (1 + PANEL_MORE * (n - 1)) - rest) / n);
    l->height = rest + each * n;
    double top = l->height - header_high(f, l);
    for (size_t p = 0; p < f->panels; p++) {
        l->panel[p].top = top;
        l->panel[p].bottom = top - each;
        top -= each + between(f);
        make_panel(f, l, p);
    }
}

/* Left of the panels: the widest label of a tick, and the most lines of a label. */
static double left_of(const struct figure *f, const struct layout *l)
{
    double widest = 0;
    size_t lines = 0;
    for (size_t p = 0; p < f->panels; p++) {
        lines = l->panel[p].label_lines.count > lines ? l->panel[p].label_lines.count : lines;
        for (size_t i = 0; i < l->panel[p].ticks; i++)
            widest = larger(widest, width_of(f, l->panel[p].tick[i].text));
    }
    return layout_em(f, EDGE + Y_TICK + GAP) + widest + lines_high(f, lines);
}

/* Right of the panels half of a tick's label may stand out. */
static double right_of(const struct figure *f, const struct layout *l)
{
    size_t count;
    struct layout_tick *tick = layout_x_ticks(f, l, &count);
    double out = 0;
    if (tick && count && !f->words)
        out = layout_position(f, l, tick[count - 1].at) + width_of(f, tick[count - 1].text) / 2 -
              (l->right - l->left);
    free(tick);
    return layout_em(f, EDGE + GAP) + larger(out, 0) + legend_beside(f, l);
}

/* How many lines a label takes depends on the room that other labels leave: the second time nothing moves much. */
void layout_make(const struct figure *f, struct layout *l)
{
    enum { TURNS = 3 };
    memset(l, 0, sizeof *l);
    l->width = layout_sizes[f->size].width;
    l->span = span_of(f);
    make_header(f, l);
    make_legend(f, l);
    l->left = layout_em(f, 5);
    l->right = l->width - layout_em(f, 2) - legend_beside(f, l);
    for (int turn = 0; turn < TURNS; turn++) {
        make_x_ticks(f, l);
        place_panels(f, l);
        l->left = left_of(f, l);
        l->right = l->width - right_of(f, l);
    }
    l->labels = layout_em(f, EDGE);
    l->text_middle = l->width / 2;
    place_legend(f, l);
}
