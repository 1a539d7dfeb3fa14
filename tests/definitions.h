// Tuning spaces of published kernels (AutoTuningAssociation/benchmark_hub, MIT), and a reader for
// them. Their expressions are Python's; definitions_convert writes them as C.
#ifndef DEFINITIONS_H
#define DEFINITIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

typedef struct definition {
    const char *name, *text;
} definition;

static const char definition_gemm[] =
    "# combinations 663552\n"
    "# valid 116928\n"
    "param GEMMK 0\n"
    "param MWG 16,32,64,128\n"
    "param NWG 16,32,64,128\n"
    "param KWG 16,32\n"
    "param MDIMC 8,16,32\n"
    "param NDIMC 8,16,32\n"
    "param MDIMA 8,16,32\n"
    "param NDIMB 8,16,32\n"
    "param KWI 2\n"
    "param VWM 1,2,4,8\n"
    "param VWN 1,2,4,8\n"
    "param STRM 0,1\n"
    "param STRN 0,1\n"
    "param SA 0,1\n"
    "param SB 0,1\n"
    "param KREG 1\n"
    "param PRECISION 32\n"
    "require KWG % KWI == 0\n"
    "require MWG % (MDIMC * VWM) == 0\n"
    "require NWG % (NDIMC * VWN) == 0\n"
    "require MWG % (MDIMA * VWM) == 0\n"
    "require NWG % (NDIMB * VWN) == 0\n"
    "require KWG % ((MDIMC * NDIMC)/MDIMA) == 0\n"
    "require KWG % ((MDIMC * NDIMC)/NDIMB) == 0\n"
    "require not (MWG == 128 and NWG == 128 and MDIMC == 8 and NDIMC == 8)\n";

static const char definition_hotspot[] =
    "# combinations 4440000\n"
    "# valid 82984\n"
    "param grid_width 4096\n"
    "param grid_height 4096\n"
    "param block_size_x 1,2,4,8,16,32,64,96,128,160,192,224,256,288,320,352,384,416,448,4"
    "80,512,544,576,608,640,672,704,736,768,800,832,864,896,928,960,992,1024\n"
    "param block_size_y 1,2,4,8,16,32\n"
    "param tile_size_x 1,2,3,4,5,6,7,8,9,10\n"
    "param tile_size_y 1,2,3,4,5,6,7,8,9,10\n"
    "param temporal_tiling_factor 1,2,3,4,5,6,7,8,9,10\n"
    "param max_tfactor 10\n"
    "param loop_unroll_factor_t 1,2,3,4,5,6,7,8,9,10\n"
    "param sh_power 0,1\n"
    "require block_size_x*block_size_y>= 32\n"
    "require temporal_tiling_factor % loop_unroll_factor_t == 0\n"
    "require block_size_x*block_size_y <= 1024\n"
    "require (block_size_x*tile_size_x+ temporal_tiling_factor * 2) * (block_size_y*tile_"
    "size_y+ temporal_tiling_factor * 2) * (2+sh_power) * 4 <= 49152\n";

