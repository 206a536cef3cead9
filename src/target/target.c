/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "target/machine.h"

#include <string.h>

pop_target pop_target_create_cpu(bool accurate_half, unsigned num_ipus)
{
    pop_target target = machine_target(MACHINE_CPU);
    target.num_ipus = num_ipus ? num_ipus : 1;
    target.accurate_half = accurate_half;
    return target;
}

pop_target pop_target_create_virtual(const pop_target *target, unsigned num_ipus, unsigned tiles_per_ipu)
{
    if (!target)
        return (pop_target){ 0 };
    pop_target part = *target;
    if (num_ipus < part.num_ipus)
        part.num_ipus = num_ipus;
    if (tiles_per_ipu < part.tiles_per_ipu)
        part.tiles_per_ipu = tiles_per_ipu;
    return part;
}

static pop_status refuse(pop_error *error, const char *format, ...) POP_PRINTF(2, 3);
static pop_status refuse(pop_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_vset(error, POP_INVALID_MACHINE_MODEL, NO_WHERE, "pop_target_check", format, arguments);
    va_end(arguments);
    return POP_INVALID_MACHINE_MODEL;
}

static pop_status check_limits(const pop_exchange_limits *limits, pop_error *error)
{
    if (limits->count && !limits->limits)
        return refuse(error, "exchange_limits has %u limits, but limits is NULL", limits->count);
    for (unsigned i = 0; i < limits->count; ++i) {
        const pop_exchange_limit *limit = &limits->limits[i];
        if (!(limit->bandwidth >= 1 && limit->bandwidth <= 1e18))
            return refuse(error, "the bandwidth of exchange limit %u is %g, it must be from 1 to 1e+18", i,
                          limit->bandwidth);
        if (!limit->num_flows || !limit->flows)
            return refuse(error, "exchange limit %u has %s, it must have at least one flow", i,
                          limit->num_flows ? "flows that are NULL" : "0 flows");
        for (unsigned f = 0; f < limit->num_flows; ++f)
            if (limit->flows[f].source == limit->flows[f].destination && limit->flows[f].source != POP_ANY_IPU)
                return refuse(error, "flow %u of exchange limit %u goes from IPU %u to itself", f, i,
                              limit->flows[f].source);
    }
    return POP_OK;
}

static pop_status check_field(const pop_target *target, const struct machine_field *field, pop_error *error)
{
    const void *value = machine_value(target, field);
    size_t length;
    double real;
    switch (field->kind) {
    case FIELD_CHOICE:
        if (!machine_choice(field, machine_count(target, field), &length))
            return refuse(error, "%s is %u, which is none of %s", field->member, machine_count(target, field),
                          field->choices);
        return POP_OK;
    case FIELD_TEXT: /* one word, or the text form could not carry it */
        length = strnlen(value, field->size);
        if (length == field->size)
            return refuse(error, "%s does not end within its %zu bytes", field->member, field->size);
        for (size_t i = 0; i < length; ++i)
            if (((const char *)value)[i] <= ' ' || ((const char *)value)[i] == 127)
                return refuse(error, "%s has a character that is not allowed in a name, at position %zu", field->member,
                              i);
        return length ? POP_OK : refuse(error, "%s is empty, it must be a name", field->member);
    case FIELD_COUNT:
        real = machine_count(target, field);
        if (real < field->min || real > field->max)
            return refuse(error, "%s is %.0f, it must be from %.0f to %.0f", field->member, real, field->min,
                          field->max);
        return POP_OK;
    case FIELD_REAL:
        memcpy(&real, value, sizeof(real));
        if (!(real >= field->min && real <= field->max))
            return refuse(error, "%s is %g, it must be from %g to %g", field->member, real, field->min, field->max);
        return POP_OK;
    case FIELD_LIMITS:
        return check_limits(value, error);
    case FIELD_FLAG:
        break;
    }
    return POP_OK;
}

pop_status pop_target_check(const pop_target *target, pop_error *error)
{
    enum { MAX_TILES = 1 << 20 };
    if (!target)
        return refuse(error, "there is no target");
    for (size_t i = 0; i < machine_field_count; ++i) {
        pop_status status = check_field(target, &machine_fields[i], error);
        if (status != POP_OK)
            return status;
    }
    if ((uint64_t)target->num_ipus * target->tiles_per_ipu > MAX_TILES)
        return refuse(error, "num_ipus x tiles_per_ipu is %llu tiles, there must be at most %d",
                      (unsigned long long)target->num_ipus * target->tiles_per_ipu, MAX_TILES);
    if (target->memory_element_bytes > target->bytes_per_tile)
        return refuse(error, "memory_element_bytes is %u, more than the %u of bytes_per_tile",
                      target->memory_element_bytes, target->bytes_per_tile);
    if (target->interleaved_memory_element_index > machine_elements(target))
        return refuse(error, "interleaved_memory_element_index is %u, beyond the %u memory elements of a tile",
                      target->interleaved_memory_element_index, machine_elements(target));
    if (target->min_ipu_sync_delay > target->max_ipu_sync_delay)
        return refuse(error, "min_ipu_sync_delay is %u, more than max_ipu_sync_delay, %u", target->min_ipu_sync_delay,
                      target->max_ipu_sync_delay);
    if (target->data_path_width % 8)
        return refuse(error, "data_path_width is %u, it must be a multiple of 8 bits", target->data_path_width);
    if (target->atomic_store_granularity & (target->atomic_store_granularity - 1))
        return refuse(error, "atomic_store_granularity is %u, it must be a power of two",
                      target->atomic_store_granularity);
    return POP_OK;
}

