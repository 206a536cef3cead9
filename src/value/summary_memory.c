/* SPDX-License-Identifier: Apache-2.0 */
/* The summary's memory: by region, by category, of vertices, and the histogram over tiles. */
#include "value/summary.h"

/* Labels of the categories, in the order of the listing. */
static const struct {
    const char *category, *label;
} categories[] = {
    { "variable", "Variables:" },
    { "constant", "Constants:" },
    { "message", "Internal Exchange Message Buffers:" },
    { "outputEdge", "Output Edges:" },
    { "rearrangement", "Data Rearrangement Buffers:" },
    { "hostMessage", "Host Exchange Message Buffers:" },
    { "globalMessage", "Global Exchange Message Buffers:" },
    { "hostExchangePacketHeader", "Host Exchange Packet Headers:" },
    { "globalExchangePacketHeader", "Global Exchange Packet Headers:" },
    { "stack", "Stack:" },
    { "vertexInstanceState", "Vertex Instances:" },
    { "copyDescriptor", "Copy Descriptors:" },
    { "vectorListDescriptor", "VectorList Descriptors:" },
    { "vertexFieldData", "Vertex Field Data:" },
    { "controlTable", "Control Table:" },
    { "controlId", "Control IDs:" },
    { "controlCode", "Control Code:" },
    { "vertexCode", "Vertex Code:" },
    { "internalExchangeCode", "Internal Exchange Code:" },
    { "hostExchangeCode", "Host Exchange Code:" },
    { "globalExchangeCode", "Global Exchange Code:" },
    { "instrumentationResults", "Instrumentation Results:" },
    { "sharedCodeStorage", "Shared Code Storage:" },
    { "sharedDataStorage", "Shared Data Storage:" },
    { "multiple", "Multiple Categories:" },
};
enum { CATEGORIES = sizeof(categories) / sizeof(categories[0]) };

/* The tiles that a block covers. */
struct tiles {
    size_t begin, end;
};

static uint64_t sum_tiles(const pop_profile_value *by_tile, struct tiles tiles)
{
    uint64_t sum = 0;
    for (size_t i = tiles.begin; i < tiles.end; ++i)
        sum += pop_profile_as_uint(pop_profile_at(by_tile, i));
    return sum;
}

static uint64_t sum_path(const struct summary *s, const char *path, struct tiles tiles)
{
    return sum_tiles(pop_profile_path(s->graph, path), tiles);
}

/* Bytes of a category that share addresses with other data ("overlapped") or do not. */
static uint64_t category_bytes(const struct summary *s, const char *category, const char *overlap, struct tiles tiles)
{
    static const char *const regions[] = { "nonInterleaved", "interleaved", "overflowed" };
    uint64_t sum = 0;
    for (size_t i = 0; i < 3; ++i) {
        char path[128];
        snprintf(path, sizeof(path), "memory.byCategory.%s.%s.%s", category, regions[i], overlap);
        sum += sum_path(s, path, tiles);
    }
    return sum;
}

static uint64_t category_rows(struct summary *s, struct column *column, const char *overlap, struct tiles tiles)
{
    uint64_t total = 0;
    for (size_t i = 0; i < CATEGORIES; ++i) {
        uint64_t bytes = category_bytes(s, categories[i].category, overlap, tiles);
        if (bytes)
            column_add(column, 12, categories[i].label, bytes);
        total += bytes;
    }
    return total;
}

static void by_type_of_data(struct summary *s, struct tiles tiles, uint64_t total)
{
    struct column column = { 0 };
    fprintf(s->file, "      By Data Type:\n");
    column_heading(&column, 8, "Not Overlapped");
    uint64_t apart = category_rows(s, &column, "nonOverlapped", tiles);
    column_add(&column, 10, "Total:", apart);
    column_heading(&column, 8, "Overlapped");
    uint64_t overlapped = category_rows(s, &column, "overlapped", tiles);
    column_add(&column, 10, "Total:", overlapped);
    column_add(&column, 10, "Total After Overlapping:", total > apart ? total - apart : 0);
    column_print(s, &column, 13, " B");
}

/* Bytes of a kind of vertex data over all vertex types. */
static uint64_t vertex_bytes(const struct summary *s, const char *kind)
{
    const pop_profile_value *types = pop_profile_get(pop_profile_path(s->graph, "memory.byVertexType"), kind);
    return pop_profile_sum_uint(types);
}

struct named_bytes {
    const char *name;
    uint64_t bytes;
};

