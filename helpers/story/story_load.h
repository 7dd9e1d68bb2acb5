/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_load.h -- a story from a scenario (it is run), a trace or a capture (they are read). */
#ifndef HELPERS_STORY_STORY_LOAD_H
#define HELPERS_STORY_STORY_LOAD_H

#include "helpers/base/arguments.h"
#include "helpers/scenario/point.h"
#include "helpers/story/story.h"

struct scenario;
struct capture;

struct story_request {
    const char *file;
    const char **sets; /* KEY=VALUE, for a scenario */
    size_t sets_count;
    const char *point; /* NULL: the only one */
    uint32_t repeat;
    uint32_t segments_max; /* more are refused in words */
    const char *instead;   /* what to do then, beside a smaller scenario */
};

/* Options for a structure with a `request`, whose `sets` have room. */
#define STORY_REQUEST_ROWS(of)                                                                \
    {.name = "set", .into = offsetof(of, request), .read = story_request_set, .again = true}, \
        ARGUMENT_TEXT("point", of, request.point),                                            \
        ARGUMENT_NUMBER("repeat", of, request.repeat, 0, UINT32_MAX, "--repeat takes a number, not")
bool story_request_set(const char *value, void *request);

/* NULL: `error` (STORY_ERROR_MAX octets) is one sentence, `*status` what to exit with. */
struct story *story_load(const struct story_request *request, char *error, int *status);
/* The same for a scenario that is open already; its point by number. */
struct story *story_run(const struct scenario *scenario, size_t index, const struct story_request *request,
                        char *error, int *status);
/* What a world that is no part of this program traced at the point `label`, as a stream to read; NULL: `error`. */
FILE *story_there(const struct story_request *request, enum point_world world, const char *label, char *error,
                  int *status);
/* From a capture; the same from one that is open. */
struct story *story_hear(struct capture *capture, const struct story_request *request, char *error,
                         int *status);
/* Events of this computer's own beside those that a capture shows, by their times. False: out of memory, and nothing is changed. */
bool story_join(struct story *s, const struct story_event *event, int events);
struct story *story_listen(const struct story_request *request, char *error, int *status);

/* What kind of file it is, by its first octets. */
enum story_file { STORY_FILE_NONE, STORY_FILE_SCENARIO, STORY_FILE_TRACE, STORY_FILE_CAPTURE };
/* STORY_FILE_NONE: it cannot be read; `error` says why. */
enum story_file story_file_kind(const char *path, char *error);

#endif
