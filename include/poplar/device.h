/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, which engines are loaded onto. */
#ifndef POPLAR_DEVICE_H
#define POPLAR_DEVICE_H

#include <poplar/target.h>

typedef struct pop_device pop_device; /* owner: pop_device_destroy */

/* The modelled IPU, with the fields of Poplar's IPUModel. A zero field takes the version's value, so that {.version =
 * "ipu1"} is a complete model and {0} is an ipu2. */
typedef struct pop_ipu_model {
    const char *version;                       /* "ipu1", "ipu2" (default), "ipu21", "bow" */
    unsigned num_ipus;                         /* IPUs of the device */
    unsigned tiles_per_ipu;                    /* tiles of an IPU */
    unsigned tiles_per_super_tile;             /* tiles that share an exchange bus */
    unsigned num_worker_contexts;              /* workers of a tile */
    unsigned memory_bytes_per_tile;            /* bytes of a tile's memory */
    double tile_clock_frequency;               /* Hz */
    unsigned exchange_bytes_per_cycle;         /* bytes that a tile sends or receives per cycle */
    unsigned memcpy_bytes_per_cycle;           /* bytes that an on-tile copy moves per cycle */
    unsigned instruction_bytes;                /* bytes of an instruction */
    bool no_super_tile_send_receive;           /* true: no exchange bus sharing */
    unsigned interleaved_memory_element_index; /* first memory element of the interleaved region */
    const unsigned *min_ipu_sync_delay;        /* cycles; NULL: the version's value (a pointer, as 0 is valid) */
    pop_sync_delay relative_sync_delay;        /* whether syncs take longer for tiles that are farther away */
    unsigned global_sync_cycles;               /* cycles of a sync of several IPUs */
    const pop_exchange_limits
        *global_exchange_constraints;                  /* NULL: those of the ladder of cards (docs/concepts/devices.md);
                                                          {0}: no limits; borrowed for the call */
    unsigned data_path_width;                          /* bits of a load, store or vector operation */
    unsigned fp8_in_fp16_out_conv_units;               /* conv units of a tile for 8-bit inputs with half results */
    unsigned fp16_in_fp16_out_conv_units;              /* conv units of a tile for half inputs with half results */
    unsigned fp16_in_fp32_out_conv_units;              /* conv units of a tile for half inputs with float results */
    unsigned fp32_in_fp32_out_conv_units;              /* conv units of a tile for float inputs with float results */
    unsigned fp8_conv_unit_input_load_elems_per_cycle; /* 8-bit inputs that a conv unit loads per cycle */
    unsigned fp16_conv_unit_input_load_elems_per_cycle; /* half inputs that a conv unit loads per cycle */
    unsigned fp32_conv_unit_input_load_elems_per_cycle; /* float inputs that a conv unit loads per cycle */
    unsigned fp8_conv_unit_max_pipeline_depth;          /* length of the pipeline of a conv unit for 8-bit inputs */
    unsigned fp16_conv_unit_max_pipeline_depth;         /* length of the pipeline of a conv unit for half inputs */
    unsigned fp32_conv_unit_max_pipeline_depth;         /* length of the pipeline of a conv unit for float inputs */
    /* bytes of coefficients that a tile loads into its conv units per cycle */
    unsigned conv_unit_coeff_load_bytes_per_cycle;
    unsigned rpt_count_max;            /* maximum count of a repeat instruction */
    unsigned num_stride_bits;          /* bits of the strides of a load or store */
    unsigned atomic_store_granularity; /* bytes; smaller stores read and write their surroundings */
    bool compile_ipu_code;             /* stored in the target, without effect */
    bool accurate_half;                /* stored in the target, no effect: half is always rounded to 16 bits */
    bool no_global_sync; /* true: global syncs take 0 cycles (global_sync_cycles 0 means the version's value) */
} pop_ipu_model;

POP_BEGIN_DECLS

/* Creates a modelled IPU, attached. NULL, with the reason in error (may be NULL), when the model is invalid. */
POP_API pop_device *pop_ipu_model_create_device(const pop_ipu_model *model, pop_error *error);
/* Creates a modelled IPU with options of group "target" (docs/reference/options.md), and those of POPLAR_TARGET_OPTIONS
 * over them. */
POP_API pop_device *pop_ipu_model_create_device_options(const pop_ipu_model *model, pop_options options,
                                                        pop_error *error);
