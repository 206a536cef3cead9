/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: descriptions of machines, as values. The numbers and their sources are in src/target/machines.def. A target
 * can be copied, compared and written as one line of text. */
#ifndef POPLAR_TARGET_H
#define POPLAR_TARGET_H

#include <poplar/error.h>
#include <poplar/options.h>
#include <poplar/type.h>

/* Kinds of targets: an IPU, the IPU Model, the host. */
typedef enum pop_target_type { POP_TARGET_IPU = 0, POP_TARGET_IPU_MODEL = 1, POP_TARGET_CPU = 2 } pop_target_type;
/* Whether the delay of a sync grows with a tile's distance (AUTO), or is the smallest for all tiles (NONE). */
typedef enum pop_sync_delay { POP_SYNC_DELAY_AUTO = 0, POP_SYNC_DELAY_NONE = 1 } pop_sync_delay;

/* Poplar's GlobalExchangeConstraint: a limit on the total bandwidth of a set of flows between IPUs. */
#define POP_ANY_IPU UINT32_MAX
/* Data that go from one IPU to another. */
typedef struct pop_exchange_flow {
    uint32_t source, destination; /* an IPU, or POP_ANY_IPU */
} pop_exchange_flow;
/* A bandwidth that several flows share. */
typedef struct pop_exchange_limit {
    double bandwidth;               /* bits per second */
    uint32_t num_flows;             /* number of flows */
    const pop_exchange_flow *flows; /* the flows that share the bandwidth */
} pop_exchange_limit;
/* A list of limits; {0} is empty: no limits.  The arrays are borrowed: a call that makes a device, graph or target from
 * them keeps its own, which nothing changes and which stay for the life of the process, so that targets can be copied
 * as values. */
typedef struct pop_exchange_limits {
    uint32_t count;                   /* number of limits */
    const pop_exchange_limit *limits; /* the limits */
} pop_exchange_limits;
/* The source of a target's limits: the ladder of cards (docs/concepts/devices.md), or its own list. */
typedef enum pop_global_exchange { POP_GLOBAL_EXCHANGE_LADDER = 0, POP_GLOBAL_EXCHANGE_LISTED = 1 } pop_global_exchange;

/* The release of Poplibs whose formulas estimate the cycles of vertices and choose plans: 1.2, or that of March 2021
 * (docs/concepts/devices.md). */
typedef enum pop_poplibs_release { POP_POPLIBS_1_2 = 0, POP_POPLIBS_2021 = 1 } pop_poplibs_release;

