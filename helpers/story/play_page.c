/* SPDX-License-Identifier: GPL-2.0-or-later */
/* play_page.c -- the page that stories are put into, and the controls of a live one, from the key table (play_page.h). */
#include "helpers/story/play_page.h"

#include <inttypes.h>
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/scenario/scenario.h"
#include "helpers/scenario/scenario_check.h"
#include "helpers/story/play.h"

/* ---- controls ---- */

/* What can be moved, and the stops of its slider; NULL: a choice, a switch or a text, as the key table says. */
struct control {
    const char *key, *stops;
    bool first;        /* shown at once */
    const char *label; /* NULL: that of its axis */
};
static const struct control controls[] = {
    {"channel.loss", "0 0.01 0.02 0.03 0.05 0.08 0.1 0.15 0.2 0.25 0.3 0.4 0.5", true, NULL},
    {"channel.reorder.probability", "0 0.05 0.1 0.15 0.2 0.25 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1", true, NULL},
    {"channel.reorder.displacement", "1 2 3 4 5 6 8 10", true, NULL},
    {"channel.corrupt", "0 0.01 0.02 0.05 0.1 0.2", false, NULL},
    {"channel.duplicate", "0 0.01 0.02 0.05 0.1 0.2", false, NULL},
    {"topology.delay", "0ps 100ns 500ns 1us 2us 5us 10us 20us 50us 100us 200us 500us 1ms", true, NULL},
    {"topology.rate", "1Gbps 2500Mbps 5Gbps 10Gbps 25Gbps 40Gbps 100Gbps 200Gbps 400Gbps", false, NULL},
    {"topology.mtu", "576 1280 1500 2048 4096 9000", false, NULL},
    {"seed",
     "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 "
     "38 39 40",
     true, NULL},
    {"rnic.window.bytes",
     "4KiB 6KiB 8KiB 10KiB 12KiB 13KiB 14KiB 15KiB 16KiB 17KiB 18KiB 19KiB 20KiB 21KiB 22KiB 23KiB 24KiB "
     "28KiB 32KiB 48KiB 64KiB 96KiB 128KiB 256KiB 512KiB 1MiB",
     true, NULL},
    {"rnic.window.policy", NULL, false, NULL},
    {"rnic.receive", NULL, true, NULL},
    {"rnic.staging_bytes", "4KiB 8KiB 16KiB 32KiB 64KiB 128KiB 256KiB 512KiB 1MiB", false, NULL},
    {"rnic.stall.every", "0ps 10us 20us 50us 100us 200us 500us", false, "Stall every"},
    {"rnic.stall.for", "0ps 1us 2us 5us 10us 20us 50us", false, "Stall for"},
    {"rnic.completion.mode", NULL, false, "Completions"},
    {"rnic.completion.count", "1 2 4 8 16", false, "Completions an interrupt"},
    {"topology.routing", NULL, false, NULL},
    {"llp.kind", NULL, false, NULL},
    {"llp.security", NULL, false, NULL},
    {"llp.congestion", NULL, false, NULL},
    {"llp.loss_detection", NULL, false, NULL},
    {"llp.delayed_ack", "1 2 3 4 8", false, "Segments per ack"},
    {"llp.markers", NULL, false, NULL},
    {"llp.crc", NULL, false, "CRC"},
    {"workload.connections", "1 2 3 4", false, NULL},
    {"workload.stags", "1 2 3 4 8", false, "Buffers in turn"},
    {"workload.script", NULL, true, "Script"},
};
enum { CONTROLS = sizeof controls / sizeof *controls };

