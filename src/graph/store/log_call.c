/* SPDX-License-Identifier: Apache-2.0 */
/* Public calls of the operation libraries as lines of the log: a table of writers, one for each kind of argument. */
#include <poplar/debug.h>

#include "base/log.h"
#include "base/str.h"
#include "graph/store/debug_calls.h"
#include "graph/store/store.h"

#include <pthread.h>
#include <string.h>

static enum log_module module_of(pop_log_library library)
{
    return (enum log_module)((int)LOG_POPLIBS + (int)library);
}
bool pop_log_on(pop_log_library library, pop_log_level level)
{
    return log_on(module_of(library), (enum log_level)level);
}

/* Hashes of texts already logged. A process has few of them; when the table is full, they are not written. */
enum { MAX_TEXTS = 512 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t written[MAX_TEXTS];
static size_t written_count;

static bool is_new(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *text; ++text)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    pthread_mutex_lock(&lock);
    size_t at = 0;
    while (at < written_count && written[at] != hash)
        ++at;
    bool found = at < written_count || written_count == MAX_TEXTS;
    if (!found)
        written[written_count++] = hash;
    pthread_mutex_unlock(&lock);
    return !found;
}

/* Writes a text, or with `once` leaves out one that was written before. */
static void write_log(pop_log_library library, pop_log_level level, bool once, const char *format, va_list arguments)
{
    struct str text = { 0 };
    str_vformat(&text, format, arguments);
    if (!once || is_new(str_text(&text)))
        log_write(module_of(library), (enum log_level)level, "%s", str_text(&text));
    str_free(&text);
}

void pop_log_write(pop_log_library library, pop_log_level level, const char *format, ...)
{
    if (!pop_log_on(library, level))
        return;
    va_list arguments;
    va_start(arguments, format);
    write_log(library, level, false, format, arguments);
    va_end(arguments);
}

void pop_log_once(pop_log_library library, pop_log_level level, const char *format, ...)
{
    if (!pop_log_on(library, level))
        return;
    va_list arguments;
    va_start(arguments, format);
    write_log(library, level, true, format, arguments);
    va_end(arguments);
}

/* ---- arguments ---- */

static void add_tensor(struct str *s, pop_tensor t)
{
    if (!pop_tensor_valid(t)) {
        str_add(s, "none");
        return;
    }
    str_format(s, "%s{", pop_type_name(pop_tensor_type(t)));
    for (unsigned i = 0; i < pop_tensor_rank(t); ++i)
        str_format(s, i ? ",%zu" : "%zu", pop_tensor_dim(t, i));
    str_add(s, "}");
}
static void write_tensor(struct str *s, const pop_log_argument *a)
{
    add_tensor(s, a->as.tensor);
}
static void write_tensors(struct str *s, const pop_log_argument *a)
{
    enum { MAX = 8 }; /* lists can be long: only the first tensors are logged */
    str_add(s, "[");
    for (size_t i = 0; a->as.tensors.list && i < a->as.tensors.count && i < MAX; ++i) {
        str_add(s, i ? "," : "");
        add_tensor(s, a->as.tensors.list[i]);
    }
    if (a->as.tensors.count > MAX)
        str_format(s, ",... %zu", a->as.tensors.count);
    str_add(s, "]");
}
static void write_type(struct str *s, const pop_log_argument *a)
{
    str_add(s, a->as.type == POP_TYPE_NULL ? "none" : pop_type_name(a->as.type));
}
static void write_shape(struct str *s, const pop_log_argument *a)
{
    str_add(s, "{");
    for (size_t i = 0; a->as.shape.dims && i < a->as.shape.rank; ++i)
        str_format(s, i ? ",%zu" : "%zu", a->as.shape.dims[i]);
    str_add(s, "}");
}
static void write_dims(struct str *s, const pop_log_argument *a)
{
    str_add(s, "{");
    for (size_t i = 0; a->as.dims.list && i < a->as.dims.count; ++i)
        str_format(s, i ? ",%u" : "%u", a->as.dims.list[i]);
    str_add(s, "}");
}
static void write_options(struct str *s, const pop_log_argument *a)
{
    str_add(s, "{");
    for (size_t i = 0; a->as.options.list && i < a->as.options.count; ++i) {
        const pop_option *option = &a->as.options.list[i];
        str_format(s, "%s%s=%s", i ? ", " : "", option->key ? option->key : "", option->value ? option->value : "");
    }
    str_add(s, "}");
}
static void write_text(struct str *s, const pop_log_argument *a)
{
    str_format(s, "'%s'", a->as.text ? a->as.text : "");
}
static void write_bool(struct str *s, const pop_log_argument *a)
{
    str_add(s, a->as.flag ? "true" : "false");
}
static void write_integer(struct str *s, const pop_log_argument *a)
{
    str_format(s, "%lld", (long long)a->as.integer);
}
static void write_unsigned(struct str *s, const pop_log_argument *a)
{
    str_format(s, "%llu", (unsigned long long)a->as.natural);
}
static void write_number(struct str *s, const pop_log_argument *a)
{
    str_format(s, "%g", a->as.number);
}
static void write_written(struct str *s, const pop_log_argument *a)
{
    char buffer[512] = "";
    a->as.written.write(buffer, sizeof(buffer), a->as.written.value);
    str_add(s, buffer);
}

