/* SPDX-License-Identifier: Apache-2.0 */
/* Control programs: what a device does with a graph, step by step.
 *
 * A pop_program is a small value; its node belongs to the graph.  pop_sequence_add changes a sequence in place: every
 * program that contains it has the added program.  name may be NULL. */
#ifndef POPLAR_PROGRAM_H
#define POPLAR_PROGRAM_H

#include <poplar/graph.h>

/* Programs, borrowed for the call: POP_PROGRAMS(a, b). */
typedef struct pop_programs {
    size_t count;            /* number of programs */
    const pop_program *list; /* the programs */
} pop_programs;
/* A list of programs, for an argument or an initialiser. */
#define POP_PROGRAMS(...)                                                                                              \
    ((pop_programs){ sizeof((const pop_program[]){ __VA_ARGS__ }) / sizeof(pop_program),                               \
                     (const pop_program[]){ __VA_ARGS__ } })

/* What a sync waits for: the tiles of an IPU, or all IPUs and the host (EXTERNAL and GLOBAL). */
typedef enum pop_sync_type { POP_SYNC_INTERNAL = 0, POP_SYNC_EXTERNAL, POP_SYNC_GLOBAL } pop_sync_type;
/* How PrintTensor writes real numbers. */
typedef enum pop_float_format {
    POP_FLOAT_FORMAT_AUTO = 0,
    POP_FLOAT_FORMAT_FIXED,
    POP_FLOAT_FORMAT_SCIENTIFIC,
    POP_FLOAT_FORMAT_NONE
} pop_float_format;

/* Format of PrintTensor. pop_print_format_default has the defaults of current Poplar; pop_print_format_guide prints as
 * the Poplar user guide shows: {1,1.5,2,2.5}, nested braces on separate lines. */
typedef struct pop_print_format {
    unsigned summarise_threshold;  /* more elements than this are summarised; 0: never */
    unsigned edge_items;           /* elements that are printed at each end of a summarised dimension */
    unsigned max_line_width;       /* columns of a line; 0: rows are not split */
    unsigned digits;               /* digits after the decimal point */
    pop_float_format float_format; /* how real numbers are written */
    char separator, open, close;   /* between elements, and around a dimension */
    bool guide;                    /* the user guide's format; other fields are ignored */
} pop_print_format;

POP_BEGIN_DECLS

POP_API pop_print_format pop_print_format_default(void); /* 1000, 3, 75, 8, auto, ' ', '[', ']' */
POP_API pop_print_format pop_print_format_guide(void);   /* As the user guide prints: {1,1.5,2,2.5}. */
POP_API pop_print_format pop_print_format_plain(void);   /* PrintTensorFmt::disableFormatting() */

/* Whether the program is null or a sequence without programs. */
POP_API bool pop_program_is_empty(pop_program program);
POP_API bool pop_program_equal(pop_program a, pop_program b); /* the same node */

#define pop_sequence(...) pop_sequence_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_sequence_at(pop_where where, pop_graph *graph, const char *name); /* empty */
/* Adds a program to the end of a sequence. */
#define pop_sequence_add(...) pop_sequence_add_at(POP_HERE, __VA_ARGS__)
POP_API void pop_sequence_add_at(pop_where where, pop_program sequence, pop_program program);
/* A sequence of these programs. */
#define pop_sequence_of(...) pop_sequence_of_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_sequence_of_at(pop_where where, pop_graph *graph, pop_programs programs, const char *name);
#define pop_sequence_copy(...) pop_sequence_copy_at(POP_HERE, __VA_ARGS__)
/* A new sequence of the same programs, independent of the original. */
POP_API pop_program pop_sequence_copy_at(pop_where where, pop_program sequence);
/* The program as a block with a name: what lightweight profiling can select (profiler.blocks.filter). */
#define pop_block(...) pop_block_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_block_at(pop_where where, pop_program program, const char *name);

/* Runs the vertices of a compute set. */
#define pop_execute(...) pop_execute_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_execute_at(pop_where where, pop_compute_set set, const char *name);
#define pop_execute_consensus(...) pop_execute_consensus_at(POP_HERE, __VA_ARGS__)
/* The AND of all vertices' compute() goes to a scalar tensor (BOOL or an integer type). */
POP_API pop_program pop_execute_consensus_at(pop_where where, pop_compute_set set, pop_tensor consensus,
                                             const char *name);

