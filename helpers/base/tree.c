/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/tree.h"

#include <stddef.h>

static bool is_red(const struct tree_node *n)
{
    return n && n->red;
}

static struct tree_node *lean_left(struct tree_node *n)
{
    struct tree_node *up = n->right;
    n->right = up->left;
    up->left = n;
    up->red = n->red;
    n->red = true;
    return up;
}

static struct tree_node *lean_right(struct tree_node *n)
{
    struct tree_node *up = n->left;
    n->left = up->right;
    up->right = n;
    up->red = n->red;
    n->red = true;
    return up;
}

static void flip(struct tree_node *n)
{
    n->red = !n->red;
    n->left->red = !n->left->red;
    n->right->red = !n->right->red;
}

static struct tree_node *balance(struct tree_node *n)
{
    if (is_red(n->right) && !is_red(n->left))
        n = lean_left(n);
    if (is_red(n->left) && is_red(n->left->left))
        n = lean_right(n);
    if (is_red(n->left) && is_red(n->right))
        flip(n);
    return n;
}

static struct tree_node *insert(struct tree_node *at, struct tree_node *node)
{
    if (!at)
        return node;
    if (node->key < at->key)
        at->left = insert(at->left, node);
    else
        at->right = insert(at->right, node);
    return balance(at);
}

void tree_insert(struct tree_node **root, struct tree_node *node)
{
    node->left = node->right = NULL;
    node->red = true;
    *root = insert(*root, node);
    (*root)->red = false;
}

/* Make the left child, or a child of it, red: what is removed is red. */
static struct tree_node *redden_left(struct tree_node *n)
{
    flip(n);
    if (!is_red(n->right->left))
        return n;
    n->right = lean_right(n->right);
    n = lean_left(n);
    flip(n);
    return n;
}

static struct tree_node *remove_first(struct tree_node *n)
{
    if (!n->left) /* so there is no right one */
        return NULL;
    if (!is_red(n->left) && !is_red(n->left->left))
        n = redden_left(n);
    n->left = remove_first(n->left);
    return balance(n);
}

static struct tree_node *redden_right(struct tree_node *n)
{
    flip(n);
    if (!is_red(n->left->left))
        return n;
    n = lean_right(n);
    flip(n);
    return n;
}

/* The node that comes next takes its place. */
static struct tree_node *replace(struct tree_node *n)
{
    struct tree_node *next = n->right;
    while (next->left)
        next = next->left;
    n->right = remove_first(n->right);
    next->left = n->left;
    next->right = n->right;
    next->red = n->red;
    return next;
}

static struct tree_node *remove_at(struct tree_node *n, uint64_t key)
{
    if (key < n->key) {
        if (!is_red(n->left) && !is_red(n->left->left))
            n = redden_left(n);
        n->left = remove_at(n->left, key);
        return balance(n);
    }
    if (is_red(n->left))
        n = lean_right(n);
    if (key == n->key && !n->right)
        return NULL;
    if (!is_red(n->right) && !is_red(n->right->left))
        n = redden_right(n);
    if (key == n->key)
        n = replace(n);
    else
        n->right = remove_at(n->right, key);
    return balance(n);
}

void tree_remove(struct tree_node **root, struct tree_node *node)
{
    (*root)->red = !is_red((*root)->left) && !is_red((*root)->right);
    *root = remove_at(*root, node->key);
    if (*root)
        (*root)->red = false;
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
