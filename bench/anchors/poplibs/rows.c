/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the published tables.  A row's parameters are in the table of parameters, or in its name. */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_table(const char *directory, const char *name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    return file;
}

/* The names of parameters in a row's name (published/README.md): their numbers are the values. */
static bool from_name(struct row *row)
{
    unsigned a, b, c, d;
    char type[16] = "half", lower[8];
    const char *name = row->name;
    if (sscanf(name, "gemm_%ux%ux%u", &a, &b, &c) == 3) {
        strcpy(row->operation, "gemm");
        snprintf(row->parameters, sizeof(row->parameters), "--m=%u --k=%u --n=%u", a, b, c);
    } else if (sscanf(name, "bert_grouped_%ux%ux%ux%u", &a, &b, &c, &d) == 4) {
        strcpy(row->operation, "fc");
        snprintf(row->parameters, sizeof(row->parameters),
                 "--num-groups=%u --batch-size=%u --input-size=%u --output-size=%u", a, b, c, d);
    } else if (sscanf(name, "bert_proj_%ux%ux%u", &a, &b, &c) == 3) { /* sequence, hidden, hidden */
        strcpy(row->operation, "fc");
        snprintf(row->parameters, sizeof(row->parameters), "--batch-size=%u --input-size=%u --output-size=%u", b, c, a);
    } else if (sscanf(name, "fc_layer_%u_%u_%u_%15s", &a, &b, &c, type) == 4 ||
               sscanf(name, "fc_layer_%ux%ux%u", &a, &b, &c) == 3 ||
               sscanf(name, "bert_%*[a-z0-9]_%ux%ux%u", &a, &b, &c) == 3) {
        strcpy(row->operation, "fc");
        snprintf(row->parameters, sizeof(row->parameters),
                 "--batch-size=%u --input-size=%u --output-size=%u --data-type=%s", a, b, c, type);
    } else if (sscanf(name, "cholesky_batch_%u_dim_%u_block_%u_lower_%7[a-z]_type_%15s", &a, &b, &c, lower, type) ==
               5) {
        strcpy(row->operation, "cholesky");
        snprintf(row->parameters, sizeof(row->parameters),
                 "--batches=%u --rank=%u --block-size=%u --lower=%s --data-type=%s", a, b, c, lower, type);
    } else if (sscanf(name, "ctc_loss_t%u_l%u_c%u_bs%u", &a, &b, &c, &d) == 4) {
        strcpy(row->operation, "ctc_loss");
        snprintf(row->parameters, sizeof(row->parameters),
                 "--max-time=%u --max-label-length=%u --num-classes=%u --batch=%u", a, b, c, d);
    } else {
        return false;
    }
    return true;
}

/* The row's line in the table of parameters; that of solvers has no _left or _right. */
static bool from_table(struct row *row, const char *table)
{
    char name[96];
    snprintf(name, sizeof(name), "%s", row->name);
    char *side = strstr(name, "_left") ? strstr(name, "_left") : strstr(name, "_right");
    if (side)
        *side = 0;
    size_t length = strlen(name);
    for (const char *line = table; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, name, length) != 0 || line[length] != ';')
            continue;
        if (sscanf(line + length + 1, "%23[^;];%255[^\n]", row->operation, row->parameters) < 1)
            return false;
        if (side)
            strncat(row->parameters, strstr(row->name, "_left") ? " --side=left" : " --side=right",
                    sizeof(row->parameters) - strlen(row->parameters) - 1);
        return true;
    }
    return false;
}

size_t rows_read(const char *directory, struct row **rows)
{
    enum { LIMIT = 4000, TABLE = 1 << 20 };
    char line[512], *table = calloc(TABLE, 1);
    size_t count = 0;
    *rows = calloc(LIMIT, sizeof(**rows));
    FILE *file = open_table(directory, "ipu-model-benchmarks-parameters.csv");
    if (!table || !*rows || fread(table, 1, TABLE - 1, file) == 0)
        exit(2);
    fclose(file);
    file = open_table(directory, "ipu-model-benchmarks.csv");
    while (count < LIMIT && fgets(line, sizeof(line), file)) {
        struct row *row = &(*rows)[count];
        *row = (struct row){ 0 };
        if (sscanf(line, "IpuModel%u,%*[^,],%95[^,],%lf,%*[^,],%lf,%*[^,],%lf", &row->machine, row->name,
                   &row->published.cycles, &row->published.total, &row->published.max) != 5)
            continue;
        if (!from_table(row, table) && !from_name(row))
            strcpy(row->operation, "unknown");
        ++count;
    }
    fclose(file);
    free(table);
    return count;
}

/* ---- parameters ---- */

static const char *value_of(const struct row *row, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = row->parameters; (at = strstr(at, "--")); at += 2)
        if (strncmp(at + 2, key, length) == 0 && (at[2 + length] == ' ' || at[2 + length] == '='))
            return at + 3 + length;
    return NULL;
}
size_t row_list(const struct row *row, const char *key, size_t *values, size_t capacity)
{
    const char *at = value_of(row, key);
    size_t count = 0;
    if (!at)
        return 0;
    for (at += *at == '{'; *at >= '0' && *at <= '9' && count < capacity; at += *at == ',') {
        char *end;
        values[count++] = strtoul(at, &end, 10);
        at = end;
    }
    return count;
}
size_t row_number(const struct row *row, const char *key, size_t otherwise)
{
    size_t value;
    return row_list(row, key, &value, 1) ? value : otherwise;
}
const char *row_word(const struct row *row, const char *key, const char *otherwise)
{
    static char word[64];
    const char *at = value_of(row, key);
    if (!at)
        return otherwise;
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, " "), at);
    return word;
}
pop_type row_type(const struct row *row, pop_type otherwise)
{
    const char *word = row_word(row, "data-type", row_word(row, "type", NULL));
    return word ? pop_type_by_name(word) : otherwise;
}
