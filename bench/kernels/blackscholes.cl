// European options by the Black-Scholes formula, one a work-item.

// The cumulative normal distribution: Abramowitz and Stegun 26.2.17.
float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float tail = 0.39894228f * exp(-0.5f * d * d) *
                 (k * (0.31938153f +
                       k * (-0.356563782f +
                            k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - tail : tail;
}

#pragma gputune global count
#pragma gputune local 128
__kernel void blackscholes(__global float *call, __global float *put, __global const float *price,
                           __global const float *strike, __global const float *years, float rate,
                           float volatility, uint count)
{
    uint id = get_global_id(0);
    if (id >= count)
        return;
    float s = price[id], x = strike[id], t = years[id];
    float spread = volatility * sqrt(t);
    float d1 = (log(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    float d2 = d1 - spread;
    float n1 = normal(d1), n2 = normal(d2);
    float discounted = x * exp(-rate * t);
    call[id] = s * n1 - discounted * n2;
    put[id] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