/* A machine. Fields may be changed before a graph is created from it; pop_target_check checks the result. */
typedef struct pop_target {
    pop_target_type type;                               /* kind of target */
    char system[32];                                    /* "ipu1", "ipu2", "ipu21", "bow", "cpu" or a custom name */
    char arch[16];                                      /* "ipu1", "ipu2", "ipu21", "cpu" */
    unsigned num_ipus;                                  /* IPUs */
    unsigned tiles_per_ipu;                             /* tiles of an IPU */
    unsigned tiles_per_super_tile;                      /* tiles that share an exchange bus */
    unsigned num_worker_contexts;                       /* workers of a tile */
    unsigned bytes_per_tile;                            /* bytes of a tile's memory */
    double tile_clock_frequency;                        /* Hz */
    unsigned exchange_bytes_per_cycle;                  /* bytes that a tile sends or receives per cycle */
    unsigned memcpy_bytes_per_cycle;                    /* bytes that an on-tile copy moves per cycle */
    unsigned instruction_bytes;                         /* bytes of an instruction */
    bool supports_super_tile_send_receive;              /* exchange bus sharing */
    unsigned interleaved_memory_element_index;          /* first memory element of the interleaved region */
    unsigned memory_element_bytes;                      /* bytes of a memory element */
    unsigned min_ipu_sync_delay;                        /* cycles, nearest tile */
    unsigned max_ipu_sync_delay;                        /* cycles, farthest tile */
    pop_sync_delay relative_sync_delay;                 /* whether syncs take longer for tiles that are farther away */
    unsigned global_sync_cycles;                        /* cycles of a sync of several IPUs */
    unsigned data_path_width;                           /* bits */
    unsigned fp16_in_fp16_out_conv_units;               /* per tile */
    unsigned fp16_in_fp32_out_conv_units;               /* per tile, half inputs with float results */
    unsigned fp32_in_fp32_out_conv_units;               /* per tile, float inputs with float results */
    unsigned fp8_in_fp16_out_conv_units;                /* per tile, 8-bit inputs with half results */
    unsigned fp8_conv_unit_max_pipeline_depth;          /* length of the pipeline for 8-bit inputs */
    unsigned fp16_conv_unit_max_pipeline_depth;         /* length of the pipeline for half inputs */
    unsigned fp32_conv_unit_max_pipeline_depth;         /* length of the pipeline for float inputs */
    unsigned fp8_conv_unit_input_load_elems_per_cycle;  /* 8-bit inputs that a conv unit loads per cycle */
    unsigned fp16_conv_unit_input_load_elems_per_cycle; /* half inputs that a conv unit loads per cycle */
    unsigned fp32_conv_unit_input_load_elems_per_cycle; /* float inputs that a conv unit loads per cycle */
    unsigned conv_unit_coeff_load_bytes_per_cycle;      /* bytes that a tile loads into its conv units per cycle */
    unsigned rpt_count_max;                             /* maximum count of a repeat instruction */
    unsigned num_stride_bits;                           /* bits of the strides of a load or store */
    unsigned atomic_store_granularity;                  /* bytes */
    unsigned host_bytes_per_kilocycle;                  /* host exchange bandwidth: bytes in 1,000 cycles */
    unsigned host_grain_bytes; /* minimum size of a transfer from the host: data in smaller pieces is gathered to this
                                  size */
    bool host_rearranges;  /* true: the host sends data in the order of tile memory; false: in the tensor's order, and
                              tiles rearrange it */
    bool accurate_half;    /* stored only: half is always rounded to 16 bits */
    bool compile_ipu_code; /* stored only */
    pop_poplibs_release poplibs_release; /* formulas for cycles of vertices and for plans */
    /* Links between IPUs: the limits of exchange over them, and the pod's description, which is stored only and changes
     * no cycles. */
    pop_global_exchange global_exchange;
    pop_exchange_limits exchange_limits; /* those of POP_GLOBAL_EXCHANGE_LISTED */
    double ipu_link_bandwidth;           /* payload of one link, bits per second */
    unsigned intra_card_links;           /* between the two IPUs of a card, each way */
    unsigned cross_links;                /* those of them that carry traffic to other cards */
    unsigned ladder_links;               /* between neighbours of one side of the ladder, each way */
    char ipu_link_configuration[32];     /* "default" unless an option sets it */
    char ipu_link_topology[32];          /* "torus" closes the ladder of cards to a ring, other words leave it open */
    char sync_configuration[32];         /* stored only */
    unsigned ipu_link_domain_size;       /* IPUs that links join; 0: all */
    unsigned instance_size;              /* IPUs; 0: all */
    bool gateway_mode;                   /* whether the IPUs have gateways */
    /* Links between link domains: a gateway for each machine of machine_ipus IPUs, joined to those of neighbouring
     * domains. */
    unsigned machine_ipus;
    unsigned gateway_links;   /* from a gateway to each neighbour, each way */
    double gateway_bandwidth; /* payload of one of these links, bits per second */
    unsigned gateway_latency; /* nanoseconds from a gateway to the next */
    /* Numbers without a published source: 0 is "unknown". */
    unsigned tiles_per_xb_context;
    unsigned contexts_per_xb;    /* contexts that share an exchange block */
    unsigned fp_ictl_reg_index;  /* register of floating-point control flags */
    unsigned dbg_data_reg_index; /* register of debug data */
} pop_target;

POP_BEGIN_DECLS

/* A target of num_ipus chips: "ipu1", "ipu2" (also ""), "ipu21", "bow"; or of a system of several: "IPU-POD16",
 * "BOW-POD64" and the others of docs/concepts/devices.md, which are of one chip, have a number of IPUs and join at most
 * 64 of them by links.  Error: invalid_machine_model for an unknown name (the text lists the names and has the
 * nearest), for zero chips and for more than the system has. */
POP_API pop_status pop_target_create_ipu(unsigned num_ipus, const char *system, pop_target *target, pop_error *error);
/* A target as pop_target_create_ipu makes it, with a number of tiles per IPU (0: the system's) and options of group
 * "target" (docs/reference/options.md), which the environment variable POPLAR_TARGET_OPTIONS overrides; num_ipus 0 is
 * the whole system, or one chip. */
POP_API pop_status pop_target_create_ipu_options(unsigned num_ipus, unsigned tiles_per_ipu, const char *system,
                                                 pop_options options, pop_target *target, pop_error *error);
/* The host: one worker, one tile per "IPU". */
POP_API pop_target pop_target_create_cpu(bool accurate_half, unsigned num_ipus);
/* The part of a machine that a virtual graph sees: fewer IPUs or tiles, everything else the same. */
POP_API pop_target pop_target_create_virtual(const pop_target *target, unsigned num_ipus, unsigned tiles_per_ipu);
/* Checks that the fields are consistent; invalid_machine_model names the field that is not. */
POP_API pop_status pop_target_check(const pop_target *target, pop_error *error);

