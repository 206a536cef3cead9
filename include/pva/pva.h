/* SPDX-License-Identifier: Apache-2.0 */
/* libpva: what report files and trace files hold, as objects with properties.
 *
 *     pva_file *file = pva_open_report("profile.pop", NULL, &error);
 *     pva_object steps_of = pva_get(pva_root(file), PVA_REPORT_EXECUTION);
 *     for (uint64_t i = 0; i < pva_count(steps_of, PVA_EXECUTION_STEPS); ++i) {
 *         pva_object step = pva_at(steps_of, PVA_EXECUTION_STEPS, i);
 *         cycles += pva_uint(pva_at(step, PVA_STEP_IPUS, 0), PVA_IPU_STEP_CYCLES);
 *     }
 *
 * Classes and properties stand in <pva/model.def>; docs/reference/pva-model.md lists them.
 *
 * Ownership: a file is the caller's, who closes it.  An object is a value that owns nothing; it is valid while its file
 * is open.  Text and numbers are copied to the caller's memory.
 *
 * Lists are read from the file as they are asked for, a page of rows at a time; pages that were not used for long are
 * forgotten, so that memory does not grow with the file.  Reading in order is quickest.
 *
 * Errors: opening fails with a text.  Afterwards the first failure is kept by the file and reads give 0, "", null
 * objects and empty lists, until pva_take_error.  A property that is not one of the object's class, and an index behind
 * a list, are errors; reading a null object is not: all its properties are 0, empty or null.
 *
 * A file is for one thread at a time; several files can be used at once. */
#ifndef PVA_PVA_H
#define PVA_PVA_H

#include <poplar/error.h>
#include <poplar/options.h>
#include <stdio.h>

typedef enum pva_class {
    PVA_CLASS_NONE = 0,
#define PVA_CLASS(CLASS, name) PVA_CLASS_##CLASS,
#define PVA_PROPERTY(CLASS, PROPERTY, name, kind, of, what)
#include <pva/model.def>
#undef PVA_CLASS
#undef PVA_PROPERTY
    PVA_CLASS_COUNT
} pva_class;

typedef enum pva_property {
#define PVA_CLASS(CLASS, name)
#define PVA_PROPERTY(CLASS, PROPERTY, name, kind, of, what) PVA_##CLASS##_##PROPERTY,
#include <pva/model.def>
#undef PVA_CLASS
#undef PVA_PROPERTY
    PVA_PROPERTY_COUNT
} pva_property;

typedef enum pva_kind {
    PVA_UINT = 0, /* pva_uint */
    PVA_BOOL,     /* pva_uint: 0 or 1 */
    PVA_REAL,     /* pva_real */
    PVA_TEXT,     /* pva_text */
    PVA_NUMBERS,  /* pva_numbers */
    PVA_OBJECT,   /* pva_get */
    PVA_LIST      /* pva_count and pva_at */
} pva_kind;

/* An open report or trace. */
typedef struct pva_file pva_file;

/* A value; all zero is the null object. */
typedef struct pva_object {
    pva_file *file;
    pva_class type;
    uint32_t part; /* what of its row it is: the library's own */
    uint64_t key, owner;
} pva_object;

/* Types of programs, as Program::Type; PVA_PROGRAM_TYPE_UNKNOWN for one that this library does not know. */
typedef enum pva_program_type {
#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name) PVA_PROGRAM_TYPE_##CONSTANT,
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM
    PVA_PROGRAM_TYPE_UNKNOWN
} pva_program_type;

typedef enum pva_target_type {
    PVA_TARGET_IPU = 0,
    PVA_TARGET_IPU_MODEL,
    PVA_TARGET_CPU,
    PVA_TARGET_UNKNOWN
} pva_target_type;
typedef enum pva_architecture {
    PVA_ARCHITECTURE_IPU1 = 0,
    PVA_ARCHITECTURE_IPU2,
    PVA_ARCHITECTURE_IPU21,
    PVA_ARCHITECTURE_UNKNOWN
} pva_architecture;
typedef enum pva_compute_instrumentation {
    PVA_COMPUTE_OFF = 0,
    PVA_COMPUTE_VERTEX,
    PVA_COMPUTE_TILE,
    PVA_COMPUTE_IPU,
    PVA_COMPUTE_DEVICE,
    PVA_COMPUTE_UNKNOWN
} pva_compute_instrumentation;

