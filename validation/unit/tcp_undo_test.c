/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What left again is remembered for as long as a D-SACK may speak of it, and reductions that were for nothing are undone, each by
 * itself (RFC 2883, 3708). A late segment is no stale one (RFC 7323 5.3). */
#include <stdlib.h>

#include "validation/support/test.h"
#include "validation/unit/tcp_rig.h"

enum { RTT = 100 }; /* us */

static void open_rig(struct tcp_rig *r, uint32_t window, uint32_t repeats)
{
    struct tcp_conf conf;
    tcp_rig_defaults(&conf);
    conf.repeats = repeats;
    conf.initial_window = window;
    tcp_rig_open(r, &conf);
}

/* n records leave; the first is late, and so leaves again; all is here before its repetition. */
static void repeat_first(struct tcp_rig *r, uint32_t from, unsigned n)
{
    tcp_rig_append(r, n, 1000);
    tcp_rig_drain(r);
    r->now += RTT * RIG_US;
    tcp_rig_ack(r, from, (uint32_t[]){from + 1000, from + 4000, 0, 0});
    assert_true(tcp_rig_take(r) && r->seq == RIG_ISS + 1 + from);
    tcp_rig_drain(r);
    tcp_rig_ack(r, from + n * 1000, NULL);
}

static void dsack(struct tcp_rig *r, uint32_t ack, uint32_t from)
{
    tcp_rig_ack(r, ack, (uint32_t[]){from, from + 1000, 0, 0});
}

/* 10 segments, halved twice before the peer says a word: 5, 2.5. Without the first it is one half of 10; without both, 10. */
TEST(each_of_two_reductions_is_undone)
{
    struct tcp_rig r;
    open_rig(&r, 10, 16);
    repeat_first(&r, 0, 10);
    assert_int_equal(tcp_rig_cwnd(&r), 5000);
    repeat_first(&r, 10000, 5);
    assert_int_equal(tcp_rig_cwnd(&r), 2500);
    dsack(&r, 15000, 0);
    assert_int_equal(tcp_rig_cwnd(&r), 5000);
    assert_int_equal(tcp_statistics(r.t)->undone, 1);
    dsack(&r, 15000, 10000);
    assert_int_equal(tcp_rig_cwnd(&r), 10000);
    assert_int_equal(tcp_statistics(r.t)->undone, 2);
    assert_int_equal(tcp_statistics(r.t)->reductions, 2);
    assert_int_equal(tcp_statistics(r.t)->spurious, 2);
    dsack(&r, 15000, 10000); /* the network doubles what the peer says, too */
    assert_int_equal(tcp_statistics(r.t)->spurious, 2);
    tcp_rig_free(&r);
}

/* The other way round: the second first. */
TEST(the_first_reduction_may_stand_when_the_second_is_undone)
{
    struct tcp_rig r;
    open_rig(&r, 10, 16);
    repeat_first(&r, 0, 10);
    repeat_first(&r, 10000, 5);
    dsack(&r, 15000, 10000);
    assert_int_equal(tcp_rig_cwnd(&r), 5000);
    dsack(&r, 15000, 0);
    assert_int_equal(tcp_rig_cwnd(&r), 10000);
    tcp_rig_free(&r);
}

/* RFC 3708 section 3: what left once was doubled by the network. */
TEST(a_copy_made_by_the_network_is_no_repetition)
{
    struct tcp_rig r;
    open_rig(&r, 10, 16);
    repeat_first(&r, 0, 10);
    dsack(&r, 10000, 4000);
    assert_int_equal(tcp_statistics(r.t)->spurious, 0);
    assert_int_equal(tcp_statistics(r.t)->undone, 0);
    tcp_rig_free(&r);
}

/* A full table forgets the oldest; one that grew in time knows all. */
TEST(a_table_keeps_as_many_as_it_has_room_for)
{
    for (uint32_t entries = 2; entries <= 4; entries += 2) {
        struct tcp_rig r;
        void *memory = malloc(1024), *old;
        (void)state;
        open_rig(&r, 20, 2);
        assert_true(tcp_table_octets(r.t, TCP_REPEATS, 4) <= 1024);
        if (entries > 2)
            assert_int_equal(tcp_table_move(r.t, TCP_REPEATS, memory, entries, &old), IW_OK);
        repeat_first(&r, 0, 20);
        repeat_first(&r, 20000, 10);
        repeat_first(&r, 30000, 5);
        assert_int_equal(tcp_table_used(r.t, TCP_REPEATS), entries == 2 ? 2 : 3);
        dsack(&r, 35000, 0);
        dsack(&r, 35000, 20000);
        dsack(&r, 35000, 30000);
        assert_int_equal(tcp_statistics(r.t)->spurious, entries == 2 ? 2 : 3);
        tcp_rig_free(&r);
        free(memory);
    }
}

/* 10 segments leave, the first is late by four: held for lost by three duplicates, acknowledged before the port is free for it.
 * 10 again and not 5; had it left again, its copy alone would have told (RFC 3522). */
