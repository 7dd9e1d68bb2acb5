/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/topology_file.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/scenario/yaml_text.h"

enum {
    HOSTS_MAX = 1 << 16,
    SWITCHES_MAX = 1024,
    LINKS_MAX = 1 << 17,
    TABLES_MAX = 1 << 28, /* octets: for each pair of switches, a bit for each port of the widest */
    NAME_LONGEST = 31,
};

struct name {
    const char *text;
    uint32_t node;
};

struct reader {
    struct yaml_text yaml;
    struct topology_file *t;
    struct name *sorted; /* of the nodes, by text */
    uint32_t *ports,
        *set; /* of each node: links; a parent, in the forest of what is joined, with several ports by switches */
};

#define FAIL(r, node, ...) yaml_fail(&(r)->yaml, yaml_place(&(r)->yaml, (node)), __VA_ARGS__)

static uint32_t nodes_of(const struct topology_file *t)
{
    return t->hosts + t->switches;
}

/* ---- names ---- */

static bool is_name(const char *text)
{
    size_t len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return len && !text[len] && len <= NAME_LONGEST;
}

static bool read_name(struct reader *r, const yaml_node_t *node, char **name)
{
    if (node->type != YAML_SCALAR_NODE || !yaml_is_plain(node) || !is_name(yaml_scalar(node)))
        return FAIL(r, node, "a name has 1 to %d letters, digits or . _ -", NAME_LONGEST);
    *name = need(strdup(yaml_scalar(node)));
    return true;
}

