/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long things take: one message alone, and many at once against the bound of the slowest stage. */
#include "rnic_rig.h"

/* A Send from post to completion through one adapter that plays both sides; `header`: what a segment adds. */
static iw_time send_one(struct rnic *r, iw_time now, uint32_t octets, uint32_t header)
{
    iw_time t = rnic_fetch(r, rnic_post(r, now, octets), octets);
    if (!rnic_inlined(r, octets))
        t = rnic_read(r, t, octets);
    t = rnic_send(r, t, 0, octets + header);
    t = rnic_arrive(r, t, 0, octets + header);
    t = rnic_place(r, t, 0, octets);
    rnic_release(r, octets + header);
    if (rnic_configuration(r)->receive == RNIC_COPY)
        t = rnic_copy(r, t, octets);
    t = rnic_complete(r, t);
    return rnic_wakeup(r, rnic_notify(r, t, true), 1);
}

static iw_time sum_of_steps(const struct rnic *r, uint32_t octets, uint32_t header)
{
    iw_time sum = 0;
    for (enum rnic_step step = 0; step < RNIC_STEPS; step++) {
        bool whole = step == RNIC_STEP_SEND || step == RNIC_STEP_ARRIVE;
        if (step != RNIC_STEP_READ || !rnic_inlined(r, octets))
            sum += rnic_step_time(r, step, octets + (whole ? header : 0));
    }
    return sum;
}

static const uint32_t sizes[] = {0, 1, 24, 25, 64, 512, 1460, 4096, 8936, 65000};
enum { SIZES = sizeof sizes / sizeof *sizes, HEADER = 24 };

TEST(a_message_takes_the_sum_of_its_steps)
{
    for (unsigned p = 0; p < rnic_presets_count; p++)
        for (unsigned i = 0; i < SIZES; i++) {
            struct rnic_conf conf;
            rnic_preset_load(&conf, &rnic_presets[p]);
            conf.cache.stags = conf.cache.connections = RNIC_UNLIMITED;
            struct rnic *r = adapter(&conf, 1);
            iw_time took = send_one(r, 7 * MS, sizes[i], HEADER) - 7 * MS;
            assert_int_equal(took, sum_of_steps(r, sizes[i], HEADER));
            if (p == 0)
                assert_int_equal(took, 0);
            free(r);
        }
}

TEST(a_second_message_later_takes_as_long_as_the_first)
{
    for (unsigned p = 0; p < rnic_presets_count; p++) {
        struct rnic_conf conf;
        rnic_preset_load(&conf, &rnic_presets[p]);
        conf.cache.stags = conf.cache.connections = RNIC_UNLIMITED;
        struct rnic *r = adapter(&conf, 1);
        iw_time first = send_one(r, 0, 1000, HEADER);
        assert_int_equal(send_one(r, first, 1000, HEADER) - first, first);
        free(r);
    }
}

/* Round numbers, so that each step can be worked out by hand: PCIe moves an octet in 4 ns. */
static struct rnic_conf round_numbers(void)
{
    struct rnic_conf c = preset("ideal");
    c.cpu.post = 10 * NS, c.cpu.poll = 20 * NS;
    c.tx.doorbell = 100 * NS, c.tx.descriptor = 64;
    c.tx.segment = 50 * NS, c.tx.rate = 100 * GBPS, c.tx.latency = 200 * NS;
    c.rx.segment = 60 * NS, c.rx.rate = 100 * GBPS, c.rx.latency = 300 * NS, c.rx.crc_rate = 50 * GBPS;
    c.pcie.generation = 1, c.pcie.lanes = 1, c.pcie.payload = 128, c.pcie.request = 512, c.pcie.overhead = 20;
    c.pcie.read = 500 * NS, c.pcie.write = 250 * NS, c.pcie.reads = 4, c.pcie.credits = 50;
    c.completion.entry = 32;
    return c;
}

