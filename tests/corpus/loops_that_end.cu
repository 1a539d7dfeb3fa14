// Loops that end by what they do themselves, in branches: none waits for another thread.
//: kernel ends_by_flag
//: launch 48 / 16
//: thread yes
//: group yes
//: merge yes
//: args int[48] = mod 31; int[48] = 0; int 40
//: kernel ends_by_leader
//: launch 48 / 16
//: thread no shared memory
//: group yes
//: args int[48] = mod 31; int[48] = 0; int 3
//: kernel ends_by_search
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = ramp 3; int[48] = 0; int 48
//: kernel ends_by_stack
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = mod 31; int[48] = 0; int 9
//: kernel ends_by_sorting
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[192] = mod 97; int[48] = 0; int 4
//: kernel ends_by_outer
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = mod 31; int[48] = 0; int 40
//: kernel ends_behind_continue
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = mod 2; int[48] = 0; int 40
//: kernel ends_by_either
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = mod 2; int[48] = 0; int 40
//: kernel ends_by_hull
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = mod 31; int[48] = 0; int 12
#define I (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void ends_by_flag(const int *in, int *out, int n)
{
    int value = in[I], turns = 0;
    bool done = false;
    while (!done) {
        if (value > n)
            done = true;
        else
            value += 3;
        turns++;
    }
    out[I] = turns * 100 + value;
}

__global__ void ends_by_leader(const int *in, int *out, int n)
{
    __shared__ int done;
    int turns = 0;
    while (true) {
        if (threadIdx.x == 0) done = turns >= n + (int)blockIdx.x;
        __syncthreads();
        if (done) break;
        turns++;
        __syncthreads();
    }
    out[I] = in[I] + turns;
}

__global__ void ends_by_search(const int *in, int *out, int n)
{
    const int key = I * 2;
    int low = 0, high = n;
    for (;;) {
        if (low >= high) {
            if (n > 0) break;
        }
        const int middle = (low + high) / 2;
        if (in[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[I] = low;
}

__global__ void ends_by_stack(const int *in, int *out, int n)
{
    int stack[16], top = 1, sum = 0;
    stack[0] = I;
    while (true) {
        const int at = stack[--top];
        sum += in[at];
        if (at * 2 + 1 >= n) {
            if (top == 0) break;
            continue;
        }
        stack[top++] = at * 2 + 1;
        if (at % 2) stack[top++] = at / 2;
        if (top > 12) return;
    }
    out[I] = sum;
}

__global__ void ends_by_sorting(const int *in, int *out, int n)
{
    int v[4];
    for (int k = 0; k < 4; k++) v[k] = in[I * 4 + k];
    while (true) {
        bool moved = false;
        for (int k = 0; k + 1 < n; k++) {
            if (v[k] > v[k + 1]) {
                const int one = v[k];
                v[k] = v[k + 1];
                v[k + 1] = one;
                moved = true;
            }
        }
        if (!moved) break;
    }
    out[I] = v[0] * 7 + v[3];
}

__global__ void ends_by_outer(const int *in, int *out, int n)
{
    int sum = in[I];
    for (int j = 0; j < n; j++) {
        do {
            if (j % 2)
                sum++;
            else
                sum += 2;
        } while (sum < j);
    }
    out[I] = sum;
}

__global__ void ends_behind_continue(const int *in, int *out, int n)
{
    int sum = 0;
    for (int k = 0;; k++) {
        if (k >= n) break;
        if (in[0] == k % 7) continue;
        for (int j = 0; j < 3; j++) {
            if (in[1]) continue;
            sum++;
        }
        sum++;
    }
    out[I] = sum;
}

__global__ void ends_by_either(const int *in, int *out, int n)
{
    int k = 0, sum = 0;
    while (k < n) {
        if (in[1])
            k += 2;
        else
            k++;
        sum += k;
    }
    out[I] = sum;
}

__global__ void ends_by_hull(const int *in, int *out, int n)
{
    int order[16], top = 0, at = 0;
    const int last = n - 1;
    order[0] = 0;
    while (at != last) {
        const int from = order[top];
        at = last;
        for (int k = 1; k < last; k++)
            if (k > from && (in[k] + in[from]) % 3 == 0) at = k;
        top++;
        order[top] = at;
    }
    out[I] = top * 100 + order[top / 2] + I;
}
