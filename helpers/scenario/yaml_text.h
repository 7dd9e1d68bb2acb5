/* SPDX-License-Identifier: GPL-2.0-or-later */
/* yaml_text.h -- a text of YAML that strangers wrote, as one document of libyaml: not too long, nothing in it that libyaml
 * takes more time for than its length says, and what is wrong with it in one sentence, FILE:LINE:COLUMN: ... */
#ifndef HELPERS_SCENARIO_YAML_TEXT_H
#define HELPERS_SCENARIO_YAML_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include <yaml.h>

#include "helpers/scenario/scenario.h"

enum { YAML_OCTETS_MAX = 4 << 20 };

struct yaml_text {
    const char *file, *what; /* its name; what it is: "a scenario" */
    bool from_set;           /* the value of a --set: it has no lines */
    char *error;             /* SCENARIO_ERROR_MAX octets */
    yaml_document_t *document;
};

/* Called with the root; NULL: the document is empty. False: `error` says why. */
typedef bool yaml_use(void *context, const yaml_node_t *root);
/* Read a text, which must be one document. */
bool yaml_text_read(struct yaml_text *y, const char *text, size_t size, yaml_use *use, void *context);
/* All of a stream. */
bool yaml_stream_read(struct yaml_text *y, FILE *in, yaml_use *use, void *context);

/* Writes the sentence; always false. */
#define yaml_fail(y, at, ...) scenario_fail((y)->error, (y)->file, (at), __VA_ARGS__)
struct scenario_place yaml_place(const struct yaml_text *y, const yaml_node_t *node);
/* The n-th entry of its list of nodes, as libyaml numbers them. */
const yaml_node_t *yaml_node(const struct yaml_text *y, int number);
/* A scalar that C can read: no octet 0 inside. */
bool yaml_is_plain(const yaml_node_t *node);
/* Its text; "~" is none. */
const char *yaml_scalar(const yaml_node_t *node);

#endif
