/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/platform_file.h"

#include <errno.h>
#include <expat.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/list.h"
#include "helpers/scenario/platform_value.h"
#include "helpers/scenario/scenario.h"

enum { OCTETS_MAX = (64 << 20) - 1, ATTRIBUTES = 31, DEEPEST = 32, KEY = 256 };

/* Where an element may stand, and what may stand in it. */
enum place {
    NOWHERE,
    TOP = 1,
    PLATFORM = 2,
    ZONE = 4,
    STAR = 8, /* routing="Cluster" */
    ZONES = ZONE | STAR,
    ROUTE = 16
};

struct tag {
    const struct element *element;
    char *value[ATTRIBUTES]; /* NULL: not given */
};

struct open {
    const struct element *element;
    enum place place; /* that it makes */
    char routing[16];
    uint32_t zone, nodes,
        ends; /* its number; what it has of hosts, routers and zones, and how many have a route */
};

struct reader {
    struct platform_file *p;
    XML_Parser xml;
    const char *text; /* that it reads */
    FILE *out;        /* p->text */
    char *error;
    bool failed, begun;
    bool unclosed; /* the last tag in `out` lacks its '>' */
    uint32_t zones;
    int line; /* of `out` */
    struct open open[DEEPEST];
    int depth;
    bool clusters;                 /* names of a cluster's links are SimGrid's */
    void *hosts, *links, *routers; /* names; trees of tsearch() */
    void *nodes, *ends, *pairs;    /* of routes: their names behind the number of the zone */
};

/* The first thing that is wrong is told. */
static bool is_first(struct reader *r)
{
    bool first = !r->failed;
    r->failed = true;
    return first;
}

#define fail_in(r, line, ...) \
    (is_first(r) &&           \
     complaint((r)->error, SCENARIO_ERROR_MAX, (r)->p->file.name, (unsigned)(line), 0, __VA_ARGS__))
#define fail(r, ...) fail_in(r, line_of(r), __VA_ARGS__)