TEST(what_was_acknowledged_before_it_left_again_was_late)
{
    for (unsigned left = 0; left < 2; left++) {
        struct tcp_rig r;
        (void)state;
        open_rig(&r, 10, 16);
        tcp_rig_append(&r, 10, 1000);
        tcp_rig_drain(&r);
        r.now += RTT * RIG_US;
        tcp_rig_ack(&r, 0, (uint32_t[]){1000, 4000, 0, 0});
        assert_int_equal(tcp_statistics(r.t)->reductions, 1);
        if (left)
            assert_true(tcp_rig_take(&r) && r.seq == RIG_ISS + 1);
        tcp_rig_ack(&r, left ? 10000 : 5000, NULL);
        assert_int_equal(tcp_statistics(r.t)->undone, !left);
        assert_int_equal(tcp_rig_cwnd(&r), left ? 5000 : 10000);
        tcp_rig_free(&r);
    }
}

/* Two of ten are held for lost. The first alone was late; the second left again, and was needed as far as is known. */
TEST(one_late_segment_does_not_speak_for_another)
{
    struct tcp_rig r;
    open_rig(&r, 10, 16);
    tcp_rig_append(&r, 10, 1000);
    tcp_rig_drain(&r);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 0, (uint32_t[]){1000, 2000, 3000, 6000, 0, 0});
    tcp_rig_ack(&r, 2000, (uint32_t[]){3000, 6000, 0, 0});
    assert_true(tcp_rig_take(&r) && r.seq == RIG_ISS + 1 + 2000);
    tcp_rig_ack(&r, 10000, NULL);
    assert_int_equal(tcp_statistics(r.t)->undone, 0);
    assert_int_equal(tcp_rig_cwnd(&r), 5000);
    tcp_rig_free(&r);
}

/* The probe of the tail has left; then its record is held for lost, and acknowledged before it leaves a third time. The probe may
 * have repaired a loss (RFC 8985 7.4.2). */
TEST(a_record_that_had_left_twice_may_have_been_lost)
{
    struct tcp_rig r;
    open_rig(&r, 10, 16);
    tcp_rig_append(&r, 4, 1000);
    tcp_rig_drain(&r);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 3000, NULL);
    r.now = tcp_deadline(r.t);
    tcp_expire(r.t, r.now);
    assert_true(tcp_rig_take(&r) && r.seq == RIG_ISS + 1 + 3000);
    tcp_rig_append(&r, 4, 1000);
    r.now += RIG_US;
    tcp_rig_drain(&r);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 3000, (uint32_t[]){4000, 8000, 0, 0});
    assert_int_equal(tcp_statistics(r.t)->reductions, 1);
    tcp_rig_ack(&r, 8000, NULL);
    assert_int_equal(tcp_statistics(r.t)->undone, 0);
    tcp_rig_free(&r);
}

/* RFC 8985 6.2, step 4: what was resent at once never came late enough for step 3 to see. The D-SACK was seen. */
TEST(a_dsack_is_an_observation_of_reordering)
{
    struct tcp_rig r;
    open_rig(&r, 10, 16);
    repeat_first(&r, 0, 10);
    dsack(&r, 10000, 0);
    tcp_rig_append(&r, 5, 1000);
    tcp_rig_drain(&r);
    r.now += RTT * RIG_US;
    tcp_rig_ack(&r, 10000, (uint32_t[]){11000, 14000, 0, 0});
    assert_false(tcp_rig_take(&r));
    assert_true(tcp_deadline(r.t) == r.now + 2 * (RTT * RIG_US / 4));
    tcp_rig_free(&r);
}

static void hear_stamped(struct tcp_rig *r, uint32_t offset, uint32_t stamp)
{
    uint8_t options[12] = {1, 1, 8, 10};
    iw_put32(iw_put32(options + 4, stamp), 0);
    tcp_rig_hear(r, RIG_PEER_ISS + 1 + offset, RIG_ISS + 1, ACK, 1000, 900, options, sizeof options);
}

/* Two segments are late, and the first leaves again, with a newer stamp: the second is older than that, and is not stale. What
 * is older by more than numbers take to wrap is. */
/* checks: TCP7323-5.3-1 */
TEST(paws_takes_what_was_overtaken)
{
    static const uint8_t options[] = {2, 4, 1000 >> 8, 1000 & 255, 1, 3, 3, 7, 1, 1, 4, 2,
                                      1, 1, 8,         10,         0, 0, 0, 1, 0, 0, 0, 0};
    struct tcp_conf conf;
    struct tcp_rig r;
    tcp_rig_defaults(&conf);
    conf.timestamps = true;
    conf.late_ticks = 10000;
    tcp_rig_open_with(&r, &conf, options, sizeof options, SYN | ACK);
    tcp_credit(r.t, r.now, 100000, true);
    tcp_rig_drain(&r);
    hear_stamped(&r, 0, 20000);
    assert_int_equal(r.verdict, TCP_TAKEN);
    tcp_rig_drain(&r);
    hear_stamped(&r, 900, 19999);
    assert_int_equal(r.verdict, TCP_TAKEN);
    hear_stamped(&r, 1800, 9999);
    assert_int_equal(r.verdict, TCP_REFUSED);
    tcp_rig_free(&r);
}
