/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of handwritten digits with their labels, for the training examples in C and C++: the MNIST files if there
 * are any, else digits that are drawn here (`drawn` is set).
 *
 *     struct digits train = digits_load("data", "train", 60000, 1);
 *
 * reads data/train-images-idx3-ubyte and data/train-labels-idx1-ubyte; digits_free releases the digits.  A malformed
 * file ends the program with one line that names the fault. */
#ifndef EXAMPLES_DIGITS_H
#define EXAMPLES_DIGITS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_SIDE = 28, DIGITS_PIXELS = DIGITS_SIDE * DIGITS_SIDE, DIGITS_CLASSES = 10 };

struct digits {
    size_t count;
    float *images; /* count x 784, 0 to 1 */
    uint32_t *labels;
    bool drawn;
};

static inline void digits_free(struct digits *digits)
{
    free(digits->images);
    free(digits->labels);
}
static inline struct digits digits_new(size_t count, bool drawn)
{
    struct digits digits;
    digits.count = count;
    digits.drawn = drawn;
    digits.images = (float *)malloc(count * DIGITS_PIXELS * sizeof(float) + 1);
    digits.labels = (uint32_t *)malloc(count * sizeof(uint32_t) + 1);
    if (!digits.images || !digits.labels) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return digits;
}

/* ---- IDX files: a magic number, the dimensions (32 bits, big endian), the bytes ---- */

static inline void digits_fail(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(EXIT_FAILURE);
}
static inline uint32_t digits_number(FILE *file, const char *path)
{
    unsigned char b[4];
    if (fread(b, 1, 4, file) != 4)
        digits_fail(path, "the file ends within its header");
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}
/* The bytes of a file of count items (at most limit of them are read); NULL if there is no such file. */
static inline unsigned char *digits_read(const char *path, uint32_t magic, size_t item, size_t limit, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    if (digits_number(file, path) != magic)
        digits_fail(path, "this is no IDX file of the expected kind (is it still compressed?)");
    *count = digits_number(file, path);
    if (item > 1 && (digits_number(file, path) != DIGITS_SIDE || digits_number(file, path) != DIGITS_SIDE))
        digits_fail(path, "its pictures are not 28 x 28");
    *count = *count < limit ? *count : limit;
    unsigned char *bytes = (unsigned char *)malloc(*count * item + 1);
    if (!bytes || fread(bytes, item, *count, file) != *count)
        digits_fail(path, "the file is shorter than its header says");
    fclose(file);
    return bytes;
}

/* ---- drawing ---- */

/* Strokes of each digit: points (x, y) in a box of 20 x 20, y down; -1 lifts the pen, -2 ends. */
static const signed char digits_strokes[DIGITS_CLASSES][48] = {
    { 10, 1, 15, 3, 17, 10, 15, 17, 10, 19, 5, 17, 3, 10, 5, 3, 10, 1, -2 },
    { 6, 5, 11, 1, 11, 19, -2 },
    { 4, 5, 7, 1, 13, 1, 16, 5, 14, 10, 4, 19, 17, 19, -2 },
    { 4, 3, 9, 1, 15, 3, 15, 7, 9, 10, 15, 12, 16, 16, 10, 19, 4, 17, -2 },
    { 13, 19, 13, 1, 3, 13, 18, 13, -2 },
    { 16, 1, 6, 1, 5, 9, 11, 8, 16, 11, 15, 17, 10, 19, 4, 17, -2 },
    { 15, 2, 9, 3, 5, 9, 4, 15, 8, 19, 13, 18, 16, 14, 13, 10, 8, 11, 4, 15, -2 },
    { 3, 1, 17, 1, 12, 9, 8, 19, -2 },
    { 10, 9, 5, 6, 6, 2, 10, 1, 14, 2, 15, 6, 10, 9, 4, 13, 5, 18, 10, 19, 15, 18, 16, 13, 10, 9, -2 },
    { 16, 6, 12, 10, 6, 9, 4, 5, 7, 1, 13, 1, 16, 6, 15, 13, 10, 19, -2 },
};

static inline float digits_random(uint64_t *state) /* [0, 1) */
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / 16777216.0f;
}
static inline float digits_between(uint64_t *state, float low, float high)
{
    return low + (high - low) * digits_random(state);
}

