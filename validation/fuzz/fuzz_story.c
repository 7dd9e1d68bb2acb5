/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_story.c -- any octets as a trace or a capture to be told: whatever is read is told in sentences that end, in a
 * page, and in exercises, and leaks nothing. */
#include <stdlib.h>
#include <string.h>

#include "helpers/capture/capture.h"
#include "helpers/story/exercise.h"
#include "helpers/story/narrate.h"
#include "helpers/story/play_page.h"
#include "helpers/story/story_load.h"

enum { QUESTIONS = 16 };

static void must(bool law)
{
    if (!law)
        abort();
}

static void check_links(const struct story *s)
{
    for (int i = 0; i < s->events; i++) {
        must(s->event[i].segment >= STORY_NOBODY && s->event[i].segment < s->segments);
        must(s->event[i].message >= STORY_NOBODY && s->event[i].message < s->messages);
    }
    for (int i = 0; i < s->segments; i++) {
        const struct story_segment *g = &s->segment[i];
        must(g->sent >= 0 && g->sent < s->events && g->arrived < s->events && g->placed < s->events);
        must(g->waits_for < i && g->message < s->messages && g->number >= 1);
    }
}

static void tell_all(const struct story *s)
{
    struct narration told;
    struct exercise x[QUESTIONS];
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    for (int i = 0; i < s->events; i++)
        if (narrate_event(s, i, &told))
            must(*told.text && strlen(told.text) < sizeof told.text);
    char *summary = narrate_summary(s);
    must(summary && *summary);
    free(summary);
    struct story *one[] = {(struct story *)(uintptr_t)s};
    must(play_write(out, one, 1, NULL, NULL));
    exercise_make(s, 0, x, QUESTIONS);
    fclose(out);
    must(size > play_page_size / 2); /* the script of clusters stands in no page of a pair */
    free(text);
}

static struct story *read_story(const uint8_t *data, size_t size)
{
    char error[STORY_ERROR_MAX] = "";
    int status;
    const struct story_request r = {.file = "fuzz", .segments_max = 1000};
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    if (!file)
        return NULL;
    if (data[0] == 't') {
        struct story *s = story_read(file, "fuzz", error);
        must(s || *error);
        fclose(file);
        return s;
    }
    struct capture *capture = capture_stream(file, "fuzz", error);
    struct story *s = capture ? story_hear(capture, &r, error, &status) : NULL;
    must(s || *error);
    capture_close(capture);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct story *s = size ? read_story(data, size) : NULL;
    if (s && s->events < 2000) {
        check_links(s);
        tell_all(s);
    }
    story_free(s);
    return 0;
}
