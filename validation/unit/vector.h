/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vector.h -- the files of validation/vectors in a unit test: a strict reader with a cursor.
 *
 * What is wrong with a file is printed with its line and fails the test at once; so calls have no error to
 * check. Every JSON text is a YAML text, so libyaml, which the project has anyway, parses it;
 * validation/vectors/vectors_test.py says whether it is JSON.
 */
#ifndef IW_UNIT_VECTOR_H
#define IW_UNIT_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

struct vector_file;

/* One value of a file. */
struct json {
    struct vector_file *file;
    int node; /* 0: absent */
};

/* Read validation/vectors/NAME, from the top of the project. */
struct json vector_open(const char *name);
void vector_close(struct json any);

/* Members of an object. An absent one fails the test in json_get(), and is json_absent() in json_find(). */
struct json json_get(struct json object, const char *name);
struct json json_find(struct json object, const char *name);
bool json_absent(struct json value);
/* Fails the test when the object has a member not named here ("id in out"): misspelt, it checks nothing. */
void json_only(struct json object, const char *names);

/* Elements of an array. */
uint32_t json_count(struct json array);
struct json json_at(struct json array, uint32_t i);

const char *json_string(struct json value);
bool json_equals(struct json value, const char *string);
bool json_bool(struct json value);
/* A number, or a string with a number in hex ("0x1ec"). */
uint64_t json_number(struct json value);
/* "00 2a4143": octets in hex, spaces for the reader; at most `max` at `out`; returns how many. */
uint32_t json_octets(struct json value, uint8_t *out, uint32_t max);

/* Members that may be absent. */
bool json_flag(struct json object, const char *name); /* absent: false */
uint64_t json_number_or(struct json object, const char *name, uint64_t absent);

/* The elements of one array of the file, and what checks one. Each is an object with a string "id". */
struct vector_kind {
    const char *array;
    void (*check)(struct json vector);
};
/* Run every vector of a file as a test of its own, named by its id; returns how many failed: for main().
 * An array that is absent or empty, or that no kind names, is a failure too ("about" is text for readers). */
int vector_run(const char *name, const struct vector_kind *kinds, uint32_t count);

#endif
