/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, gathers and broadcasts of host data between the processes of a program. */
#include <popdist/popdist.h>
#include <poplar/text.h>

#include <poplar/ranks.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static pop_status fail(pop_error *error, pop_status status, const char *api, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static pop_status fail(pop_error *error, pop_status status, const char *api, const char *format, ...)
{
    if (!error)
        return status;
    *error = (pop_error){ .status = status };
    snprintf(error->api, sizeof(error->api), "%s", api);
    va_list list;
    va_start(list, format);
    pop_text_vformat(error->text, sizeof(error->text), format, list);
    va_end(list);
    return status;
}

/* ---- instances ---- */

/* POPDIST_NUM_TOTAL_REPLICAS, as poprun sets it; otherwise a replica for each instance. */
static bool total_replicas(unsigned instances, unsigned *total)
{
    const char *text = getenv("POPDIST_NUM_TOTAL_REPLICAS");
    char *end = NULL;
    *total = instances;
    if (!text || !*text)
        return true;
    unsigned long number = strtoul(text, &end, 10);
    *total = (unsigned)number;
    return !*end && number >= instances && number <= UINT32_MAX;
}

pop_status popdist_context_get(popdist_context *context, pop_error *error)
{
    static const char api[] = "popdist_context_get";
    if (!context)
        return fail(error, POP_RUNTIME_ERROR, api, "the context is NULL");
    *context = (popdist_context){ .instances = 1 };
    pop_status status = pop_ranks(&context->instance, &context->instances, error);
    if (status != POP_OK)
        return status;
    if (!total_replicas(context->instances, &context->total_replicas))
        return fail(error, POP_INVALID_OPTION, api,
                    "POPDIST_NUM_TOTAL_REPLICAS is '%s': it must be a number of replicas, one for each of %u instances "
                    "at least",
                    getenv("POPDIST_NUM_TOTAL_REPLICAS"), context->instances);
    uint64_t total = context->total_replicas;
    context->first_replica = (unsigned)(total * context->instance / context->instances);
    context->replicas = (unsigned)(total * (context->instance + 1) / context->instances) - context->first_replica;
    return POP_OK;
}

/* ---- collectives ---- */

/* What all instances have, in their order; the caller frees it. NULL with the error. */
static char *gathered(const void *own, size_t bytes, popdist_context *context, const char *api, pop_error *error)
{
    size_t all = 0;
    if (bytes && !own) {
        fail(error, POP_RUNTIME_ERROR, api, "the data is NULL");
        return NULL;
    }
    *context = (popdist_context){ .instances = 1 };
    if (pop_ranks(&context->instance, &context->instances, error) != POP_OK)
        return NULL;
    char *data = __builtin_mul_overflow(bytes, context->instances, &all) ? NULL : malloc(all + 1);
    if (!data) {
        fail(error, POP_SYSTEM_RUNTIME_ERROR, api, "out of memory for %zu bytes of %u instances", bytes,
             context->instances);
        return NULL;
    }
    if (pop_ranks_gather(own, bytes, data, error) == POP_OK)
        return data;
    free(data);
    return NULL;
}

/* An element of each instance. */
struct column {
    const char *first;
    size_t stride; /* bytes from one instance's element to the next one's */
    unsigned instances;
};

static uint64_t sum_integers(const struct column *column, size_t bytes)
{
    uint64_t sum = 0; /* wraps as the type does, signed or not; the machine stores the least byte first */
    for (unsigned k = 0; k < column->instances; ++k) {
        uint64_t one = 0;
        memcpy(&one, column->first + k * column->stride, bytes);
        sum += one;
    }
    return sum;
}

static float sum_reals(const struct column *column, bool half)
{
    float sum = 0;
    for (unsigned k = 0; k < column->instances; ++k) {
        float one = 0;
        uint16_t bits = 0;
        memcpy(half ? (void *)&bits : (void *)&one, column->first + k * column->stride, half ? 2 : 4);
        sum += half ? pop_half_to_float(bits) : one;
    }
    return sum;
}

static double sum_doubles(const struct column *column)
{
    double sum = 0;
    for (unsigned k = 0; k < column->instances; ++k) {
        double one;
        memcpy(&one, column->first + k * column->stride, sizeof(one));
        sum += one;
    }
    return sum;
}

