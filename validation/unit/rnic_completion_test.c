/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the host hears of completions: polling, and interrupts that are gathered by count and by time. */
#include "rnic_rig.h"

static struct rnic_conf interrupts(uint64_t count, iw_time interval)
{
    struct rnic_conf c = preset("ideal");
    c.completion.mode = RNIC_INTERRUPT, c.completion.count = count, c.completion.interval = interval;
    c.completion.latency = 2 * US, c.cpu.wakeup = 3 * US, c.cpu.poll = 50 * NS;
    return c;
}

TEST(polling_sees_each_at_once)
{
    struct rnic_conf c = preset("ideal");
    c.cpu.poll = 50 * NS;
    struct rnic *r = adapter(&c, 1);
    assert_int_equal(rnic_notify(r, 1 * US, false), 1 * US);
    assert_int_equal(rnic_wakeup(r, 1 * US, 1), 1050 * NS);
    assert_int_equal(rnic_wakeup(r, 1 * US, 2), 1150 * NS); /* one CPU: the second waits for the first */
    assert_int_equal(rnic_statistics(r)->interrupts, 0);
    assert_int_equal(rnic_statistics(r)->cpu, 150 * NS);
    free(r);
}

TEST(nobody_is_woken_without_an_event)
{
    struct rnic_conf c = interrupts(1, 0);
    struct rnic *r = adapter(&c, 1);
    assert_true(rnic_notify(r, 0, false) == IW_NEVER);
    assert_true(rnic_wakeup(r, 5 * US, 1) == IW_NEVER);
    assert_int_equal(rnic_notify(r, 10 * US, true), 12 * US);
    assert_int_equal(rnic_statistics(r)->interrupts, 0);
    assert_int_equal(rnic_wakeup(r, 12 * US, 1), 12 * US + 3 * US + 50 * NS);
    assert_int_equal(rnic_statistics(r)->interrupts, 1);
    free(r);
}

TEST(the_interval_gathers)
{
    struct rnic_conf c = interrupts(1000, 20 * US);
    struct rnic *r = adapter(&c, 1);
    for (iw_time t = 0; t < 20 * US; t += US)
        assert_int_equal(rnic_notify(r, t, true), 22 * US);
    assert_true(rnic_wakeup(r, 21 * US, 20) == IW_NEVER); /* too early */
    assert_int_equal(rnic_wakeup(r, 22 * US, 20), 22 * US + 3 * US + 20 * 50 * NS);
    assert_true(rnic_wakeup(r, 23 * US, 1) == IW_NEVER); /* taken already */
    assert_int_equal(rnic_notify(r, 30 * US, true), 52 * US);
    assert_int_equal(rnic_statistics(r)->interrupts, 1);
    free(r);
}

TEST(the_count_ends_the_interval)
{
    struct rnic_conf c = interrupts(4, 20 * US);
    struct rnic *r = adapter(&c, 1);
    assert_int_equal(rnic_notify(r, 0, true), 22 * US);
    assert_int_equal(rnic_notify(r, 1 * US, false), 22 * US); /* counts too: somebody waits */
    assert_int_equal(rnic_notify(r, 2 * US, false), 22 * US);
    assert_int_equal(rnic_notify(r, 3 * US, false), 5 * US);
    assert_int_equal(rnic_notify(r, 4 * US, true), 5 * US); /* already raised */
    assert_int_equal(rnic_wakeup(r, 5 * US, 5), 5 * US + 3 * US + 5 * 50 * NS);
    assert_true(rnic_wakeup(r, 22 * US, 1) == IW_NEVER); /* the first answer has gone stale */
    assert_int_equal(rnic_statistics(r)->interrupts, 1);
    free(r);
}

TEST(a_count_reached_late_does_not_delay)
{
    struct rnic_conf c = interrupts(2, 20 * US);
    struct rnic *r = adapter(&c, 1);
    assert_int_equal(rnic_notify(r, 0, true), 22 * US);
    assert_int_equal(rnic_notify(r, 21 * US, true), 22 * US); /* the interrupt is on its way already */
    free(r);
}

TEST(moderation_bounds_the_rate_of_interrupts)
{
    struct rnic_conf c = interrupts(64, 10 * US);
    struct rnic *r = adapter(&c, 1);
    iw_time due = IW_NEVER;
    for (iw_time now = 0; now < 10 * MS; now += 1 * US) {
        if (due <= now) {
            rnic_wakeup(r, due, 1);
            due = IW_NEVER;
        }
        due = rnic_notify(r, now, true);
    }
    uint64_t interrupts =
        rnic_statistics(r)->interrupts; /* one in interval + latency, then the next completion */
    assert_true(interrupts >= 10000 / 13 - 1 && interrupts <= 10000 / 12 + 1);
    free(r);
}

TEST(an_entry_follows_the_octets_it_announces)
{
    struct rnic_conf c = preset("ideal");
    c.pcie.generation = 1, c.pcie.lanes = 1, c.pcie.overhead = 20, c.pcie.write = 250 * NS;
    c.completion.entry = 32;
    struct rnic *r = adapter(&c, 1);
    iw_time placed = rnic_place(r, 0, 0, 100);
    assert_int_equal(rnic_complete(r, placed), placed + (32 + 20) * 4 * NS);
    assert_int_equal(rnic_statistics(r)->completions, 1);
    assert_int_equal(rnic_place(r, placed, 0, 100),
                     placed + 250 * NS + (32 + 20 + 100 + 20) * 4 * NS); /* and takes room */
    free(r);
}
