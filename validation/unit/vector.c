/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <yaml.h>

#include "validation/support/test.h"

struct vector_file {
    const char *name;
    bool in_test; /* else there is no test to fail yet */
    yaml_document_t document;
};

static void wrong(const struct vector_file *file, size_t line, const char *what, const char *detail)
{
    print_error("validation/vectors/%s:%zu: %s%s\n", file->name, line + 1, what, detail);
    if (!file->in_test)
        exit(1);
    fail();
}

static yaml_node_t *node_of(struct json value)
{
    return yaml_document_get_node(&value.file->document, value.node);
}

static yaml_node_t *of_type(struct json value, yaml_node_type_t type, const char *what)
{
    yaml_node_t *node = node_of(value);
    if (!node)
        wrong(value.file, 0, "a value is absent: ", what);
    if (node->type != type)
        wrong(value.file, node->start_mark.line, "expected ", what);
    return node;
}

/* ---- the file ---- */

static void parse(struct vector_file *file, FILE *from)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        wrong(file, 0, "out of memory", "");
    yaml_parser_set_input_file(&parser, from);
    if (!yaml_parser_load(&parser, &file->document))
        wrong(file, parser.problem_mark.line, parser.problem, "");
    yaml_parser_delete(&parser);
}

struct json vector_open(const char *name)
{
    char path[256];
    struct vector_file *file = calloc(1, sizeof *file);
    if (!file)
        abort();
    file->name = name;
    snprintf(path, sizeof path, "validation/vectors/%s", name);
    FILE *from = fopen(path, "rb");
    if (!from)
        wrong(file, 0, "cannot be read from the top of the project", "");
    parse(file, from);
    fclose(from);
    return (struct json){file, 1};
}

void vector_close(struct json any)
{
    yaml_document_delete(&any.file->document);
    free(any.file);
}

/* ---- values ---- */

static bool is_named(struct json object, const yaml_node_pair_t *pair, const char *name, size_t len)
{
    const yaml_node_t *key = yaml_document_get_node(&object.file->document, pair->key);
    return key->type == YAML_SCALAR_NODE && key->data.scalar.length == len &&
           memcmp(key->data.scalar.value, name, len) == 0;
}

struct json json_find(struct json object, const char *name)
{
    yaml_node_t *node = of_type(object, YAML_MAPPING_NODE, "an object");
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        if (is_named(object, p, name, strlen(name)))
            return (struct json){object.file, p->value};
    }
    return (struct json){object.file, 0};
}

struct json json_get(struct json object, const char *name)
{
    struct json value = json_find(object, name);
    if (json_absent(value))
        wrong(object.file, node_of(object)->start_mark.line, "the object lacks ", name);
    return value;
}

bool json_absent(struct json value)
{
    return value.node == 0;
}

static bool is_one_of(struct json object, const yaml_node_pair_t *pair, const char *names)
{
    for (size_t len; *names; names += len + (names[len] == ' ')) {
        len = strcspn(names, " ");
        if (is_named(object, pair, names, len))
            return true;
    }
    return false;
}

void json_only(struct json object, const char *names)
{
    yaml_node_t *node = of_type(object, YAML_MAPPING_NODE, "an object");
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&object.file->document, p->key);
        if (!is_one_of(object, p, names))
            wrong(object.file, key->start_mark.line, "this member is not one of: ", names);
    }
}

uint32_t json_count(struct json array)
{
    const yaml_node_t *node = of_type(array, YAML_SEQUENCE_NODE, "an array");
    return (uint32_t)(node->data.sequence.items.top - node->data.sequence.items.start);
}

struct json json_at(struct json array, uint32_t i)
{
    if (i >= json_count(array))
        wrong(array.file, node_of(array)->start_mark.line, "the array is too short", "");
    return (struct json){array.file, node_of(array)->data.sequence.items.start[i]};
}

static const char *scalar(struct json value, const char *what, bool quoted)
{
    const yaml_node_t *node = of_type(value, YAML_SCALAR_NODE, what);
    bool is_quoted = node->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (is_quoted != quoted)
        wrong(value.file, node->start_mark.line, "expected ", what);
    return (const char *)node->data.scalar.value;
}

