/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: something that an engine can be loaded onto. */
#ifndef POPLAR_DEVICE_H
#define POPLAR_DEVICE_H

#include <poplar/target.h>

typedef struct pop_device pop_device; /* owner: pop_device_destroy */

/* The modelled IPU, field for field Poplar's IPUModel.  A zero field means "as the version has it", so that
 * {.version = "ipu1"} is a whole model and {0} is an ipu2. */
typedef struct pop_ipu_model {
    const char *version; /* "ipu1", "ipu2" (standard), "ipu21", "bow" */
    unsigned num_ipus;
    unsigned tiles_per_ipu;
    unsigned tiles_per_super_tile;
    unsigned num_worker_contexts;
    unsigned memory_bytes_per_tile;
    double tile_clock_frequency;
    unsigned exchange_bytes_per_cycle;
    unsigned memcpy_bytes_per_cycle;
    unsigned instruction_bytes;
    bool no_super_tile_send_receive; /* set to switch exchange bus sharing off */
    unsigned interleaved_memory_element_index;
    const unsigned *min_ipu_sync_delay; /* NULL: as the version has it; points to a value, which may be 0 */
    pop_sync_delay relative_sync_delay;
    unsigned global_sync_cycles;
    const pop_exchange_limits
        *global_exchange_constraints; /* NULL: the ladder's (docs/targets.md); {0} limits nothing */
    unsigned data_path_width;
    unsigned fp8_in_fp16_out_conv_units;
    unsigned fp16_in_fp16_out_conv_units;
    unsigned fp16_in_fp32_out_conv_units;
    unsigned fp32_in_fp32_out_conv_units;
    unsigned fp8_conv_unit_input_load_elems_per_cycle;
    unsigned fp16_conv_unit_input_load_elems_per_cycle;
    unsigned fp32_conv_unit_input_load_elems_per_cycle;
    unsigned fp8_conv_unit_max_pipeline_depth;
    unsigned fp16_conv_unit_max_pipeline_depth;
    unsigned fp32_conv_unit_max_pipeline_depth;
    unsigned conv_unit_coeff_load_bytes_per_cycle;
    unsigned rpt_count_max;
    unsigned num_stride_bits;
    unsigned atomic_store_granularity;
    bool compile_ipu_code;
    bool accurate_half;  /* kept and told by the target; half is rounded to 16 bits with and without it */
    bool no_global_sync; /* set for global syncs that cost nothing, which global_sync_cycles 0 is not */
} pop_ipu_model;

POP_BEGIN_DECLS

/* A modelled IPU, attached.  NULL when the model makes no sense; error (may be NULL) says why. */
POP_API pop_device *pop_ipu_model_create_device(const pop_ipu_model *model, pop_error *error);
/* The same with options of group "target" (docs/options.md), and those of POPLAR_TARGET_OPTIONS over them. */
POP_API pop_device *pop_ipu_model_create_device_options(const pop_ipu_model *model, pop_options options,
                                                        pop_error *error);
/* A device of any target: type IPU is a modelled IPU that says it is hardware. */
POP_API pop_device *pop_device_create(const pop_target *target, pop_error *error);
/* The host as a device: one tile, one worker. */
POP_API pop_device *pop_cpu_device_create(pop_error *error);
POP_API void pop_device_destroy(pop_device *device);

POP_API const pop_target *pop_device_target(const pop_device *device); /* borrowed; NULL for NULL */
POP_API unsigned pop_device_id(const pop_device *device);
/* True when the device is now attached to this handle; false when another handle has it. */
POP_API bool pop_device_attach(const pop_device *device);
POP_API bool pop_device_is_attached(const pop_device *device);
POP_API void pop_device_detach(const pop_device *device);
/* A device that sees tiles_per_ipu tiles of each IPU; independent of the original. */
POP_API pop_device *pop_device_create_virtual(const pop_device *device, unsigned tiles_per_ipu, pop_error *error);
POP_API bool pop_device_supports_remote_buffers(const pop_device *device);
/* Text of an attribute ("driver version", "board type", ...), or NULL when the device has no such attribute. */
POP_API const char *pop_device_attribute(const pop_device *device, const char *name);
/* Names of the attributes that a device has, from index 0 on; NULL behind the last. */
POP_API const char *pop_device_attribute_name(const pop_device *device, size_t index);
/* Whether the device is told to have a gateway (option gatewayMode). */
POP_API bool pop_device_has_gateway(const pop_device *device);
/* Puts an attached device back to its beginning; runtime_error when it is not attached.  The memory of a modelled IPU
 * is each engine's own, so there is nothing that engines see of it. */
POP_API pop_status pop_device_reset(const pop_device *device, pop_error *error);
/* No device has a driver: false, and zeros. */
POP_API bool pop_device_driver_version(const pop_device *device, unsigned *major, unsigned *minor, unsigned *point);
/* Ids of the single IPUs that the device is made of, or its own.  Writes at most capacity of them, returns how many
 * there are. */
POP_API size_t pop_device_driver_ids(const pop_device *device, unsigned *ids, size_t capacity);
/* The host's NUMA nodes, in order: the memory of modelled IPUs is that of the process, and may be on any.  As above. */
POP_API size_t pop_device_numa_topology(const pop_device *device, int *nodes, size_t capacity);

/* The device manager.  With the environment variable TREMULA_IPU (or the option ipuModel) set to a target text, a
 * version name, or "off", it offers that many modelled devices of type IPU; see docs/devices.md.  The options also
 * describe the pod that all of its IPUs stand in (ipuLinkDomainSize, ...). */
typedef struct pop_device_manager pop_device_manager;
POP_API pop_device_manager *pop_device_manager_create(pop_options options, pop_error *error);
POP_API void pop_device_manager_destroy(pop_device_manager *manager);
POP_API size_t pop_device_manager_num_devices(const pop_device_manager *manager);
/* Devices of a type and size, each a new handle that the caller destroys.  Writes at most capacity handles, returns how
 * many there are; num_ipus 0 means any size. */
POP_API size_t pop_device_manager_devices(const pop_device_manager *manager, pop_target_type type, unsigned num_ipus,
                                          pop_device **devices, size_t capacity);
/* The same, each device with options of group "target" over its target, and those of POPLAR_TARGET_OPTIONS over them.
 * 0, and no handles, on an option that is wrong. */
POP_API size_t pop_device_manager_devices_options(const pop_device_manager *manager, pop_target_type type,
                                                  unsigned num_ipus, pop_options options, pop_device **devices,
                                                  size_t capacity, pop_error *error);
/* Ids of the devices of so many IPUs (0: one) that are part of device id, itself not among them.  Writes at most
 * capacity of them, returns how many there are; 0 for a device without parts. */
POP_API size_t pop_device_manager_child_ids(const pop_device_manager *manager, unsigned id, unsigned num_ipus,
                                            unsigned *ids, size_t capacity);
/* One device by id; NULL and index_error when there is none. */
POP_API pop_device *pop_device_manager_device(const pop_device_manager *manager, unsigned id, pop_error *error);

POP_END_DECLS
#endif
