/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/command/judge_active.h"
#include "helpers/base/quote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command/judge_play.h"
#include "helpers/judge/peer.h"

enum { GAP_MS = 300, WAIT_S = 60 };

/* One of the three kinds of peer. */
struct opponent {
    struct judge_peer peer;
    struct peer_own *own;
    struct peer_tcp *tcp;
};

struct results {
    const struct judge_case *cases;
    struct judge_trial *trials;
    size_t count;
    size_t n[TRIAL_RESULTS];
    bool json;
    const char *captures;
};

/* ---- reports ---- */

static void put_accepted(FILE *f, const struct judge_case *c)
{
    for (uint32_t i = 0; i < c->accepts; i++)
        fprintf(f, "%s%s", i ? " or " : "", c->accept[i]);
}

static void text_of(FILE *f, const struct judge_case *c, const struct judge_trial *t)
{
    fprintf(f, "%-8s %-34s %-14s", trial_result_text(t->result), c->name, t->reading);
    if (t->result == TRIAL_WRONG) {
        fprintf(f, " accepted: ");
        put_accepted(f, c);
        fprintf(f, "; %s", *c->from ? c->from : c->requirement[0]);
    }
    fprintf(f, "\n");
    for (uint32_t i = 0; i < t->faults; i++)
        fprintf(f, "%9s%s\n", "", t->fault[i]);
}

static void json_of(FILE *f, const struct judge_case *c, const struct judge_trial *t)
{
    fprintf(f, "{\"case\":");
    quote_json(f, c->name, false);
    fprintf(f, ",\"result\":\"%s\",\"reading\":\"%s\",\"accept\":[",
            t->result == TRIAL_WRONG ? "wrong" : trial_result_text(t->result), t->reading);
    for (uint32_t i = 0; i < c->accepts; i++)
        fprintf(f, "%s\"%s\"", i ? "," : "", c->accept[i]);
    fprintf(f, "],\"requirements\":[");
    for (uint32_t i = 0; i < c->requirements; i++)
        fprintf(f, "%s\"%s\"", i ? "," : "", c->requirement[i]);
    fprintf(f, "],\"from\":");
    quote_json(f, c->from, false);
    fprintf(f, ",\"faults\":[");
    for (uint32_t i = 0; i < t->faults; i++) {
        fprintf(f, i ? "," : "");
        quote_json(f, t->fault[i], false);
    }
    fprintf(f, "]}\n");
}

static void put_faults(FILE *f, const struct judge_case *c, const struct judge_trial *t, const char *between)
{
    if (t->result == TRIAL_WRONG) {
        quote_markup(f, t->reading);
        fprintf(f, " where the case accepts ");
        put_accepted(f, c);
        if (*c->from)
            quote_between(f, " (", c->from, ")");
    }
    for (uint32_t i = 0; i < t->faults; i++)
        quote_between(f, i || t->result == TRIAL_WRONG ? between : "", t->fault[i], "");
}

static const char *capture_path(const struct results *r, size_t i, char path[PATH_LONG])
{
    judge_play_capture(r->captures, &r->cases[i], path, PATH_LONG);
    return path;
}

static void put_junit(FILE *f, const struct results *r)
{
    char path[PATH_LONG];
    fprintf(f,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"iwarpsim judge\" tests=\"%zu\" "
            "failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
            r->count, r->n[TRIAL_WRONG] + r->n[TRIAL_FAULTY], r->n[TRIAL_SKIPPED]);
    for (size_t i = 0; i < r->count; i++) {
        const struct judge_trial *t = &r->trials[i];
        quote_between(f, "  <testcase classname=\"", r->cases[i].requirement[0], "\"");
        quote_between(f, " name=\"", r->cases[i].name, "\" time=\"0\"");
        if (t->result == TRIAL_RIGHT) {
            fprintf(f, "/>\n");
            continue;
        }
        fprintf(f, "><%s message=\"", t->result == TRIAL_SKIPPED ? "skipped" : "failure");
        put_faults(f, &r->cases[i], t, "; ");
        fprintf(f, "\"/>");
        if (r->captures && t->result != TRIAL_SKIPPED)
            quote_between(f, "<system-out>[[ATTACHMENT|", capture_path(r, i, path), "]]</system-out>");
        fprintf(f, "</testcase>\n");
    }
    fprintf(f, "</testsuite>\n");
}

