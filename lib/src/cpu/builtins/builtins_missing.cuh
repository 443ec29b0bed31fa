// What CUDA has for kernels and the CPU device has not: a kernel that uses it does not compile, and the message says why.
// (The headers of that kind are in kernel_scan.c, inline assembly is in host_code.c.)

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

__attribute__((unavailable("the CPU device has each thread's parameters in its local memory"))) unsigned
__isGridConstant(const void *address);

typedef unsigned long long __mbarrier_t __attribute__((unavailable("the CPU device has no asynchronous barriers")));
