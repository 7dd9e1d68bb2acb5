/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.c -- accusations and requirements as text, JSON and JUnit. */
#include <inttypes.h>
#include <stdio.h>

#include "helpers/base/quote.h"
#include "helpers/judge/judge.h"

enum judge_outcome judge_outcome(const struct judge_result *g, size_t i)
{
    const struct judge_verdict *v = &g->verdict[i];
    if (v->violated)
        return OUTCOME_VIOLATED;
    if (v->exercised)
        return OUTCOME_KEPT;
    return catalogue_occasion(i) == OCCASION_NONE ? OUTCOME_NOT_DECIDABLE : OUTCOME_NOT_EXERCISED;
}

static const char *outcome_text(enum judge_outcome o)
{
    static const char *const text[OUTCOMES] = {"violated", "kept", "not exercised", "not decidable"};
    return text[o];
}

struct tally {
    uint64_t n[OUTCOMES], all;
};

static struct tally tally(const struct judge_result *g)
{
    struct tally t = {{0}, catalogue_size};
    for (size_t i = 0; i < catalogue_size; i++)
        t.n[judge_outcome(g, i)]++;
    return t;
}

/* ---- text ---- */

static void text_accuse(void *context, const struct judge_accusation *a)
{
    FILE *f = context;
    const struct judge_requirement *r = &catalogue[a->requirement];
    if (a->first)
        decode_text_connection(f, a->of);
    decode_text_start(f, a->conn, a->time_ns, a->frame, a->dir);
    fprintf(f, "%s, %s, %s\n", r->id, r->level, r->section);
    decode_text_detail(f, "%s.", a->what);
}

const struct judge_sink judge_text = {.accuse = text_accuse};

static void put_requirement(FILE *f, const struct judge_result *g, size_t i)
{
    const struct judge_requirement *r = &catalogue[i];
    const struct judge_verdict *v = &g->verdict[i];
    fprintf(f, "%-15s %-14s %-10s %-18s", outcome_text(judge_outcome(g, i)), r->id, r->level, r->section);
    if (v->violated)
        fprintf(f, " %" PRIu64 " of %" PRIu64 " times, first in frame %" PRIu64, v->violated, v->exercised,
                v->frame);
    else if (v->exercised)
        fprintf(f, " %" PRIu64 " %s", v->exercised, v->exercised == 1 ? "time" : "times");
    fprintf(f, "\n");
    decode_text_detail(f, "%s.", r->text);
}

void judge_report_text(FILE *f, const struct judge_result *g, bool all)
{
    struct tally t = tally(g);
    fprintf(f, "\n");
    for (size_t i = 0; i < catalogue_size; i++)
        if (all || judge_outcome(g, i) == OUTCOME_VIOLATED)
            put_requirement(f, g, i);
    fprintf(f,
            "%" PRIu64 " requirements: %" PRIu64 " violated, %" PRIu64 " kept, %" PRIu64
            " not exercised, %" PRIu64 " that a capture cannot decide.\n",
            t.all, t.n[OUTCOME_VIOLATED], t.n[OUTCOME_KEPT], t.n[OUTCOME_NOT_EXERCISED],
            t.n[OUTCOME_NOT_DECIDABLE]);
    if (g->accusations)
        fprintf(f, "%" PRIu64 " %s.\n", g->accusations, g->accusations == 1 ? "violation" : "violations");
    else
        fprintf(f, "No violations.\n");
    if (g->undecided)
        fprintf(f, "%" PRIu64 " %s not shown to the end.\n", g->undecided,
                g->undecided == 1 ? "required answer is" : "required answers are");
}

/* ---- JSON ---- */

/* The members of an object that are texts, by their names. */
static void put_texts(FILE *f, const char *const members[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(f, "%s\"%s\":", i ? "," : "", members[i][0]);
        quote_json(f, members[i][1], false);
    }
}

static void json_accuse(void *context, const struct judge_accusation *a)
{
    FILE *f = context;
    const struct judge_requirement *r = &catalogue[a->requirement];
    const char *const members[][2] = {
        {"requirement", r->id}, {"section", r->section}, {"level", r->level}, {"text", r->text}};
    fprintf(f, "{\"violation\":");
    quote_json(f, a->what, false);
    fprintf(f, ",\"conn\":%d,\"dir\":\"%s\",\"frame\":%" PRIu64 ",", a->conn,
            a->dir == DECODE_I2R ? "i2r" : "r2i", a->frame);
    put_texts(f, members, 4);
    fprintf(f, "}\n");
}

const struct judge_sink judge_json = {.accuse = json_accuse};

void judge_report_json(FILE *f, const struct judge_result *g)
{
    struct tally t = tally(g);
    for (size_t i = 0; i < catalogue_size; i++) {
        const struct judge_verdict *v = &g->verdict[i];
        const char *const members[][2] = {{"requirement", catalogue[i].id},
                                          {"section", catalogue[i].section},
                                          {"level", catalogue[i].level},
                                          {"outcome", outcome_text(judge_outcome(g, i))}};
        fprintf(f, "{");
        put_texts(f, members, 4);
        fprintf(f, ",\"exercised\":%" PRIu64 ",\"violated\":%" PRIu64 ",\"frame\":", v->exercised,
                v->violated);
        fprintf(f, v->violated ? "%" PRIu64 "}\n" : "null}\n", v->frame);
    }
    fprintf(f,
            "{\"summary\":{\"requirements\":%" PRIu64 ",\"violated\":%" PRIu64 ",\"kept\":%" PRIu64
            ",\"not_exercised\":%" PRIu64 ",\"not_decidable\":%" PRIu64 ",\"violations\":%" PRIu64
            ",\"undecided_answers\":%" PRIu64 "}}\n",
            t.all, t.n[OUTCOME_VIOLATED], t.n[OUTCOME_KEPT], t.n[OUTCOME_NOT_EXERCISED],
            t.n[OUTCOME_NOT_DECIDABLE], g->accusations, g->undecided);
}

/* ---- JUnit ---- */

static void put_case(FILE *f, const struct judge_result *g, size_t i)
{
    const struct judge_verdict *v = &g->verdict[i];
    enum judge_outcome o = judge_outcome(g, i);
    fprintf(f, "  <testcase classname=\"%s\" name=\"%s (%s): ", catalogue[i].section, catalogue[i].id,
            catalogue[i].level);
    quote_markup(f, catalogue[i].text);
    fprintf(f, "\" time=\"0\"");
    if (o == OUTCOME_VIOLATED)
        fprintf(f,
                "><failure message=\"violated %" PRIu64 " times, first in frame %" PRIu64 "\"/></testcase>\n",
                v->violated, v->frame);
    else if (o != OUTCOME_KEPT)
        fprintf(f, "><skipped message=\"%s\"/></testcase>\n", outcome_text(o));
    else
        fprintf(f, "/>\n");
}

void judge_report_junit(FILE *f, const struct judge_result *g, const char *name)
{
    struct tally t = tally(g);
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"iwarpsim judge ");
    quote_markup(f, name);
    fprintf(f, "\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"0\" skipped=\"%" PRIu64 "\">\n",
            t.all, t.n[OUTCOME_VIOLATED], t.n[OUTCOME_NOT_EXERCISED] + t.n[OUTCOME_NOT_DECIDABLE]);
    for (size_t i = 0; i < catalogue_size; i++)
        put_case(f, g, i);
    fprintf(f, "</testsuite>\n");
}
