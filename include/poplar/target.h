/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: the description of a machine, as a value.  All numbers come from src/target/machines.def, where each has its
 * source; a target can be copied, compared and written as one line of text. */
#ifndef POPLAR_TARGET_H
#define POPLAR_TARGET_H

#include <poplar/error.h>
#include <poplar/options.h>
#include <poplar/type.h>

typedef enum pop_target_type { POP_TARGET_IPU = 0, POP_TARGET_IPU_MODEL = 1, POP_TARGET_CPU = 2 } pop_target_type;
typedef enum pop_sync_delay { POP_SYNC_DELAY_AUTO = 0, POP_SYNC_DELAY_NONE = 1 } pop_sync_delay;

/* A machine.  Fields may be changed before a graph is created from it; pop_target_check says whether the result makes sense. */
typedef struct pop_target {
    pop_target_type type;
    char system[32]; /* "ipu1", "ipu2", "ipu21", "bow", "cpu" or a custom name */
    char arch[16];   /* "ipu1", "ipu2", "ipu21", "cpu" */
    unsigned num_ipus;
    unsigned tiles_per_ipu;
    unsigned tiles_per_super_tile;
    unsigned num_worker_contexts;
    unsigned bytes_per_tile;
    double tile_clock_frequency; /* Hz */
    unsigned exchange_bytes_per_cycle;
    unsigned memcpy_bytes_per_cycle;
    unsigned instruction_bytes;
    bool supports_super_tile_send_receive; /* exchange bus sharing */
    unsigned interleaved_memory_element_index;
    unsigned memory_element_bytes;
    unsigned min_ipu_sync_delay; /* cycles, nearest tile */
    unsigned max_ipu_sync_delay; /* cycles, farthest tile */
    pop_sync_delay relative_sync_delay;
    unsigned global_sync_cycles;
    unsigned data_path_width;             /* bits */
    unsigned fp16_in_fp16_out_conv_units; /* per tile */
    unsigned fp16_in_fp32_out_conv_units;
    unsigned fp32_in_fp32_out_conv_units;
    unsigned fp8_in_fp16_out_conv_units;
    unsigned conv_unit_max_pipeline_depth;
    unsigned fp8_conv_unit_input_load_elems_per_cycle;
    unsigned fp16_conv_unit_input_load_elems_per_cycle;
    unsigned fp32_conv_unit_input_load_elems_per_cycle;
    unsigned conv_unit_coeff_load_bytes_per_cycle;
    unsigned rpt_count_max;
    unsigned num_stride_bits;
    unsigned atomic_store_granularity; /* bytes */
    unsigned host_bytes_per_kilocycle; /* host exchange bandwidth: bytes in 1,000 cycles */
    bool accurate_half;
    bool compile_ipu_code;
} pop_target;

POP_BEGIN_DECLS

/* A target of num_ipus chips of a system: "ipu1", "ipu2", "ipu21", "bow".  Fails with invalid_machine_model on an unknown
 * name (the text names the nearest) or zero chips. */
POP_API pop_status pop_target_create_ipu(unsigned num_ipus, const char *system, pop_target *target, pop_error *error);
/* The host: one worker, one tile per "IPU". */
POP_API pop_target pop_target_create_cpu(bool accurate_half, unsigned num_ipus);
/* The part of a machine that a virtual graph sees: fewer IPUs or tiles, everything else the same. */
POP_API pop_target pop_target_create_virtual(const pop_target *target, unsigned num_ipus, unsigned tiles_per_ipu);
/* Whether the numbers can be a machine; invalid_machine_model names the field. */
POP_API pop_status pop_target_check(const pop_target *target, pop_error *error);

/* Queries of Poplar's Target.  A NULL target gives 0, false or "". */
POP_API unsigned pop_target_num_tiles(const pop_target *target);
POP_API uint64_t pop_target_memory_bytes(const pop_target *target);
POP_API unsigned pop_target_vector_width(const pop_target *target, pop_type type); /* elements in a data path */
POP_API unsigned pop_target_type_size(const pop_target *target, pop_type type);    /* bytes */
POP_API unsigned pop_target_weights_per_conv_unit(const pop_target *target, pop_type type);
POP_API unsigned pop_target_conv_unit_input_load_elems_per_cycle(const pop_target *target, pop_type type);
POP_API unsigned pop_target_conv_unit_max_pipeline_depth(const pop_target *target, pop_type type);
/* Conv units per tile for inputs of one type and partials of another; 0 for a pair that the machine lacks. */
POP_API unsigned pop_target_num_conv_units(const pop_target *target, pop_type input, pop_type partials);
POP_API bool pop_target_supports_exchange_bus_sharing(const pop_target *target);
POP_API unsigned pop_target_tiles_per_shared_exchange_bus(const pop_target *target);
/* Byte offsets, from the start of tile memory, at which memory elements begin.  Writes at most capacity entries, returns
 * how many there are. */
POP_API size_t pop_target_memory_element_offsets(const pop_target *target, unsigned *offsets, size_t capacity);
/* Sync delay of a tile of one IPU in cycles: send a request and receive the release (seed 001, Target information). */
POP_API unsigned pop_target_sync_delay(const pop_target *target, unsigned tile);
/* Largest and lowest finite value of a type, as double; 64-bit integers that a double cannot hold fail with overflow_error. */
POP_API pop_status pop_target_type_limits(const pop_target *target, pop_type type, double *lowest, double *max, pop_error *error);
POP_API bool pop_target_equal(const pop_target *a, const pop_target *b);
/* A hash of every field: equal targets hash alike. */
POP_API uint64_t pop_target_hash(const pop_target *target);

/* One line that a bug report can carry: "ipu2 type=ipu_model ipus=1 tiles=1472 memory=638976 ...", only what differs from
 * the named system.  Returns the length; the buffer is always terminated. */
POP_API size_t pop_target_to_text(const pop_target *target, char *buffer, size_t size);
/* The inverse; parse_error names the word that is wrong and the nearest valid one. */
POP_API pop_status pop_target_from_text(const char *text, pop_target *target, pop_error *error);

POP_END_DECLS
#endif
