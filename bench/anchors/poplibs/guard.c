/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 1000 };

struct guard {
    struct guarded {
        unsigned machine;
        char name[96];
        bool sample, seen;
    } rows[LIMIT];
    size_t count, left, arrived, held;
};

struct guard *guard_read(const char *path)
{
    struct guard *guard = calloc(1, sizeof(*guard));
    FILE *file = fopen(path, "r");
    char line[256], sample[16];
    if (!file || !guard) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof(line), file)) {
        struct guarded *row = guard->rows + guard->count;
        if (*line == '#' || *line == '\n')
            continue;
        int fields = guard->count < LIMIT ? sscanf(line, "ipu%u %95s %15s", &row->machine, row->name, sample) : 0;
        if (fields < 2 || (fields == 3 && strcmp(sample, "sample") != 0)) {
            fprintf(stderr, "%s: not a line of the form 'ipu1 NAME' or 'ipu1 NAME sample': %s", path, line);
            exit(2);
        }
        row->sample = fields == 3;
        ++guard->count;
    }
    fclose(file);
    return guard;
}

static struct guarded *find(const struct guard *guard, const struct row *row)
{
    for (size_t i = 0; guard && i < guard->count; ++i)
        if (guard->rows[i].machine == row->machine && strcmp(guard->rows[i].name, row->name) == 0)
            return (struct guarded *)(guard->rows + i);
    return NULL;
}

bool guard_takes(const struct guard *guard, const struct row *row, bool sample)
{
    const struct guarded *guarded = find(guard, row);
    return !sample || (guarded && guarded->sample);
}

char guard_mark(struct guard *guard, const struct row *row, bool within)
{
    struct guarded *guarded = find(guard, row);
    if (guarded)
        guarded->seen = true;
    if (guard && guarded && within)
        ++guard->held;
    if (!guard || !guarded == !within)
        return ' ';
    ++*(within ? &guard->arrived : &guard->left);
    return within ? '+' : '!';
}

bool guard_end(struct guard *guard, bool all)
{
    if (!guard)
        return true;
    size_t missing = 0;
    for (size_t i = 0; all && i < guard->count; ++i)
        if (!guard->rows[i].seen) {
            printf("! ipu%u %s is on the list of rows within, and no published row\n", guard->rows[i].machine,
                   guard->rows[i].name);
            ++missing;
        }
    printf("%zu rows of the list within: %zu held, %zu left it (!), %zu are within and not on it (+)\n", guard->count,
           guard->held, guard->left, guard->arrived);
    bool good = guard->left == 0 && missing == 0;
    free(guard);
    return good;
}
