/* SPDX-License-Identifier: Apache-2.0 */
/* PrintTensor and ErrorProgram: the content is selected here, engine/print.c formats it. */
#include "graph/graph.h"
#include "graph/view/view.h"
#include "program/node.h"

pop_print_format pop_print_format_default(void)
{
    return (pop_print_format){ .summarise_threshold = 1000,
                               .edge_items = 3,
                               .max_line_width = 75,
                               .digits = 8,
                               .float_format = POP_FLOAT_FORMAT_AUTO,
                               .separator = ' ',
                               .open = '[',
                               .close = ']' };
}

pop_print_format pop_print_format_guide(void)
{
    pop_print_format format = pop_print_format_default();
    format.guide = true;
    format.separator = ',';
    format.open = '{';
    format.close = '}';
    return format;
}

pop_print_format pop_print_format_plain(void)
{
    return (pop_print_format){ .summarise_threshold = UINT32_MAX,
                               .edge_items = UINT32_MAX,
                               .max_line_width = UINT32_MAX,
                               .digits = 8,
                               .float_format = POP_FLOAT_FORMAT_NONE,
                               .separator = ' ' };
}

/* The debug name of the first variable of a tensor. */
static const char *tensor_name(const pop_store *store, const struct view *view)
{
    return view->piece_count ? store_name(store, store->variables.data[view->pieces[0].variable].name) : "";
}

static pop_program print(const struct program_call *call, enum program_kind kind, const char *text, pop_tensor t,
                         const pop_print_format *format, const char *name)
{
    pop_program program = { 0 };
    if (!store_ready(call->store) || !node_check_tensor(call, t, "the tensor to print"))
        return program;
    if (format && (unsigned)format->float_format > POP_FLOAT_FORMAT_NONE) {
        store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                   "%u is not a float format, they are 0 (auto) to 3 (none)", (unsigned)format->float_format);
        return program;
    }
    struct program_node *node = node_add(call, kind, name, &program);
    node->source = view_keep(t);
    pop_tensor metadata = metadata_of(t);
    node->control = pop_tensor_valid(metadata) ? view_keep(metadata) : NULL;
    node->text = text ? arena_string(&call->store->arena, text) : NULL;
    node->tensor_name = tensor_name(call->store, node->source);
    node->flag = format != NULL;
    node->format = format ? *format : pop_print_format_default();
    return program;
}

pop_program pop_print_tensor_at(pop_where where, const char *title, pop_tensor t, const char *name)
{
    struct program_call call = { t.store, where, "pop_print_tensor" };
    return print(&call, PROGRAM_PRINT, title, t, NULL, name);
}

pop_program pop_print_tensor_format_at(pop_where where, const char *title, pop_tensor t, pop_print_format format,
                                       const char *name)
{
    struct program_call call = { t.store, where, "pop_print_tensor_format" };
    return print(&call, PROGRAM_PRINT, title, t, &format, name);
}

pop_program pop_error_program_at(pop_where where, const char *message, pop_tensor t, const char *name)
{
    struct program_call call = { t.store, where, "pop_error_program" };
    return print(&call, PROGRAM_ERROR, message ? message : "error", t, NULL, name);
}
