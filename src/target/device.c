/* SPDX-License-Identifier: Apache-2.0 */
#include "target/device.h"

#include "base/error.h"
#include "base/log.h"
#include "target/machine.h"
#include "target/target.h"

#include <stdio.h>

static pop_device *make(const pop_target *target, unsigned id, struct fleet *fleet)
{
    pop_device *device = MEM_NEW(pop_device);
    device->target = *target;
    device->id = id;
    device->fleet = fleet;
    atomic_store(&device->attached, !fleet);
    size_t size = pop_target_to_text(target, NULL, 0) + 1;
    device->text = mem_alloc(size);
    pop_target_to_text(target, device->text, size);
    LOG(TARGET, DEBUG, "device %u: %s", id, device->text);
    return device;
}

/* A device of its own; NULL when the host has no memory for it. */
static pop_device *make_alone(const pop_target *target, const char *api, pop_error *error)
{
    size_t failures = mem_failures();
    pop_device *device = make(target, 0, NULL);
    if (error_if_memory_failed(error, POP_OK, failures, api) == POP_OK)
        return device;
    pop_device_destroy(device);
    return NULL;
}

static pop_status from_api(pop_status status, const char *api, pop_error *error)
{
    if (status != POP_OK && error)
        snprintf(error->api, sizeof(error->api), "%s", api);
    return status;
}

pop_device *pop_device_create(const pop_target *target, pop_error *error)
{
    return from_api(pop_target_check(target, error), "pop_device_create", error) == POP_OK
               ? make_alone(target, "pop_device_create", error)
               : NULL;
}

pop_device *pop_cpu_device_create(pop_error *error)
{
    pop_target target = pop_target_create_cpu(false, 1);
    static const char api[] = "pop_cpu_device_create";
    return from_api(pop_target_check(&target, error), api, error) == POP_OK ? make_alone(&target, api, error) : NULL;
}

/* Overrides the version's fields with the model's nonzero ones. */
static void apply_model(pop_target *target, const pop_ipu_model *model)
{
#define OVER(to, from) target->to = model->from != 0 ? model->from : target->to
    OVER(num_ipus, num_ipus);
    OVER(tiles_per_ipu, tiles_per_ipu);
    OVER(tiles_per_super_tile, tiles_per_super_tile);
    OVER(num_worker_contexts, num_worker_contexts);
    OVER(bytes_per_tile, memory_bytes_per_tile);
    OVER(tile_clock_frequency, tile_clock_frequency);
    OVER(exchange_bytes_per_cycle, exchange_bytes_per_cycle);
    OVER(memcpy_bytes_per_cycle, memcpy_bytes_per_cycle);
    OVER(instruction_bytes, instruction_bytes);
    OVER(relative_sync_delay, relative_sync_delay);
    OVER(global_sync_cycles, global_sync_cycles);
    OVER(data_path_width, data_path_width);
    OVER(fp8_in_fp16_out_conv_units, fp8_in_fp16_out_conv_units);
    OVER(fp16_in_fp16_out_conv_units, fp16_in_fp16_out_conv_units);
    OVER(fp16_in_fp32_out_conv_units, fp16_in_fp32_out_conv_units);
    OVER(fp32_in_fp32_out_conv_units, fp32_in_fp32_out_conv_units);
    OVER(fp8_conv_unit_input_load_elems_per_cycle, fp8_conv_unit_input_load_elems_per_cycle);
    OVER(fp16_conv_unit_input_load_elems_per_cycle, fp16_conv_unit_input_load_elems_per_cycle);
    OVER(fp32_conv_unit_input_load_elems_per_cycle, fp32_conv_unit_input_load_elems_per_cycle);
    OVER(fp8_conv_unit_max_pipeline_depth, fp8_conv_unit_max_pipeline_depth);
    OVER(fp16_conv_unit_max_pipeline_depth, fp16_conv_unit_max_pipeline_depth);
    OVER(fp32_conv_unit_max_pipeline_depth, fp32_conv_unit_max_pipeline_depth);
    OVER(conv_unit_coeff_load_bytes_per_cycle, conv_unit_coeff_load_bytes_per_cycle);
    OVER(rpt_count_max, rpt_count_max);
    OVER(num_stride_bits, num_stride_bits);
    OVER(atomic_store_granularity, atomic_store_granularity);
    OVER(compile_ipu_code, compile_ipu_code);
    OVER(accurate_half, accurate_half);
#undef OVER
    if (model->global_exchange_constraints) {
        target->global_exchange = POP_GLOBAL_EXCHANGE_LISTED;
        target->exchange_limits = *model->global_exchange_constraints; /* kept once they are checked */
    }
    if (model->no_global_sync)
        target->global_sync_cycles = 0;
    if (model->no_super_tile_send_receive)
        target->supports_super_tile_send_receive = false;
    if (model->interleaved_memory_element_index)
        target->interleaved_memory_element_index = model->interleaved_memory_element_index;
    else
        machine_fit_interleaving(target);
    if (model->min_ipu_sync_delay) { /* the nearest tile's delay; the differences between tiles stay */
        unsigned range = target->max_ipu_sync_delay - target->min_ipu_sync_delay;
        target->min_ipu_sync_delay = *model->min_ipu_sync_delay;
        target->max_ipu_sync_delay = target->min_ipu_sync_delay + range;
    }
}

