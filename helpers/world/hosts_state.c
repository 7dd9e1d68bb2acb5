/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_state.c -- how a run stands at an instant: connections with both ends, flows, and the memory of hosts, as JSON (run
 * --state; the fields are in helpers/manual's page of it). */
#include <inttypes.h>
#include <stdlib.h>

#include "helpers/base/exit.h"
#include "helpers/base/quote.h"
#include "helpers/scenario/world.h"
#include "helpers/world/hosts_inner.h"

/* ---- members ---- */

/* null where nothing is known. */
static void member(FILE *out, const char *name, uint64_t n)
{
    fprintf(out, ", \"%s\": ", name);
    if (n == IW_NEVER)
        fputs("null", out);
    else
        fprintf(out, "%" PRIu64, n);
}

static void member_us(FILE *out, const char *name, uint64_t ps)
{
    char us[40];
    value_decimal(ps, 6, us, sizeof us);
    fprintf(out, ", \"%s\": %s", name, ps == IW_NEVER ? "null" : us);
}

static void next(FILE *out, uint32_t i)
{
    fputs(i ? ",\n    " : "\n    ", out);
}

/* ---- ends of connections ---- */

/* What came beyond a hole, and what is missing before each run of it. */
static void holes(FILE *out, const struct llp *llp, const void *l)
{
    uint32_t runs = llp->beyond ? llp->beyond(l, NULL, 0) : 0;
    uint64_t(*run)[2] = need(calloc(runs + 1u, sizeof *run));
    uint64_t base = llp == &llp_sctp ? 0 : llp->received(l), from = 0, beyond = 0;
    if (runs)
        llp->beyond(l, run, runs);
    for (uint32_t i = 0; i < runs; i++)
        beyond += run[i][1] - run[i][0];
    member(out, "beyond", beyond);
    fputs(", \"holes\": [", out);
    for (uint32_t i = 0; i < runs; i++) {
        fprintf(out, "%s[%" PRIu64 ", %" PRIu64 "]", i ? ", " : "", base + from, base + run[i][0]);
        from = run[i][1];
    }
    putc(']', out);
    free(run);
}

static void end_state(const struct hosts *h, FILE *out, const struct hosts_wire *w, int side)
{
    const struct node *n = node_of(h, w->host[side]);
    uint32_t conn = h->wires.carried[w->first];
    struct llp_stats s;
    void *l;
    const struct llp *llp = node_llp(n, w->local[side], &l);
    llp->statistics(l, &s);
    uint64_t edge = llp->has & LLP_PACKETS ? IW_NEVER : trial_window_edge(h->trial, conn, side);
    uint64_t received = llp->received(l);
    fprintf(out, "%s{\"side\": %d", side ? ",\n     " : "", side);
    member(out, "host", w->host[side]);
    member(out, "cwnd_bytes", s.cwnd);
    member(out, "ssthresh_bytes", s.ssthresh);
    member_us(out, "srtt_us", s.srtt ? s.srtt : IW_NEVER);
    member(out, llp->has & LLP_PACKETS ? "flight_packets" : "flight_bytes", s.flight);
    member(out, "acknowledged", llp->acked(l, 0));
    member(out, "received", received);
    member(out, "delivered", trial_delivered(h->trial, conn, side));
    member(out, "window_edge", edge);
    member(out, "window_bytes", edge == IW_NEVER ? edge : edge > received ? edge - received : 0);
    member(out, "staging_bytes", node_staging(n, w->local[side]));
    member(out, "held_bytes", node_held(n, w->local[side]));
    member(out, "retransmits", s.retransmits);
    holes(out, llp, l);
    putc('}', out);
}

static void connection_state(const struct hosts *h, FILE *out, uint32_t i)
{
    const struct hosts_wire *w = &h->wires.at[i];
    fprintf(out, "{\"connection\": %u, \"flows\": [", i);
    for (uint32_t k = 0; k < w->streams; k++)
        fprintf(out, "%s%u", k ? ", " : "", h->wires.carried[w->first + k]);
    fputs("], \"sides\": [", out);
    for (int side = 0; side < 2; side++)
        if (is_here(h, w->host[side]))
            end_state(h, out, w, side);
    fputs("]}", out);
}

/* ---- flows ---- */

static void flow_end_state(const struct hosts *h, FILE *out, uint32_t conn, int side)
{
    const struct hosts_end *e = end_of(h, conn, side);
    const struct iw_ep *ep = node_endpoint(node_of(h, e->host), e->stream);
    const struct iw_stats *s = iw_statistics(ep);
    bool shared = node_shared_receives(node_of(h, e->host), e->tenant) != NULL;
    fprintf(out, "%s{\"side\": %d", side ? ", " : "", side);
    member(out, "bytes_sent", s->octets_tx);
    member(out, "bytes_taken", s->octets_rx);
    member(out, "segments_placed_early", s->remembered);
    member(out, "messages_delivered", s->messages_rx);
    member(out, "receives", shared ? IW_NEVER : iw_receives(ep));
    putc('}', out);
}

static void flow_state(const struct hosts *h, FILE *out, uint32_t conn)
{
    fprintf(out, "{\"flow\": %u", conn);
    member(out, "from", end_of(h, conn, 0)->host);
    member(out, "to", end_of(h, conn, 1)->host);
    member(out, "bytes_placed", trial_placed(h->trial, conn));
    fputs(", \"sides\": [", out);
    for (int side = 0; side < 2; side++)
        if (is_here(h, end_of(h, conn, side)->host))
            flow_end_state(h, out, conn, side);
    fputs("]}", out);
}

/* ---- hosts ---- */

static void region_state(FILE *out, const struct iw_stags *tags, iw_stag stag)
{
    struct iw_region r;
    bool valid;
    if (!iw_region_of(tags, stag, &r, &valid))
        return;
    fprintf(out, "{\"stag\": \"0x%08x\", \"valid\": %s", stag, valid ? "true" : "false");
    member(out, "to", r.to);
    member(out, "length", r.len);
    fprintf(out, ", \"rights\": \"%s%s%s\"", r.rights & IW_LOCAL_WRITE ? "l" : "",
            r.rights & IW_REMOTE_READ ? "r" : "", r.rights & IW_REMOTE_WRITE ? "w" : "");
    member(out, "domain", r.pd);
    putc('}', out);
}

static void host_state(const struct hosts *h, FILE *out, uint32_t host)
{
    const struct node *n = node_of(h, host);
    const struct rnic_stats *s = rnic_statistics(node_adapter(n));
    const struct iw_srq *srq = node_shared_receives(n, 0);
    uint32_t at = 0, count = 0;
    iw_stag stag;
    fprintf(out, "{\"host\": %u", host);
    member(out, "staging_bytes", s->staging);
    member(out, "held_bytes", s->held);
    member(out, "placed_bytes", s->placed);
    member(out, "shared_receives", srq ? iw_srq_left(srq) : IW_NEVER);
    fputs(", \"regions\": [", out);
    while (iw_region_next(h->host[host].tags, &at, &stag)) {
        fputs(count++ ? ",\n      " : "", out);
        region_state(out, h->host[host].tags, stag);
    }
    fputs("]}", out);
}

/* ---- all ---- */

static void list(const struct hosts *h, FILE *out, const char *name, uint32_t count,
                 void (*one)(const struct hosts *h, FILE *out, uint32_t i))
{
    fprintf(out, ",\n  \"%s\": [", name);
    for (uint32_t i = 0; i < count; i++) {
        next(out, i);
        one(h, out, i);
    }
    fputs("\n  ]", out);
}

static void link_state(FILE *out, uint32_t i, const struct hosts_link *l)
{
    fprintf(out, "{\"link\": %u, \"from\": ", i);
    quote_json(out, l->from, false);
    fputs(", \"to\": ", out);
    quote_json(out, l->to, false);
    member(out, "queue_bytes", l->queue_octets);
    member(out, "queue_packets", l->queue_packets);
    member(out, "bytes", l->octets);
    member(out, "drops", l->drops);
    member(out, "pauses", l->pauses);
    fprintf(out, ", \"paused\": %s}", l->paused ? "true" : "false");
}

void hosts_state(const struct hosts *h, FILE *out, uint64_t now, uint32_t links,
                 void (*link)(void *context, uint32_t link, struct hosts_link *l))
{
    char us[40];
    value_decimal(now, 6, us, sizeof us);
    fprintf(out, "{\n  \"t_us\": %s,\n  \"world\": \"%s\",\n  \"links\": [", us,
            worlds[h->point->world].name);
    for (uint32_t i = 0; i < links; i++) {
        struct hosts_link l = {.drops = IW_NEVER, .pauses = IW_NEVER};
        link(h->world.context, i, &l);
        next(out, i);
        link_state(out, i, &l);
    }
    fputs("\n  ]", out);
    list(h, out, "connections", h->wires.count, connection_state);
    list(h, out, "flows", h->connections, flow_state);
    list(h, out, "hosts", h->count, host_state);
    fputs("\n}\n", out);
}
