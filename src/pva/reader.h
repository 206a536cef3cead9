/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that read an open file (source.h): a section for each part of a report. */
#ifndef PVA_READER_H
#define PVA_READER_H

#include "pva/model.h"
#include "pva/source.h"

#include <poplar/profile.h>
#include <pva/pva.h>

/* repair.c: temporary files of writers, complete or not. */

/* Path of the newest profile_*.pop of a directory, which its writer has not completed; the caller frees it. NULL:
 * there is none. */
char *newest_temporary(const char *directory);
/* Whether a file name has the form of such a file. */
bool is_temporary(const char *name);
/* The process that has a temporary file open, its writer or a reader; 0 when its id is unknown, -1 when there is
 * none. */
int64_t process_that_writes(const char *path);

/* open.c: paths of files to open. */

/* The directory part of a path, "." when it has none; the caller frees it. */
char *directory_of(const char *path);
/* Reads the first bytes of an open database's file, and its size, through SQLite: a process that opens and closes the
 * file itself loses the locks that an engine of the process has on it. Returns a code of SQLite. */
int database_head(sqlite3 *db, void *head, int size, int64_t *bytes);

/* archive.c */

/* Fills the file's empty database from archive.a: target.num_tiles, memory_by_tile and lowered variables. Returns
 * false after a failure, which the file keeps. */
bool archive_fill(pva_file *file, const char *path);

/* execution.c: properties of runs and executed steps, for bindings.c. */
uint64_t run_step_count(pva_object);
pva_object run_step_at(pva_object, uint64_t);
pva_object ipu_step_at(pva_object, uint64_t);
uint64_t step_set_count(pva_object);
pva_object step_set_at(pva_object, uint64_t);
void ipu_step(pva_object, const struct binding *, struct value *);
void range_end(pva_object, const struct binding *, struct value *);
void ipu_tile_balance(pva_object, struct value *);
void ipu_active_balance(pva_object, struct value *);
void block_program(pva_object, struct value *);
void block_is(pva_object, const struct binding *, struct value *);
void step_cycles(pva_object, uint64_t *, uint64_t);
/* The number of tiles; 0 where the report has cycles of IPUs alone. */
uint64_t step_tiles_length(pva_object);
void step_from(pva_object, uint64_t *, uint64_t);
void step_to(pva_object, uint64_t *, uint64_t);

/* facts.c: properties of the writer, options, the target and its tiles, for bindings.c. */

/* The index of a name in a list, or the list's length. */
size_t name_at(const char *const *, size_t, const char *);
void info_text(pva_object, const struct binding *, struct value *);
void option_text(pva_object, const struct binding *, struct value *);
void parameter_text(pva_object, const struct binding *, struct value *);
uint64_t option_count(pva_object);
pva_object option_at(pva_object, uint64_t);
uint64_t parameter_count(pva_object);
pva_object parameter_at(pva_object, uint64_t);
void target_type(pva_object, struct value *);
void target_architecture(pva_object, struct value *);
uint64_t ipu_count(pva_object);
pva_object ipu_at(pva_object, uint64_t);
uint64_t tile_count(pva_object);
pva_object tile_at(pva_object, uint64_t);
uint64_t ipu_tile_count(pva_object);
pva_object ipu_tile_at(pva_object, uint64_t);
void tile_vertex_type(pva_object, struct value *);

/* memory.c: properties of memory and liveness, for bindings.c. */
void category_name(pva_object, struct value *);
void category_total(pva_object, struct value *);
void overlap_apart(pva_object, struct value *);
void overlap_shared(pva_object, struct value *);
void tile_vertices(pva_object, struct keys *);
void tile_vertex_code(pva_object, struct value *);
void live_bytes(pva_object, struct value *);
void live_variables(pva_object, struct keys *);
void live_variable_size(pva_object, struct value *);
void memory_free(pva_file *);

/* operations.c: properties of debug contexts and operations, for bindings.c. */
uint64_t debug_count(pva_object);
pva_object debug_at(pva_object, uint64_t);
pva_object debug_by_id(pva_file *file, uint64_t id);
void context_id(pva_object, struct value *);
void context_text(pva_object, const struct binding *, struct value *);
void context_json(pva_object, struct value *);
uint64_t context_parents(pva_object);
pva_object context_parent(pva_object, uint64_t);
uint64_t operation_count(pva_object);
pva_object operation_at(pva_object, uint64_t);
void operation_context(pva_object, struct value *);
void operation_name(pva_object, struct value *);
void operation_programs(pva_object, struct keys *);
void operation_vars(pva_object, struct keys *);
void operation_replaced(pva_object, struct keys *);
void operation_first(pva_object, struct value *);
void operation_last(pva_object, struct value *);

/* profile_steps.c: executed steps of a report in the form of an execution profile. */

/* simulation.steps of an execution profile; the caller frees it. */
pop_profile_value profile_steps(pva_file *file);

/* sql.c: SQL functions over arrays. */

/* Registers the SQL functions array_at, array_sum, array_max and array_text, and the table array(blob, count). */
int array_functions(pva_file *file);

/* executed.c: the executed steps, as a table. */

/* Makes the tables of executed steps, of any version of a report; false: a failure, which the file keeps. Functions:
 * executed_count() is the number of steps, repeat_of_row(id, steps) a row's
 * innermost repeat of more steps, -1 where there can be no row. */
bool executed_tables(pva_file *file);

/* executed_elapsed.c: the critical path, as a table. */

/* Registers the table executed_elapsed(run, program, times, cycles): what the executions of each program in each run
 * add to the end of the last tile. */
int executed_elapsed_table(pva_file *file);

/* executed_times.c: how often steps were executed, as a table. */

/* Registers the table executed_times(run, program, pattern, times, first). */
int executed_times_table(pva_file *file);

/* trace.c: threads and events of a trace, for bindings.c. */
uint64_t thread_count(pva_object);
pva_object thread_at(pva_object, uint64_t);
uint64_t event_count(pva_object);
pva_object event_at(pva_object, uint64_t);
void event_time(pva_object, struct value *);
void event_duration(pva_object, struct value *);

#endif