static int line_of(const struct reader *r)
{
    return (int)XML_GetCurrentLineNumber(r->xml);
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

/* False: it was there. */
static bool put_in(void **tree, const char *name)
{
    if (is_in(tree, name))
        return false;
    need(tsearch(need(strdup(name)), tree, by_text));
    return true;
}

static void forget_names(void **tree)
{
    while (*tree) {
        char *name = *(char **)*tree;
        tdelete(name, tree, by_text);
        free(name);
    }
}

static bool add_host(struct reader *r, const char *name)
{
    struct platform_file *p = r->p;
    if (is_in(&r->hosts, name))
        return fail(r, "two hosts are named %.40s", name);
    if (p->hosts == PLATFORM_HOSTS_MAX)
        return fail(r, "at most %d hosts", PLATFORM_HOSTS_MAX);
    p->names = need(list_grow(p->names, p->hosts, sizeof *p->names));
    p->names[p->hosts++] = need(strdup(name));
    put_in(&r->hosts, name);
    return true;
}

/* ---- what elements mean ---- */

static const char *given(const struct tag *t, const char *attribute);
static bool has_name(struct reader *r, const struct tag *t, const char *attribute, void *const *tree,
                     const char *what);

static bool take_host(struct reader *r, const struct tag *t)
{
    return add_host(r, given(t, "id"));
}

static bool take_router(struct reader *r, const struct tag *t)
{
    put_in(&r->routers, given(t, "id"));
    return true;
}

/* ---- routes ---- */

static const char *in_zone(char key[KEY], const struct open *zone, const char *a, const char *b)
{
    snprintf(key, KEY, "%u %s %s", zone->zone, a, b);
    return key;
}

static void note_node(struct reader *r, const struct tag *t)
{
    char key[KEY];
    struct open *zone = &r->open[r->depth - 1];
    zone->nodes += put_in(&r->nodes, in_zone(key, zone, given(t, "id"), ""));
}

static void note_end(struct reader *r, struct open *zone, const char *name)
{
    char key[KEY];
    in_zone(key, zone, name, "");
    zone->ends += is_in(&r->nodes, key) && put_in(&r->ends, key);
}

/* SimGrid dies of a second one. To itself a way back is a second one, too, but where routing is Full. */
static bool take_any_route(struct reader *r, const struct tag *t)
{
    char key[KEY];
    struct open *zone = &r->open[r->depth - 1];
    const char *src = given(t, "src"), *dst = given(t, "dst"), *both = given(t, "symmetrical");
    bool back = (!both || strcasecmp(both, "yes") == 0) &&
                (strcmp(src, dst) != 0 || strcmp(zone->routing, "Full") != 0);
    note_end(r, zone, src);
    note_end(r, zone, dst);
    return (put_in(&r->pairs, in_zone(key, zone, src, dst)) &&
            (!back || put_in(&r->pairs, in_zone(key, zone, dst, src)))) ||
           fail(r, "two routes join %.40s and %.40s; a route goes both ways unless symmetrical is NO", src,
                dst);
}

/* SimGrid looks for their routes without asking whether there are any. */
static bool has_routes(struct reader *r, const struct open *zone)
{
    return strncmp(zone->routing, "Dijkstra", 8) != 0 || zone->nodes < 2 || zone->ends == zone->nodes ||
           fail(r, "<zone>: of its %u hosts, routers and zones %u have no route, which %s needs", zone->nodes,
                zone->nodes - zone->ends, zone->routing);
}

/* One that is split has a half for each direction. */
static bool take_link(struct reader *r, const struct tag *t)
{
    static const char *const halves[] = {"", "_UP", "_DOWN"};
    const char *sharing = given(t, "sharing_policy");
    bool split = sharing && strstr(sharing, "DUPLEX");
    for (int i = 0; i < (split ? 3 : 1); i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", given(t, "id"), halves[i]);
        if (is_in(&r->links, name))
            return fail(r, "two links are named %.40s", name);
        put_in(&r->links, name);
    }
    return true;
}

static bool take_host_link(struct reader *r, const struct tag *t)
{
    return has_name(r, t, "id", &r->hosts, "host") && has_name(r, t, "up", &r->links, "link") &&
           has_name(r, t, "down", &r->links, "link");
}

static bool take_route(struct reader *r, const struct tag *t)
{
    static const char *const ends[] = {"src", "dst"};
    for (int i = 0; i < 2 && !r->clusters; i++)
        if (!is_in(&r->routers, given(t, ends[i])) && !has_name(r, t, ends[i], &r->hosts, "host"))
            return false;
    return take_any_route(r, t);
}

static bool take_hop(struct reader *r, const struct tag *t)
{
    return r->clusters || has_name(r, t, "id", &r->links, "link");
}

/* "0-3,7": prefix0suffix, ... */
static bool take_cluster(struct reader *r, const struct tag *t)
{
    uint32_t from, to, before = r->p->hosts;
    r->clusters = true;
    for (const char *p = given(t, "radical"); platform_radical_next(&p, &from, &to);)
        for (uint32_t i = from; i <= to; i++) {
            char name[256];
            snprintf(name, sizeof name, "%s%u%s", given(t, "prefix"), i, given(t, "suffix"));
            if (!add_host(r, name))
                return false;
        }
    const char *topology = given(t, "topology");
    const char *wrong =
        platform_shape_wrong(topology ? topology : "FLAT", given(t, "topo_parameters"), r->p->hosts - before);
    if (!wrong && given(t, "bb_lat") && !given(t, "bb_bw"))
        wrong = "bb_lat needs bb_bw";
    if (!wrong && topology && strcmp(topology, "FAT_TREE") == 0 && given(t, "limiter_link"))
        wrong = "limiter_link is not supported with topology FAT_TREE"; /* SimGrid gives some one name */
    if (!wrong && given(t, "loopback_lat") && !given(t, "loopback_bw"))
        wrong = "loopback_lat needs loopback_bw";
    return !wrong || fail(r, "<cluster>: %s", wrong);
}

/* ---- what there may be ---- */

/* Whatever the element. */
static const struct attribute {
    const char *name;
    enum platform_kind kind;
} attributes[] = {
    {"version", PLATFORM_VERSION},
    {"id", PLATFORM_NAME},
    {"routing", PLATFORM_ROUTING},
    {"prefix", PLATFORM_AFFIX},
    {"suffix", PLATFORM_AFFIX},
    {"radical", PLATFORM_RADICAL},
    {"speed", PLATFORM_SPEED},
    {"core", PLATFORM_CORES},
    {"coordinates", PLATFORM_COORDINATES},
    {"bandwidth", PLATFORM_RATE},
    {"latency", PLATFORM_TIME},
    {"bw", PLATFORM_RATE},
    {"lat", PLATFORM_TIME},
    {"sharing_policy", PLATFORM_SHARING},
    {"topology", PLATFORM_TOPOLOGY},
    {"topo_parameters", PLATFORM_SHAPE},
    {"bb_bw", PLATFORM_RATE},
    {"bb_lat", PLATFORM_TIME},
    {"bb_sharing_policy", PLATFORM_APART},
    {"router_id", PLATFORM_NAME},
    {"limiter_link", PLATFORM_RATE},
    {"loopback_bw", PLATFORM_RATE},
    {"loopback_lat", PLATFORM_TIME},
    {"up", PLATFORM_NAME},
    {"down", PLATFORM_NAME},
    {"src", PLATFORM_NAME},
    {"dst", PLATFORM_NAME},
    {"gw_src", PLATFORM_NAME},
    {"gw_dst", PLATFORM_NAME},
    {"symmetrical", PLATFORM_YES_NO},
    {"direction", PLATFORM_DIRECTION},
};
_Static_assert(sizeof attributes / sizeof *attributes == ATTRIBUTES, "a tag has room for each");

#define MANY_HOSTS "id prefix suffix radical speed bw lat"
#define OF_CLUSTER                                                                                        \
    "core sharing_policy topology topo_parameters bb_bw bb_lat bb_sharing_policy router_id limiter_link " \
    "loopback_bw loopback_lat"

/* Elements of SimGrid's DTD that describe a network. Not the others: <config> commands SimGrid, <prop> and <actor> the
 * program around it; *_file and <trace> name files. Older names are written as those that SimGrid keeps. */
static const struct element {
    const char *name, *written, *needs, *may; /* attributes */
    unsigned in;
    enum place makes;
    bool node; /* an end of routes */
    bool (*take)(struct reader *, const struct tag *);
} elements[] = {
    {"platform", "platform", "version", "", TOP, PLATFORM, false, NULL},
    {"zone", "zone", "id routing", "", PLATFORM | ZONES, ZONE, true, NULL},
    {"AS", "zone", "id routing", "", PLATFORM | ZONES, ZONE, true, NULL},
    {"host", "host", "id speed", "core coordinates", ZONES, NOWHERE, true, take_host},
    {"router", "router", "id", "coordinates", ZONES, NOWHERE, true, take_router},
    {"link", "link", "id bandwidth latency", "sharing_policy", ZONES, NOWHERE, false, take_link},
    {"backbone", "backbone", "id bandwidth latency", "", STAR, NOWHERE, false, take_link},
    {"host_link", "host_link", "id up down", "", STAR, NOWHERE, false, take_host_link},
    {"cabinet", "cabinet", MANY_HOSTS, "", STAR, NOWHERE, false, take_cluster},
    {"cluster", "cluster", MANY_HOSTS, OF_CLUSTER, PLATFORM | ZONES, NOWHERE, true, take_cluster},
    {"route", "route", "src dst", "symmetrical", ZONE, ROUTE, false, take_route},
    {"zoneRoute", "zoneRoute", "src dst gw_src gw_dst", "symmetrical", ZONE, ROUTE, false, take_any_route},
    {"ASroute", "zoneRoute", "src dst gw_src gw_dst", "symmetrical", ZONE, ROUTE, false, take_any_route},
    {"bypassRoute", "bypassRoute", "src dst", "", ZONE, ROUTE, false, NULL},
    {"bypassZoneRoute", "bypassZoneRoute", "src dst gw_src gw_dst", "", ZONE, ROUTE, false, NULL},
    {"bypassASroute", "bypassZoneRoute", "src dst gw_src gw_dst", "", ZONE, ROUTE, false, NULL},
    {"link_ctn", "link_ctn", "id", "direction", ROUTE, NOWHERE, false, take_hop},
};

/* In a list with blanks between. */
static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += len)
        if ((p == list || p[-1] == ' ') && (!p[len] || p[len] == ' '))
            return true;
    return false;
}

