#ifndef INCLUDE_HEAD_H
#define INCLUDE_HEAD_H
#define HEAD_INDEX ((int)get_global_id(0))
static inline int head_twice(int x) { return 2 * x; }
static inline int head_lane(void) { return (int)get_local_id(0); }
#endif
