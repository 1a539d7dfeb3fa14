// Rays: structs that go by value and come back, chains of else-if, members named like built-ins.
//: kernel nearest_sphere
//: launch 60 / 12
//: thread yes
//: group yes
//: plain nearest_sphere_plain
//: args struct int 3 int -2 int 40; int[36] = mod 60; int 9; int[180] = -5; int 58
//: kernel inside_polygon
//: launch 30 / 10
//: thread yes
//: group yes
//: merge yes
//: plain inside_polygon_plain
//: args int[20] = mod 64; int 10; int[60] = mod 50; uchar[30] = 9
typedef struct {
    int x, y, z;
} point;

typedef struct {
    point centre;
    int radius;
} sphere;

typedef struct {
    int distance, index, max;
} hit;

int dot_of(point a, point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

point minus(point a, point b)
{
    a.x -= b.x, a.y -= b.y, a.z -= b.z;
    return a;
}

// The square of the distance from the centre at the nearest approach, times the direction's square.
hit meet(point eye, point direction, sphere s, int index)
{
    hit h = { 0, index, s.radius };
    const point to = minus(s.centre, eye);
    const int along = dot_of(to, direction), square = dot_of(direction, direction);
    const long miss = (long)dot_of(to, to) * square - (long)along * along;
    if (along <= 0)
        h.index = -1;
    else if (miss > (long)h.max * h.max * square)
        h.index = -2;
    else if (miss == 0)
        h.distance = along;
    else
        h.distance = along - (int)(miss % 17);
    return h;
}

__kernel void nearest_sphere(point eye, __global const int *spheres, int count, __global int *out,
                             int rays)
{
    const int ray = get_global_id(0);
    hit best = { INT_MAX, -3, 0 };
    point direction;
    if (ray >= rays) return;
    direction.x = ray % 7 - 3, direction.y = ray % 5 - 2, direction.z = 4;
    for (int i = 0; i < count; i++) {
        sphere s;
        s.centre.x = spheres[4 * i], s.centre.y = spheres[4 * i + 1];
        s.centre.z = spheres[4 * i + 2] * 4, s.radius = spheres[4 * i + 3] % 16 + 4;
        hit h = meet(eye, direction, s, i);
        if (h.index < 0 && best.index < 0)
            best.index = best.index > h.index ? best.index : h.index;
        else if (h.index >= 0 && h.distance < best.distance)
            best = h;
    }
    out[3 * ray] = best.index;
    out[3 * ray + 1] = best.index < 0 ? 0 : best.distance;
    out[3 * ray + 2] = best.max;
}

__kernel void nearest_sphere_plain(point eye, __global const int *spheres, int count,
                                   __global int *out, int rays)
{
    if (get_global_id(0)) return;
    for (int ray = 0; ray < rays; ray++) {
        const long a = ray % 7 - 3, b = ray % 5 - 2, square = a * a + b * b + 16;
        int found = -3, nearest = 0x7fffffff, radius = 0;
        for (int i = 0; i < count; i++) {
            const long x = spheres[4 * i] - eye.x, y = spheres[4 * i + 1] - eye.y;
            const long z = spheres[4 * i + 2] * 4 - eye.z, r = spheres[4 * i + 3] % 16 + 4;
            const long along = x * a + y * b + z * 4;
            const long miss = (x * x + y * y + z * z) * square - along * along;
            const bool meets = along > 0 && miss <= r * r * square;
            const int distance = (int)(along - miss % 17);
            if (!meets && found < 0) found = max(found, along > 0 ? -2 : -1);
            if (meets && distance < nearest) {
                found = i;
                nearest = distance;
                radius = (int)r;
            }
        }
        out[3 * ray] = found;
        out[3 * ray + 1] = found < 0 ? 0 : nearest;
        out[3 * ray + 2] = radius;
    }
}

// A ray to the right crosses the border an odd number of times. A do-while that steps two indices.
__kernel void inside_polygon(__global const int *corners, int count, __global const int *points,
                             __global uchar *inside)
{
    __global const int2 *corner = (__global const int2 *)corners;
    const int2 p = vload2(get_global_id(0), points);
    uchar odd = 0;
    int i = 0, j = count - 1;
    do {
        const int2 a = corner[i], b = corner[j];
        if ((a.y > p.y) != (b.y > p.y)) {
            const int side = (b.x - a.x) * (p.y - a.y) - (p.x - a.x) * (b.y - a.y);
            if (b.y > a.y ? side > 0 : side < 0) odd ^= 1;
        }
    } while (j = i++, i < count);
    inside[get_global_id(0)] = odd;
}

__kernel void inside_polygon_plain(__global const int *corners, int count,
                                   __global const int *points, __global uchar *inside)
{
    if (get_global_id(0)) return;
    for (int k = 0; k < 30; k++) {
        const int x = points[2 * k], y = points[2 * k + 1];
        int crossings = 0;
        for (int i = 0; i < count; i++) {
            const int next = (i + 1) % count, low = corners[2 * i + 1] > corners[2 * next + 1];
            const int f = low ? next : i, t = low ? i : next; // from the lower end to the upper
            const int dx = corners[2 * t] - corners[2 * f];
            const int dy = corners[2 * t + 1] - corners[2 * f + 1];
            if (y < corners[2 * f + 1] || y >= corners[2 * t + 1]) continue;
            crossings += dx * (y - corners[2 * f + 1]) > (x - corners[2 * f]) * dy;
        }
        inside[k] = crossings % 2;
    }
}
