/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/case.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/wire.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/judge/catalogue.h"
#include "helpers/scenario/yaml_text.h"
#include "llp/mpa.h"

/* ---- octets ---- */

struct cursor {
    uint8_t *out;
    uint32_t len, room;
};

static bool put_in_case(struct cursor *c, const uint8_t *octets, uint32_t len)
{
    if (len > c->room - c->len)
        return false;
    memcpy(c->out + c->len, octets, len);
    c->len += len;
    return true;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "c140", "78*100" */
static bool put_hex(struct cursor *c, const char *p, const char *end)
{
    uint8_t octets[CASE_TEXT];
    uint32_t n = 0, times = 1;
    const char *star = memchr(p, '*', (size_t)(end - p));
    if (star && (sscanf(star + 1, "%" SCNu32, &times) != 1 || times > 70000))
        return false;
    for (const char *to = star ? star : end; p < to; p += 2, n++) {
        int high = digit(p[0]), low = p + 1 < to ? digit(p[1]) : -1;
        if (high < 0 || low < 0)
            return false;
        octets[n] = (uint8_t)(high << 4 | low);
    }
    for (uint32_t i = 0; i < times; i++)
        if (!put_in_case(c, octets, n))
            return false;
    return n > 0;
}

/* Is this name what the first `len` octets are? */
static bool is_word(const char *name, const char *p, size_t len)
{
    return strlen(name) == len && strncmp(name, p, len) == 0;
}

enum word_needs { NEEDS_MEMORY, NEEDS_REGIONS, NEEDS_READ };

static bool knows_word(const struct case_memory *m, enum word_needs needs)
{
    switch (needs) {
    case NEEDS_READ: return m->asked;
    case NEEDS_REGIONS: return m->known && !m->plain;
    default: return m->known;
    }
}

/* "$addr+8": 8 octets; "$rw": 4. 1, -1: no such word, -2: its value is not known. */
static int put_word(struct cursor *c, const char *p, const char *end, const struct case_memory *m)
{
    const struct live_told *t = &m->told;
    const struct {
        const char *name;
        uint64_t value;
        uint32_t octets;
        enum word_needs needs;
    } words[] = {{"stag", t->stag[SCRIPT_HOME], 4, NEEDS_MEMORY},
                 {"rw", t->stag[SCRIPT_HOME], 4, NEEDS_MEMORY},
                 {"ro", t->stag[SCRIPT_READABLE], 4, NEEDS_REGIONS},
                 {"wo", t->stag[SCRIPT_WRITABLE], 4, NEEDS_REGIONS},
                 {"pd", t->stag[SCRIPT_FOREIGN], 4, NEEDS_REGIONS},
                 {"none", t->stag[SCRIPT_NOTHING], 4, NEEDS_MEMORY},
                 {"len", t->len, 4, NEEDS_MEMORY},
                 {"addr", t->to, 8, NEEDS_MEMORY},
                 {"end", t->to + t->len, 8, NEEDS_MEMORY},
                 {"sink", m->sink, 4, NEEDS_READ},
                 {"size", m->size, 4, NEEDS_READ},
                 {"to", m->to, 8, NEEDS_READ}};
    uint8_t octets[8];
    size_t name = strcspn(p, "+- ");
    long long more = p + name < end && p[name] != ' ' ? strtoll(p + name, NULL, 10) : 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!is_word(words[i].name, p, name))
            continue;
        uint64_t value = words[i].value + (uint64_t)more;
        if (!knows_word(m, words[i].needs))
            return -2;
        if (words[i].octets == 8)
            iw_put64(octets, value);
        else
            iw_put32(octets, (uint32_t)value);
        return put_in_case(c, octets, words[i].octets) ? 1 : -1;
    }
    return -1;
}

int case_octets(const char *text, const struct case_memory *m, uint8_t *out, uint32_t room)
{
    struct cursor c = {out, 0, room};
    bool known = true;
    for (const char *p = text; *p;) {
        const char *end = p + strcspn(p, " ");
        int got = *p == '$' ? put_word(&c, p + 1, end, m) : p == end || put_hex(&c, p, end) ? 1 : -1;
        if (got == -1)
            return -1;
        known &= got != -2;
        p = *end ? end + 1 : end;
    }
    return known ? (int)c.len : -2;
}

bool case_memory_read(const char *text, void *memory)
{
    unsigned long long value[3];
    int used = 0;
    if (sscanf(text, "%lli:%lli:%lli%n", (long long *)&value[0], (long long *)&value[1],
               (long long *)&value[2], &used) != 3 ||
        text[used] || value[0] > UINT32_MAX || value[2] > UINT32_MAX)
        return false;
    struct case_memory *m = memory;
    *m = (struct case_memory){
        .known = true, .plain = true, .told = {.to = value[1], .len = (uint32_t)value[2]}};
    for (int i = 0; i < SCRIPT_MEMORIES; i++)
        m->told.stag[i] = (iw_stag)(i == SCRIPT_NOTHING || i == SCRIPT_FOREIGN ? ~value[0] : value[0]);
    return true;
}