/* ATTRIBUTES: there is none of that name. */
static int attribute_of(const char *name)
{
    int i = 0;
    while (i < ATTRIBUTES && strcmp(attributes[i].name, name) != 0)
        i++;
    return i;
}

static const char *given(const struct tag *t, const char *attribute)
{
    return t->value[attribute_of(attribute)];
}

static bool has_name(struct reader *r, const struct tag *t, const char *attribute, void *const *tree,
                     const char *what)
{
    const char *name = given(t, attribute);
    return is_in(tree, name) ||
           fail(r, "<%s>: %s '%.40s' is not a %s defined above", t->element->name, attribute, name, what);
}

/* ---- a tag: read, checked, written ---- */

static const struct element *element_of(struct reader *r, const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    (void)fail(r, "<%.40s> is not supported: a platform may have zones, hosts, links, routes and clusters",
               name);
    return NULL;
}

static bool take_attribute(struct reader *r, struct tag *t, const char *name, const char *value)
{
    const struct element *e = t->element;
    int i = attribute_of(name);
    if (strncmp(name, "xmlns", 5) == 0)
        return fail(r, "namespaces are not supported");
    if (i == ATTRIBUTES || (!has_word(e->needs, name) && !has_word(e->may, name)))
        return fail(r, "<%s>: %.40s is not supported; it may have %s%s%s", e->name, name, e->needs,
                    *e->may ? " " : "", e->may);
    t->value[i] = need(strdup(value));
    return true;
}

