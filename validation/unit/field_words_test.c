/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of the field: each leads to a key or value that there is, and none of them is one itself. */
#include <stdio.h>
#include <string.h>

#include "helpers/scenario/field_words.h"
#include "scenario_rig.h"

static void first_word(const char *text, const char *end, char word[KEY_NAME_MAX])
{
    snprintf(word, KEY_NAME_MAX, "%.*s", (int)strcspn(text, end), text);
}

static bool is_choice(const struct key *key, const char *word)
{
    for (size_t i = 0; i < key->rules.choices_end; i++) {
        char choice[KEY_NAME_MAX];
        first_word(key->rules.choices[i] ? key->rules.choices[i] : "", ":", choice);
        if (*word && strcmp(choice, word) == 0)
            return true;
    }
    return false;
}

static bool is_key(const char *name)
{
    return key_find(name) || key_is_group(name) || strcmp(name, "cases") == 0 || strcmp(name, "sweep") == 0;
}

static bool is_known(const char *of, const char *word)
{
    return of ? is_choice(key_find(of), word) : is_key(word);
}

TEST(each_row_means_what_there_is)
{
    for (size_t i = 0; i < field_rows_count; i++) {
        char word[KEY_NAME_MAX];
        first_word(field_rows[i].means, ",:", word);
        if (!is_known(field_rows[i].key, word))
            fail_msg("%s is no word of %s", word, field_rows[i].key ? field_rows[i].key : "keys");
    }
}

TEST(each_word_is_wrong_and_stands_once)
{
    for (size_t i = 0; i < field_rows_count; i++) {
        const struct field_row *row = &field_rows[i];
        for (const char *p = row->words; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
            char word[KEY_NAME_MAX];
            first_word(p, " ", word);
            if (is_known(row->key, word))
                fail_msg("%s is right already", word);
            const char *means = field_word(row->key, word);
            if (!means || strcmp(means, row->means) != 0)
                fail_msg("%s leads to %s, not to %s", word, means ? means : "nothing", row->means);
        }
    }
}

TEST(capitals_blanks_and_groups_do_not_count)
{
    assert_string_equal(field_word("topology.kind", "Leaf-Spine"), "fat_tree");
    assert_string_equal(field_word("topology.kind", "folded clos"), "fat_tree");
    assert_string_equal(field_word(NULL, "network.Bandwidth"), "topology.rate");
    assert_null(field_word(NULL, ""));
    assert_null(field_word(NULL, "clos"));
    assert_null(field_word("topology.kind", "bandwidth"));
    assert_null(field_word("topology.kind", "folded_clos leaf_spine"));
}
