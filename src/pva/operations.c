/* SPDX-License-Identifier: Apache-2.0 */
/* Debug contexts and operations: programs and variables, grouped by the outermost library call that made them. */
#include "pva/debug.h"
#include "pva/reader.h"

enum { MAX_PARENTS = 256 };

uint64_t debug_count(pva_object o)
{
    const struct debug_index *index = debug_index(o.file);
    return index ? index->entries.count : 0;
}

pva_object debug_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_DEBUG_CONTEXT, i, 0, 0);
}

pva_object debug_by_id(pva_file *file, uint64_t id)
{
    const struct debug_index *index = debug_index(file);
    size_t entry = index ? debug_find(index, id) : SIZE_MAX;
    return entry == SIZE_MAX ? object_null : object_make(file, PVA_CLASS_DEBUG_CONTEXT, entry, 0, 0);
}

void context_id(pva_object o, struct value *v)
{
    const struct debug_index *index = debug_index(o.file);
    v->natural = index && o.key < index->entries.count ? index->entries.data[o.key].id : 0;
}

/* A text or number at a path in the context. */
void context_text(pva_object o, const struct binding *bind, struct value *v)
{
    const pop_profile_value *value = pop_profile_path(debug_context(o.file, o.key), bind->sql);
    str_add(&v->text, pop_profile_as_string(value));
    v->natural = pop_profile_as_uint(value);
}

void context_json(pva_object o, struct value *v)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream) {
        pop_profile_write_json(stream, debug_context(o.file, o.key), false);
        fclose(stream);
        str_add(&v->text, text ? text : "");
    }
    free(text);
}

static pva_object parent_of(pva_object o)
{
    const struct debug_index *index = debug_index(o.file);
    if (!index || o.key >= index->entries.count || !index->entries.data[o.key].parent)
        return object_null;
    return debug_by_id(o.file, index->entries.data[o.key].parent);
}
uint64_t context_parents(pva_object o)
{
    return !pva_is_null(parent_of(o));
}
pva_object context_parent(pva_object o, uint64_t i)
{
    return (void)i, parent_of(o);
}

/* The outermost library call among a context and its ancestors; SIZE_MAX when there is none. */
static size_t outermost_call(pva_file *file, const struct debug_index *index, uint64_t id, signed char *is_call)
{
    size_t found = SIZE_MAX;
    for (unsigned depth = 0; id && depth < MAX_PARENTS; ++depth) {
        size_t entry = debug_find(index, id);
        if (entry == SIZE_MAX)
            break;
        if (!is_call[entry]) {
            const char *layer = pop_profile_as_string(pop_profile_get(debug_context(file, entry), "layer"));
            is_call[entry] = *layer && strcmp(layer, "poplar") != 0 ? 1 : -1;
        }
        if (is_call[entry] > 0)
            found = entry;
        id = index->entries.data[entry].parent;
    }
    return found;
}

