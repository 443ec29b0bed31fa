// refused: refuses_launches_by_kernels.cu:3:28: error: child: kernels cannot launch kernels (dynamic parallelism)
__global__ void child() {}
__global__ void parent() { child<<<1, 1>>>(); }
int main() { parent<<<1, 1>>>(); }