#define pop_copy(...) pop_copy_at(POP_HERE, __VA_ARGS__)
/* Requires equal types and numbers of elements; shapes may differ. On overlap the source is read before the destination
 * is written. */
POP_API pop_program pop_copy_at(pop_where where, pop_tensor source, pop_tensor destination, bool dont_outline,
                                const char *name);
/* optimise_memory: the host arranges the data in the order of tile memory. Tiles then need no buffer to rearrange it,
 * and the host copies smaller pieces. */
/* A pair of replicas of pop_cross_replica_copy. */
typedef struct pop_replica_pair {
    unsigned sender, receiver; /* numbers of replicas */
} pop_replica_pair;
#define pop_cross_replica_copy(...) pop_cross_replica_copy_at(POP_HERE, __VA_ARGS__)
/* Each sender's source goes to its receiver's destination, all at once: what is sent is read before anything is
 * written. Every replica must be a sender once and a receiver once (graph_replication_error); one may send to itself.
 * Shapes and types must be equal. */
POP_API pop_program pop_cross_replica_copy_at(pop_where where, pop_tensor source, pop_tensor destination,
                                              const pop_replica_pair *pairs, size_t count, const char *name);
/* Several copies at once, which share the links between IPUs; each has its own pairs. No element may be in two
 * destinations. */
typedef struct pop_cross_copy {
    pop_tensor source, destination; /* a view of each replica, and a view of the same type and number of elements */
    const pop_replica_pair *pairs;  /* which replicas send to which; borrowed for the call */
    size_t num_pairs;               /* number of pairs */
} pop_cross_copy;
/* Copies between replicas that happen at once (pop_cross_copy); errors as for pop_cross_replica_copy. */
#define pop_cross_replica_copies(...) pop_cross_replica_copies_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_cross_replica_copies_at(pop_where where, const pop_cross_copy *parts, size_t count,
                                                const char *name);
/* Copies the next elements of a stream to a tensor of its type with as many elements as the stream. optimise_memory:
 * the host arranges the data in the order of tile memory. Tiles then need no buffer to rearrange it, and the host
 * copies smaller pieces. */
#define pop_copy_from_stream(...) pop_copy_from_stream_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_copy_from_stream_at(pop_where where, pop_stream stream, pop_tensor destination,
                                            bool optimise_memory, const char *name);
/* Copies a tensor to a stream; optimise_memory as for pop_copy_from_stream. */
#define pop_copy_to_stream(...) pop_copy_to_stream_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_copy_to_stream_at(pop_where where, pop_tensor source, pop_stream stream, bool optimise_memory,
                                          const char *name);
#define pop_copy_from_remote(...) pop_copy_from_remote_at(POP_HERE, __VA_ARGS__)
/* offset is the null tensor for row 0, or an INT or UNSIGNED_INT tensor of k row indices for a destination of shape {k,
 * n}. */
POP_API pop_program pop_copy_from_remote_at(pop_where where, pop_remote_buffer buffer, pop_tensor destination,
                                            pop_tensor offset, const char *name);
/* Copies rows from a tensor to a remote buffer; offset as for pop_copy_from_remote. */
#define pop_copy_to_remote(...) pop_copy_to_remote_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_copy_to_remote_at(pop_where where, pop_tensor source, pop_remote_buffer buffer,
                                          pop_tensor offset, const char *name);

#define pop_repeat(...) pop_repeat_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_repeat_at(pop_where where, unsigned count, pop_program body,
                                  const char *name); /* 0 is allowed */
#define pop_repeat_while_true(...) pop_repeat_while_true_at(POP_HERE, __VA_ARGS__)
/* Repeats: runs condition, tests the scalar predicate, runs body. */
POP_API pop_program pop_repeat_while_true_at(pop_where where, pop_program condition, pop_tensor predicate,
                                             pop_program body, const char *name);
/* Repeats: runs condition, tests the scalar predicate, runs body while it is false. */
#define pop_repeat_while_false(...) pop_repeat_while_false_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_repeat_while_false_at(pop_where where, pop_program condition, pop_tensor predicate,
                                              pop_program body, const char *name);