/* ---- requests ---- */

enum { FLAGS = 16, RESERVED = 0x0f }; /* of a start-up frame */

/* One word of a start-up frame, with its number where it has one; where the next begins, NULL: no such word. `exact`: the
 * Reply's depths are as it says, whatever the Request's are. */
static const char *take_word(const char *p, struct mpa_frame *f, bool *exact)
{
    const struct {
        const char *name;
        bool *flag;
        uint8_t rtr;
    } flags[] = {{"rtr-send", &f->peer_to_peer, MPA_RTR_SEND},
                 {"rtr-write", &f->peer_to_peer, MPA_RTR_WRITE},
                 {"rtr-read", &f->peer_to_peer, MPA_RTR_READ},
                 {"enhanced", &f->enhanced, 0},
                 {"crc", &f->crc, 0},
                 {"markers", &f->markers, 0},
                 {"reject", &f->rejected, 0},
                 {"exact", exact, 0}};
    size_t n = strcspn(p, " ");
    unsigned value = 0;
    int used = 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (is_word(flags[i].name, p, n)) {
            *flags[i].flag = true;
            f->rtr |= flags[i].rtr;
            return p + n;
        }
    if (is_word("reserved", p, n))
        f->reserved = RESERVED;
    else if (sscanf(p, "rev %u%n", &value, &used) == 1 && used)
        f->rev = (uint8_t)value;
    else if (sscanf(p, "ird %u%n", &value, &used) == 1 && used)
        f->ird = (uint16_t)value;
    else if (sscanf(p, "ord %u%n", &value, &used) == 1 && used)
        f->ord = (uint16_t)value;
    else if (sscanf(p, "private %u%n", &value, &used) == 1 && used && value <= 512)
        f->private_len = (uint16_t)value;
    else
        return NULL;
    return p + (used ? (size_t)used : n);
}

/* What a responder may answer (RFC 6581 9.1, 10): nothing enhanced where that was not asked for, and an ORD of at most the
 * initiator's IRD. */
static void fit_request(struct mpa_frame *reply, const struct mpa_frame *request, bool exact)
{
    enum { BY_ULP = 0x3fff };
    if (reply->enhanced && !request->enhanced) {
        reply->enhanced = reply->peer_to_peer = false;
        reply->rev = request->rev;
    } else if (!exact && reply->ord > request->ird && request->ird != BY_ULP) {
        reply->ord = request->ird;
    }
}

int case_frame(const char *text, const struct mpa_frame *request, const uint8_t *private_data,
               uint16_t private_len, uint8_t *out, uint32_t room)
{
    static const uint8_t nothing[512];
    static const struct case_memory none;
    struct mpa_frame f = {.reply = request != NULL, .rev = 2, .private_data = nothing};
    bool exact = false;
    if (strncmp(text, "raw ", 4) == 0)
        return case_octets(text + 4, &none, out, room);
    if (room < MPA_FRAME_MAX)
        return -1;
    for (const char *p = *text ? text : "rev 2 enhanced ird 4 ord 4 crc"; *p;) {
        p = take_word(p, &f, &exact);
        if (!p)
            return -1;
        p += *p == ' ';
    }
    if (request)
        fit_request(&f, request, exact);
    if (!f.private_len && private_len) {
        f.private_data = private_data;
        f.private_len = private_len;
    }
    uint32_t n = mpa_frame_put(out, &f);
    out[FLAGS] |= f.reserved; /* which no sender may set */
    return n ? (int)n : -1;
}

/* ---- the file ---- */

struct reader {
    struct yaml_text yaml;
    struct judge_case *cases;
    size_t count;
};

#define FAIL(...) yaml_fail(&r->yaml, yaml_place(&r->yaml, node), __VA_ARGS__)

/* A scalar into a text of `room` octets. */
static bool take_text(struct reader *r, const yaml_node_t *node, const char *what, char *out, size_t room)
{
    if (node->type != YAML_SCALAR_NODE || !yaml_is_plain(node))
        return FAIL("%s: must be text", what);
    if (strlen(yaml_scalar(node)) >= room)
        return FAIL("%s: must be text of at most %zu octets", what, room - 1);
    snprintf(out, room, "%s", yaml_scalar(node));
    return true;
}

