/*
 * Whether a model puts variants of a program in the right order: pairs that do the same work, and whose measured times
 * differ by more than ORDER_PERCENT.
 */
#ifndef LAB_MODEL_ORDER_H
#define LAB_MODEL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { ORDER_PERCENT = 15 };

typedef struct model_time {
    double measured, modelled;
} model_time;

typedef struct model_order {
    size_t pairs, right;
} model_order;

static inline void model_order_add(model_order *all, model_time one, model_time other)
{
    const model_time fast = one.measured < other.measured ? one : other,
                     slow = one.measured < other.measured ? other : one;
    if (slow.measured <= fast.measured * (1 + ORDER_PERCENT / 100.0)) return;
    all->pairs++;
    all->right += fast.modelled < slow.modelled;
}

/* Prints the counts; whether all are right. */
static inline bool model_order_print(const model_order *all)
{
    printf("variants   %zu pairs that differ by more than %d %%, %zu in the right order\n", all->pairs, ORDER_PERCENT,
           all->right);
    return all->right == all->pairs;
}

#endif
