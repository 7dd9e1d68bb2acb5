/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/decode_startup.h"

#include <string.h>

enum { NEAR_KEY = 7 }; /* "MPA ID ": octets that say MPA was meant, though the key is wrong */

static bool is_near_key(const struct decode_startup_side *s)
{
    return s->have >= NEAR_KEY && memcmp(s->octets, "MPA ID ", NEAR_KEY) == 0;
}

static enum decode_startup_is kind_of_frame(const struct decode_startup_side *s, enum mpa_frame_is is)
{
    if (s->have == 0)
        return STARTUP_NONE;
    if (is == MPA_FRAME_MORE)
        return STARTUP_MORE;
    if (is == MPA_FRAME_WHOLE)
        return STARTUP_WHOLE;
    return is == MPA_FRAME_NO_KEY && !is_near_key(s) ? STARTUP_OTHER : STARTUP_BAD;
}

static void read_side(struct decode_startup_side *s, const struct reassembly *held, bool joined)
{
    s->have = reassembly_copy(held, 0, s->octets, sizeof s->octets);
    enum mpa_frame_is is = mpa_frame_get(s->octets, s->have, &s->frame, &s->size);
    s->is = joined ? STARTUP_JOINED : kind_of_frame(s, is);
    if (!decode_startup_has_frame(s))
        s->size = 0;
}

static bool is_request(const struct decode_startup_side *s)
{
    return decode_startup_has_frame(s) && !s->frame.reply;
}

/* Who sends the Request is the initiator, whoever opened the TCP connection; without exactly one Request, who sends
 * no Reply, and at last the TCP client. */
static int initiator_of(const struct decode_startup *s, const struct flow *flow)
{
    bool requests[2] = {is_request(&s->side[0]), is_request(&s->side[1])};
    if (requests[0] != requests[1])
        return requests[1];
    bool syn = flow->half[0].syn || flow->half[1].syn;
    if (!syn && !requests[0])
        return decode_startup_has_frame(&s->side[0]);
    return flow->half[1].syn && !flow->half[0].syn;
}

void decode_startup_read(struct decode_startup *s, const struct flow *flow, const struct reassembly held[2],
                         const bool joined[2])
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

static enum mpa_why judge_frame(struct mpa_start_conf conf, const struct decode_startup_side *s)
{
    uint8_t frames[2 * MPA_FRAME_MAX];
    struct mpa_start start;
    conf.frames = frames;
    if (s->have < MPA_FRAME_HEAD || mpa_start(&start, 0, &conf) != IW_OK)
        return MPA_WHY_NONE;
    mpa_start_in(&start, 0, s->octets, s->size && s->size < s->have ? s->size : s->have);
    return start.state == MPA_FAILED ? start.why : MPA_WHY_NONE;
}

/* A Request of revision 2 that is not enhanced is answered in kind, which our initiator never asks for: to it this is
 * revision 1. */
static enum mpa_why judge_reply(const struct mpa_frame *request, struct decode_startup_side reply)
{
    enum { REV_AT = 17 };
    if (request->rev == 2 && !request->enhanced && reply.frame.rev == 2)
        reply.octets[REV_AT] = 1;
    return judge_frame(initiator_with(request), &reply);
}

/* When the octet at `at` came; frame_first is 0 when it did not. */
static struct reassembly_span when_came(const struct reassembly *held, uint64_t at)
{
    struct reassembly_span span = {0};
    reassembly_when(held, at, at + 1, &span);
    return span;
}

static struct decode_startup_fault judge_request(const struct decode_startup *s, const struct flow *flow,
                                                 const struct reassembly held[2])
{
    int own = s->initiator, other = 1 - own;
    const struct decode_startup_side *request = &s->side[own], *reply = &s->side[other];
    struct decode_startup_fault fault = {own, judge_frame(any_responder(), request),
                                         when_came(&held[own], 0)};
    struct reassembly_span more = when_came(&held[own], request->size), answer = when_came(&held[other], 0);
    bool heard_first =
        decode_startup_has_frame(reply) ? answer.frame_first < more.frame_first : !flow->half[other].syn;
    if (fault.why || !more.frame_first || heard_first)
        return fault;
    return (struct decode_startup_fault){own, MPA_WHY_SURPLUS,
                                         more}; /* before it could have heard the Reply */
}

int decode_startup_check(const struct decode_startup *s, const struct flow *flow,
                         const struct reassembly held[2], struct decode_startup_fault fault[STARTUP_FAULTS])
{
    int other = 1 - s->initiator, faults = 0;
    const struct decode_startup_side *request = &s->side[s->initiator], *reply = &s->side[other];
    if (!decode_startup_has_frame(request))
        return 0;
    fault[0] = judge_request(s, flow, held);
    faults += fault[0].why != MPA_WHY_NONE;
    if (!decode_startup_has_frame(reply))
        return faults;
    fault[faults] = (struct decode_startup_fault){other, judge_reply(&request->frame, *reply),
                                                  when_came(&held[other], 0)};
    return faults + (fault[faults].why != MPA_WHY_NONE);
}
