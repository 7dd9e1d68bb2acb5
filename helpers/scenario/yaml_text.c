/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/scenario/yaml_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"

/* ---- nodes ---- */

static struct scenario_place place_of_mark(const struct yaml_text *y, const yaml_mark_t *mark)
{
    bool lines = !y->from_set;
    return (struct scenario_place){lines * ((unsigned)mark->line + 1), lines * ((unsigned)mark->column + 1)};
}

struct scenario_place yaml_place(const struct yaml_text *y, const yaml_node_t *node)
{
    return place_of_mark(y, &node->start_mark);
}

const yaml_node_t *yaml_node(const struct yaml_text *y, int number)
{
    return yaml_document_get_node(y->document, number);
}

bool yaml_is_plain(const yaml_node_t *node)
{
    return strlen((const char *)node->data.scalar.value) == node->data.scalar.length;
}

const char *yaml_scalar(const yaml_node_t *node)
{
    bool null = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                strcmp((const char *)node->data.scalar.value, "~") == 0;
    return null ? "" : (const char *)node->data.scalar.value;
}

/* ---- documents ---- */

static bool not_yaml(struct yaml_text *y, const yaml_parser_t *parser)
{
    struct scenario_place at = place_of_mark(y, &parser->problem_mark);
    if (parser->error == YAML_READER_ERROR)
        at = (struct scenario_place){1, (unsigned)parser->problem_offset + 1};
    const char *problem = parser->problem ? parser->problem : "unreadable";
    bool token = strstr(problem, "cannot start any token");
    return yaml_fail(y, at, "not YAML: %s%s", problem,
                     token ? ", as a tab, which indents nothing, or @" : "");
}

/* The stream must hold nothing behind its first document. */
static bool is_last(struct yaml_text *y, yaml_parser_t *parser)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return not_yaml(y, parser);
    yaml_node_t *more = yaml_document_get_root_node(&next);
    bool good = !more ||
                yaml_fail(y, yaml_place(y, more), "a second document; %s must be a single document", y->what);
    yaml_document_delete(&next);
    return good;
}

static bool with_document(struct yaml_text *y, yaml_parser_t *parser, yaml_use *use, void *context)
{
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document))
        return not_yaml(y, parser);
    y->document = &document;
    yaml_node_t *root = yaml_document_get_root_node(&document);
    bool good = use(context, root) && (!root || is_last(y, parser));
    yaml_document_delete(&document);
    y->document = NULL;
    return good;
}

/* What libyaml's time grows with the square of, and how much of it there may be. */
enum bound { DEPTH, ANCHORS, DIRECTIVES, BOUNDS };
static const struct {
    int most;
    const char *words;
} bounds[BOUNDS] = {[DEPTH] = {16, "nested more than 16 deep"}, /* lists and maps in each other */
                    [ANCHORS] = {100, "more than 100 anchors"},
                    [DIRECTIVES] = {100, "more than 100 %TAG directives"}};

/* What a token adds to one of them. */
static const struct {
    enum bound bound;
    int more;
} steps[YAML_SCALAR_TOKEN + 1] = {
    [YAML_BLOCK_SEQUENCE_START_TOKEN] = {DEPTH, 1}, [YAML_BLOCK_MAPPING_START_TOKEN] = {DEPTH, 1},
    [YAML_FLOW_SEQUENCE_START_TOKEN] = {DEPTH, 1},  [YAML_FLOW_MAPPING_START_TOKEN] = {DEPTH, 1},
    [YAML_BLOCK_END_TOKEN] = {DEPTH, -1},           [YAML_FLOW_SEQUENCE_END_TOKEN] = {DEPTH, -1},
    [YAML_FLOW_MAPPING_END_TOKEN] = {DEPTH, -1},    [YAML_ANCHOR_TOKEN] = {ANCHORS, 1},
    [YAML_TAG_DIRECTIVE_TOKEN] = {DIRECTIVES, 1},
};

static enum bound exceeded(const int counts[BOUNDS])
{
    int b = 0;
    while (b < BOUNDS && counts[b] <= bounds[b].most)
        b++;
    return (enum bound)b;
}

/* Whether the text keeps the bounds; what else is wrong with it is found when it is loaded. */
static bool is_bounded(struct yaml_text *y, yaml_parser_t *parser)
{
    int counts[BOUNDS] = {0};
    bool more = true;
    yaml_token_t token;
    struct scenario_place at = {0, 0};
    while (more && exceeded(counts) == BOUNDS && yaml_parser_scan(parser, &token)) {
        counts[steps[token.type].bound] += steps[token.type].more;
        more = token.type != YAML_STREAM_END_TOKEN;
        at = place_of_mark(y, &token.start_mark);
        yaml_token_delete(&token);
    }
    return exceeded(counts) == BOUNDS || yaml_fail(y, at, "%s", bounds[exceeded(counts)].words);
}

/* Once for its bounds, once for its document. */
bool yaml_text_read(struct yaml_text *y, const char *text, size_t size, yaml_use *use, void *context)
{
    bool good = true;
    for (int document = 0; document < 2 && good; document++) {
        yaml_parser_t parser;
        if (!yaml_parser_initialize(&parser))
            return yaml_fail(y, (struct scenario_place){0}, "out of memory");
        yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
        good = document ? with_document(y, &parser, use, context) : is_bounded(y, &parser);
        yaml_parser_delete(&parser);
    }
    return good;
}

bool yaml_stream_read(struct yaml_text *y, FILE *in, yaml_use *use, void *context)
{
    size_t size;
    errno = 0;
    char *text = need(file_rest(in, YAML_OCTETS_MAX, &size));
    bool good = !ferror(in) && size <= YAML_OCTETS_MAX;
    if (good)
        good = yaml_text_read(y, text, size, use, context);
    else if (ferror(in))
        snprintf(y->error, SCENARIO_ERROR_MAX, "%s: cannot be read: %s", y->file, strerror(errno));
    else
        snprintf(y->error, SCENARIO_ERROR_MAX, "%s: is larger than %d MiB, the limit for %s", y->file,
                 YAML_OCTETS_MAX >> 20, y->what);
    free(text);
    return good;
}
