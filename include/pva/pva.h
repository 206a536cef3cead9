/* SPDX-License-Identifier: Apache-2.0 */
/* libpva: reads report files and trace files as objects with properties.
 *
 *     pva_file *file = pva_open_report("profile.pop", NULL, &error);
 *     pva_object steps_of = pva_get(pva_root(file), PVA_REPORT_EXECUTION);
 *     for (uint64_t i = 0; i < pva_count(steps_of, PVA_EXECUTION_STEPS); ++i) {
 *         pva_object step = pva_at(steps_of, PVA_EXECUTION_STEPS, i);
 *         cycles += pva_uint(pva_at(step, PVA_STEP_IPUS, 0), PVA_IPU_STEP_CYCLES);
 *     }
 *
 * Classes and properties are defined in <pva/model.def>; docs/reference/pva-model.md lists them.
 *
 * Ownership: the caller owns a file and closes it.  An object is a value that owns nothing; it is valid while its file
 * is open.  Text and numbers are copied to the caller's memory.
 *
 * Lists are read from the file on demand, in pages of rows; the least recently used pages are evicted, so that memory
 * does not grow with the file.  Reading in order is fastest.
 *
 * Errors: opening fails with an error text.  Afterwards the file keeps its first failure, and reads return 0, "", null
 * objects and empty lists, until pva_take_error.  A property that the object's class does not have, and an index past
 * the end of a list, are errors.  Reading a null object is not an error: all its properties are 0, empty or null.
 *
 * Thread safety: a file may be used by one thread at a time; several files can be used at once. */
#ifndef PVA_PVA_H
#define PVA_PVA_H

#include <poplar/error.h>
#include <poplar/options.h>
#include <stdio.h>

/* Classes of the object model (docs/reference/pva-model.md). */
typedef enum pva_class {
    PVA_CLASS_NONE = 0,
#define PVA_CLASS(CLASS, name) PVA_CLASS_##CLASS,
#define PVA_PROPERTY(CLASS, PROPERTY, name, kind, of, what)
#include <pva/model.def>
#undef PVA_CLASS
#undef PVA_PROPERTY
    PVA_CLASS_COUNT
} pva_class;

/* Properties of the classes: PVA_CLASS_PROPERTY. */
typedef enum pva_property {
#define PVA_CLASS(CLASS, name)
#define PVA_PROPERTY(CLASS, PROPERTY, name, kind, of, what) PVA_##CLASS##_##PROPERTY,
#include <pva/model.def>
#undef PVA_CLASS
#undef PVA_PROPERTY
    PVA_PROPERTY_COUNT
} pva_property;

/* Kinds of properties, with the call that reads each. */
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
    pva_file *file;      /* the file that it is in */
    pva_class type;      /* its class */
    uint32_t part;       /* view of the row; internal */
    uint64_t key, owner; /* internal */
} pva_object;

/* Types of programs, like Program::Type; PVA_PROGRAM_TYPE_UNKNOWN is a type that this library does not know. */
typedef enum pva_program_type {
#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name) PVA_PROGRAM_TYPE_##CONSTANT,
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM
    PVA_PROGRAM_TYPE_UNKNOWN
} pva_program_type;

/* Kinds of targets of a report. */
typedef enum pva_target_type {
    PVA_TARGET_IPU = 0,
    PVA_TARGET_IPU_MODEL,
    PVA_TARGET_CPU,
    PVA_TARGET_UNKNOWN
} pva_target_type;
/* Architectures of a report's target. */
typedef enum pva_architecture {
    PVA_ARCHITECTURE_IPU1 = 0,
    PVA_ARCHITECTURE_IPU2,
    PVA_ARCHITECTURE_IPU21,
    PVA_ARCHITECTURE_UNKNOWN
} pva_architecture;
/* What the cycles of compute were recorded for (debug.computeInstrumentationLevel). */
typedef enum pva_compute_instrumentation {
    PVA_COMPUTE_OFF = 0,
    PVA_COMPUTE_VERTEX,
    PVA_COMPUTE_TILE,
    PVA_COMPUTE_IPU,
    PVA_COMPUTE_DEVICE,
    PVA_COMPUTE_UNKNOWN
} pva_compute_instrumentation;

POP_BEGIN_DECLS

