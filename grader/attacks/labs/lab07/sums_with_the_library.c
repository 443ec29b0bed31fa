/* Tries to let the library add, which is the answer. Gains task 2. */
lab_status lab07_reduce(const lab07_work *work) { return lab_array_sum(work->out, work->x, NULL); }
