/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.h -- all keys of a scenario. The loader, the checks, `iwarpsim keys`, the man page and shell completion are made from
 * them.
 *
 * They come from the tables of the rooms (model/parameter.h), each row with the place of its value in struct scenario_point;
 * those of KEY_SCENARIO belong to the scenario as a whole and cannot be swept.
 */
#ifndef HELPERS_SCENARIO_KEYS_H
#define HELPERS_SCENARIO_KEYS_H

#include <stdio.h>

#include "helpers/scenario/point.h"
#include "helpers/scenario/value.h"

enum key_scale { SCALE_AUTO, SCALE_LOG, SCALE_PLAIN };

/* What belongs to a scenario and not to one of its points. */
struct scenario_conf {
    char title[VALUE_TEXT_MAX], claim[VALUE_TEXT_MAX];
    uint32_t repeat; /* points are run this often; with `until`, at most */
    double
        until; /* repeats are added until the 95 % interval of the mean is this share of it; 0: a fixed number */
    char until_of[VALUE_TEXT_MAX]; /* the column whose mean it is */
    uint32_t most;
    struct {
        char x[VALUE_TEXT_MAX], y[VALUE_TEXT_MAX], by[VALUE_TEXT_MAX], title[VALUE_TEXT_MAX],
            table[VALUE_TEXT_MAX], panels[VALUE_TEXT_MAX]; /* empty: not given */
        enum key_scale logx;                               /* auto, true, false */
        bool logy;
    } plot;
};

enum key_of { KEY_POINT, KEY_SCENARIO };

struct key {
    const char *name; /* "rnic.window.bytes" */
    struct value_rules rules;
    enum key_of of;
    size_t offset, size;    /* of its member */
    size_t argument;        /* of the member that takes the argument of a choice; 0: none */
    const struct key *like; /* the row of the table it is like, of one workload or some hosts; NULL: a row */
    unsigned load;          /* which workload, or override: its number in struct scenario_point */
    const char *also, *also_is; /* beside `with` and `is`, another key and its values; NULL: none */
    const char *initial;        /* default, as written; below rnic.: that of preset `ideal` */
    const char *label;          /* what an axis says; NULL: the last part of its name */
    const char *what;           /* one sentence */
    const char *counts, *acts;  /* what it counts: "octets per connection"; where it acts. May be NULL */
    const char *with,
        *is; /* it means something only when key `with` has one of these values; `is` NULL: when it has any;
                              `with` NULL: always */
};

/* All keys in the order of the documentation. Built at the first call, never freed. */
const struct key *keys_all(size_t *count);
/* The key behind this one, of NULL the first; NULL behind the last. */
const struct key *key_next(const struct key *key);
const struct key *key_find(const char *name);
/* The same, or the row that a key of one of several workloads, or of some hosts, is like: `workloads.incast.load` is like
 * `workload.load`, `hosts.3.rnic.stall.for` like `rnic.stall.for`. */
const struct key *key_like(const char *name);
enum { KEY_LOAD_NAME_MAX = 32, KEY_NAME_MAX = 256 };
#define KEY_LOAD_NAME_RULE "a letter, then letters, digits, - and _, at most 31 together"
/* Is it `workloads.NAME` or `workloads.NAME.` and more? Then `load` is NAME. */
bool key_names_load(const char *name, char load[KEY_LOAD_NAME_MAX]);
/* The same of `tenants.NAME`. */
bool key_names_tenant(const char *name, char tenant[KEY_LOAD_NAME_MAX]);
/* Is it `hosts.LIST.` and more, LIST a host or a range of them? Then `list` is LIST. */
bool key_names_hosts(const char *name, char list[KEY_LOAD_NAME_MAX]);
/* Why hosts cannot have a key of the table for themselves; NULL: they can. */
const char *key_not_of_hosts(const struct key *key);
/* Why one workload of several cannot have a key of the table for itself; NULL: it can. */
const char *key_not_of_load(const struct key *key);
/* As one workload of several calls a row: `workloads.NAME.load`, `workloads.NAME.llp.ecn`. */
void key_name_of_load(const struct key *row, const char *load, char name[KEY_NAME_MAX]);
/* The key of a workload, number `load`, that is like `row`; its name and what it goes with are yours to give. */
struct key key_of_load(const struct key *row, unsigned load);
/* The same of a tenant. Is it a key of a tenant, or the row that those are like? */
struct key key_of_tenant(const struct key *row, unsigned tenant);
void key_name_of_tenant(const struct key *row, const char *tenant, char name[KEY_NAME_MAX]);
bool key_is_of_tenant(const struct key *key);
/* What an axis says of a key: "Receive window"; its last word where nothing better is known. */
const char *key_label(const struct key *key);
/* True when some key starts with `prefix` and a dot: it names a group. */
bool key_is_group(const char *prefix);
/* What the field's word for it is called here, or the known key or group that is closest to a wrong one, NULL when none is close. Valid until the next call. */
const char *key_suggest(const char *wrong);
/* The same among the words of a choice. */
const char *key_suggest_choice(const struct key *key, const char *wrong);

/* Write a value to its member; read it back. `base`: struct scenario_point or struct scenario_conf. */
void key_store(const struct key *key, const struct value *v, void *base);
void key_load(const struct key *key, const void *base, struct value *v);
/* The same as a scenario has it: "64KiB". */
void key_text(const struct key *key, const void *base, char text[VALUE_TEXT_MAX]);

/* Every member at its default; the adapter as the preset of that name says (rnic.preset must be known), drawn by the seed
 * and rnic.draw of the point. */
void keys_defaults(struct scenario_point *point, struct scenario_conf *conf);
void keys_preset(struct scenario_point *point, const char *preset);

#endif
