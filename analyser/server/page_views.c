/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of Trace, Memory and Liveness for an exported page. Requests that depend on a window are answered
 * once for the whole at high resolution, and the page extracts the visible part (analyser/page/data/exported/). */
#include "page_calls.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_CELLS = 400000, /* maximum of steps x tiles with details */
    MAX_WHOLE_TILES = 4096,
    MAX_LAYOUTS = 16,
    MAX_PLOTTED = 24, /* variables plotted by tile */
    NUMBER = 24
};

static const char *number(char text[NUMBER], uint64_t value)
{
    snprintf(text, NUMBER, "%llu", (unsigned long long)value);
    return text;
}

static uint64_t of_json(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_number(value) && json_number_value(value) > 0 ? (uint64_t)json_number_value(value) : 0;
}

/* A lane in all of the page's drawing modes. */
static void lane_of(struct page_out *page, uint64_t lane, const char *pixels)
{
    static const char *const flames[] = { "0", "1", "2" }, *const groups[] = { "", "syncs", "executions",
                                                                               "syncs,executions" };
    char text[NUMBER];
    number(text, lane);
    for (size_t f = 0; f < sizeof(flames) / sizeof(flames[0]); ++f)
        for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g)
            page_call(page, "trace/window",
                      (struct parameter[]){
                          { "flame", flames[f] }, { "group", groups[g] }, { "lane", text }, { "pixels", pixels } },
                      4, 3, NULL);
    page_call(page, "trace/memory", (struct parameter[]){ { "lane", text }, { "pixels", "8192" } }, 2, 1, NULL);
}

/* The activity of the tiles of an IPU, as one picture. */
static void bsp_of(struct page_out *page, uint64_t ipu, uint64_t tiles)
{
    char first[NUMBER], count[NUMBER];
    number(first, ipu * tiles);
    number(count, tiles);
    page_call(page, "trace/bsp",
              (struct parameter[]){ { "tile", first }, { "tiles", count }, { "height", "128" }, { "pixels", "4096" } },
              4, 2, NULL);
}

static void blocks_of(struct page_out *page, const json_t *tiles)
{
    size_t i;
    json_t *tile;
    json_array_foreach(tiles, i, tile)
    {
        char text[NUMBER];
        number(text, of_json(tile, "tile"));
        for (int io = 0; io < 2; ++io)
            page_call(page, "trace/blocks",
                      (struct parameter[]){ { "io", io ? "1" : "0" }, { "tile", text }, { "pixels", "8192" } }, 3, 2,
                      NULL);
    }
}

void page_trace(struct page_out *page)
{
    struct answer lanes = { 0 };
    if (!page_call(page, "trace/lanes", NULL, 0, 0, &lanes))
        return;
    const json_t *about = lanes.json;
    uint64_t ipus = of_json(about, "ipus"), tiles = of_json(about, "tilesPerIpu"), steps = of_json(about, "steps"),
             extent = of_json(about, "to") - of_json(about, "from");
    char text[NUMBER], pixels[NUMBER];
    number(pixels, extent < 1 << 20 ? extent + 1 : 1 << 20);
    for (uint64_t ipu = 0; ipu < ipus && steps; ++ipu) {
        lane_of(page, ipu, pixels);
        bsp_of(page, ipu, tiles);
    }
    page_call(page, "trace/summary", NULL, 0, 0, NULL);
    for (size_t i = 0; i < json_array_size(json_object_get(about, "runs")) && i < MAX_DETAILS; ++i)
        page_call(page, "trace/run", &(struct parameter){ "index", number(text, i) }, 1, 1, NULL);
    uint64_t cells = ipus * tiles, max = MAX_CELLS / (cells ? cells : 1);
    for (uint64_t i = 0; i < steps && i < MAX_DETAILS && i < max; ++i)
        page_call(page, "trace/step", &(struct parameter){ "index", number(text, i) }, 1, 1, NULL);
    blocks_of(page, json_object_get(about, "tiles"));
    answer_clear(&lanes);
}

static void add_word(struct str *list, const char *word)
{
    str_format(list, "%s%s", list->length ? "," : "", word);
}