const char *json_string(struct json value)
{
    return scalar(value, "a string", true);
}

bool json_equals(struct json value, const char *string)
{
    return strcmp(json_string(value), string) == 0;
}

bool json_bool(struct json value)
{
    const char *text = scalar(value, "true or false", false);
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        wrong(value.file, node_of(value)->start_mark.line, "expected true or false, not ", text);
    return *text == 't';
}

uint64_t json_number(struct json value)
{
    const yaml_node_t *node = of_type(value, YAML_SCALAR_NODE, "a number");
    const char *text = (const char *)node->data.scalar.value;
    bool hex = node->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    char *end;
    if (hex != (strncmp(text, "0x", 2) == 0) || *text < '0' || *text > '9')
        wrong(value.file, node->start_mark.line, "expected a number, or a string with one in hex, not ",
              text);
    uint64_t number = strtoull(text, &end, hex ? 16 : 10);
    if (*end)
        wrong(value.file, node->start_mark.line, "expected a number, not ", text);
    return number;
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

uint32_t json_octets(struct json value, uint8_t *out, uint32_t max)
{
    const char *p = json_string(value);
    uint32_t n = 0;
    for (; *p; p++) {
        if (*p == ' ')
            continue;
        int high = digit(p[0]), low = high < 0 ? -1 : digit(p[1]);
        if (low < 0 || n == max)
            wrong(value.file, node_of(value)->start_mark.line,
                  n == max ? "too many octets" : "expected octets in hex: ", p);
        out[n++] = (uint8_t)(high << 4 | low);
        p++;
    }
    return n;
}

bool json_flag(struct json object, const char *name)
{
    struct json value = json_find(object, name);
    return !json_absent(value) && json_bool(value);
}

uint64_t json_number_or(struct json object, const char *name, uint64_t absent)
{
    struct json value = json_find(object, name);
    return json_absent(value) ? absent : json_number(value);
}

/* ---- a file as a group of tests ---- */

enum { VECTORS_MAX = 4096 };

struct vector_test {
    struct json vector;
    void (*check)(struct json vector);
};

static void run_one(void **state)
{
    struct vector_test *t = *state;
    t->check(t->vector);
}

static uint32_t add(struct json root, const struct vector_kind *kind, struct vector_test *test,
                    struct CMUnitTest *unit)
{
    struct json all = json_get(root, kind->array);
    uint32_t n = json_count(all);
    if (!n)
        wrong(root.file, node_of(all)->start_mark.line, "no vectors in ", kind->array);
    for (uint32_t i = 0; i < n; i++) {
        struct json vector = json_at(all, i);
        test[i] = (struct vector_test){vector, kind->check};
        unit[i] = (struct CMUnitTest){
            .name = json_string(json_get(vector, "id")), .test_func = run_one, .initial_state = &test[i]};
    }
    return n;
}

static void every_array_has_a_kind(struct json root, const struct vector_kind *kinds, uint32_t count)
{
    char names[1024] = "about";
    for (uint32_t i = 0; i < count; i++) {
        strncat(names, " ", sizeof names - strlen(names) - 1);
        strncat(names, kinds[i].array, sizeof names - strlen(names) - 1);
    }
    json_only(root, names);
}

int vector_run(const char *name, const struct vector_kind *kinds, uint32_t count)
{
    static struct vector_test test[VECTORS_MAX];
    static struct CMUnitTest unit[VECTORS_MAX];
    struct json root = vector_open(name);
    uint32_t n = 0;
    every_array_has_a_kind(root, kinds, count);
    for (uint32_t i = 0; i < count; i++) {
        if (n + json_count(json_get(root, kinds[i].array)) > VECTORS_MAX)
            wrong(root.file, 0, "too many vectors", "");
        n += add(root, &kinds[i], &test[n], &unit[n]);
    }
    root.file->in_test = true;
    test_only_named();
    int failed = _cmocka_run_group_tests(name, unit, n, NULL, NULL);
    vector_close(root);
    return failed;
}
