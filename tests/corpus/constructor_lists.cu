// Members that a constructor makes behind the first, and variables made in round brackets.
//: kernel a
//: launch 256 / 64
//: thread yes
//: group yes
//: merge maybe
//: args float[256] = random 0 8
template <typename T>
struct Point {
  T x, y;
  __device__ Point(const T& px = 0, const T& py = 0) : x(px), y(py) {}
  __device__ Point operator+(const Point& p) const {
    return Point(x + p.x, y + p.y);
  }
};
__global__ void a(float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Point<float> p(out[i], 1.0f), q(2.0f, 3.0f);
    p = p + q;
    out[i] = p.x + p.y;
}
