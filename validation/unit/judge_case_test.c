/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The active judge: our engine passes every case that ships, and what is wrong with a file of cases is one sentence with
 * its place. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/judge/case.h"
#include "helpers/judge/peer.h"
#include "helpers/judge/trial.h"
#include "validation/support/test.h"

enum { GAP_MS = 300, CASES_MIN = 120 };

static struct judge_case *shipped(size_t *count)
{
    char error[CASE_ERROR_MAX];
    struct judge_case *cases = cases_read("validation/vectors/judge.json", count, error);
    if (!cases)
        fail_msg("%s", error);
    return cases;
}

TEST(our_engine_passes)
{
    size_t count, wrong = 0;
    struct judge_peer peer;
    struct peer_own *own = peer_own_new(&peer, 0);
    struct judge_case *cases = shipped(&count);
    assert_non_null(own);
    assert_true(count >= CASES_MIN);
    for (size_t i = 0; i < count; i++) {
        struct judge_trial t;
        trial_play(&cases[i], &peer, GAP_MS, NULL, &t);
        wrong += t.result != TRIAL_RIGHT;
        if (t.result != TRIAL_RIGHT)
            print_message("%s: %s, %s %s\n", cases[i].name, trial_result_text(t.result), t.reading,
                          t.faults ? t.fault[0] : "");
    }
    free(cases);
    peer_own_free(own);
    assert_int_equal(wrong, 0);
}

/* A case that accepts nothing which a right peer says is wrong, so the verdict is drawn from the answer. */
TEST(a_wrong_answer_is_wrong)
{
    size_t count;
    struct judge_peer peer;
    struct peer_own *own = peer_own_new(&peer, 0);
    struct judge_case *cases = shipped(&count);
    assert_non_null(own);
    for (size_t i = 0; i < count; i += 7) {
        struct judge_trial t;
        snprintf(cases[i].accept[0], sizeof cases[i].accept[0], "0/1/ff");
        cases[i].accepts = 1;
        trial_play(&cases[i], &peer, GAP_MS, NULL, &t);
        assert_int_equal(t.result, TRIAL_WRONG);
    }
    free(cases);
    peer_own_free(own);
}

/* Octets that a Read must bring, and does not. */
TEST(other_octets_are_a_fault)
{
    size_t count;
    struct judge_peer peer;
    struct judge_trial t;
    struct peer_own *own = peer_own_new(&peer, 0);
    struct judge_case *cases = shipped(&count);
    assert_non_null(own);
    assert_string_equal(cases[0].name, "write");
    snprintf(cases[0].response[0], sizeof cases[0].response[0], "78*7 79");
    trial_play(&cases[0], &peer, GAP_MS, NULL, &t);
    assert_int_equal(t.result, TRIAL_FAULTY);
    snprintf(cases[0].response[0], sizeof cases[0].response[0], "78*7");
    trial_play(&cases[0], &peer, GAP_MS, NULL, &t);
    assert_int_equal(t.result, TRIAL_FAULTY);
    free(cases);
    peer_own_free(own);
}

TEST(words_become_octets)
{
    const struct case_memory m = {
        .known = true,
        .told = {.len = 0x20, .to = 0x10, .stag = {[SCRIPT_HOME] = 0x01020304, [SCRIPT_NOTHING] = 9}}};
    struct case_memory plain = m;
    const struct case_memory nothing = {0};
    uint8_t out[64];
    plain.plain = true;
    assert_int_equal(case_octets("c140 $stag $addr+1 78*3", &m, out, sizeof out), 17);
    assert_memory_equal(out, "\xc1\x40\x01\x02\x03\x04\0\0\0\0\0\0\0\x11xxx", 17);
    assert_int_equal(case_octets("$end-1 $len $rw+1", &m, out, sizeof out), 16);
    assert_memory_equal(out, "\0\0\0\0\0\0\0\x2f\0\0\0\x20\x01\x02\x03\x05", 16);
    assert_int_equal(case_octets("", &m, out, sizeof out), 0);
    assert_int_equal(case_octets("c140 $rw", &nothing, out, sizeof out), -2);
    assert_int_equal(case_octets("$ro", &plain, out, sizeof out), -2);
    assert_int_equal(case_octets("c14", &m, out, sizeof out), -1);
    assert_int_equal(case_octets("C1", &m, out, sizeof out), -1);
    assert_int_equal(case_octets("$what", &m, out, sizeof out), -1);
    assert_int_equal(case_octets("78*65", &m, out, sizeof out), -1);
}

