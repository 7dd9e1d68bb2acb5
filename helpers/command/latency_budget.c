/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_budget.c -- iwarpsim stages: where the time of one small message goes (latency_budget.h). */
#include "helpers/command/latency_budget.h"

#include <stdlib.h>

#include "helpers/base/exit.h"
#include "helpers/campaign/run_options.h"
#include "helpers/command.h"
#include "helpers/scenario/scenario.h"
#include "rnic/rnic.h"

enum { HEAD_TAGGED = 14, HEAD_UNTAGGED = 18, READ_REQUEST = 28, MPA_FIELDS = 6 };

static const char *const stage_legs[LEGS] = {"message", "request", "answer"};

struct adding {
    const struct scenario_point *point;
    struct scenario_derived derived;
    const struct rnic *adapter;
    struct latency_budget *stages;
    enum latency_leg leg;
};

static uint32_t fpdu(uint32_t head, uint32_t payload)
{
    return (head + payload + MPA_FIELDS + 3) / 4 * 4;
}

static void add_stage(struct adding *a, const char *name, uint32_t octets, uint64_t time)
{
    a->stages->stage[a->stages->count++] = (struct latency_stage){a->leg, name, octets, time};
    a->stages->sum += time;
}

static void add_step(struct adding *a, enum rnic_step step, uint32_t octets)
{
    add_stage(a, rnic_step_names[step], octets, rnic_step_time(a->adapter, step, octets));
}

/* Every link of the path, stored and forwarded. */
static void add_line(struct adding *a, uint32_t octets)
{
    uint32_t wire = octets + (a->derived.wire - a->derived.fpdu);
    uint64_t bits = UINT64_C(8000000000000) * wire, time = 0;
    for (uint32_t i = 0; i < a->derived.hops; i++) {
        struct fabric_pace link = fabric_along(&a->point->topology, a->derived.hops, i);
        time += bits / link.rate + link.delay;
    }
    add_stage(a, "line", wire, time);
}

/* From the port of the sender to acceptance at the receiver. */
static void add_crossing(struct adding *a, uint32_t message)
{
    add_step(a, RNIC_STEP_SEND, message);
    add_line(a, message);
    add_step(a, RNIC_STEP_ARRIVE, message);
}

/* From the post to acceptance: `message` octets on the way, `octets` of them from memory. */
static void add_way_out(struct adding *a, uint32_t message, uint32_t octets)
{
    add_step(a, RNIC_STEP_POST, octets);
    add_step(a, RNIC_STEP_FETCH, octets);
    if (octets && !rnic_inlined(a->adapter, octets))
        add_step(a, RNIC_STEP_READ, octets);
    add_crossing(a, message);
}

static void add_into_memory(struct adding *a, uint32_t message, uint32_t octets)
{
    bool copied = rnic_path_is(a->point->rnic.receive, RNIC_BY_CPU);
    add_step(a, RNIC_STEP_PLACE, copied ? message : octets);
    if (!copied)
        return;
    add_stage(a, "syscall", 0, a->point->rnic.cpu.syscall);
    add_step(a, RNIC_STEP_COPY, octets);
}

static void add_completion(struct adding *a)
{
    add_step(a, RNIC_STEP_COMPLETE, 0);
    add_step(a, RNIC_STEP_NOTIFY, 0);
}

static void add_write(struct adding *a, uint32_t octets)
{
    uint32_t message = fpdu(HEAD_TAGGED, octets);
    add_way_out(a, message, octets);
    add_into_memory(a, message, octets);
}

static void add_send(struct adding *a, uint32_t octets)
{
    uint32_t message = fpdu(HEAD_UNTAGGED, octets);
    add_way_out(a, message, octets);
    add_into_memory(a, message, octets);
    add_completion(a);
    if (workload_is(a->point->workload.kind, WORKLOAD_ALTERNATES)) /* before the ULP answers */
        add_stage(a, "repost", 0, a->point->rnic.cpu.post);
}

/* A request of `asks` octets, which is made and kept by the adapters, and its answer of `octets` behind `head`, which come from memory;
 * `placed`: they go there, too. */
static void add_asked(struct adding *a, uint32_t asks, uint32_t head, uint32_t octets, bool placed)
{
    uint32_t request = fpdu(HEAD_UNTAGGED, asks), answer = fpdu(head, octets);
    bool by_cpu = rnic_path_is(a->point->rnic.receive, RNIC_BY_CPU);
    a->leg = LEG_REQUEST;
    add_way_out(a, request, 0);
    if (by_cpu)
        add_into_memory(a, request, asks);
    a->leg = LEG_ANSWER;
    add_step(a, RNIC_STEP_READ, octets);
    add_crossing(a, answer);
    if (placed || by_cpu)
        add_into_memory(a, answer, octets);
    add_completion(a);
}

