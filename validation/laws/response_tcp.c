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
    double gbps, window, segment, rtt_us, p; /* p: as it came out */
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
    uint64_t octets = tcp_acked(tcp_link_end(l, 0, 0)), lost = count->data_lost, sent = count->data_sent;
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
    o.p = (double)o.losses / (double)(count->data_sent - sent);
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
        return line / (1 + o->p * (o->rtt_us * 1e-6 / ser + 3));
    if (p->congestion == TCP_FIXED)
        return line * (1 - o->p);
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

/* ---- many senders, one queue ---- */

struct incast {
    enum tcp_congestion congestion;
    uint32_t senders, mtu;
    double gbps, rtt_us;
    uint64_t buffer, mark_above;
    double share, queue, bound; /* of the line's payload; mean octets that wait */
    uint64_t drops, timeouts, spurious;
};

static void incast_pull(void *user, struct tcp_link *l, uint32_t c, int side, iw_time now)
{
    struct tcp *t = tcp_link_end(l, c, side);
    (void)user, (void)now;
    while (!side && tcp_state(t) == TCP_ESTABLISHED && tcp_unsent(t) < 2 * tcp_mss(t))
        if (!tcp_link_append(l, c, side, tcp_mss(t)))
            return;
}

static uint64_t all_acked(struct tcp_link *l, uint32_t senders)
{
    uint64_t sum = 0;
    for (uint32_t c = 0; c < senders; c++)
        sum += tcp_acked(tcp_link_end(l, c, 0));
    return sum;
}

static void incast_run(struct incast *i)
{
    struct tcp_link_user user = {.pull = incast_pull};
    struct tcp_link_conf conf = {.connections = i->senders,
                                 .rate = (uint64_t)(i->gbps * 1e9),
                                 .delay = (iw_time)(i->rtt_us / 2 * 1e6),
                                 .buffer = i->buffer,
                                 .mark_above = i->mark_above};
    for (int k = 0; k < 2; k++) {
        struct tcp_conf *c = &conf.end[k];
        tcp_defaults(c);
        c->mtu = (uint16_t)i->mtu;
        c->note_max = 8;
        c->congestion = (uint8_t)i->congestion;
        c->ecn = i->congestion == TCP_DCTCP;
        c->window_shift = 10;
    }
    struct tcp_link *l = tcp_link_new(&conf, &user);
    for (uint32_t c = 0; c < i->senders; c++)
        tcp_link_window(l, c, 1, 8 << 20);
    law(tcp_link_connect(l, 1000000 * US), "not established");
    for (uint32_t c = 0; c < i->senders; c++)
        tcp_link_kick(l, c, 0);
    iw_time rtt = (iw_time)(i->rtt_us * 1e6) + (iw_time)((double)i->mark_above * 8e3 / i->gbps);
    tcp_link_run(l, tcp_link_now(l) + 10 * rtt + 2000 * US);
    iw_time from = tcp_link_now(l);
    uint64_t had = all_acked(l, i->senders);
    tcp_link_queue(l, NULL);
    tcp_link_run(l, from + 20000 * US);
    tcp_link_queue(l, &i->queue);
    double mss = i->mtu - 40, line = i->gbps * mss / (i->mtu + TCP_LINK_FRAMING);
    i->share = (double)(all_acked(l, i->senders) - had) * 8e3 / (double)(tcp_link_now(l) - from) / line;
    double bdp = i->gbps * 125 * i->rtt_us, stands = i->senders * 2.0 * i->mtu - bdp;
    i->bound = (stands > (double)i->mark_above ? stands : (double)i->mark_above) * 1.1;
    for (uint32_t c = 0; c < i->senders; c++) {
        const struct tcp_stats *s = tcp_statistics(tcp_link_end(l, c, 0));
        i->drops += tcp_link_count(l, c, 0)->lost;
        i->timeouts += s->timeouts;
        i->spurious += s->timeouts_spurious + s->stalls;
    }
    tcp_link_free(l);
}