#define STEP_ROW(kind, name, number, octets) {name, number, octets},
static bool take_step(struct reader *r, const yaml_node_t *node, struct case_step *s)
{
    static const struct {
        const char *name;
        bool number, octets;
    } kinds[STEP_KINDS] = {STEP_TABLE(STEP_ROW)};
    static const struct case_memory any = {.known = true, .asked = true};
    uint8_t octets[70000];
    char text[CASE_TEXT] = "";
    if (!take_text(r, node, "a step", text, sizeof text))
        return false;
    size_t word = strcspn(text, " ");
    for (int k = 0; k < STEP_KINDS; k++) {
        const char *rest = text + word + (text[word] == ' ');
        if (!is_word(kinds[k].name, text, word))
            continue;
        s->kind = (enum case_step_kind)k;
        int used = 0;
        if (kinds[k].number && (sscanf(rest, "%" SCNu32 "%n", &s->n, &used) != 1 || s->n > 60000))
            return FAIL("\"%s\" needs a number, at most 60000, not \"%s\"", kinds[k].name, rest);
        rest += used + (rest[used] == ' ' && used);
        if (kinds[k].octets && case_octets(rest, &any, octets, sizeof octets) < 0)
            return FAIL("\"%s\": octets are pairs of hexadecimal digits, also 78*100, and $stag $rw $ro $wo "
                        "$pd $none "
                        "$len $addr $end $sink $to $size, not \"%s\"",
                        kinds[k].name, rest);
        if (!kinds[k].octets && *rest)
            return FAIL("\"%s\": \"%s\" is too large", kinds[k].name, rest);
        snprintf(s->text, sizeof s->text, "%s", rest);
        return true;
    }
    return FAIL("a step is ulpdu, bad-crc, bad-length, bad-marker, used-pad, cut N, dribble, raw, gap MS, "
                "hold, flush or "
                "fin, not \"%s\"",
                text);
}

static bool take_reading(struct reader *r, const yaml_node_t *node, char *out, size_t room)
{
    static const char *const words[] = {"open", "closed", "rejected", "silent"};
    int layer, type, used = 0;
    unsigned code;
    if (!take_text(r, node, "accept", out, room))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], out) == 0)
            return true;
    if (sscanf(out, "%1d/%1d/%2x%n", &layer, &type, &code, &used) == 3 && !out[used])
        return true;
    return FAIL(
        "accept: a reading is open, closed, rejected, silent or a Terminate such as 1/1/00, not \"%s\"", out);
}

static bool take_requirement(struct reader *r, const yaml_node_t *node, char *out, size_t room)
{
    if (!take_text(r, node, "requirements", out, room))
        return false;
    return catalogue_find(out) >= 0 || FAIL("requirements: no requirement is named \"%s\"", out);
}

static bool take_response(struct reader *r, const yaml_node_t *node, char *out, size_t room)
{
    static const struct case_memory any = {.known = true, .asked = true};
    uint8_t octets[CASE_TEXT * 8];
    if (!take_text(r, node, "responses", out, room))
        return false;
    return case_octets(out, &any, octets, sizeof octets) >= 0 ||
           FAIL("responses: \"%s\" is not a list of octets", out);
}

/* Each entry of a list. */
#define TAKE_LIST(list, count, most, call)                                                                 \
    do {                                                                                                   \
        if ((list)->type != YAML_SEQUENCE_NODE)                                                            \
            return FAIL("must be a list");                                                                 \
        for (yaml_node_item_t *i = (list)->data.sequence.items.start; i < (list)->data.sequence.items.top; \
             i++) {                                                                                        \
            const yaml_node_t *item = yaml_node(&r->yaml, *i);                                             \
            if ((count) == (most))                                                                         \
                return FAIL("at most %d entries are allowed", (int)(most));                                \
            if (!(call))                                                                                   \
                return false;                                                                              \
            (count)++;                                                                                     \
        }                                                                                                  \
    } while (0)

static bool take_start(struct reader *r, const yaml_node_t *node, struct judge_case *c, const char *key)
{
    static const struct mpa_frame any = {.enhanced = true};
    uint8_t frame[MPA_FRAME_MAX + CASE_TEXT];
    c->initiates = strcmp(key, "reply") == 0;
    if (!take_text(r, node, key, c->start, sizeof c->start))
        return false;
    return case_frame(c->start, c->initiates ? &any : NULL, NULL, 0, frame, sizeof frame) >= 0 ||
           FAIL("%s: words are rev N, enhanced, ird N, ord N, crc, markers, reject, exact, reserved, "
                "rtr-send, "
                "rtr-write, "
                "rtr-read, private N, or "
                "raw and octets, not \"%s\"",
                key, c->start);
}

