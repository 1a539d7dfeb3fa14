// A space that is told part by part: what gputune_space_desc takes whole. No assertions: benchmarks
// use it, too.
#ifndef PARTS_H
#define PARTS_H

#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 100 };

typedef struct space_parts {
    gputune_space_desc desc; // options, limits and numbers are the caller's to set
    gputune_param params[PARTS_MOST + 1];
    const char *require[PARTS_MOST + 1];
    int param_count, require_count;
    char texts[1 << 16];
    size_t used;
} space_parts;

static void parts_begin(space_parts *p)
{
    memset(&p->desc, 0, sizeof p->desc);
    p->param_count = p->require_count = 0;
    p->used = 0;
}

static const char *parts_copy(space_parts *p, const char *text)
{
    const size_t bytes = text ? strlen(text) + 1 : 0;
    if (!text) return NULL;
    if (p->used + bytes > sizeof p->texts) abort();
    p->used += bytes;
    return (const char *)memcpy(p->texts + p->used - bytes, text, bytes);
}

static void parts_param(space_parts *p, const char *name, const char *values, const char *standard)
{
    gputune_param *param = &p->params[p->param_count++];
    if (p->param_count > PARTS_MOST) abort();
    param->name = parts_copy(p, name);
    param->values = parts_copy(p, values);
    param->value_default = parts_copy(p, standard);
}

static void parts_require(space_parts *p, const char *expression)
{
    if (p->require_count == PARTS_MOST) abort();
    p->require[p->require_count++] = parts_copy(p, expression);
}

// May be done again with more parts.
static gputune_space *parts_space(space_parts *p)
{
    p->params[p->param_count].name = NULL;
    p->require[p->require_count] = NULL;
    p->desc.params = p->params;
    p->desc.require = p->require;
    return gputune_space_create(&p->desc);
}

static int parts_value_count(const gputune_space *space, int param)
{
    int count = 0;
    char text[64];
    while (gputune_space_value(space, param, count, text, sizeof text)) count++;
    return count;
}

// The product of the numbers of values.
static double parts_combinations(const gputune_space *space)
{
    double product = 1;
    int i;
    for (i = 0; gputune_space_param(space, i); i++) product *= parts_value_count(space, i);
    return product;
}

#endif