/* Runs then_program if the scalar predicate is not zero, otherwise else_program. */
#define pop_if(...) pop_if_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_if_at(pop_where where, pop_tensor predicate, pop_program then_program, pop_program else_program,
                              const char *name);
#define pop_switch(...) pop_switch_at(POP_HERE, __VA_ARGS__)
/* control is a scalar INT or UNSIGNED_INT. The new switch has no cases and an empty default. */
POP_API pop_program pop_switch_at(pop_where where, pop_tensor control, const char *name);
/* Adds a case to a switch: the program for one value of its control tensor. */
#define pop_switch_add(...) pop_switch_add_at(POP_HERE, __VA_ARGS__)
POP_API void pop_switch_add_at(pop_where where, pop_program switch_program, int32_t value, pop_program program);
/* Weights that a conv unit holds for inputs of a type: a data path for each stage of its pipeline. */
#define pop_switch_default(...) pop_switch_default_at(POP_HERE, __VA_ARGS__)
POP_API void pop_switch_default_at(pop_where where, pop_program switch_program, pop_program program);
#define pop_switch_unreachable_default(...) pop_switch_unreachable_default_at(POP_HERE, __VA_ARGS__)
/* At run time, a value without a case is an application_runtime_error. */
POP_API void pop_switch_unreachable_default_at(pop_where where, pop_program switch_program);
/* Runs a function of the graph; its code is in the executable once. */
#define pop_call(...) pop_call_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_call_at(pop_where where, pop_function function, const char *name);
#define pop_call_host(...) pop_call_host_at(POP_HERE, __VA_ARGS__)
/* Types and sizes must be those of the host function's arguments. */
POP_API pop_program pop_call_host_at(pop_where where, pop_host_function function, pop_tensors inputs,
                                     pop_tensors outputs, const char *name);

#define pop_print_tensor(...) pop_print_tensor_at(POP_HERE, __VA_ARGS__)
/* title NULL: the tensor's debug name. The format is the default one, or the user guide's if the engine option
 * print.guideFormat is set. */
POP_API pop_program pop_print_tensor_at(pop_where where, const char *title, pop_tensor t, const char *name);
/* Prints a tensor in the given format. */
#define pop_print_tensor_format(...) pop_print_tensor_format_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_print_tensor_format_at(pop_where where, const char *title, pop_tensor t,
                                               pop_print_format format, const char *name);
/* Says that the tensor's elements are not read before they are written: their memory is free until then. */
#define pop_write_undef(...) pop_write_undef_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_write_undef_at(pop_where where, pop_tensor t, const char *name);
/* Adds a sync, which takes time and has no other effect. */
#define pop_sync(...) pop_sync_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_sync_at(pop_where where, pop_graph *graph, pop_sync_type type, const char *name);
#define pop_abort(...) pop_abort_at(POP_HERE, __VA_ARGS__)
/* Ends the run with application_runtime_error; message may be NULL. */
POP_API pop_program pop_abort_at(pop_where where, pop_graph *graph, const char *message, const char *name);
/* Ends the run with application_runtime_error if the scalar condition is not zero; message may be NULL. */
#define pop_abort_on_condition(...) pop_abort_on_condition_at(POP_HERE, __VA_ARGS__)
/* Ends it if the condition, one element of any type, is not 0. */
POP_API pop_program pop_abort_on_condition_at(pop_where where, pop_tensor condition, const char *message,
                                              const char *name);
#define pop_error_program(...) pop_error_program_at(POP_HERE, __VA_ARGS__)
/* Prints message and t, then ends the run. */
POP_API pop_program pop_error_program_at(pop_where where, const char *message, pop_tensor t, const char *name);
/* With the engine option debug.checkedExecution or debug.runtimeVerify, application_runtime_error when an element is
 * not bitwise equal in all replicas; otherwise no effect. */
#define pop_assume_equal_across_replicas(...) pop_assume_equal_across_replicas_at(POP_HERE, __VA_ARGS__)
POP_API pop_program pop_assume_equal_across_replicas_at(pop_where where, pop_tensor t, const char *name);

/* ---- the device's clocks ----
 * A stamp is UNSIGNED_INT[2], low word first, on the tile. On a modelled IPU it is the
 * tile's clock since load or the last reset of the execution profile (0 while profiling is disabled). Each stamp
 * evaluates the record of what has run: about 0.2 ms on a whole IPU, growing with the number of distinct paths through
 * the programs, not with iterations. On a CPU device it is the host's time-stamp counter. A sync of the given type
 * precedes every stamp. */
