/* SPDX-License-Identifier: GPL-2.0-or-later */
/* telling.h -- the table of sentences, and what its functions look at.
 *
 *     event --> first row of its kind whose state it has --> words, with {fields} filled in --> narration
 *                                                   \--> holds(): does the record show what they say?
 *
 * Law: whatever a row says, its `holds` is true of the record up to that event (sentences_test.c). */
#ifndef HELPERS_STORY_TELLING_H
#define HELPERS_STORY_TELLING_H

#include "helpers/story/narrate.h"
#include "helpers/story/sources.h"

/* One event that is being told. */
struct telling {
    const struct story *s;
    int at;
    const struct story_event *e;
    const struct story_segment *g; /* NULL: about none */
    const struct story_message *m;
    char name[STORY_NAME_MAX]; /* of the segment */
    struct narration *out;
};

/* Below what the events happened; a row that says nothing of one layer has the source of TCP there. */
enum story_layer { LAYER_TCP, LAYER_SCTP, LAYER_PACKET, LAYER_CAPTURE, LAYERS };

struct story_sentence {
    enum trace_kind kind;
    bool (*when)(const struct telling *);  /* NULL: always */
    const char *words;                     /* NULL: it is not told, for another line tells the same */
    bool (*holds)(const struct telling *); /* NULL: the line of the trace is all that it says */
    enum narration_mood mood;
    enum source source[LAYERS];
    const char *(*section)(
        const struct telling *); /* instead, where it depends on the operation or the code */
    unsigned reason;             /* RESENT: for which; LLP_WHY_NONE: any other */
};
extern const struct story_sentence sentences[];
extern const int sentences_count;

/* An event as something to tell; `out` may be NULL. */
struct telling telling_of(const struct story *s, int event, struct narration *out);
/* The first of `n` rows that fits; NULL: the event is not told. */
const struct story_sentence *sentence_of(const struct story_sentence *rows, int n, const struct telling *t);
void sentence_tell(const struct story_sentence *row, struct telling *t);

/* ---- what sentences are made of ---- */

__attribute__((format(printf, 2, 3))) void say(struct narration *out, const char *format, ...);
const char *plural(uint64_t n);
/* What stands for {name}, of `len` octets, is said. */
void field_say(struct telling *t, const char *name, size_t len);
/* The header of the segment, by names, and where markers are in its FPDU. */
void field_header(struct telling *t);
bool has_marker(const struct story *s, const struct story_segment *g);

/* ---- what the record shows, up to an event and at its time ---- */

bool shows_first_region(const struct telling *t);
bool shows_region(const struct telling *t);
bool shows_first_leaving(const struct telling *t);
bool shows_left(const struct telling *t);
bool shows_copy_under_way(const struct telling *t);
bool shows_timeout_before(const struct telling *t);
bool shows_landed(const struct telling *t);
bool shows_there_before(const struct telling *t);
bool shows_repeated_and_there(const struct telling *t);
bool shows_there_twice(const struct telling *t);
bool shows_hole(const struct telling *t);
bool shows_early_arrival(const struct telling *t);
bool shows_arrived(const struct telling *t);
bool shows_arrived_in_turn(const struct telling *t);
bool shows_all_in_place(const struct telling *t);
bool shows_octets_missing(const struct telling *t);
bool shows_message_in_place(const struct telling *t);
bool shows_post(const struct telling *t);
bool shows_response(const struct telling *t);
bool shows_receive(const struct telling *t);
bool shows_no_buffer(const struct telling *t);
bool shows_below_key(const struct telling *t);
bool shows_as_many_octets(const struct telling *t);
bool shows_behind(const struct telling *t);
bool shows_terminate_of_peer(const struct telling *t);
bool shows_no_end_before(const struct telling *t);
bool shows_peer_closed(const struct telling *t);
bool shows_end(const struct telling *t);

#endif
