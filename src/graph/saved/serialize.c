/* SPDX-License-Identifier: Apache-2.0 */
/* Serialisation: layouts of tensors, which can be read back; dump.c writes the whole graph for tools. */
#include "graph/graph.h"
#include "graph/saved/saved.h"

#include "base/file.h"

#include <errno.h>
#include <poplar/text.h>

bool saved_put(pop_graph *graph, pop_where where, const char *api, FILE *file, const void *data, size_t size)
{
    if (fwrite(data, 1, size, file) == size && fflush(file) == 0)
        return true;
    return store_fail(graph->store, POP_FILE_LOAD_ERROR, where, api, "the file cannot be written: %s",
                      pop_text_from_errno(errno));
}

bool saved_check_file(pop_graph *graph, pop_where where, const char *api, const FILE *file, pop_serialization format)
{
    if (!graph_ready(graph))
        return false;
    if (!file)
        return store_fail(graph->store, POP_FILE_LOAD_ERROR, where, api, "the file is NULL");
    if (format != POP_SERIALIZE_BINARY && format != POP_SERIALIZE_JSON)
        return store_fail(graph->store, POP_POPLAR_ERROR, where, api,
                          "%d is no format: POP_SERIALIZE_BINARY and POP_SERIALIZE_JSON are", (int)format);
    return true;
}

bool pop_graph_serialize_tensors_at(pop_where where, pop_graph *graph, FILE *file, pop_tensors tensors,
                                    pop_serialization format)
{
    static const char api[] = "pop_graph_serialize_tensors";
    if (!saved_check_file(graph, where, api, file, format))
        return false;
    if (!store_has_list(graph->store, POP_POPLAR_ERROR, where, api, "tensors", tensors.count, tensors.list))
        return false;
    for (size_t i = 0; i < tensors.count; ++i)
        if (!graph_tensor(graph, where, api, "", POP_POPLAR_ERROR, tensors.list[i]))
            return false;
    pop_store *store = graph->store;
    struct saved layout = { 0 };
    uint32_t *index = mem_zero(store->variables.count, sizeof(*index));
    for (size_t i = 0; i < tensors.count; ++i)
        saved_collect(&layout, store, tensors.list[i], index);
    free(index);
    bool ok;
    if (format == POP_SERIALIZE_JSON) {
        struct str text = { 0 };
        saved_write_json(&layout, &text);
        ok = saved_put(graph, where, api, file, text.text, text.length);
        str_free(&text);
    } else {
        char *data;
        size_t size;
        saved_write_binary(&layout, &data, &size);
        ok = saved_put(graph, where, api, file, data, size);
        free(data);
    }
    saved_free(&layout);
    return ok;
}

size_t pop_graph_deserialize_tensors_at(pop_where where, pop_graph *graph, FILE *file, pop_serialization format,
                                        pop_tensor *tensors, size_t capacity)
{
    static const char api[] = "pop_graph_deserialize_tensors";
    if (!saved_check_file(graph, where, api, file, format))
        return 0;
    pop_error error = { 0 };
    char *data, text[256] = "";
    size_t size, count = 0;
    if (file_read_stream(file, &data, &size, &error) != POP_OK) {
        store_record(graph->store, &error, where, api);
        return 0;
    }
    struct saved layout = { 0 };
    bool ok = format == POP_SERIALIZE_JSON ? saved_read_json(data, size, &layout, &error)
                                           : saved_read_binary(data, size, &layout, &error);
    if (!ok)
        store_fail(graph->store, POP_PARSE_ERROR, where, api, "%s", error.text);
    else if (!saved_check(&layout, graph_num_tiles(graph->store->top), text, sizeof(text)))
        store_fail(graph->store, POP_PARSE_ERROR, where, api, "%s", text);
    else if (saved_build(&layout, graph, where, api, tensors, tensors ? capacity : 0))
        count = layout.tensors.count;
    saved_free(&layout);
    free(data);
    return count;
}
