// refused: refuses_conditional_nodes.cu:4:37: error: cudaGraphConditionalHandle: conditional nodes of graphs are not here
#include <cuda_runtime.h>

__global__ void decide(int *number, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *number & 1); }

int main()
{
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    cudaGraphCreate(&graph, 0);
    return cudaGraphConditionalHandleCreate(&handle, graph);
}
