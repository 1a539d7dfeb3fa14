// Loops that wait for another thread: memory is only looked at in an inner branch, behind a pragma,
// by way of a flag, or before a continue. Each of these reads all that ends it again in each turn.
//: kernel spin_nested
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_pragma
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_flag
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_switch
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_continue
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_else
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_taken
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_again
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_inner
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
//: kernel spin_all
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[4] = 1
//: kernel spin_direct
//: launch 64 / 16
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 1
#define I (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void spin_nested(int *data, volatile int *go)
{
    for (int i = 0;; i++) {
        if (i > 3) {
            if (go[0] != 0) break;
        }
    }
    data[I] = 1;
}

__global__ void spin_pragma(int *data, volatile int *go)
{
#pragma unroll 1
    for (;;) {
        if (go[0] != 0) break;
    }
    data[I] = 2;
}

__global__ void spin_flag(int *data, volatile int *go)
{
    bool done = false;
    while (!done) {
        if (go[0] != 0) done = true;
    }
    data[I] = 3;
}

__global__ void spin_switch(int *data, volatile int *go)
{
    int done = 0, turns = 0;
    do {
        switch (go[0]) {
        case 1: done = 1;
        }
        turns++;
    } while (done == 0);
    data[I] = done;
}

__global__ void spin_continue(int *data, volatile int *go)
{
    while (true) {
        if (go[0] == 0) continue;
        data[I] = 5;
        break;
    }
}

__global__ void spin_else(int *data, volatile int *go)
{
    const int first = threadIdx.x;
    for (int turns = 0;; turns++) {
        if (first < 8) {
            if (go[0] != 0) break;
        } else
            break;
    }
    data[I] = 6;
}

__global__ void spin_taken(int *data, volatile int *go)
{
    int last = 1, *p = &last;
    for (int turns = 0;; turns++) {
        *p = go[0];
        if (turns > 3) {
            if (last == 1) break;
        }
    }
    data[I] = 7;
}

__global__ void spin_direct(int *data, volatile int *go)
{
    for (int turns = 0;; turns++) {
        const int seen(go[0]);
        if (turns > 3) {
            if (seen == 1) break;
        }
    }
    data[I] = 8;
}

__global__ void spin_again(int *data, volatile int *go)
{
    bool done;
    do {
        done = false;
        if (go[0] != 0) done = true;
    } while (!done);
    data[I] = 9;
}

__global__ void spin_inner(int *data, volatile int *go)
{
    int turns = 0;
    while (true) {
        switch (turns++ & 3) {
        case 1: data[I]++; break;
        }
        for (int k = 0; k < 9; k++)
            if (k == turns) break;
        if (go[0] != 0) break;
    }
}

__global__ void spin_all(int *data, volatile int *go)
{
    go[blockIdx.x] = 1;
    while (true) {
        int missing = 0;
        for (int k = 0; k < 4; k++)
            if (go[k] == 0) missing++;
        if (missing == 0) break;
    }
    data[I] = 11;
}
