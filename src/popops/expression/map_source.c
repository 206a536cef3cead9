/* SPDX-License-Identifier: Apache-2.0 */
/* Source of the codelet of an expression: two vertices, for one region and for several.  Both loop over blocks, with
 * one line for each node. */
#include "popops/expression/map_source.h"
#include "popops/expression/typed_expr.h"

#include <poplar/text.h>
#include <popops/operator_types.h>

struct text {
    char *text;
    size_t length, capacity;
};
static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    for (int round = 0; round < 2; ++round) {
        va_start(arguments, format);
        int length = pop_text_vformat(text->text ? text->text + text->length : NULL, text->capacity - text->length,
                                      format, arguments);
        va_end(arguments);
        if (text->length + (size_t)length < text->capacity) {
            text->length += (size_t)length;
            return;
        }
        text->text = poplibs_grown(text->text, &text->capacity, text->length + (size_t)length + 1, 1);
    }
}

/* The C spelling of a type of operator_types.h, and the integer types of its width. */
struct spelling {
    pop_type type;
    const char *tag, *c, *work, *unsigned_type, *signed_type;
};
static const struct spelling *spelling_of(pop_type type)
{
#define SPELLING(tag, c, work, unsigned_type, signed_type, text, constant, none)                                       \
    { constant, #tag, #c, #work, #unsigned_type, #signed_type },
    static const struct spelling spellings[] = { POPOPS_TYPES_EVERYTHING(SPELLING, ) };
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); ++i)
        if (spellings[i].type == type)
            return &spellings[i];
    return NULL;
}

/* ---- names ---- */

static void add_number(struct text *text, const struct typed_node *node, bool for_c)
{
    const popops_operand *value = &node->given.value;
    double real;
    char bits[8];
    pop_convert(value->value_type, &value->value, node->type, bits, 1); /* rounded to the type, as on the device */
    pop_convert(node->type, bits, POP_DOUBLE, &real, 1);
    if (pop_type_is_floating_point(node->type)) {
        if (!for_c)
            add(text, "%.9g", real);
        else if (real - real == 0)
            add(text, "%af", real);
        else
            add(text, real != real ? "__builtin_nanf(\"\")" : real < 0 ? "-__builtin_inff()" : "__builtin_inff()");
    } else {
        unsigned long long whole;
        pop_convert(node->type, bits, POP_UNSIGNED_LONGLONG, &whole, 1);
        add(text,
            for_c ? "(T)%lluu"
                    "ll"
                  : "%llu",
            whole);
    }
}

static void add_name(struct text *text, const struct typed_expr *typed, size_t at)
{
    const struct typed_node *node = &typed->nodes[at];
    if (node->given.kind == POPOPS_EXPR_PLACEHOLDER)
        add(text, "_%d", expr_input(typed, node->given.op) + 1);
    else if (node->given.kind == POPOPS_EXPR_CONST)
        add_number(text, node, false);
    else
        add(text, "%s(", node->info ? node->info->node : "Cast");
    for (int k = 0; k < node->operands; ++k) {
        add(text, k ? "," : "");
        add_name(text, typed, node->operand[k]);
    }
    if (node->given.kind == POPOPS_EXPR_CAST)
        add(text, ",%s", pop_type_name(node->type));
    if (node->operands)
        add(text, ")");
}

/* The parameters in the vertex's name: "Add(_1,Mul(_2,0.5)),float,float", the expression and the types of its inputs.
 * The end of a long name is replaced by a hash. */
static void name_expression(char *name, size_t size, const struct typed_expr *typed, const pop_tensor *inputs)
{
    struct text text = { 0 };
    uint64_t hash = UINT64_C(14695981039346656037);
    add_name(&text, typed, typed->count - 1);
    for (int i = 0; i < typed->inputs; ++i)
        add(&text, ",%s", pop_type_name(pop_tensor_type(inputs[i])));
    for (size_t i = 0; i < text.length; ++i)
        hash = (hash ^ (unsigned char)text.text[i]) * UINT64_C(1099511628211);
    if (text.length < size)
        snprintf(name, size, "%s", text.text);
    else
        snprintf(name, size, "%.*s#%016llx", (int)size - 18, text.text, (unsigned long long)hash);
    free(text.text);
}

/* ---- code ---- */