static int more_bytes_first(const void *a, const void *b)
{
    const struct named_bytes *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : strcmp(x->name, y->name);
}

static void vertex_data(struct summary *s)
{
    static const struct {
        const char *kind, *label;
    } kinds[] = { { "vertexDataBytes", "Internal vertex state:" },
                  { "edgePtrBytes", "Edge pointers:" },
                  { "copyPtrBytes", "Copy pointers:" },
                  { "paddingBytes", "Padding:" },
                  { "descriptorBytes", "Descriptors:" } };
    struct column column = { 0 };
    struct str total = { 0 };
    uint64_t bytes = 0;
    for (size_t i = 0; i < 5; ++i) {
        column_add(&column, 10, kinds[i].label, vertex_bytes(s, kinds[i].kind));
        bytes += column.rows.data[i].value;
    }
    text_number(&total, bytes);
    fprintf(s->file, "      Vertex Data (%sB):\n        By Category:\n", str_text(&total));
    str_free(&total);
    column_print(s, &column, 15, " B");

    const pop_profile_value *names = pop_profile_path(s->graph, "vertexTypes.names");
    const pop_profile_value *by_type = pop_profile_path(s->graph, "memory.byVertexType.totalBytes");
    size_t count = pop_profile_size(names);
    struct named_bytes *types = mem_zero(count, sizeof(*types));
    for (size_t i = 0; i < count; ++i)
        types[i] = (struct named_bytes){ pop_profile_as_string(pop_profile_at(names, i)),
                                         pop_profile_sum_uint(pop_profile_at(by_type, i)) };
    qsort(types, count, sizeof(*types), more_bytes_first);
    fprintf(s->file, "        By Type:\n");
    for (size_t i = 0; i < count; ++i)
        if (types[i].bytes)
            column_add(&column, 10, types[i].name, types[i].bytes);
    column_print(s, &column, 15, " B");
    free(types);
}

/* Whether what memory holds is known: of archive.a alone only the bytes of each tile are. */
static bool has_parts(const struct summary *s)
{
    return pop_profile_path(s->graph, "memory.byCategory") != NULL;
}

static void memory_usage(struct summary *s, struct tiles tiles)
{
    struct column column = { 0 };
    uint64_t total = sum_path(s, "memory.byTile.total", tiles);
    fprintf(s->file, "Memory Usage:\n  Total:\n");
    column_add(&column, 4, "Including Gaps:", sum_path(s, "memory.byTile.totalIncludingGaps", tiles));
    column_heading(&column, 4, "Excluding Gaps:");
    if (has_parts(s)) {
        column_heading(&column, 6, "By Memory Region:");
        column_add(&column, 8, "Non-interleaved:", sum_path(s, "memory.byTile.nonInterleaved", tiles));
        column_add(&column, 8, "Interleaved:", sum_path(s, "memory.byTile.interleaved", tiles));
        column_add(&column, 8, "Overflowed:", sum_path(s, "memory.byTile.overflowed", tiles));
    }
    column_add(&column, 6, "Total:", total);
    column_print(s, &column, 14, " B");
    if (has_parts(s))
        by_type_of_data(s, tiles, total);
}

/* Bins between the minimum and the maximum usage of a tile; their width is a power of two KB, and at most 128 are
 * printed. */
static void histogram(struct summary *s, const pop_profile_value *totals)
{
    enum { BAR_WIDTH = 40, MAX_BINS = 128 };
    size_t tiles = pop_profile_size(totals);
    uint64_t min = UINT64_MAX, max = 0;
    for (size_t i = 0; i < tiles; ++i) {
        uint64_t bytes = pop_profile_as_uint(pop_profile_at(totals, i));
        min = bytes < min ? bytes : min;
        max = bytes > max ? bytes : max;
    }
    uint64_t low = tiles ? min / 1024 : 0, high = (max + 1023) / 1024, width = 1;
    if (high <= low)
        high = low + 1;
    while ((high - low / width * width + width - 1) / width > MAX_BINS)
        width *= 2;
    low = low / width * width;
    size_t bins = (size_t)((high - low + width - 1) / width);
    uint64_t *counts = mem_zero(bins, sizeof(*counts)), fullest = 0;
    for (size_t i = 0; i < tiles; ++i) {
        size_t bin = (size_t)((pop_profile_as_uint(pop_profile_at(totals, i)) / 1024 - low) / width);
        uint64_t count = ++counts[bin < bins ? bin : bins - 1];
        fullest = count > fullest ? count : fullest;
    }
    char bound[24], range[64];
    int digits = snprintf(bound, sizeof(bound), "%llu", (unsigned long long)(low + bins * width));
    fprintf(s->file, "    Range (KB) Histogram (Excluding Gaps)               Count (tiles)\n");
    for (size_t i = 0; i < bins; ++i) {
        char stars[BAR_WIDTH + 1] = { 0 };
        if (counts[i])
            memset(stars, '*', (size_t)(1 + counts[i] * (BAR_WIDTH - 1) / fullest));
        struct str count = { 0 };
        text_number(&count, counts[i]);
        snprintf(range, sizeof(range), "%*llu - %*llu", digits, (unsigned long long)(low + i * width), digits,
                 (unsigned long long)(low + (i + 1) * width));
        fprintf(s->file, "    %10s %-*s%7s\n", range, BAR_WIDTH, stars, str_text(&count));
        str_free(&count);
    }
    free(counts);
}

