// Prices of European options by Black and Scholes.
struct market {
    float rate, volatility;
};

__device__ float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years, float *call,
                                         float *put, int n, market of)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float spread = of.volatility * sqrtf(years[i]);
    float d1 = (logf(price[i] / strike[i]) + (of.rate + 0.5f * of.volatility * of.volatility) * years[i]) / spread;
    float d2 = d1 - spread, discounted = strike[i] * expf(-of.rate * years[i]);
    call[i] = price[i] * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - price[i] * normal(-d1);
}
