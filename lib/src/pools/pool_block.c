/* A treap: a search tree by size that is also a heap by a hash of the size, which keeps it balanced. The same sizes
 * always make the same tree. */
#include "pool_block.h"

static uint64_t priority(const pool_block *block) { return block->bytes / POOL_UNIT * UINT64_C(0x9e3779b97f4a7c15); }

/* The link to the node of that size, or to where it would be if all nodes above had a higher priority. */
static pool_block **find(pool_block **root, size_t bytes)
{
    while (*root && (*root)->bytes != bytes) root = bytes < (*root)->bytes ? &(*root)->left : &(*root)->right;
    return root;
}

/* Divides a tree without a node of that size into the smaller and the larger nodes. */
static void divide(pool_block *tree, size_t bytes, pool_block **smaller, pool_block **larger)
{
    while (tree) {
        if (tree->bytes < bytes) {
            *smaller = tree;
            smaller = &tree->right;
            tree = tree->right;
        } else {
            *larger = tree;
            larger = &tree->left;
            tree = tree->left;
        }
    }
    *smaller = *larger = NULL;
}

/* Joins two trees. All nodes of the first are smaller. */
static pool_block *unite(pool_block *smaller, pool_block *larger)
{
    pool_block *root = NULL, **link = &root;
    while (smaller && larger) {
        if (priority(smaller) > priority(larger)) {
            *link = smaller;
            link = &smaller->right;
            smaller = smaller->right;
        } else {
            *link = larger;
            link = &larger->left;
            larger = larger->left;
        }
    }
    *link = smaller ? smaller : larger;
    return root;
}

void pool_tree_insert(pool_block **root, pool_block *block)
{
    pool_block **link = root;
    while (*link && (*link)->bytes != block->bytes && priority(*link) >= priority(block))
        link = block->bytes < (*link)->bytes ? &(*link)->left : &(*link)->right;
    pool_block *node = *link;
    block->same = block->same_before = NULL;
    if (node && node->bytes == block->bytes) {
        block->same = node->same;
        block->same_before = node;
        if (node->same) node->same->same_before = block;
        node->same = block;
        return;
    }
    *link = block;
    divide(node, block->bytes, &block->left, &block->right);
}

void pool_tree_remove(pool_block **root, pool_block *block)
{
    if (block->same_before) {
        block->same_before->same = block->same;
        if (block->same) block->same->same_before = block->same_before;
        return;
    }
    pool_block **link = find(root, block->bytes), *heir = block->same;
    if (heir) {
        heir->left = block->left;
        heir->right = block->right;
        heir->same_before = NULL;
    }
    *link = heir ? heir : unite(block->left, block->right);
}

pool_block *pool_tree_best_fit(pool_block *root, size_t bytes)
{
    pool_block *best = NULL;
    while (root && root->bytes != bytes) {
        if (root->bytes > bytes) best = root;
        root = bytes < root->bytes ? root->left : root->right;
    }
    if (root) best = root;
    return best && best->same ? best->same : best; /* a block that is not a node is easier to remove */
}

void pool_block_split(pool_block *block, size_t bytes, pool_block *rest)
{
    *rest = (pool_block){.address = block->address + bytes,
                         .bytes = block->bytes - bytes,
                         .chunk = block->chunk,
                         .previous = block,
                         .next = block->next,
                         .last = block->last};
    if (block->next) block->next->previous = rest;
    block->next = rest;
    block->bytes = bytes;
}

void pool_block_absorb(pool_block *block, pool_block *following)
{
    block->bytes += following->bytes;
    if (following->last > block->last) block->last = following->last;
    block->next = following->next;
    if (block->next) block->next->previous = block;
}
