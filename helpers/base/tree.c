/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/tree.h"

#include <stdbool.h>
#include <stddef.h>

/* Drawn from where the node lies: who chooses keys, and their order, does not choose this. */
static uint64_t weight(const struct tree_node *n)
{
    uint64_t x = (uint64_t)(uintptr_t)n * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static struct tree_node **towards(struct tree_node *n, uint64_t key)
{
    return key < n->key ? &n->left : &n->right;
}

/* `n` and all below it: those with lower keys, and the others. */
static void split_tree(struct tree_node *n, uint64_t key, struct tree_node **low, struct tree_node **high)
{
    while (n) {
        if (n->key < key) {
            *low = n;
            low = &n->right;
            n = n->right;
        } else {
            *high = n;
            high = &n->left;
            n = n->left;
        }
    }
    *low = *high = NULL;
}

/* All keys of `low` are below those of `high`. */
static void join_trees(struct tree_node *low, struct tree_node *high, struct tree_node **root)
{
    while (low && high) {
        if (weight(low) > weight(high)) {
            *root = low;
            root = &low->right;
            low = low->right;
        } else {
            *root = high;
            root = &high->left;
            high = high->left;
        }
    }
    *root = low ? low : high;
}

void tree_insert(struct tree_node **root, struct tree_node *node)
{
    while (*root && weight(*root) > weight(node))
        root = towards(*root, node->key);
    split_tree(*root, node->key, &node->left, &node->right);
    *root = node;
}

void tree_remove(struct tree_node **root, struct tree_node *node)
{
    while (*root != node)
        root = towards(*root, node->key);
    join_trees(node->left, node->right, root);
}

struct tree_node *tree_above(struct tree_node *root, uint64_t key)
{
    struct tree_node *found = NULL;
    for (struct tree_node *n = root; n;) {
        bool above = n->key > key;
        found = above ? n : found;
        n = above ? n->left : n->right;
    }
    return found;
}

struct tree_node *tree_last(struct tree_node *root)
{
    while (root && root->right)
        root = root->right;
    return root;
}