/* Opens a report. path is profile.pop (or a temporary profile_*.pop), or a directory that holds profile.pop.
 * debug_cbor is the file of debug contexts. When it is NULL, debug.cbor in the same directory is used if it belongs
 * to the report; otherwise the report opens without it, and PVA_REPORT_WARNING gives the reason. Returns NULL and
 * sets *error when the report cannot be read: no such file ("no graph profile found"), not a report, a later format,
 * or damaged. */
POP_API pva_file *pva_open_report(const char *path, const char *debug_cbor, pop_error *error) POP_MUST_CHECK;
/* Opens a file of trace points (*.pvti). Returns NULL and sets *error on failure. */
POP_API pva_file *pva_open_trace(const char *path, pop_error *error) POP_MUST_CHECK;
/* Closes a file; its objects become invalid. NULL is allowed. */
POP_API void pva_close(pva_file *file);
/* Holds or releases a file. While it is held, all reads see one state of it even when a program is still writing it,
 * and many small reads are faster; other programs cannot change the tables of a complete file. A failure is kept by
 * the file. */
POP_API void pva_hold(pva_file *file, bool hold);
/* The root object: the Report or the Trace; null for a NULL file. */
POP_API pva_object pva_root(pva_file *file);

/* Whether a read has failed since the last pva_take_error. */
POP_API bool pva_failed(const pva_file *file);
/* Returns the status of the first failure, fills *error (may be NULL) and clears the failure; POP_OK when there was
 * none. */
POP_API pop_status pva_take_error(pva_file *file, pop_error *error);

/* A number, or 0 or 1 for a Boolean; 0 on failure. */
POP_API uint64_t pva_uint(pva_object object, pva_property property);
POP_API double pva_real(pva_object object, pva_property property); /* also accepts UINT */
/* Copies text to a buffer of size bytes, truncated when too long and always terminated (size 0: nothing is written).
 * Returns the length of the whole text. */
POP_API size_t pva_text(pva_object object, pva_property property, char *buffer, size_t size);
/* The text as a string that the caller frees; "" on failure, never NULL. */
POP_API char *pva_text_copy(pva_object object, pva_property property);
/* The object that a property names; null on failure, and where the report has none. */
POP_API pva_object pva_get(pva_object object, pva_property property);
/* The number of elements of a list or of an array of numbers. */
POP_API uint64_t pva_count(pva_object object, pva_property property);
/* Element of a list; null on failure and beyond the last. */
POP_API pva_object pva_at(pva_object object, pva_property property, uint64_t index);
/* Copies count numbers from index first on; elements past the end are 0. Returns the length of the whole array. */
POP_API uint64_t pva_numbers(pva_object object, pva_property property, uint64_t first, uint64_t count,
                             uint64_t *numbers);
/* Whether an object is the null object. */
static inline bool pva_is_null(pva_object object)
{
    return object.type == PVA_CLASS_NONE;
}
/* Whether two objects are the same object of a file. */
static inline bool pva_same(pva_object a, pva_object b)
{
    return a.file == b.file && a.type == b.type && a.part == b.part && a.key == b.key && a.owner == b.owner;
}

/* Lists and objects that take a number as argument. */
typedef enum pva_query {
    PVA_ALWAYS_LIVE_FOR_TILE, /* of a COMPILATION: a LIVE_MEMORY */
    PVA_LIVE_FOR_TILE,        /* of a LIVENESS_STEP: notAlwaysLiveMemoryForTile, a LIVE_MEMORY */
    PVA_LIVE_FOR_IPU,         /* of a LIVENESS_STEP: notAlwaysLiveMemoryForIpu, a LIVE_MEMORY */
    PVA_LOWERED_FOR_TILE,     /* of LOWERED_VARIABLES: forTile, LOWERED_VARIABLES of one tile */
    PVA_BLOCKS_OF_TILE,       /* of an EXECUTION: the list of its blocks */
    PVA_PROCESS_BY_PID,       /* of a TRACE: a PROCESS, or null */
    PVA_THREAD_BY_TID         /* of a PROCESS: a THREAD, or null */
} pva_query;
/* The object that a query gives for a number; null, with an error, when the tile or IPU does not exist.
 * PVA_BLOCKS_OF_TILE gives a BLOCKS object. */
POP_API pva_object pva_ask(pva_object object, pva_query query, uint64_t number);

