/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminate.c -- RFC 5040 4.8 and 7.1; figure 10 says which headers go with which error. */
#include "helpers/judge/bench.h"

#include <stdio.h>

#include "engine/term.h"
#include "helpers/capture/decode_rules.h"

struct hearing {
    const struct judge_bench *b;
    const struct judge_side *own, *other;
    const struct decode_message *m;
    const struct judge_place *at;
    struct rdmap_terminate t;      /* as it is meant */
    const struct judge_call *call; /* what it should answer; NULL: nothing that octets show */
    const struct judge_seen *of;   /* the segment it speaks of; NULL: not known */
    bool named;                    /* it copied that segment's header */
    bool wrong_code;
};

enum { TERM_LONG = 96 };

static const char *term_text(int term, char out[TERM_LONG])
{
    const struct iw_term_entry *e = iw_term_entry(term);
    snprintf(out, TERM_LONG, TERM_TEXT "%s%s", TERM_PARTS(term), e ? " " : "", e ? e->meaning : "");
    return out;
}

/* ---- the control field ---- */

static bool fits_call(const struct hearing *h, int term)
{
    return h->call && answer_fits(term, h->call->term, &h->call->at, h->call->mine);
}

/* Its octets can often be read in two orders. Meant is what answers something. */
static bool is_swapped(const struct hearing *h, unsigned can)
{
    if (!(can & DECODE_AS_SIW))
        return false;
    if (!(can & DECODE_AS_RFC) || h->m->believe_siw)
        return true;
    int rfc = h->m->terminate.term, siw = h->m->as_siw.term;
    bool exact = h->call && siw == h->call->term && rfc != h->call->term;
    return exact || (fits_call(h, siw) && !fits_call(h, rfc));
}

/* Neither order makes sense of it. */
static void judge_nonsense(const struct hearing *h)
{
    const struct rdmap_terminate *t = &h->m->terminate;
    const uint8_t *body = h->own->body;
    if (h->own->body_len < 4)
        judge_accuse(h->at, "RDMAP-4.8-1", "Terminate of %u octets; the control field alone has 4",
                     (unsigned)h->own->body_len);
    else if (!decode_is_defined(t->term))
        judge_accuse(h->at, "RDMAP-4.8-3",
                     "Terminate with the error " TERM_TEXT ", which no document defines",
                     TERM_PARTS(t->term));
    else if (body[2] & 0x1f || body[3])
        judge_accuse(h->at, "RDMAP-4.8-7", "Terminate with reserved bits set: %02x %02x",
                     (unsigned)(body[2] & 0x1f), (unsigned)body[3]);
    else
        judge_accuse(h->at, "RDMAP-4.8-1",
                     "Terminate of %u octets, which do not match the headers that M, D and R announce",
                     (unsigned)h->own->body_len);
}

/* False: there is nothing to be read. */
static bool judge_control(struct hearing *h)
{
    struct rdmap_terminate rfc, siw;
    char text[TERM_LONG];
    unsigned can = decode_terminate(h->own->body, h->own->body_len, &rfc, &siw);
    bool swapped = is_swapped(h, can);
    h->t = swapped ? siw : rfc;
    if (swapped)
        judge_accuse(
            h->at, "RDMAP-4.8-2",
            "the Terminate's control field %02x %02x %02x %02x has type before layer and M, D, R in the "
            "lowest bits: %s is meant",
            h->own->body[0], h->own->body[1], h->own->body[2], h->own->body[3], term_text(h->t.term, text));
    else if (!can)
        judge_nonsense(h);
    return can;
}

/* ---- the segment it speaks of ---- */

static void judge_read_request(const struct hearing *h)
{
    struct rdmap_read_req sent, copied;
    if (h->of->segment.octets_len < SEEN_OCTETS)
        return;
    rdmap_read_req_get(h->of->octets + IW_HEAD_UNTAGGED, &sent);
    rdmap_read_req_get(h->t.read_req, &copied);
    uint32_t done = sent.size - copied.size;
    bool same = copied.sink_stag == sent.sink_stag && copied.src_stag == sent.src_stag &&
                copied.size <= sent.size && copied.sink_to == sent.sink_to + done &&
                copied.src_to == sent.src_to + done; /* RDMAP-4.8-15 */
    if (!same)
        judge_accuse(h->at, "RDMAP-4.8-13",
                     "the Terminate's RDMA header is not that of the Read Request it refers to");
}

static void find_segment(struct hearing *h)
{
    const char *differs;
    uint64_t key = h->call && !h->call->startup ? h->call->at.segment.key : UINT64_MAX;
    if (!h->t.d) {
        h->of = h->call && !h->call->startup ? &h->call->at : NULL;
        return;
    }
    h->of = bench_find(h->other, h->t.head, h->t.head_len, key, h->t.segment_len, &differs);
    h->named = h->of;
    if (differs)
        judge_accuse(h->at, "RDMAP-4.8-11",
                     "the DDP header in the Terminate differs from the one sent in frame %llu in its %s",
                     (unsigned long long)h->of->segment.frame_last, differs);
    else if (!h->of && bench_remembers_all(h->other) && !h->b->doubtful)
        judge_accuse(h->at, "RDMAP-4.8-11",
                     "the DDP header in the Terminate matches no segment that was sent");
}

