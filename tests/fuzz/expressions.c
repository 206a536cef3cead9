/* SPDX-License-Identifier: Apache-2.0 */
/* popops: expressions, compiled to one vertex or not. */
#include "generators.h"

#include "poplibs/popops/element_wise_references.h"
#include <popops/expr.h>

enum node_kind { NODE_INPUT, NODE_NUMBER, NODE_UNARY, NODE_BINARY, NODE_TERNARY, NODE_CAST };
struct node {
    enum node_kind kind;
    int op; /* the input's number; or the function */
    pop_type type;
    double number;
    int child[3];
};
struct tree {
    struct node nodes[64];
    int count;
    char text[1200];
};
static const char *const unary_names[] = { "abs",  "neg",    "square", "tanh", "sigmoid", "floor",
                                           "ceil", "signum", "exp",    "sin",  "round",   "trunc" };
static const int unary_ops[] = { POPOPS_UNARY_ABSOLUTE, POPOPS_UNARY_NEGATE, POPOPS_UNARY_SQUARE, POPOPS_UNARY_TANH,
                                 POPOPS_UNARY_SIGMOID,  POPOPS_UNARY_FLOOR,  POPOPS_UNARY_CEIL,   POPOPS_UNARY_SIGNUM,
                                 POPOPS_UNARY_EXPONENT, POPOPS_UNARY_SIN,    POPOPS_UNARY_ROUND,  POPOPS_UNARY_TRUNC };
static const char *const binary_names[] = { "+", "-", "*", "max", "min", "/" };
static const int binary_ops[] = { POPOPS_BINARY_ADD,     POPOPS_BINARY_SUBTRACT, POPOPS_BINARY_MULTIPLY,
                                  POPOPS_BINARY_MAXIMUM, POPOPS_BINARY_MINIMUM,  POPOPS_BINARY_DIVIDE };
static const char *const compare_names[] = { "<", ">", "<=", ">=", "==", "!=" };

