/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/platform_value.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *const platform_kind_is[PLATFORM_KINDS] = {
    [PLATFORM_NAME] = "a name: 1 to 100 letters, digits or . _ -",
    [PLATFORM_AFFIX] = "part of a name: at most 100 letters, digits or . _ -",
    [PLATFORM_VERSION] = "4 or 4.1 (simgrid_update_xml updates older files)",
    [PLATFORM_ROUTING] = "Full, Floyd, Dijkstra, DijkstraCache or Cluster",
    [PLATFORM_SPEED] = "one speed with its unit, like 1Gf",
    [PLATFORM_RATE] = "a rate from 1bps to 1Pbps with its unit, like 10Gbps or 1.25GBps",
    [PLATFORM_TIME] = "a time from 0 to 1000s with its unit, like 1us",
    [PLATFORM_CORES] = "a number from 1 to 1000000",
    [PLATFORM_COORDINATES] = "three numbers, like '1.5 0 -2'",
    [PLATFORM_RADICAL] = "a list of numbers and ranges, like 0-3,7",
    [PLATFORM_SHARING] = "SHARED, SPLITDUPLEX or FATPIPE",
    [PLATFORM_APART] = "SHARED or FATPIPE",
    [PLATFORM_YES_NO] = "YES or NO",
    [PLATFORM_DIRECTION] = "UP, DOWN or NONE",
    [PLATFORM_TOPOLOGY] = "FLAT, TORUS, FAT_TREE or DRAGONFLY",
    [PLATFORM_SHAPE] = "one to four lists of one to eight numbers from 1 to 131072, like 2;4,4;1,2;1,2",
};

/* ---- words ---- */

/* What SimGrid calls by two names goes through under the one that it keeps, behind a '='. */
static const char *const words[PLATFORM_KINDS] = {
    [PLATFORM_VERSION] = "4=4.1 4.1",
    [PLATFORM_ROUTING] = "Full Floyd Dijkstra DijkstraCache Cluster",
    [PLATFORM_SHARING] = "SHARED SPLITDUPLEX FULLDUPLEX=SPLITDUPLEX FATPIPE",
    [PLATFORM_APART] = "SHARED FATPIPE",
    [PLATFORM_YES_NO] = "YES yes=YES NO no=NO",
    [PLATFORM_DIRECTION] = "UP DOWN NONE",
    [PLATFORM_TOPOLOGY] = "FLAT TORUS FAT_TREE DRAGONFLY",
};

static bool write_word(enum platform_kind kind, const char *text, FILE *out)
{
    for (const char *p = words[kind]; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " "), given = strcspn(p, "= ");
        const char *written = p[given] == '=' ? p + given + 1 : p;
        if (strlen(text) == given && strncmp(p, text, given) == 0)
            return fprintf(out, "%.*s", (int)(p + len - written), written) >= 0;
        p += len;
    }
    return false;
}

enum { NAME_MOST = 100 };

static bool write_name(const char *text, size_t least, FILE *out)
{
    size_t len = 0;
    while (isalnum((unsigned char)text[len]) || (text[len] && strchr("._-", text[len])))
        len++;
    return !text[len] && len >= least && len <= NAME_MOST && fputs(text, out) >= 0;
}

/* ---- numbers ---- */

static const char *skip_digits(const char *p)
{
    while (isdigit((unsigned char)*p))
        p++;
    return p;
}

/* 12, .5 or 1e-6, without a sign: behind it. NULL: it is none, or none that a double can hold. */
static const char *read_decimal(const char *text, double *number)
{
    char *end;
    const char *p = skip_digits(text);
    p = *p == '.' ? skip_digits(p + 1) : p;
    const char *power = p + (*p == 'e' || *p == 'E');
    power += *power == '+' || *power == '-';
    if (power > p && isdigit((unsigned char)*power))
        p = skip_digits(power);
    errno = 0;
    *number = strtod(text, &end);
    return end == p && p > text && errno == 0 ? p : NULL;
}

static const char *const decimal[] = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
static const char *const spelled[] = {"", "kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta"};
static const char *const alone[] = {""};
#define PREFIXES(list, step) list, sizeof list / sizeof *list, step

/* Of SimGrid; a rate counts octets. */
static const struct unit {
    enum platform_kind kind;
    const char *name;
    double factor;
    const char *const *prefix;
    size_t prefixes;
    double step;
} units[] = {
    {PLATFORM_SPEED, "f", 1, PREFIXES(decimal, 1000)},
    {PLATFORM_SPEED, "flops", 1, PREFIXES(spelled, 1000)},
    {PLATFORM_RATE, "bps", 0.125, PREFIXES(decimal, 1000)},
    {PLATFORM_RATE, "Bps", 1, PREFIXES(decimal, 1000)},
    {PLATFORM_RATE, "bps", 0.125, PREFIXES(binary, 1024)},
    {PLATFORM_RATE, "Bps", 1, PREFIXES(binary, 1024)},
    {PLATFORM_TIME, "w", 604800, PREFIXES(alone, 1)},
    {PLATFORM_TIME, "d", 86400, PREFIXES(alone, 1)},
    {PLATFORM_TIME, "h", 3600, PREFIXES(alone, 1)},
    {PLATFORM_TIME, "m", 60, PREFIXES(alone, 1)},
    {PLATFORM_TIME, "s", 1, PREFIXES(alone, 1)},
    {PLATFORM_TIME, "ms", 1e-3, PREFIXES(alone, 1)},
    {PLATFORM_TIME, "us", 1e-6, PREFIXES(alone, 1)},
    {PLATFORM_TIME, "ns", 1e-9, PREFIXES(alone, 1)},
    {PLATFORM_TIME, "ps", 1e-12, PREFIXES(alone, 1)},
};