TEST(each_step_is_what_a_hand_computes)
{
    static const iw_time by_hand[RNIC_STEPS] = {
        [RNIC_STEP_POST] = 110000,     /* 10 + 100 */
        [RNIC_STEP_FETCH] = 836000,    /* 500 + (64 + 20) x 4 */
        [RNIC_STEP_READ] = 5140000,    /* 500 + (1000 + 8 x 20) x 4 */
        [RNIC_STEP_SEND] = 330000,     /* 50 + 1000 x 0.08 + 200 */
        [RNIC_STEP_ARRIVE] = 600000,   /* 60 + 80 + 300 + 1000 x 0.16 */
        [RNIC_STEP_PLACE] = 4890000,   /* 250 + 4640 */
        [RNIC_STEP_COMPLETE] = 208000, /* (32 + 20) x 4 */
        [RNIC_STEP_NOTIFY] = 20000,
    };
    struct rnic_conf conf = round_numbers();
    struct rnic *r = adapter(&conf, 1);
    for (enum rnic_step step = 0; step < RNIC_STEPS; step++)
        assert_int_equal(rnic_step_time(r, step, 1000), by_hand[step]);
    assert_int_equal(send_one(r, 0, 1000, 0), 12134000);
    free(r);
}

TEST(what_travels_with_the_doorbell_is_neither_fetched_nor_read)
{
    struct rnic_conf conf = round_numbers();
    conf.inline_bytes = 100;
    struct rnic *r = adapter(&conf, 1);
    assert_true(rnic_inlined(r, 100) && !rnic_inlined(r, 101));
    iw_time heard = rnic_post(r, 0, 100);
    assert_int_equal(heard, 110000 + (100 + 2 * 20) * 4000); /* two stores of at most 64 octets */
    assert_int_equal(rnic_fetch(r, heard, 100), heard);
    assert_int_equal(rnic_fetch(r, heard, 101), heard + 836000);
    free(r);
}

TEST(a_picosecond_begun_is_a_picosecond)
{
    struct rnic_conf conf = preset("ideal");
    conf.tx.rate = 3 * GBPS; /* 2666.67 ps an octet */
    struct rnic *r = adapter(&conf, 1);
    assert_int_equal(rnic_step_time(r, RNIC_STEP_SEND, 1), 2667);
    assert_int_equal(rnic_step_time(r, RNIC_STEP_SEND, 3),
                     8001); /* femtoseconds are rounded to the nearest */
    free(r);
}

TEST(memory_that_is_slower_than_pcie_decides)
{
    struct rnic_conf conf = round_numbers();
    conf.bus.rate = 2 * GBPS;
    conf.bus.background = 1 * GBPS;
    struct rnic *r = adapter(&conf, 1);
    assert_int_equal(rnic_step_time(r, RNIC_STEP_READ, 1000), 8000000);
    assert_int_equal(rnic_step_time(r, RNIC_STEP_PLACE, 1000), 8000000);
    free(r);
}

/* ---- many at once: the last is done when the slowest stage has served all ---- */

enum { MANY = 1000, SEGMENT = 1460 };

typedef iw_time a_step(struct rnic *r);

static iw_time read_step(struct rnic *r)
{
    return rnic_read(r, 0, SEGMENT);
}
static iw_time send_step(struct rnic *r)
{
    return rnic_send(r, 0, 0, SEGMENT);
}
static iw_time arrive_step(struct rnic *r)
{
    return rnic_arrive(r, 0, 0, SEGMENT);
}
static iw_time place_step(struct rnic *r)
{
    return rnic_place(r, 0, 0, SEGMENT);
}
static iw_time copy_step(struct rnic *r)
{
    return rnic_copy(r, 0, SEGMENT);
}

static double per_job(const struct rnic_conf *conf, a_step *step)
{
    struct rnic *r = adapter(conf, 1);
    iw_time first = step(r), last = 0;
    for (int i = 0; i < MANY; i++)
        last = step(r);
    free(r);
    return (double)(last - first) / MANY;
}

static void assert_near(double is, double should, double part)
{
    if (fabs(is - should) > fabs(should) * part)
        fail_msg("%.6g is not within %g of %.6g", is, part, should);
}

