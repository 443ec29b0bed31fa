struct point {
    int at[2];
    char mark;
};

void other();
extern __managed__ int count;