static bool take_pair(struct reader *r, struct judge_case *c, const char *key, const yaml_node_t *node)
{
    char text[16];
    if (strcmp(key, "id") == 0)
        return take_text(r, node, key, c->name, sizeof c->name);
    if (strcmp(key, "from") == 0)
        return take_text(r, node, key, c->from, sizeof c->from);
    if (strcmp(key, "start") == 0 || strcmp(key, "reply") == 0)
        return take_start(r, node, c, key);
    if (strcmp(key, "requirements") == 0)
        TAKE_LIST(node, c->requirements, 4,
                  take_requirement(r, item, c->requirement[c->requirements], sizeof *c->requirement));
    else if (strcmp(key, "steps") == 0)
        TAKE_LIST(node, c->steps, CASE_STEPS, take_step(r, item, &c->step[c->steps]));
    else if (strcmp(key, "accept") == 0)
        TAKE_LIST(node, c->accepts, CASE_ACCEPTS,
                  take_reading(r, item, c->accept[c->accepts], sizeof *c->accept));
    else if (strcmp(key, "responses") == 0)
        TAKE_LIST(node, c->responses, 4,
                  take_response(r, item, c->response[c->responses], sizeof *c->response));
    else if (strcmp(key, "markers") == 0) {
        if (!take_text(r, node, key, text, sizeof text) || strcmp(text, "true") != 0)
            return FAIL("markers: must be true or absent");
        c->markers = true;
    } else if (strcmp(key, "waits") == 0) {
        if (!take_text(r, node, key, text, sizeof text) || strcmp(text, "true") != 0)
            return FAIL("waits: must be true or absent");
        c->waits = true;
    } else if (strcmp(key, "probe") == 0) {
        if (!take_text(r, node, key, text, sizeof text) || sscanf(text, "%" SCNu32, &c->probe) != 1)
            return FAIL("probe: must be the MSN of a Read");
    } else if (strcmp(key, "ird") == 0) {
        if (!take_text(r, node, key, text, sizeof text) || sscanf(text, "%" SCNu32, &c->ird) != 1)
            return FAIL("ird: must be a number of Reads");
    } else
        return FAIL("a case has id, requirements, start or reply, markers, waits, ird, steps, accept, from, "
                    "responses "
                    "and probe, not \"%s\"",
                    key);
    return true;
}

static bool take_case(struct reader *r, const yaml_node_t *node)
{
    struct judge_case c = {0};
    if (node->type != YAML_MAPPING_NODE)
        return FAIL("a case must be an object of keys and values");
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_node(&r->yaml, p->key);
        if (key->type != YAML_SCALAR_NODE || !yaml_is_plain(key))
            return FAIL("a key must be a word");
        if (!take_pair(r, &c, yaml_scalar(key), yaml_node(&r->yaml, p->value)))
            return false;
    }
    if (!*c.name || !c.requirements || !c.accepts)
        return FAIL("a case needs an id, requirements and what to accept");
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->cases[i].name, c.name) == 0)
            return FAIL("two cases are named \"%s\"", c.name);
    struct judge_case *more = list_grow(r->cases, r->count, sizeof *more);
    if (!more)
        return FAIL("out of memory");
    r->cases = more;
    r->cases[r->count++] = c;
    return true;
}

static bool take_file(void *reader, const yaml_node_t *root)
{
    struct reader *r = reader;
    const yaml_node_t *node = root;
    if (!root || root->type != YAML_MAPPING_NODE)
        return root ? FAIL("a file of cases must be {\"cases\": [...]}")
                    : yaml_fail(&r->yaml, ((struct scenario_place){1, 1}), "the file is empty");
    for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_node(&r->yaml, p->key), *list = yaml_node(&r->yaml, p->value);
        node = list;
        if (key->type != YAML_SCALAR_NODE || strcmp(yaml_scalar(key), "cases") != 0)
            continue; /* licence, remarks */
        if (list->type != YAML_SEQUENCE_NODE)
            return FAIL("cases: must be a list");
        for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top; i++)
            if (!take_case(r, yaml_node(&r->yaml, *i)))
                return false;
    }
    return r->count || FAIL("the file has no cases");
}

struct judge_case *cases_read(const char *path, size_t *cases, char *error)
{
    char why[SCENARIO_ERROR_MAX];
    struct reader r = {.yaml = {.file = path, .what = "a file of cases", .error = why}};
    FILE *in = file_open_plain(path);
    if (!in) {
        snprintf(error, CASE_ERROR_MAX, "%.300s: %s", path, strerror(errno));
        return NULL;
    }
    bool good = yaml_stream_read(&r.yaml, in, take_file, &r);
    fclose(in);
    *cases = r.count;
    if (good)
        return r.cases;
    snprintf(error, CASE_ERROR_MAX, "%.500s", why);
    free(r.cases);
    return NULL;
}
