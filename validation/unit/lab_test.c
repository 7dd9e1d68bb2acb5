// SPDX-License-Identifier: GPL-2.0-or-later
// Labs: each table shows something, agrees with sums by hand, and its questions take what stands in it and nothing else.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/story/code.h"
#include "helpers/story/lab.h"
#include "validation/support/test.h"

enum { STUDENTS = 12 };

static struct lab_table table_of(unsigned number)
{
    struct lab_table t;
    char why[STORY_ERROR_MAX] = "";
    if (!lab_run_all(lab_of(number), &t, why))
        fail_msg("lab %u: %s", number, why);
    return t;
}

TEST(every_lab_shows_that_its_two_settings_matter)
{
    for (unsigned n = 1; n <= LABS; n++) {
        const struct lab *l = lab_of(n);
        const struct lab_table t = table_of(n);
        bool rows = false, columns = false;
        for (size_t i = 0; l->x[i]; i++)
            for (size_t k = 0; l->by[k]; k++) {
                rows |= t.value[i][k] != t.value[0][k];
                columns |= t.value[i][k] != t.value[i][0];
            }
        assert_true(rows && columns);
    }
    assert_true(!lab_of(0) && !lab_of(LABS + 1));
}

/* An MTU of 1500 less 40 of IP and TCP, 2 of MPA's length and 4 of its CRC, 14 of a Write's header or 18 of a Send's. */
TEST(segments_and_octets_are_those_of_the_sum)
{
    static const uint64_t cut[] = {1000, 2000, 2880, 4000, 5000, 5760, 7000, 8000, 8640},
                          sent[] = {1000, 2000, 4000, 8000, 16000, 32000};
    const struct lab_table first = table_of(1), sixth = table_of(6);
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        assert_int_equal(first.value[i][0], (cut[i] + 1439) / 1440);
        assert_int_equal(first.value[i][1], (cut[i] + 1435) / 1436);
    }
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        uint64_t full = sent[i] / 1440, rest = sent[i] % 1440;
        uint64_t octets = full * 1460 + (rest ? (2 + 14 + rest + 3) / 4 * 4 + 4 : 0);
        assert_int_equal(sixth.value[i][0], octets);
        assert_int_equal(sixth.value[i][1] - octets,
                         (sixth.value[i][1] + 511) / 512 * 4); /* one at each 512, the first at 0 */
    }
}

/* So many times the middle of what counts, as it is typed. */
static void type(const struct reply_field *f, double times, char out[REPLY_WORD_MAX])
{
    double middle = ((double)f->from + (double)f->to) / 2 * times;
    if (f->kind == REPLY_TIME)
        snprintf(out, REPLY_WORD_MAX, "%.3f us", middle / 1e6);
    else
        snprintf(out, REPLY_WORD_MAX, "%.0f", middle);
}

TEST(each_question_takes_its_value_and_no_other)
{
    for (unsigned n = 1; n <= LABS; n++) {
        const struct lab_table t = table_of(n);
        for (uint64_t student = 0; student < STUDENTS; student++) {
            struct exercise x[LAB_QUESTIONS], bare[LAB_QUESTIONS];
            lab_ask(lab_of(n), student, &t, x);
            lab_ask(lab_of(n), student, NULL, bare);
            for (int i = 0; i < LAB_QUESTIONS; i++) {
                char right[REPLY_WORD_MAX], wrong[REPLY_WORD_MAX];
                type(x[i].field, 1, right);
                type(x[i].field, 2, wrong);
                assert_true(exercise_is_right(&x[i], right));
                assert_true(!exercise_is_right(&x[i], wrong));
                assert_true(!exercise_is_right(&x[i], "777777"));
                assert_true(!exercise_is_right(&x[i], ""));
                assert_string_equal(bare[i].question, x[i].question);
                assert_true(!strchr(x[i].question, '{'));
            }
        }
    }
}

TEST(a_window_may_be_said_in_kib_or_in_octets)
{
    const struct lab_table t = table_of(3);
    struct exercise x[LAB_QUESTIONS];
    lab_ask(lab_of(3), 0, &t, x);
    assert_true(exercise_is_right(&x[1], "16KiB"));
    assert_true(exercise_is_right(&x[1], "16384 octets"));
    assert_true(!exercise_is_right(&x[1], "24KiB"));
    assert_true(!exercise_is_right(&x[1], "16"));
}

TEST(codes_of_labs)
{
    char why[CODE_ERROR_MAX];
    struct code c;
    assert_true(code_read("lab=3&student=7&a1=108.2%20us&a3=4", &c, why));
    assert_int_equal(c.lab, 3);
    assert_int_equal(c.lesson, 0);
    assert_int_equal(c.student, 7);
    assert_string_equal(c.answer[0], "108.2 us");
    assert_true(!c.answer[1]);
    assert_true(!code_read("lab=3&seed=4", &c, why));
    assert_true(!code_read("lab=3&sheet=4", &c, why));
    assert_true(!code_read("lab=-3", &c, why));
}