static const struct {
    double least, most;
} range[PLATFORM_KINDS] = {
    [PLATFORM_SPEED] = {1e-3, 1e30}, [PLATFORM_RATE] = {0.125, 1.25e14}, [PLATFORM_TIME] = {0, 1000}};

static bool write_in_unit(const struct unit *u, double number, const char *unit, FILE *out)
{
    char name[16];
    double value = number * u->factor;
    for (size_t i = 0; i < u->prefixes; i++, value *= u->step) {
        snprintf(name, sizeof name, "%s%s", u->prefix[i], u->name);
        if (strcmp(name, unit) == 0)
            return value >= range[u->kind].least && value <= range[u->kind].most &&
                   fprintf(out, "%.17g%s", number, name) > 0;
    }
    return false;
}

/* The same double that the file gave, and so the same rate. Nothing but 0 seconds goes without its unit. */
static bool write_quantity(enum platform_kind kind, const char *text, FILE *out)
{
    double number;
    const char *unit = read_decimal(text, &number);
    if (unit && !*unit && kind == PLATFORM_TIME && number == 0)
        unit = "s";
    for (size_t i = 0; unit && i < sizeof units / sizeof *units; i++)
        if (units[i].kind == kind && write_in_unit(&units[i], number, unit, out))
            return true;
    return false;
}

/* Digits alone; behind them. NULL: not from `least` to `most`. */
static const char *read_count(const char *p, uint32_t least, uint32_t most, uint32_t *count)
{
    const char *end = skip_digits(p);
    unsigned long n = end > p && end - p < 10 ? strtoul(p, NULL, 10) : ULONG_MAX;
    *count = (uint32_t)n;
    return n >= least && n <= most ? end : NULL;
}

static bool write_cores(const char *text, FILE *out)
{
    uint32_t count;
    const char *end = read_count(text, 1, 1000000, &count);
    return end && !*end && fprintf(out, "%u", count) > 0;
}

static bool write_coordinates(const char *text, FILE *out)
{
    for (int i = 0; i < 3; i++) {
        double number;
        const char *p = text + strspn(text, " ");
        bool below = *p == '-';
        text = read_decimal(p + below, &number);
        if (!text || number > 1e9 || (i < 2 ? *text != ' ' : text[strspn(text, " ")] != 0))
            return false;
        fprintf(out, "%s%.17g", i ? " " : "", below ? -number : number);
    }
    return true;
}

/* ---- lists ---- */

static const char *read_range(const char *p, uint32_t *from, uint32_t *to)
{
    p = read_count(p, 0, 999999999, from);
    *to = *from;
    if (p && *p == '-')
        p = read_count(p + 1, *from, 999999999, to);
    return p && *to - *from < PLATFORM_HOSTS_MAX ? p : NULL;
}

bool platform_radical_next(const char **p, uint32_t *from, uint32_t *to)
{
    if (!**p)
        return false;
    *p = read_range(*p, from, to);
    *p += **p == ',';
    return true;
}

static bool write_radical(const char *text, FILE *out)
{
    for (const char *p = text;; p++) {
        uint32_t from, to;
        p = read_range(p, &from, &to);
        if (!p || (*p && *p != ','))
            return false;
        fprintf(out, "%u", from);
        if (to > from)
            fprintf(out, "-%u", to);
        if (!*p)
            return true;
        fputc(',', out);
    }
}

enum { LISTS = 4, LEVELS = 8 };

struct shape {
    uint32_t lists, count[LISTS], of[LISTS][LEVELS];
};

static bool read_shape(const char *p, struct shape *s)
{
    *s = (struct shape){0};
    for (;; p++) {
        uint32_t *count = &s->count[s->lists];
        p = *count < LEVELS ? read_count(p, 1, PLATFORM_HOSTS_MAX, &s->of[s->lists][*count]) : NULL;
        if (!p || (*p && *p != ',' && *p != ';'))
            return false;
        ++*count;
        s->lists += *p != ',';
        if (!*p || s->lists == LISTS)
            return !*p;
    }
}