static const char definition_bat_hotspot[] =
    "# combinations 22200000\n"
    "# valid 349853\n"
    "param BLOCK_SIZE_X 1,2,4,8,16,32,64,96,128,160,192,224,256,288,320,352,384,416,448,4"
    "80,512,544,576,608,640,672,704,736,768,800,832,864,896,928,960,992,1024\n"
    "param BLOCK_SIZE_Y 1,2,4,8,16,32\n"
    "param BLOCK_SIZE_Z 1\n"
    "param TILE_SIZE_X 1,2,3,4,5,6,7,8,9,10\n"
    "param TILE_SIZE_Y 1,2,3,4,5,6,7,8,9,10\n"
    "param TEMPORAL_TILING_FACTOR 1,2,3,4,5,6,7,8,9,10\n"
    "param MAX_TFACTOR 10\n"
    "param LOOP_UNROLL_FACTOR_T 1,2,3,4,5,6,7,8,9,10\n"
    "param SH_POWER 0,1\n"
    "param BLOCKS_PER_SM 0,1,2,3,4\n"
    "param MAX_THREADS 1024\n"
    "param MAX_SHARED_MEMORY_BLOCK 49152\n"
    "param MAX_SHARED_MEMORY 102400\n"
    "require BLOCK_SIZE_X*BLOCK_SIZE_Y>= 32\n"
    "require TEMPORAL_TILING_FACTOR % LOOP_UNROLL_FACTOR_T == 0\n"
    "require BLOCK_SIZE_X*BLOCK_SIZE_Y <= MAX_THREADS\n"
    "require (BLOCK_SIZE_X*TILE_SIZE_X+ TEMPORAL_TILING_FACTOR * 2) * (BLOCK_SIZE_Y*TILE_"
    "SIZE_Y+ TEMPORAL_TILING_FACTOR * 2) * (2+SH_POWER) * 4 <= MAX_SHARED_MEMORY_BLOCK\n"
    "require BLOCKS_PER_SM == 0 or (((BLOCK_SIZE_X * TILE_SIZE_X + TEMPORAL_TILING_FACTOR"
    " * 2) * (BLOCK_SIZE_Y*TILE_SIZE_Y +  TEMPORAL_TILING_FACTOR * 2) * (2+SH_POWER) * 4)"
    " * BLOCKS_PER_SM <= MAX_SHARED_MEMORY)\n";

static const char definition_dedispersion[] =
    "# combinations 22272\n"
    "# valid 11130\n"
    "param block_size_x 1,2,4,8,16,32\n"
    "param block_size_y 32,40,48,56,64,72,80,88,96,104,112,120,128,136,144,152,160,168,17"
    "6,184,192,200,208,216,224,232,240,248,256\n"
    "param block_size_z 1\n"
    "param tile_size_x 1,2,3,4\n"
    "param tile_size_y 1,2,3,4,5,6,7,8\n"
    "param tile_stride_x 0,1\n"
    "param tile_stride_y 0,1\n"
    "param loop_unroll_factor_channel 0\n"
    "require 32 <= block_size_x * block_size_y <= 1024\n"
    "require tile_size_x > 1 or tile_stride_x == 0\n"
    "require tile_size_y > 1 or tile_stride_y == 0\n";

static const char definition_convolution[] =
    "# combinations 10240\n"
    "# valid 4362\n"
    "param block_size_x 16,32,48,64,80,96,112,128,144,160,176,192,208,224,240,256\n"
    "param block_size_y 1,2,4,8,16\n"
    "param tile_size_x 1,2,3,4\n"
    "param tile_size_y 1,2,3,4\n"
    "param read_only 0,1\n"
    "param use_padding 0,1\n"
    "param use_shmem 0,1\n"
    "param use_cmem 1\n"
    "param filter_height 15\n"
    "param filter_width 15\n"
    "require use_padding==0 or block_size_x % 32 != 0\n"
    "require block_size_x*block_size_y<=1024\n"
    "require use_padding==0 or use_shmem != 0\n"
    "require use_shmem == 0 or (((block_size_x*tile_size_x+(filter_width-1)))*((block_siz"
    "e_y*tile_size_y+(filter_height-1)))) < 12*1024\n";

static const definition definitions[] = {
    { "gemm", definition_gemm },
    { "hotspot", definition_hotspot },
    { "bat_hotspot", definition_bat_hotspot },
    { "dedispersion", definition_dedispersion },
    { "convolution", definition_convolution },
    { NULL, NULL },
};

typedef struct definitions_out {
    char *text;
    size_t length, size;
} definitions_out;

static void definitions_put(definitions_out *out, const char *text, size_t length)
{
    if (out->length + length + 1 > out->size) length = out->size - out->length - 1;
    memcpy(out->text + out->length, text, length);
    out->length += length;
    out->text[out->length] = 0;
}