/* Adds the line "const T xI = ...;": the value of a node, in the type it is computed in. */
static void add_node(struct text *text, const struct typed_expr *typed, size_t at)
{
    const struct typed_node *node = &typed->nodes[at];
    const struct spelling *own = spelling_of(node->type);
    bool rounds = node->type == POP_HALF && node->given.kind >= POPOPS_EXPR_CAST;
    add(text, "        const %s x%zu = %s(({ ", own->work, at, rounds ? "popops_round_to_half" : "");
    if (node->given.kind == POPOPS_EXPR_PLACEHOLDER) {
        add(text, "in%d[i]", expr_input(typed, node->given.op));
    } else if (node->given.kind == POPOPS_EXPR_CONST) {
        add(text, "POPOPS_VALUE_TYPES(%s, %s, %s) ", own->work, own->unsigned_type, own->signed_type);
        add_number(text, node, true);
    } else if (node->given.kind == POPOPS_EXPR_CAST) {
        bool to_integer = pop_type_is_floating_point(typed->nodes[node->operand[0]].type) &&
                          !pop_type_is_floating_point(node->type) && node->type != POP_BOOL;
        add(text, to_integer ? "popops_float_to_%s(x%zu)" : "(%s)x%zu", to_integer ? own->tag : own->work,
            node->operand[0]);
    } else {
        const struct spelling *type = spelling_of(typed->nodes[node->operand[0]].type);
        add(text, "POPOPS_VALUE_TYPES(%s, %s, %s) const T ", type->work, type->unsigned_type, type->signed_type);
        for (int k = 0; k < node->operands; ++k) {
            if (k == 2) /* the condition of select is bool */
                add(text, "; const %s", spelling_of(typed->nodes[node->operand[2]].type)->work);
            add(text, "%s%c = x%zu", k == 1 ? ", " : k ? " " : "", 'a' + k, node->operand[k]);
        }
        add(text, "; %s",
            pop_type_is_floating_point(typed->nodes[node->operand[0]].type) ? node->info->real : node->info->other);
    }
    add(text, "; }));\n");
}

/* Whether an operator is a function with many instructions for an element. */
static bool is_long(const struct typed_expr *typed)
{
    for (size_t i = 0; i < typed->count; ++i)
        if (typed->nodes[i].info && strstr(typed->nodes[i].info->real, "popops_"))
            return true;
    return false;
}
/* Operands that can be read in place need no blocks; where elements take long, memory is fetched ahead. */
static void add_whole(struct text *text, const struct typed_expr *typed, const pop_tensor *inputs)
{
    bool whole = typed->nodes[typed->count - 1].type != POP_HALF, is_ahead = is_long(typed);
    for (int i = 0; i < typed->inputs; ++i)
        whole &= pop_tensor_type(inputs[i]) != POP_HALF;
    if (!whole)
        return;
    add(text, "    if (size0 != 1");
    for (int i = 1; i < typed->inputs; ++i)
        add(text, " && size%d != 1", i);
    add(text, ") {\n");
    if (is_ahead) {
        add(text, "#ifndef __IPU__\n        enum { LINE = POPOPS_LINE / sizeof(*out) };\n");
        add(text, "        for (; count >= LINE; count -= LINE, out += LINE) {\n");
        for (int i = 0; i < typed->inputs; ++i)
            add(text, "            __builtin_prefetch(in%d + popops_ahead(0, count, sizeof(*in%d)));\n", i, i);
        add(text, "            block(");
        for (int i = 0; i < typed->inputs; ++i)
            add(text, "in%d, ", i);
        add(text, "out, LINE);\n");
        for (int i = 0; i < typed->inputs; ++i)
            add(text, "            in%d += LINE;\n", i);
        add(text, "        }\n#endif\n");
    }
    add(text, "        block(");
    for (int i = 0; i < typed->inputs; ++i)
        add(text, "in%d, ", i);
    add(text, "out, count);\n        return;\n    }\n");
}
static void add_row(struct text *text, const struct typed_expr *typed, const pop_tensor *inputs)
{
    const struct spelling *out = spelling_of(typed->nodes[typed->count - 1].type);
    add(text, "static inline void block(");
    for (int i = 0; i < typed->inputs; ++i)
        add(text, "const %s *in%d, ", spelling_of(pop_tensor_type(inputs[i]))->work, i);
    add(text, "%s *out, size_t count)\n{\n    _Pragma(\"GCC ivdep\") for (size_t i = 0; i < count; ++i) {\n",
        out->work);
    for (size_t i = 0; i < typed->count; ++i)
        add_node(text, typed, i);
    add(text, "        out[i] = x%zu;\n    }\n}\nstatic inline void row(", typed->count - 1);
    for (int i = 0; i < typed->inputs; ++i)
        add(text, "const %s *in%d, size_t size%d, ", spelling_of(pop_tensor_type(inputs[i]))->c, i, i);
    add(text, "%s *out, size_t count)\n{\n", out->c);
    for (int i = 0; i < typed->inputs; ++i)
        add(text, "    %s buffer%d[POPOPS_BLOCK];\n", spelling_of(pop_tensor_type(inputs[i]))->work, i);
    if (out->type == POP_HALF)
        add(text, "    float wide[POPOPS_BLOCK];\n");
    add_whole(text, typed, inputs);
    add(text, "    POPOPS_EACH_BLOCK (count) {\n        block(");
    for (int i = 0; i < typed->inputs; ++i)
        add(text, "popops_piece_%s(in%d, size%d, buffer%d, at, here), ", spelling_of(pop_tensor_type(inputs[i]))->tag,
            i, i, i);
    add(text, out->type == POP_HALF ? "wide, here);\n        popops_narrow(wide, out + at, here);\n    }\n}\n"
                                    : "out + at, here);\n    }\n}\n");
}

