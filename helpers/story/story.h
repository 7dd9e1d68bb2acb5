/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story.h -- what happened in a small run, event by event, with what belongs together tied together.
 *
 *     scenario --world fabric, or its world's program----> trace --\
 *     trace file (--trace) ------------------------------------------> story -> explain, play, pictures, notes, exercise
 *     capture --decoder's segments----------------------------------/
 *
 * A line of the trace is an event; nothing is told that is not in it. Events stand in the order they happened. Segments
 * and messages are made from them: who sent it, how often, when it was placed, what it waited for.
 * A is the side that opens the connection (side 0), B the other; segment A3 is the third that A sent. Keys are stream
 * offsets over MPA, and the numbers of segments (DDP-SSN) over SCTP.
 */
#ifndef HELPERS_STORY_STORY_H
#define HELPERS_STORY_STORY_H

#include <stdio.h>

#include "engine/rdmap.h"
#include "engine/wire.h"
#include "helpers/trial/trace_said.h"

/* What the kinds of events (trace_kinds.h) are about, for `explain --only`. */
enum story_about { ABOUT_POST, ABOUT_SEND, ABOUT_PLACE, ABOUT_DELIVER, ABOUT_WINDOW, ABOUT_ERROR, ABOUTS };
extern const char *const story_about_names[ABOUTS];
enum story_about story_about_of(enum trace_kind kind);

#define STORY_NONE UINT64_MAX /* a number that the event does not have */
enum { STORY_NOBODY = -1 };   /* an index that leads nowhere */
enum { STORY_TEXT_MAX = 320, STORY_HEAD_MAX = IW_HEAD_MAX + IW_TERM_MAX, STORY_TITLE_MAX = 256 };

struct story_event {
    uint64_t t; /* picoseconds */
    uint64_t key, end, window_edge, staging, cwnd, ssthresh, srtt, held, crossings, to;
    uint64_t frame; /* of a capture; 0: none */
    uint32_t node, length, stag, qn, msn, mo;
    enum trace_kind kind;
    int conn, side;                    /* conn STORY_NOBODY: of a host, not of a connection */
    bool tagged, untagged, ooo, twice; /* twice: it is there already */
    int segment, message;              /* that it is about */
    uint8_t head_len;
    uint8_t head[STORY_HEAD_MAX];
    char text[STORY_TEXT_MAX];
    struct trace_said said; /* what `text` says */
};

/* One of a connection without any number. */
extern const struct story_event story_nothing;

struct story_segment {
    int conn, side;  /* who sent it */
    uint32_t number; /* of its side, from 1 */
    uint64_t key, end;
    uint32_t length; /* payload octets */
    bool readable;   /* head and ctl are */
    struct ddp_head head;
    struct rdmap_ctl ctl;
    int message;
    int sent, left, landed, arrived, placed, delivered; /* events, the first of each; STORY_NOBODY */
    uint32_t sends, losses;
    bool early;    /* it was accepted while an earlier one was missing: */
    int waits_for; /* that one */
};

struct story_message {
    int conn, side, first, last; /* segments; they may not be neighbours */
    uint32_t segments, early, length;
    uint8_t opcode;
    struct ddp_head head; /* of its first segment */
    int delivered;        /* event */
    int brought_by;       /* the segment whose placement let it be delivered */
};

/* What a story is made from, as words for its head. */
struct story {
    char title[STORY_TITLE_MAX], setting[STORY_TITLE_MAX], faults[STORY_TITLE_MAX], file[STORY_TITLE_MAX];
    char receive[16]; /* rnic.receive; empty: not known */
    bool capture, markers, crc;
    bool sctp;      /* keys count segments; so they do where */
    bool packet;    /* each is one packet */
    bool elsewhere; /* it ran in the program of another world */
    uint64_t rate;  /* bits per second; 0: not known */
    uint64_t delay;
    struct story_event *event;
    struct story_segment *segment;
    struct story_message *message;
    int events, segments, messages;
    bool several;   /* connections */
    bool decorated; /* messages of DDPP core: delivered, and no segment was seen */
    uint32_t nodes; /* hosts: the highest number and 1 */
};

enum { STORY_ERROR_MAX = 1024 };

/* Read a trace. NULL: `error` (STORY_ERROR_MAX octets) says why. */
struct story *story_read(FILE *trace, const char *name, char *error);
/* Events added one by one instead, then tied together. False: out of memory. */
struct story *story_new(void);
bool story_add(struct story *s, const struct story_event *e);
bool story_tie(struct story *s);
void story_free(struct story *s);

/* "A3"; with several connections "c2 A3". */
enum { STORY_NAME_MAX = 32 };
const char *story_segment_name(const struct story *s, int segment, char out[STORY_NAME_MAX]);
char story_side_name(int side);
/* What `stag` means at a host before event `before`: an event; STORY_NOBODY. */
int story_region_of(const struct story *s, uint32_t node, uint32_t stag, int before);
/* The first event of a kind from `from` on, the last one, the first message of an opcode: an index; STORY_NOBODY. */
int story_next(const struct story *s, enum trace_kind kind, int from);
int story_last(const struct story *s, enum trace_kind kind);
int story_message_of(const struct story *s, uint8_t opcode);
/* How many events of a kind; how many segments are placed early, and their octets (NULL: not asked). */
unsigned story_count(const struct story *s, enum trace_kind kind);
unsigned story_early(const struct story *s, uint64_t *octets);
/* Octets of a message that are not in place by `t`. */
uint64_t story_missing(const struct story *s, int message, uint64_t t);
/* What the last Atomic brought back; STORY_NONE: there is none. */
uint64_t story_original(const struct story *s);
/* Picoseconds as microseconds with three places. */
const char *story_time(uint64_t t, char out[STORY_NAME_MAX]);

#endif
