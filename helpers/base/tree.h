/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h -- things in the order of their numbers: adding one and finding one take time by the logarithm of how many there are,
 * whatever the order in which a stranger's file brings them.
 *
 * Law: a left-leaning red-black tree (Sedgewick 2008): no red node has a red child, right children are black, and every path to
 * the bottom has as many black nodes. The owner makes and frees the nodes; a node's key stays what it is while it is in.
 */
#ifndef HELPERS_BASE_TREE_H
#define HELPERS_BASE_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* The first member of what is kept. */
struct tree_node {
    uint64_t key;
    struct tree_node *left, *right;
    bool red;
};

/* NULL is the empty tree. No other node has its key. */
void tree_insert(struct tree_node **root, struct tree_node *node);
/* Take a node out, which is in. */
void tree_remove(struct tree_node **root, struct tree_node *node);
/* The node with the lowest key above this one; NULL: there is none. */
struct tree_node *tree_above(struct tree_node *root, uint64_t key);
/* The node with the highest key; NULL: there is none. */
struct tree_node *tree_last(struct tree_node *root);

#endif
