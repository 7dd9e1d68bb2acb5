/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simgrid/rates.h"

#include "engine/law.h"
#include "node/step.h"

#define PS_PER_S 1e12

double grid_window_rate(uint64_t window, uint32_t fpdu, uint32_t wire, struct grid_acks acks, iw_time rtt)
{
    uint64_t packets = window / fpdu > 2 ? window / fpdu : 2;
    if (packets < acks.every)
        rtt += acks.timeout;
    else
        packets -= packets % acks.every;
    return rtt ? (double)packets * wire * 8 * PS_PER_S / (double)rtt : 0;
}

/* ---- loss ---- */

/* clang-format off */
const struct grid_loss_row grid_loss_table[][16] = {
    [TCP_RESPONSE_CUBIC] = {{0.02, 1}, {0.048, 0.998}, {0.16, 0.985}, {0.48, 0.943}, {1.6, 0.826}, {4.8, 0.577}, {16, 0.302}, {64, 0.133}, {0, 0}},
    [TCP_RESPONSE_RENO] = {{0.02, 1}, {0.048, 0.997}, {0.16, 0.981}, {0.48, 0.93}, {1.6, 0.825}, {4.8, 0.58}, {16, 0.294}, {64, 0.144}, {0, 0}},
    [TCP_RESPONSE_FIXED] = {{1.9, 1}, {6.4, 0.998}, {19.2, 0.99}, {64, 0.942}, {0, 0}},
    [TCP_RESPONSE_NONE] = {{0, 0}},
};
_Static_assert(sizeof grid_loss_table / sizeof *grid_loss_table == TCP_RESPONSES, "a row for each");
/* clang-format on */

/* Newton's method; x > 0. The model knows no libm. */
static double root(double x)
{
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 64; i++) {
        double next = (r + x / r) / 2;
        if (next >= r)
            break;
        r = next;
    }
    return r;
}

/* The logarithm to base 2 of x >= 1, well enough to go between two rows. */
static double log2_of(double x)
{
    double whole = 0, part = 1, result = 0;
    while (x >= 2) {
        x /= 2;
        whole++;
    }
    for (int i = 0; i < 24; i++) {
        x *= x;
        part /= 2;
        if (x >= 2) {
            x /= 2;
            result += part;
        }
    }
    return whole + result;
}

static double between(const struct grid_loss_row *a, double load)
{
    double way = log2_of(load / a[0].load) / log2_of(a[1].load / a[0].load);
    LAW(a[0].load <= load && load < a[1].load && a[0].share >= a[1].share && way < 1.001);
    return a[0].share + way * (a[1].share - a[0].share);
}

double grid_loss_share(enum tcp_response response, double packets, double loss)
{
    const struct grid_loss_row *row = grid_loss_table[response];
    double load = packets * packets * loss;
    if (row[0].load <= 0 || load <= row[0].load)
        return 1;
    for (; row[1].load > 0; row++)
        if (load < row[1].load)
            return between(row, load);
    return row->share / root(load / row->load);
}

/* ---- adapters ---- */

enum { MANY = 512 };

/* The same adapter with nothing that makes one segment differ from the other. */
static struct rnic_conf even(const struct rnic_conf *conf)
{
    struct rnic_conf c = *conf;
    c.staging_bytes = c.hold_bytes = RNIC_UNLIMITED;
    c.cache.stags = c.cache.connections = RNIC_UNLIMITED;
    c.stall.every = c.stall.for_ = c.stall.jitter = 0;
    c.tx.connection_rate = RNIC_UNLIMITED;
    return c;
}

size_t grid_busy_size(const struct rnic_conf *conf)
{
    struct rnic_conf c = even(conf);
    return rnic_size(&c, (uint32_t)(c.tx.queues > c.rx.queues ? c.tx.queues : c.rx.queues));
}

/* The second half of many at once, of as many connections as there are pipelines. */
static iw_time busy(void *memory, const struct rnic_conf *conf, bool out, uint32_t fpdu, uint32_t payload)
{
    struct rnic_conf c = even(conf);
    uint32_t connections = (uint32_t)(out ? c.tx.queues : c.rx.queues),
             first = MANY / 2 / connections * connections;
    struct rnic *r = rnic_init(memory, &c, connections, 0);
    iw_time half = 0, end = 0;
    for (uint32_t i = 0; i < 2 * first; i++) {
        iw_time done = out ? step_way_out(r, 0, i % connections, true, fpdu, payload)
                           : step_way_in(r, 0, i % connections, fpdu, payload);
        end = done > end ? done : end;
        half = i == first - 1 ? end : half;
    }
    LAW(first && half <= end);
    return (end - half) / first;
}

iw_time grid_busy_sending(void *memory, const struct rnic_conf *conf, uint32_t fpdu, uint32_t payload)
{
    return busy(memory, conf, true, fpdu, payload);
}

iw_time grid_busy_receiving(void *memory, const struct rnic_conf *conf, uint32_t fpdu, uint32_t payload)
{
    iw_time each = busy(memory, conf, false, fpdu, payload);
    if (!conf->stall.every || conf->stall.for_ >= conf->stall.every)
        return each;
    return (iw_time)((double)each * (double)conf->stall.every /
                     (double)(conf->stall.every - conf->stall.for_));
}
