/* SPDX-License-Identifier: GPL-2.0-or-later */
/* narrate.h -- each event of a story as a sentence, with the section of the RFC that says so. */
#ifndef HELPERS_STORY_NARRATE_H
#define HELPERS_STORY_NARRATE_H

#include "helpers/story/story.h"

enum { NARRATION_MAX = 640 };

/* How an event is to be looked at: what a colour, a sign or a margin can say. */
enum narration_mood {
    MOOD_PLAIN,
    MOOD_EARLY,
    MOOD_PLACED,
    MOOD_DELIVERED,
    MOOD_LOST,
    MOOD_ERROR,
    MOOD_QUIET
};

struct narration {
    const char *section; /* "RFC 5041 5.3"; NULL: no document */
    enum narration_mood mood;
    char text[NARRATION_MAX];
    char fields[NARRATION_MAX]; /* the header by name; empty: none is shown with this event */
};

/* False: this event is not told, for another tells the same. */
bool narrate_event(const struct story *s, int event, struct narration *out);

/* What caused a Terminate: the segment, and the octet of the stream; STORY_NOBODY where nothing can be named. */
struct narration_cause {
    int segment;
    const char *field, *why; /* NULL: not about a field */
    uint32_t octet, octets;  /* of the ULPDU, from 0 */
    uint64_t at;             /* that octet in the sender's stream; over SCTP, in the segment */
};
bool narrate_cause(const struct story *s, int event, struct narration_cause *cause);

/* One paragraph: how it ended. malloc()ed; NULL: out of memory. */
char *narrate_summary(const struct story *s);

#endif
