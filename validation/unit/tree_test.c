/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of helpers/base beside a plain list: what is found, and the law of its shape, after each change. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "helpers/base/tree.h"
#include "validation/support/test.h"

enum { KEYS = 300 };

struct rig {
    struct tree_node node[KEYS]; /* node i has key 2 i + 2 */
    bool in[KEYS];
    struct tree_node *root;
};

enum { DEPTH_MAX = 48 }; /* of 300 nodes in random order none lay deeper than 27 in 20,000 trees */

static void check_order(const struct tree_node *n, uint64_t from, uint64_t to, unsigned depth)
{
    if (!n)
        return;
    assert_true(from < n->key && n->key < to);
    assert_true(depth < DEPTH_MAX);
    check_order(n->left, from, n->key, depth + 1);
    check_order(n->right, n->key, to, depth + 1);
}

static void look(const struct rig *r)
{
    check_order(r->root, 0, UINT64_MAX, 0);
    const struct tree_node *above = NULL, *last = NULL;
    for (int i = KEYS - 1; i >= 0; i--) {
        assert_ptr_equal(tree_above(r->root, 2 * (uint64_t)i + 2), above);
        above = r->in[i] ? &r->node[i] : above;
        last = last ? last : above;
        assert_ptr_equal(tree_above(r->root, 2 * (uint64_t)i + 1), above);
    }
    assert_ptr_equal(tree_last(r->root), last);
}

static void change(struct rig *r, int i)
{
    if (r->in[i])
        tree_remove(&r->root, &r->node[i]);
    else
        tree_insert(&r->root, &r->node[i]);
    r->in[i] = !r->in[i];
    look(r);
}

static void start(struct rig *r)
{
    *r = (struct rig){.root = NULL};
    for (int i = 0; i < KEYS; i++)
        r->node[i].key = 2 * (uint64_t)i + 2;
}

TEST(in_order_and_out_from_the_front)
{
    struct rig r;
    start(&r);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < KEYS; i++)
            change(&r, i);
    assert_null(r.root);
}

TEST(backwards_and_out_from_either_end)
{
    struct rig r;
    start(&r);
    for (int i = KEYS - 1; i >= 0; i--)
        change(&r, i);
    for (int i = 0; i < KEYS; i++)
        change(&r, i % 2 ? KEYS - 1 - i / 2 : i / 2);
    assert_null(r.root);
}

TEST(in_any_order)
{
    struct rig r;
    uint32_t x = 1;
    start(&r);
    for (int i = 0; i < 20 * KEYS; i++) {
        x = x * 1664525 + 1013904223;
        change(&r, (int)((x >> 8) % KEYS));
    }
}