static void add_read(struct adding *a, uint32_t octets)
{
    add_asked(a, READ_REQUEST, HEAD_TAGGED, octets, true);
}

/* Its answer waits for the number in memory. */
static void add_atomic(struct adding *a, uint32_t octets)
{
    (void)octets;
    add_asked(a, IW_ATOMIC_REQ_SIZE, HEAD_UNTAGGED, IW_ATOMIC_RESP_SIZE, false);
}

const char *latency_budget_of(const struct scenario_point *p, struct latency_budget *stages)
{
    typedef void operation(struct adding *, uint32_t octets);
    static operation *const operations[] = {
        [WORKLOAD_SEND] = add_send,       [WORKLOAD_WRITE] = add_write,
        [WORKLOAD_READ] = add_read,       [WORKLOAD_FETCH_ADD] = add_atomic,
        [WORKLOAD_CMP_SWAP] = add_atomic, [WORKLOAD_ALLREDUCE] = add_send,
        [WORKLOAD_ALL_GATHER] = add_send, [WORKLOAD_REDUCE_SCATTER] = add_send,
        [WORKLOAD_ALL_TO_ALL] = add_send, [WORKLOAD_BROADCAST] = add_send};
    _Static_assert(sizeof operations / sizeof *operations == WORKLOAD_OPS,
                   "each row of WORKLOAD_OP_TABLE has its stages");
    struct adding a = {.point = p, .stages = stages};
    *stages = (struct latency_budget){.count = 0};
    scenario_derive(p, &a.derived);
    if (p->workload.parts)
        return "workloads: stages are shown only for one workload, of all hosts";
    if (p->workload.size + HEAD_UNTAGGED > a.derived.sizes.mulpdu)
        return "workload.size: stages are shown only for a message that fits one segment";
    if (p->llp.markers)
        return "llp.markers: stages are shown only without markers";
    void *block = malloc(rnic_size(&p->rnic, 1));
    if (!block)
        return "out of memory";
    a.adapter = rnic_init(block, &p->rnic, 1, 0);
    operations[p->workload.op](&a, p->workload.size);
    free(block);
    return NULL;
}

/* ---- the command ---- */

static const char help[] =
    "usage: iwarpsim stages FILE [--set KEY=VALUE]...\n"
    "\n"
    "Shows where the time of one message of workload.size octets goes at each point of a scenario: the "
    "stages from\n"
    "the post until the ULP has it (Send, Read: completion taken; Write: octets in place), with nothing else "
    "in\n"
    "flight and warm caches. Prints a table: point, leg, stage, octets that it moves, us; `sum` at the end "
    "of each\n"
    "point. Runs nothing; in world fabric the latency of such a message is this sum to the picosecond.\n";

static void print_time(const char *label, const char *leg, const char *name, uint32_t octets, uint64_t time)
{
    char text[40];
    value_decimal(time, 6, text, sizeof text);
    printf("%s\t%s\t%s\t%u\t%s\n", label, leg, name, octets, text);
}

static int print_point(const struct scenario *s, size_t index)
{
    struct scenario_point p;
    struct latency_budget stages;
    char label[SCENARIO_LABEL_MAX], error[SCENARIO_ERROR_MAX];
    scenario_label(s, index, label);
    scenario_point(s, index, 0, &p, error);
    const char *why = latency_budget_of(&p, &stages);
    if (why)
        return complain(EXIT_INPUT, "stages", "%s: point %s: %s", s->file, label, why);
    for (uint32_t i = 0; i < stages.count; i++) {
        const struct latency_stage *t = &stages.stage[i];
        print_time(label, stage_legs[t->leg], t->name, t->octets, t->time);
    }
    print_time(label, "all", "sum", p.workload.size, stages.sum);
    return EXIT_DONE;
}

static int print_points(const struct run_options *o)
{
    int status = EXIT_DONE;
    struct scenario *s = run_options_scenario(o);
    if (!s)
        return EXIT_INPUT;
    puts("point\tleg\tstage\toctets\tus");
    for (size_t i = 0; i < s->points && status == EXIT_DONE; i++)
        status = print_point(s, i);
    scenario_free(s);
    return status;
}

int command_stages(int argc, char **argv)
{
    struct run_options o;
    int status;
    if (run_options_parse(&o, argc, argv, help, &status))
        status = print_points(&o);
    run_options_free(&o);
    return status;
}
