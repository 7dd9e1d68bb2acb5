/* SPDX-License-Identifier: GPL-2.0-or-later */
/* response_tcp.c -- how fast TCP goes under random loss, beside what the literature says it must: one line for each point.
 *
 *   response_tcp                the points of an ordinary run
 *   response_tcp all            all of them, with 2,000 losses each (so with IWARPSIM_NIGHTLY=1)
 *   response_tcp CC DETECTION RATE_GBPS RTT_US MTU MESSAGE P SEED      one point of one's own; DETECTION: rack, dupack,
 *                               goback, or periodic for losses at equal distances
 *
 * newreno   mean window = 1.31 sqrt(SMSS s / p) octets, s the mean segment (Mathis 1997): within 10 % for p <= 5e-3; above
 *           at least what Padhye 1998 says and at most 1.2 of Mathis
 * cubic     on the mean of 10 seeds at least 0.95 of newreno where W_est rules; its own function (RFC 9438 section 5) within
 *           10 % where path and round trip are large
 * fixed     place and hold: 1 - p of the line, with window and fixed at least 4 BDP, 2 BDP
 * discard   go-back-N: 1 / (1 + p (RTT / ser + 3)), ser of the mean segment, within 2 %
 * dctcp     of many senders into one port: 98 % of the line, the queue at most 1.1 max(K, senders 2 MTU - BDP), no timeout that
 *           lost nothing, fewer drops than cubic
 *
 * p, s and the round trip are those that came out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "law.h"
#include "tcp_link.h"

#define US ((iw_time)1000000)

/* What a point is held against. */
enum form { MATHIS, PFTK, OWN, GO_BACK, LINE, FORMS };

