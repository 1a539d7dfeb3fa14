// Heat on a chip (jia-starchart, table I): two steps of a five-point stencil in one launch. A
// work-group computes X x Y cells; temperatures with a border of two cells, powers, and the first
// step's results lie in local memory. Beyond the chip's edge it is as warm as on it.

#pragma gputune range 1,1024
#define X 16
#pragma gputune range 1,1024
#define Y 16
// Columns instead of rows side by side in local memory: temperatures, powers, the buffer between
// the two steps.
#pragma gputune bool
#define T_TEMP 0
#pragma gputune bool
#define T_POWER 0
#pragma gputune bool
#define T_BUFFER 0
#pragma gputune require X * Y <= min(1024, max_group_size)
#pragma gputune require ((X + 4) * (Y + 4) + 2 * (X + 2) * (Y + 2)) * 4 <= local_memory

// Places of a cell whose column and row count from the group's first cell, without and with border.
#if T_TEMP
#define TEMP(i, j) temp[((i) + 2) * (Y + 4) + (j) + 2]
#else
#define TEMP(i, j) temp[((j) + 2) * (X + 4) + (i) + 2]
#endif
#if T_POWER
#define POWER(i, j) heat[((i) + 1) * (Y + 2) + (j) + 1]
#else
#define POWER(i, j) heat[((j) + 1) * (X + 2) + (i) + 1]
#endif
#if T_BUFFER
#define BUFFER(i, j) between[((i) + 1) * (Y + 2) + (j) + 1]
#else
#define BUFFER(i, j) between[((j) + 1) * (X + 2) + (i) + 1]
#endif
// One step in a cell whose neighbours on the chip are at these columns and rows.
#define STEP(FIELD)                                                                               \
    (FIELD(i, j) + c_power * POWER(i, j) + c_x * (FIELD(right, j) + FIELD(left, j) -              \
     2.0f * FIELD(i, j)) + c_y * (FIELD(i, below) + FIELD(i, above) - 2.0f * FIELD(i, j)) +       \
     c_air * (80.0f - FIELD(i, j)))

#pragma gputune global columns, rows
#pragma gputune local X, Y
__kernel void hotspot(int columns, int rows, float c_power, float c_x, float c_y, float c_air,
                      __global const float *temperature, __global const float *power,
                      __global float *result)
{
    __local float temp[(X + 4) * (Y + 4)];
    __local float heat[(X + 2) * (Y + 2)], between[(X + 2) * (Y + 2)];
    const int x0 = get_group_id(0) * X, y0 = get_group_id(1) * Y;
    const int thread = get_local_id(1) * X + get_local_id(0);
    for (int t = thread; t < (X + 4) * (Y + 4); t += X * Y) {
        const int i = t % (X + 4) - 2, j = t / (X + 4) - 2;
        const int x = min(max(x0 + i, 0), columns - 1), y = min(max(y0 + j, 0), rows - 1);
        TEMP(i, j) = temperature[y * columns + x];
        if (i >= -1 && i <= X && j >= -1 && j <= Y)
            POWER(i, j) = power[y * columns + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = thread; t < (X + 2) * (Y + 2); t += X * Y) {
        const int i = t % (X + 2) - 1, j = t / (X + 2) - 1;
        const int x = x0 + i, y = y0 + j;
        if (x >= 0 && x < columns && y >= 0 && y < rows) {
            const int left = x > 0 ? i - 1 : i, right = x < columns - 1 ? i + 1 : i;
            const int above = y > 0 ? j - 1 : j, below = y < rows - 1 ? j + 1 : j;
            BUFFER(i, j) = STEP(TEMP);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int i = get_local_id(0), j = get_local_id(1), x = x0 + i, y = y0 + j;
    if (x < columns && y < rows) {
        const int left = x > 0 ? i - 1 : i, right = x < columns - 1 ? i + 1 : i;
        const int above = y > 0 ? j - 1 : j, below = y < rows - 1 ? j + 1 : j;
        result[y * columns + x] = STEP(BUFFER);
    }
}