TEST(a_stage_serves_no_faster_than_it_can)
{
    struct rnic_conf c = round_numbers();
    double wire = (SEGMENT + 12 * 20) * 4e3; /* 12 packets of 128 */
    assert_near(per_job(&c, send_step), 50e3 + takes(SEGMENT, 1e11), 1e-6);
    assert_near(per_job(&c, arrive_step), takes(SEGMENT, 50e9),
                1e-6); /* the CRC is slower than the pipeline */
    assert_near(per_job(&c, read_step), wire, 1e-6);
    assert_near(per_job(&c, place_step), wire, 1e-6);
    c.tx.connection_rate = 10 * GBPS;
    assert_near(per_job(&c, send_step), takes(SEGMENT, 10e9), 1e-6);
    c.cpu.copy_rate = 40 * GBPS, c.cpu.segment = 100 * NS;
    assert_near(per_job(&c, copy_step), 100e3 + takes(SEGMENT, 40e9), 1e-6);
    c.bus.rate = 1 * GBPS;
    assert_near(per_job(&c, place_step), takes(SEGMENT, 1e9), 1e-6);
    assert_near(per_job(&c, copy_step), takes(2 * SEGMENT, 1e9), 1e-6);
}

TEST(a_run_of_segments_is_taken_as_one)
{
    for (uint64_t run = 1; run <= 64; run *= 4) {
        struct rnic_conf c = round_numbers();
        c.rx.crc_rate = RNIC_UNLIMITED;
        c.tx.burst = c.rx.coalesce = run;
        double octets = takes(SEGMENT, 1e11);
        assert_near(per_job(&c, send_step), 50e3 / (double)run + octets, MANY % run ? 1e-3 : 1e-6);
        assert_near(per_job(&c, arrive_step), 60e3 / (double)run + octets, MANY % run ? 1e-3 : 1e-6);
    }
}

/* Of another connection, or after the pipeline was idle, a segment begins a run of its own. */
TEST(a_run_ends_with_another_connection_and_with_a_pause)
{
    struct rnic_conf c = round_numbers();
    c.tx.burst = 8;
    iw_time octets = (iw_time)takes(1000, 1e11);
    struct rnic *r = adapter(&c, 2);
    iw_time first = rnic_send(r, 0, 0, 1000), second = rnic_send(r, 0, 0, 1000);
    assert_int_equal(first, 50 * NS + octets + 200 * NS);
    assert_int_equal(second - first, octets);
    iw_time third = rnic_send(r, 0, 1, 1000);
    assert_int_equal(third - second, 50 * NS + octets);
    assert_int_equal(rnic_send(r, 1 * MS, 1, 1000), 1 * MS + 50 * NS + octets + 200 * NS);
    free(r);
}

/* What waits for its connection's own rate is encrypted already, or needs no encryption: the next one passes. */
TEST(a_slow_connection_holds_up_no_other)
{
    for (int encrypted = 0; encrypted < 2; encrypted++) {
        struct rnic_conf c = preset("ideal");
        c.tx.connection_rate = 1 * GBPS;
        c.crypto.rate = encrypted ? 100 * GBPS : RNIC_UNLIMITED;
        struct rnic *r = adapter(&c, 2);
        for (int i = 0; i < 10; i++)
            rnic_send(r, 0, 0, 1000);
        assert_int_equal(rnic_send(r, 0, 1, 1000), (iw_time)takes(1000, 1e9));
        free(r);
    }
}

TEST(a_burst_keeps_its_turn)
{
    struct rnic_conf c = preset("ideal");
    c.tx.burst = 4;
    struct rnic *r = adapter(&c, 3);
    uint32_t who;
    for (uint32_t i = 0; i < 3; i++)
        rnic_ready(r, i);
    for (int i = 0; i < 240; i++) {
        assert_true(rnic_turn(r, 0, &who));
        assert_int_equal(who, i / 4 % 3);
        rnic_ready(r, who);
    }
    assert_true(rnic_turn(r, 0, &who)); /* has no more to say: the next one's turn */
    assert_int_equal(who, 0);
    assert_true(rnic_turn(r, 0, &who));
    assert_int_equal(who, 1);
    free(r);
}

static iw_time post_step(struct rnic *r)
{
    return rnic_post_recv(r, 0);
}