POP_BEGIN_DECLS

/* Opens a report: path is profile.pop (or a temporary profile_*.pop), or a directory that holds profile.pop. debug_cbor
 * is the file of debug contexts, or NULL: then debug.cbor beside the report is taken where it belongs to it; otherwise
 * the report opens without, and PVA_REPORT_WARNING says why.  NULL and *error when it cannot be read: no such file ("no
 * graph profile found"), no report, one of a later format, damaged. */
POP_API pva_file *pva_open_report(const char *path, const char *debug_cbor, pop_error *error) POP_MUST_CHECK;
/* Opens a file of trace points (*.pvti). */
POP_API pva_file *pva_open_trace(const char *path, pop_error *error) POP_MUST_CHECK;
/* Takes NULL. */
POP_API void pva_close(pva_file *file);
/* Holds a file, or lets it go.  While it is held its reads see one state of it, even if a program still writes it, and
 * many small reads are quicker; nobody can change the tables of a file that is whole meanwhile.  A failure is kept by
 * the file. */
POP_API void pva_hold(pva_file *file, bool hold);
/* The Report or the Trace; null for NULL. */
POP_API pva_object pva_root(pva_file *file);

/* Whether a read has failed since the last pva_take_error. */
POP_API bool pva_failed(const pva_file *file);
/* Returns the first failure's status, fills *error (NULL is allowed) and forgets it; POP_OK when there was none. */
POP_API pop_status pva_take_error(pva_file *file, pop_error *error);

POP_API uint64_t pva_uint(pva_object object, pva_property property);
POP_API double pva_real(pva_object object, pva_property property); /* of an UINT too */
/* Copies text to a buffer of size bytes, cut where it is too long and always terminated (size 0: nothing is written).
 * Returns the length of the whole. */
POP_API size_t pva_text(pva_object object, pva_property property, char *buffer, size_t size);
/* The same, as a string that the caller frees; "" when it fails, never NULL. */
POP_API char *pva_text_copy(pva_object object, pva_property property);
POP_API pva_object pva_get(pva_object object, pva_property property);
/* Elements of a list, or of an array of numbers. */
POP_API uint64_t pva_count(pva_object object, pva_property property);
POP_API pva_object pva_at(pva_object object, pva_property property, uint64_t index);
/* Copies count numbers from the one at index first on; what lies behind the end is 0.  Returns how many the whole array
 * has. */
POP_API uint64_t pva_numbers(pva_object object, pva_property property, uint64_t first, uint64_t count,
                             uint64_t *numbers);
/* Whether there is an object. */
static inline bool pva_is_null(pva_object object)
{
    return object.type == PVA_CLASS_NONE;
}
/* Whether two objects are the same one of a file. */
static inline bool pva_same(pva_object a, pva_object b)
{
    return a.file == b.file && a.type == b.type && a.part == b.part && a.key == b.key && a.owner == b.owner;
}

/* Lists and objects that depend on a number. */
typedef enum pva_query {
    PVA_ALWAYS_LIVE_FOR_TILE, /* of a COMPILATION: a LIVE_MEMORY */
    PVA_LIVE_FOR_TILE,        /* of a LIVENESS_STEP: notAlwaysLiveMemoryForTile, a LIVE_MEMORY */
    PVA_LIVE_FOR_IPU,         /* of a LIVENESS_STEP: notAlwaysLiveMemoryForIpu, a LIVE_MEMORY */
    PVA_LOWERED_FOR_TILE,     /* of LOWERED_VARIABLES: forTile, LOWERED_VARIABLES of one tile */
    PVA_BLOCKS_OF_TILE,       /* of an EXECUTION: the list of its blocks */
    PVA_PROCESS_BY_PID,       /* of a TRACE: a PROCESS, or null */
    PVA_THREAD_BY_TID         /* of a PROCESS: a THREAD, or null */
} pva_query;
/* The object that a query gives for a number; null, and an error, when there is none such tile or IPU.
 * PVA_BLOCKS_OF_TILE gives a BLOCKS object. */
