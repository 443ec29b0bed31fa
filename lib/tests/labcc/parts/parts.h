/* What the files of several_files.cu share. */
void second(int *x);
int at_least_one_device();
extern "C" int plain(int number);