#define pop_cycle_stamp(...) pop_cycle_stamp_at(POP_HERE, __VA_ARGS__)
/* Adds a stamp to the end of a sequence. */
POP_API pop_tensor pop_cycle_stamp_at(pop_where where, pop_graph *graph, pop_program sequence, unsigned tile,
                                      pop_sync_type type, const char *name);
#define pop_cycle_count(...) pop_cycle_count_at(POP_HERE, __VA_ARGS__)
/* Adds stamps before and after the programs of the sequence: the tensor gets their difference. */
POP_API pop_tensor pop_cycle_count_at(pop_where where, pop_graph *graph, pop_program sequence, unsigned tile,
                                      pop_sync_type type, const char *name);

/* ---- registers of tiles: variables that a graph creates on first use ---- */
#define pop_get_hw_seeds(...) pop_get_hw_seeds_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence a copy of the random number generators' seeds to a new tensor, UNSIGNED_INT[tiles][workers][4]. At
 * load they differ between workers and are the same each time. */
POP_API pop_tensor pop_get_hw_seeds_at(pop_where where, pop_graph *graph, pop_program sequence, const char *name);
#define pop_set_hw_seeds(...) pop_set_hw_seeds_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence a copy of a tensor with as many elements to the seeds. */
POP_API void pop_set_hw_seeds_at(pop_where where, pop_graph *graph, pop_tensor seeds, pop_program sequence,
                                 const char *name);

/* Floating-point control flags, for vertices on modelled IPUs and on the CPU; all are off at load. inv (invalid
 * operation), div0 (division by zero) and oflo (overflow of float or half) end the run with an error that names the
 * vertex. esr: half rounds stochastically, with random numbers from the hardware seeds. nanoo: half overflows to NaN,
 * otherwise to the largest value (65504). Programs that never set the flags follow IEEE 754: round to nearest, half
 * overflows to infinity, no exceptions. A graph that sets them runs a second, slower build of its codelets: compiled
 * from their sources when the graph is compiled, or read from NAME.behaving.gp beside NAME.gp (popc -ffloat-behaviour).
 * When neither exists, compiling the graph logs a warning: these vertices round to nearest, and raise the exceptions of
 * their instructions. Host functions and conversions on the host are not affected. */
typedef struct pop_float_behaviour {
    bool inv, div0, oflo, esr, nanoo; /* the flags described above */
} pop_float_behaviour;
/* Sets all five flags on every tile of the graph, in the sequence. */
#define pop_set_float_behaviour(...) pop_set_float_behaviour_at(POP_HERE, __VA_ARGS__)
POP_API void pop_set_float_behaviour_at(pop_where where, pop_graph *graph, pop_program sequence,
                                        pop_float_behaviour behaviour, const char *name);
#define pop_restore_float_behaviour(...) pop_restore_float_behaviour_at(POP_HERE, __VA_ARGS__)
/* Restores the flags that pop_modify_float_behaviour returned. */
POP_API void pop_restore_float_behaviour_at(pop_where where, pop_graph *graph, pop_program sequence,
                                            pop_tensor behaviour, const char *name);
#define pop_modify_float_behaviour(...) pop_modify_float_behaviour_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: flags that are true in clear become false, then flags that are true in set become true. Returns
 * the previous flags, UNSIGNED_INT[tiles][5]. */
POP_API pop_tensor pop_modify_float_behaviour_at(pop_where where, pop_graph *graph, pop_program sequence,
                                                 pop_float_behaviour clear, pop_float_behaviour set, const char *name);
/* Sets or clears the flag esr on every tile of the graph, in the sequence; the other flags keep their values. */
#define pop_set_stochastic_rounding(...) pop_set_stochastic_rounding_at(POP_HERE, __VA_ARGS__)
POP_API void pop_set_stochastic_rounding_at(pop_where where, pop_graph *graph, pop_program sequence, bool enable,
                                            const char *name);

/* The tree of a program as indented text. */
POP_API bool pop_dump_program(pop_graph *graph, pop_program program, FILE *file);

POP_END_DECLS
#endif
