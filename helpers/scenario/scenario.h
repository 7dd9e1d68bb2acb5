/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scenario.h -- a scenario file: settings, a sweep over some of them, repeats.
 *
 *     FILE.yaml --libyaml--> settings, axes  <- --set KEY=VALUE
 *                                |
 *         point(index, repeat) = defaults, preset, settings, one value of each axis; checked as a whole
 *
 * Points are the cross product of the axes, the first axis slowest. Axes that are zipped step together and count as one;
 * they stand next to each other and have equally many values. Cases are named sets of settings; their names are the values
 * of an axis of key `case`, the slowest unless the sweep has it. A point is named by its *label*, the values of its axes
 * ("64KiB/10us"; "all" without axes), so that a value added to an axis renames nothing.
 */
#ifndef HELPERS_SCENARIO_SCENARIO_H
#define HELPERS_SCENARIO_SCENARIO_H

#include <stdio.h>

#include "helpers/base/complaint.h"
#include "helpers/scenario/keys.h"
#include "helpers/scenario/point.h"
#include "llp/sizes.h"

enum { SCENARIO_ERROR_MAX = 1024, SCENARIO_LABEL_MAX = 200, SCENARIO_POINTS_MAX = 10000000 };
enum { SCENARIO_CASES = 64, SCENARIO_CASE_NAME = 40 };
#define SCENARIO_CASE_RULE "1 to 40 octets of plain text that does not begin with [ or #"

/* Where a value was written. line 0: by --set. */
struct scenario_place {
    unsigned line, column;
};
#define scenario_fail(error, file, at, ...) \
    complaint((error), SCENARIO_ERROR_MAX, (at).line ? (file) : NULL, (at).line, (at).column, __VA_ARGS__)

struct scenario_setting {
    const struct key *key;
    struct value value;
    struct scenario_place at;
};

/* What one of `cases:` states; its points keep what else is stated. */
struct scenario_case {
    char name[SCENARIO_CASE_NAME + 1];
    struct scenario_place at;
    size_t settings_count;
    struct scenario_setting *settings;
};

struct scenario_axis {
    const struct key *key;
    bool zipped; /* steps with the axis before it */
    size_t count;
    struct value *values;
    struct scenario_place *at; /* of each */
};

/* A key that the table has not: of one workload of several, or a tenant, named in the scenario, or of some hosts. */
struct scenario_own_key {
    struct key key;
    char name[KEY_NAME_MAX], with[KEY_NAME_MAX], also[KEY_NAME_MAX];
    char load[KEY_LOAD_NAME_MAX]; /* name of the workload or tenant, or the hosts */
    bool of_hosts;
    struct scenario_place seen[2]; /* while the file is read: among settings, in the sweep */
};

struct scenario {
    char *file, *name; /* as given; without folder and ending */
    size_t own_count;
    struct scenario_own_key *
        *own; /* of workloads and tenants all keys, stated or not; of hosts those that are stated; by name */
    uint32_t loads; /* names of `workloads:`, in the order of the alphabet */
    char load[POINT_LOADS][KEY_LOAD_NAME_MAX];
    uint32_t tenants; /* names of `tenants:`, in the same order */
    char tenant[POINT_TENANTS][KEY_LOAD_NAME_MAX];
    struct scenario_conf conf;
    size_t settings_count, axes_count, points;
    struct scenario_setting *settings;
    struct scenario_axis *axes;
    struct scenario_place
        *event_at; /* of each of topology.events, where the file has them as a list; else NULL */
    size_t event_ats;
    size_t cases_count; /* some, and key `case` is swept or set; or none, and it is neither */
    struct scenario_case *cases;
    bool was_pair; /* `world: pair` was read as `world: fabric` with an ideal stream in the place of mpa */
};

/* Read and check everything, all points included. NULL: `error` (SCENARIO_ERROR_MAX octets) is one sentence that names
 * file, line, key and what is allowed. A --set of one value takes the key out of the sweep; of a list, "[a, b]", puts
 * it there; both take it out of the cases. */
struct scenario *scenario_load(const char *file, const char *const *sets, size_t sets_count, char *error);
/* The same without the check of every point, for a process that will ask for one of them; from an open stream. */
struct scenario *scenario_open(const char *file, const char *const *sets, size_t sets_count, char *error);
struct scenario *scenario_read(FILE *in, const char *name, const char *const *sets, size_t sets_count,
                               char *error);
/* The same from values that were read before, as value_write() wrote them, and no file; a --set is of one value. */
struct scenario_given {
    const char *key, *value;
    struct scenario_place at;
};
struct scenario *scenario_from(const char *file, const struct scenario_given *given, size_t count,
                               const char *const *sets, size_t sets_count, char *error);
void scenario_free(struct scenario *s);

/* A key of the table, or one that the scenario names; NULL: neither. */
const struct key *scenario_key(const struct scenario *s, const char *name);
/* What is said of a key in the sweep; for all points; NULL: nothing. */
struct scenario_axis *scenario_axis_of(const struct scenario *s, const struct key *key);
struct scenario_setting *scenario_setting_of(const struct scenario *s, const struct key *key);
/* All of both, first those of the table. */
size_t scenario_keys(const struct scenario *s);
const struct key *scenario_key_at(const struct scenario *s, size_t i);

/* The point `index` (below s->points). False: its values do not go together; `error` says why. */
bool scenario_point(const struct scenario *s, size_t index, uint32_t repeat, struct scenario_point *point,
                    char *error);