POP_API pva_object pva_ask(pva_object object, pva_query query, uint64_t number);

/* Three questions that people ask first; they use indexes of the file and are quick on large ones. */
/* The tile that needs the most memory, with gaps; null when memory is not known. */
POP_API pva_object pva_peak_tile(pva_file *report);
/* The steps that took most cycles, the longest first; of equal ones the earlier.  Returns how many were written. */
POP_API size_t pva_longest_steps(pva_file *report, pva_object *steps, size_t count);
/* The LIVENESS_STEP at which most is live; the first of several; null when liveness is not known. */
POP_API pva_object pva_worst_liveness_step(pva_file *report);

/* About the model itself, for those who bind it to other languages. */
POP_API const char *pva_class_name(pva_class type);
POP_API pva_class pva_property_class(pva_property property);
POP_API const char *pva_property_name(pva_property property);
POP_API const char *pva_property_text(pva_property property); /* what it is; may be "" */
POP_API pva_kind pva_property_kind(pva_property property);
POP_API pva_class pva_property_of(pva_property property); /* class of an object or of a list's elements */
POP_API const char *pva_program_type_name(pva_program_type type);
/* The property of that name, or PVA_PROPERTY_COUNT. */
POP_API pva_property pva_find_property(pva_class type, const char *name);

/* A value of a row: text is how SQL writes it ("x'0a05'" for a blob), NULL for null. */
typedef enum pva_value_kind {
    PVA_VALUE_NULL = 0,
    PVA_VALUE_INTEGER,
    PVA_VALUE_REAL,
    PVA_VALUE_TEXT,
    PVA_VALUE_BLOB
} pva_value_kind;
typedef struct pva_value {
    pva_value_kind kind;
    const char *text;
} pva_value;
/* A query in SQL: rows of the file's tables (docs/reference/report-files.md).  It can only read, and only this file.
 * row is called for each row, with the columns' names and values, which are valid during the call, and returns whether
 * to go on; it is called once with values NULL before the first row.  Functions for arrays: array_at(blob, index),
 * array_sum(blob), array_max(blob), array_text(blob, count), and the table array(blob, count) of columns (i, value). */
typedef bool pva_row(void *context, size_t columns, const char *const *names, const pva_value *values);
POP_API pop_status pva_sql(pva_file *file, const char *sql, pva_row *row, void *context,
                           pop_error *error) POP_MUST_CHECK;
/* The same for columns of integers, of which files have millions of rows: values of a row are valid during the call,
 * NULL is INT64_MIN, other kinds are what SQLite converts them to.  It is not called for the names. */
typedef bool pva_integers(void *context, size_t columns, const int64_t *values);
POP_API pop_status pva_sql_integers(pva_file *file, const char *sql, pva_integers *row, void *context,
                                    pop_error *error) POP_MUST_CHECK;

/* Queries ask now and then whether to go on; one that returns false ends its query with application_runtime_error "the
 * query was cancelled".  NULL: queries run to their end. */
typedef bool pva_watch(void *context);
POP_API void pva_set_watch(pva_file *file, pva_watch *go_on, void *context);

/* What the directory of a report holds: path is the directory, or a profile in it.  Tells files that are missing,
 * damaged or of another report, and those that a killed program left: `problem` is false for what need not be mended (a
 * program that writes now).  The status and *error are those of opening the profile. */
POP_API pop_status pva_check_files(const char *path, void (*found)(void *context, bool problem, const char *text),
                                   void *context, pop_error *error) POP_MUST_CHECK;
/* Completes what a killed writer left: path is profile_*.pop, or a directory in which there is one and no profile.pop
 * (of several the newest that can be completed).  What its last transaction had is kept, the indexes are made, and the
 * files of its report get their names.  Of a report whose profile.pop has its name, the rest get theirs.
 * file_load_error when there is nothing to complete, or a program is still writing. */
POP_API pop_status pva_repair(const char *path, pop_error *error) POP_MUST_CHECK;

/* Writes what pop_print_profile_summary prints, from the files, with its options (docs/options.md, "Profile summary").
 */
POP_API pop_status pva_print_summary(FILE *stream, pva_file *report, pop_options options,
                                     pop_error *error) POP_MUST_CHECK;

POP_END_DECLS
#endif
