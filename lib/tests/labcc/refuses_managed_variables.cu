// refused: labcc has no __managed__ variables: use cudaMallocManaged
__managed__ int count;
int main() { return count; }
