// Digraphs, variables named like functions, macros with a variable's name, op by op redefined.
//: kernel digraphs
//: launch 40 / 8
//: thread maybe
//: group maybe
//: args int[40] = mod 27; int[40] = 0
//: kernel named_like
//: launch 40 / 8
//: thread maybe
//: group maybe
//: range no ids are used outside of a plain function
//: args int[40] = mod 27; int[40] = 0
//: kernel index_macro
//: launch 40 / 8
//: thread maybe
//: group maybe
//: range no another kernel that cannot be left out
//: args int[40] = mod 27; int[40] = 0
//: kernel second_op
//: launch 40 / 8
//: thread maybe
//: group maybe
//: range no another kernel that cannot be left out
//: args int[40] = mod 27; int[40] = 0
//: kernel keyword_macro
//: launch 40 / 8
//: thread maybe
//: group maybe
//: range no another kernel that cannot be left out
//: args int[40] = mod 27; int[40] = 0
#define STRING(x) #x
__kernel void digraphs(__global const int *in, __global int *out)
<%
    int i = get_global_id(0);
    const __constant char *name = STRING(get_global_id(0));
    out<:i:> = in[i] + (name[4] == 'g');
%>

__kernel void named_like(__global const int *in, __global int *out)
{
    int i = get_global_id(0), get_group_id = 3;
    struct {
        int get_local_size;
    } s = { 4 };
    out[i] = in[i] + get_group_id * 2 + s.get_local_size;
}

#define i get_global_id(0)
#define OP(a, b) ((a) - (b))
__kernel void index_macro(__global const int *in, __global int *out)
{
    out[i] = OP(in[i], 1);
}
#undef i
#undef OP
#define OP(a, b) ((a) * (b) + get_local_id(0))
__kernel void second_op(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    out[i] = OP(in[i], 7);
}

#define __kernel __kernel __attribute__((work_group_size_hint(8, 1, 1)))
#define LEAVE return;
__kernel void keyword_macro(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    if (in[i] > 20) LEAVE
    out[i] = in[i] + 1;
}
