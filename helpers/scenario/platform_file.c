/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/platform_file.h"

#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/scenario/scenario.h"

enum { HOSTS_MAX = 131072, OCTETS_MAX = 64 << 20, ATTRIBUTES = 32, DEEPEST = 32 };

/* ---- what there may be ---- */

/* Elements of SimGrid's DTD that describe a network, and the attributes without which they say nothing. */
static const struct element {
    const char *name, *needs;
} elements[] = {
    {"platform", "version"},
    {"zone", "id routing"},
    {"AS", "id routing"},
    {"host", "id speed"},
    {"link", "id bandwidth latency"},
    {"route", "src dst"},
    {"link_ctn", "id"},
    {"router", "id"},
    {"cluster", "id prefix suffix radical speed bw lat"},
    {"cabinet", "id prefix suffix radical speed bw lat"},
    {"backbone", "id bandwidth latency"},
    {"host_link", "id up down"},
    {"zoneRoute", "src dst gw_src gw_dst"},
    {"ASroute", "src dst gw_src gw_dst"},
    {"bypassRoute", "src dst"},
    {"bypassZoneRoute", "src dst gw_src gw_dst"},
    {"prop", "id value"},
    {"config", ""},
};

struct attribute {
    char *name, *value;
};

struct tag {
    char *name;
    struct attribute attribute[ATTRIBUTES];
    int attributes;
    bool closes, empty;
    uint32_t line;
};

struct reader {
    struct platform_file *p;
    char *at, *error;
    uint32_t line, rooms;
    struct tag open[DEEPEST];
    int depth;
    bool typed, begun;             /* <!DOCTYPE>, the root were seen */
    bool clusters;                 /* names of a cluster's links are SimGrid's */
    void *hosts, *links, *routers; /* names; trees of tsearch() */
};

static void *need(void *memory)
{
    if (!memory) {
        fputs("iwarpsim: out of memory\n", stderr);
        exit(3);
    }
    return memory;
}

__attribute__((format(printf, 3, 4))) static bool fail(struct reader *r, uint32_t line, const char *format,
                                                       ...)
{
    int used = snprintf(r->error, SCENARIO_ERROR_MAX, "%.80s:%u: ", r->p->file.name, line);
    va_list list;
    va_start(list, format);
    vsnprintf(r->error + used, (size_t)(SCENARIO_ERROR_MAX - used), format, list);
    va_end(list);
    text_make_plain(r->error, false);
    return false;
}

/* ---- names ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool is_in(void *const *tree, const char *name)
{
    return tfind(name, tree, by_text) != NULL;
}

static void put_in(void **tree, char *name)
{
    need(tsearch(name, tree, by_text));
}

/* The names belong to the file, or to the list of hosts. */
static void forget(void **tree)
{
    while (*tree)
        tdelete(*(void **)*tree, tree, by_text);
}

static bool add_host(struct reader *r, uint32_t line, char *name)
{
    struct platform_file *p = r->p;
    if (is_in(&r->hosts, name))
        return fail(r, line, "two hosts are named %.40s", name);
    if (p->hosts == HOSTS_MAX)
        return fail(r, line, "at most %d hosts", HOSTS_MAX);
    if (p->hosts == r->rooms) {
        r->rooms = r->rooms ? 2 * r->rooms : 64;
        p->names = need(realloc(p->names, r->rooms * sizeof *p->names));
    }
    p->names[p->hosts] = need(strdup(name));
    put_in(&r->hosts, p->names[p->hosts++]);
    return true;
}

/* ---- XML: tags alone; what is between them says nothing ---- */

static void step(struct reader *r)
{
    r->line += *r->at++ == '\n';
}

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        step(r);
}

/* Behind `end`; false: it does not come. */
static bool skip_to(struct reader *r, const char *end, const char *what)
{
    uint32_t line = r->line;
    size_t len = strlen(end);
    while (*r->at && strncmp(r->at, end, len) != 0)
        step(r);
    if (!*r->at)
        return fail(r, line, "%s is not terminated", what);
    r->at += len;
    return true;
}

/* A name, which ends where *r->at stands; the caller writes the 0 behind it. */
static char *take_name(struct reader *r)
{
    char *name = r->at;
    while (isalnum((unsigned char)*r->at) || (*r->at && strchr("_-.:", *r->at)))
        r->at++;
    return r->at > name ? name : NULL;
}

