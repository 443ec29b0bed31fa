// refused: CUDA 12 removed texture and surface references: use a texture object
texture<float, 2> picture;
int main() {}
