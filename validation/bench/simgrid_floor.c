/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simgrid_floor.c -- SimGrid alone: the flows that a ring of nodes makes, with nothing above them.
 *   simgrid_floor [NODES [FLOWS [OCTETS]]]     each node sends FLOWS of OCTETS to the next; one flow per node at a time
 * What iwarpsim-simgrid takes beyond this is its own: memory per node, CPU per flow. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "simgrid/ports.h"
#include "simgrid/shim.h"

struct floor {
    struct grid_ports *ports;
    struct grid_node *node;
    struct grid_end *end;
    struct grid_chunk *chunk;
    uint32_t nodes, *left, over, *path;
};

static void fly(struct floor *f, uint32_t i)
{
    f->left[i]--;
    grid_ports_fly(f->ports, i, &f->chunk[i]);
}

static void begin(void *context)
{
    struct floor *f = context;
    for (uint32_t i = 0; i < f->nodes; i++)
        fly(f, i);
}

static void ended(void *context, iw_time at, struct grid_chunk *chunk)
{
    struct floor *f = context;
    uint32_t i = chunk->from->node->number;
    (void)at;
    if (f->left[i])
        fly(f, i);
    else if (++f->over == f->nodes)
        grid_ports_stop(f->ports);
}

static iw_time next(void *context)
{
    (void)context;
    return IW_NEVER;
}

static void run(void *context, iw_time at)
{
    (void)context, (void)at;
}

static iw_time now(void *context)
{
    (void)context;
    return grid_ports_now();
}

static void out_of_memory(void *context)
{
    (void)context;
    exit(3);
}

static void *must(void *memory)
{
    if (!memory)
        exit(3);
    return memory;
}

static void fill(struct floor *f, uint32_t flows, uint64_t octets)
{
    f->node = must(calloc(f->nodes, sizeof *f->node));
    f->end = must(calloc(2 * (size_t)f->nodes, sizeof *f->end));
    f->chunk = must(calloc(f->nodes, sizeof *f->chunk));
    f->path = must(calloc(2 * (size_t)f->nodes, sizeof *f->path));
    f->left = must(calloc(f->nodes, sizeof *f->left));
    for (uint32_t i = 0; i < f->nodes; i++) {
        uint32_t to = (i + 1) % f->nodes;
        f->node[i].number = i;
        f->end[2 * i] =
            (struct grid_end){.node = &f->node[i], .conn = i, .side = 0, .link = &f->path[2 * i], .links = 2};
        f->path[2 * i] = i;
        f->path[2 * i + 1] = f->nodes + to;
        f->end[2 * i + 1] = (struct grid_end){.node = &f->node[to], .conn = i, .side = 1};
        f->chunk[i].from = &f->end[2 * i];
        f->chunk[i].to = &f->end[2 * i + 1];
        f->chunk[i].octets = octets;
        f->left[i] = flows;
    }
}

int main(int argc, char **argv)
{
    struct floor f = {.nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 4096};
    uint32_t flows = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 8;
    double *rate = must(calloc(2 * (size_t)f.nodes, sizeof *rate));
    for (uint32_t i = 0; i < 2 * f.nodes; i++)
        rate[i] = 12.5e9;
    struct grid_platform platform = {f.nodes, 2 * f.nodes, rate};
    struct grid_ports_conf conf = {.platform = &platform,
                                   .hosts = f.nodes,
                                   .connections = f.nodes,
                                   .observer = {&f, begin, ended, next, run, now, out_of_memory}};
    struct rusage use;
    fill(&f, flows, argc > 3 ? strtoull(argv[3], NULL, 10) : 65536);
    f.ports = must(grid_ports_new(&conf));
    grid_ports_run(f.ports);
    getrusage(RUSAGE_SELF, &use);
    printf("nodes %u flows %u cpu_s %.3f peak_kB %ld\n", f.nodes, f.nodes * flows,
           (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec, use.ru_maxrss);
    return 0;
}