static bool read_attribute(struct reader *r, struct tag *t)
{
    char *name = take_name(r), *name_end = r->at;
    if (!name || t->attributes == ATTRIBUTES)
        return fail(r, r->line, "<%.40s>: an attribute, name=\"value\", must follow", t->name);
    skip_blanks(r);
    char equals = *r->at;
    if (equals == '=')
        r->at++;
    skip_blanks(r);
    char quote = *r->at;
    *name_end = 0;
    if (equals != '=' || (quote != '"' && quote != '\''))
        return fail(r, r->line, "<%.40s>: %.40s has no value in quotes", t->name, name);
    char *value = ++r->at;
    while (*r->at && *r->at != quote && *r->at != '<')
        step(r);
    if (*r->at != quote)
        return fail(r, t->line, "<%.40s>: the value of %.40s lacks its closing quote", t->name, name);
    *r->at++ = 0;
    t->attribute[t->attributes++] = (struct attribute){name, value};
    return true;
}

static bool read_tag(struct reader *r, struct tag *t)
{
    *t = (struct tag){.line = r->line, .closes = *r->at == '/'};
    r->at += t->closes;
    t->name = take_name(r);
    if (!t->name)
        return fail(r, r->line, "a '<' does not begin a tag");
    char *end = r->at;
    bool good = true;
    for (skip_blanks(r); good && *r->at && *r->at != '>' && *r->at != '/'; skip_blanks(r)) {
        *end = 0;
        good = read_attribute(r, t);
    }
    if (!good)
        return false;
    t->empty = *r->at == '/';
    r->at += t->empty;
    char last = *r->at;
    *end = 0;
    if (last != '>')
        return fail(r, t->line, "<%.40s> lacks its closing '>'", t->name);
    r->at++;
    return true;
}

static const char *attribute(const struct tag *t, const char *name)
{
    for (int i = 0; i < t->attributes; i++)
        if (strcmp(t->attribute[i].name, name) == 0)
            return t->attribute[i].value;
    return NULL;
}

/* ---- elements ---- */

static bool has_all(struct reader *r, const struct tag *t, const char *needs)
{
    char name[32];
    for (const char *p = needs; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)len, p);
        if (!attribute(t, name))
            return fail(r, t->line, "<%s> needs %s", t->name, name);
        p += len;
    }
    return true;
}

static bool is_known(struct reader *r, const struct tag *t)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, t->name) == 0)
            return has_all(r, t, elements[i].needs);
    return fail(r, t->line,
                "<%.40s> is not supported: a platform may have zones, hosts, links, routes and clusters",
                t->name);
}

/* "0-3,7": prefix0suffix, ... */
static bool add_cluster(struct reader *r, const struct tag *t)
{
    const char *radical = attribute(t, "radical");
    r->clusters = true;
    for (const char *p = radical; *p; p += *p == ',') {
        char *end, name[256];
        unsigned long from = strtoul(p, &end, 10), to = from;
        bool good = isdigit((unsigned char)*p);
        if (good && *end == '-') {
            good = isdigit((unsigned char)end[1]);
            to = strtoul(end + 1, &end, 10);
        }
        if (!good || (*end && *end != ',') || to < from || to - from >= HOSTS_MAX)
            return fail(r, t->line, "<%s>: radical '%.40s' is not a list like 0-3,7", t->name, radical);
        for (unsigned long i = from; i <= to; i++) {
            snprintf(name, sizeof name, "%.100s%lu%.100s", attribute(t, "prefix"), i, attribute(t, "suffix"));
            if (!add_host(r, t->line, name))
                return false;
        }
        p = end;
    }
    return true;
}

static bool check_routing(struct reader *r, const struct tag *t)
{
    static const char *const kinds[] = {"Full", "Floyd", "Dijkstra", "DijkstraCache", "None"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(attribute(t, "routing"), kinds[i]) == 0)
            return true;
    return fail(r, t->line, "<%s>: routing must be Full, Floyd, Dijkstra, DijkstraCache or None", t->name);
}

static bool check_end(struct reader *r, const struct tag *t, const char *which)
{
    const char *name = attribute(t, which);
    return is_in(&r->hosts, name) || is_in(&r->routers, name) ||
           fail(r, t->line, "<route>: %s '%.40s' is not a host defined above", which, name);
}

