/* Tries to report the status of a launch that it never made, and to predict it.
 * Gains task 4 without the experiment. */
const lab_status lab04_foreign = LAB_ERROR_INVALID_HANDLE;

lab_status lab04_foreign_launch(lab_status *found, const lab04_job *job)
{
    lab_context *home, *abroad;
    LAB_TRY(lab_context_create(&home, 0));
    LAB_TRY(lab_context_create(&abroad, 0));
    *found = LAB_ERROR_INVALID_HANDLE;
    LAB_TRY(lab_context_destroy(abroad));
    return lab_context_destroy(home);
}
