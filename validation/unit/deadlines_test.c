/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap of deadlines against a list that is searched from end to end. */
#include <stdlib.h>

#include "channel/channel.h"
#include "socket/deadlines.h"
#include "validation/support/test.h"

enum { ENTRIES = 100, STEPS = 20000, TIMES = 50 };

static iw_time soonest(const struct deadline *e)
{
    iw_time at = IW_NEVER;
    for (int i = 0; i < ENTRIES; i++)
        at = e[i].place && e[i].at < at ? e[i].at : at;
    return at;
}

TEST(the_first_is_the_soonest_whatever_was_set_before)
{
    static struct deadline e[ENTRIES];
    struct deadlines d = {0};
    for (uint32_t i = 0; i < ENTRIES; i++)
        assert_true(deadlines_make_room(&d, i + 1));
    for (uint64_t step = 0; step < STEPS; step++) {
        uint64_t draw = channel_draw(1, step);
        struct deadline *one = &e[draw % ENTRIES];
        uint64_t at = draw / ENTRIES % (TIMES + 10);
        deadline_set(&d, one, at < TIMES ? at : IW_NEVER);
        assert_int_equal(one->place != 0, at < TIMES);
        assert_true(!one->place || one->at == at);
        const struct deadline *first = deadlines_first(&d);
        assert_true((first ? first->at : IW_NEVER) == soonest(e));
    }
    deadlines_free(&d);
}