static uint32_t length_of(const yaml_node_t *list)
{
    return (uint32_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

static bool read_names(struct reader *r, const char *key, const yaml_node_t *list, uint32_t *count,
                       uint32_t most)
{
    struct topology_file *t = r->t;
    if (!list || list->type != YAML_SEQUENCE_NODE || !length_of(list) || length_of(list) > most)
        return FAIL(r, list, "%s: must be a list of 1 to %u names", key, most);
    uint32_t known = nodes_of(t);
    t->names = need(realloc(t->names, (known + length_of(list)) * sizeof *t->names));
    for (uint32_t i = 0; i < length_of(list); i++) {
        if (!read_name(r, yaml_node(&r->yaml, list->data.sequence.items.start[i]), &t->names[known + i]))
            return false;
        ++*count;
    }
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static bool sort_names(struct reader *r, const yaml_node_t *root)
{
    uint32_t nodes = nodes_of(r->t);
    r->sorted = need(calloc(nodes, sizeof *r->sorted));
    for (uint32_t i = 0; i < nodes; i++)
        r->sorted[i] = (struct name){r->t->names[i], i};
    qsort(r->sorted, nodes, sizeof *r->sorted, by_text);
    for (uint32_t i = 1; i < nodes; i++)
        if (strcmp(r->sorted[i - 1].text, r->sorted[i].text) == 0)
            return FAIL(r, root, "two nodes are named %s", r->sorted[i].text);
    return true;
}

static bool find_name(struct reader *r, const char *part, const yaml_node_t *node, uint32_t *number)
{
    bool text = node->type == YAML_SCALAR_NODE && yaml_is_plain(node);
    const struct name key = {text ? yaml_scalar(node) : "", 0};
    const struct name *found = bsearch(&key, r->sorted, nodes_of(r->t), sizeof key, by_text);
    if (!found)
        return FAIL(r, node, "%s: '%.40s' is neither a host nor a switch of this file", part, key.text);
    *number = found->node;
    return true;
}

/* ---- links ---- */

static bool read_ends(struct reader *r, const yaml_node_t *list, struct topology_link *l)
{
    if (list->type != YAML_SEQUENCE_NODE || length_of(list) != 2)
        return FAIL(r, list, "between: must be two names, [a, b]");
    const yaml_node_item_t *item = list->data.sequence.items.start;
    if (!find_name(r, "between", yaml_node(&r->yaml, item[0]), &l->a) ||
        !find_name(r, "between", yaml_node(&r->yaml, item[1]), &l->b))
        return false;
    return l->a != l->b || FAIL(r, list, "between: a link must join two different nodes");
}

static bool read_port_number(struct reader *r, const char *name, const char *key, const yaml_node_t *node,
                             uint64_t *number)
{
    struct value v;
    char why[VALUE_WHY_MAX] = "has no value", allowed[SCENARIO_ERROR_MAX / 2];
    const struct value_rules *rules = &key_find(key)->rules;
    const char *text = node->type == YAML_SCALAR_NODE && yaml_is_plain(node) ? yaml_scalar(node) : "";
    if (*text && value_read(&v, rules, text, why)) {
        *number = v.n;
        return true;
    }
    value_allowed(rules, allowed, sizeof allowed);
    return FAIL(r, node, "%s: '%.40s' %s; allowed: %s", name, text, why, allowed);
}

static bool is_key(const yaml_node_t *key, const char *name)
{
    return key->type == YAML_SCALAR_NODE && yaml_is_plain(key) && strcmp(yaml_scalar(key), name) == 0;
}

static bool read_link_pair(struct reader *r, const yaml_node_t *key, const yaml_node_t *value,
                           struct topology_link *l)
{
    if (is_key(key, "between"))
        return read_ends(r, value, l);
    if (is_key(key, "rate"))
        return read_port_number(r, "rate", "topology.rate", value, &l->rate);
    if (is_key(key, "delay"))
        return read_port_number(r, "delay", "topology.delay", value, &l->delay);
    return FAIL(r, key, "a link takes the keys between, rate and delay");
}

static uint32_t root_of(struct reader *r, uint32_t node)
{
    while (r->set[node] != node)
        node = r->set[node] = r->set[r->set[node]];
    return node;
}

/* One more of a host. */
static bool take_port(struct reader *r, const yaml_node_t *map, uint32_t host, uint32_t number)
{
    struct topology_file *t = r->t;
    uint32_t *own = &t->host_link[host * t->ports], n = r->ports[host], ports = t->own_ports[host];
    if (n > ports)
        return FAIL(r, map, "host %s has %u links, but %u port%s, as ports: says", t->names[host], n, ports,
                    ports > 1 ? "s" : "");
    own[n - 1] = number;
    return t->link[*own].rate == t->link[number].rate ||
           FAIL(r, map, "host %s has links of several rates, but its ports have one rate", t->names[host]);
}

static bool join_link(struct reader *r, const yaml_node_t *map, uint32_t number)
{
    const struct topology_link *l = &r->t->link[number];
    const uint32_t ends[2] = {l->a, l->b}, hosts = r->t->hosts;
    if (l->a < hosts && l->b < hosts)
        return FAIL(r, map, "a link joins the hosts %s and %s, but only switches may join hosts",
                    r->t->names[l->a], r->t->names[l->b]);
    for (int i = 0; i < 2; i++) {
        r->ports[ends[i]]++;
        if (ends[i] < hosts && !take_port(r, map, ends[i], number))
            return false;
    }
    if (r->t->ports == 1 || (l->a >= hosts && l->b >= hosts))
        r->set[root_of(r, l->a)] = root_of(r, l->b);
    return true;
}

static bool read_link(struct reader *r, const yaml_node_t *map, uint32_t number)
{
    struct topology_link *l = &r->t->link[number];
    *l = (struct topology_link){.rate = TOPOLOGY_UNSAID, .delay = TOPOLOGY_UNSAID};
    if (map->type != YAML_MAPPING_NODE)
        return FAIL(r, map, "a link must be {between: [a, b], rate: 100Gbps, delay: 1us}");
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++)
        if (!read_link_pair(r, yaml_node(&r->yaml, p->key), yaml_node(&r->yaml, p->value), l))
            return false;
    if (l->a == l->b)
        return FAIL(r, map, "a link needs between: [a, b]");
    return join_link(r, map, number);
}

static bool read_links(struct reader *r, const yaml_node_t *list)
{
    struct topology_file *t = r->t;
    if (!list || list->type != YAML_SEQUENCE_NODE || !length_of(list) || length_of(list) > LINKS_MAX)
        return FAIL(r, list, "links: must be a list of 1 to %d links", LINKS_MAX);
    t->links = length_of(list);
    t->link = need(calloc(t->links, sizeof *t->link));
    t->host_link = need(calloc((size_t)t->hosts * t->ports, sizeof *t->host_link));
    r->ports = need(calloc(nodes_of(t), sizeof *r->ports));
    r->set = need(calloc(nodes_of(t), sizeof *r->set));
    for (uint32_t i = 0; i < nodes_of(t); i++)
        r->set[i] = i;
    for (uint32_t i = 0; i < t->links; i++)
        if (!read_link(r, yaml_node(&r->yaml, list->data.sequence.items.start[i]), i))
            return false;
    return true;
}

/* ---- the whole ---- */

enum part { HOSTS, SWITCHES, LINKS, PORTS, PARTS };
static const char *const parts[PARTS] = {"hosts", "switches", "links", "ports"};
#define FORM "a topology takes the keys hosts, switches, links and ports"

static bool find_parts(struct reader *r, const yaml_node_t *root, const yaml_node_t *found[PARTS])
{
    if (!root || root->type != YAML_MAPPING_NODE)
        return yaml_fail(&r->yaml, ((struct scenario_place){1, 1}), FORM);
    for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_node(&r->yaml, p->key);
        int part = 0;
        while (part < PARTS && !is_key(key, parts[part]))
            part++;
        if (part == PARTS)
            return FAIL(r, key, FORM);
        if (found[part])
            return FAIL(r, key, "%s: is given twice", parts[part]);
        found[part] = yaml_node(&r->yaml, p->value);
    }
    for (int part = 0; part < PORTS; part++)
        if (!found[part])
            return FAIL(r, root, "%s: is missing", parts[part]);
    return true;
}

static bool read_port_count(struct reader *r, const yaml_node_t *node, uint8_t *ports)
{
    uint64_t number;
    bool good = read_port_number(r, "ports", "topology.ports", node, &number);
    if (good)
        *ports = (uint8_t)number;
    return good;
}

/* Of one host. */
static bool read_own_ports(struct reader *r, const yaml_node_t *name, const yaml_node_t *node)
{
    struct topology_file *t = r->t;
    uint32_t host;
    if (!find_name(r, "ports", name, &host))
        return false;
    if (host >= t->hosts)
        return FAIL(r, name, "ports: %s is a switch, which has a port for each of its links", t->names[host]);
    if (t->own_ports[host])
        return FAIL(r, name, "ports: %s is given twice", t->names[host]);
    return read_port_count(r, node, &t->own_ports[host]);
}

/* Of all hosts, or of those that are named. */
static bool read_ports(struct reader *r, const yaml_node_t *node)
{
    struct topology_file *t = r->t;
    bool named = node && node->type == YAML_MAPPING_NODE;
    uint8_t others = 1;
    if (node && !named && !read_port_count(r, node, &others))
        return false;
    t->own_ports = need(calloc(t->hosts, sizeof *t->own_ports));
    for (yaml_node_pair_t *p = named ? node->data.mapping.pairs.start : NULL;
         p && p < node->data.mapping.pairs.top; p++)
        if (!read_own_ports(r, yaml_node(&r->yaml, p->key), yaml_node(&r->yaml, p->value)))
            return false;
    for (uint32_t h = 0; h < t->hosts; h++) {
        t->own_ports[h] = t->own_ports[h] ? t->own_ports[h] : others;
        t->ports = t->own_ports[h] > t->ports ? t->own_ports[h] : t->ports;
    }
    return true;
}

/* Each host has its links, and every node can be reached, but for what several ports allow. */
static bool is_one_network(struct reader *r, const yaml_node_t *list)
{
    const struct topology_file *t = r->t;
    for (uint32_t i = 0; i < nodes_of(t); i++)
        if (!r->ports[i] || (t->ports == 1 && root_of(r, i) != root_of(r, 0)))
            return FAIL(r, list, "links: %s is not joined to %s", t->names[i], t->names[i ? 0 : 1]);
        else if (i < t->hosts && r->ports[i] < t->own_ports[i])
            return FAIL(r, list, "links: host %s has %u link%s, but %u ports", t->names[i], r->ports[i],
                        r->ports[i] > 1 ? "s" : "", t->own_ports[i]);
    return true;
}

static bool has_port_there(struct reader *r, uint32_t host, uint32_t root)
{
    const struct topology_file *t = r->t;
    bool has = false;
    for (uint32_t i = 0; i < t->own_ports[host] && !has; i++) {
        const struct topology_link *l = &t->link[t->host_link[host * t->ports + i]];
        has = root_of(r, l->a == host ? l->b : l->a) == root;
    }
    return has;
}

/* A packet stays among the switches that it enters. */
static bool hosts_are_everywhere(struct reader *r, const yaml_node_t *list)
{
    const struct topology_file *t = r->t;
    for (uint32_t s = t->hosts; s < nodes_of(t) && t->ports > 1; s++)
        for (uint32_t h = 0; h < t->hosts && root_of(r, s) == s; h++)
            if (!has_port_there(r, h, s))
                return FAIL(r, list, "links: no port of %s is joined to %s and the switches around it",
                            t->names[h], t->names[s]);
    return true;
}

static bool is_small(struct reader *r, const yaml_node_t *list)
{
    uint64_t widest = 0, switches = r->t->switches;
    for (uint32_t i = r->t->hosts; i < nodes_of(r->t); i++)
        widest = r->ports[i] > widest ? r->ports[i] : widest;
    return switches * switches * ((widest + 63) / 64 * 8) <= TABLES_MAX ||
           FAIL(r, list, "links: %u switches, one of them with %u links, exceed the limits", r->t->switches,
                (unsigned)widest);
}

static bool read_root(void *reader, const yaml_node_t *root)
{
    struct reader *r = reader;
    const yaml_node_t *found[PARTS] = {NULL};
    if (!find_parts(r, root, found) || !read_names(r, "hosts", found[HOSTS], &r->t->hosts, HOSTS_MAX) ||
        !read_names(r, "switches", found[SWITCHES], &r->t->switches, SWITCHES_MAX))
        return false;
    if (r->t->hosts < 2)
        return FAIL(r, found[HOSTS], "hosts: a network needs two or more");
    return sort_names(r, root) && read_ports(r, found[PORTS]) && read_links(r, found[LINKS]) &&
           is_one_network(r, found[LINKS]) && hosts_are_everywhere(r, found[LINKS]) &&
           is_small(r, found[LINKS]);
}

static bool read_file(void *item, FILE *in, char *error)
{
    struct topology_file *t = item;
    struct reader r = {.yaml = {.file = t->file.name, .what = "a topology", .error = error}, .t = t};
    bool good = yaml_stream_read(&r.yaml, in, read_root, &r);
    free(r.sorted);
    free(r.ports);
    free(r.set);
    return good;
}

static void forget(void *item)
{
    struct topology_file *t = item;
    for (uint32_t i = 0; i < nodes_of(t); i++)
        free(t->names[i]);
    free(t->names);
    free(t->own_ports);
    free(t->link);
    free(t->host_link);
}

const struct topology_file *topology_file_find(const char *beside, const char *name, char *error)
{
    static struct named_store networks = {.what = "topologies",
                                          .room = "topologies",
                                          .ending = ".yaml",
                                          .size = sizeof(struct topology_file),
                                          .most = 64,
                                          .read = read_file,
                                          .forget = forget};
    return named_store_find(&networks, beside, name, error);
}