TEST(cores_work_side_by_side)
{
    for (uint64_t cores = 1; cores <= 64; cores *= 2) {
        struct rnic_conf c = round_numbers();
        c.cpu.cores = cores;
        assert_near(per_job(&c, post_step), 10e3 / (double)cores, (double)cores / MANY);
    }
    struct rnic_conf c = round_numbers();
    c.cpu.cores = 2, c.cpu.syscall = 1 * US;
    struct rnic *r = adapter(&c, 1);
    assert_int_equal(rnic_syscall(r, 0), 1 * US);
    assert_int_equal(rnic_post_recv(r, 0), 1 * US); /* done earlier, seen in order */
    assert_int_equal(rnic_syscall(r, 0), 1010 * NS);
    free(r);
}

enum { PIPELINES = 4 };

/* Connections take a turn each; one of them alone gets what one pipeline gives. */
TEST(pipelines_work_side_by_side)
{
    for (uint32_t connections = 1; connections <= PIPELINES; connections *= 2) {
        struct rnic_conf c = round_numbers();
        c.tx.queues = c.rx.queues = PIPELINES;
        c.crypto.rate = 20 * GBPS;
        struct rnic *r = adapter(&c, PIPELINES);
        iw_time sent = 0, taken = 0;
        for (uint32_t i = 0; i < MANY; i++) {
            sent = rnic_send(r, 0, i % connections, SEGMENT);
            taken = rnic_arrive(r, 0, i % connections, SEGMENT);
        }
        double slowest = takes(SEGMENT, 20e9); /* encryption is of the pipeline, as is the CRC */
        assert_near((double)sent / MANY, slowest / connections, 0.01);
        assert_near((double)taken / MANY, slowest / connections, 0.01);
        free(r);
    }
}

/* A slow segment of one connection is no reason for another's to wait, if they have different pipelines. */
TEST(a_pipeline_waits_for_no_other)
{
    for (uint32_t queues = 1; queues <= 2; queues++) {
        struct rnic_conf c = round_numbers();
        c.rx.queues = queues;
        struct rnic *r = adapter(&c, 2);
        iw_time large = rnic_arrive(r, 0, 0, 60000), small = rnic_arrive(r, 0, 1, 100);
        assert_int_equal(small < large, queues == 2);
        assert_true(rnic_arrive(r, 0, 0, 100) > large);
        free(r);
    }
}

/* Strict: a page of 4 KiB that misses keeps the bus for the walk, 2 us in the mean; SEGMENT is one page. Relaxed: nothing waits
 * but itself. */
TEST(translations_hold_up_what_is_behind_them)
{
    enum { TIMES = 40000 };
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        struct rnic_conf c = round_numbers();
        c.iommu.miss = 100, c.iommu.walk = 2 * US;
        c.pcie.ordering = relaxed ? RNIC_RELAXED : RNIC_STRICT;
        struct rnic *r = adapter(&c, 1);
        iw_time done = 0, last = 0;
        for (int i = 0; i < TIMES; i++, last = done) {
            done = rnic_place(r, 0, 0, SEGMENT);
            assert_true(done >= last);
        }
        double wire = (SEGMENT + 12 * 20) * 4e3;
        assert_near((double)done / TIMES, wire + (relaxed ? 0 : 0.1 * 2e6), 0.01);
        free(r);
    }
}

/* Reads of memory that all miss, asked for at once: a read is done 500 + (1000 + 8 x 20) x 4 ns after its turn, which comes every
 * 4640 ns. One by one each turn waits for all walks before it, too; in any order none does but its own. */
TEST(a_read_waits_for_the_walks_of_others_or_goes_on)
{
    enum { TIMES = 100 };
    struct rnic_conf c = round_numbers();
    c.iommu.read_miss = 1000, c.iommu.walk = 20 * US;
    struct rnic *one_by_one = adapter(&c, 1);
    c.read_order = RNIC_READS_IN_ANY_ORDER;
    struct rnic *any = adapter(&c, 1);
    iw_time walks = 0, before = 0;
    int overtakes = 0;
    for (iw_time i = 0; i < TIMES; i++) {
        iw_time own = rnic_read(any, 0, 1000), turn = i * 4640 * NS;
        assert_int_equal(rnic_read(one_by_one, 0, 1000), own + walks);
        assert_true(own >= turn + 5140 * NS);
        overtakes += own < before;
        walks += own - turn - 5140 * NS;
        before = own;
    }
    assert_true(overtakes > TIMES / 4);
    assert_near((double)walks / TIMES, 20e6, 0.25);
    free(one_by_one);
    free(any);
}

