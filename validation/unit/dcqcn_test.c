/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DCQCN's rate, event by event; the numbers were worked out by hand from HPCC's run script (simulation/run.py). */
#include "llp/keys.h"
#include "llp/packet_inner.h"
#include "validation/support/test.h"

#define US   ((iw_time)1000000)
#define GBPS UINT64_C(1000000000)
#define MBPS UINT64_C(1000000)

static struct llp_keys plain(void)
{
    struct llp_keys k;
    parameter_defaults(&k, &llp_parameters);
    k.congestion = CONGESTION_dcqcn;
    return k;
}

static struct packet_dcqcn begin(const struct llp_keys *k)
{
    struct packet_dcqcn d;
    struct packet_dcqcn_conf conf = llp_dcqcn_of(k, 100 * GBPS);
    packet_dcqcn_init(&d, &conf);
    return d;
}

/* To a millionth. */
static void assert_rate(uint64_t is, double gbps)
{
    assert_true((double)is > gbps * 1e9 * (1 - 1e-6) && (double)is < gbps * 1e9 * (1 + 1e-6));
}

TEST(what_is_not_given_is_as_the_script_scales_it)
{
    struct llp_keys k = plain();
    struct packet_dcqcn_conf c = llp_dcqcn_of(&k, 100 * GBPS);
    assert_true(!c.clamp && c.line == 100 * GBPS && c.least == GBPS);
    assert_true(c.additive == 20 * MBPS && c.hyper == 200 * MBPS);
    assert_true(c.timer == 300 * US && c.alpha_timer == US && c.cut_interval == 4 * US);
    assert_true(c.fast_steps == 1 && c.gain == 256);
    c = llp_dcqcn_of(&k, 25 * GBPS);
    assert_true(c.additive == 5 * MBPS && c.hyper == 50 * MBPS);
    k.dcqcn.set = DCQCN_PAPER;
    k.dcqcn.hyper = 7 * MBPS;
    c = llp_dcqcn_of(&k, 25 * GBPS);
    assert_true(c.timer == 55 * US && c.alpha_timer == 50 * US && c.cut_interval == 50 * US);
    assert_true(c.additive == 5 * MBPS && c.hyper == 7 * MBPS);
    assert_ptr_equal(llp_packet_congestion(&k), &packet_dcqcn);
    k.congestion = CONGESTION_cubic;
    assert_null(llp_packet_congestion(&k));
}

/* alpha is 1 at the first CNP and (255/256)^4 = 0.984466 at the cut 4 us later. The second is told in the sixth
 * microsecond: 0.980621 -> 0.980696 -> 0.973050 at 8 us. */
TEST(a_cut_takes_half_of_alpha_at_most_once_in_an_interval)
{
    struct llp_keys k = plain();
    struct packet_dcqcn d = begin(&k);
    packet_dcqcn_notified(&d, 10 * US);
    packet_dcqcn_notified(&d, 10 * US + 1);
    assert_true(d.cut_at == 14 * US && d.step_at == IW_NEVER);
    d.told = false; /* as if it had come once */
    packet_dcqcn_cut(&d, 14 * US);
    assert_rate(d.now, 50.77668425);
    assert_true(d.target == 100 * GBPS && d.cut_at == IW_NEVER && d.step_at == 314 * US);
    packet_dcqcn_notified(&d, 15 * US);
    assert_true(d.cut_at == 18 * US);
    packet_dcqcn_cut(&d, 18 * US);
    assert_rate(d.now, 26.0725639);
    assert_true(d.target == 100 * GBPS); /* it had not risen */
    assert_true(d.step_at == 318 * US);
}

TEST(a_target_is_kept_until_the_rate_has_risen)
{
    struct llp_keys k = plain();
    struct packet_dcqcn d = begin(&k);
    packet_dcqcn_notified(&d, 0);
    packet_dcqcn_cut(&d, 4 * US);
    packet_dcqcn_step(&d, 304 * US);
    assert_rate(d.now, (50.77668425 + 100) / 2);
    packet_dcqcn_notified(&d, 304 * US);
    assert_true(d.cut_at == 308 * US);
    packet_dcqcn_cut(&d, 308 * US);
    assert_rate(d.target, (50.77668425 + 100) / 2);
    k.dcqcn.clamp = true;
    d = begin(&k);
    packet_dcqcn_notified(&d, 0);
    packet_dcqcn_cut(&d, 4 * US);
    packet_dcqcn_notified(&d, 5 * US);
    packet_dcqcn_cut(&d, 8 * US);
    assert_rate(d.target, 50.77668425);
}

TEST(steps_are_fast_then_additive_then_hyper)
{
    struct llp_keys k = plain();
    struct packet_dcqcn d = begin(&k);
    d.now = 10 * GBPS;
    d.target = 11 * GBPS;
    packet_dcqcn_step(&d, 300 * US);
    assert_true(d.now == 10500 * MBPS && d.target == 11 * GBPS && d.step_at == 600 * US);
    packet_dcqcn_step(&d, 600 * US);
    assert_true(d.now == 10760 * MBPS && d.target == 11020 * MBPS);
    packet_dcqcn_step(&d, 900 * US);
    assert_true(d.now == 10990 * MBPS && d.target == 11220 * MBPS);
}

TEST(a_rate_stays_between_the_least_and_the_line)
{
    struct llp_keys k = plain();
    struct packet_dcqcn d = begin(&k);
    packet_dcqcn_notified(&d, 0);
    for (iw_time t = 4 * US; t < 100 * US; t += 4 * US) {
        packet_dcqcn_cut(&d, t);
        packet_dcqcn_notified(&d, t);
    }
    assert_true(d.now == GBPS);
    for (iw_time t = 400 * US; d.step_at != IW_NEVER; t += 300 * US)
        packet_dcqcn_step(&d, t);
    assert_true(d.now == 100 * GBPS && d.target == 100 * GBPS);
    packet_dcqcn_sent(&d, 0, 1500);
    assert_true(d.free_at == 0); /* the line itself paces */
}

/* 1,250 octets are 1 us at 10 Gb/s. */
TEST(a_packet_waits_for_the_rate)
{
    struct llp_keys k = plain();
    struct packet_dcqcn d = begin(&k);
    d.now = 10 * GBPS;
    packet_dcqcn_sent(&d, 5 * US, 1250);
    assert_true(d.free_at == 6 * US);
}

/* 3,000 quiet periods: alpha falls to what one part of it is nothing of, and stays. */
TEST(alpha_dies_out)
{
    struct llp_keys k = plain();
    struct packet_dcqcn d = begin(&k);
    packet_dcqcn_notified(&d, 0);
    packet_dcqcn_cut(&d, d.cut_at);
    packet_dcqcn_notified(&d, 100000000 * US);
    assert_true(d.alpha < 256 && d.alpha_at == 100000000 * US);
}