struct point {
    enum form form;
    const struct tcp_congestion *congestion;
    const struct tcp_detection *detection;
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
    double gbps, segment, rtt_us, p; /* p: as it came out */
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

/* No timeout is shorter than the path, and none longer than needed. */
static void times(struct tcp_conf *c, double rtt_us)
{
    iw_time rtt = (iw_time)(rtt_us * 1e6);
    c->min_rto = rtt > 1000 * US ? 3 * rtt : 1000 * US;
    c->initial_rto = c->initial_rto > c->min_rto ? c->initial_rto : c->min_rto;
}

static struct tcp_link_conf link_of(const struct point *p)
{
    double bdp = p->gbps * 125 * p->rtt_us;
    struct tcp_link_conf l = {.connections = 1, .rate = (uint64_t)(p->gbps * 1e9), .seed = p->seed};
    l.delay = (iw_time)(p->rtt_us / 2 * 1e6);
    l.channel[0].loss = p->form == OWN ? 0 : p->p;
    for (int i = 0; i < 2; i++) {
        struct tcp_conf *c = &l.end[i];
        tcp_defaults(c);
        times(c, p->rtt_us);
        c->mtu = (uint16_t)p->mtu;
        c->note_max = 8;
        c->iss = 12345;
        c->congestion = p->congestion;
        c->detection = p->detection;
        c->go_back_n = p->form == GO_BACK;
        c->delayed_ack = 1;
        c->window_shift = 14;
        c->fixed_window = (uint32_t)(2 * bdp + 4 * p->mtu);
        if (c->fixed_window < 65536)
            c->fixed_window = 65536;
    }
    return l;
}

struct trial {
    const struct point *p;
    struct flow flow;
    struct tcp_link *l;
    const struct tcp_link_count *count;
    uint64_t next; /* OWN: the data packet to lose, for that form knows losses at equal distances */
    double rtt, samples;
};

static bool step(struct trial *t)
{
    const struct tcp_stats *s = tcp_statistics(tcp_link_end(t->l, 0, 0));
    t->rtt += (double)s->srtt;
    t->samples++;
    if (t->p->form == OWN && t->count->data_sent >= t->next) {
        tcp_link_lose(t->l, 0, 0, 1);
        t->next += (uint64_t)(1 / t->p->p);
    }
    return tcp_link_step(t->l);
}

static void until_lost(struct trial *t, uint64_t losses)
{
    while (t->count->data_lost < losses && step(t))
        ;
}

/* The first tenth of the losses is left out. */
static struct outcome run(const struct point *p, uint64_t losses)
{
    struct trial t = {
        .p = p, .flow = {.message = p->message, .left = p->message}, .next = (uint64_t)(1 / p->p)};
    struct tcp_link_user user = {.user = &t.flow, .pull = pull};
    struct tcp_link_conf conf = link_of(p);
    struct tcp_link *l = t.l = tcp_link_new(&conf, &user);
    t.count = tcp_link_count(l, 0, 0);
    tcp_link_window(l, 0, 1, (uint64_t)1 << 29);
    law(tcp_link_connect(l, (iw_time)(1000 * p->rtt_us * 1e6) + 1000000 * US), "not established");
    tcp_link_kick(l, 0, 0);
    until_lost(&t, losses / 10 + 1);
    iw_time from = tcp_link_now(l);
    uint64_t octets = tcp_acked(tcp_link_end(l, 0, 0)), lost = t.count->data_lost, sent = t.count->data_sent;
    t.rtt = t.samples = 0;
    until_lost(&t, lost + losses);
    const struct tcp_stats *s = tcp_statistics(tcp_link_end(l, 0, 0));
    octets = tcp_acked(tcp_link_end(l, 0, 0)) - octets;
    struct outcome o = {.gbps = (double)octets * 8e3 / (double)(tcp_link_now(l) - from),
                        .segment = (double)t.flow.octets / (double)t.flow.segments,
                        .rtt_us = t.rtt / t.samples / 1e6,
                        .losses = t.count->data_lost - lost,
                        .retransmits = s->retransmits,
                        .spurious = s->spurious,
                        .timeouts = s->timeouts,
                        .reductions = s->reductions};
    o.p = (double)o.losses / (double)(t.count->data_sent - sent);
    tcp_link_free(l);
    return o;
}

/* ---- what the literature says, Gbps of TCP payload ---- */

/* The window that newreno keeps, in octets. */
static double mathis_window(double smss, double s, double p)
{
    return 1.31 * sqrt(smss * s / p);
}

static double mathis(const struct point *p, const struct outcome *o)
{
    return mathis_window(p->mtu - 40, o->segment, o->p) * 8e-3 / o->rtt_us;
}

/* Padhye 1998, an acknowledgement for each segment, T0 the shortest timeout; of the segment that Mathis counts. */
static double pftk(const struct point *p, const struct outcome *o)
{
    double t0 = fmax(1000, o->rtt_us), s = sqrt((p->mtu - 40) * o->segment);
    double each =
        o->rtt_us * sqrt(2 * o->p / 3) + t0 * fmin(1, 3 * sqrt(3 * o->p / 8)) * o->p * (1 + 32 * o->p * o->p);
    return s * 8e-3 / each;
}

/* RFC 9438 section 5.1: losses at equal distances, C = 0.4, beta = 0.7; segments and seconds. */
static double cubic_own(const struct point *p, const struct outcome *o)
{
    double window = 1.054 * pow(o->rtt_us * 1e-6, 0.75) / pow(o->p, 0.75);
    return window * (p->mtu - 40) * 8e-3 / o->rtt_us;
}

static double line(const struct point *p, const struct outcome *o)
{
    return p->gbps * o->segment / (o->segment + 40 + TCP_LINK_FRAMING);
}

static double go_back(const struct point *p, const struct outcome *o)
{
    double ser_us = (o->segment + 40 + TCP_LINK_FRAMING) * 8e-3 / p->gbps;
    return line(p, o) / (1 + o->p * (o->rtt_us / ser_us + 3));
}

static double all_but_lost(const struct point *p, const struct outcome *o)
{
    return line(p, o) * (1 - o->p);
}

static const struct {
    const char *name;
    double (*says)(const struct point *p, const struct outcome *o);
    double low, high; /* measured / said */
} forms[FORMS] = {
    [MATHIS] = {"mathis", mathis, 0.9, 1.1},
    [PFTK] = {"pftk", pftk, 1, INFINITY}, /* and at most 1.2 of mathis */
    [OWN] = {"rfc9438", cubic_own, 0.9, 1.1},
    [GO_BACK] = {"go-back-N", go_back, 0.98, 1.02},
    [LINE] = {"1-p", all_but_lost, 0.99, 1.01},
};

static const char *name_of(const struct tcp_congestion *congestion)
{
    int i = 0;
    while (tcp_congestions[i] != congestion)
        i++;
    return congestion->fixed ? "fixed" : tcp_congestion_words[i];
}

static bool is_within(const struct point *p, const struct outcome *o)
{
    double ratio = o->gbps / forms[p->form].says(p, o);
    bool good = ratio >= forms[p->form].low && ratio <= forms[p->form].high;
    return good && (p->form != PFTK || o->gbps <= 1.2 * mathis(p, o));
}

static void head(void)
{
    printf("%-9s %-8s %-6s %5s %7s %5s %8s %8s | %9s %9s %6s | %6s %6s %5s %5s %6s |\n", "form", "control",
           "loss", "Gbps", "RTT us", "MTU", "message", "p", "goodput", "says", "ratio", "lost", "again",
           "spur", "RTO", "cuts");
}

static bool judge(const struct point *p, uint64_t losses)
{
    struct outcome o = run(p, losses);
    double said = forms[p->form].says(p, &o);
    bool good = is_within(p, &o);
    printf(
        "%-9s %-8s %-6s %5.0f %7.0f %5u %8u %8.0e | %9.4f %9.4f %6.3f | %6llu %6llu %5llu %5llu %6llu | %s\n",
        forms[p->form].name, name_of(p->congestion), p->detection == &tcp_rack ? "rack" : "dupack", p->gbps,
        p->rtt_us, p->mtu, p->message, p->p, o.gbps, said, o.gbps / said, (unsigned long long)o.losses,
        (unsigned long long)o.retransmits, (unsigned long long)o.spurious, (unsigned long long)o.timeouts,
        (unsigned long long)o.reductions, good ? "ok" : "OUTSIDE");
    fflush(stdout);
    return good;
}

/* ---- the tally ---- */

struct tally {
    unsigned points, wrong;
    bool all;
    uint64_t losses;
};

static void count(struct tally *t, bool good)
{
    t->points++;
    t->wrong += !good;
}

/* ---- many senders, one queue ---- */

struct incast {
    const struct tcp_congestion *congestion;
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
        c->congestion = i->congestion;
        c->ecn = i->congestion->ecn;
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

static struct incast incast_of(const struct tcp_congestion *congestion, uint32_t senders)
{
    struct incast i = {.congestion = congestion,
                       .senders = senders,
                       .mtu = 9000,
                       .gbps = 100,
                       .rtt_us = 10,
                       .buffer = 4 << 20,
                       .mark_above = 256 << 10};
    incast_run(&i);
    return i;
}

static void show_incast(const struct incast *i, const char *verdict)
{
    printf("%-8s %7u %6llu | %7.4f %9.0f %9.0f | %6llu %5llu %5llu | %s\n", name_of(i->congestion),
           i->senders, (unsigned long long)i->mark_above, i->share, i->queue, i->bound,
           (unsigned long long)i->drops, (unsigned long long)i->timeouts, (unsigned long long)i->spurious,
           verdict);
    fflush(stdout);
}

/* RFC 8257 with a floor of two segments: the line is full, the queue stands at K or at what the floor puts there. */
static void incasts(struct tally *t)
{
    printf("\n%-8s %7s %6s | %7s %9s %9s | %6s %5s %5s |\n", "control", "senders", "K", "of line", "queue",
           "bound", "drops", "RTO", "spur");
    for (uint32_t n = 16; n <= 64; n *= 2) {
        struct incast dctcp = incast_of(&tcp_dctcp, n), cubic = incast_of(&tcp_cubic, n);
        bool good = dctcp.share >= 0.98 && dctcp.queue <= dctcp.bound && !dctcp.spurious &&
                    dctcp.drops <= cubic.drops;
        show_incast(&dctcp, good ? "ok" : "OUTSIDE");
        show_incast(&cubic, "");
        count(t, good);
    }
}

/* ---- the table ---- */

/* A line fast enough for the point to qualify: the window is at most half of what the path holds. */
static double rate_of(double rtt_us, uint32_t mtu, uint32_t message, double p)
{
    static const double rates[] = {25, 100, 400, 1000};
    double smss = mtu - 40, s = message < smss ? message : smss;
    unsigned i = 0;
    while (i < 3 && mathis_window(smss, s, p) > rates[i] * 125 * rtt_us / 2)
        i++;
    return rates[i];
}

static const double rtts[] = {20, 100, 300, 1000};
static const uint32_t mtus[] = {1500, 9000}, messages[] = {4096, 65536, 1000000};

static void newreno(struct tally *t)
{
    static const double ps[] = {5e-4, 2e-3, 5e-3, 1e-2};
    for (unsigned i = 0; i < 32; i++) {
        struct point p = {.form = ps[i % 4] > 5e-3 ? PFTK : MATHIS,
                          .congestion = &tcp_newreno,
                          .detection = i % 16 == 6 ? &tcp_dupack : &tcp_rack,
                          .rtt_us = rtts[i / 8],
                          .mtu = mtus[i / 4 % 2],
                          .message = messages[(i + i / 4) % 3],
                          .p = ps[i % 4],
                          .seed = 1 + i};
        p.gbps = rate_of(p.rtt_us, p.mtu, p.message, p.p);
        if (t->all || i % 6 == 2 || i % 16 == 7)
            count(t, judge(&p, t->losses));
    }
}

/* Where W_est rules: the mean of ten seeds beside newreno's on the same losses. */
static double mean_of_ten(struct point p, const struct tcp_congestion *congestion, uint64_t losses)
{
    double sum = 0;
    p.congestion = congestion;
    for (p.seed = 1; p.seed <= 10; p.seed++) {
        struct outcome o = run(&p, losses / 5);
        sum += o.gbps / 10;
    }
    return sum;
}

static void cubic_beside_newreno(struct tally *t)
{
    for (unsigned i = 0; i < (t->all ? 4 : 1); i++) {
        struct point p = {.form = MATHIS,
                          .detection = &tcp_rack,
                          .rtt_us = rtts[3 - i],
                          .mtu = mtus[1 - i % 2],
                          .message = messages[2 - i % 3],
                          .p = i % 2 ? 2e-3 : 5e-3};
        p.gbps = rate_of(p.rtt_us, p.mtu, p.message, p.p);
        double reno = mean_of_ten(p, &tcp_newreno, t->losses), cubic = mean_of_ten(p, &tcp_cubic, t->losses);
        bool good = cubic >= 0.95 * reno;
        printf("%-9s %-8s %-6s %5.0f %7.0f %5u %8u %8.0e | %9.4f %9.4f %6.3f | mean of 10 seeds              "
               "   | %s\n",
               "newreno", "cubic", "rack", p.gbps, p.rtt_us, p.mtu, p.message, p.p, cubic, reno, cubic / reno,
               good ? "ok" : "OUTSIDE");
        count(t, good);
    }
}

static void cubic_alone(struct tally *t)
{
    static const struct point points[] = {
        {OWN, &tcp_cubic, &tcp_rack, 10, 300000, 1500, 1000000, 1e-4, 1},
        {OWN, &tcp_cubic, &tcp_rack, 10, 100000, 9000, 1000000, 1e-5, 1},
        {OWN, &tcp_cubic, &tcp_rack, 25, 200000, 1500, 65536, 2e-5, 1},
    };
    for (unsigned i = 0; i < (t->all ? 3 : 1); i++)
        count(t, judge(&points[i], t->all ? 200 : 60));
}

static void line_limited(struct tally *t)
{
    static const double far[] = {20, 40, 200}, ps[] = {1e-4, 1e-3, 5e-3};
    for (unsigned i = 0; i < 18; i++) {
        struct point p = {.form = i % 2 ? GO_BACK : LINE,
                          .congestion = &tcp_fixed,
                          .detection = &tcp_rack,
                          .gbps = 100,
                          .rtt_us = far[i / 6],
                          .mtu = i / 2 % 2 ? 1500 : 9000,
                          .message = messages[(i / 6 + i / 2) % 3],
                          .p = ps[i / 2 % 3],
                          .seed = 1 + i};
        if (t->all || (i % 4 < 2 && i / 2 % 3))
            count(t, judge(&p, t->losses));
    }
}

static int one(char **word)
{
    struct point p = {.gbps = atof(word[3]),
                      .rtt_us = atof(word[4]),
                      .mtu = (uint32_t)atoi(word[5]),
                      .message = (uint32_t)atoi(word[6]),
                      .p = atof(word[7]),
                      .seed = (uint64_t)atoi(word[8])};
    for (unsigned i = 0; i < TCP_CONGESTIONS; i++)
        if (!strcmp(word[1], name_of(tcp_congestions[i])))
            p.congestion = tcp_congestions[i];
    p.detection = !strcmp(word[2], "dupack") ? &tcp_dupack : &tcp_rack;
    p.form = !strcmp(word[2], "goback")     ? GO_BACK
             : p.congestion == &tcp_fixed   ? LINE
             : !strcmp(word[2], "periodic") ? OWN
             : p.p > 5e-3                   ? PFTK
                                            : MATHIS;
    head();
    return judge(&p, 2000) ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 9)
        return one(argv);
    struct tally t = {.all = getenv("IWARPSIM_NIGHTLY") || (argc == 2 && !strcmp(argv[1], "all"))};
    t.losses = t.all ? 2000 : 1000;
    head();
    newreno(&t);
    cubic_beside_newreno(&t);
    cubic_alone(&t);
    line_limited(&t);
    incasts(&t);
    printf("%u points, %u outside their bounds\n", t.points, t.wrong);
    return t.wrong ? 1 : 0;
}
