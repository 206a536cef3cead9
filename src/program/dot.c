/* SPDX-License-Identifier: Apache-2.0 */
/* Graphviz pictures of what programs do: boxes for steps or vertices, ellipses for variables, dashed arrows for the
 * order of steps. */
#include "base/str.h"
#include "graph/store/store.h"
#include "graph/view/edge.h"
#include "graph/view/view.h"
#include "program/node.h"

#include <stdio.h>

#define NO_STEP SIZE_MAX

enum { READ = 1, WRITTEN = 2 };

struct dot {
    const pop_store *store;
    struct str out;
    bool vertices;             /* every vertex of the executed sets, instead of the steps */
    uint32_t *first, *members; /* vertices of each compute set: members[first[set] ..] */
    uint8_t *use;              /* of each variable, by the box being drawn */
    VEC(uint32_t) touched;     /* variables whose use is not 0 */
    bool *variable_drawn, *set_drawn, *function_drawn, *inside; /* inside: nodes on the way from the root */
    size_t steps, last; /* boxes drawn, and the latest in this order of execution */
};

static void quote(struct dot *dot, const char *text)
{
    for (const char *c = text; *c; ++c)
        str_format(&dot->out, *c == '"' || *c == '\\' ? "\\%c" : (unsigned char)*c < 0x20 ? " " : "%c", *c);
}

/* ---- which variables ---- */

struct use_walk {
    struct dot *dot;
    uint8_t use;
};

static bool use_run(const struct run *run, void *context)
{
    struct use_walk *walk = context;
    uint8_t *use = &walk->dot->use[run->variable];
    if (!*use)
        *vec_push(&walk->dot->touched) = run->variable;
    *use |= walk->use;
    return true;
}

static void use_view(struct dot *dot, const struct view *view, uint8_t use)
{
    struct use_walk walk = { dot, use };
    if (view)
        view_each_run(view, use_run, &walk);
}

static void use_edge(struct dot *dot, const struct edge *edge, uint8_t use)
{
    struct use_walk walk = { dot, use };
    edge_each_run(dot->store, edge, use_run, &walk);
}

static void use_vertex(struct dot *dot, const struct vertex *vertex)
{
    static const uint8_t uses[] = {
        [FIELD_STATE] = 0, [FIELD_INPUT] = READ, [FIELD_OUTPUT] = WRITTEN, [FIELD_INOUT] = READ | WRITTEN
    };
    const struct codelet *codelet = dot->store->types.data[vertex->type].codelet;
    for (uint32_t i = vertex->edge; i != NO_EDGE; i = edge_next(dot->store->edges.data, i)) {
        const struct edge *edge = &dot->store->edges.data[i];
        if (codelet->fields[edge->field].direction != FIELD_STATE)
            use_edge(dot, edge, uses[codelet->fields[edge->field].direction]);
    }
}

/* Draws the variables in use and arrows between them and a box, and forgets them. */
static void draw_uses(struct dot *dot, const char *box, size_t number)
{
    for (size_t i = 0; i < dot->touched.count; ++i) {
        uint32_t index = dot->touched.data[i];
        const struct variable *variable = &dot->store->variables.data[index];
        if (!dot->variable_drawn[index]) {
            str_format(&dot->out, "  v%u [shape=ellipse%s,label=\"", index, variable->constant ? ",style=dashed" : "");
            const char *name = store_name(dot->store, variable->name);
            if (*name)
                quote(dot, name);
            else
                str_format(&dot->out, "variable %u", index);
            str_format(&dot->out, "\\n%s, %llu\"];\n", pop_type_name((pop_type)variable->type),
                       (unsigned long long)variable->elements);
            dot->variable_drawn[index] = true;
        }
        if (dot->use[index] & READ)
            str_format(&dot->out, "  v%u -> %s%zu;\n", index, box, number);
        if (dot->use[index] & WRITTEN)
            str_format(&dot->out, "  %s%zu -> v%u;\n", box, number, index);
        dot->use[index] = 0;
    }
    dot->touched.count = 0;
}

/* ---- vertices of a set ---- */

