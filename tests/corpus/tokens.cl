// Continued lines, comments between the tokens, brackets round the name.
//: kernel tokens
//: launch 70 / 7
//: thread yes
//: group yes
//: args int[70] = mod 31; int[70] = 0
#define LONG_MACRO(a) \
    ((a) + \
     (int)get_group_id /* of the launch */ ( \
         0))
__kernel /* here */ void // there
tokens /* name */ (__global /* in */ const int *in, // ) {
                   __global int * /* , */ out)
{
    int i = get_global_id\
(0);
    int j = (int)get_local_id /* ( */
        ( 0 /* not 1 */ );
    const __constant char *text = "get_global_id(0) { barrier(";
    char c = '{', d = '"';
    out[i] = LONG_MACRO(in[i]) + j + (text[0] == 'g') + (c == '{') + (d == '\"') +
             (int)get_local_size(
                 0);
}