/* Of a cluster: they stay, whatever goes with what now, as its network can be moved, too. */
static const struct control cluster[] = {
    {"workload.kind", "permutation incast shuffle ring", true, "Traffic"},
    {"topology.routing", NULL, true, NULL},
    {"rnic.receive", NULL, true, NULL},
    {"workload.size", "1KiB 4KiB 16KiB 64KiB 256KiB 1MiB 4MiB", true, "Octets of a message"},
    {"workload.count", "1 2 4 8 16", false, "Messages"},
    {"workload.op", "send write read", false, "Operation"},
    {"workload.notify", NULL, true, "How the program learns"},
    {"rnic.window.policy", NULL, true, NULL},
    {"rnic.window.bytes", "16KiB 32KiB 64KiB 128KiB 256KiB 512KiB 1MiB 4MiB unlimited", true, NULL},
    {"topology.buffer", "16KiB 32KiB 64KiB 128KiB 256KiB 512KiB 1MiB 4MiB", true, NULL},
    {"topology.ecn_threshold", "never 16KiB 32KiB 64KiB 128KiB 256KiB", true, "Mark from (ECN)"},
    {"llp.kind", NULL, true, "Transport"},
    {"llp.congestion", NULL, true, NULL},
    {"llp.recovery", NULL, false, "Recovery"},
    {"llp.paths", "1 2 4 8 16 32 64", false, "Path values"},
    {"llp.path_choice", NULL, false, "Path choice"},
    {"topology.flow_control", NULL, true, "Pause frames"},
    {"topology.trim", NULL, true, "Trimming"},
    {"topology.rate", "1Gbps 10Gbps 25Gbps 40Gbps 100Gbps 200Gbps 400Gbps", false, NULL},
    {"topology.delay", "100ns 500ns 1us 2us 5us 10us 50us", false, NULL},
    {"topology.mtu", "576 1280 1500 4096 9000", false, NULL},
    {"topology.oversubscription", "1 2 4 8", false, NULL},
    {"channel.loss", "0 0.001 0.01 0.05 0.1", false, NULL},
    {"workload.start_jitter", "0ps 1us 10us 100us", false, NULL},
    {"seed", "1 2 3 4 5 6 7 8 9", false, NULL},
};
enum { CLUSTER = sizeof cluster / sizeof *cluster };

static void put_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, ",\"%s\":", name);
    quote_json(out, text, true);
}

static const char *type_of(const struct key *key)
{
    switch (key->rules.type) {
    case VALUE_BOOL: return "switch";
    case VALUE_CHOICE: return "choice";
    case VALUE_TEXT: return "text";
    default: return "slider";
    }
}

/* The words of a choice; those that take an argument are left out. */
static void put_choices(FILE *out, const struct key *key)
{
    const char *before = "";
    fputs(",\"choices\":[", out);
    for (size_t i = 0; i < key->rules.choices_end; i++) {
        const char *word = key->rules.choices[i];
        if (!word || strchr(word, ':'))
            continue;
        fputs(before, out);
        quote_json(out, word, true);
        before = ",";
    }
    putc(']', out);
}

/* Brief: without what is allowed, as each value that can be chosen is. */
static void put_control(FILE *out, const struct control *c, const struct scenario_point *p, bool brief)
{
    const struct key *key = key_find(c->key);
    struct value v;
    char text[VALUE_TEXT_MAX], allowed[512];
    key_load(key, p, &v);
    value_write(&v, &key->rules, text, sizeof text);
    value_allowed(&key->rules, allowed, sizeof allowed);
    fputs("{\"key\":", out);
    quote_json(out, key->name, true);
    put_text(out, "type", c->stops ? "slider" : type_of(key));
    put_text(out, "group", c->first ? "first" : "more");
    put_text(out, "label", c->label ? c->label : key_label(key));
    put_text(out, "what", key->what);
    if (!brief)
        put_text(out, "allowed", allowed);
    put_text(out, "value", text);
    put_text(out, "stops", c->stops ? c->stops : "");
    if (!c->stops || !brief)
        put_choices(out, key);
    putc('}', out);
}

static void put_controls(FILE *out, const struct control *c, size_t count, const struct scenario_point *p,
                         bool all)
{
    const char *before = "";
    for (size_t i = 0; i < count; i++) {
        if (!all && !key_has_use(key_find(c[i].key), p))
            continue;
        fputs(before, out);
        put_control(out, &c[i], p, all);
        before = ",\n";
    }
}

/* Those of a cluster, or of a story. */
static void put_all_controls(FILE *out, const struct scenario_point *p, bool many)
{
    fputs("\"controls\":[", out);
    put_controls(out, controls, many ? 0 : CONTROLS, p, false);
    fputs("],\"cluster\":[", out);
    put_controls(out, cluster, many ? CLUSTER : 0, p, true);
    putc(']', out);
}