static inline float digits_limit(float value) /* to 0 ... 1 */
{
    float low = value < 1 ? value : 1;
    return low > 0 ? low : 0;
}
/* The first and the last pixel of a row or column whose centre is within `reach` of from ... to. */
static inline void digits_span(float from, float to, float reach, int *first, int *last)
{
    float low = (from < to ? from : to) - reach - 0.5f, high = (from < to ? to : from) + reach - 0.5f;
    *first = low < 0 ? 0 : (int)low;
    *last = high > DIGITS_SIDE - 1 ? DIGITS_SIDE - 1 : (int)high;
}

/* Darkens the pixels near the line from a to b. */
static inline void digits_line(float *image, const float *a, const float *b, float width)
{
    float dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy + 1e-6f;
    int left, right, top, bottom;
    digits_span(a[0], b[0], width + 0.5f, &left, &right);
    digits_span(a[1], b[1], width + 0.5f, &top, &bottom);
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            float px = (float)x + 0.5f - a[0], py = (float)y + 0.5f - a[1];
            float along = digits_limit((px * dx + py * dy) / length);
            float ox = px - along * dx, oy = py - along * dy;
            float ink = digits_limit(width + 0.5f - sqrtf(ox * ox + oy * oy));
            float *pixel = &image[y * DIGITS_SIDE + x];
            *pixel = *pixel > ink ? *pixel : ink;
        }
}

/* A digit, turned, sheared, scaled and moved at random, with noise. */
static inline void digits_draw_one(float *image, unsigned digit, uint64_t *state)
{
    float angle = digits_between(state, -0.3f, 0.3f), shear = digits_between(state, -0.3f, 0.3f),
          width = digits_between(state, 0.7f, 1.6f);
    float sx = digits_between(state, 0.75f, 1.1f), sy = digits_between(state, 0.8f, 1.1f),
          mx = digits_between(state, -2, 2), my = digits_between(state, -2, 2);
    float c = cosf(angle), s = sinf(angle), before[2] = { 0, 0 };
    bool down = false;
    memset(image, 0, DIGITS_PIXELS * sizeof(*image));
    for (const signed char *at = digits_strokes[digit]; *at != -2;) {
        if (*at == -1) {
            down = false;
            ++at;
            continue;
        }
        float y = ((float)at[1] - 10 + digits_between(state, -0.8f, 0.8f)) * sy,
              x = ((float)at[0] - 10 + digits_between(state, -0.8f, 0.8f)) * sx + shear * y;
        float point[2];
        point[0] = c * x - s * y + 14 + mx;
        point[1] = s * x + c * y + 14 + my;
        if (down)
            digits_line(image, before, point, width);
        memcpy(before, point, sizeof(point));
        down = true;
        at += 2;
    }
    for (int i = 0; i < DIGITS_PIXELS; ++i)
        image[i] = digits_limit(image[i] * digits_between(state, 0.85f, 1) + digits_between(state, -0.1f, 0.1f));
}

static inline struct digits digits_draw(size_t count, uint64_t seed)
{
    struct digits digits = digits_new(count, true);
    for (size_t i = 0; i < count; ++i) {
        digits.labels[i] = (uint32_t)(digits_random(&seed) * DIGITS_CLASSES);
        digits_draw_one(digits.images + i * DIGITS_PIXELS, digits.labels[i], &seed);
    }
    return digits;
}

/* The files DIRECTORY/SET-images-idx3-ubyte and DIRECTORY/SET-labels-idx1-ubyte, at most limit digits of them; the same
 * number of drawn digits (at most 10,000, from a seed) if there are no such files. */
static inline struct digits digits_load(const char *directory, const char *set, size_t limit, uint64_t seed)
{
    char images[1024], labels[1024];
    size_t count = 0, labelled = 0;
    snprintf(images, sizeof(images), "%s/%s-images-idx3-ubyte", directory, set);
    snprintf(labels, sizeof(labels), "%s/%s-labels-idx1-ubyte", directory, set);
    unsigned char *pixels = digits_read(images, 2051, DIGITS_PIXELS, limit, &count),
                  *named = digits_read(labels, 2049, 1, limit, &labelled);
    if (!pixels && !named)
        return digits_draw(limit < 10000 ? limit : 10000, seed);
    if (!pixels || !named || count != labelled)
        digits_fail(pixels ? labels : images, "the pictures and the labels do not belong together");
    struct digits digits = digits_new(count, false);
    for (size_t i = 0; i < count; ++i) {
        if (named[i] >= DIGITS_CLASSES)
            digits_fail(labels, "a label is no digit");
        digits.labels[i] = named[i];
    }
    for (size_t i = 0; i < count * DIGITS_PIXELS; ++i)
        digits.images[i] = (float)pixels[i] / 255.0f;
    free(pixels);
    free(named);
    return digits;
}

#endif