/* One write after the other, far apart: half of those that miss walk for up to 2/3 of the mean, a quarter for up to 4/3 ... */
TEST(walks_are_shared_out_by_halves)
{
    enum { TIMES = 100000 };
    struct rnic_conf c = preset("ideal");
    c.iommu.miss = 1000, c.iommu.walk = 3 * US;
    struct rnic *r = adapter(&c, 1);
    unsigned up_to[4] = {0};
    double sum = 0;
    for (int i = 0; i < TIMES; i++) {
        iw_time walk = rnic_place(r, (iw_time)i * MS, 0, 100) - (iw_time)i * MS;
        sum += (double)walk;
        for (unsigned k = 0; k < 4; k++)
            up_to[k] += walk < (k + 1) * 2 * US;
    }
    assert_near(sum / TIMES, 3e6, 0.01);
    for (unsigned k = 0; k < 4; k++)
        assert_near(up_to[k], TIMES * (1 - 1 / (double)(2u << k)), 0.01);
    free(r);
}

TEST(what_is_outstanding_bounds_pcie)
{
    struct rnic_conf c = preset("ideal");
    c.pcie.read = 600 * NS, c.pcie.reads = 2,
    c.pcie.credits = 3; /* 3 requests of 512, 6 packets of 256 a segment */
    assert_near(per_job(&c, read_step), 3 * 600e3 / 2, 1e-6);
    assert_near(per_job(&c, place_step), 6 * 600e3 / 3, 1e-6);
    struct rnic *r = adapter(&c, 1);
    assert_int_equal(rnic_step_time(r, RNIC_STEP_READ, 512), 600 * NS);
    assert_int_equal(rnic_step_time(r, RNIC_STEP_READ, 1024), 600 * NS);
    assert_int_equal(rnic_step_time(r, RNIC_STEP_READ, 1025), 900 * NS); /* the third waits for the first */
    free(r);
}

TEST(generations_and_lanes_have_their_rates)
{
    static const double gigatransfers[] = {0, 2.5, 5, 8, 16, 32},
                        coding[] = {0, 0.8, 0.8, 128.0 / 130, 128.0 / 130, 128.0 / 130};
    for (unsigned generation = 1; generation <= 5; generation++)
        for (unsigned lanes = 1; lanes <= 32; lanes *= 2) {
            struct rnic_conf c = preset("ideal");
            c.pcie.generation = generation, c.pcie.lanes = lanes, c.pcie.overhead = 0;
            double rate = gigatransfers[generation] * 1e9 * coding[generation] * lanes;
            assert_near(per_job(&c, place_step), takes(SEGMENT, rate), 2e-4);
        }
}

TEST(a_request_to_read_takes_room_from_writes)
{
    struct rnic_conf c = round_numbers();
    struct rnic *r = adapter(&c, 1);
    rnic_read(r, 0, 1000); /* 2 requests of 20 octets go the writes' way */
    assert_int_equal(rnic_place(r, 0, 0, 100), 2 * 20 * 4000 + 250 * NS + (100 + 20) * 4000);
    free(r);
}

TEST(copying_carries_three_eighths_of_the_memory_bus)
{
    /* RFC 4297 2.1: with 1 GB/s of memory bandwidth and three crossings, 2.67 Gb/s of network traffic. */
    struct rnic_conf c = preset("ideal");
    c.bus.rate = 8 * GBPS;
    struct rnic *r = adapter(&c, 1);
    iw_time done = 0;
    for (int i = 0; i < MANY; i++) {
        rnic_place(r, 0, 0, SEGMENT);
        done = rnic_copy(r, 0, SEGMENT);
    }
    assert_near(MANY * SEGMENT * 8e12 / (double)done, 8e9 / 3, 1e-6);
    assert_int_equal(rnic_statistics(r)->crossings, 3 * MANY * SEGMENT);
    assert_int_equal(rnic_statistics(r)->placed, MANY * SEGMENT);
    free(r);
}