struct member {
    uint64_t context, id;
};
static int by_context(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Rows (id, debug context) of a query with the calls that made them, sorted by call. */
static struct member *members(pva_file *file, const struct debug_index *index, const char *sql, signed char *is_call,
                              size_t *count)
{
    VEC(struct member) list = { 0 };
    sqlite3_stmt *statement = query(file, sql, 0, 0);
    while (statement && query_step(file, statement)) {
        size_t call = outermost_call(file, index, (uint64_t)sqlite3_column_int64(statement, 1), is_call);
        if (call != SIZE_MAX)
            *vec_push(&list) = (struct member){ call, (uint64_t)sqlite3_column_int64(statement, 0) };
    }
    if (statement)
        sqlite3_reset(statement);
    if (list.count)
        qsort(list.data, list.count, sizeof(*list.data), by_context);
    *count = list.count;
    return list.data;
}

static void group(pva_file *file, struct debug_index *index)
{
    static const char programs_sql[] =
        "SELECT id, debug_context FROM programs WHERE debug_context IS NOT NULL AND ?1 | ?2 >= 0";
    static const char vars_sql[] =
        "SELECT id, debug_context FROM variables WHERE debug_context IS NOT NULL AND ?1 | ?2 >= 0";
    signed char *is_call = mem_zero(index->entries.count + 1, 1);
    size_t programs, vars, p = 0, v = 0;
    struct member *of_programs = members(file, index, programs_sql, is_call, &programs),
                  *of_vars = members(file, index, vars_sql, is_call, &vars);
    while (p < programs || v < vars) {
        uint64_t context = p < programs && (v >= vars || of_programs[p].context <= of_vars[v].context)
                               ? of_programs[p].context
                               : of_vars[v].context;
        struct operation *operation = vec_push(&index->operations);
        *operation = (struct operation){ .context = context,
                                         .first_program = index->programs.count,
                                         .first_var = index->vars.count };
        for (; p < programs && of_programs[p].context == context; ++p, ++operation->programs)
            *vec_push(&index->programs) = of_programs[p].id;
        for (; v < vars && of_vars[v].context == context; ++v, ++operation->vars)
            *vec_push(&index->vars) = of_vars[v].id;
    }
    free(of_programs);
    free(of_vars);
    free(is_call);
}

static struct debug_index *grouped(pva_file *file)
{
    struct debug_index *index = debug_index(file);
    if (index && !index->grouped) {
        index->grouped = true;
        group(file, index);
    }
    return index;
}

static const struct operation *operation_of(pva_object o)
{
    const struct debug_index *index = grouped(o.file);
    return index && o.key < index->operations.count ? &index->operations.data[o.key] : NULL;
}

uint64_t operation_count(pva_object o)
{
    const struct debug_index *index = grouped(o.file);
    return index ? index->operations.count : 0;
}
pva_object operation_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_OPERATION, i, 0, 0);
}

void operation_context(pva_object o, struct value *v)
{
    const struct operation *operation = operation_of(o);
    if (operation)
        v->object = object_make(o.file, PVA_CLASS_DEBUG_CONTEXT, operation->context, 0, 0);
}

void operation_name(pva_object o, struct value *v)
{
    const struct operation *operation = operation_of(o);
    if (operation)
        context_text(object_make(o.file, PVA_CLASS_DEBUG_CONTEXT, operation->context, 0, 0),
                     &bindings[PVA_DEBUG_CONTEXT_NAME], v);
}

void operation_programs(pva_object o, struct keys *keys)
{
    const struct operation *operation = operation_of(o);
    if (operation && operation->programs)
        memcpy(vec_extend(keys, operation->programs), o.file->debug->programs.data + operation->first_program,
               operation->programs * sizeof(uint64_t));
}

void operation_vars(pva_object o, struct keys *keys)
{
    const struct operation *operation = operation_of(o);
    if (operation && operation->vars)
        memcpy(vec_extend(keys, operation->vars), o.file->debug->vars.data + operation->first_var,
               operation->vars * sizeof(uint64_t));
}

/* Ids that are not in the file are left out. */
void operation_replaced(pva_object o, struct keys *keys)
{
    const struct operation *operation = operation_of(o);
    if (!operation)
        return;
    const pop_profile_value *ids = pop_profile_get(debug_context(o.file, operation->context), "replacedDebugContext");
    for (size_t i = 0; i < pop_profile_size(ids); ++i) {
        size_t entry = debug_find(o.file->debug, pop_profile_as_uint(pop_profile_at(ids, i)));
        if (entry != SIZE_MAX)
            *vec_push(keys) = entry;
    }
}

/* The first or the last step at which one of its programs runs. */
static void operation_step(pva_object o, bool last, struct value *v)
{
    const struct operation *operation = operation_of(o);
    uint64_t found = UINT64_MAX;
    for (size_t i = 0; operation && i < operation->programs; ++i) {
        uint64_t program = o.file->debug->programs.data[operation->first_program + i];
        uint64_t step = last ? query_uint(o.file, "SELECT max(id) FROM liveness_steps WHERE program = ?1 AND ?2 >= 0",
                                          program, 0, UINT64_MAX)
                             : query_uint(o.file, "SELECT min(id) FROM liveness_steps WHERE program = ?1 AND ?2 >= 0",
                                          program, 0, UINT64_MAX);
        if (step != UINT64_MAX && (found == UINT64_MAX || (last ? step > found : step < found)))
            found = step;
    }
    v->natural = found == UINT64_MAX ? 0 : found;
}
void operation_first(pva_object o, struct value *v)
{
    operation_step(o, false, v);
}
void operation_last(pva_object o, struct value *v)
{
    operation_step(o, true, v);
}
