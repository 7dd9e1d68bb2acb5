/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_judge.c -- any octets as a capture file: the judge comes to an end, counts what it says and leaks nothing. */
#include <stdlib.h>

#include "helpers/capture/decode.h"
#include "helpers/judge/judge.h"

enum { LITTLE = 128 << 10 }; /* as fuzz_decode.c has it */

static void must(bool law)
{
    if (!law)
        abort();
}

static void accuse(void *context, const struct judge_accusation *a)
{
    uint64_t *accusations = context;
    must(a->of && a->conn == a->of->conn && a->conn >= 1);
    must(a->dir == DECODE_I2R || a->dir == DECODE_R2I);
    must(a->requirement >= 0 && (size_t)a->requirement < catalogue_size);
    must(a->frame >= 1 && a->what[0]);
    ++*accusations;
}

/* What is told is counted, and what is violated was exercised. */
static void check_judgement(const struct judge_result *g, uint64_t accusations)
{
    uint64_t violated = 0;
    must(g->accusations == accusations);
    for (size_t i = 0; i < catalogue_size; i++) {
        must(g->verdict[i].violated <= g->verdict[i].exercised);
        must((judge_outcome(g, i) == OUTCOME_VIOLATED) == (g->verdict[i].violated > 0));
        violated += g->verdict[i].violated;
    }
    must(violated == accusations);
}

static void judge(const uint8_t *data, size_t size, const struct decode_options *options)
{
    char error[CAPTURE_ERROR_MAX];
    bool whole;
    uint64_t accusations = 0;
    const struct judge_sink sink = {.context = &accusations, .accuse = accuse};
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    struct capture *capture = file ? capture_stream(file, "fuzz", error) : NULL;
    struct judge *j = capture ? judge_new(&sink) : NULL;
    if (j) {
        const struct decode_sink decode = judge_decode_sink(j);
        decode_capture(capture, options, &decode, NULL, error);
        check_judgement(judge_verdict(j, &whole), accusations);
    }
    judge_free(j);
    capture_close(capture);
}

/* What is freed is lent again soon, or every run would begin with fresh pages of the system. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:max_malloc_fill_size=0";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct decode_options options = {
        .memory = LITTLE, .assume = {.given = size % 4 == 1, .crc = size & 8, .markers = size & 16}};
    if (size)
        judge(data, size, &options);
    return 0;
}