/* Queries of Poplar's Target.  A NULL target gives 0, false or "". */
POP_API unsigned pop_target_num_tiles(const pop_target *target);
POP_API uint64_t pop_target_memory_bytes(const pop_target *target);                /* Bytes of memory of all tiles. */
POP_API unsigned pop_target_vector_width(const pop_target *target, pop_type type); /* elements in a data path */
POP_API unsigned pop_target_type_size(const pop_target *target, pop_type type);    /* bytes */
/* Weights that a conv unit holds for inputs of a type: a data path for each stage of its pipeline. */
POP_API unsigned pop_target_weights_per_conv_unit(const pop_target *target, pop_type type);
/* Inputs of a type that a conv unit loads per cycle; 0 for a type without conv units. */
POP_API unsigned pop_target_conv_unit_input_load_elems_per_cycle(const pop_target *target, pop_type type);
/* Length of a conv unit's pipeline for inputs of a type; 0 for a type without conv units. */
POP_API unsigned pop_target_conv_unit_max_pipeline_depth(const pop_target *target, pop_type type);
/* Conv units per tile for inputs of one type and partials of another; 0 for a pair that the machine lacks. */
POP_API unsigned pop_target_num_conv_units(const pop_target *target, pop_type input, pop_type partials);
/* Whether neighbouring tiles can share an exchange bus. */
POP_API bool pop_target_supports_exchange_bus_sharing(const pop_target *target);
/* Number of tiles that can share an exchange bus. */
POP_API unsigned pop_target_tiles_per_shared_exchange_bus(const pop_target *target);
/* Byte offsets, from the start of tile memory, at which memory elements begin.  Writes at most capacity entries,
 * returns their total number. */
POP_API size_t pop_target_memory_element_offsets(const pop_target *target, unsigned *offsets, size_t capacity);
/* Sync delay of a tile within its IPU, in cycles: the time from sending a request to receiving the release. */
POP_API unsigned pop_target_sync_delay(const pop_target *target, unsigned tile);
/* Cycles of a sync of the first `ipus` IPUs; of one IPU, that of its farthest tile; 0 when global syncs are free. */
POP_API uint64_t pop_target_sync_cycles(const pop_target *target, unsigned ipus);
/* Largest and lowest finite value of a type, as double; overflow_error for 64-bit limits that a double cannot
 * represent. */
POP_API pop_status pop_target_type_limits(const pop_target *target, pop_type type, double *lowest, double *max,
                                          pop_error *error);
/* Largest and lowest finite value as values of another type, which *lowest and *max (either may be NULL) point to: any
 * integer or floating-point type, POP_LONG, POP_UNSIGNED_LONG and POP_DOUBLE included. overflow_error, and nothing
 * written, when it cannot represent a limit. */
POP_API pop_status pop_target_type_limits_as(const pop_target *target, pop_type type, pop_type as, void *lowest,
                                             void *max, pop_error *error);

/* Limits of exchange between IPUs: their number (0 for one IPU), the bandwidth of each in bits per second (0 past the
 * last), and the flows that share it. The last call writes at most capacity flows and returns their total number;
 * POP_ANY_IPU is expanded. */
POP_API size_t pop_target_num_global_exchange_constraints(const pop_target *target);
/* Bandwidth of a limit, bits per second; 0 beyond the last. */
POP_API double pop_target_global_exchange_bandwidth(const pop_target *target, size_t constraint);
/* Flows that share a limit; writes at most capacity, returns their total number. POP_ANY_IPU is expanded. */
POP_API size_t pop_target_global_exchange_flows(const pop_target *target, size_t constraint, pop_exchange_flow *flows,
                                                size_t capacity);

/* Number of IPUs connected by links, and number of IPUs that run an instance of a program: all of the target's unless
 * an option sets them. */
POP_API unsigned pop_target_ipu_link_domain_size(const pop_target *target);
POP_API unsigned pop_target_instance_size(const pop_target *target);
/* The target options in effect, in the format of POPLAR_TARGET_OPTIONS: {"ipuLinkDomainSize":"4"}.  Returns the length;
 * the buffer is always terminated. */
POP_API size_t pop_target_options(const pop_target *target, char *buffer, size_t size);

/* Value of the register that enables floating-point exceptions: one bit each, in the order of the arguments.  The order
 * has no published source; it does not affect execution here. */
POP_API unsigned pop_target_make_fp_ictl_value(const pop_target *target, bool inv, bool div0, bool oflo, bool esr,
                                               bool nanoo);

POP_API bool pop_target_equal(const pop_target *a, const pop_target *b); /* Whether all fields are equal. */
/* Total order over all fields: negative, 0 or positive. NULL is lowest. */
POP_API int pop_target_compare(const pop_target *a, const pop_target *b);
/* A hash of every field: equal targets have equal hashes. */
POP_API uint64_t pop_target_hash(const pop_target *target);

/* One line that a bug report can carry: "ipu2 type=ipu_model ipus=1 tiles=1472 memory=638976 ...", only what differs
 * from the named system.  Returns the length; the buffer is always terminated. */
POP_API size_t pop_target_to_text(const pop_target *target, char *buffer, size_t size);
enum { POP_TARGET_TEXT_SIZE = 16384 }; /* a buffer that holds the text of any target without listed limits */
/* Parses such a line; parse_error names the invalid word and the nearest valid one. */
POP_API pop_status pop_target_from_text(const char *text, pop_target *target, pop_error *error);

POP_END_DECLS
#endif
