/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of segments out of order, of octets on their way to memory, and of a staging buffer that is too small. */
#include "node_rig.h"

enum { WIRE = 78, STATE_MAX = 4096 };

static double serialization(const struct run_conf *c)
{
    return takes(run_fpdu(c) + WIRE, (double)c->link.rate);
}

static void within(double found, double expected, double share, const char *what)
{
    if (found < expected * (1 - share) || found > expected * (1 + share))
        fail_msg("%s: %.4f, expected %.4f within %.1f %%", what, found, expected, share * 100);
}

/* A stream through a window that does not limit it; the transport is patient. */
static struct run_conf stream(const char *name, enum rnic_receive path, uint32_t segments)
{
    struct run_conf c = run_of(5 * US);
    c.rnic[0] = c.rnic[1] = preset(name);
    for (int i = 0; i < 2; i++) {
        c.rnic[i].receive = path;
        c.rnic[i].window.policy = path == RNIC_COPY ? RNIC_BUFFER : RNIC_PLACED;
        c.rnic[i].window.bytes = 2 * MIB;
    }
    c.link.window = 4 << 20;
    c.link.timeout = 200 * US;
    c.size = run_payload(&c);
    c.count = segments;
    c.depth = 600;
    return c;
}

static void reorder(struct run_conf *c, uint32_t segments)
{
    c->link.channel.reorder.probability = 0.1;
    c->link.channel.reorder.displacement = segments;
}

/* ---- out of order ---- */

/* Placing them costs no goodput, no memory for octets, and little to remember them by. */
TEST(place_does_not_mind_reordering)
{
    static const uint32_t depths[] = {5, 10, 20, 30};
    static const char *const presets[] = {"ideal", "t6"};
    for (unsigned i = 0; i < 8; i++) {
        struct run_conf c = stream(presets[i % 2], RNIC_PLACE, 20000);
        double clean = run(&c, false).steady_gbps;
        reorder(&c, depths[i / 2]);
        struct run_result r = run(&c, false);
        assert_true(r.early > r.octets / 20); /* it did happen */
        assert_true(r.steady_gbps > 0.99 * clean);
        assert_int_equal(r.held_peak, 0);
        assert_int_equal(r.resent, 0);
        assert_in_range(r.state_peak, 1, STATE_MAX - 1);
        assert_int_equal(r.receiver.crossings, r.octets);
    }
}

/* A packet that falls behind by n packets leaves n - 1 behind it to be held: it arrives at the same instant as the
 * n-th, and of two that arrive together the one that was sent first comes first. It is held until it is written: what
 * arrives behind the next hole while the first write is under way comes on top. */
TEST(hold_needs_what_is_behind_the_hole)
{
    static const uint32_t depths[] = {20, 25, 30};
    static const char *const presets[] = {"ideal", "t6"};
    for (unsigned i = 0; i < 6; i++) {
        struct run_conf c = stream(presets[i % 2], RNIC_HOLD, 20000);
        reorder(&c, depths[i / 2]);
        struct run_result r = run(&c, false);
        struct rnic *nic = adapter(&c.rnic[1], 1);
        double write = (double)rnic_step_time(nic, RNIC_STEP_PLACE, run_payload(&c)) / serialization(&c);
        free(nic);
        double behind = (depths[i / 2] - 1 + write) * (double)run_fpdu(&c);
        within((double)r.held_peak, behind, 0.10, "NIC memory held, octets");
        assert_int_equal(r.early, 0);
        assert_int_equal(r.refused, 0);
        assert_int_equal(r.receiver.held, 0);
    }
}

/* NIC memory for half of what is behind the hole: the other half is refused and sent again, and never too much held. */
TEST(hold_refuses_what_it_has_no_room_for)
{
    struct run_conf c = stream("ideal", RNIC_HOLD, 5000);
    reorder(&c, 20);
    c.rnic[1].hold_bytes = 10 * run_fpdu(&c);
    struct run_result r = run(&c, false);
    assert_true(r.refused > 0 && r.resent >= r.refused);
    assert_int_equal(r.receiver.held, 0);
    assert_int_equal(r.held_peak, 10 * run_fpdu(&c));
}

/* What is behind the hole is sent again, all of it. */
TEST(discard_goes_back)
{
    struct run_conf c = stream("ideal", RNIC_DISCARD, 5000);
    c.link.channel.loss = 0.001;
    struct run_result r = run(&c, false);
    assert_true(r.lost > 0);
    assert_int_equal(r.resent, r.lost + r.refused);
    assert_true(r.refused > 10 * r.lost);
    assert_int_equal(r.early, 0);
    c = stream("ideal", RNIC_PLACE, 5000);
    c.link.channel.loss = 0.001;
    r = run(&c, false);
    assert_int_equal(r.resent, r.lost);
}

/* What was only late was sent again for nothing: behind a packet that is missing its sender hears which of the two came. */
TEST(what_was_late_is_known_for_spurious)
{
    struct run_conf c = stream("ideal", RNIC_PLACE, 3000);
    c.link.timeout = 100 * US;
    c.link.channel.loss = 0.03;
    struct run_result r = run(&c, false);
    assert_true(r.resent > 50);
    assert_int_equal(r.spurious, 0);
    c.link.channel.reorder.probability = 0.03;
    c.link.channel.reorder.delay = 95 * US; /* it has arrived, and is not acknowledged yet */
    r = run(&c, false);
    assert_in_range(r.spurious, 5, r.resent - r.lost);
}

/* ---- memory ---- */

/* Each octet crosses memory once when it is placed, three times when the CPU copies it: written by the adapter, read
 * and written by the CPU. The adapter writes the headers into the kernel's buffer too. */