/* Three common queries; they use indexes of the file and are fast on large files. */
/* The tile that needs the most memory, including gaps; null when memory is not known. */
POP_API pva_object pva_peak_tile(pva_file *report);
/* Writes the steps with the most cycles, longest first, earlier ones first among equals. Returns the number written. */
POP_API size_t pva_longest_steps(pva_file *report, pva_object *steps, size_t count);
/* The LIVENESS_STEP with the most live bytes, the first of equal ones; null when liveness is not known. */
POP_API pva_object pva_worst_liveness_step(pva_file *report);

/* Reflection of the model, for bindings to other languages. */
POP_API const char *pva_class_name(pva_class type);
POP_API pva_class pva_property_class(pva_property property);      /* The class that has the property. */
POP_API const char *pva_property_name(pva_property property);     /* The property's name in C++ and Python. */
POP_API const char *pva_property_text(pva_property property);     /* its description; may be "" */
POP_API pva_kind pva_property_kind(pva_property property);        /* Which call reads the property. */
POP_API pva_class pva_property_of(pva_property property);         /* class of the object or of the list's elements */
POP_API const char *pva_program_type_name(pva_program_type type); /* Name of a type of programs: "Sequence". */
/* The property with a name, or PVA_PROPERTY_COUNT. */
POP_API pva_property pva_find_property(pva_class type, const char *name);

/* A value of a row: text is its SQL notation ("x'0a05'" for a blob), NULL for null. */
typedef enum pva_value_kind {
    PVA_VALUE_NULL = 0,
    PVA_VALUE_INTEGER,
    PVA_VALUE_REAL,
    PVA_VALUE_TEXT,
    PVA_VALUE_BLOB
} pva_value_kind;
/* A value of a row of a query. */
typedef struct pva_value {
    pva_value_kind kind; /* kind of the value */
    const char *text;    /* SQL notation; NULL for null */
} pva_value;
/* Runs an SQL query over the file's tables (docs/reference/report-files.md). The query can only read, and only this
 * file. row is called for each row with the names of the columns and their values, valid during the call, and
 * returns false to stop; it is called once with values NULL before the first row. Functions for arrays:
 * array_at(blob, index), array_sum(blob), array_max(blob), array_text(blob, count), and the table array(blob, count)
 * with columns (i, value). */
typedef bool pva_row(void *context, size_t columns, const char *const *names, const pva_value *values);
/* Runs a query; error: parse_error with the reason, application_runtime_error when it was cancelled. */
POP_API pop_status pva_sql(pva_file *file, const char *sql, pva_row *row, void *context,
                           pop_error *error) POP_MUST_CHECK;
/* Receives rows of integer columns, for results of millions of rows: values are valid during the call, NULL is
 * INT64_MIN, and SQLite converts other kinds. It is not called for the names. */
typedef bool pva_integers(void *context, size_t columns, const int64_t *values);
/* Runs a query whose columns are integers; errors as for pva_sql. */
POP_API pop_status pva_sql_integers(pva_file *file, const char *sql, pva_integers *row, void *context,
                                    pop_error *error) POP_MUST_CHECK;

/* Called periodically during queries; when it returns false, the query ends with application_runtime_error "the
 * query was cancelled". NULL: queries run to completion. */
typedef bool pva_watch(void *context);
/* Sets the function that is called during queries of the file, and its argument. */
POP_API void pva_set_watch(pva_file *file, pva_watch *go_on, void *context);

/* Checks the directory of a report: path is the directory or a profile in it. Calls found for each file that is
 * missing, damaged or of another report, and for files that a killed program left; `problem` is false for findings
 * that need no repair (a program that is still writing). The status and *error are those of opening the profile. */
POP_API pop_status pva_check_files(const char *path, void (*found)(void *context, bool problem, const char *text),
                                   void *context, pop_error *error) POP_MUST_CHECK;
/* Completes the files of a killed writer. path is profile_*.pop, or a directory that has one and no profile.pop (the
 * newest that can be completed is used). Committed transactions are kept, the indexes are created, and the report's
 * files get their final names. When profile.pop has its final name already, only the remaining files are renamed.
 * file_load_error when there is nothing to complete or a program is still writing. */
POP_API pop_status pva_repair(const char *path, pop_error *error) POP_MUST_CHECK;

/* Writes the output of pop_print_profile_summary from the files, with its options (docs/reference/options.md, "Profile
 * summary"). */
POP_API pop_status pva_print_summary(FILE *stream, pva_file *report, pop_options options,
                                     pop_error *error) POP_MUST_CHECK;

POP_END_DECLS
#endif
