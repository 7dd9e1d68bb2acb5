/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/link_events.h"

#include <stdlib.h>
#include <string.h>

#include "channel/channel.h"
#include "fabric/fabric.h"
#include "helpers/base/exit.h"
#include "helpers/scenario/network_name.h"
#include "helpers/scenario/topology_file.h"

enum {
    EVENTS_MAX = VALUE_TEXT_MAX / 8 /* the shortest: "0s A up;" */,
    CHANGES_MAX = 1 << 20,
    WHY_MAX = SCENARIO_ERROR_MAX / 2,
    PART_MAX = 128
};

struct event {
    size_t number;
    iw_time at;
    bool of_switch;
    char name[PART_MAX]; /* of the link, or of the switch */
    enum fabric_change_kind kind;
    uint64_t rate;
};

#define SAY(why, ...) (snprintf((why), WHY_MAX, __VA_ARGS__), false)

bool link_events_are(const struct key *key)
{
    return strcmp(key->name, "topology.events") == 0;
}

/* ---- one event, part by part ---- */

static bool read_at(struct event *e, const char *text, char *why)
{
    static const struct value_rules rules = {.type = VALUE_TIME, .min = "0us", .max = "1000000s"};
    char wrong[VALUE_WHY_MAX];
    struct value v;
    if (*text == '-')
        return SAY(why, "at: '%.40s' is before the start of the simulation", text);
    if (!value_read(&v, &rules, text, wrong))
        return SAY(why, "at: '%.40s' %s; allowed: a time, 2ms", text, wrong);
    e->at = v.n;
    return true;
}

static bool read_rate(struct event *e, const char *text, char *why)
{
    char wrong[VALUE_WHY_MAX];
    struct value v;
    if (!value_read(&v, &key_find("topology.rate")->rules, text, wrong))
        return SAY(why, "rate: '%.40s' %s; allowed: a rate, 10Gbps", text, wrong);
    e->kind = FABRIC_GETS_RATE;
    e->rate = v.n;
    return true;
}

static bool read_state(struct event *e, const char *text, char *why)
{
    bool down = strcmp(text, "down") == 0;
    e->kind = down ? FABRIC_GOES_DOWN : FABRIC_GOES_UP;
    return down || strcmp(text, "up") == 0 || SAY(why, "state: '%.40s' is neither down nor up", text);
}

static bool read_name(struct event *e, const char *text, char *why)
{
    size_t len = strlen(text);
    const char *number = strchr(text, '#');
    if (len == 0 || len >= PART_MAX || strpbrk(text, " ;"))
        return SAY(why, "'%.40s' is no name of a link or switch", text);
    if (number && (!number[1] || number[1 + strspn(number + 1, "0123456789")]))
        return SAY(why, "'%.40s' needs a number behind its #: A-B#2", text);
    snprintf(e->name, sizeof e->name, "%s", text);
    return true;
}

/* ---- as a text ---- */

/* The next part, up to a blank or the event's end; "" at the end. */
static void next_part(const char **text, char part[PART_MAX])
{
    size_t len = strcspn(*text += strspn(*text, " "), " ;");
    snprintf(part, PART_MAX, "%.*s", (int)(len < PART_MAX ? len : PART_MAX - 1), *text);
    *text += len;
    *text += strspn(*text, " ");
}

/* "2ms host0-switch0 down", and behind its semicolon. */
static bool read_event(struct event *e, const char **text, char *why)
{
    char at[PART_MAX], name[PART_MAX], what[PART_MAX];
    *e = (struct event){.number = 0};
    next_part(text, at);
    next_part(text, name);
    e->of_switch = strcmp(name, "switch") == 0;
    if (e->of_switch)
        next_part(text, name);
    next_part(text, what);
    if (!*what || !strchr(";", **text))
        return SAY(why, "'%.40s' is no event: 2ms host0-switch0 down, or 2ms switch switch0 down", at);
    *text += **text == ';';
    return read_at(e, at, why) && read_name(e, name, why) &&
           (*what >= '0' && *what <= '9' ? read_rate(e, what, why) : read_state(e, what, why));
}