static bool write_shape(const char *text, FILE *out)
{
    struct shape s;
    if (!read_shape(text, &s))
        return false;
    for (uint32_t i = 0; i < s.lists; i++)
        for (uint32_t k = 0; k < s.count[i]; k++)
            fprintf(out, "%s%u", k ? "," : i ? ";" : "", s.of[i][k]);
    return true;
}

bool platform_value_write(enum platform_kind kind, const char *text, FILE *out)
{
    switch (kind) {
    case PLATFORM_NAME: return write_name(text, 1, out);
    case PLATFORM_AFFIX: return write_name(text, 0, out);
    case PLATFORM_SPEED:
    case PLATFORM_RATE:
    case PLATFORM_TIME: return write_quantity(kind, text, out);
    case PLATFORM_CORES: return write_cores(text, out);
    case PLATFORM_COORDINATES: return write_coordinates(text, out);
    case PLATFORM_RADICAL: return write_radical(text, out);
    case PLATFORM_SHAPE: return write_shape(text, out);
    default: return write_word(kind, text, out);
    }
}

/* ---- clusters with a shape: what SimGrid would build ---- */

enum { LINKS_MAX = 1 << 21, PARALLEL_MAX = 64 };

static const char too_many[] = "these topo_parameters make more than 2097152 links, or a switch too many";
static const char other_hosts[] = "topo_parameters and radical must give the same number of hosts";

/* At most 2^63: a factor is at most 2^17. */
static uint64_t times(uint64_t a, uint64_t b)
{
    return a > UINT64_C(1) << 46 ? a : a * b;
}

static uint64_t product(const uint32_t *of, uint32_t from, uint32_t to)
{
    uint64_t all = 1;
    for (uint32_t i = from; i < to; i++)
        all = times(all, of[i]);
    return all;
}

static const char *wrong_torus(const struct shape *s, uint32_t hosts)
{
    if (s->lists != 1)
        return "topo_parameters of a TORUS is one list of its dimensions, like 3,2,2";
    for (uint32_t i = 0; i < s->count[0]; i++)
        if (s->of[0][i] == 1) /* SimGrid would give two links of a host one name */
            return "a dimension of a TORUS is 2 or more";
    return product(s->of[0], 0, s->count[0]) == hosts ? NULL : other_hosts;
}

/* Levels; children, parents and parallel links of each level. */
static const char *wrong_tree(const struct shape *s, uint32_t hosts)
{
    uint32_t levels = s->of[0][0];
    const uint32_t *children = s->of[1], *parents = s->of[2], *parallel = s->of[3];
    if (s->lists != 4 || s->count[0] != 1 || s->count[1] != levels || s->count[2] != levels ||
        s->count[3] != levels)
        return "topo_parameters of a FAT_TREE is its number of levels, and children, parents and parallel "
               "links of each, like 2;4,4;1,2;1,2";
    if (product(children, 0, levels) != hosts)
        return other_hosts;
    uint64_t links = 0;
    for (uint32_t i = 0; i < levels; i++) {
        uint64_t below = times(product(parents, 0, i), product(children, i, levels));
        links += times(times(below, parents[i]), parallel[i]);
        if (below > PLATFORM_HOSTS_MAX || links > LINKS_MAX)
            return too_many;
    }
    return product(parents, 0, levels) > PLATFORM_HOSTS_MAX ? too_many : NULL;
}

/* Groups, chassis, routers, each with its parallel links; nodes. */
static const char *wrong_dragonfly(const struct shape *s, uint32_t hosts)
{
    uint64_t groups = s->of[0][0], chassis = s->of[1][0], routers = s->of[2][0];
    if (s->lists != 4 || s->count[0] != 2 || s->count[1] != 2 || s->count[2] != 2 || s->count[3] != 1)
        return "topo_parameters of a DRAGONFLY is groups, chassis and routers, with the links between two of "
               "each, and nodes, like 3,4;4,3;5,1;2";
    if (times(times(times(groups, chassis), routers), s->of[3][0]) != hosts)
        return other_hosts;
    if (groups > routers) /* SimGrid would read behind its tables */
        return "a DRAGONFLY needs as many routers in a chassis as groups";
    for (int i = 0; i < 3; i++)
        if (s->of[i][1] > PARALLEL_MAX)
            return "a DRAGONFLY has at most 64 links between two";
    uint64_t links = hosts + groups * chassis * routers * (routers + chassis) / 2 + groups * groups / 2;
    return links > LINKS_MAX ? too_many : NULL;
}

const char *platform_shape_wrong(const char *topology, const char *text, uint32_t hosts)
{
    static const struct {
        const char *name;
        const char *(*wrong)(const struct shape *, uint32_t hosts);
    } shapes[] = {{"TORUS", wrong_torus}, {"FAT_TREE", wrong_tree}, {"DRAGONFLY", wrong_dragonfly}};
    struct shape s;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].name, topology) == 0)
            return text && read_shape(text, &s) ? shapes[i].wrong(&s, hosts)
                                                : "this topology needs topo_parameters";
    return text ? "a FLAT cluster has no topo_parameters" : NULL;
}