/* The exact value; *error is the max error of the device's. */
static double node_value(const struct tree *t, int at, const double *in, double *error)
{
    const struct node *n = &t->nodes[at];
    double x[3] = { 0 }, e[3] = { 0 }, value = 0;
    int children = n->kind == NODE_TERNARY                         ? 3
                   : n->kind == NODE_BINARY                        ? 2
                   : n->kind == NODE_UNARY || n->kind == NODE_CAST ? 1
                                                                   : 0;
    for (int k = 0; k < children; ++k)
        x[k] = node_value(t, n->child[k], in, &e[k]);
    bool real = pop_type_is_floating_point(n->type);
    double eps = n->type == POP_HALF ? 1e-3 : 1e-6, worst = 0;
    *error = 0;
    switch (n->kind) {
    case NODE_INPUT:
        return in[n->op];
    case NODE_NUMBER:
        return n->number;
    case NODE_CAST:
        value = n->type == POP_INT ? trunc(x[0]) : x[0];
        worst = e[0];
        if (n->type == POP_INT && e[0] > 0 && trunc(x[0] + e[0]) != trunc(x[0] - e[0]))
            worst = INFINITY;
        break;
    case NODE_UNARY: {
        double a, b;
        value = real ? unary_reference(unary_ops[n->op], x[0])
                     : wrapped(n->type, (int64_t)unary_reference(unary_ops[n->op], x[0]));
        if (e[0] > 0) {
            a = unary_reference(unary_ops[n->op], x[0] - e[0]);
            b = unary_reference(unary_ops[n->op], x[0] + e[0]);
            worst = fmax(fabs(a - value), fabs(b - value)) * 1.1 + (unary_ops[n->op] == POPOPS_UNARY_SIN ? e[0] : 0);
        }
        break;
    }
    case NODE_BINARY:
        if (n->type == POP_BOOL && n->op >= 10) {
            value = n->op == 10 ? x[0] != 0 && x[1] != 0 : x[0] != 0 || x[1] != 0;
            worst = e[0] + e[1] > 0 ? INFINITY : 0;
        } else if (n->type == POP_BOOL) {
            double a = x[0], b = x[1];
            value = n->op == 0   ? a < b
                    : n->op == 1 ? a > b
                    : n->op == 2 ? a <= b
                    : n->op == 3 ? a >= b
                    : n->op == 4 ? a == b
                                 : a != b;
            worst = e[0] + e[1] > 0 && fabs(a - b) <= e[0] + e[1] ? INFINITY : 0;
        } else if (real) {
            value = binary_reference(binary_ops[n->op], x[0], x[1]);
            if (binary_ops[n->op] == POPOPS_BINARY_MULTIPLY)
                worst = fabs(x[0]) * e[1] + fabs(x[1]) * e[0] + e[0] * e[1];
            else if (binary_ops[n->op] == POPOPS_BINARY_DIVIDE)
                worst = fabs(x[1]) <= 2 * e[1] ? (e[0] + e[1] > 0 ? INFINITY : 0)
                                               : 2 * (e[0] + fabs(value) * e[1]) / fabs(x[1]);
            else
                worst = e[0] + e[1];
        } else {
            int64_t a = (int64_t)x[0], b = (int64_t)x[1];
            switch (binary_ops[n->op]) {
            case POPOPS_BINARY_ADD:
                value = wrapped(n->type, a + b);
                break;
            case POPOPS_BINARY_SUBTRACT:
                value = wrapped(n->type, a - b);
                break;
            case POPOPS_BINARY_MULTIPLY:
                value = wrapped(n->type, a * b);
                break;
            case POPOPS_BINARY_MAXIMUM:
                value = (double)(a > b ? a : b);
                break;
            default:
                value = (double)(a < b ? a : b);
                break;
            }
            worst = e[0] + e[1] > 0 ? INFINITY : 0;
        }
        break;
    case NODE_TERNARY:
        if (n->op == 0) { /* select */
            value = x[2] != 0 ? x[0] : x[1];
            worst = e[2] > 0 ? INFINITY : x[2] != 0 ? e[0] : e[1];
        } else {
            value = x[0] > x[2] ? x[2] : x[0] < x[1] ? x[1] : x[0];
            worst = !(x[1] + e[1] < x[2] - e[2]) && !(x[1] == x[2] && e[1] + e[2] == 0) ? INFINITY
                                                                                        : fmax(e[0], fmax(e[1], e[2]));
        }
        break;
    }
    if (real) {
        double exact = value;
        value = rounded_to(n->type, value);
        bool inexact = n->kind == NODE_UNARY || n->kind == NODE_BINARY || n->kind == NODE_CAST;
        bool whole_result =
            n->kind == NODE_UNARY &&
            (exact == floor(exact) && fabs(exact) < 2000 && unary_ops[n->op] != POPOPS_UNARY_EXPONENT) && e[0] == 0;
        if (n->kind == NODE_UNARY &&
            (unary_ops[n->op] == POPOPS_UNARY_ABSOLUTE || unary_ops[n->op] == POPOPS_UNARY_NEGATE))
            whole_result = true;
        if (n->kind == NODE_BINARY && value == exact && e[0] + e[1] == 0)
            whole_result = true;
        if (n->kind == NODE_CAST && value == exact)
            whole_result = true;
        *error = worst + (inexact && !whole_result ? eps * fabs(exact) + (n->type == POP_HALF ? 6e-8 : 1e-37) : 0);
        if (n->type == POP_HALF && fabs(exact) > 65000)
            *error = INFINITY;
        if (isnan(worst) || isnan(value))
            *error = INFINITY;
    } else {
        *error = worst;
        if (isnan(worst))
            *error = INFINITY;
    }
    return value;
}
static void map_reference(const struct operation *op, double *const *in, struct expected *out)
{
    for (size_t i = 0; i < out->count; ++i) {
        double x[MAX_IN], error;
        for (size_t k = 0; k < op->ins; ++k)
            x[k] = in[k][broadcast_place(&op->in[k], &op->out[0].view, i)];
        const struct tree *t = op->extra;
        out->value[i] = node_value(t, t->count - 1, x, &error);
        out->magnitude[i] = error;
    }
    out->relative = 1;
    out->absolute = 0;
}
static int grow(struct world *w, struct tree *t, const pop_type *inputs, int num_inputs, pop_type type, int depth)
{
    struct node n = { .type = type };
    char *end = t->text + strlen(t->text);
    int leaf[MAX_IN], leaves = 0;
    for (int i = 0; i < num_inputs; ++i)
        if (inputs[i] == type)
            leaf[leaves++] = i;
    bool real = pop_type_is_floating_point(type);
    if (leaves && (depth == 0 || chance(w, 15) || t->count > 30)) {
        n.kind = NODE_INPUT;
        n.op = leaf[below(w, (size_t)leaves)];
        sprintf(end, "_%d", n.op + 1);
    } else if (type == POP_BOOL) {
        n.kind = NODE_BINARY;
        if (chance(w, 20) && depth > 1) {
            n.op = chance(w, 50) ? 10 : 11;
            strcat(end, "(");
            n.child[0] = grow(w, t, inputs, num_inputs, POP_BOOL, depth - 1);
            strcat(end, n.op == 10 ? " && " : " || ");
            n.child[1] = grow(w, t, inputs, num_inputs, POP_BOOL, depth - 1);
        } else {
            pop_type of = inputs[below(w, (size_t)num_inputs)];
            if (of == POP_BOOL)
                of = inputs[0];
            n.op = (int)below(w, 6);
            strcat(end, "(");
            n.child[0] = grow(w, t, inputs, num_inputs, of, depth > 1 ? depth - 2 : 0);
            sprintf(t->text + strlen(t->text), " %s ", compare_names[n.op]);
            n.child[1] = grow(w, t, inputs, num_inputs, of, depth > 1 ? depth - 2 : 0);
        }
        strcat(t->text, ")");
    } else
        switch (depth == 0 || !leaves ? 5 : below(w, 6)) {
        case 0:
        case 1:
            n.kind = NODE_UNARY;
            n.op = (int)(real ? below(w, sizeof(unary_ops) / sizeof(unary_ops[0])) : type == POP_INT ? below(w, 3) : 2);
            sprintf(end, "%s(", unary_names[n.op]);
            n.child[0] = grow(w, t, inputs, num_inputs, type, depth - 1);
            strcat(t->text, ")");
            break;
        case 2:
        case 3: {
            n.kind = NODE_BINARY;
            n.op = (int)below(w, real ? 6 : 5);
            bool call = n.op == 3 || n.op == 4;
            sprintf(end, "%s(", call ? binary_names[n.op] : "");
            n.child[0] = grow(w, t, inputs, num_inputs, type, depth - 1);
            sprintf(t->text + strlen(t->text), call ? ", " : " %s ", binary_names[n.op]);
            if (chance(w, 20)) {
                struct node number = { .kind = NODE_NUMBER, .type = type };
                number.number =
                    real ? rounded_to(type, floor(real_between(w, 1, 9)) / 4) : floor(real_between(w, 1, 9));
                sprintf(t->text + strlen(t->text), real ? "%.2f" : "%.0f", number.number);
                t->nodes[t->count] = number;
                n.child[1] = t->count++;
            } else {
                n.child[1] = grow(w, t, inputs, num_inputs, type, depth - 1);
            }
            strcat(t->text, ")");
            break;
        }
        case 4:
            n.kind = NODE_TERNARY;
            n.op = (int)below(w, 2);
            strcat(end, n.op == 0 ? "select(" : "clamp(");
            n.child[0] = grow(w, t, inputs, num_inputs, type, depth - 1);
            strcat(t->text, ", ");
            n.child[1] = grow(w, t, inputs, num_inputs, type, depth - 1);
            strcat(t->text, ", ");
            n.child[2] = grow(w, t, inputs, num_inputs, n.op == 0 ? POP_BOOL : type, depth - 1);
            strcat(t->text, ")");
            break;
        default: { /* a cast to another type */
            pop_type from = type;
            for (int i = 0; i < num_inputs; ++i)
                if (inputs[i] != POP_BOOL && inputs[i] != type)
                    from = inputs[i];
            if (from == type || (type == POP_UNSIGNED_INT)) {
                n.kind = NODE_INPUT;
                n.op = leaf[below(w, (size_t)leaves)];
                sprintf(end, "_%d", n.op + 1);
                break;
            }
            n.kind = NODE_CAST;
            sprintf(end, "%s(", pop_type_name(type));
            n.child[0] = grow(w, t, inputs, num_inputs, from, depth > 0 ? depth - 1 : 0);
            strcat(t->text, ")");
        }
        }
    t->nodes[t->count] = n;
    return t->count++;
}
void make_map(struct world *w)
{
    pop_type type = chance(w, 75) ? any_real(w) : POP_INT,
             other = chance(w, 30) ? (type == POP_HALF    ? POP_FLOAT
                                      : type == POP_FLOAT ? chance(w, 50) ? POP_HALF : POP_INT
                                                          : POP_FLOAT)
                                   : type;
    pop_program sequence;
    struct operation *op = op_begin(w, "map", &sequence);
    op->reference = map_reference;
    struct view first = any_view(w, type, chance(w, 50), -9, 9, 4000);
    pop_type inputs[MAX_IN] = { type };
    int count = 1 + (int)below(w, 4);
    bool in_place = chance(w, 20) && view_alters(&first);
    op_reads(w, op, first);
    for (int i = 1; i < count; ++i) {
        size_t dims[MAX_DIMS], rank = first.rank;
        memcpy(dims, first.dims, sizeof(dims));
        if (chance(w, 40))
            rank = smaller_shape(w, &first, dims);
        inputs[i] = chance(w, 20) ? POP_BOOL : chance(w, 30) ? other : type;
        op_reads(w, op,
                 wanted(w, inputs[i], dims, rank, true, inputs[i] == POP_BOOL ? 0 : -9, inputs[i] == POP_BOOL ? 2 : 9));
    }
    struct tree *t = calloc(1, sizeof(*t));
    op->extra = t;
    pop_type result = in_place ? type : chance(w, 15) ? POP_BOOL : type;
    grow(w, t, inputs, count, result, 1 + (int)below(w, 4));
    bool uses_first = strstr(t->text, "_1") != NULL;
    if (!uses_first) { /* the shape must be that of the first */
        op_drop(w, op);
        return;
    }
    op_describe(op, " '%s'", t->text);
    pop_option options[2] = { { "enableGenerateCodelet", chance(w, 40) ? "false" : "true" },
                              { "forceGenerateCodelet", chance(w, 30) ? "true" : "false" } };
    op_describe(op, " generate %s force %s", options[0].value, options[1].value);
    pop_tensor tensors[MAX_IN];
    for (size_t i = 0; i < op->ins; ++i)
        tensors[i] = op->in[i].tensor;
    pop_tensors list = { op->ins, tensors };
    if (in_place) {
        op_writes(w, op, first);
        popops_map_in_place(w->graph, t->text, list, sequence, "m", ((pop_options){ options, 2 }));
    } else {
        op_makes(w, op, popops_map(w->graph, t->text, list, sequence, "m", ((pop_options){ options, 2 })));
    }
    op_end(w, op, sequence, in_place ? 1 : 2);
}
