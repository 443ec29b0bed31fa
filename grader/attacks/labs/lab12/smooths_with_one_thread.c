/* Tries to let one thread of a block do all of it, behind barriers that order nothing. Gains task 8 from a check of
 * barriers alone. */
const char *lab12_smooth(void)
{
    return LAB12_KERNEL "extern \"C\" __global__ void smooth(float *x, int count, int rounds) {\n"
                        "  for (int round = 0; round < rounds; round++) {\n"
                        "    if (threadIdx.x == 0)\n"
                        "      for (int t = 0; t + 1 < 64 && blockIdx.x * 64 + t < count; t++) {\n"
                        "        int i = blockIdx.x * 64 + t;\n"
                        "        x[i] = 0.5f * x[i] + 0.5f * (i + 1 < count ? x[i + 1] : 0.0f);\n"
                        "      }\n"
                        "    __syncthreads();\n"
                        "  }\n"
                        "}\n";
}