/* Points from one value of an axis to its next. */
size_t scenario_stride(const struct scenario *s, size_t axis);
/* The case of a point; the i-th of those that points have. NULL: none. */
const struct scenario_case *scenario_case(const struct scenario *s, size_t index);
const struct scenario_case *scenario_case_at(const struct scenario *s, size_t i);
/* What a case, which may be NULL, says of a key itself; NULL: nothing. */
const struct scenario_setting *scenario_case_says(const struct scenario_case *c, const struct key *key);
/* What is said of a key for a point: by the sweep, else its case, else for all points; `at`: where. NULL: nothing. */
const struct value *scenario_stated(const struct scenario *s, size_t index, const struct key *key,
                                    struct scenario_place *at);
/* Does the sweep, or for some point the file, the sweep or a --set, say anything about this key? */
bool scenario_sweeps(const struct scenario *s, const struct key *key);
bool scenario_states(const struct scenario *s, const struct key *key);
/* Is this switch, which is off by itself, on at some point, or swept? */
bool scenario_switches_on(const struct scenario *s, const struct key *key);
/* The world of some point that only estimates this column; NULL: there is none. */
const char *scenario_estimates(const struct scenario *s, const char *column);
/* The world of a point, without the rest of it. */
enum point_world scenario_world(const struct scenario *s, size_t index);
/* The value of an axis at a point. */
const struct value *scenario_value(const struct scenario *s, size_t index, size_t axis);
/* One that would be longer ends with ~ and the first digits of its SHA-256: no two are equal. */
void scenario_label(const struct scenario *s, size_t index, char label[SCENARIO_LABEL_MAX]);
/* The point with this label, or, when there is none, with this number, "#7" the number at once; s->points when there is
 * neither. */
size_t scenario_find(const struct scenario *s, const char *label);

/* Write it as a scenario file that reads back as the same: what is stated, sweep, plot. */
void scenario_write(const struct scenario *s, FILE *out);

/* Links between two hosts, on a shortest path; between two groups of a dragonfly at packet level: at least. */
uint32_t scenario_hops(const struct scenario_point *p, uint32_t a, uint32_t b);

/* The adapter of a host. */
struct rnic_conf scenario_adapter(const struct scenario_point *p, uint32_t host);

/* Of the link of a host. */
uint64_t scenario_rate(const struct scenario_point *p, uint32_t host);

/* What follows from a point's keys; where a file describes links that differ, of its fastest host and longest path. */
/* Ports of a host that a connection uses. */
uint32_t scenario_dealt(const struct scenario_point *point);

struct scenario_derived {
    uint32_t hops; /* links on a path */
    struct llp_sizes sizes;
    uint32_t fpdu;          /* octets of a full packet but those of IP and TCP: with MPA, of an FPDU */
    uint32_t payload;       /* ULP octets in a full tagged segment */
    uint32_t wire;          /* octets a full packet takes on the link */
    uint64_t serialization; /* picoseconds of that */
    uint64_t path; /* without load: a full packet there, an acknowledgement back, from port to port */
    uint64_t late; /* what the slowest of equally many links takes more, there and back */
    uint64_t rtt;  /* the same with the latencies of the adapters: what a sender measures at least */
    uint64_t bdp;  /* octets: rate x rtt */
    uint64_t span; /* a round trip, and what adapters take twice: with what windows are measured */
    uint32_t flight, track; /* llp.kind packet: of a connection, in packets */
    unsigned window_shift;
    double line_gbps;    /* payload at line rate */
    double window_gbps;  /* what the window allows in that time, at most line_gbps */
    double windows_gbps; /* what those of all connections allow together, at most the links where they end */
};
void scenario_derive(const struct scenario_point *point, struct scenario_derived *derived);
/* Does workload.count say when a point ends, if measure.for does not? */
bool scenario_counted(const struct scenario_point *point);

/* Bits of rnic.track.pool that it takes to remember one packet; with llp.tracking: list 0. */
uint32_t scenario_track_least(const struct scenario_point *point);

/* How long the channel may hold up a packet (ps). */
uint64_t scenario_held_up(const struct scenario_point *point, const struct scenario_derived *derived);
/* llp.max_rto, or what it is by itself: 100 shortest timeouts (RFC 6298's longest is 60 of them, Linux' 600), and never less
 * than the first timeout or twice a round trip through full queues. */
uint64_t scenario_max_rto(const struct scenario_point *point);
/* A timeout that leaves room above a wait: 1, 2 or 5 times a power of ten microseconds, and at least a quarter more. */
enum { SCENARIO_TIME_TEXT = 24 };
const char *scenario_rto_for(uint64_t wait, char text[SCENARIO_TIME_TEXT]);
/* llp.min_rto, or what its word stands for, in picoseconds. */
uint64_t scenario_min_rto(const struct scenario_point *point);
uint64_t scenario_few_rto(const struct scenario_point *point);     /* while few packets are under way */
uint64_t scenario_initial_rto(const struct scenario_point *point); /* TCP's, until a round trip is measured */
/* Does DCQCN have other marks than HPCC's script has for it on such a line, which are `marks`? */
bool scenario_marks_differ(const struct scenario_point *p, struct llp_marks *marks);
/* The largest IP packet of a host, to which llp.security adds what topology.mtu has room for. */
uint32_t scenario_mtu(const struct scenario_point *point);

/* ---- tenants: by number, from 1 ---- */

/* 0: none has this name. */
uint32_t scenario_tenant(const struct scenario_point *p, const char *name);
uint32_t scenario_domain(const struct scenario_point *p, uint32_t tenant); /* its protection domain */
uint32_t scenario_trust(const struct scenario_point *p,
                        uint32_t tenant); /* the first of those that it shares queues with */
/* Do peers of some tenant guess STags, so that octets may be wrong? */
bool scenario_guesses(const struct scenario_point *p);

#endif