static bool is_request(const struct hearing *h)
{
    return h->of && h->of->segment.octets_len > 1 && !(h->of->octets[0] & 0x80) &&
           (h->of->octets[1] & 15) == RDMAP_READ_REQ;
}

static void judge_length(const struct hearing *h)
{
    if (h->t.m && h->named && h->t.segment_len != h->of->segment.ulpdu_len)
        judge_accuse(h->at, "RDMAP-4.8-8", "the Terminate says that the segment had %u octets; it had %u",
                     (unsigned)h->t.segment_len, (unsigned)h->of->segment.ulpdu_len);
}

/* ---- what it answers ---- */

/* Octets alone would show such an error, and there is none. */
static void judge_claim(const struct hearing *h)
{
    char text[TERM_LONG];
    int term = h->t.term;
    bool other = term == IW_T_RDMA_OPCODE && h->other->later_opcode;
    bool certain = bench_is_whole(h->other) && !h->b->doubtful && !other;
    if (!certain || !answer_is_visible(term))
        return;
    const struct judge_seen *last = h->other->heard ? bench_newest(h->other, 0) : NULL;
    bool cut = term == IW_T_LLP_CRC && last && last->segment.frame_first != last->segment.frame_last;
    if (cut)
        judge_accuse(
            h->at, "MPA-A-1",
            "the Terminate says %s; every CRC was right, and the last FPDU came in more than one segment",
            term_text(term, text));
    else
        judge_accuse(h->at, term == IW_T_LLP_CRC ? "MPA-4.4-2" : answer_requirement(term),
                     "the Terminate says %s; nothing of the kind was sent", term_text(term, text));
}

static void judge_answer(struct hearing *h)
{
    char said[TERM_LONG], wanted[TERM_LONG];
    int called = h->call && !(h->named && h->of->segment.key < h->call->at.segment.key) ? h->call->term : 0;
    if (!h->of && !called) {
        judge_claim(h);
        return;
    }
    const struct judge_seen *of = h->named ? h->of : &h->call->at;
    bool mine = h->named ? bench_has_earlier(h->other, h->of) : h->call->mine;
    h->wrong_code = !answer_fits(h->t.term, called, of, mine);
    if (h->wrong_code && called)
        judge_accuse(h->at, answer_requirement(called), "the Terminate says %s where %s is required",
                     term_text(h->t.term, said), term_text(called, wanted));
    else if (h->wrong_code && of->segment.readable)
        judge_accuse(h->at, answer_requirement(h->t.term),
                     "the Terminate says %s, which does not apply to the segment of frame %llu%s",
                     term_text(h->t.term, said), (unsigned long long)h->of->segment.frame_last,
                     mine ? ": the receiver had accepted octets of the same message before" : "");
}

/* Can a receiver that finds this know which message it is? */
static bool is_nameless(int term)
{
    return term == IW_T_DDP_VERSION_TAGGED || term == IW_T_DDP_VERSION_UNTAGGED ||
           (IW_TERM_LAYER(term) == 0 && IW_TERM_ETYPE(term) == 2);
}

static void judge_headers(const struct hearing *h)
{
    const struct rdmap_terminate *t = &h->t;
    bool remote = IW_TERM_LAYER(t->term) == 0 && IW_TERM_ETYPE(t->term) == 1;
    bool local = IW_TERM_LAYER(t->term) == 0 && IW_TERM_ETYPE(t->term) == 0;
    if (answer_has_header(t->term) && !t->d && (h->call || !answer_is_own(t->term)))
        judge_accuse(
            h->at, is_nameless(t->term) ? "RDMAP-4.8-5" : "RDMAP-7.1-2",
            "the Terminate lacks the DDP header of the segment in error, which such an error requires");
    else if (local && t->d)
        judge_accuse(h->at, "RDMAP-4.8-10", "the Terminate of a local error has a DDP header");
    else if (IW_TERM_LAYER(t->term) == 2 && t->d)
        judge_accuse(h->at, "RDMAP-4.8-5", "the Terminate of the LLP's error has a DDP header");
    if (t->d && !t->m)
        judge_accuse(h->at, "RDMAP-4.8-9", "the Terminate has a DDP header but no segment length");
    if (remote && t->d && is_request(h) && !t->r)
        judge_accuse(h->at, "RDMAP-7.1-3",
                     "the Terminate lacks the RDMA header of the Read Request in error");
    if (t->r && IW_TERM_LAYER(t->term) != 0)
        judge_accuse(h->at, "RDMAP-4.8-6", "the Terminate of an error below RDMAP has an RDMA header");
    else if (t->r && h->of && !is_request(h))
        judge_accuse(h->at, "RDMAP-4.8-12",
                     "the Terminate has an RDMA header but does not refer to a Read Request");
}

void terminate_judge(const struct judge_place *at, const struct decode_message *m)
{
    const struct judge_bench *b = at->b;
    struct hearing h = {.b = b, .own = &b->side[m->dir], .other = &b->side[1 - m->dir], .m = m, .at = at};
    h.call = h.other->call.open ? &h.other->call : NULL;
    if (!judge_control(&h))
        return;
    find_segment(&h);
    judge_length(&h);
    if (h.t.r && is_request(&h) && h.named)
        judge_read_request(&h);
    judge_answer(&h);
    if (!h.wrong_code)
        judge_headers(&h);
}
