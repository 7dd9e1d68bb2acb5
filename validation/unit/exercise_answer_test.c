// SPDX-License-Identifier: GPL-2.0-or-later
// Answers that were handed in: what is asked for, in any order of words, and nothing behind the end of a text.

#include <stdlib.h>
#include <string.h>

#include "helpers/story/exercise.h"
#include "validation/support/test.h"

/* The answer stands in a block of just its size, so that a reading behind its end is seen. */
static bool is_right(const char *key, const char *answer)
{
    struct exercise x = {0};
    size_t size = strlen(answer) + 1;
    char *block = malloc(size);
    assert_non_null(block);
    memcpy(block, answer, size);
    snprintf(x.answer, sizeof x.answer, "%s", key);
    bool right = exercise_is_right(&x, block);
    free(block);
    return right;
}

TEST(an_answer_may_end_in_a_word_without_a_number)
{
    assert_true(is_right("A9; A8 was missing", "A9; A8 was missing"));
    assert_true(is_right("1463 octets", "1463 octets"));
    assert_false(is_right("1463 octets", "octets"));
    assert_false(is_right("1463 octets", ""));
}

TEST(other_words_and_small_letters_count_alike)
{
    assert_true(is_right("A9; A8 was missing", "a9, because of a8"));
    assert_false(is_right("A9; A8 was missing", "A9"));
    assert_false(is_right("A9; A8 was missing", "A12 A10"));
}