/* Creates a device for any target. Type IPU is a modelled IPU too, whose target type is IPU instead of IPU_MODEL. */
POP_API pop_device *pop_device_create(const pop_target *target, pop_error *error);
/* The host as a device: one tile, one worker. */
POP_API pop_device *pop_cpu_device_create(pop_error *error);
/* Destroys a handle; engines that were loaded on the device keep what they need. NULL is allowed. */
POP_API void pop_device_destroy(pop_device *device);

POP_API const pop_target *pop_device_target(const pop_device *device); /* borrowed; NULL for NULL */
POP_API unsigned pop_device_id(const pop_device *device); /* The device's number in its device manager; 0 for NULL. */
/* Attaches the device to this handle; false when it is attached to another one. */
POP_API bool pop_device_attach(const pop_device *device);
POP_API bool pop_device_is_attached(const pop_device *device); /* Whether this handle is attached to the device. */
POP_API void pop_device_detach(const pop_device *device); /* Detaches this handle; no effect when it is not attached. */
/* A device that sees tiles_per_ipu tiles of each IPU; independent of the original. */
POP_API pop_device *pop_device_create_virtual(const pop_device *device, unsigned tiles_per_ipu, pop_error *error);
/* Whether programs on the device can use remote buffers. */
POP_API bool pop_device_supports_remote_buffers(const pop_device *device);
/* Text of an attribute ("driver version", "board type", ...), or NULL when the device has no such attribute. */
POP_API const char *pop_device_attribute(const pop_device *device, const char *name);
/* Names of a device's attributes, from index 0 on; NULL past the last. */
POP_API const char *pop_device_attribute_name(const pop_device *device, size_t index);
/* Whether the option gatewayMode gives the device a gateway. */
POP_API bool pop_device_has_gateway(const pop_device *device);
/* Resets an attached device; runtime_error when it is not attached. Each engine has its own memory of a modelled IPU,
 * so a reset does not affect engines. */
POP_API pop_status pop_device_reset(const pop_device *device, pop_error *error);
/* No device has a driver: false, and zeros. */
POP_API bool pop_device_driver_version(const pop_device *device, unsigned *major, unsigned *minor, unsigned *point);
/* Ids of the single-IPU devices that a multi-IPU device consists of, or the device's own id. Writes at most capacity
 * ids, returns their total number. */
POP_API size_t pop_device_driver_ids(const pop_device *device, unsigned *ids, size_t capacity);
/* All NUMA nodes of the host, ascending: the memory of modelled IPUs is the process's, on any node. Writes at most
 * capacity nodes, returns their total number. */
POP_API size_t pop_device_numa_topology(const pop_device *device, int *nodes, size_t capacity);

/* The device manager.  With the environment variable TREMULA_IPU (or the option ipuModel) set to a target text, a
 * version name, or "off", it offers that many modelled devices of type IPU; see docs/concepts/devices.md.  The options
 * also describe the pod that contains its IPUs (ipuLinkDomainSize, ...). */
typedef struct pop_device_manager pop_device_manager;
/* Creates a device manager, owned by the caller. NULL, with the reason in error (may be NULL), for invalid options. */
POP_API pop_device_manager *pop_device_manager_create(pop_options options, pop_error *error);
/* Destroys a device manager; devices that it created stay valid. NULL is allowed. */
POP_API void pop_device_manager_destroy(pop_device_manager *manager);
/* Number of devices: their ids are the numbers below it. */
POP_API size_t pop_device_manager_num_devices(const pop_device_manager *manager);
/* Devices of a type and size, each a new handle that the caller destroys. Writes at most capacity handles, returns the
 * total number of devices; num_ipus 0 means any size. */
POP_API size_t pop_device_manager_devices(const pop_device_manager *manager, pop_target_type type, unsigned num_ipus,
                                          pop_device **devices, size_t capacity);
/* Devices as pop_device_manager_devices gives them, with options of group "target" applied to each device's target,
 * then those of POPLAR_TARGET_OPTIONS. Returns 0 and writes no handle when an option is invalid. */
POP_API size_t pop_device_manager_devices_options(const pop_device_manager *manager, pop_target_type type,
                                                  unsigned num_ipus, pop_options options, pop_device **devices,
                                                  size_t capacity, pop_error *error);
/* Ids of the devices of num_ipus IPUs (0: one) that are parts of device id, without itself. Writes at most capacity
 * ids, returns their total number; 0 for a device without parts. */
POP_API size_t pop_device_manager_child_ids(const pop_device_manager *manager, unsigned id, unsigned num_ipus,
                                            unsigned *ids, size_t capacity);
/* One device by id; NULL and index_error when there is none. */
POP_API pop_device *pop_device_manager_device(const pop_device_manager *manager, unsigned id, pop_error *error);

POP_END_DECLS
#endif
