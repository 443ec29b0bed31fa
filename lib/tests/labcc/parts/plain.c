int plain(int number);
int plain(int number) { return 2 * number; }
