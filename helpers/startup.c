/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/startup.h"

#include <string.h>

enum { NEAR_KEY = 7 }; /* "MPA ID ": octets that say MPA was meant, though the key is wrong */

static bool is_near_key(const struct startup_side *s)
{
    return s->have >= NEAR_KEY && memcmp(s->octets, "MPA ID ", NEAR_KEY) == 0;
}

static enum startup_is kind_of(const struct startup_side *s, enum mpa_frame_is is)
{
    if (s->have == 0)
        return STARTUP_NONE;
    if (is == MPA_FRAME_MORE)
        return STARTUP_MORE;
    if (is == MPA_FRAME_WHOLE)
        return STARTUP_WHOLE;
    return is == MPA_FRAME_NO_KEY && !is_near_key(s) ? STARTUP_OTHER : STARTUP_BAD;
}

static void read_side(struct startup_side *s, const struct stream *held, bool joined)
{
    s->have = stream_copy(held, 0, s->octets, sizeof s->octets);
    enum mpa_frame_is is = mpa_frame_get(s->octets, s->have, &s->frame, &s->size);
    s->is = joined ? STARTUP_JOINED : kind_of(s, is);
    if (!startup_has_frame(s))
        s->size = 0;
}

static bool is_request(const struct startup_side *s)
{
    return startup_has_frame(s) && !s->frame.reply;
}

/* Who sends the Request is the initiator, whoever opened the TCP connection; without exactly one Request, who sends
 * no Reply, and at last the TCP client. */
static int initiator_of(const struct startup *s, const struct flow *flow)
{
    bool requests[2] = {is_request(&s->side[0]), is_request(&s->side[1])};
    if (requests[0] != requests[1])
        return requests[1];
    bool syn = flow->half[0].syn || flow->half[1].syn;
    if (!syn && !requests[0])
        return startup_has_frame(&s->side[0]);
    return flow->half[1].syn && !flow->half[0].syn;
}

void startup_read(struct startup *s, const struct flow *flow, const struct stream held[2], const bool joined[2])
{
    for (int i = 0; i < 2; i++)
        read_side(&s->side[i], &held[i], joined[i]);
    s->initiator = initiator_of(s, flow);
}

/* ---- judging ---- */

static struct mpa_start_conf any_responder(void)
{
    return (struct mpa_start_conf){.role = MPA_RESPONDER,
                                   .kind = MPA_IETF_PERMISSIVE,
                                   .enhanced = true,
                                   .rtr = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ,
                                   .ird = MPA_DEPTH_ULP,
                                   .ord = MPA_DEPTH_ULP};
}

/* The initiator that would have sent this Request. */
static struct mpa_start_conf initiator_with(const struct mpa_frame *request)
{
    bool peer_to_peer = request->enhanced && request->peer_to_peer && request->rtr;
    return (struct mpa_start_conf){.role = MPA_INITIATOR,
                                   .kind = MPA_IETF_PERMISSIVE,
                                   .markers = request->markers,
                                   .no_crc = !request->crc,
                                   .enhanced = request->enhanced,
                                   .peer_to_peer = peer_to_peer,
                                   .rtr = peer_to_peer ? request->rtr : 0,
                                   .ird = request->ird,
                                   .ord = request->ord,
                                   .ird_max = MPA_DEPTH_ULP};
}

static enum mpa_why judge(struct mpa_start_conf conf, const struct startup_side *s)
{
    struct mpa_start start;
    if (mpa_start(&start, 0, &conf) != IW_OK)
        return MPA_WHY_NONE;
    mpa_start_in(&start, 0, s->octets, s->size && s->size < s->have ? s->size : s->have);
    return start.state == MPA_FAILED ? start.why : MPA_WHY_NONE;
}

/* The frame of the capture that brought the octet at `at`; 0: none did. */
static uint64_t frame_of(const struct stream *held, uint64_t at)
{
    struct stream_span span;
    return stream_when(held, at, at + 1, &span) ? span.frame_first : 0;
}

static enum mpa_why judge_request(const struct startup *s, const struct flow *flow, const struct stream held[2],
                                  uint64_t *frame)
{
    int other = 1 - s->initiator;
    const struct startup_side *request = &s->side[s->initiator], *reply = &s->side[other];
    *frame = frame_of(&held[s->initiator], 0);
    enum mpa_why why = judge(any_responder(), request);
    uint64_t more = frame_of(&held[s->initiator], request->size), answer = frame_of(&held[other], 0);
    bool heard_first = startup_has_frame(reply) ? answer < more : !flow->half[other].syn;
    if (why || !more || heard_first)
        return why;
    *frame = more;
    return MPA_WHY_SURPLUS; /* before it could have heard the Reply */
}

int startup_judge(const struct startup *s, const struct flow *flow, const struct stream held[2],
                  struct startup_fault fault[STARTUP_FAULTS])
{
    int other = 1 - s->initiator, faults = 0;
    const struct startup_side *request = &s->side[s->initiator], *reply = &s->side[other];
    if (!startup_has_frame(request))
        return 0;
    fault[0].side = s->initiator;
    fault[0].why = judge_request(s, flow, held, &fault[0].frame);
    faults += fault[0].why != MPA_WHY_NONE;
    if (!startup_has_frame(reply))
        return faults;
    fault[faults] = (struct startup_fault){other, judge(initiator_with(&request->frame), reply), frame_of(&held[other], 0)};
    return faults + (fault[faults].why != MPA_WHY_NONE);
}
