/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_scenario.c -- any octets as a scenario, and behind the first octet 0 as a --set: refused with a sentence, or
 * accepted, and then what is written down reads back as the same and its points are found by their labels. */
#include <stdlib.h>
#include <string.h>

#include "helpers/scenario/scenario.h"

enum { POINTS_MAX = 32 }; /* looked at */

static void must(bool law)
{
    if (!law)
        abort();
}

static struct scenario *parse(const void *text, size_t size, const char *set)
{
    char error[SCENARIO_ERROR_MAX] = "";
    FILE *in = size ? fmemopen((void *)(uintptr_t)text, size, "rb") : fopen("/dev/null", "rb");
    must(in != NULL);
    struct scenario *s = scenario_read(in, "fuzz.yaml", &set, set != NULL, error);
    fclose(in);
    must(s || strlen(error) > 5);
    must(strlen(error) < SCENARIO_ERROR_MAX);
    return s;
}

static char *written(const struct scenario *s, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    must(out != NULL);
    scenario_write(s, out);
    fclose(out);
    return text;
}

static void reads_back(const struct scenario *s)
{
    size_t size, again_size;
    char *text = written(s, &size);
    struct scenario *again = parse(text, size, NULL);
    if (size) {
        must(again != NULL);
        char *twice = written(again, &again_size);
        must(size == again_size && memcmp(text, twice, size) == 0);
        must(again->points == s->points);
        free(twice);
    }
    scenario_free(again);
    free(text);
}

static void points(const struct scenario *s)
{
    for (size_t i = 0; i < s->points && i < POINTS_MAX; i++) {
        struct scenario_point point;
        char label[SCENARIO_LABEL_MAX], error[SCENARIO_ERROR_MAX] = "";
        scenario_label(s, i, label);
        must(scenario_find(s, label) == i);
        if (scenario_point(s, i, 0, &point, error))
            must(workload_size(&point.workload) > 0);
        else
            must(*error != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t size)
{
    const uint8_t *zero = size ? memchr(octets, 0, size) : NULL;
    size_t text_size = zero ? (size_t)(zero - octets) : size, set_size = zero ? size - text_size - 1 : 0;
    char *set = zero ? malloc(set_size + 1) : NULL;
    if (set) {
        memcpy(set, zero + 1, set_size);
        set[set_size] = 0;
    }
    struct scenario *s = parse(octets, text_size, set);
    if (s && s->points <= 1000000) {
        reads_back(s);
        points(s);
    }
    scenario_free(s);
    free(set);
    return 0;
}