static pop_status target_of_model(const pop_ipu_model *model, pop_target *target, pop_error *error)
{
    static const pop_ipu_model standard = { 0 };
    model = model ? model : &standard;
    pop_status status = pop_target_create_ipu(1, model->version ? model->version : "ipu2", target, error);
    if (status != POP_OK)
        return status;
    target->type = POP_TARGET_IPU_MODEL;
    apply_model(target, model);
    status = pop_target_check(target, error);
    if (status == POP_OK)
        exchange_limits_keep(&target->exchange_limits);
    return status;
}

pop_device *pop_ipu_model_create_device(const pop_ipu_model *model, pop_error *error)
{
    pop_target target;
    pop_status status = target_of_model(model, &target, error);
    static const char api[] = "pop_ipu_model_create_device";
    return from_api(status, api, error) == POP_OK ? make_alone(&target, api, error) : NULL;
}

pop_device *pop_ipu_model_create_device_options(const pop_ipu_model *model, pop_options options, pop_error *error)
{
    const char *api = "pop_ipu_model_create_device_options";
    pop_target target;
    if (from_api(target_of_model(model, &target, error), api, error) != POP_OK)
        return NULL;
    return pod_apply_options(&target, options, api, error) == POP_OK ? make_alone(&target, api, error) : NULL;
}

pop_device *pop_device_create_virtual(const pop_device *device, unsigned tiles_per_ipu, pop_error *error)
{
    const char *api = "pop_device_create_virtual";
    if (!device) {
        error_set(error, POP_INVALID_MACHINE_MODEL, NO_WHERE, api, "there is no device");
        return NULL;
    }
    if (!tiles_per_ipu || tiles_per_ipu > device->target.tiles_per_ipu) {
        error_set(error, POP_INVALID_MACHINE_MODEL, NO_WHERE, api,
                  "%u tiles of each IPU were requested, it must be from 1 to the device's %u", tiles_per_ipu,
                  device->target.tiles_per_ipu);
        return NULL;
    }
    pop_target target = pop_target_create_virtual(&device->target, device->target.num_ipus, tiles_per_ipu);
    return make(&target, device->id, NULL);
}

pop_device *device_of_fleet(struct fleet *fleet, unsigned id, const pop_target *target)
{
    pthread_mutex_lock(&fleet->lock);
    ++fleet->references;
    pthread_mutex_unlock(&fleet->lock);
    return make(target, id, fleet);
}

void fleet_release(struct fleet *fleet)
{
    pthread_mutex_lock(&fleet->lock);
    bool last = --fleet->references == 0;
    pthread_mutex_unlock(&fleet->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&fleet->lock);
    vec_free(&fleet->entries);
    vec_free(&fleet->holders);
    free(fleet);
}

void pop_device_destroy(pop_device *device)
{
    if (!device)
        return;
    pop_device_detach(device);
    if (device->fleet)
        fleet_release(device->fleet);
    free(device->text);
    free(device);
}

const pop_target *pop_device_target(const pop_device *device)
{
    return device ? &device->target : NULL;
}

unsigned pop_device_id(const pop_device *device)
{
    return device ? device->id : 0;
}

/* Transfers the device's slots held by `from` to holder. Call with the lock held. */
static void transfer_slots(const pop_device *device, const pop_device *from, const pop_device *holder)
{
    const struct fleet_entry *entry = &device->fleet->entries.data[device->id];
    for (unsigned i = 0; i < entry->slots; ++i)
        if (device->fleet->holders.data[entry->first_slot + i] == from)
            device->fleet->holders.data[entry->first_slot + i] = holder;
}

bool pop_device_attach(const pop_device *device)
{
    if (!device)
        return false;
    if (!device->fleet) {
        atomic_store((_Atomic bool *)&device->attached, true);
        return true;
    }
    struct fleet *fleet = device->fleet;
    const struct fleet_entry *entry = &fleet->entries.data[device->id];
    bool free_slots = true;
    pthread_mutex_lock(&fleet->lock);
    for (unsigned i = 0; i < entry->slots; ++i) {
        const pop_device *holder = fleet->holders.data[entry->first_slot + i];
        free_slots &= !holder || holder == device;
    }
    if (free_slots)
        transfer_slots(device, NULL, device);
    pthread_mutex_unlock(&fleet->lock);
    return free_slots;
}

bool pop_device_is_attached(const pop_device *device)
{
    if (!device)
        return false;
    if (!device->fleet)
        return atomic_load(&device->attached);
    pthread_mutex_lock(&device->fleet->lock);
    bool attached = device->fleet->holders.data[device->fleet->entries.data[device->id].first_slot] == device;
    pthread_mutex_unlock(&device->fleet->lock);
    return attached;
}

void pop_device_detach(const pop_device *device)
{
    if (!device)
        return;
    if (!device->fleet) {
        atomic_store((_Atomic bool *)&device->attached, false);
        return;
    }
    pthread_mutex_lock(&device->fleet->lock);
    transfer_slots(device, device, NULL);
    pthread_mutex_unlock(&device->fleet->lock);
}
