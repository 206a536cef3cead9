/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling and loading modules: the interface for other directories. */
#ifndef POPC_POPC_H
#define POPC_POPC_H

#include "popc/compile/build.h"
#include "popc/device/device_machine.h"
#include "popc/module/codelet.h"
#include "popc/module/device_code.h"
#include "popc/module/module.h"
#include "tile/machine.h"

struct device_counter;
struct tile_vertex;
struct tile_vertex_run;
struct popc_assembly;

/* Compiles a source file (or, when text is not NULL, text under its name) to a module through the cache.
 * POPC_BY_NAME takes files that do not end in .cpp or the like for C. flags are as on popc's command line.
 * graph_program_compilation_error quotes the compiler's message; a missing file is a file_load_error. */
pop_status popc_compile_as(enum popc_language language, const char *name, const char *text, const char *flags,
                           struct module **module, pop_error *error);
pop_status popc_compile(const char *name, const char *text, const char *flags, struct module **module,
                        pop_error *error);
/* Decides by the file's extension: .c and .cpp (.cc, .cxx, .C) are compiled, .gp is loaded; .S and .s are refused. */
pop_status popc_load(const char *path, const char *flags, struct module **module, pop_error *error);
/* Measures those again for the target whose files use functions of others of these modules. */
void popc_measure_together(struct module *const *modules, size_t count, const pop_target *target);
/* Fills module->devices of an architecture from module->source. On failure the code sizes carry the reason. */
void popc_measure(struct module *module, enum device_arch arch);
/* Sets *code and returns true; false for a target without device code, such as a CPU. A codelet that was not
 * compiled for the target's architecture gets an estimate. */
bool device_code_of(const struct module *module, const struct codelet *codelet, const pop_target *target,
                    struct device_code *code);
/* Reads a .gp file. */
pop_status module_load(const char *path, struct module **module, pop_error *error);
/* The object for counting a module's codelets, malloc'ed: compiled from the module's source, through the cache. NULL
 * with the reason in why (of `size` bytes) when there is none. */
char *popc_counted_object(const struct module *module, uint32_t object, enum device_arch arch, size_t *bytes, char *why,
                          size_t size);

/* For files.c, which makes one .gp file of several files. */

/* Like popc_load, and adds the compilers' messages to `messages` instead of logging them. */
pop_status popc_load_any(const char *path, const char *flags, struct module **module, struct str *messages,
                         pop_error *error);
/* Whether the name is that of a source in assembly language. */
bool popc_is_assembly(const char *path);
/* Lists the sizes for the flags' --target that are estimates. Errors in flags matter only for sources, whose
 * compilation reports them. */
void popc_list_estimates(const struct module *module, const char *flags, struct str *lines);
/* Implements --code-of: takes the device code of the same vertex types of a .gp file. */
pop_status module_load_code(struct module *module, const char *path, pop_error *error);

/* assembly.c: assembly sources: preprocessed and assembled for each architecture (src/tile). */

/* Makes a module without vertex types and with an object for each architecture that the flags' --target names; without
 * --target for all, and those that refuse the source keep the assembler's messages, which become an error when a vertex
 * needs them. graph_program_compilation_error when no architecture takes it. */
pop_status assembly_build(const struct popc_source *source, const char *compiler, struct built *built,
                          pop_error *error);
/* Adds a module's objects in assembly language. */
void assembly_list(const struct module *module, struct str *text);

/* behave.c: compiling codelets that follow the tiles' floating-point behaviour. */

/* The module's vertex types, compiled to follow the tiles' floating-point behaviour: codelet_call.narrow rounds to
 * half, and only exceptions of the source are raised. Compiled from the module's source or, for a module read from
 * NAME.gp, read from NAME.behaving.gp in the same directory; NULL when neither exists. The module owns the result. */
struct module *module_behaving(struct module *module);

/* device_count.c: cycles of vertices without an estimator: their device code is interpreted (device_machine.h). */

/* The loaded code of one architecture. Not thread-safe. */
/* The modules, which must outlive it, are those whose assembly code external codelets run. */
struct device_counter *device_counter_create(enum device_arch arch, struct module *const *modules, size_t count);
void device_counter_free(struct device_counter *counter);

/* Executes compute on the state at the start of run->memory, in the host's layout. *cycles are cycles of a worker
 * for worker codelets, else of the tile. False, with run->reason, when it cannot be counted. */
bool device_counter_run(struct device_counter *counter, const struct codelet *codelet, struct device_run *run,
                        uint64_t *cycles);
/* Executes an external codelet, whose slots are counted exactly: edge_bytes as in tile_vertex.h. NULL in
 * device_counter_assembly: no assembly source has its code. */
struct tile_vertex *device_counter_assembly(struct device_counter *counter, const struct codelet *codelet);
bool device_counter_run_assembly(struct tile_vertex *vertex, struct device_run *run, const uint64_t *edge_bytes,
                                 uint64_t *cycles);

/* tile_call.c: inline assembly in C++ codelets, and functions of .S files that they call. Each statement is assembled
 * once and runs in the interpreter of a tile, whose registers, accumulators and weights stay from one to the next of a
 * vertex. Memory is the host's: pointers that are passed get addresses of the tile. */

/* What the threads of an engine share. */
struct tile_calls;
/* A tile that one thread uses. */
struct tile_call;

/* The modules, which must outlive it, have the functions. */
struct tile_calls *tile_calls_create(struct module *const *modules, size_t count, enum device_arch arch);
void tile_calls_free(struct tile_calls *calls);
/* NULL without host memory. */
struct tile_call *tile_call_take(struct tile_calls *calls);
void tile_call_give(struct tile_call *call);

/* Begins a vertex: run has its state and what a tile_vertex_run has. False, with run->text, when it does not fit. */
bool tile_call_begin(struct tile_call *call, const struct codelet *codelet, struct tile_vertex_run *run);
/* Executes a statement on a worker of the vertex, or on its supervisor; run gets its cycles (of the worker, or of the
 * supervisor), or the error. */
bool tile_call_execute(struct tile_call *call, unsigned worker, struct popc_assembly *statement,
                       struct tile_vertex_run *run);
/* Calls back for the lines of a codelet's statements in runs that counted them. No run is in progress. */
void tile_calls_lines(const struct tile_calls *calls, const struct codelet *codelet, tile_line_callback callback,
                      void *user);

#endif