static void sum_element(const struct column *column, pop_type type, size_t bytes, char *to)
{
    if (type == POP_FLOAT) {
        float sum = sum_reals(column, false);
        memcpy(to, &sum, sizeof(sum));
    } else if (type == POP_HALF) {
        uint16_t sum = pop_half_from_float(sum_reals(column, true));
        memcpy(to, &sum, sizeof(sum));
    } else if (type == POP_DOUBLE) {
        double sum = sum_doubles(column);
        memcpy(to, &sum, sizeof(sum));
    } else {
        uint64_t sum = sum_integers(column, bytes);
        sum = type == POP_BOOL ? sum != 0 : sum;
        memcpy(to, &sum, bytes);
    }
}

/* Bytes of an element on the host; 0: it has no sum. */
static size_t summed_bytes(pop_type type)
{
    static const uint8_t bytes[] = {
        [POP_BOOL] = 1,  [POP_CHAR] = 1,           [POP_SIGNED_CHAR] = 1, [POP_UNSIGNED_CHAR] = 1,
        [POP_SHORT] = 2, [POP_UNSIGNED_SHORT] = 2, [POP_INT] = 4,         [POP_UNSIGNED_INT] = 4,
        [POP_LONG] = 8,  [POP_UNSIGNED_LONG] = 8,  [POP_LONGLONG] = 8,    [POP_UNSIGNED_LONGLONG] = 8,
        [POP_HALF] = 2,  [POP_FLOAT] = 4,          [POP_DOUBLE] = 8,
    };
    return (size_t)type < sizeof(bytes) ? bytes[type] : 0;
}

pop_status popdist_all_reduce_sum(void *data, pop_type type, size_t count, pop_error *error)
{
    static const char api[] = "popdist_all_reduce_sum";
    popdist_context context;
    size_t bytes = 0, element = summed_bytes(type);
    if (!element)
        return fail(error, POP_TYPE_ERROR, api, "elements of type %s are not summed on the host", pop_type_name(type));
    if (__builtin_mul_overflow(count, element, &bytes))
        return fail(error, POP_SYSTEM_RUNTIME_ERROR, api, "%zu elements are too many", count);
    pop_error ours;
    error = error ? error : &ours;
    char *all = gathered(data, bytes, &context, api, error);
    if (!all)
        return error->status;
    for (size_t i = 0; i < count; ++i)
        sum_element(&(struct column){ all + i * element, bytes, context.instances }, type, element,
                    (char *)data + i * element);
    free(all);
    return POP_OK;
}

pop_status popdist_all_gather(const void *own, size_t bytes, void *all, pop_error *error)
{
    return pop_ranks_gather(own, bytes, all, error);
}

pop_status popdist_broadcast(void *data, size_t bytes, unsigned root, pop_error *error)
{
    static const char api[] = "popdist_broadcast";
    popdist_context context;
    pop_error ours;
    error = error ? error : &ours;
    char *all = gathered(data, bytes, &context, api, error);
    if (!all)
        return error->status;
    bool good = root < context.instances;
    if (good && bytes)
        memcpy(data, all + root * bytes, bytes);
    free(all);
    return good ? POP_OK
                : fail(error, POP_INDEX_ERROR, api, "there is no instance %u: %u instances", root, context.instances);
}

/* ---- runs ---- */

pop_status popdist_run(pop_engine *engine, unsigned program, const char *name, pop_error *error)
{
    static const char api[] = "popdist_run";
    popdist_context context;
    pop_error ours;
    error = error ? error : &ours;
    if (!engine)
        return fail(error, POP_RUNTIME_ERROR, api, "the engine is NULL");
    char *all = gathered(&program, sizeof(program), &context, api, error);
    if (!all)
        return error->status;
    pop_status status = POP_OK;
    for (unsigned k = 0; k < context.instances && status == POP_OK; ++k) {
        unsigned theirs;
        memcpy(&theirs, all + k * sizeof(theirs), sizeof(theirs));
        if (theirs != program)
            status = fail(error, POP_RUNTIME_ERROR, api, "instance %u runs program %u, instance %u program %u",
                          context.instance, program, k, theirs);
    }
    free(all);
    return status == POP_OK ? pop_engine_run_named(engine, program, name ? name : "", error) : status;
}