static enum place place_in(const struct reader *r)
{
    return r->depth ? r->open[r->depth - 1].place : TOP;
}

static bool stands_well(struct reader *r, const struct element *e)
{
    enum place place = place_in(r);
    if (place & e->in && (place != TOP || !r->begun))
        return true;
    if (place == TOP || e->in == TOP)
        return fail(r, "a platform file must contain one <platform>");
    return fail(r, "<%s> may not stand in <%s%s>%s", e->name, r->open[r->depth - 1].element->name,
                place == STAR ? " routing=\"Cluster\"" : "",
                e->in == STAR ? ", but in <zone routing=\"Cluster\">" : "");
}

static bool write_attribute(struct reader *r, const struct tag *t, int i)
{
    const struct attribute *a = &attributes[i];
    fprintf(r->out, " %s=\"", a->name);
    if (!platform_value_write(a->kind, t->value[i], r->out))
        return fail(r, "<%s>: %s '%.40s' is not %s", t->element->name, a->name, t->value[i],
                    platform_kind_is[a->kind]);
    fputc('"', r->out);
    return true;
}

/* On the line that it has in the file: what SimGrid says of it names that. */
static bool write_tag(struct reader *r, const struct tag *t)
{
    fputs(r->unclosed ? ">" : "", r->out);
    for (; r->line < line_of(r); r->line++)
        fputc('\n', r->out);
    fprintf(r->out, "<%s", t->element->written);
    for (int i = 0; i < ATTRIBUTES; i++) {
        if (!t->value[i] && has_word(t->element->needs, attributes[i].name))
            return fail(r, "<%s> needs %s", t->element->name, attributes[i].name);
        if (t->value[i] && !write_attribute(r, t, i))
            return false;
    }
    r->unclosed = true;
    return true;
}

static enum place place_of_tag(const struct tag *t)
{
    if (t->element->makes != ZONE)
        return t->element->makes;
    return strcmp(given(t, "routing"), "Cluster") == 0 ? STAR : ZONE;
}

static bool open_tag(struct reader *r, const struct tag *t)
{
    if (r->depth == DEEPEST)
        return fail(r, "elements are nested more than %d deep", DEEPEST);
    struct open now = {.element = t->element, .place = place_of_tag(t), .zone = r->zones++};
    if (t->element->makes == ZONE)
        snprintf(now.routing, sizeof now.routing, "%s", given(t, "routing"));
    r->begun = true;
    r->open[r->depth++] = now;
    return true;
}

/* `of`: names of attributes, each before its value. */
static bool take_tag(struct reader *r, const char *name, const char **of)
{
    struct tag t = {.element = element_of(r, name)};
    bool good = t.element && stands_well(r, t.element);
    for (; good && *of; of += 2)
        good = take_attribute(r, &t, of[0], of[1]);
    good = good && write_tag(r, &t);
    if (good && place_in(r) & ZONES && t.element->node)
        note_node(r, &t);
    good = good && (!t.element->take || t.element->take(r, &t)) && open_tag(r, &t);
    for (int i = 0; i < ATTRIBUTES; i++)
        free(t.value[i]);
    return good;
}

/* ---- XML: what expat calls ---- */

static void stop_unless(struct reader *r, bool good)
{
    if (!good)
        XML_StopParser(r->xml, XML_FALSE);
}