static void draw_set(struct dot *dot, uint32_t set)
{
    if (dot->set_drawn[set])
        return;
    dot->set_drawn[set] = true;
    str_format(&dot->out, "  subgraph cluster_set%u {\n    label=\"", set);
    quote(dot, store_name(dot->store, dot->store->sets.data[set].name));
    str_add(&dot->out, "\";\n");
    for (uint32_t i = dot->first[set]; i < dot->first[set + 1]; ++i) {
        const struct vertex *vertex = &dot->store->vertices.data[dot->members[i]];
        str_format(&dot->out, "    x%u [label=\"", dot->members[i]);
        quote(dot, dot->store->types.data[vertex->type].codelet->name);
        if (vertex->tile == UNMAPPED_TILE)
            str_add(&dot->out, "\\nunmapped\"];\n");
        else
            str_format(&dot->out, "\\ntile %u\"];\n", vertex->tile);
    }
    str_add(&dot->out, "  }\n");
    for (uint32_t i = dot->first[set]; i < dot->first[set + 1]; ++i) {
        use_vertex(dot, &dot->store->vertices.data[dot->members[i]]);
        draw_uses(dot, "x", dot->members[i]);
    }
}

/* ---- steps ---- */

static void use_step(struct dot *dot, const struct program_node *node)
{
    use_view(dot, node->source, node->kind == PROGRAM_EXECUTE || node->kind == PROGRAM_WRITE_UNDEF ? WRITTEN : READ);
    use_view(dot, node->destination, WRITTEN);
    use_view(dot, node->control, READ);
    size_t inputs = node->kind == PROGRAM_CALL_HOST ? dot->store->host_functions.data[node->object].input_count : 0;
    for (size_t i = 0; i < node->operands.count && node->kind != PROGRAM_CROSS_COPY; ++i)
        use_view(dot, node->operands.data[i], i < inputs ? READ : WRITTEN);
    if (node->kind == PROGRAM_EXECUTE)
        for (uint32_t i = dot->first[node->object]; i < dot->first[node->object + 1]; ++i)
            use_vertex(dot, &dot->store->vertices.data[dot->members[i]]);
}

/* What a step works with beside variables: the compute set, stream, buffer or function. */
static const char *object_name(const struct dot *dot, const struct program_node *node)
{
    const pop_store *store = dot->store;
    switch (node->kind) {
    case PROGRAM_EXECUTE:
        return store_name(store, store->sets.data[node->object].name);
    case PROGRAM_STREAM_IN:
    case PROGRAM_STREAM_OUT:
        return store_name(store, store->streams.data[node->object].name);
    case PROGRAM_REMOTE_IN:
    case PROGRAM_REMOTE_OUT:
        return store_name(store, store->remotes.data[node->object].name);
    case PROGRAM_CALL_HOST:
        return store_name(store, store->host_functions.data[node->object].name);
    default:
        return "";
    }
}

static void draw_step(struct dot *dot, const struct program_node *node)
{
    size_t step = dot->steps++;
    str_format(&dot->out, "  s%zu [label=\"%s", step, program_kind_name((enum program_kind)node->kind));
    if (node->kind == PROGRAM_CALL)
        str_format(&dot->out, " function %u", node->object);
    if (node->kind == PROGRAM_REPEAT)
        str_format(&dot->out, " %u", node->count);
    const char *texts[] = { object_name(dot, node), store_name(dot->store, node->name) };
    for (int i = 0; i < 2; ++i)
        if (*texts[i]) {
            str_add(&dot->out, "\\n");
            quote(dot, texts[i]);
        }
    str_add(&dot->out, "\"];\n");
    if (dot->last != NO_STEP)
        str_format(&dot->out, "  s%zu -> s%zu [style=dashed];\n", dot->last, step);
    dot->last = step;
    use_step(dot, node);
    draw_uses(dot, "s", step);
}

static void draw_program(struct dot *dot, uint32_t index);

static void draw_function(struct dot *dot, uint32_t function)
{
    if (dot->function_drawn[function])
        return;
    dot->function_drawn[function] = true;
    size_t last = dot->last;
    dot->last = NO_STEP;
    str_format(&dot->out, "  subgraph cluster_function%u {\n  label=\"function %u\";\n", function, function);
    draw_program(dot, dot->store->functions.data[function].program);
    str_add(&dot->out, "  }\n");
    dot->last = last;
}