/* RFC 8257 with a floor of two segments: the line is full, the queue stands at K or at what the floor puts there. */
static bool incasts(void)
{
    bool good = true;
    printf("\n%-8s %7s %6s | %7s %9s %9s | %6s %5s %5s\n", "control", "senders", "K", "of line", "queue",
           "bound", "drops", "RTO", "spur");
    for (uint32_t n = 16; n <= 64; n *= 2)
        for (int k = 0; k < 2; k++) {
            struct incast i = {.congestion = k ? TCP_CUBIC : TCP_DCTCP,
                               .senders = n,
                               .mtu = 9000,
                               .gbps = 100,
                               .rtt_us = 10,
                               .buffer = 4 << 20,
                               .mark_above = 256 << 10};
            incast_run(&i);
            printf("%-8s %7u %6llu | %7.4f %9.0f %9.0f | %6llu %5llu %5llu\n", names[i.congestion], n,
                   (unsigned long long)i.mark_above, i.share, i.queue, i.bound, (unsigned long long)i.drops,
                   (unsigned long long)i.timeouts, (unsigned long long)i.spurious);
            if (i.congestion == TCP_DCTCP)
                good &= i.share >= 0.98 && i.queue <= i.bound && !i.spurious;
        }
    return good;
}

/* ---- the table ---- */

/* The window that newreno keeps, in octets. */
static double mathis(double smss, double s, double p)
{
    return 1.31 * sqrt(smss * s / p);
}

/* A point qualifies where the window is at most half of what the path holds. */
static bool qualifies(const struct point *p)
{
    double smss = p->mtu - 40, s = p->message < smss ? p->message : smss;
    return mathis(smss, s, p->p) <= p->gbps * 125 * p->rtt_us / 2;
}

static bool is_within(const struct point *p, double ratio)
{
    if (p->go_back)
        return ratio > 0.98 && ratio < 1.02;
    if (p->congestion == TCP_FIXED)
        return ratio > 0.99 && ratio < 1.01;
    return p->p <= 5e-3 ? ratio > 0.9 && ratio < (p->congestion == TCP_CUBIC ? 1.3 : 1.1)
                        : ratio > 0.7 && ratio < 1.2;
}

static bool judged(struct point p, uint64_t losses, unsigned *wrong)
{
    double ratio = show(&p, losses);
    if (is_within(&p, ratio))
        return true;
    printf("    outside its bounds\n");
    ++*wrong;
    return false;
}

static unsigned loss_limited(bool nightly)
{
    static const double rtts[] = {20, 100, 300, 1000}, ps[] = {5e-4, 2e-3, 5e-3, 1e-2};
    static const uint32_t mtus[] = {1500, 9000}, messages[] = {4096, 65536, 1000000};
    unsigned wrong = 0, n = 0;
    for (unsigned r = 0; r < 4; r++)
        for (unsigned m = 0; m < 2; m++)
            for (unsigned k = 0; k < 4; k++) {
                struct point p = {.congestion = k == 1 && r & 1 ? TCP_CUBIC : TCP_NEWRENO,
                                  .gbps = 400,
                                  .rtt_us = rtts[r],
                                  .mtu = mtus[m],
                                  .message = messages[(r + m + k) % 3],
                                  .p = ps[k],
                                  .seed = 1 + n++};
                bool ordinary = n % 5 == 0 && ps[k] > 1e-3;
                if (qualifies(&p) && (nightly || ordinary))
                    judged(p, nightly ? 2000 : 1000, &wrong);
            }
    return wrong;
}

static unsigned line_limited(bool nightly)
{
    static const double rtts[] = {20, 40, 200}, ps[] = {1e-4, 1e-3, 5e-3};
    static const uint32_t messages[] = {4096, 65536, 1000000};
    unsigned wrong = 0, n = 0;
    for (unsigned r = 0; r < 3; r++)
        for (unsigned k = 0; k < 3; k++)
            for (int back = 0; back < 2; back++, n++) {
                struct point p = {.congestion = TCP_FIXED,
                                  .go_back = back,
                                  .gbps = 100,
                                  .rtt_us = rtts[r],
                                  .mtu = 9000,
                                  .message = messages[(r + k) % 3],
                                  .p = ps[k],
                                  .seed = 1 + n};
                if (nightly || (n % 4 < 2 && k))
                    judged(p, nightly ? 2000 : 1000, &wrong);
            }
    return wrong;
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
        return 0;
    }
    bool nightly = getenv("IWARPSIM_NIGHTLY") != NULL;
    unsigned wrong = loss_limited(nightly) + line_limited(nightly);
    wrong += !incasts();
    printf("%u outside their bounds\n", wrong);
    return wrong ? 1 : 0;
}