TEST(crossings_of_memory)
{
    static const struct {
        enum rnic_receive path;
        double crossings;
    } paths[] = {{RNIC_PLACE, 1}, {RNIC_HOLD, 1}, {RNIC_DISCARD, 1}, {RNIC_COPY, 3}};
    for (unsigned i = 0; i < 4; i++) {
        struct run_conf c = stream("t6", paths[i].path, 2000);
        struct run_result r = run(&c, false);
        within((double)r.receiver.crossings / (double)r.octets, paths[i].crossings, i < 3 ? 0 : 0.002,
               "crossings");
        assert_int_equal(r.receiver.copied, i < 3 ? 0 : r.octets);
    }
}

/* Only a request that is one segment may carry its octets itself: the short tail of a longer one is read from memory. */
TEST(a_short_tail_is_read_from_memory)
{
    struct run_conf c = stream("t6", RNIC_PLACE, 10);
    const uint32_t tail = 8;
    assert_true(c.rnic[0].inline_bytes >= tail);
    c.size = tail;
    struct run_result r = run(&c, false);
    assert_int_equal(r.sender.read, 0);
    c.size = run_payload(&c) + tail;
    r = run(&c, false);
    assert_int_equal(r.sender.read, r.octets);
}

/* One core copies 1448 octets in 2.2 us + its octets at 80 Gb/s: that bounds siw. */
TEST(the_cpu_bounds_copy)
{
    struct run_conf c = stream("siw", RNIC_COPY, 4000);
    c.link.mtu = 1460;
    c.size = run_payload(&c);
    struct run_result r = run(&c, false);
    double segment = (double)c.rnic[1].cpu.segment + takes(c.size, (double)c.rnic[1].cpu.copy_rate);
    assert_true(r.steady_gbps < c.size * 8e3 / segment * 1.001);
    assert_true(r.steady_gbps > c.size * 8e3 / segment * 0.9);
    assert_true(r.receiver.cpu > 0);
}

/* ---- staging ---- */

/* Retirement stands still while the sender goes on: n segments arrive, and the staging that takes them is n segments.
 * The largest stall without a drop is that long, and the sender's window does not save it. */
TEST(staging_overflows_when_the_stall_is_too_long)
{
    static const uint32_t segments[] = {20, 40, 80};
    for (unsigned i = 0; i < 3; i++) {
        struct run_conf c = stream("ideal", RNIC_PLACE, 8000);
        c.rnic[1].window.policy = RNIC_CONSTANT;
        c.rnic[1].staging_bytes = segments[i] * run_fpdu(&c);
        c.rnic[1].stall.every = 1 * MS;
        uint64_t low = 1, high = 4 * segments[i]; /* in serialization times */
        while (high - low > 1) {
            uint64_t middle = (low + high) / 2;
            c.rnic[1].stall.for_ = middle * (iw_time)serialization(&c);
            *(run(&c, false).dropped ? &high : &low) = middle;
        }
        within((double)high, segments[i], 0.05, "stall that overflows staging, segments");
    }
}

/* Retirement slower than the line: of a burst of n segments n (1 - retire / arrival) wait at its end. */
TEST(staging_overflows_when_the_burst_is_too_long)
{
    static const uint32_t segments[] = {20, 40, 80};
    for (unsigned i = 0; i < 3; i++) {
        struct run_conf c = stream("ideal", RNIC_PLACE, 1);
        double arrival = takes(run_fpdu(&c) + WIRE, 100e9), retire = takes(run_payload(&c), 60e9);
        c.rnic[1].window.policy = RNIC_CONSTANT;
        c.rnic[1].window.bytes = 16 * MIB;
        c.link.window = 20 << 20;
        c.rnic[1].bus.rate = 60 * GBPS;
        c.rnic[1].staging_bytes = segments[i] * run_fpdu(&c);
        uint32_t low = 1, high = 16 * segments[i];
        while (high - low > 1) {
            uint32_t middle = (low + high) / 2;
            c.size = middle * run_payload(&c);
            *(run(&c, false).dropped ? &high : &low) = middle;
        }
        within(high, segments[i] / (1 - arrival / retire), 0.05, "burst that overflows staging, segments");
    }
}

/* Appendix A's policies see the backlog: `retire` slows the sender before staging overflows. */
TEST(retire_saves_staging)
{
    static const enum rnic_policy policies[] = {RNIC_CONSTANT, RNIC_RETIRE};
    uint64_t dropped[2];
    for (unsigned i = 0; i < 2; i++) {
        struct run_conf c = stream("ideal", RNIC_PLACE, 8000);
        c.rnic[1].bus.rate = 60 * GBPS;
        c.rnic[1].window.policy = policies[i];
        c.rnic[1].staging_bytes = 512 * KIB;
        dropped[i] = run(&c, false).dropped;
    }
    assert_true(dropped[0] > 0);
    assert_int_equal(dropped[1], 0);
}

/* ---- the same again ---- */

TEST(equal_runs_are_equal)
{
    static const enum rnic_receive paths[] = {RNIC_PLACE, RNIC_HOLD, RNIC_DISCARD, RNIC_COPY};
    for (unsigned i = 0; i < 4; i++) {
        struct run_conf c = stream("t6", paths[i], 1000);
        reorder(&c, 7);
        c.link.channel.loss = 0.01;
        c.rnic[1].stall.every = 100 * US;
        c.rnic[1].stall.for_ = 5 * US;
        c.rnic[1].stall.jitter = 10 * US;
        struct run_result a = run(&c, false), b = run(&c, false);
        assert_int_equal(a.trace, b.trace);
        c.link.seed++;
        assert_true(run(&c, false).trace != a.trace);
    }
}