/* A sequence is its children in turn; any other node is a box of its own, before what it controls. */
static void draw_program(struct dot *dot, uint32_t index)
{
    const struct program_node *node = index < dot->store->programs.count ? dot->store->programs.data[index] : NULL;
    if (!node || dot->inside[index])
        return;
    dot->inside[index] = true;
    bool group = node->kind == PROGRAM_SEQUENCE || node->kind == PROGRAM_BLOCK;
    if (dot->vertices && node->kind == PROGRAM_EXECUTE)
        draw_set(dot, node->object);
    else if (!dot->vertices && !group)
        draw_step(dot, node);
    size_t box = dot->last;
    for (size_t i = 0; i < node->children.count; ++i) {
        if (!group)
            dot->last = box; /* alternatives and bodies all begin at their box */
        draw_program(dot, node->children.data[i]);
    }
    if (!group)
        dot->last = box;
    if (node->kind == PROGRAM_CALL)
        draw_function(dot, node->object);
    dot->inside[index] = false;
}

static void sort_vertices(struct dot *dot)
{
    const pop_store *store = dot->store;
    dot->first = mem_zero(store->sets.count + 2, sizeof(*dot->first));
    dot->members = mem_alloc(store->vertices.count * sizeof(*dot->members));
    for (size_t i = 0; i < store->vertices.count; ++i)
        ++dot->first[store->vertices.data[i].set + 2];
    for (size_t i = 0; i < store->sets.count; ++i)
        dot->first[i + 2] += dot->first[i + 1];
    for (size_t i = 0; i < store->vertices.count; ++i)
        dot->members[dot->first[store->vertices.data[i].set + 1]++] = (uint32_t)i;
}

static bool output(pop_where where, const char *api, pop_graph *graph, FILE *file, const pop_program *programs,
                   size_t count, bool vertices)
{
    if (!graph_ready(graph))
        return false;
    pop_store *store = graph->store;
    if (!file || (count && !programs))
        return store_fail(store, POP_FILE_LOAD_ERROR, where, api, "%s NULL",
                          file ? "the list of programs is" : "the file is");
    if (!node_check_programs(&(struct program_call){ store, where, api }, programs, count))
        return false;
    struct dot dot = { .store = store, .vertices = vertices };
    sort_vertices(&dot);
    dot.use = mem_zero(store->variables.count, sizeof(*dot.use));
    dot.variable_drawn = mem_zero(store->variables.count, sizeof(bool));
    dot.set_drawn = mem_zero(store->sets.count, sizeof(bool));
    dot.function_drawn = mem_zero(store->functions.count, sizeof(bool));
    dot.inside = mem_zero(store->programs.count, sizeof(bool));
    str_format(&dot.out, "digraph %s {\n  node [shape=box];\n", vertices ? "vertex_graph" : "compute_graph");
    for (size_t i = 0; i < count; ++i) {
        dot.last = NO_STEP;
        draw_program(&dot, programs[i].id - 1);
    }
    str_add(&dot.out, "}\n");
    bool ok = fwrite(dot.out.text, 1, dot.out.length, file) == dot.out.length && fflush(file) == 0;
    str_free(&dot.out);
    vec_free(&dot.touched);
    free(dot.first);
    free(dot.members);
    free(dot.use);
    free(dot.variable_drawn);
    free(dot.set_drawn);
    free(dot.function_drawn);
    free(dot.inside);
    return ok || store_fail(store, POP_FILE_LOAD_ERROR, where, api, "the file cannot be written");
}

bool pop_graph_output_compute_graph_at(pop_where where, pop_graph *graph, FILE *file, const pop_program *programs,
                                       size_t count)
{
    return output(where, "pop_graph_output_compute_graph", graph, file, programs, count, false);
}

bool pop_graph_output_vertex_graph_at(pop_where where, pop_graph *graph, FILE *file, const pop_program *programs,
                                      size_t count)
{
    return output(where, "pop_graph_output_vertex_graph", graph, file, programs, count, true);
}