/* How many there are; 0 of some: `why` says what is wrong with event `number`. */
static size_t read_text(const char *text, struct event event[EVENTS_MAX], char *why, size_t *number)
{
    size_t n = 0;
    for (; *text; n++) {
        *number = n;
        if (!read_event(&event[n], &text, why))
            return 0;
        event[n].number = n;
    }
    return n;
}

/* ---- as a list ---- */

enum part { AT, LINK, SWITCH, STATE, RATE, PARTS };
const char *const link_events_parts[PARTS + 1] = {"at", "link", "switch", "state", "rate"};
#define FORM                                                                                              \
    "an event is {at: 2ms, link: A-B, state: down}, or has rate: 10Gbps for a state, or switch: A for a " \
    "link"

static int event_part(const struct yaml_text *y, const yaml_node_t *key)
{
    int part = 0;
    bool word = key->type == YAML_SCALAR_NODE && yaml_is_plain(key);
    while (part < PARTS && !(word && strcmp(yaml_scalar(key), link_events_parts[part]) == 0))
        part++;
    return part < PARTS ? part : (yaml_fail(y, yaml_place(y, key), "topology.events: " FORM), PARTS);
}

static bool find_parts(const struct yaml_text *y, const yaml_node_t *map, const char *found[PARTS])
{
    bool whole = map->type == YAML_MAPPING_NODE;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; whole && p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *value = yaml_node(y, p->value);
        int part = event_part(y, yaml_node(y, p->key));
        if (part == PARTS)
            return false;
        if (found[part] || value->type != YAML_SCALAR_NODE || !yaml_is_plain(value))
            return yaml_fail(y, yaml_place(y, value), "topology.events: %s: takes one value, once",
                             link_events_parts[part]);
        found[part] = yaml_scalar(value);
    }
    return (whole && found[AT] && !found[LINK] == !!found[SWITCH] && !found[STATE] == !!found[RATE]) ||
           yaml_fail(y, yaml_place(y, map), "topology.events: " FORM);
}

static bool list_event(const struct yaml_text *y, const yaml_node_t *map, char text[VALUE_TEXT_MAX])
{
    const char *found[PARTS] = {NULL};
    char why[WHY_MAX];
    struct event e;
    size_t used = strlen(text);
    if (!find_parts(y, map, found))
        return false;
    bool good = read_at(&e, found[AT], why) && read_name(&e, found[found[LINK] ? LINK : SWITCH], why) &&
                (found[RATE] ? read_rate(&e, found[RATE], why) : read_state(&e, found[STATE], why));
    if (!good)
        return yaml_fail(y, yaml_place(y, map), "topology.events: %s", why);
    size_t len =
        (size_t)snprintf(text + used, VALUE_TEXT_MAX - used, "%s%s %s%s %s", used ? "; " : "", found[AT],
                         found[SWITCH] ? "switch " : "", e.name, found[found[RATE] ? RATE : STATE]);
    return len < VALUE_TEXT_MAX - used ||
           yaml_fail(y, yaml_place(y, map),
                     "topology.events: has more than %d characters as one text: use * in names",
                     VALUE_TEXT_MAX - 1);
}

