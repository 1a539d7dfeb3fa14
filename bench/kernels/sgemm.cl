// C = alpha * A * B^T + beta * C with matrices stored by columns: one element of C a work-item.

#pragma gputune global ldc, ldb
#pragma gputune local 16, 16
__kernel void sgemm(__global const float *A, int lda, __global const float *B, int ldb,
                    __global float *C, int ldc, int k, float alpha, float beta)
{
    int m = get_global_id(0), n = get_global_id(1);
    float c = 0.0f;
    for (int i = 0; i < k; i++) {
        float a = A[m + i * lda];
        float b = B[n + i * ldb];
        c += a * b;
    }
    C[m + n * ldc] = C[m + n * ldc] * beta + alpha * c;
}