static void put_page(FILE *f, const struct results *r)
{
    static const char head[] =
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n"
        "<title>iwarpsim judge</title>\n<style>body{font:16px/1.5 system-ui,sans-serif;margin:2em "
        "auto;max-width:70em;padding:0 1em;"
        "color-scheme:light "
        "dark}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:."
        "3em .8em "
        ".3em 0;border-bottom:1px solid "
        "#8888}td:first-child{font-weight:600}.WRONG,.faulty{color:#c22}.right{color:#283}</style>\n"
        "<h1>iwarpsim judge</h1>\n";
    fputs(head, f);
    fprintf(f,
            "<p>%zu cases: %zu right, %zu wrong, %zu with other faults, %zu "
            "skipped.</p>\n<table><tr><th>Result<th>Case<th>"
            "Requirements<th>Answer<th>What is wrong\n",
            r->count, r->n[TRIAL_RIGHT], r->n[TRIAL_WRONG], r->n[TRIAL_FAULTY], r->n[TRIAL_SKIPPED]);
    for (size_t i = 0; i < r->count; i++) {
        const struct judge_case *c = &r->cases[i];
        const char *result = trial_result_text(r->trials[i].result);
        fprintf(f, "<tr><td class=\"%s\">%s", result, result);
        quote_between(f, "<td>", c->name, "<td>");
        for (uint32_t k = 0; k < c->requirements; k++)
            quote_between(f, k ? "<br>" : "", c->requirement[k], "");
        quote_between(f, "<td>", r->trials[i].reading, "<td>");
        put_faults(f, c, &r->trials[i], "<br>");
        fprintf(f, "\n");
    }
    fprintf(f, "</table></html>\n");
}

static bool write_report(const char *path, const struct results *r,
                         void put(FILE *f, const struct results *r))
{
    struct whole_file file;
    if (!path)
        return true;
    bool good = file_begin(&file, path);
    if (good)
        put(file.out, r);
    return file_end(&file, good) || cannot_write(false, "judge", path);
}

static void put_summary(const struct results *r, bool json)
{
    printf(json ? "{\"summary\":{\"cases\":%zu,\"right\":%zu,\"wrong\":%zu,\"faulty\":%zu,\"skipped\":%zu}}\n"
                : "\n%zu cases: %zu right, %zu wrong, %zu with other faults, %zu skipped.\n",
           r->count, r->n[TRIAL_RIGHT], r->n[TRIAL_WRONG], r->n[TRIAL_FAULTY], r->n[TRIAL_SKIPPED]);
}

/* ---- the session ---- */

/* It connects, once for each case. */
static int opponent_await(struct opponent *o, const struct judge_order *order)
{
    char why[PEER_WHY_MAX];
    o->tcp = peer_tcp_listen(&o->peer, order->host ? order->host : "127.0.0.1", order->port,
                             1000 * (order->wait_s ? order->wait_s : WAIT_S), why);
    if (!o->tcp)
        return complain(EXIT_FAILED, "judge", "%s", why);
    return complain(EXIT_DONE, "judge",
                    "listening on %s: each connection gets the next case; the peer must read",
                    peer_tcp_address(o->tcp));
}

static bool by_draft(const struct judge_order *order)
{
    return order->profile && strcmp(order->profile, "draft00") == 0;
}

static int opponent_open(struct opponent *o, const struct judge_order *order)
{
    char why[PEER_WHY_MAX];
    if (order->self) {
        o->own = peer_own_new(&o->peer, by_draft(order) ? IW_DRAFT00 : 0);
        return o->own ? EXIT_DONE : complain(EXIT_FAILED, "judge", "out of memory");
    }
    if (order->serves)
        return opponent_await(o, order);
    o->tcp = peer_tcp_new(&o->peer, order->address, why);
    if (!o->tcp)
        return complain(EXIT_INPUT, "judge", "%s", why);
    bool there = o->peer.open(o->peer.context, false);
    o->peer.close(o->peer.context);
    return there ? EXIT_DONE : complain(EXIT_FAILED, "judge", "%s: no peer answers there", order->address);
}

static void opponent_close(struct opponent *o)
{
    peer_own_free(o->own);
    peer_tcp_free(o->tcp);
}

static unsigned gap_of(const struct judge_order *order)
{
    return order->gap_ms ? order->gap_ms : GAP_MS;
}

/* Does it answer a Request while another connection is open and silent? */
static bool takes_two(const struct judge_order *order, const struct judge_peer *peer)
{
    struct judge_peer other;
    char why[PEER_WHY_MAX];
    struct peer_tcp *second = peer_tcp_new(&other, order->address, why);
    bool both = second && peer->open(peer->context, 0) && trial_asks(&other, gap_of(order)) > 0;
    peer_tcp_free(second);
    peer->close(peer->context);
    return both;
}

