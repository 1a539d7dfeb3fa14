// A program of classes, as OpenCL's C++ programs are: a queue that is out of order and a buffer
// whose halves are sub-buffers, each released by its owner. gputune tunes and launches on both.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

namespace {

void check(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) throw std::runtime_error(what);
}

class Queue {
public:
    Queue()
    {
        chosen = gputune_cl_device(nullptr); // the machine's best, for its context
        if (gputune_device_error(chosen)->result) throw std::runtime_error("no OpenCL device");
        cl_int code = CL_SUCCESS;
        queue = clCreateCommandQueue(gputune_cl_context(chosen), gputune_cl_device_id(chosen),
                                     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
        check(code, "a queue");
    }
    ~Queue()
    {
        clReleaseCommandQueue(queue);
        gputune_device_destroy(chosen);
    }
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;
    cl_context context() const { return gputune_cl_context(chosen); }
    operator cl_command_queue() const { return queue; }

private:
    gputune_device *chosen;
    cl_command_queue queue;
};

// Floats on the device, or a part of another's.
class Floats {
public:
    Floats(const Queue &on, const std::vector<float> &values) : count(values.size())
    {
        cl_int code = CL_SUCCESS;
        memory = clCreateBuffer(on.context(), CL_MEM_READ_WRITE, bytes(), nullptr, &code);
        check(code, "a buffer");
        check(clEnqueueWriteBuffer(on, memory, CL_TRUE, 0, bytes(), values.data(), 0, nullptr,
                                   nullptr),
              "writing");
    }
    Floats(const Floats &whole, std::size_t first, std::size_t length) : count(length)
    {
        const cl_buffer_region region = { first * sizeof(float), bytes() };
        cl_int code = CL_SUCCESS;
        memory = clCreateSubBuffer(whole.memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                   &region, &code);
        check(code, "a part of a buffer");
    }
    ~Floats() { clReleaseMemObject(memory); }
    Floats(const Floats &) = delete;
    Floats &operator=(const Floats &) = delete;
    gputune_arg in() const { return gputune_in(memory, bytes()); }
    gputune_arg inout() const { return gputune_inout(memory, bytes()); }
    std::vector<float> read(const Queue &on, cl_event after) const
    {
        std::vector<float> values(count);
        check(clEnqueueReadBuffer(on, memory, CL_TRUE, 0, bytes(), values.data(), 1, &after,
                                  nullptr),
              "reading");
        return values;
    }

private:
    std::size_t bytes() const { return count * sizeof(float); }
    std::size_t count;
    cl_mem memory;
};

class Axpy {
public:
    explicit Axpy(const Queue &queue)
    {
        gputune_cl_desc desc = gputune_cl_desc();
        desc.queue = queue;
        desc.options.store = "";
        device = gputune_cl_device_create(&desc);
        gputune_kernel_desc k = gputune_kernel_desc();
        k.source = "#pragma gputune set 1,2,4\n#define ITEMS 1\n"
                   "#pragma gputune global ceil_div(n, ITEMS)\n"
                   "__kernel void axpy(int n, float a, __global const float *x,\n"
                   "                   __global float *y)\n"
                   "{\n"
                   "    for (int i = get_global_id(0) * ITEMS, k = 0; k < ITEMS; k++, i++)\n"
                   "        if (i < n) y[i] += a * x[i];\n"
                   "}\n";
        k.name = "axpy";
        kernel = gputune_kernel_create(device, &k);
    }
    ~Axpy()
    {
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
    }
    Axpy(const Axpy &) = delete;
    Axpy &operator=(const Axpy &) = delete;
    // The event of a launch behind another's (nullptr: behind nothing).
    cl_event operator()(int n, float a, const Floats &x, const Floats &y, cl_event after)
    {
        const gputune_arg args[] = { gputune_int(n), gputune_float(static_cast<double>(a)), x.in(),
                                     y.inout() };
        cl_event done = nullptr;
        gputune_cl_order order = gputune_cl_order();
        order.wait_count = after ? 1 : 0;
        order.wait_list = &after;
        order.event = &done;
        if (gputune_cl_run(kernel, args, 4, &order))
            throw std::runtime_error(gputune_kernel_error(kernel)->text);
        if (after) clReleaseEvent(after);
        return done;
    }
    int trials() const { return gputune_kernel_outcome(kernel)->trials; }

private:
    gputune_device *device;
    gputune_kernel *kernel;
};

} // namespace

int main()
try {
    const int n = 4096, steps = 5;
    std::vector<float> values(2 * n);
    for (std::size_t i = 0; i < values.size(); i++) values[i] = static_cast<float>(i % 101);
    Queue queue;
    Floats whole(queue, values), lower(whole, 0, n), upper(whole, n, n);
    Axpy axpy(queue);
    cl_event last = nullptr;
    for (int step = 0; step < steps; step++) {
        last = axpy(n, 0.5f, lower, upper, last);
        for (std::size_t i = 0; i < n; i++) values[n + i] += 0.5f * values[i];
    }
    const std::vector<float> got = whole.read(queue, last);
    clReleaseEvent(last);
    int wrong = 0;
    for (std::size_t i = 0; i < values.size(); i++) wrong += std::fabs(got[i] - values[i]) > 1e-3f;
    std::printf("%d trials, %d of %d wrong\n", axpy.trials(), wrong, 2 * n);
    return wrong || axpy.trials() != 3;
} catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
}
