/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One message on an idle link takes the sum of its stages, to the picosecond. The stages are those of the table in
 * rnic.h, each with the octets that it moves; the sums are written down here, operation by operation. */
#include "node_rig.h"

enum { PORT = 78, HEAD_TAGGED = 14, HEAD_UNTAGGED = 18, READ_REQUEST = 28, MPA_FIELDS = 6 };

static uint32_t fpdu(uint32_t head, uint32_t payload)
{
    return (head + payload + MPA_FIELDS + 3) / 4 * 4;
}

/* On the line, from the port to the other port. */
static iw_time line(const struct run_conf *c, uint32_t octets)
{
    return (uint64_t)(octets + PORT) * 8 * 1000 * GBPS / c->link.rate + c->link.delay;
}

static iw_time step(const struct rnic *r, enum rnic_step step, uint32_t octets)
{
    return rnic_step_time(r, step, octets);
}

/* From the request to its segment at the other adapter's transport. */
static iw_time way_out(const struct run_conf *c, const struct rnic *r, uint32_t message, uint32_t octets)
{
    bool inlined = rnic_inlined(r, octets);
    iw_time read = inlined ? 0 : step(r, RNIC_STEP_READ, octets);
    return step(r, RNIC_STEP_POST, octets) + step(r, RNIC_STEP_FETCH, octets) + read +
           step(r, RNIC_STEP_SEND, message) + line(c, message) + step(r, RNIC_STEP_ARRIVE, message);
}

/* From acceptance until the payload is where the ULP wants it. */
static iw_time into_memory(const struct run_conf *c, const struct rnic *r, uint32_t message, uint32_t octets)
{
    if (c->rnic[1].receive != RNIC_COPY)
        return step(r, RNIC_STEP_PLACE, octets);
    return step(r, RNIC_STEP_PLACE, message) + c->rnic[1].cpu.syscall + step(r, RNIC_STEP_COPY, octets);
}

static iw_time completion(const struct rnic *r)
{
    return step(r, RNIC_STEP_COMPLETE, 0) + step(r, RNIC_STEP_NOTIFY, 0);
}

static iw_time write_time(const struct run_conf *c, const struct rnic *r)
{
    uint32_t message = fpdu(HEAD_TAGGED, c->size);
    return way_out(c, r, message, c->size) + into_memory(c, r, message, c->size);
}

static iw_time send_time(const struct run_conf *c, const struct rnic *r)
{
    uint32_t message = fpdu(HEAD_UNTAGGED, c->size);
    return way_out(c, r, message, c->size) + into_memory(c, r, message, c->size) + completion(r);
}

/* The request is made and kept by the adapters; only its answer comes from memory and goes there. */
static iw_time read_time(const struct run_conf *c, const struct rnic *r)
{
    uint32_t request = fpdu(HEAD_UNTAGGED, READ_REQUEST), answer = fpdu(HEAD_TAGGED, c->size);
    iw_time asked = way_out(c, r, request, 0);
    if (c->rnic[1].receive == RNIC_COPY)
        asked += into_memory(c, r, request, READ_REQUEST);
    return asked + step(r, RNIC_STEP_READ, c->size) + step(r, RNIC_STEP_SEND, answer) + line(c, answer) +
           step(r, RNIC_STEP_ARRIVE, answer) + into_memory(c, r, answer, c->size) + completion(r);
}

static iw_time measured(const struct run_conf *c)
{
    struct run_result r = run(c, true);
    iw_time end = c->op == IW_WRITE ? r.placed : c->op == IW_SEND ? r.received : r.done;
    return end - r.posted;
}

static void check(const struct run_conf *c, const struct rnic *r, const char *name)
{
    iw_time expected = c->op == IW_WRITE  ? write_time(c, r)
                       : c->op == IW_SEND ? send_time(c, r)
                                          : read_time(c, r);
    iw_time found = measured(c);
    if (expected != found)
        fail_msg("%s over %s, operation %d, %u octets: %llu ps, the stages take %llu ps", name, c->llp->name,
                 (int)c->op, c->size, (unsigned long long)found, (unsigned long long)expected);
}

static void stages_of(const char *name, const struct llp *llp, enum iw_op op, uint32_t size)
{
    struct run_conf c = run_of(US);
    c.llp = llp;
    c.rnic[0] = c.rnic[1] = preset(name);
    c.op = op;
    c.size = size;
    c.link.window = (uint32_t)c.rnic[0].window.bytes;
    c.link.delayed_ack = 2; /* a Read Request is answered with its Response */
    c.link.ack_delay = 50 * US;
    struct rnic *r = adapter(&c.rnic[0], 1);
    check(&c, r, name);
    free(r);
}

static void stages_add_up_over(const struct llp *llp)
{
    static const enum iw_op ops[] = {IW_SEND, IW_WRITE, IW_READ};
    static const uint32_t sizes[] = {1, 24, 25, 64, 512, 4096, 8000};
    for (unsigned i = 0; i < rnic_presets_count; i++)
        for (unsigned op = 0; op < sizeof ops / sizeof *ops; op++)
            for (unsigned size = 0; size < sizeof sizes / sizeof *sizes; size++)
                stages_of(rnic_presets[i].name, llp, ops[op], sizes[size]);
}

TEST(the_stages_add_up)
{
    stages_add_up_over(&llp_ideal);
}

/* TCP's header is as long as that of the ideal stream. */
TEST(the_stages_add_up_over_tcp)
{
    stages_add_up_over(&llp_tcp);
}

/* Interrupts: moderated, the completion waits for the interval. */
TEST(moderation_delays_the_completion)
{
    struct run_conf c = run_of(US);
    c.rnic[0] = c.rnic[1] = preset("t6");
    c.rnic[0].completion.mode = c.rnic[1].completion.mode = RNIC_INTERRUPT;
    c.rnic[0].completion.count = c.rnic[1].completion.count = 8;
    c.rnic[0].completion.interval = c.rnic[1].completion.interval = 16 * US;
    c.op = IW_SEND;
    c.size = 64;
    struct rnic *r = adapter(&c.rnic[0], 1);
    check(&c, r, "t6 with interrupts");
    assert_true(measured(&c) > 18 * US);
    free(r);
}