static unsigned jobs_of(const struct judge_order *order, const struct judge_peer *peer, size_t cases)
{
    return order->jobs ? order->jobs : cases > 1 && takes_two(order, peer) ? PLAY_AT_ONCE : 1;
}

static void told(void *context, size_t i)
{
    struct results *r = context;
    r->n[r->trials[i].result]++;
    if (r->json)
        json_of(stdout, &r->cases[i], &r->trials[i]);
    else
        text_of(stdout, &r->cases[i], &r->trials[i]);
    fflush(stdout);
}

static enum judge_played play_all(const struct judge_order *order, const struct opponent *o,
                                  struct results *r)
{
    bool calls = order->address != NULL;
    const struct judge_play play = {.cases = r->cases,
                                    .count = r->count,
                                    .peer = &o->peer,
                                    .calls = calls,
                                    .gap_ms = gap_of(order),
                                    .memory = order->memory.known ? &order->memory : NULL,
                                    .at_once = calls ? jobs_of(order, &o->peer, r->count) : 1,
                                    .captures = order->captures,
                                    .restart = order->restart,
                                    .told = told,
                                    .context = r,
                                    .trials = r->trials};
    enum judge_played how = judge_play(&play);
    put_summary(r, order->json);
    return how;
}

static bool is_asked_for(const struct judge_order *order, const struct judge_case *c)
{
    bool can = order->self || c->initiates == order->serves;
    return can && (!order->only || strcmp(c->name, order->only) == 0);
}

/* What the RFC lets a peer do and the draft does not (D2 of conformance.md). */
static void accept_waiting(struct judge_case *c, const struct judge_order *order)
{
    if (c->waits && !by_draft(order) && c->accepts < CASE_ACCEPTS)
        snprintf(c->accept[c->accepts++], sizeof *c->accept, "silent");
}

/* Only those that this kind of peer can have, and of that name; how many. */
static size_t narrow(struct judge_case *cases, size_t count, const struct judge_order *order)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_asked_for(order, &cases[i])) {
            cases[kept] = cases[i];
            accept_waiting(&cases[kept++], order);
        }
    return kept;
}

/* The cases after which the peer was gone: one, or those that were played at that moment. */
static void name_the_last(const struct results *r)
{
    char names[8 * CASE_NAME] = "";
    size_t count = 0, at = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->trials[i].last && count++ < 6)
            at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", r->cases[i].name);
    complain(0, "judge",
             count == 1 ? "the peer is gone since case %s%s"
                        : "the peer is gone since one of the cases %s%s; --jobs 1 tells which",
             names, count > 6 ? ", ..." : "");
}

static bool nobody_came(const struct results *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->trials[i].unreached)
            return false;
    return true;
}

static int play_cases(const struct judge_order *order, struct judge_case *cases, size_t count)
{
    struct opponent o = {0};
    struct results r = {.cases = cases, .count = count, .json = order->json, .captures = order->captures};
    int status = opponent_open(&o, order);
    if (status != EXIT_DONE) {
        opponent_close(&o);
        return status;
    }
    r.trials = calloc(count, sizeof *r.trials);
    if (!r.trials) {
        opponent_close(&o);
        return complain(EXIT_FAILED, "judge", "out of memory");
    }
    enum judge_played how = play_all(order, &o, &r);
    bool written = how != PLAYED_NOT && write_report(order->junit, &r, put_junit) &&
                   write_report(order->page, &r, put_page);
    bool nobody = how == PLAYED_GONE && nobody_came(&r);
    if (order->address && how == PLAYED_GONE)
        name_the_last(&r);
    opponent_close(&o);
    free(r.trials);
    if (nobody)
        return complain(EXIT_FAILED, "judge", "nobody connected, so nothing was judged");
    return !written ? EXIT_FAILED : r.n[TRIAL_WRONG] + r.n[TRIAL_FAULTY] ? EXIT_LAW : EXIT_DONE;
}

int judge_active(const struct judge_order *order)
{
    char path[PATH_LONG], error[CASE_ERROR_MAX];
    size_t count;
    if (!order->cases && !shipped_path(path, "validation/vectors/judge.json", "judge.json"))
        return complain(EXIT_FAILED, "judge",
                        "the cases of iwarpsim are not installed; name a file with --cases FILE");
    struct judge_case *cases = cases_read(order->cases ? order->cases : path, &count, error);
    if (!cases)
        return complain(EXIT_INPUT, "judge", "%s", error);
    count = narrow(cases, count, order);
    int status = count ? play_cases(order, cases, count)
                       : complain(EXIT_INPUT, "judge", "the file has no such case for this kind of peer%s%s",
                                  order->only ? ": " : "", order->only ? order->only : "");
    free(cases);
    return status;
}
