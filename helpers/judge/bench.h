/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench.h -- what the judge remembers of a connection: for each direction the segments that may still be answered, and
 * the first error in them that calls for an answer; which Terminates may answer which segment. */
#ifndef HELPERS_JUDGE_BENCH_H
#define HELPERS_JUDGE_BENCH_H

#include "helpers/capture/decode.h"
#include "helpers/judge/judge.h"

enum { SEEN_OCTETS = IW_HEAD_UNTAGGED + IW_READ_REQ_SIZE, SEEN_MAX = 1024 };

/* A segment, as far as an answer may speak of it. */
struct judge_seen {
    struct decode_segment segment; /* octets_len of its octets are these: */
    uint8_t octets[SEEN_OCTETS];
};

/* An error that octets alone show: the other side must answer it. */
struct judge_call {
    bool open;    /* and has not been answered */
    bool startup; /* an MPA frame's: closing is an answer, too */
    bool may;     /* the receiver need not look for it */
    int term;     /* what our engine would say */
    struct judge_seen at;
    bool mine; /* segments of the same message came before it, and were taken */
    uint64_t frame;
    int64_t time_ns;
};

/* One direction: what one end sends. */
struct judge_side {
    struct judge_seen *seen;  /* the last ones, a ring once there are SEEN_MAX */
    uint64_t heard;           /* segments, in all */
    uint64_t first, end;      /* stream offsets: the first one's, behind the last one */
    uint64_t octets;          /* of all of them: less than end - first when some were not heard */
    uint64_t acked;           /* by the other end */
    bool spoke, later_opcode; /* later: of RFC 7306 */
    struct judge_call call;
    bool terminated, told_after, told_rejected, told_request;
    uint64_t terminate_key;
    uint8_t body[IW_TERM_MAX]; /* of its last Terminate */
    uint32_t body_len;
    uint64_t body_key;
};

struct judge_bench {
    struct judge_side side[2]; /* by enum decode_dir */
    struct decode_connection c;
    bool doubtful;   /* start-up was not heard: what came before is not known */
    bool unanswered; /* the responder closed instead of replying */
    int closer;      /* the direction that ended first; DECODE_UNKNOWN */
    uint64_t close_frame;
    int64_t close_ns;
    bool accused;
    bool settled; /* silence has been judged */
};

/* Where accusations go: who is told, and what became of each requirement. */
struct judge_docket {
    const struct judge_sink *sink;
    struct judge_result judgement;
};

/* Who did something, and where a capture shows it. */
struct judge_place {
    struct judge_docket *docket;
    struct judge_bench *b;
    enum decode_dir dir;
    uint64_t frame;
    int64_t time_ns;
};
/* It is against this requirement, an ID; a sentence as printf has it. */
__attribute__((format(printf, 3, 4))) void judge_accuse(const struct judge_place *at, const char *requirement,
                                                        const char *format, ...);

/* Remember a segment. False: out of memory. */
bool bench_keep(struct judge_side *s, const struct decode_segment *d);
/* The i-th from the newest. */
static inline const struct judge_seen *bench_newest(const struct judge_side *s, uint32_t i)
{
    return &s->seen[(s->heard - 1 - i) % SEEN_MAX];
}
/* The segment at `key`, if it is remembered. */
const struct judge_seen *bench_at(const struct judge_side *s, uint64_t key);
/* Have all octets of this direction been heard, as far as it has come, and are all segments remembered? */
bool bench_is_whole(const struct judge_side *s);
bool bench_remembers_all(const struct judge_side *s);
/* Is there an earlier segment of the same untagged message? */
bool bench_has_earlier(const struct judge_side *s, const struct judge_seen *x);

/* The segment whose header a Terminate has copied. Exact: NULL in `*differs`; else the name of the one field that is
 * another. NULL: there is none. Of several equal ones that at `key`, then that with `len` octets, then the last. */
const struct judge_seen *bench_find(const struct judge_side *s, const uint8_t *head, uint32_t head_len,
                                    uint64_t key, uint32_t len, const char **differs);

/* ---- answers: answer.c, terminate.c ---- */

/* May `term` answer a segment in which octets alone show the error `called` (0: none; then only memory and receive buffers can
 * be at fault)? What our engine says is always among the answers. */
bool answer_fits(int term, int called, const struct judge_seen *s, bool mine);

/* Can octets alone show the error `term`, so that a claim of it can be false? */
bool answer_is_visible(int term);

/* The requirement behind answering with `term`: an ID. */
const char *answer_requirement(int term);

/* Is it among those that an end may give without a message of the peer's, of its own accord (RDMAP-7.1-1)? */
bool answer_is_own(int term);

/* Does figure 10 of RFC 5040 give this error's Terminate the length and DDP header of the segment? Local errors: no. */
bool answer_has_header(int term);

/* `m` is a Terminate of direction m->dir that was delivered, at this place. */
void terminate_judge(const struct judge_place *at, const struct decode_message *m);

#endif
