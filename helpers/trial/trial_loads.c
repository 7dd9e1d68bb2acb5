/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_loads.c -- of several workloads, what is measured of each: the rows of workloads.csv. Where there is one workload
 * nothing happens here. */
#include <inttypes.h>
#include <stdlib.h>

#include "helpers/trial/trial_inner.h"

const char trial_load_columns[] =
    "point,repeat,workload,kind,connections,start_us,goodput_gbps,flow_min_gbps,completion_us,messages,"
    "messages_posted,bytes,latency_n,latency_mean_us,latency_p50_us,latency_p99_us,latency_p999_us,"
    "latency_max_us,fct_slowdown_p50,fct_slowdown_p99,segments,segments_ooo,placed_ooo_bytes,retransmits,"
    "terminates,tenant,failed,foreign_bytes,refused,connections_peak,cq_entries_peak,stags_peak,"
    "read_entries_peak,recv_buffers_peak\n";

static void begin_load(struct trial_load *load, struct point_results *row)
{
    load->r = row;
    load->first_post = load->last_placed = load->last_over = IW_NEVER;
    trial_undefine(row);
    row->counted = (struct point_counters){0};
}

bool loads_start(struct trial *t)
{
    begin_load(&t->all, &t->r);
    if (t->point->loads == 0 || !t->point->load_of[0].name)
        return true;
    t->load = calloc(t->point->loads, sizeof *t->load);
    for (uint32_t i = 0; t->load && i < t->point->loads; i++)
        begin_load(&t->load[i], &t->load[i].own);
    return t->load != NULL;
}

static void end_load(struct trial_load *load)
{
    samples_free(&load->latency);
    samples_free(&load->slowdown);
    for (int bits = 0; bits < SIZE_CLASSES; bits++)
        samples_free(&load->slowdown_of[bits]);
}

void loads_end(struct trial *t)
{
    end_load(&t->all);
    for (uint32_t i = 0; t->load && i < t->point->loads; i++)
        end_load(&t->load[i]);
    free(t->load);
}

struct trial_load *loads_next(struct trial *t, uint32_t conn, const struct trial_load *before)
{
    if (!before)
        return &t->all;
    return before == &t->all && t->load ? &t->load[t->flow[conn].load] : NULL;
}

void loads_resent(struct trial *t, uint32_t conn)
{
    struct trial_load *load = loads_next(t, conn, &t->all);
    if (load)
        load->r->retransmits++;
}

void loads_failed(struct trial *t, uint32_t conn)
{
    struct trial_load *load = loads_next(t, conn, &t->all);
    if (load)
        load->failed++;
}

void loads_terminated(struct trial *t, uint32_t conn)
{
    struct trial_load *load = loads_next(t, conn, &t->all);
    if (load)
        load->r->terminates++;
}

void trial_tenant(struct trial *t, uint32_t tenant, const struct trial_tenant *had)
{
    struct trial_tenant *all = &t->tenant[tenant - 1];
    all->refused += had->refused;
    for (int r = 0; r < IW_PRM_RESOURCES; r++)
        all->peak[r] = had->peak[r] > all->peak[r] ? had->peak[r] : all->peak[r];
}

/* ---- the rows ---- */

/* Whose it is, what became of it, what the tenant had; without one these cells are empty. */
static void write_tenant(const struct trial *t, FILE *out, uint32_t number)
{
    static const enum iw_resource order[] = {IW_PRM_ENDPOINTS, IW_PRM_CQ_ENTRIES, IW_PRM_REGIONS,
                                             IW_PRM_READ_SLOTS, IW_PRM_RECV_BUFFERS};
    _Static_assert(sizeof order / sizeof *order == IW_PRM_RESOURCES, "each resource has its column");
    const struct workload_conf *conf = t->point->workload.part[number].conf;
    const struct trial_tenant *had = &t->tenant[conf->tenant ? conf->tenant - 1 : 0];
    fprintf(out, ",%s,%" PRIu64, conf->tenant ? conf->of_tenant : "", t->load[number].failed);
    if (!conf->tenant) {
        fputs(",,,,,,,", out);
        return;
    }
    fprintf(out, ",%" PRIu64 ",%" PRIu64, workload_trespassed(t->workload, number), had->refused);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        fprintf(out, ",%u", had->peak[order[i]]);
}

/* All have ended, and how long that took. */
static void fill_completion(struct trial_load *load, uint64_t asked)
{
    if (load->r->messages_posted == asked && load->first_post != IW_NEVER)
        load->r->completion_ps = load->last_over - load->first_post;
}

static void write_load(struct trial *t, FILE *out, uint32_t number)
{
    const struct workload_part *part = &t->point->workload.part[number];
    struct trial_load *load = &t->load[number];
    char start[40];
    loads_fill(t, load, number);
    fill_completion(load, workload_messages(part->conf));
    value_decimal(part->conf->start, 6, start, sizeof start);
    csv_cell(out, t->files.label);
    fprintf(out, ",%u,%s,%s,%u,%s", t->point->repeat, part->name, workload_kind_name(part->conf->kind),
            workload_connections(part->conf), start);
    results_write_cells(out, trial_load_columns, "start_us", load->r);
    write_tenant(t, out, number);
    putc('\n', out);
}

void loads_write(struct trial *t)
{
    for (uint32_t i = 0; t->load && t->files.workloads && i < t->point->loads; i++)
        write_load(t, t->files.workloads, i);
}
