/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters: what is refused and why, what the table says, where the presets' numbers come from. */
#include "rnic_rig.h"

enum { FPDU = 8960 };

TEST(every_preset_makes_sense)
{
    for (unsigned i = 0; i < rnic_presets_count; i++) {
        struct rnic_conf c;
        const struct parameter *which;
        rnic_preset_load(&c, &rnic_presets[i]);
        const char *error = rnic_conf_error(&c, FPDU, &which);
        if (error)
            fail_msg("%s: %s: %s", rnic_presets[i].name, which->name, error);
        assert_null(rnic_conf_error(&c, FPDU, NULL));
    }
    assert_string_equal(rnic_presets[0].name, "ideal");
}

TEST(each_bad_value_is_refused_with_its_reason)
{
    static const struct {
        const char *set[4][2]; /* parameter, value */
        const char *which, *reason;
    } rows[] = {
        {{{"bus.rate", "0"}}, "bus.rate", "rate must not be zero"},
        {{{"tx.rate", "0"}}, "tx.rate", "rate must not be zero"},
        {{{"rx.rate", "0"}}, "rx.rate", "rate must not be zero"},
        {{{"rx.crc_rate", "0"}}, "rx.crc_rate", "rate must not be zero"},
        {{{"tx.connection_rate", "0"}}, "tx.connection_rate", "rate must not be zero"},
        {{{"cpu.copy_rate", "0"}}, "cpu.copy_rate", "rate must not be zero"},
        {{{"tx.rate", "9999999"}}, "tx.rate", "out of range"},
        {{{"receive", "4"}}, "receive", "out of range"},
        {{{"window.policy", "6"}}, "window.policy", "out of range"},
        {{{"pcie.generation", "6"}}, "pcie.generation", "out of range"},
        {{{"pcie.reads", "0"}}, "pcie.reads", "out of range"},
        {{{"pcie.credits", "0"}}, "pcie.credits", "out of range"},
        {{{"cache.stags", "0"}}, "cache.stags", "out of range"},
        {{{"cache.misses", "0"}}, "cache.misses", "out of range"},
        {{{"completion.count", "0"}}, "completion.count", "out of range"},
        {{{"stall.for", "1000000000001"}}, "stall.for", "out of range"},
        {{{"window.headroom", "999"}}, "window.headroom", "out of range"},
        {{{"pcie.lanes", "18446744073709551615"}}, "pcie.lanes", "out of range"},
        {{{"window.bytes", "17919"}}, "window.bytes", "must hold two full segments"},
        {{{"window.bytes", "1073725441"}}, "window.bytes", "1073725440"},
        {{{"window.bytes", "1073725440"}, {"window.policy", "3"}}, "window.bytes", "never close"},
        {{{"staging_bytes", "8959"}}, "staging_bytes", "smaller than a full segment"},
        {{{"receive", "1"}, {"hold_bytes", "8959"}}, "hold_bytes", "at least one full segment"},
        {{{"receive", "3"}, {"window.policy", "1"}}, "window.policy", "only policy is buffer"},
        {{{"window.policy", "5"}, {"window.mark", "65536"}, {"staging_bytes", "65536"}},
         "window.mark",
         "above the size of staging"},
        {{{"stall.for", "1000"}, {"stall.every", "1500"}, {"stall.jitter", "500"}}, "stall.every", "overlap"},
        {{{"pcie.lanes", "3"}}, "pcie.lanes", "1, 2, 4, 8, 16 or 32"},
        {{{"pcie.payload", "200"}}, "pcie.payload", "power of two"},
        {{{"pcie.request", "500"}}, "pcie.request", "power of two"},
        {{{"bus.rate", "1000000000"}, {"bus.background", "1000000000"}}, "bus.background", "leaves nothing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rnic_conf c = preset("ideal");
        const struct parameter *which = NULL;
        for (int k = 0; k < 4 && rows[i].set[k][0]; k++)
            parameter_set(&c, parameter(rows[i].set[k][0]), strtoull(rows[i].set[k][1], NULL, 10));
        const char *error = rnic_conf_error(&c, FPDU, &which);
        if (!error || !strstr(error, rows[i].reason))
            fail_msg("row %zu: %s", i, error ? error : "accepted");
        assert_string_equal(which->name, rows[i].which);
        assert_string_equal(rnic_conf_error(&c, FPDU, NULL), error);
    }
}

TEST(what_borders_on_a_refusal_is_taken)
{
    struct rnic_conf c = preset("ideal");
    c.window.bytes = 2 * FPDU, c.staging_bytes = FPDU;
    c.stall.for_ = 1000, c.stall.jitter = 500, c.stall.every = 1501;
    c.bus.rate = 20000000, c.bus.background = 10000000;
    assert_null(rnic_conf_error(&c, FPDU, NULL));
    c.receive = RNIC_COPY, c.window.policy = RNIC_BUFFER;
    assert_null(rnic_conf_error(&c, FPDU, NULL));
    c.receive = RNIC_PLACE; /* buffer is anybody's */
    assert_null(rnic_conf_error(&c, FPDU, NULL));
    c.receive = RNIC_HOLD, c.hold_bytes = FPDU;
    assert_null(rnic_conf_error(&c, FPDU, NULL));
}

TEST(the_table_describes_every_member_once)
{
    bool described[sizeof(struct rnic_conf) / sizeof(uint64_t)] = {false};
    assert_int_equal(rnic_parameters.count, sizeof described / sizeof *described);
    for (unsigned i = 0; i < rnic_parameters.count; i++) {
        const struct parameter *p = &rnic_parameters.rows[i];
        assert_int_equal(p->offset % sizeof(uint64_t), 0);
        assert_false(described[p->offset / sizeof(uint64_t)]);
        described[p->offset / sizeof(uint64_t)] = true;
        assert_ptr_equal(parameter(p->name), p); /* names differ too */
        assert_true(p->what && *p->what && p->what[strlen(p->what) - 1] == '.');
        assert_true(p->min <= p->max && (p->type == VALUE_CHOICE) == (p->words != NULL));
        for (uint64_t word = 0; p->words && word <= p->max; word++)
            assert_non_null(p->words[word]);
        assert_true(!p->words || p->words_end == p->max + 1);
        struct rnic_conf c = preset("ideal");
        assert_int_equal(parameter_get(&c, p), p->initial);
        parameter_set(&c, p, 123);
        assert_int_equal(parameter_get(&c, p), 123);
    }
}

TEST(every_number_of_a_preset_says_where_it_is_from)
{
    for (unsigned i = 0; i < rnic_presets_count; i++) {
        assert_true(rnic_presets[i].what && *rnic_presets[i].what);
        for (const struct rnic_fact *f = rnic_presets[i].facts; f->name; f++) {
            struct rnic_conf c;
            rnic_preset_load(&c, &rnic_presets[i]);
            assert_int_equal(parameter_get(&c, parameter(f->name)), f->value); /* given once */
            assert_true(f->source && *f->source);
            assert_true(f->grade >= RNIC_MAKER && f->grade <= RNIC_GUESS);
            assert_true(f->low <= f->value && f->value <= f->high);
            assert_ptr_equal(rnic_preset_fact(&rnic_presets[i], f->name), f);
            for (const struct rnic_fact *g = f + 1; g->name; g++)
                assert_string_not_equal(f->name, g->name);
        }
    }
    static const char *const names[] = {"maker", "others", "derived", "fitted", "guess"};
    for (int grade = RNIC_MAKER; grade <= RNIC_GUESS; grade++)
        assert_string_equal(rnic_grade_name((enum rnic_grade)grade), names[grade]);
}

/* Of 600 draws each number is low, likely and high in 200 each, give or take 4.4 standard deviations; every draw is an
 * adapter. */
TEST(draws_are_adapters_and_cover_the_ranges)
{
    enum { DRAWS = 600 };
    for (unsigned i = 1; i < rnic_presets_count; i++)
        for (const struct rnic_fact *f = rnic_presets[i].facts; f->name; f++) {
            unsigned low = 0, high = 0;
            for (uint32_t draw = 0; draw <= DRAWS; draw++) {
                struct rnic_conf c, again;
                rnic_preset_draw(&c, &rnic_presets[i], 7, draw);
                rnic_preset_draw(&again, &rnic_presets[i], 7, draw);
                assert_memory_equal(&c, &again, sizeof c);
                assert_null(rnic_conf_error(&c, FPDU, NULL));
                uint64_t got = parameter_get(&c, parameter(f->name));
                assert_true(got == f->low || got == f->value || got == f->high);
                assert_true(draw || got == f->value);
                low += got == f->low;
                high += got == f->high;
            }
            assert_true(f->low == f->value || (low > 150 && low < 252));
            assert_true(f->high == f->value || (high > 150 && high < 252));
        }
}

TEST(another_seed_draws_others_and_hosts_are_shared)
{
    struct rnic_conf t5, t6, other;
    unsigned same = 0;
    for (uint32_t draw = 1; draw <= 300; draw++) {
        rnic_preset_draw(&t5, &rnic_presets[1], 1, draw);
        rnic_preset_draw(&t6, &rnic_presets[2], 1, draw);
        rnic_preset_draw(&other, &rnic_presets[1], 2, draw);
        assert_int_equal(t5.cpu.post, t6.cpu.post);
        assert_int_equal(t5.pcie.read, t6.pcie.read);
        same += t5.cpu.post == other.cpu.post;
    }
    assert_in_range(same, 64, 136); /* a third, 4.4 standard deviations */
}

TEST(an_adapter_touches_its_block_only)
{
    for (unsigned i = 0; i < rnic_presets_count; i++)
        for (uint32_t connections = 1; connections <= 9; connections += 4) {
            struct rnic_conf c;
            rnic_preset_load(&c, &rnic_presets[i]);
            size_t size = rnic_size(&c, connections);
            uint8_t *block = malloc(size + 64);
            memset(block, 0xee, size + 64);
            struct rnic *r = rnic_init(block, &c, connections, 1);
            for (uint32_t n = 0; n < 30000; n++) {
                rnic_arrive(r, n * NS, n % connections, 1);
                rnic_release(r, 1);
                rnic_send(r, n * NS, n % connections, 1);
                rnic_place(r, n * NS, n, 1);
                rnic_ready(r, n % connections);
            }
            for (size_t k = 0; k < 64; k++)
                assert_int_equal(block[size + k], 0xee);
            free(block);
        }
}
