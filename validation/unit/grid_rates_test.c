/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a window, a loss and an adapter allow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simgrid/rates.h"
#include "validation/support/test.h"

#define US   UINT64_C(1000000)
#define GBPS UINT64_C(1000000000)

static void close_to(double found, double expected, double share)
{
    if (fabs(found - expected) > share * expected)
        fail_msg("%.6g, expected %.6g", found, expected);
}

TEST(only_whole_packets_of_a_window_fly)
{
    const struct grid_acks each = {1, 50 * US}, second = {2, 50 * US}, eighth = {8, 50 * US};
    close_to(grid_window_rate(20000, 1000, 1078, each, 10 * US), 20 * 1078 * 8 / 10e-6, 1e-9);
    close_to(grid_window_rate(20999, 1000, 1078, each, 10 * US), 20 * 1078 * 8 / 10e-6, 1e-9);
    close_to(grid_window_rate(21000, 1000, 1078, each, 10 * US), 21 * 1078 * 8 / 10e-6, 1e-9);
    close_to(grid_window_rate(0, 1000, 1078, each, 10 * US), 2 * 1078 * 8 / 10e-6, 1e-9);
    assert_true(grid_window_rate(20000, 1000, 1078, each, 0) == 0);
    close_to(grid_window_rate(7000, 1000, 1078, second, 10 * US), 6 * 1078 * 8 / 10e-6, 1e-9);
    close_to(grid_window_rate(8000, 1000, 1078, second, 10 * US), 8 * 1078 * 8 / 10e-6, 1e-9);
    close_to(grid_window_rate(7000, 1000, 1078, eighth, 10 * US), 7 * 1078 * 8 / 60e-6, 1e-9);
}

/* ---- loss ---- */

TEST(the_share_is_that_of_the_table_and_falls_with_the_load)
{
    for (int c = TCP_RESPONSE_CUBIC; c < TCP_RESPONSE_NONE; c++) {
        const struct grid_loss_row *row = grid_loss_table[c];
        double before = 1;
        for (; row->load > 0; row++)
            close_to(grid_loss_share((enum tcp_response)c, 10, row->load / 100), row->share, 1e-6);
        for (double load = 1e-4; load < 1e5; load *= 1.1) {
            double share = grid_loss_share((enum tcp_response)c, 100, load / 10000);
            assert_true(share > 0 && share <= before + 1e-9);
            before = share;
        }
    }
}

TEST(without_congestion_control_or_loss_nothing_is_lost)
{
    assert_true(grid_loss_share(TCP_RESPONSE_NONE, 1000, 0.5) == 1);
    assert_true(grid_loss_share(TCP_RESPONSE_CUBIC, 1000, 0) == 1);
}

/* Far beyond the table, four times the loss is half the rate. */
TEST(beyond_the_table_it_goes_with_the_root)
{
    for (int c = TCP_RESPONSE_CUBIC; c <= TCP_RESPONSE_RENO; c++)
        close_to(grid_loss_share((enum tcp_response)c, 2000, 0.01) /
                     grid_loss_share((enum tcp_response)c, 2000, 0.04),
                 2, 1e-6);
}

/* NewReno is what Mathis, Semke, Mahdavi and Ott wrote about (1997), sqrt(3/2) / sqrt(load): in the middle of the table it is
 * within a quarter of that. */
TEST(newreno_is_near_the_line_of_mathis)
{
    for (double load = 4; load < 60; load *= 2)
        close_to(grid_loss_share(TCP_RESPONSE_RENO, 10, load / 100), sqrt(1.5 / load), 0.25);
}

/* Where few packets fly CUBIC does what NewReno does (RFC 9438 4.3), and a fixed window, which is never cut, loses least. */
TEST(cubic_is_newreno_where_few_packets_fly)
{
    for (double load = 0.02; load < 64; load *= 1.2) {
        double newreno = grid_loss_share(TCP_RESPONSE_RENO, 10, load / 100);
        close_to(grid_loss_share(TCP_RESPONSE_CUBIC, 10, load / 100), newreno, 0.1);
        assert_true(grid_loss_share(TCP_RESPONSE_FIXED, 10, load / 100) >= newreno);
    }
}

/* ---- adapters ---- */

static iw_time busy(const struct rnic_conf *conf, bool receiving)
{
    void *memory = malloc(grid_busy_size(conf));
    iw_time t = receiving ? grid_busy_receiving(memory, conf, 1460, 1440)
                          : grid_busy_sending(memory, conf, 1460, 1440);
    free(memory);
    return t;
}

TEST(an_ideal_adapter_takes_no_time)
{
    struct rnic_conf conf;
    rnic_preset_load(&conf, &rnic_presets[0]);
    assert_int_equal(busy(&conf, false), 0);
    assert_int_equal(busy(&conf, true), 0);
}

TEST(the_slowest_stage_is_what_counts)
{
    struct rnic_conf conf;
    rnic_preset_load(&conf, &rnic_presets[0]);
    conf.tx.rate = 40 * GBPS;
    conf.tx.segment = 100000;
    conf.rx.rate = 80 * GBPS;
    close_to((double)busy(&conf, false), 1460 * 200.0 + 100000, 1e-3);
    close_to((double)busy(&conf, true), 1460 * 100.0, 1e-3);
    conf.bus.rate = 20 * GBPS;
    conf.bus.background = 10 * GBPS;
    close_to((double)busy(&conf, false), 1440 * 800.0, 1e-3);
    close_to((double)busy(&conf, true), 1440 * 800.0, 1e-3);
}

/* As many connections as there are pipelines keep them all busy, until the bus is what counts. */
TEST(pipelines_share_the_segments)
{
    struct rnic_conf conf;
    rnic_preset_load(&conf, &rnic_presets[0]);
    conf.tx.rate = 40 * GBPS;
    conf.rx.rate = 20 * GBPS;
    conf.tx.queues = 3;
    conf.rx.queues = 5;
    close_to((double)busy(&conf, false), 1460 * 200.0 / 3, 1e-2);
    close_to((double)busy(&conf, true), 1460 * 400.0 / 5, 1e-2);
    conf.bus.rate = 20 * GBPS;
    close_to((double)busy(&conf, false), 1440 * 400.0, 1e-2);
}

/* What makes one segment unlike the next is left out: caches, bounds, pauses while sending. */
TEST(the_mean_segment_meets_no_cache)
{
    struct rnic_conf conf, small;
    for (unsigned i = 0; i < rnic_presets_count; i++)
        if (strcmp(rnic_presets[i].name, "t6") == 0)
            rnic_preset_load(&conf, &rnic_presets[i]);
    small = conf;
    small.cache.stags = small.cache.connections = 1;
    small.staging_bytes = small.hold_bytes = 3000;
    assert_true(busy(&conf, true) > 0 && busy(&conf, false) > 0);
    assert_int_equal(busy(&small, true), busy(&conf, true));
    assert_int_equal(busy(&small, false), busy(&conf, false));
    conf.cache.stags = conf.cache.connections = RNIC_UNLIMITED;
    assert_int_equal(grid_busy_size(&small), rnic_size(&conf, 1));
}

TEST(pauses_count_by_their_share)
{
    struct rnic_conf conf;
    rnic_preset_load(&conf, &rnic_presets[0]);
    conf.rx.rate = 80 * GBPS;
    conf.stall.every = 100 * US;
    conf.stall.for_ = 20 * US;
    close_to((double)busy(&conf, true), 1460 * 100.0 / 0.8, 1e-3);
}
