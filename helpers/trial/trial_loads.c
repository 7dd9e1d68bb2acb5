/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_loads.c -- of several workloads, what is measured of each: the rows of workloads.csv. Where there is one workload
 * nothing happens here. */
#include <math.h>
#include <stdlib.h>

#include "helpers/trial/trial_inner.h"

const char trial_load_columns[] =
    "point,repeat,workload,kind,connections,start_us,goodput_gbps,flow_min_gbps,completion_us,messages,"
    "messages_posted,bytes,latency_n,latency_mean_us,latency_p50_us,latency_p99_us,latency_p999_us,"
    "latency_max_us,fct_slowdown_p50,fct_slowdown_p99,segments,segments_ooo,placed_ooo_bytes,retransmits\n";

bool loads_start(struct trial *t)
{
    const struct workload_conf *w = &t->point->workload;
    if (t->point->loads == 0 || !t->point->load_of[0].name)
        return true;
    t->load = calloc(t->point->loads, sizeof *t->load);
    for (uint32_t i = 0; t->load && i < t->point->loads; i++) {
        trial_undefine(&t->load[i].r);
        t->load[i].first_post = t->load[i].last_placed = t->load[i].last_over = IW_NEVER;
        t->load[i].connections = workload_connections(w->part[i].conf);
    }
    return t->load != NULL;
}

void loads_end(struct trial *t)
{
    for (uint32_t i = 0; t->load && i < t->point->loads; i++) {
        samples_free(&t->load[i].latency);
        samples_free(&t->load[i].slowdown);
        for (int bits = 0; bits < SIZE_CLASSES; bits++)
            samples_free(&t->load[i].slowdown_of[bits]);
    }
    free(t->load);
}

/* That of a connection; NULL: there is one workload, and nothing is kept of it here. */
static struct load_measure *load_of(struct trial *t, uint32_t conn)
{
    return t->load ? &t->load[t->flow[conn].load] : NULL;
}

void loads_message(struct trial *t, uint64_t now, const struct workload_message *m)
{
    struct load_measure *load = load_of(t, m->conn);
    if (!load)
        return;
    load->r.messages_posted++;
    load->r.messages += m->status == 0;
    load->last_over = now;
    if (m->latency != IW_NEVER)
        t->no_memory |= !samples_add(&load->latency, m->latency);
}

void loads_slowdown(struct trial *t, uint32_t conn, uint64_t millionths)
{
    struct load_measure *load = load_of(t, conn);
    if (load)
        t->no_memory |= !samples_add(&load->slowdown, millionths);
}

struct samples *loads_slowdown_of(struct trial *t, uint32_t conn, unsigned bits)
{
    struct load_measure *load = load_of(t, conn);
    return load ? &load->slowdown_of[bits] : &t->slowdown_of[bits];
}

void loads_post(struct trial *t, uint64_t now, uint32_t conn)
{
    struct load_measure *load = load_of(t, conn);
    if (load && now < load->first_post)
        load->first_post = now;
}

void loads_placed(struct trial *t, uint64_t now, uint32_t conn, uint32_t len, bool ooo)
{
    struct load_measure *load = load_of(t, conn);
    if (!load)
        return;
    load->r.bytes += len;
    load->r.placed_ooo_bytes += ooo ? len : 0;
    if (load->last_placed == IW_NEVER || now > load->last_placed)
        load->last_placed = now;
}

void loads_arrived(struct trial *t, uint32_t conn, bool ooo)
{
    struct load_measure *load = load_of(t, conn);
    if (!load)
        return;
    load->r.segments++;
    load->r.segments_ooo += ooo;
}

void loads_resent(struct trial *t, uint32_t conn)
{
    struct load_measure *load = load_of(t, conn);
    if (load)
        load->r.retransmits++;
}

/* ---- the rows ---- */

static double slowest_flow(const struct trial *t, uint32_t number)
{
    double least = NAN;
    for (uint32_t c = 0; c < t->connections; c++) {
        const struct flow_measure *f = &t->flow[c];
        double g = gbps(f->bytes, f->first_post, f->last_placed);
        if (f->load == number && (isnan(least) || g < least))
            least = g;
    }
    return least;
}

/* All have ended, and how long that took. */
static void fill_completion(struct load_measure *load, uint64_t asked)
{
    if (load->r.messages_posted == asked && load->first_post != IW_NEVER)
        load->r.completion_ps = load->last_over - load->first_post;
}

static void write_load(struct trial *t, FILE *out, uint32_t number)
{
    const struct workload_part *part = &t->point->workload.part[number];
    struct load_measure *load = &t->load[number];
    char start[40];
    load->r.goodput_gbps = gbps(load->r.bytes, load->first_post, load->last_placed);
    load->r.flow_min_gbps = slowest_flow(t, number);
    fill_completion(load, workload_messages(part->conf));
    latency_fill(&load->r, &load->latency, &load->slowdown);
    value_decimal(part->conf->start, 6, start, sizeof start);
    csv_cell(out, t->files.label);
    fprintf(out, ",%u,%s,%s,%u,%s", t->point->repeat, part->name, workload_kind_name(part->conf->kind),
            load->connections, start);
    results_write_cells(out, trial_load_columns, "start_us", &load->r);
    putc('\n', out);
}

void loads_write(struct trial *t)
{
    for (uint32_t i = 0; t->load && t->files.workloads && i < t->point->loads; i++)
        write_load(t, t->files.workloads, i);
}
