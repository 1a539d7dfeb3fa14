// A template and its specialisation; overloads; helpers that are templates with ids.
//: kernel special
//: instance special<2>
//: launch 64 / 16
//: skip nvrtc
//: thread maybe
//: group maybe
//: range no a specialisation of the kernel
//: args int[64] = mod 20
//: kernel with_template_helper
//: launch 64 / 16
//: thread maybe
//: group maybe
//: range no ids are used outside of a plain function
//: args int[64] = mod 20
template <int N> __global__ void special(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += N;
}

template <> __global__ void special<2>(int *data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] -= 1000;
}

template <int Width, class T> __device__ T index(T first)
{
    return first + static_cast<T>(blockIdx.x * Width + threadIdx.x);
}

template <class F> __device__ void with(F f) { f(index<16>(0)); }

__global__ void with_template_helper(int *data)
{
    with([=](int i) { data[i] = data[i] + i; });
}
