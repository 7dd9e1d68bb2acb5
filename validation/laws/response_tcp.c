/* SPDX-License-Identifier: GPL-2.0-or-later */
/* response_tcp.c -- how fast TCP goes under random loss, beside what the literature says it must: one line for each point.
 *
 *   response_tcp                the points of an ordinary run
 *   IWARPSIM_NIGHTLY=1 ...      all of them, 1,000 losses and more each
 *   response_tcp CC DETECTION RATE_GBPS RTT_US MTU MESSAGE P SEED      one point of one's own
 *
 * newreno   mean window = 1.31 sqrt(SMSS s / p) octets, s the mean segment (Mathis 1997): within 10 % for p <= 5e-3
 * cubic     at least 0.95 of newreno where W_est rules
 * fixed     place and hold: 1 - p of the line, with window and fixed at least 4 BDP, 2 BDP
 * discard   go-back-N: 1 / (1 + p (RTT / ser + 3)), ser of the mean segment, within 2 %
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "law.h"
#include "tcp_link.h"

#define US ((iw_time)1000000)

struct point {
    enum tcp_congestion congestion;
    enum tcp_detection detection;
    bool go_back;
    double gbps, rtt_us;
    uint32_t mtu, message;
    double p;
    uint64_t seed;
};

struct flow {
    uint32_t message, left;
    uint64_t segments, octets;
};

struct outcome {
    double gbps, window, segment, rtt_us;
    uint64_t losses, retransmits, spurious, timeouts, reductions;
};

static void pull(void *user, struct tcp_link *l, uint32_t c, int side, iw_time now)
{
    struct flow *f = user;
    struct tcp *t = tcp_link_end(l, c, side);
    (void)now;
    if (side || tcp_state(t) != TCP_ESTABLISHED)
        return;
    while (tcp_unsent(t) < 2 * tcp_mss(t)) {
        uint32_t len = f->left < tcp_mss(t) ? f->left : tcp_mss(t);
        if (!tcp_link_append(l, c, side, len))
            return;
        f->segments++;
        f->octets += len;
        f->left = f->left == len ? f->message : f->left - len;
    }
}

static struct tcp_link_conf link_of(const struct point *p)
{
    double bdp = p->gbps * 1e9 / 8 * p->rtt_us * 1e-6;
    struct tcp_link_conf l = {.connections = 1, .rate = (uint64_t)(p->gbps * 1e9), .seed = p->seed};
    l.delay = (iw_time)(p->rtt_us / 2 * 1e6);
    l.channel[0].loss = p->p;
    for (int i = 0; i < 2; i++) {
        struct tcp_conf *c = &l.end[i];
        tcp_defaults(c);
        c->mtu = (uint16_t)p->mtu;
        c->note_max = 8;
        c->iss = 12345;
        c->congestion = (uint8_t)p->congestion;
        c->detection = (uint8_t)p->detection;
        c->go_back_n = p->go_back;
        c->delayed_ack = 1;
        c->window_shift = 14;
        c->fixed_window = (uint32_t)(2 * bdp + 4 * p->mtu);
        if (c->fixed_window < 65536)
            c->fixed_window = 65536;
    }
    return l;
}

static struct outcome run(const struct point *p, uint64_t losses)
{
    struct flow flow = {.message = p->message, .left = p->message};
    struct tcp_link_user user = {.user = &flow, .pull = pull};
    struct tcp_link_conf conf = link_of(p);
    struct tcp_link *l = tcp_link_new(&conf, &user);
    struct outcome o = {0};
    double rtt = 0, samples = 0;
    tcp_link_window(l, 0, 1, (uint64_t)1 << 29);
    tcp_link_connect(l, 1000000 * US);
    tcp_link_kick(l, 0, 0);
    const struct tcp_link_count *count = tcp_link_count(l, 0, 0);
    while (count->data_lost < losses / 10 + 1 && tcp_link_step(l))
        ;
    iw_time from = tcp_link_now(l);
    uint64_t octets = tcp_acked(tcp_link_end(l, 0, 0)), lost = count->data_lost;
    while (count->data_lost < lost + losses && tcp_link_step(l)) {
        const struct tcp_stats *s = tcp_statistics(tcp_link_end(l, 0, 0));
        rtt += (double)s->srtt;
        samples++;
    }
    double seconds = (double)(tcp_link_now(l) - from) / 1e12;
    const struct tcp_stats *s = tcp_statistics(tcp_link_end(l, 0, 0));
    o.gbps = (double)(tcp_acked(tcp_link_end(l, 0, 0)) - octets) * 8 / seconds / 1e9;
    o.rtt_us = rtt / samples / 1e6;
    o.window = o.gbps * 1e9 / 8 * o.rtt_us / 1e6;
    o.segment = (double)flow.octets / (double)flow.segments;
    o.losses = count->data_lost - lost;
    o.retransmits = s->retransmits;
    o.spurious = s->spurious;
    o.timeouts = s->timeouts;
    o.reductions = s->reductions;
    tcp_link_free(l);
    return o;
}

/* What the form says, Gbps of TCP payload. */
static double form_of(const struct point *p, const struct outcome *o)
{
    double smss = p->mtu - 40, s = o->segment;
    double ser = (s + 40 + TCP_LINK_FRAMING) * 8 / (p->gbps * 1e9),
           line = p->gbps * s / (s + 40 + TCP_LINK_FRAMING);
    if (p->go_back)
        return line / (1 + p->p * (o->rtt_us * 1e-6 / ser + 3));
    if (p->congestion == TCP_FIXED)
        return line * (1 - p->p);
    return 1.31 * sqrt(smss * s / p->p) / (o->rtt_us * 1e-6) * 8 / 1e9;
}

