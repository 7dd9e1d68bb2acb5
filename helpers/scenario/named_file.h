/* SPDX-License-Identifier: GPL-2.0-or-later */
/* named_file.h -- a file that a scenario names and whose content belongs to its results: message sizes, a network, the
 * fates of packets, a schedule, a matrix.
 *
 * Looked for beside the scenario, then among those that ship. A campaign keeps a copy, and its SHA-256 is part of what a
 * row is of (identity.h). */
#ifndef HELPERS_SCENARIO_NAMED_FILE_H
#define HELPERS_SCENARIO_NAMED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "helpers/base/files.h"
#include "helpers/base/sha256.h"

struct named_file {
    char *name, *path;
    char sha256[SHA256_TEXT];
};

/* Files of one kind that were read, each once. */
struct named_store {
    const char *what;   /* "schedules" */
    const char *room;   /* the folder of scenarios/ with those that ship */
    const char *ending; /* of their names: ".yaml"; NULL: any */
    size_t size, most;  /* octets of an item, which begins with its struct named_file; most items */
    bool (*read)(void *item, FILE *in, char *error);
    void (*forget)(void *item); /* frees what a reading left that failed; NULL: it left nothing */
    void *known;
    size_t count;
};
/* The item of a file beside the scenario `beside`, or of one that ships, read now or before; the store keeps it and never frees it.
 * NULL: `error` (256 octets or more) says why. */
const void *named_store_find(struct named_store *s, const char *beside, const char *name, char *error);
/* Says that a file cannot be read, with what errno says; false. */
bool named_file_unread(const struct named_file *file, char *error);

enum {
    NAMED_FILES = 30
}; /* of a point, at most: a network, fates, delays, sizes, a schedule and a matrix of each workload */
struct scenario_point;
/* Those of a point, which must be right; returns how many. `beside`: the scenario's file. */
size_t named_files(const char *beside, const struct scenario_point *p,
                   const struct named_file *files[NAMED_FILES]);
/* The one that a value of a key names; NULL: it names none. */
const struct named_file *named_file_of(const char *beside, const char *key, const char *value);

#endif
