/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree.h -- things in the order of their numbers: adding one and finding one take time by the logarithm of how many there are,
 * whatever the order in which a stranger's file brings them.
 *
 * Law: a treap (Seidel and Aragon 1996): left of a node are lower keys, right of it higher ones, below it lighter nodes. Weights
 * look like chance, so a node lies deep below others as seldom as in a tree that grew in random order. The owner makes and frees
 * the nodes; a node's key and place in memory stay what they are while it is in.
 */
#ifndef HELPERS_BASE_TREE_H
#define HELPERS_BASE_TREE_H

#include <stdint.h>

/* The first member of what is kept. */
struct tree_node {
    uint64_t key;
    struct tree_node *left, *right;
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