TEST(what_enters_first_leaves_first)
{
    struct rnic_conf c = preset("t5");
    c.cache.stags = 4, c.cache.connections = 3;
    c.stall.every = 20 * US, c.stall.for_ = 2 * US, c.stall.jitter = 5 * US;
    struct rnic *r = adapter(&c, 8);
    iw_time now = 0, last[4] = {0};
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint32_t octets = (uint32_t)(random >> 33) % 9000, who = (uint32_t)(random >> 20) % 8;
        iw_time left[] = {rnic_read(r, now, octets), rnic_arrive(r, now, who, octets),
                          rnic_place(r, now, who + 1, octets), rnic_complete(r, now)};
        for (int stage = 0; stage < 4; stage++) {
            assert_true(left[stage] >= now && left[stage] >= last[stage]);
            last[stage] = left[stage];
        }
        rnic_release(r, octets);
        now += (random >> 40) % (2 * US);
    }
    free(r);
}

/* ---- connections ---- */

TEST(connections_take_turns)
{
    struct rnic_conf c = preset("ideal");
    struct rnic *r = adapter(&c, 5);
    uint32_t turns[5] = {0}, who;
    for (uint32_t i = 0; i < 5; i++)
        rnic_ready(r, i), rnic_ready(r, i);
    for (int i = 0; i < 1000; i++) {
        assert_true(rnic_turn(r, 0, &who));
        assert_int_equal(who, i % 5);
        turns[who]++;
        rnic_ready(r, who);
    }
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(turns[i], 200);
    for (uint32_t i = 0; i < 5; i++)
        assert_true(rnic_turn(r, 0, &who));
    assert_false(rnic_turn(r, 0, &who));
    free(r);
}

/* Gb/s that `connections` get out of the transmit side together, each sending its next segment as the last is out. */
static double throughput(const char *name, uint32_t connections)
{
    struct rnic_conf c = preset(name);
    struct rnic *r = adapter(&c, connections);
    iw_time end = 0;
    for (uint32_t i = 0; i < MANY * connections; i++) {
        iw_time t = rnic_send(r, 0, i % connections, 9000);
        end = t > end ? t : end;
    }
    free(r);
    return MANY * connections * 9000 * 8e3 / (double)end;
}

TEST(e810_comes_near_to_what_its_vendor_saw)
{
    static const double vendor[] = {49, 88, 91};
    for (uint32_t n = 1; n <= 3; n++)
        assert_near(throughput("e810", n), vendor[n - 1], 0.05);
}

TEST(ne010_fills_87_percent_of_its_link)
{
    assert_near(throughput("ne010", 1), 8.7, 0.01);
}

TEST(a_small_send_on_t5_takes_about_1500_ns)
{
    struct rnic_conf c = preset("t5");
    c.cache.stags = c.cache.connections = RNIC_UNLIMITED;
    struct rnic *r = adapter(&c, 1);
    double wire = takes(64 + 78, 40e9) + 10e3; /* and two metres of cable */
    assert_near((double)send_one(r, 0, 24, HEADER) + wire, 1500e3, 0.02);
    free(r);
}

TEST(one_core_of_siw_receives_5_gbps)
{
    struct rnic_conf c = preset("siw");
    struct rnic *r = adapter(&c, 1);
    iw_time done = 0;
    for (int i = 0; i < MANY; i++) {
        rnic_place(r, 0, 0, 1448);
        done = rnic_copy(r, 0, 1448);
    }
    assert_near(MANY * 1448 * 8e3 / (double)done, 5, 0.02);
    assert_int_equal(rnic_statistics(r)->cpu, done);
    free(r);
}

TEST(a_retransmission_reads_again_only_from_the_host)
{
    struct rnic_conf c = round_numbers();
    struct rnic *nic = adapter(&c, 1);
    assert_int_equal(rnic_resend(nic, 5 * US, 1000), 5 * US);
    assert_int_equal(rnic_statistics(nic)->read, 0);
    c.retransmit = RNIC_FROM_HOST;
    struct rnic *host = adapter(&c, 1);
    assert_int_equal(rnic_resend(host, 5 * US, 1000), 5 * US + 5140 * NS);
    assert_int_equal(rnic_statistics(host)->read, 1000);
    free(nic);
    free(host);
}
