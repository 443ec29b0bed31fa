// options: -lcudart -lcublas
// refused: -lcublas: CUDA's mathematical libraries are not part of labcc
int main() {}