/* Adds the vertex for one region (vectors), or for several (vectors of vectors). */
static void add_vertex(struct text *text, const struct typed_expr *typed, const pop_tensor *inputs, bool in_place,
                       bool rows, const char *name)
{
    const char *kind = rows ? "MapRows" : "Map", *holder = rows ? "POP_VECTORS" : "POP_VECTOR",
               *row = rows ? ".data[k]" : "";
    add(text, "%s(%s) {\n", rows ? "POP_VERTEX" : "POP_SUPERVISOR_VERTEX", kind);
    for (int i = in_place; i < typed->inputs; ++i)
        add(text, "    POP_INPUT(%s(%s)) in%d;\n", holder, spelling_of(pop_tensor_type(inputs[i]))->c, i + 1);
    add(text, "    %s(%s(%s)) out;\n};\n", in_place ? "POP_INOUT" : "POP_OUTPUT", holder,
        spelling_of(typed->nodes[typed->count - 1].type)->c);
    add(text, "POP_VERTEX_NAME(%s, \"%s\");\nvoid %s_compute(%s *v)\n{\n    %srow(", kind, name, kind, kind,
        rows ? "for (size_t k = 0; k < v->out.size; ++k)\n        " : "");
    for (int i = 0; i < typed->inputs; ++i) {
        char field[16] = "out";
        if (i || !in_place)
            snprintf(field, sizeof(field), "in%d", i + 1);
        add(text, "v->%s%s.data, v->%s%s.size, ", field, row, field, row);
    }
    add(text, "v->out%s.data, v->out%s.size);\n}\n", row, row);
}

/* The operators' cycles for a vector of the widest data path that all types have, plus loads and stores. */
static void estimate(struct expr_source *source, const struct typed_expr *typed, const pop_target *target)
{
    source->width = 4;
    for (size_t i = 0; i < typed->count; ++i)
        if (typed->nodes[i].given.kind != POPOPS_EXPR_CONST)
            source->width = (unsigned)poplibs_min(source->width, pop_target_vector_width(target, typed->nodes[i].type));
    source->width = (unsigned)poplibs_max(source->width, 1);
    source->cycles = 3 + (unsigned)typed->inputs;
    for (size_t i = 0; i < typed->count; ++i) {
        const struct typed_node *node = &typed->nodes[i];
        pop_type type = node->operands ? typed->nodes[node->operand[0]].type : node->type;
        const struct operator_cost none = { 1, true }, *cost = &none;
        if (!node->operands)
            continue;
        if (node->info)
            cost = type == POP_FLOAT  ? &node->info->cost_float
                   : type == POP_HALF ? &node->info->cost_half
                                      : &node->info->cost_int;
        source->cycles += cost->cycles * (cost->vectors ? 1 : source->width);
    }
}

struct expr_source expr_generate(const struct typed_expr *typed, const pop_target *target, const pop_tensor *inputs,
                                 bool in_place)
{
    struct expr_source source = { .text = NULL };
    struct text text = { 0 };
    char name[200];
    name_expression(name, sizeof(name), typed, inputs);
    snprintf(source.vertex, sizeof(source.vertex), "popops::Map1D%sSupervisor<%s>", in_place ? "InPlace" : "", name);
    snprintf(source.vertex_rows, sizeof(source.vertex_rows), "popops::Map2D%s<%s>", in_place ? "InPlace" : "", name);
    estimate(&source, typed, target);
    add(&text, "/* %s */\n#include <popops/element_rows.h>\n", name);
    add_row(&text, typed, inputs);
    add_vertex(&text, typed, inputs, in_place, false, source.vertex);
    add_vertex(&text, typed, inputs, in_place, true, source.vertex_rows);
    source.text = text.text;
    return source;
}