bool link_events_list(struct scenario *s, const struct yaml_text *y, const yaml_node_t *list,
                      char text[VALUE_TEXT_MAX])
{
    size_t n = (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
    s->event_at = need(realloc(s->event_at, (n + 1) * sizeof *s->event_at));
    s->event_ats = n;
    *text = 0;
    for (size_t i = 0; i < n; i++) {
        const yaml_node_t *map = yaml_node(y, list->data.sequence.items.start[i]);
        s->event_at[i] = yaml_place(y, map);
        if (!list_event(y, map, text))
            return false;
    }
    return n || yaml_fail(y, yaml_place(y, list), "topology.events: its list is empty");
}

/* ---- which links ---- */

/* The letters from `pattern` to `end`, where * stands for any. */
static bool is_called(const char *name, const char *pattern, const char *end)
{
    if (pattern == end)
        return !*name;
    if (*pattern == '*')
        return is_called(name, pattern + 1, end) || (*name && is_called(name + 1, pattern, end));
    return *name == *pattern && is_called(name + 1, pattern + 1, end);
}

struct map {
    const struct scenario_point *point;
    struct fabric *f;
};

static bool node_is(const struct map *m, uint32_t node, const char *pattern, const char *end)
{
    char name[NETWORK_NAME];
    return is_called(network_node_name(m->point, m->f, node, name), pattern, end);
}

/* A-B, at each of its dashes, as names may have some; A->B. */
static bool joins(const struct map *m, uint32_t link, const char *name)
{
    struct fabric_link l = fabric_link(m->f, link);
    const char *end = name + strcspn(name, "#");
    bool is = false;
    for (const char *dash = strchr(name, '-'); dash && dash < end && !is; dash = strchr(dash + 1, '-')) {
        bool one_way = dash[1] == '>';
        const char *behind = dash + 1 + one_way;
        is = (node_is(m, l.from, name, dash) && node_is(m, l.to, behind, end)) ||
             (!one_way && node_is(m, l.to, name, dash) && node_is(m, l.from, behind, end));
    }
    return is;
}

/* And A-B#2. */
static bool link_is(const struct map *m, uint32_t link, const char *name)
{
    const char *number = strchr(name, '#');
    unsigned of;
    return joins(m, link, name) &&
           (!number || strtoul(number + 1, NULL, 10) == network_link_place(m->f, link, &of));
}

static bool concerns(const struct map *m, const struct event *e, uint32_t link)
{
    const char *end = e->name + strlen(e->name);
    struct fabric_link l = fabric_link(m->f, link);
    if (!e->of_switch)
        return link_is(m, link, e->name);
    return (l.from >= fabric_hosts(m->f) && node_is(m, l.from, e->name, end)) ||
           (l.to >= fabric_hosts(m->f) && node_is(m, l.to, e->name, end));
}

/* ---- all of them ---- */

struct changes {
    struct fabric_change *at;
    uint32_t count, room;
};

static bool add_change(struct changes *c, struct fabric_change x, char *why)
{
    if (c->count == CHANGES_MAX)
        return SAY(why, "more than %d changes of links", CHANGES_MAX);
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->at = need(realloc(c->at, c->room * sizeof *c->at));
    }
    c->at[c->count++] = x;
    return true;
}

/* `down`: of each link, so far. */
static bool is_possible(const struct map *m, const struct event *e, uint32_t link, bool *down, char *why)
{
    char name[2 * NETWORK_NAME];
    network_link_name(m->point, m->f, link, name, sizeof name);
    if (e->kind == FABRIC_GETS_RATE)
        return e->rate <= fabric_link(m->f, link).rate ||
               SAY(why, "%s gets more than its own rate, %.9g Gbps", name,
                   (double)fabric_link(m->f, link).rate / 1e9);
    bool goes_down = e->kind == FABRIC_GOES_DOWN, already = down[link] == goes_down;
    down[link] = goes_down;
    return !already ||
           SAY(why, "%s is %s already at %.9g us", name, goes_down ? "down" : "up", (double)e->at / 1e6);
}

static bool change_link(const struct map *m, const struct event *e, uint32_t link, bool *down,
                        struct changes *c, char *why)
{
    return is_possible(m, e, link, down, why) &&
           add_change(c, (struct fabric_change){e->at, link, e->kind, e->rate}, why);
}

/* What is wrong with the name of an event that concerns no link. */
static bool say_unknown(const struct map *m, const struct event *e, char *why)
{
    char first[NETWORK_NAME], last[NETWORK_NAME];
    unsigned of = 0, most = 0;
    for (uint32_t i = 0; i < fabric_links(m->f) && !e->of_switch; i++)
        if (joins(m, i, e->name)) {
            network_link_place(m->f, i, &of);
            most = of > most ? of : most;
        }
    if (most)
        return SAY(why, "no link is '%.60s': of those between two nodes the last is #%u", e->name, most);
    return SAY(why, "no %s is '%.60s'; nodes are %s to %s, as in links.csv", e->of_switch ? "switch" : "link",
               e->name, network_node_name(m->point, m->f, 0, first),
               network_node_name(m->point, m->f, fabric_nodes(m->f) - 1, last));
}