unsigned pop_target_num_tiles(const pop_target *target)
{
    return target ? target->num_ipus * target->tiles_per_ipu : 0;
}

uint64_t pop_target_memory_bytes(const pop_target *target)
{
    return target ? (uint64_t)target->num_ipus * target->tiles_per_ipu * target->bytes_per_tile : 0;
}

unsigned pop_target_vector_width(const pop_target *target, pop_type type)
{
    size_t bits = 8 * pop_type_size(type);
    return target && bits ? (unsigned)(target->data_path_width / bits) : 0;
}

unsigned pop_target_type_size(const pop_target *target, pop_type type)
{
    return target ? (unsigned)pop_type_size(type) : 0;
}

/* Whether the machine has convolution units for inputs of a type. */
static bool convolves(const pop_target *target, pop_type type)
{
    return target && (type == POP_QUARTER ? target->fp8_in_fp16_out_conv_units > 0
                      : type == POP_HALF  ? target->fp16_in_fp16_out_conv_units || target->fp16_in_fp32_out_conv_units
                      : type == POP_FLOAT ? target->fp32_in_fp32_out_conv_units > 0
                                          : false);
}

unsigned pop_target_weights_per_conv_unit(const pop_target *target, pop_type type)
{
    /* 8 floats, 16 halves, 32 quarters (the API reference, class Target): one data path for each stage of the pipeline.
     */
    return pop_target_conv_unit_max_pipeline_depth(target, type) * pop_target_vector_width(target, type);
}

unsigned pop_target_conv_unit_input_load_elems_per_cycle(const pop_target *target, pop_type type)
{
    return !target               ? 0
           : type == POP_QUARTER ? target->fp8_conv_unit_input_load_elems_per_cycle
           : type == POP_HALF    ? target->fp16_conv_unit_input_load_elems_per_cycle
           : type == POP_FLOAT   ? target->fp32_conv_unit_input_load_elems_per_cycle
                                 : 0;
}

unsigned pop_target_conv_unit_max_pipeline_depth(const pop_target *target, pop_type type)
{
    return !convolves(target, type) ? 0
           : type == POP_QUARTER    ? target->fp8_conv_unit_max_pipeline_depth
           : type == POP_HALF       ? target->fp16_conv_unit_max_pipeline_depth
                                    : target->fp32_conv_unit_max_pipeline_depth;
}

unsigned pop_target_num_conv_units(const pop_target *target, pop_type input, pop_type partials)
{
    if (!target)
        return 0;
    if (input == POP_HALF)
        return partials == POP_HALF    ? target->fp16_in_fp16_out_conv_units
               : partials == POP_FLOAT ? target->fp16_in_fp32_out_conv_units
                                       : 0;
    if (input == POP_FLOAT)
        return partials == POP_FLOAT ? target->fp32_in_fp32_out_conv_units : 0;
    return input == POP_QUARTER && partials == POP_HALF ? target->fp8_in_fp16_out_conv_units : 0;
}

bool pop_target_supports_exchange_bus_sharing(const pop_target *target)
{
    return target && target->supports_super_tile_send_receive;
}

unsigned pop_target_tiles_per_shared_exchange_bus(const pop_target *target)
{
    return target ? target->tiles_per_super_tile : 0;
}

size_t pop_target_memory_element_offsets(const pop_target *target, unsigned *offsets, size_t capacity)
{
    size_t count = 0;
    if (!target || !target->memory_element_bytes)
        return 0;
    /* In the interleaved region addresses alternate between the two elements of a pair, so a pair is the unit there. */
    for (uint64_t at = 0; at < target->bytes_per_tile; ++count) {
        if (count < capacity)
            offsets[count] = (unsigned)at;
        at += (count < target->interleaved_memory_element_index ? (uint64_t)1 : 2) * target->memory_element_bytes;
    }
    return count;
}

unsigned pop_target_sync_delay(const pop_target *target, unsigned tile)
{
    if (!target)
        return 0;
    if (target->relative_sync_delay == POP_SYNC_DELAY_NONE || target->tiles_per_ipu < 2)
        return target->min_ipu_sync_delay;
    /* Inferred: a straight line over tile numbers, rounded, which meets both published points
     * (docs/reference/ipu-model.md, 2.2): 118 for tile 1,215 and 78 for tile 391. */
    uint64_t range = target->max_ipu_sync_delay - target->min_ipu_sync_delay, last = target->tiles_per_ipu - 1;
    return target->min_ipu_sync_delay + (unsigned)((range * (tile % target->tiles_per_ipu) + last / 2) / last);
}

int pop_target_compare(const pop_target *a, const pop_target *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    for (size_t i = 0; i < machine_field_count; ++i) {
        int order = machine_compare(a, b, &machine_fields[i]);
        if (order)
            return order < 0 ? -1 : 1;
    }
    return 0;
}

bool pop_target_equal(const pop_target *a, const pop_target *b)
{
    return pop_target_compare(a, b) == 0;
}

uint64_t pop_target_hash(const pop_target *target)
{
    uint64_t hash = 0;
    for (size_t i = 0; target && i < machine_field_count; ++i)
        hash = machine_hash(target, &machine_fields[i], hash);
    return hash;
}
