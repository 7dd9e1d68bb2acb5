/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/command/live_options.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "helpers/capture/decode_rules.h"
#include "helpers/scenario/value.h"
#include "scenarios/workloads/request.h"

enum {
    MEMORY = 16 << 20,
    ENDS = 64,
    START_UP_MS = 5000,
    DEPTH_MAX = 128,
    EMSS_LEAST = 536,
    EMSS_MOST = 65535
};
#define MS ((iw_time)1000000000)

struct live_conf live_conf_usual(void)
{
    struct live_conf conf = {.memory = MEMORY, .ends = ENDS, .start_up = START_UP_MS * MS, .seed = 1};
    if (getrandom(&conf.seed, sizeof conf.seed, 0) < 0 || !conf.seed)
        conf.seed = sockets_now();
    return conf;
}

bool live_depth(const char *value, void *depth)
{
    uint64_t n;
    bool good = live_number(value, DEPTH_MAX, &n) && n;
    *(uint16_t *)depth = good ? (uint16_t)n : 0;
    return good;
}

bool live_emss(const char *value, void *octets)
{
    uint64_t n;
    bool good = live_number(value, EMSS_MOST, &n) && n >= EMSS_LEAST;
    *(uint32_t *)octets = good ? (uint32_t)n : 0;
    return good;
}

bool live_number(const char *text, uint64_t most, uint64_t *n)
{
    char *end;
    bool hex = strncmp(text, "0x", 2) == 0;
    const char *digits = hex ? "0123456789abcdefABCDEF" : "0123456789";
    const char *first = text + (hex ? 2 : 0);
    errno = 0;
    *n = strtoull(text, &end, hex ? 16 : 10);
    return *first && strspn(first, digits) == strlen(first) && !*end && !errno && *n <= most;
}

static bool read_value(enum value_type type, const char *text, uint64_t *n)
{
    char why[VALUE_WHY_MAX];
    struct value v;
    const struct value_rules rules = {.type = type};
    if (!value_read(&v, &rules, text, why))
        return false;
    *n = v.n;
    return true;
}

bool live_time(const char *text, void *time)
{
    return read_value(VALUE_TIME, text, time) && *(iw_time *)time > 0;
}

bool live_octets(const char *text, void *octets)
{
    uint64_t n;
    bool good = read_value(VALUE_OCTETS, text, &n) && n && n <= INT32_MAX;
    *(uint32_t *)octets = good ? (uint32_t)n : 0;
    return good;
}

/* ---- signals ---- */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void live_catch_signals(void)
{
    const struct sigaction act = {.sa_handler = interrupt};
    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
}

bool live_interrupted(void)
{
    return interrupted;
}

/* ---- words ---- */

void live_done_text(const struct iw_done *d, char *out, size_t size)
{
    bool asked = d->op == IW_READ || d->op == IW_RECV, atomic = d->op == IW_FETCH_ADD || d->op == IW_CMP_SWAP;
    char what[64] = "";
    if (d->status == IW_FLUSHED)
        snprintf(what, sizeof what, "; flushed");
    else if (d->status > 0)
        snprintf(what, sizeof what, "; " TERM_TEXT, TERM_PARTS(d->status));
    else if (atomic)
        snprintf(what, sizeof what, "; it was %llu", (unsigned long long)d->rsvdulp);
    else if (d->invalidated)
        snprintf(what, sizeof what, "; STag 0x%08x invalidated", d->invalidated);
    else if (!asked)
        snprintf(what, sizeof what, "; TCP has them");
    snprintf(out, size, "%s%s%s", request_name(d->op), d->solicited ? "; solicited" : "", what);
}

void live_term_text(const struct rdmap_terminate *t, char *out, size_t size)
{
    struct rdmap_terminate rfc, siw;
    bool as_siw = t->raw_len && decode_terminate(t->raw, t->raw_len, &rfc, &siw) == DECODE_AS_SIW;
    int term = as_siw ? siw.term : t->term;
    const struct iw_term_entry *e = iw_term_entry(term);
    snprintf(out, size, TERM_TEXT ", %s%s", TERM_PARTS(term), e ? e->meaning : "which no document defines",
             as_siw ? ", in Linux siw's order of the bits" : "");
}