static bool change_links(const struct map *m, const struct event *e, bool *down, struct changes *c, char *why)
{
    uint32_t before = c->count;
    for (uint32_t i = 0; i < fabric_links(m->f); i++)
        if (concerns(m, e, i) && !change_link(m, e, i, down, c, why))
            return false;
    return c->count > before || say_unknown(m, e, why);
}

/* By time, in the order of the list; there are few. */
static void sort(struct event *event, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct event e = event[i];
        size_t k = i;
        for (; k && event[k - 1].at > e.at; k--)
            event[k] = event[k - 1];
        event[k] = e;
    }
}

/* ---- degraded lines ---- */

static enum point_tier tier_of(const struct fabric *f, uint32_t link)
{
    struct fabric_link l = fabric_link(f, link);
    struct fabric_node from = fabric_node(f, l.from), to = fabric_node(f, l.to);
    bool far = from.tier == FABRIC_ROUTER && to.tier == FABRIC_ROUTER && from.group != to.group;
    if (from.tier == FABRIC_HOST || to.tier == FABRIC_HOST)
        return TIER_HOST;
    return far || from.tier == FABRIC_CORE || to.tier == FABRIC_CORE ? TIER_CORE : TIER_LEAF;
}

struct lot {
    uint64_t drawn;
    uint32_t link;
};

static int by_draw(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;
    return x->drawn != y->drawn ? (x->drawn < y->drawn ? -1 : 1) : (x->link > y->link) - (x->link < y->link);
}

/* The lines of the tier, by the draw, each as its lesser link. */
static uint32_t draw_lines(const struct map *m, struct lot *lot)
{
    const struct point_degrade *d = &m->point->degrade;
    uint32_t n = 0;
    for (uint32_t i = 0; i < fabric_links(m->f); i++)
        if (i < fabric_link(m->f, i).reverse && (d->tier == TIER_ALL || tier_of(m->f, i) == d->tier))
            lot[n++] = (struct lot){channel_draw(d->seed, i), i};
    qsort(lot, n, sizeof *lot, by_draw);
    return n;
}

static bool degrade_links(const struct map *m, bool *down, struct changes *c, char *why)
{
    const struct point_degrade *d = &m->point->degrade;
    struct lot *lot = need(calloc(fabric_links(m->f), sizeof *lot));
    struct event e = {.kind = d->rate ? FABRIC_GETS_RATE : FABRIC_GOES_DOWN, .rate = d->rate};
    uint32_t lines = draw_lines(m, lot), n = (uint32_t)(d->share * lines + 0.5);
    bool good = lines || SAY(why, "no line of this network is of topology.degrade.tier");
    for (uint32_t i = 0; i < n && good; i++) {
        uint32_t link = lot[i].link, back = fabric_link(m->f, link).reverse;
        good = change_link(m, &e, link, down, c, why) && change_link(m, &e, back, down, c, why);
    }
    free(lot);
    return good;
}

/* ---- a point ---- */

static void *no_packets(void *user, size_t octets)
{
    (void)user, (void)octets;
    return NULL;
}

/* The network, in which nothing happens; NULL: it is refused elsewhere. */
static struct fabric *map_of(const struct scenario_point *p)
{
    struct fabric_conf c = topology_network(p);
    c.more = no_packets;
    c.trim = c.pfc.on = false;
    size_t size = fabric_size(&c);
    return size ? fabric_init(need(malloc(size)), &c) : NULL;
}

bool link_events_read(const struct scenario_point *p, struct link_events *e, char *why, size_t *number)
{
    static struct changes changes;
    struct event event[EVENTS_MAX];
    size_t n = read_text(p->events, event, why, number);
    bool good = n || !*p->events;
    struct map m = {p, good ? map_of(p) : NULL};
    bool *down = m.f ? need(calloc(fabric_links(m.f), sizeof *down)) : NULL;
    changes.count = 0;
    sort(event, n);
    if (m.f && p->degrade.share > 0) {
        *number = SIZE_MAX;
        good = degrade_links(&m, down, &changes, why);
    }
    for (size_t i = 0; m.f && i < n && good; i++) {
        *number = event[i].number;
        good = change_links(&m, &event[i], down, &changes, why);
    }
    free(down);
    free(m.f);
    *e = (struct link_events){changes.at, changes.count};
    return good;
}