// Where an expression of a chained comparison ends: at `and`, `or`, a comparison, a closing
// parenthesis, a comma.
static bool definitions_breaks(const char *at, const char *start)
{
    bool word = at == start || strchr(" ()", at[-1]) != NULL;
    if (word && (strncmp(at, "and ", 4) == 0 || strncmp(at, "and(", 4) == 0)) return true;
    if (word && (strncmp(at, "or ", 3) == 0 || strncmp(at, "or(", 3) == 0)) return true;
    if (word && strncmp(at, "not ", 4) == 0) return true;
    return *at && strchr("<>=!,", *at) != NULL;
}

// One operand, up to a break outside parentheses: `//` becomes /, and / becomes *1.0/, which makes
// the quotient real.
static const char *definitions_operand(definitions_out *out, const char *at);

static const char *definitions_logic(definitions_out *out, const char *at)
{
    while (*at && *at != ')') {
        if (strncmp(at, "and", 3) == 0 && strchr(" (", at[3])) {
            definitions_put(out, "&& ", 3);
            at += 3;
        } else if (strncmp(at, "or", 2) == 0 && strchr(" (", at[2])) {
            definitions_put(out, "|| ", 3);
            at += 2;
        } else if (strncmp(at, "not ", 4) == 0) {
            definitions_put(out, "!", 1);
            at += 4;
        } else if (*at == ' ') {
            at++;
        } else { // a comparison, perhaps chained: a < b < c is (a < b && b < c)
            char part[2048];
            int count = 0;
            definitions_put(out, "(", 1);
            for (;;) {
                definitions_out one;
                size_t width;
                one.text = part;
                one.length = 0;
                one.size = sizeof part;
                one.text[0] = 0;
                at = definitions_operand(&one, at);
                definitions_put(out, one.text, one.length);
                width = strspn(at, "<>=!");
                if (!width) break;
                if (count > 0) {
                    definitions_put(out, " && ", 4);
                    definitions_put(out, one.text, one.length);
                }
                definitions_put(out, at, width);
                at += width;
                count++;
            }
            definitions_put(out, ")", 1);
        }
    }
    return at;
}

static const char *definitions_operand(definitions_out *out, const char *at)
{
    const char *start = at;
    while (*at && *at != ')' && !definitions_breaks(at, start)) {
        if (*at == '(') {
            definitions_put(out, "(", 1);
            at = definitions_logic(out, at + 1);
            definitions_put(out, ")", 1);
            if (*at) at++;
        } else if (at[0] == '/' && at[1] == '/') {
            definitions_put(out, "/", 1);
            at += 2;
        } else if (*at == '/') {
            definitions_put(out, "*1.0/", 5);
            at++;
        } else {
            definitions_put(out, at++, 1);
        }
    }
    return at;
}

// A Python expression as a C expression.
static const char *definitions_convert(const char *python, char *text, size_t size)
{
    definitions_out out;
    out.text = text;
    out.length = 0;
    out.size = size;
    text[0] = 0;
    definitions_logic(&out, python);
    return text;
}

// Reads a definition; *valid is the count it states. False: it is none.
static bool definitions_read(const char *text, space_parts *p, uint64_t *valid)
{
    char line[4096], converted[8192];
    parts_begin(p);
    *valid = 0;
    while (*text) {
        size_t length = strcspn(text, "\n"), copy = length < 4000 ? length : 4000;
        memcpy(line, text, copy);
        line[copy] = 0;
        text += length + (text[length] == '\n');
        if (strncmp(line, "# valid ", 8) == 0) {
            *valid = strtoull(line + 8, NULL, 10);
        } else if (strncmp(line, "param ", 6) == 0) {
            char *name = line + 6, *values = strchr(name, ' ');
            if (!values) return false;
            *values = 0;
            snprintf(converted, sizeof converted, "set %s", values + 1);
            parts_param(p, name, converted, NULL);
        } else if (strncmp(line, "require ", 8) == 0) {
            parts_require(p, definitions_convert(line + 8, converted, sizeof converted));
        }
    }
    return true;
}

#endif