static void maximum(struct summary *s, const char *what, const pop_profile_value *by_tile)
{
    uint64_t max = 0;
    size_t tile = 0;
    for (size_t i = 0; i < pop_profile_size(by_tile); ++i)
        if (pop_profile_as_uint(pop_profile_at(by_tile, i)) > max) {
            max = pop_profile_as_uint(pop_profile_at(by_tile, i));
            tile = i;
        }
    struct str text = { 0 };
    str_format(&text, "    Maximum (%s Gaps): ", what);
    text_number(&text, max);
    str_add(&text, " (");
    text_decimal(&text, (double)max / 1024);
    str_add(&text, " K) on tile ");
    text_number(&text, tile);
    fprintf(s->file, "%s\n", str_text(&text));
    str_free(&text);
}

/* The number of tiles that exceed their memory, and the usage of the five largest. */
static void out_of_memory(struct summary *s, const pop_profile_value *with_gaps)
{
    enum { SHOWN = 5 };
    uint64_t tile_bytes = pop_profile_as_uint(pop_profile_path(s->graph, "target.bytesPerTile"));
    size_t tiles = pop_profile_size(with_gaps), over = 0, worst[SHOWN], shown = 0;
    for (size_t i = 0; i < tiles; ++i) {
        uint64_t bytes = pop_profile_as_uint(pop_profile_at(with_gaps, i));
        if (bytes <= tile_bytes)
            continue;
        ++over;
        size_t place = shown < SHOWN ? shown++ : SHOWN;
        while (place && pop_profile_as_uint(pop_profile_at(with_gaps, worst[place - 1])) < bytes) {
            if (place < SHOWN)
                worst[place] = worst[place - 1];
            --place;
        }
        if (place < SHOWN)
            worst[place] = i;
    }
    struct str count = { 0 };
    text_number(&count, over);
    fprintf(s->file, "    %s tile(s) out of memory\n", str_text(&count));
    str_free(&count);
    for (size_t i = 0; i < shown; ++i) {
        fprintf(s->file, "\nTile # %zu memory usage:\n", worst[i]);
        memory_usage(s, (struct tiles){ worst[i], worst[i] + 1 });
    }
}

void summary_memory(struct summary *s)
{
    const pop_profile_value *totals = pop_profile_path(s->graph, "memory.byTile.total");
    const pop_profile_value *with_gaps = pop_profile_path(s->graph, "memory.byTile.totalIncludingGaps");
    size_t tiles = pop_profile_size(totals);
    summary_heading(s, "Memory on all IPUs:");
    memory_usage(s, (struct tiles){ 0, tiles });
    if (has_parts(s))
        vertex_data(s);
    size_t per_ipu = (size_t)pop_profile_as_uint(pop_profile_path(s->graph, "target.tilesPerIPU"));
    if (s->per_ipu_memory && per_ipu)
        for (size_t ipu = 0; ipu * per_ipu < tiles; ++ipu) {
            fprintf(s->file, "\nMemory on IPU %zu:\n", ipu);
            memory_usage(s, (struct tiles){ ipu * per_ipu, (ipu + 1) * per_ipu < tiles ? (ipu + 1) * per_ipu : tiles });
        }
    fprintf(s->file, "\n\n  By Tile (Excluding Gaps):\n");
    histogram(s, totals);
    fputc('\n', s->file);
    maximum(s, "Including", with_gaps);
    maximum(s, "Excluding", totals);
    if (pop_profile_path(s->graph, "target.bytesPerTile"))
        out_of_memory(s, with_gaps);
}
