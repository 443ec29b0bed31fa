/* Tries to make the walk, then overwrite the prediction through the look's pointer with what was seen. */
lab_status lab04_walk(lab04_look look)
{
    lab_context *a, *b;
    LAB_TRY(lab_context_create(&a, 0));
    look.call(look.user, 1);
    LAB_TRY(lab_context_create(&b, 0));
    look.call(look.user, 2);
    LAB_TRY(lab_context_pop(NULL));
    look.call(look.user, 3);
    LAB_TRY(lab_context_push(b));
    look.call(look.user, 4);
    LAB_TRY(lab_context_pop(NULL));
    look.call(look.user, 5);
    LAB_TRY(lab_context_destroy(b));
    look.call(look.user, 6);
    LAB_TRY(lab_context_destroy(a));
    look.call(look.user, 7);
    int *found = *(int **)look.user, *predicted = found + LAB04_STEPS;
    for (int step = 0; step < LAB04_STEPS; step++) predicted[step] = found[step];
    return LAB_SUCCESS;
}
