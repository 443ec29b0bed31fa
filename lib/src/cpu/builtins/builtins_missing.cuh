// What CUDA has for kernels and the CPU device has not: a kernel that uses it does not compile, and the message says why.
// (The headers of that kind are in kernel_scan.c, inline assembly is in host_code.c.)

#ifndef __CUDA__ // a program of labcc has textures
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
#define LAB_NO_TEXTURE __attribute__((unavailable("the CPU device has no texture and surface objects")))
#define LAB_TEXTURE(name)                                                                                              \
    template <class T, class... P> LAB_NO_TEXTURE T name(cudaTextureObject_t, P...);                                   \
    template <class T, class... P> LAB_NO_TEXTURE void name(T *, cudaTextureObject_t, P...);
#define LAB_TEXTURES(X)                                                                                                \
    X(tex1D) X(tex1Dfetch) X(tex1DLod) X(tex1DGrad) X(tex1DLayered) X(tex2D) X(tex2DLod) X(tex2DGrad) X(tex2DLayered)  \
    X(tex2Dgather) X(tex3D) X(tex3DLod) X(tex3DGrad) X(texCubemap) X(texCubemapLayered) X(surf1Dread) X(surf2Dread)    \
    X(surf3Dread) X(surf1DLayeredread) X(surf2DLayeredread)
LAB_TEXTURES(LAB_TEXTURE)
#define LAB_SURFACE(name) template <class T, class... P> LAB_NO_TEXTURE void name(T, cudaSurfaceObject_t, P...);
LAB_SURFACE(surf1Dwrite)
LAB_SURFACE(surf2Dwrite)
LAB_SURFACE(surf3Dwrite)
#undef LAB_NO_TEXTURE
#undef LAB_TEXTURE
#undef LAB_TEXTURES
#undef LAB_SURFACE
#endif

#define LAB_MISSING(name, why) template <class... P> __attribute__((unavailable(why))) unsigned name(P...);
LAB_MISSING(__isGridConstant, "the CPU device has each thread's parameters in its local memory")

#define LAB_NO_CLUSTER(name) LAB_MISSING(name, "the CPU device has no clusters of blocks")
#define LAB_CLUSTERS(X)                                                                                                \
    X(__cluster_barrier_arrive) X(__cluster_barrier_arrive_relaxed) X(__cluster_barrier_wait)                          \
    X(__cluster_query_shared_rank) X(__cluster_map_shared_rank) X(__clusterDim) X(__clusterIdx)                        \
    X(__clusterRelativeBlockIdx) X(__clusterRelativeBlockRank) X(__clusterGridDimInClusters)                           \
    X(__clusterSizeInBlocks) X(__isClusterShared) X(__threadfence_cluster)
LAB_CLUSTERS(LAB_NO_CLUSTER)
#undef LAB_NO_CLUSTER
#undef LAB_CLUSTERS

LAB_MISSING(__barrier_sync, "the CPU device has no barriers with a number")
LAB_MISSING(__barrier_sync_count, "the CPU device has no barriers with a number")

#define LAB_NO_PAIR(name) LAB_MISSING(name, "the CPU device has no arithmetic with pairs of floats")
LAB_NO_PAIR(__fadd2_rn)
LAB_NO_PAIR(__fmul2_rn)
LAB_NO_PAIR(__ffma2_rn)
#undef LAB_NO_PAIR

#define LAB_REMOVED(name) LAB_MISSING(name, "CUDA has removed it: " #name "_sync takes a mask of the lanes that take part")
LAB_REMOVED(__shfl)
LAB_REMOVED(__shfl_up)
LAB_REMOVED(__shfl_down)
LAB_REMOVED(__shfl_xor)
LAB_REMOVED(__any)
LAB_REMOVED(__all)
LAB_REMOVED(__ballot)
#undef LAB_REMOVED
#undef LAB_MISSING

typedef unsigned long long __mbarrier_t __attribute__((unavailable("the CPU device has no asynchronous barriers")));