/* The names of the figures that the Memory view can draw by tile: fixed ones, categories, and the largest variables. */
static char *figures_of(struct page_out *page, const json_t *memory)
{
    static const char *const fixed[] = { "total",      "gaps",       "nonInterleaved", "interleaved",
                                         "overflowed", "alwaysLive", "notAlwaysLive" };
    struct str list = { 0 };
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); ++i)
        add_word(&list, fixed[i]);
    size_t i;
    json_t *category;
    json_array_foreach(json_object_get(memory, "categories"), i, category)
    {
        struct str word = { 0 };
        str_format(&word, "category:%s", json_string_value(json_object_get(category, "name")));
        add_word(&list, word.text);
        page_call(page, "memory/plan", &(struct parameter){ "figure", word.text }, 1, 1, NULL);
        str_free(&word);
    }
    for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); ++i)
        page_call(page, "memory/plan", &(struct parameter){ "figure", fixed[i] }, 1, 1, NULL);
    return list.text;
}

/* The largest variables, each by tile. */
static void plotted_of(struct page_out *page, const char *order, const char *tiles)
{
    struct answer variables = { 0 };
    if (!page_call(page, "memory/variables", &(struct parameter){ "search", "" }, 1, 1, &variables))
        return;
    const struct column *ids = page_column(&variables, "id");
    for (size_t i = 0; ids && i < ids->count && i < MAX_PLOTTED; ++i) {
        char series[2 * NUMBER];
        snprintf(series, sizeof(series), "variable:%.0f", ((const double *)ids->data)[i]);
        page_call(
            page, "memory/tiles",
            (struct parameter[]){ { "order", order }, { "series", series }, { "key", series }, { "pixels", tiles } }, 4,
            2, NULL);
    }
    answer_clear(&variables);
}

void page_memory(struct page_out *page)
{
    static const char *const kinds[] = { "computeSets", "exchanges", "vertexTypes" }, *const orders[] = { "software",
                                                                                                          "physical" };
    struct answer overview = { 0 };
    if (!page_call(page, "memory", NULL, 0, 0, &overview))
        return;
    char text[NUMBER], count[NUMBER], *figures = figures_of(page, overview.json);
    uint64_t tiles = of_json(overview.json, "tiles"), peak = of_json(overview.json, "peakTile");
    number(count, tiles ? tiles : 1);
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); ++i) {
        page_call(page, "memory/tiles",
                  (struct parameter[]){ { "order", orders[i] }, { "series", figures }, { "pixels", count } }, 3, 1,
                  NULL);
        plotted_of(page, orders[i], count);
    }
    page_call(page, "memory/plan", NULL, 0, 0, NULL);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
        page_call(page, "memory/code", &(struct parameter){ "kind", kinds[i] }, 1, 1, NULL);
    for (uint64_t tile = 0; tile < tiles && tile < MAX_WHOLE_TILES; ++tile) {
        page_call(page, "memory/tile", &(struct parameter){ "tiles", number(text, tile) }, 1, 1, NULL);
        if (tile < MAX_LAYOUTS || tile == peak)
            page_call(page, "memory/layout", &(struct parameter){ "tile", text }, 1, 1, NULL);
    }
    free(figures);
    answer_clear(&overview);
}

/* Lifetimes of the variables of a list. */
static void fill_lifetimes(struct page_out *page, const char *path)
{
    struct answer list = { 0 };
    if (!page_call(page, path, NULL, 0, 0, &list))
        return;
    const struct column *names = page_column(&list, "name");
    for (size_t i = 0; names && i < names->count && i < MAX_DETAILS; ++i) {
        char *name = page_text(names, i);
        page_call(page, "liveness/variable", &(struct parameter){ "name", name }, 1, 1, NULL);
        free(name);
    }
    answer_clear(&list);
}

void page_liveness(struct page_out *page)
{
    struct answer whole = { 0 };
    char text[NUMBER];
    if (!page_call(page, "liveness/steps", (struct parameter[]){ { "source", "all" }, { "pixels", "16384" } }, 2, 1,
                   &whole))
        return;
    uint64_t steps = of_json(whole.columns.meta, "steps");
    page_call(page, "liveness/names", NULL, 0, 0, NULL);
    for (uint64_t step = 0; step < steps && step < MAX_DETAILS; ++step)
        page_call(page, "liveness/step", &(struct parameter){ "steps", number(text, step) }, 1, 1, NULL);
    fill_lifetimes(page, "liveness/always");
    for (uint64_t ipu = 0;
         page_call(page, "liveness/steps",
                   (struct parameter[]){ { "index", number(text, ipu) }, { "source", "ipu" }, { "pixels", "16384" } },
                   3, 2, NULL);
         ++ipu)
        continue;
    answer_clear(&whole);
}
