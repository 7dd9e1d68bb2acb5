// SPDX-License-Identifier: GPL-2.0-or-later
// The marking rule: validation/lessons/replies.tsv has answers in many words, right ones and near misses, written by hand.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/story/reply.h"
#include "validation/support/test.h"

enum { LINE = 600, LEAST = 200 };

#define NUMBER(unit, n)                        \
    {                                          \
        REPLY_NUMBER, "", unit, NULL, n, n, "" \
    }
#define CUED(unit, cue, n)                    \
    {                                         \
        REPLY_NUMBER, "", unit, cue, n, n, "" \
    }
#define SEGMENT(cue, name)                       \
    {                                            \
        REPLY_SEGMENT, "", NULL, cue, 0, 0, name \
    }
#define OCTETS(first, last)                           \
    {                                                 \
        REPLY_OCTETS, "", NULL, NULL, first, last, "" \
    }
#define TIME(from, to)                           \
    {                                            \
        REPLY_TIME, "", NULL, NULL, from, to, "" \
    }
#define CODE(layer, type, of)                                           \
    {                                                                   \
        REPLY_CODE, "", NULL, NULL, layer << 16 | type << 8 | of, 0, "" \
    }
#define CHOICE(name)                             \
    {                                            \
        REPLY_CHOICE, "", NULL, NULL, 0, 0, name \
    }

static const char early[] = "early earlier first ahead",
                  hole[] = "missing lost absent hole gap late waited waits waiting overtaken";

/* The exercises of the table, by name. */
static const struct exam {
    const char *name, *question;
    struct reply_field field[3];
    int fields;
} exams[] = {
    {"cut",
     "Into how many segments is the Write of 9972 octets cut, and how many octets of payload has the last "
     "one?",
     {NUMBER("segments", 7), NUMBER("octets", 1463)},
     2},
    {"early",
     "Which segment is the first to be placed early, and which one was missing then?",
     {SEGMENT(early, "A9"), SEGMENT(hole, "A8")},
     2},
    {"early0",
     "Which segment is the first to be placed early, and which one was missing then?",
     {SEGMENT(early, "c0.A4"), SEGMENT(hole, "c0.A3")},
     2},
    {"count",
     "How many segments are placed while an earlier one is missing, and how many octets do they carry?",
     {NUMBER("segments", 2), NUMBER("octets", 2174)},
     2},
    {"late",
     "When is the Send of 2000 octets delivered, and which segment was the last that it had to wait for?",
     {TIME(54326000, 54326000), SEGMENT(NULL, "A7")},
     2},
    {"wait",
     "How many octets that A sent are in place at 36.200 us but may not be used yet?",
     {NUMBER("octets", 2174)},
     1},
    {"lost",
     "Which segment is lost first, and which octets of the stream does it carry?",
     {SEGMENT(NULL, "A1"), OCTETS(0, 1459)},
     2},
    {"predict",
     "Predict before you run it: the first message is posted at 23.500 us; when are the last one and all "
     "before it complete?",
     {TIME(51243000, 57410000)},
     1},
    {"end",
     "With which layer, type and code does connection c8 end, and which field of which segment is the cause?",
     {CODE(1, 2, 4), CHOICE("MO"), SEGMENT(NULL, "c8.A1")},
     3},
    {"code", "With which layer, type and code must the stream end?", {CODE(1, 1, 0)}, 1},
    {"head",
     "Which MSN and which MO does the header of A4 carry?",
     {NUMBER("MSN", 3), NUMBER("MO", 1460)},
     2},
    {"offset",
     "The Write begins at TO 8000. Which TO does the header of A4 carry?",
     {NUMBER("TO", 12380)},
     1},
    {"window",
     "B advertises a window of 8192 octets, and a full FPDU takes 1460. How many full FPDUs can be in flight "
     "at once, and how many octets of the window are then unused?",
     {NUMBER("FPDUs", 5), NUMBER("octets", 892)},
     2},
    {"told",
     "How many messages are complete at their receivers, and how many receives do their programs see "
     "completed?",
     {NUMBER("messages", 10), NUMBER("receives", 0)},
     2},
    {"frames",
     "Which frame carries the Read Request, and which one the first segment of its answer?",
     {CUED("frame", "request asks", 12), CUED("frame", "answer answers response reply", 15)},
     2},
    {"stag",
     "To which STag and which TO does the first Write go?",
     {NUMBER("STag", 0x1000001), NUMBER("TO", 4096)},
     2},
    {"value",
     "A posts 3 Atomics on a number that is 0 at first. What value does the last one return?",
     {NUMBER(NULL, 77)},
     1},
};
enum { EXAMS = sizeof exams / sizeof *exams };

static const struct exam *exam_of(const char *name)
{
    for (int i = 0; i < EXAMS; i++)
        if (strcmp(exams[i].name, name) == 0)
            return &exams[i];
    fail_msg("no exercise is called %s", name);
    return NULL;
}

/* The answer stands in a block of just its size, so that a reading behind its end is seen. */
static bool is_right(const struct exam *e, const char *answer)
{
    char *block = strdup(answer);
    assert_non_null(block);
    bool right = reply_is_right(e->field, e->fields, e->question, block);
    free(block);
    return right;
}

TEST(two_hundred_right_answers_and_two_hundred_near_misses)
{
    char line[LINE];
    int number = 0, seen[2] = {0}, wrong = 0;
    FILE *file = fopen("validation/lessons/replies.tsv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *rest = line, *name = strtok_r(rest, "\t\n", &rest), *verdict = strtok_r(NULL, "\t\n", &rest);
        number++;
        if (!name || *name == '#')
            continue;
        bool wanted = strcmp(verdict, "right") == 0;
        const char *answer = strtok_r(NULL, "\n", &rest);
        seen[wanted]++;
        if (is_right(exam_of(name), answer ? answer : "") == wanted)
            continue;
        print_error("replies.tsv:%d: %s is no %s answer to %s\n", number, answer, verdict, name);
        wrong++;
    }
    fclose(file);
    assert_int_equal(wrong, 0);
    assert_true(seen[0] >= LEAST && seen[1] >= LEAST);
}

TEST(a_value_as_it_is_written_for_a_key_is_right)
{
    char value[REPLY_TEXT_MAX];
    for (int i = 0; i < EXAMS; i++)
        for (int k = 0; k < exams[i].fields; k++)
            if (exams[i].field[k].kind != REPLY_TIME || exams[i].field[k].from == exams[i].field[k].to)
                assert_true(
                    reply_is_right(&exams[i].field[k], 1, "", reply_value(&exams[i].field[k], value)));
}

/* No text of any length or of any octets does more than be wrong. */
TEST(strangers_texts)
{
    char text[700];
    uint32_t draw = 1;
    for (int round = 0; round < 50; round++) {
        int length = round * 13 % (int)(sizeof text - 1);
        for (int i = 0; i < length; i++) {
            draw = draw * 1664525 + 1013904223;
            text[i] = (char)(1 + (draw >> 24) % 255);
        }
        text[length] = '\0';
        for (int i = 0; i < EXAMS; i++)
            assert_false(is_right(&exams[i], text));
    }
}