static bool is_known_to_xml(const char *entity)
{
    static const char *const known[] = {"#", "amp;", "lt;", "gt;", "quot;", "apos;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(entity, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* In attributes expat drops an entity that a DTD which it does not read might define. In a tag ';' is behind each '&'. */
static bool has_known_entities(struct reader *r)
{
    const char *at = r->text + XML_GetCurrentByteIndex(r->xml), *end = at + XML_GetCurrentByteCount(r->xml);
    while ((at = memchr(at, '&', (size_t)(end - at))) != NULL)
        if (!is_known_to_xml(++at))
            return fail(r, "entity '%.*s' is not defined", (int)strcspn(at, ";"), at);
    return true;
}

static void on_start(void *reader, const char *name, const char **attributes_given)
{
    struct reader *r = reader;
    if (!r->failed)
        stop_unless(r, strchr(name, ':') ? fail(r, "namespaces are not supported")
                                         : has_known_entities(r) && take_tag(r, name, attributes_given));
}

static void on_end(void *reader, const char *name)
{
    struct reader *r = reader;
    (void)name;
    if (r->failed)
        return;
    const struct open *closed = &r->open[--r->depth];
    const struct element *e = closed->element;
    stop_unless(r, has_routes(r, closed));
    if (r->unclosed)
        fputs("/>", r->out);
    else
        fprintf(r->out, "</%s>", e->written);
    r->unclosed = false;
}

static void on_text(void *reader, const char *text, int len)
{
    struct reader *r = reader;
    for (int i = 0; i < len; i++)
        if (!strchr(" \t\r\n", text[i])) {
            stop_unless(r, fail(r, "text between elements is not supported"));
            return;
        }
}

static void on_entity(void *reader, const char *name, int parameter)
{
    struct reader *r = reader;
    (void)parameter;
    stop_unless(r, fail(r, "entity '%.40s' is not defined", name));
}

static void on_doctype(void *reader, const char *name, const char *system, const char *public, int declares)
{
    struct reader *r = reader;
    (void)name, (void)system, (void)public;
    stop_unless(r,
                !declares || fail(r, "a platform file may declare nothing: no entities, no DTD of its own"));
}

/* What it declares, and DTDs elsewhere, are not read. */
static bool read_xml(struct reader *r, const char *text, size_t size)
{
    r->xml = need(XML_ParserCreate("UTF-8"));
    r->text = text;
    XML_SetUserData(r->xml, r);
    XML_SetElementHandler(r->xml, on_start, on_end);
    XML_SetCharacterDataHandler(r->xml, on_text); /* CDATA, too */
    XML_SetSkippedEntityHandler(r->xml, on_entity);
    XML_SetStartDoctypeDeclHandler(r->xml, on_doctype);
    if (XML_Parse(r->xml, text, (int)size, true) != XML_STATUS_OK)
        (void)fail(r, "%s%s%s%s", r->depth ? "in <" : "", r->depth ? r->open[r->depth - 1].element->name : "",
                   r->depth ? ">: " : "", XML_ErrorString(XML_GetErrorCode(r->xml)));
    XML_ParserFree(r->xml);
    r->xml = NULL;
    return !r->failed;
}

/* ---- the file ---- */

bool platform_file_read(struct platform_file *p, const char *text, size_t size, char *error)
{
    size_t written;
    struct reader r = {.p = p, .error = error, .line = 1, .out = need(open_memstream(&p->text, &written))};
    fputs("<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">", r.out);
    bool good = memchr(text, 0, size) ? fail_in(&r, 1, "not text in UTF-8") : read_xml(&r, text, size);
    if (fclose(r.out) != 0)
        need(NULL);
    void **names[] = {&r.hosts, &r.links, &r.routers, &r.nodes, &r.ends, &r.pairs};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        forget_names(names[i]);
    return good && (p->hosts >= 2 || fail_in(&r, 1, "a network needs two or more hosts"));
}

void platform_file_forget(struct platform_file *p)
{
    for (uint32_t i = 0; i < p->hosts; i++)
        free(p->names[i]);
    free(p->names);
    free(p->text);
}

static bool read_file(void *item, FILE *in, char *error)
{
    size_t size;
    char *text = need(file_rest(in, OCTETS_MAX, &size));
    errno = EFBIG;
    bool good =
        size > OCTETS_MAX ? named_file_unread(item, error) : platform_file_read(item, text, size, error);
    free(text);
    return good;
}

static void forget_file(void *item)
{
    platform_file_forget(item);
}

const struct platform_file *platform_file_find(const char *beside, const char *name, char *error)
{
    static struct named_store platforms = {.what = "platforms",
                                           .room = "topologies",
                                           .ending = ".xml",
                                           .size = sizeof(struct platform_file),
                                           .most = 64,
                                           .read = read_file,
                                           .forget = forget_file};
    return named_store_find(&platforms, beside, name, error);
}
