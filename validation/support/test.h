/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test.h -- tests that need no list: a program runs every TEST() of its source file, in the order in which they stand
 * there, as a group of cmocka.
 *
 *   TEST(a_closed_window_opens_again)
 *   {
 *       assert_true(...);
 *   }
 *
 * In it, `state` is what the test's setup has left there. A program needs no main(); one that reads its command line has
 * one of its own and ends it with `return test_run();`. */
#ifndef IW_SUPPORT_TEST_H
#define IW_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct test {
    struct CMUnitTest unit;
    const char *file;
    int line;
    struct test *next; /* in the order of lines */
};

/* Takes the test up; it is borrowed until the program ends. */
void test_add(struct test *test);
/* From here on only tests run that IWARPSIM_TEST in the environment names (* and ? stand for any), where it is set. */
void test_only_named(void);
/* Runs all tests, or those named, as the group of their file; the exit code, the number of those that failed. */
int test_run(void);

/* How many seeds a test takes: so many by day, or at night, where a sanitizer watches a tenth of those: the others run
 * without one in the same night. */
uint64_t test_seeds(uint64_t by_day, uint64_t at_night);

/* What cmocka calls before and after: all tests (FIRST, LAST), each that has nothing of its own (EACH). */
struct test_hooks {
    CMFixtureFunction first, last, setup, teardown;
};
extern struct test_hooks test_hooks;

#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, setup, teardown)                                                            \
    static void name(void **state);                                                                 \
    __attribute__((constructor)) static void add_##name(void)                                       \
    {                                                                                               \
        static struct test test = {{#name, name, setup, teardown, NULL}, __FILE__, __LINE__, NULL}; \
        test_add(&test);                                                                            \
    }                                                                                               \
    static void name(__attribute__((unused)) void **state)

#define TEST_HOOK(which, function)                              \
    __attribute__((constructor)) static void hook_##which(void) \
    {                                                           \
        test_hooks.which = function;                            \
    }
#define TEST_FIRST(function)     TEST_HOOK(first, function)
#define TEST_LAST(function)      TEST_HOOK(last, function)
#define TEST_EACH(before, after) TEST_HOOK(setup, before) TEST_HOOK(teardown, after)

#endif
