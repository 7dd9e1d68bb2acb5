/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "validation/support/test.h"

#include <stdlib.h>

enum { TESTS_MAX = 200 };

#ifdef __SANITIZE_ADDRESS__
static const uint64_t slower = 10;
#else
static const uint64_t slower = 1;
#endif

struct test_hooks test_hooks;
static struct test *tests;

/* Constructors of one file run in an order that the compiler chooses. */
void test_add(struct test *test)
{
    struct test **at = &tests;
    while (*at && (*at)->line < test->line)
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

static struct CMUnitTest with_hooks(const struct test *test)
{
    struct CMUnitTest unit = test->unit;
    if (!unit.setup_func && !unit.teardown_func) {
        unit.setup_func = test_hooks.setup;
        unit.teardown_func = test_hooks.teardown;
    }
    return unit;
}

void test_only_named(void)
{
    const char *only = getenv("IWARPSIM_TEST");
    if (only)
        cmocka_set_test_filter(only);
}

int test_run(void)
{
    static struct CMUnitTest unit[TESTS_MAX];
    size_t n = 0;
    for (const struct test *test = tests; test; test = test->next) {
        assert_true(n < TESTS_MAX);
        unit[n++] = with_hooks(test);
    }
    test_only_named();
    return _cmocka_run_group_tests(tests ? tests->file : "none", unit, n, test_hooks.first, test_hooks.last);
}

uint64_t test_seeds(uint64_t by_day, uint64_t at_night)
{
    return getenv("IWARPSIM_NIGHTLY") ? at_night / slower : by_day;
}

/* Of every program that has none of its own. */
__attribute__((weak)) int main(void)
{
    return test_run();
}
