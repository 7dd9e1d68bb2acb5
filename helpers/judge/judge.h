/* SPDX-License-Identifier: GPL-2.0-or-later */
/* judge.h -- does another stack do what the RFCs say? What the decoder hears, judged; the answers, too.
 *
 *   capture -> decode.h -> judge: what each side sends        the decoder's violations, fields that must be 0
 *                                 what it answers, or does not  Terminates, against what was provoked
 *                              -> accusations, as they happen; requirements, at the end
 *
 * An answer is compared with the set of those that the RFCs allow: what our engine would have said, and other readings
 * (conformance.md 4). What rests on something that the capture does not show, memory above all, is nobody's fault.
 */
#ifndef HELPERS_JUDGE_JUDGE_H
#define HELPERS_JUDGE_JUDGE_H

#include "helpers/capture/decode.h"
#include "helpers/judge/catalogue.h"

enum { ACCUSATION_MAX = 320 };

struct judge_accusation {
    const struct decode_connection *of; /* without private data */
    bool first;                         /* on this connection */
    int conn;
    enum decode_dir dir; /* whose fault: the end that sends in this direction */
    uint64_t frame;
    int64_t time_ns;
    int requirement;           /* index in the catalogue */
    char what[ACCUSATION_MAX]; /* a sentence without its full stop */
};

/* What became of one requirement. */
struct judge_verdict {
    uint64_t exercised, violated; /* times; a violation is an occasion, too */
    uint64_t frame;               /* of the first violation */
};

struct judge_result {
    struct judge_verdict verdict[CATALOGUE_MAX]; /* by index in the catalogue */
    uint64_t accusations;
    uint64_t undecided; /* provoked answers that the capture does not show to their end */
};

/* Who is told. Pointers are valid during the call only. */
struct judge_sink {
    void *context;
    void (*accuse)(void *context, const struct judge_accusation *a);
    /* What the decoder told, once it is judged; may be NULL. */
    void (*segment)(void *context, const struct decode_segment *s);
    void (*message)(void *context, const struct decode_message *m);
};

struct judge;

/* NULL: out of memory. `sink` must outlive it. */
struct judge *judge_new(const struct judge_sink *sink);
void judge_free(struct judge *j); /* NULL is allowed */

/* Give this to decode_capture(). */
struct decode_sink judge_decode_sink(struct judge *j);
/* After that: what became of all requirements; borrowed. False in `*whole`: memory ran out, and not everything was judged. */
const struct judge_result *judge_verdict(const struct judge *j, bool *whole);

/* ---- reports ---- */

/* "violated", "kept", "not exercised", "not decidable". */
enum judge_outcome { OUTCOME_VIOLATED, OUTCOME_KEPT, OUTCOME_NOT_EXERCISED, OUTCOME_NOT_DECIDABLE, OUTCOMES };
enum judge_outcome judge_outcome(const struct judge_result *g, size_t requirement);

/* Accusations as lines on a FILE, the `context`; the closing report: all requirements, or those violated. */
extern const struct judge_sink judge_text, judge_json;
void judge_report_text(FILE *f, const struct judge_result *g, bool all);
void judge_report_json(FILE *f, const struct judge_result *g);
/* A JUnit file: a test case for each requirement; what cannot be decided is skipped. */
void judge_report_junit(FILE *f, const struct judge_result *g, const char *name);

#endif