/* In a zone of clusters and of zones the ends are what SimGrid makes of them. */
static bool take_element(struct reader *r, const struct tag *t)
{
    if (strcmp(t->name, "zone") == 0 || strcmp(t->name, "AS") == 0)
        return check_routing(r, t);
    if (strcmp(t->name, "host") == 0)
        return add_host(r, t->line, (char *)(uintptr_t)attribute(t, "id"));
    if (strcmp(t->name, "cluster") == 0 || strcmp(t->name, "cabinet") == 0)
        return add_cluster(r, t);
    if (strcmp(t->name, "router") == 0)
        put_in(&r->routers, (char *)(uintptr_t)attribute(t, "id"));
    if (strcmp(t->name, "link") == 0 || strcmp(t->name, "backbone") == 0)
        put_in(&r->links, (char *)(uintptr_t)attribute(t, "id"));
    if (strcmp(t->name, "route") == 0 && !r->clusters)
        return check_end(r, t, "src") && check_end(r, t, "dst");
    if (strcmp(t->name, "link_ctn") == 0 && !r->clusters && !is_in(&r->links, attribute(t, "id")))
        return fail(r, t->line, "<link_ctn>: no link '%.40s' is defined above", attribute(t, "id"));
    return true;
}

static bool close_tag(struct reader *r, const struct tag *t)
{
    if (!r->depth || strcmp(r->open[r->depth - 1].name, t->name) != 0)
        return fail(r, t->line, "</%.40s> closes <%.40s>", t->name,
                    r->depth ? r->open[r->depth - 1].name : "nothing");
    r->depth--;
    return true;
}

static bool take_tag(struct reader *r, const struct tag *t)
{
    if (t->closes)
        return close_tag(r, t);
    if (!is_known(r, t))
        return false;
    if (!r->typed) /* SimGrid's parser asks for it */
        return fail(r, t->line,
                    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"> must come first");
    if (!r->depth && (r->begun || strcmp(t->name, "platform") != 0))
        return fail(r, t->line, "a platform file must contain one <platform>");
    if (r->depth == DEEPEST)
        return fail(r, t->line, "elements are nested more than %d deep", DEEPEST);
    r->begun = true;
    if (!t->empty)
        r->open[r->depth++] = *t;
    return take_element(r, t);
}

static bool skip_other(struct reader *r, bool *other)
{
    static const struct {
        const char *begins, *ends, *what;
    } kinds[] = {{"<!--", "-->", "a comment"}, {"<?", "?>", "a <?"}, {"<!", ">", "a <!"}};
    *other = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(r->at, kinds[i].begins, strlen(kinds[i].begins)) == 0) {
            *other = true;
            r->typed |= kinds[i].begins[1] == '!' && kinds[i].begins[2] == 0;
            return skip_to(r, kinds[i].ends, kinds[i].what);
        }
    return true;
}

static bool read_all(struct reader *r)
{
    struct tag t;
    bool other;
    for (;;) {
        while (*r->at && *r->at != '<')
            step(r);
        if (!*r->at)
            break;
        if (!skip_other(r, &other))
            return false;
        if (other)
            continue;
        r->at++;
        if (!read_tag(r, &t) || !take_tag(r, &t))
            return false;
    }
    if (r->depth)
        return fail(r, r->open[r->depth - 1].line, "<%.40s> is not closed", r->open[r->depth - 1].name);
    if (!r->begun)
        return fail(r, 1, "a platform file must contain one <platform>");
    return r->p->hosts >= 2 || fail(r, 1, "a network needs two or more hosts");
}

/* ---- the file ---- */

/* All of it and a 0; NULL: errno says why. */
static char *read_text(FILE *in)
{
    size_t size = 0, room = 1 << 16;
    char *text = need(malloc(room));
    for (size_t n; (n = fread(text + size, 1, room - size - 1, in)) > 0;) {
        size += n;
        if (size + 1 == room && (room *= 2) > OCTETS_MAX) {
            free(text);
            errno = EFBIG;
            return NULL;
        }
        text = need(realloc(text, room));
    }
    text[size] = 0;
    return text;
}

static bool read_file(void *item, char *error)
{
    struct platform_file *p = item;
    FILE *in = file_open_plain(p->file.path);
    bool summed = in && sha256_file(in, p->file.sha256) && fseek(in, 0, SEEK_SET) == 0;
    char *text = summed ? read_text(in) : NULL;
    if (!text)
        snprintf(error, SCENARIO_ERROR_MAX, "%.80s cannot be read: %s", p->file.name, strerror(errno));
    if (in)
        fclose(in);
    if (!text)
        return false;
    struct reader r = {.p = p, .at = text, .error = error, .line = 1};
    bool good = read_all(&r);
    forget(&r.hosts);
    forget(&r.links);
    forget(&r.routers);
    free(text);
    return good;
}

const struct platform_file *platform_file_find(const char *beside, const char *name, char *error)
{
    static struct named_store platforms = {
        .what = "platforms", .size = sizeof(struct platform_file), .most = 64, .read = read_file};
    char path[PATH_LONG];
    return named_file_network(beside, name, ".xml", path, error)
               ? named_store_load(&platforms, path, name, error)
               : NULL;
}