/* ---- the scenario's own settings, of one point ---- */

static void put_given(FILE *out, const struct key *key, const struct value *v, struct scenario_place at,
                      const char **before)
{
    char text[VALUE_TEXT_MAX];
    value_write(v, &key->rules, text, sizeof text);
    fprintf(out, "%s[", *before);
    quote_json(out, key->name, true);
    fprintf(out, ",%u,%u,", at.line, at.column);
    quote_json(out, text, true);
    putc(']', out);
    *before = ",";
}

/* Every key that is stated for it; the name of its case stands for keys that are among them. */
static void put_settings(FILE *out, const struct scenario *s, size_t point)
{
    const char *before = "";
    fputs(",\"given\":[", out);
    for (size_t i = 0; i < scenario_keys(s); i++) {
        const struct key *key = scenario_key_at(s, i);
        struct scenario_place at;
        const struct value *v = scenario_stated(s, point, key, &at);
        if (v && strcmp(key->name, "case") != 0)
            put_given(out, key, v, at, &before);
    }
    putc(']', out);
}

/* ---- the module ---- */

void play_base64(FILE *out, const uint8_t *p, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group =
            (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
        char four[] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                       digits[group & 63]};
        for (size_t pad = left; pad < 3; pad++)
            four[pad + 1] = '=';
        fwrite(four, 1, sizeof four, out);
    }
}

/* As it was named; a page says no folder of the machine that made it. */
static const char *file_named(const char *file)
{
    return *file == '/' ? strrchr(file, '/') + 1 : file;
}

/* True: a page of many hosts instead of stories. */
static bool put_live(FILE *out, const struct play_live *live)
{
    struct scenario_point point;
    char error[SCENARIO_ERROR_MAX];
    if (!live || !scenario_point(live->scenario, live->point, live->repeat, &point, error)) {
        fputs("null", out);
        return false;
    }
    bool many = strcmp(live->beside, PLAY_CLUSTER) == 0;
    putc('{', out);
    put_all_controls(out, &point, many);
    put_settings(out, live->scenario, live->point);
    put_text(out, "file", file_named(live->scenario->file));
    put_text(out, "beside", live->beside);
    fprintf(out, ",\"repeat\":%" PRIu32 ",\"module\":\"", live->repeat);
    play_base64(out, live->module, live->module_size);
    fputs("\"}", out);
    return many;
}

/* ---- the page ---- */

static const char about_mark[] = "id=\"about\">"; /* "null" stands behind it */
static const char cluster_mark[] = "<script id=\"cluster\">", story_mark[] = "<script id=\"story\">",
                  script_end[] = "</script>";

/* The page up to `mark`, which is passed over; no `out`: all of it is. */
static void put_page(FILE *out, size_t *at, const char *mark)
{
    size_t start = *at, len = strlen(mark);
    while (*at + len <= play_page_size && memcmp(play_page + *at, mark, len) != 0)
        ++*at;
    if (out)
        fwrite(play_page + start, 1, *at - start, out);
    *at += len;
}

/* A script, where it has a use. */
static void put_script(FILE *out, size_t *at, const char *mark, bool used)
{
    put_page(out, at, mark);
    if (used)
        fputs(mark, out);
    put_page(used ? out : NULL, at, script_end);
    if (used)
        fputs(script_end, out);
}

bool play_write(FILE *out, struct story *const *stories, int count, const struct play_live *live,
                const char *about)
{
    size_t at = 0;
    put_page(out, &at, "/*STORIES*/");
    play_stories(out, stories, live ? 0 : count); /* a live page makes its own */
    put_page(out, &at, "/*LIVE*/");
    bool many = put_live(out, live);
    put_page(out, &at, about_mark);
    fprintf(out, "%s%s", about_mark, about ? about : "null");
    at += strlen("null");
    put_script(out, &at, cluster_mark, many);
    put_script(out, &at, story_mark, !many);
    fwrite(play_page + at, 1, play_page_size - at, out);
    return !ferror(out);
}