static const char *const names[] = {"newreno", "cubic", "dctcp", "fixed"};

static double show(const struct point *p, uint64_t losses)
{
    struct outcome o = run(p, losses);
    double form = form_of(p, &o);
    printf("%-8s %-7s %6.0f %7.0f %5u %8u %8.0e | %9.4f %9.4f %6.3f | %6llu %6llu %5llu %5llu %6llu\n",
           names[p->congestion],
           p->go_back                 ? "goback"
           : p->detection == TCP_RACK ? "rack"
                                      : "dupack",
           p->gbps, p->rtt_us, p->mtu, p->message, p->p, o.gbps, form, o.gbps / form,
           (unsigned long long)o.losses, (unsigned long long)o.retransmits, (unsigned long long)o.spurious,
           (unsigned long long)o.timeouts, (unsigned long long)o.reductions);
    fflush(stdout);
    return o.gbps / form;
}

int main(int argc, char **argv)
{
    printf("%-8s %-7s %6s %7s %5s %8s %8s | %9s %9s %6s | %6s %6s %5s %5s %6s\n", "control", "loss", "Gbps",
           "RTT us", "MTU", "message", "p", "goodput", "form", "ratio", "lost", "again", "spur", "RTO",
           "cuts");
    if (argc == 9) {
        struct point p = {.gbps = atof(argv[3]),
                          .rtt_us = atof(argv[4]),
                          .mtu = (uint32_t)atoi(argv[5]),
                          .message = (uint32_t)atoi(argv[6]),
                          .p = atof(argv[7]),
                          .seed = (uint64_t)atoi(argv[8])};
        for (unsigned i = 0; i < TCP_CONGESTIONS; i++)
            if (!strcmp(argv[1], names[i]))
                p.congestion = (enum tcp_congestion)i;
        p.go_back = !strcmp(argv[2], "goback");
        p.detection = !strcmp(argv[2], "dupack") ? TCP_DUPACK : TCP_RACK;
        show(&p, 2000);
    }
    return 0;
}
