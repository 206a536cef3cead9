/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of a program as indented text. */
#include "program/node.h"

/* What is beside the class: the object it works on. */
static void dump_operands(const pop_store *store, const struct program_node *node, FILE *file)
{
    switch ((enum program_kind)node->kind) {
    case PROGRAM_EXECUTE:
        fprintf(file, " '%s'", store_name(store, store->sets.data[node->object].name));
        break;
    case PROGRAM_COPY:
    case PROGRAM_CROSS_COPY:
        fprintf(file, " %llu elements", (unsigned long long)node->source->elements);
        break;
    case PROGRAM_STREAM_IN:
    case PROGRAM_STREAM_OUT:
        fprintf(file, " %s stream '%s'", node->kind == PROGRAM_STREAM_IN ? "from" : "to",
                store_name(store, store->streams.data[node->object].name));
        break;
    case PROGRAM_REMOTE_IN:
    case PROGRAM_REMOTE_OUT:
        fprintf(file, " %s remote buffer '%s'", node->kind == PROGRAM_REMOTE_IN ? "from" : "to",
                store_name(store, store->remotes.data[node->object].name));
        break;
    case PROGRAM_REPEAT:
        fprintf(file, " %u times", node->count);
        break;
    case PROGRAM_CALL:
        fprintf(file, " function %u", node->object);
        break;
    case PROGRAM_CALL_HOST:
        fprintf(file, " host function '%s'", store_name(store, store->host_functions.data[node->object].name));
        break;
    case PROGRAM_PRINT:
        fprintf(file, " '%s'", node->text ? node->text : node->tensor_name);
        break;
    case PROGRAM_ABORT:
    case PROGRAM_ABORT_IF:
    case PROGRAM_ERROR:
        fprintf(file, " '%s'", node->text ? node->text : "");
        break;
    default:
        break;
    }
}

static void dump_node(const pop_store *store, uint32_t index, unsigned depth, FILE *file)
{
    enum { DEEPEST = 200 };
    const struct program_node *node = store->programs.data[index];
    fprintf(file, "%*s%s", (int)depth * 2, "", program_kind_name((enum program_kind)node->kind));
    if (node->name)
        fprintf(file, ": %s", store_name(store, node->name));
    dump_operands(store, node, file);
    fputc('\n', file);
    if (depth >= DEEPEST && node->children.count) {
        fprintf(file, "%*s... deeper programs are left out\n", (int)depth * 2 + 2, "");
        return;
    }
    for (size_t i = 0; i < node->children.count; ++i) {
        if (node->kind == PROGRAM_SWITCH && i)
            fprintf(file, "%*scase %d:\n", (int)depth * 2 + 1, "", (int)node->values.data[i - 1]);
        if (node->children.data[i] != NO_PROGRAM)
            dump_node(store, node->children.data[i], depth + 1, file);
    }
}

bool pop_dump_program(pop_graph *graph, pop_program program, FILE *file)
{
    if (!graph || !file || !program_node(graph->store, program))
        return false;
    dump_node(graph->store, program.id - 1, 0, file);
    return !ferror(file);
}
