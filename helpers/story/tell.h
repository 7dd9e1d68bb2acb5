/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell.h -- each event of a story as a sentence, with the section of the RFC that says so. */
#ifndef HELPERS_STORY_TELL_H
#define HELPERS_STORY_TELL_H

#include "helpers/story/story.h"

enum { TOLD_MAX = 640 };

/* How an event is to be looked at: what a colour, a sign or a margin can say. */
enum told_mood { TOLD_PLAIN, TOLD_EARLY, TOLD_PLACED, TOLD_DELIVERED, TOLD_LOST, TOLD_ERROR, TOLD_QUIET };

struct told {
    const char *section; /* "RFC 5041 5.3"; NULL: no document */
    enum told_mood mood;
    char text[TOLD_MAX];
    char fields[TOLD_MAX]; /* the header by name; empty: none is shown with this event */
};

/* False: this event is not told, for another tells the same. */
bool tell_event(const struct story *s, int event, struct told *out);

/* What caused a Terminate: the segment, and the octet of the stream; STORY_NOBODY where nothing can be named. */
struct told_cause {
    int segment;
    const char *field, *why; /* NULL: not about a field */
    uint32_t octet, octets;  /* of the ULPDU, from 0 */
    uint64_t at;             /* that octet in the sender's stream; over SCTP, in the segment */
};
bool tell_cause(const struct story *s, int event, struct told_cause *cause);

/* "1/1/01" as an IW_TERM; 0: it is none. */
int tell_term(const char *text);

/* One paragraph: how it ended. malloc()ed; NULL: out of memory. */
char *tell_summary(const struct story *s);

#endif
