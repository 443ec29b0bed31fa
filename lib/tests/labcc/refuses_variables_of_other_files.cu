// refused: refuses_variables_of_other_files.cu:7: error: table is declared, but not defined in this file
extern __constant__ float table[4];

__global__ void scale(float *x)
{
    const int i = threadIdx.x;
    x[i] *= table[i % 4];
}

int main() { scale<<<1, 4>>>(nullptr); }
