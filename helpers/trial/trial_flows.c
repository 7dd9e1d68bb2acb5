/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial_flows.c -- connection by connection: the rows of flows.csv, and the columns of results.csv that say how flows are
 * together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/trial/trial_inner.h"

const char trial_flow_columns[] = "point,repeat,flow,workload,from,to,links,links_back,bytes,start_us,end_us,"
                                  "goodput_gbps,retransmits,lost\n";

/* ---- what a world tells ---- */

bool trial_asks_for_flows(const struct trial *t)
{
    return t->files.flows != NULL;
}

void trial_path(struct trial *t, uint32_t conn, int side, const char *links)
{
    char **path = &t->flow[conn].path[side];
    free(*path);
    *path = strdup(links);
    t->no_memory |= !*path;
}

void trial_lost(struct trial *t, uint32_t conn)
{
    t->flow[conn].lost++;
}

void flows_end(struct trial *t)
{
    for (uint32_t c = 0; t->flow && c < t->connections; c++)
        for (int side = 0; side < 2; side++)
            free(t->flow[c].path[side]);
}

/* ---- rates ---- */

double flow_rate(const struct trial *t, uint64_t octets, uint64_t from, uint64_t to)
{
    return has_window(t) ? gbps(octets, t->from, t->until) : gbps(octets, from, to);
}

uint64_t flow_bytes(const struct trial_flow *f)
{
    return f->side[0].bytes + f->side[1].bytes;
}

uint64_t flow_last_placed(const struct trial_flow *f)
{
    return later(f->side[0].last_placed, f->side[1].last_placed);
}

/* NaN: it did nothing, or placed nothing while nobody measures a window. */
static double rate_of(const struct trial *t, const struct trial_flow *f)
{
    bool began = f->first_post != IW_NEVER && (flow_bytes(f) || has_window(t));
    return began ? flow_rate(t, flow_bytes(f), f->first_post, flow_last_placed(f)) : NAN;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of all flows that have one, ascending; how many. */
static uint32_t rates_of(const struct trial *t, double *rate)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < t->connections; c++) {
        rate[count] = workload_carries(&t->point->workload, c) ? rate_of(t, &t->flow[c]) : NAN;
        count += isnan(rate[count]) ? 0 : 1;
    }
    qsort(rate, count, sizeof *rate, by_size);
    return count;
}

static void fill_rates(struct trial *t, const double *rate, uint32_t count)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += rate[i];
        squares += rate[i] * rate[i];
    }
    if (!count)
        return;
    t->r.flow_mean_gbps = sum / count;
    t->r.flow_p1_gbps = rate[(count - 1) / 100];
    if (squares > 0)
        t->r.flow_jain = sum * sum / count / squares;
}

/* What both sides wait for is nothing from the last acknowledgement on. */
static void fill_senders(struct trial *t)
{
    uint64_t last = 0;
    for (uint32_t c = 0; c < t->connections; c++) {
        const struct trial_flow *f = &t->flow[c];
        if (f->first_post == IW_NEVER)
            continue;
        if (f->bound_since == IW_NEVER || f->bound_was != NODE_BY_NOTHING)
            return;
        last = f->bound_since > last ? f->bound_since : last;
    }
    if (last)
        t->r.sender_ps = last - t->all.first_post;
}

void flows_fill(struct trial *t)
{
    double *rate = calloc(t->connections, sizeof *rate);
    uint32_t hosts = referee_receivers(t);
    t->no_memory |= !rate;
    if (rate)
        fill_rates(t, rate, rates_of(t, rate));
    free(rate);
    fill_senders(t);
    if (hosts)
        t->r.host_mean_gbps = t->r.goodput_gbps / hosts;
    if (!t->point->platform)
        t->r.link_share = t->r.host_mean_gbps / t->derived.line_gbps;
}

/* ---- flows.csv ---- */

static void write_time(FILE *out, uint64_t at)
{
    char text[40] = "";
    if (at != IW_NEVER)
        value_decimal(at, 6, text, sizeof text);
    fprintf(out, ",%s", text);
}

static void write_flow(const struct trial *t, FILE *out, uint32_t c)
{
    const struct trial_flow *f = &t->flow[c];
    const char *load = t->load ? t->point->workload.part[f->load].name : "";
    double rate = rate_of(t, f);
    csv_cell(out, t->files.label);
    fprintf(out, ",%u,%u,%s,%u,%u", t->point->repeat, c, load, f->pair.from, f->pair.to);
    fprintf(out, ",%s,%s,%llu", f->path[0] ? f->path[0] : "", f->path[1] ? f->path[1] : "",
            (unsigned long long)flow_bytes(f));
    write_time(out, f->first_post);
    write_time(out, flow_last_placed(f));
    if (isnan(rate))
        fputs(",", out);
    else
        fprintf(out, ",%.6f", rate);
    fprintf(out, ",%llu,%llu\n", (unsigned long long)f->resent, (unsigned long long)f->lost);
}

void flows_write(const struct trial *t)
{
    for (uint32_t c = 0; t->files.flows && c < t->connections; c++)
        write_flow(t, t->files.flows, c);
}