static void (*const writers[POP_LOG_KINDS])(struct str *, const pop_log_argument *) = {
    [POP_LOG_TENSOR] = write_tensor,     [POP_LOG_TENSORS] = write_tensors, [POP_LOG_TYPE] = write_type,
    [POP_LOG_SHAPE] = write_shape,       [POP_LOG_DIMS] = write_dims,       [POP_LOG_OPTIONS] = write_options,
    [POP_LOG_TEXT] = write_text,         [POP_LOG_BOOL] = write_bool,       [POP_LOG_INTEGER] = write_integer,
    [POP_LOG_UNSIGNED] = write_unsigned, [POP_LOG_NUMBER] = write_number,   [POP_LOG_WRITTEN] = write_written,
};

/* Without options, names and null tensors, of which there is nothing to say. */
static bool is_empty_argument(const pop_log_argument *a)
{
    return !writers[a->kind] || (a->kind == POP_LOG_OPTIONS && !a->as.options.count) ||
           (a->kind == POP_LOG_TEXT && (!a->as.text || !*a->as.text)) ||
           (a->kind == POP_LOG_TENSOR && !pop_tensor_valid(a->as.tensor)) ||
           (a->kind == POP_LOG_TYPE && a->as.type == POP_TYPE_NULL) ||
           (a->kind == POP_LOG_WRITTEN && !a->as.written.value);
}
static void add_name(struct str *s, const char *name)
{
    size_t length;
    const char *from = debug_argument_name(name, &length);
    str_add(s, " ");
    str_add_bytes(s, from, length);
    str_add(s, " ");
}

/* ---- calls ---- */

static _Thread_local __attribute__((tls_model("initial-exec"))) unsigned depth;

/* "popops_add_at" is popops_add. */
static size_t api_length(const char *function)
{
    size_t length = strlen(function);
    return length - (length > 3 && strcmp(function + length - 3, "_at") == 0 ? 3 : 0);
}

static void write_call(pop_log_library library, pop_log_level level, pop_where where, const char *function,
                       const pop_log_argument *arguments, size_t count, unsigned nested)
{
    struct str text = { 0 };
    str_format(&text, "%*s%.*s", (int)(2 * (nested < 20 ? nested : 20)), "", (int)api_length(function), function);
    for (size_t i = 0; i < count; ++i)
        if (!is_empty_argument(&arguments[i])) {
            add_name(&text, arguments[i].name);
            writers[arguments[i].kind](&text, &arguments[i]);
        }
    if (where.file && !nested)
        str_format(&text, " (%s:%d)", where.file, where.line);
    log_write(module_of(library), (enum log_level)level, "%s", str_text(&text));
    str_free(&text);
}

/* Helpers that other libraries call for each piece of what they build are logged, but not kept. */
static bool is_operation(pop_log_library library)
{
    return library != POP_LOG_POPUTIL && library != POP_LOG_POPSOLVER;
}

/* How many things an argument's list should have that is NULL; else 0. */
static size_t missing(const pop_log_argument *a)
{
    switch (a->kind) {
    case POP_LOG_TENSORS:
        return a->as.tensors.list ? 0 : a->as.tensors.count;
    case POP_LOG_SHAPE:
        return a->as.shape.dims ? 0 : a->as.shape.rank;
    case POP_LOG_DIMS:
        return a->as.dims.list ? 0 : a->as.dims.count;
    case POP_LOG_OPTIONS:
        return a->as.options.list ? 0 : a->as.options.count;
    default:
        return 0;
    }
}

/* A NULL list with a count is reported by the call itself, so it is not read here. */
static bool check_lists(pop_graph *graph, pop_where where, const char *api, const pop_log_argument *arguments,
                        size_t count)
{
    size_t i = 0, length;
    while (i < count && !missing(&arguments[i]))
        ++i;
    if (i == count)
        return true;
    const char *name = debug_argument_name(arguments[i].name, &length);
    return store_fail(graph->store, POP_POPLAR_ERROR, where, api, "the list of %zu entries is NULL: %.*s",
                      missing(&arguments[i]), (int)length, name);
}

pop_where pop_log_enter(pop_log_library library, pop_graph *graph, pop_where where, const char *function,
                        const pop_log_argument *arguments, size_t count)
{
    unsigned nested = depth++;
    pop_log_level level = nested ? POP_LOG_DEBUG : POP_LOG_INFO;
    if (pop_log_on(library, level))
        write_call(library, level, where, function, arguments, count, nested);
    if (!graph)
        return where;
    char api[96];
    size_t length = (size_t)api_length(function);
    length = length < sizeof(api) ? length : sizeof(api) - 1;
    memcpy(api, function, length); /* snprintf takes longer than most calls */
    api[length] = '\0';
    if (!check_lists(graph, where, api, arguments, count) || !is_operation(library))
        return where;
    return pop_debug_call(graph, where, "poplibs", pop_store_keep_text(pop_graph_store(graph), api), arguments, count);
}
void pop_log_leave(void)
{
    if (depth)
        --depth;
}

unsigned log_calls_pause(void)
{
    unsigned calls = depth;
    depth = 0;
    return calls;
}
void log_calls_resume(unsigned calls)
{
    depth = calls;
}