/* What a responder may answer depends on the Request: RFC 6581 9.1, 10. */
TEST(a_reply_fits_its_request)
{
    static const struct {
        const char *words;
        struct mpa_frame request, reply;
    } cases[] = {
        {"rev 2 enhanced ird 4 ord 4 crc",
         {.rev = 2, .enhanced = true, .ird = 9},
         {.rev = 2, .enhanced = true, .ord = 4}},
        {"rev 2 enhanced ird 4 ord 4 crc",
         {.rev = 2, .enhanced = true, .ird = 1},
         {.rev = 2, .enhanced = true, .ord = 1}},
        {"rev 2 enhanced ird 4 ord 4 crc",
         {.rev = 2, .enhanced = true, .ird = 0x3fff},
         {.rev = 2, .enhanced = true, .ord = 4}},
        {"rev 2 enhanced ird 4 ord 40 exact",
         {.rev = 2, .enhanced = true, .ird = 1},
         {.rev = 2, .enhanced = true, .ord = 40}},
        {"rev 2 enhanced ird 4 ord 4 rtr-write", {.rev = 1}, {.rev = 1}},
        {"rev 3 crc", {.rev = 1}, {.rev = 3}},
        {"rev 2 crc", {.rev = 2, .enhanced = true, .ird = 4}, {.rev = 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t octets[MPA_FRAME_MAX];
        struct mpa_frame f;
        uint32_t size;
        int len = case_frame(cases[i].words, &cases[i].request, NULL, 0, octets, sizeof octets);
        assert_true(len > 0);
        assert_int_equal(mpa_frame_get(octets, (uint32_t)len, &f, &size), MPA_FRAME_WHOLE);
        assert_true(f.reply);
        assert_int_equal(f.rev, cases[i].reply.rev);
        assert_int_equal(f.enhanced, cases[i].reply.enhanced);
        assert_int_equal(f.ord, cases[i].reply.ord);
        assert_false(f.peer_to_peer && !f.enhanced);
    }
    uint8_t octets[MPA_FRAME_MAX];
    assert_int_equal(case_frame("rev 2 enhanced reserved", &cases[0].request, NULL, 0, octets, sizeof octets),
                     24);
    assert_int_equal(octets[16], 0x1f);
}

/* Our engine helped to write these cases, so each says on which sentence its readings rest. */
TEST(cases_of_replies_name_their_sentences)
{
    size_t count, named = 0;
    struct judge_case *cases = shipped(&count);
    for (size_t i = 0; i < count; i++) {
        bool about = strncmp(cases[i].name, "reply", 5) == 0 || strncmp(cases[i].name, "response", 8) == 0;
        if (!cases[i].initiates || !about)
            continue;
        named++;
        if (strncmp(cases[i].from, "RFC ", 4) != 0)
            fail_msg("%s names no section", cases[i].name);
    }
    free(cases);
    assert_int_equal(named, 38);
}

static void refuse(const char *text, const char *because)
{
    char name[] = P_tmpdir "/judge_case_XXXXXX", error[CASE_ERROR_MAX];
    size_t count;
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    struct judge_case *cases = cases_read(name, &count, error);
    unlink(name);
    assert_null(cases);
    if (!strstr(error, because) || strncmp(error, name, strlen(name)) != 0 || strchr(error, '\n'))
        fail_msg("\"%s\" does not say \"%s\"", error, because);
}

#define CASE(rest) "{\"cases\": [\n{\"id\": \"a\", \"requirements\": [\"DDP-7.1-T1\"], " rest "}]}"

TEST(a_wrong_file_is_one_sentence)
{
    refuse("", "empty");
    refuse("[1]", "{\"cases\": [...]}");
    refuse("{\"cases\": []}", "no cases");
    refuse("{\"cases\": 1}", "must be a list");
    refuse("{\"cases\": [1]}", "keys and values");
    refuse("{\"cases\": [", "");
    refuse(CASE("\"steps\": []"), "needs an id, requirements and what to accept");
    refuse(CASE("\"steps\": [\"jump\"], \"accept\": [\"open\"]"), ":2:");
    refuse(CASE("\"steps\": [\"jump\"], \"accept\": [\"open\"]"), "not \"jump\"");
    refuse(CASE("\"steps\": [\"ulpdu c14\"], \"accept\": [\"open\"]"), "pairs of hexadecimal digits");
    refuse(CASE("\"steps\": [\"ulpdu $what\"], \"accept\": [\"open\"]"), "$what");
    refuse(CASE("\"steps\": [\"cut x 00\"], \"accept\": [\"open\"]"), "needs a number");
    refuse(CASE("\"steps\": [\"gap 70000\"], \"accept\": [\"open\"]"), "at most 60000");
    refuse(CASE("\"steps\": [\"hold it\"], \"accept\": [\"open\"]"), "too large");
    refuse(CASE("\"steps\": {}, \"accept\": [\"open\"]"), "must be a list");
    refuse(CASE("\"accept\": [\"ajar\"]"), "not \"ajar\"");
    refuse(CASE("\"accept\": [\"1/1/000\"]"), "not \"1/1/000\"");
    refuse(CASE("\"accept\": [\"open\"], \"colour\": 1"), "not \"colour\"");
    refuse(CASE("\"accept\": [\"open\"], \"start\": \"rev x\""), "not \"rev x\"");
    refuse(CASE("\"accept\": [\"open\"], \"requirements\": [\"DDP-0\"]"),
           "no requirement is named \"DDP-0\"");
    refuse("{\"cases\": [{\"id\": \"a\", \"requirements\": [\"DDP-7.1-T1\"], \"accept\": [\"open\"]},"
           "{\"id\": \"a\", \"requirements\": [\"DDP-7.1-T1\"], \"accept\": [\"open\"]}]}",
           "two cases are named \"a\"");
    char error[CASE_ERROR_MAX];
    size_t count;
    assert_null(cases_read("/nowhere/judge.json", &count, error));
    assert_non_null(strstr(error, "/nowhere/judge.json"));
}
