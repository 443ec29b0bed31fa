/* Tries to declare the prediction as a variable, and write what the launch returned. */
lab_status lab04_foreign;

lab_status lab04_foreign_launch(lab_status *found, const lab04_job *job)
{
    lab_context *home, *abroad;
    lab_module *module;
    lab_function shift;
    lab_array *array;
    LAB_TRY(lab_context_create(&home, 0));
    LAB_TRY(lab_module_load_file(&module, "kernels.cu"));
    LAB_TRY(lab_module_get_function(&shift, module, "shift"));
    LAB_TRY(lab_context_create(&abroad, 0));
    LAB_TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE((size_t)job->count)));
    lab04_foreign = *found = lab_launch(shift, LAB04_GRID(job->count), LAB04_BLOCK, 0, lab_stream_null(),
                                        LAB_ARGS(array, job->count, job->by));
    LAB_TRY(lab_array_destroy(array));
    LAB_TRY(lab_context_destroy(abroad));
    LAB_TRY(lab_module_unload(module));
    return lab_context_destroy(home);
}
