/* SPDX-License-Identifier: Apache-2.0 */
/* How properties are found: one row of a table for each (bindings.c). */
#ifndef PVA_MODEL_H
#define PVA_MODEL_H

#include "pva/source.h"

#include "base/str.h"
#include "base/vec.h"

/* What a function gives for a property. */
struct value {
    uint64_t natural;
    double real;
    struct str text;
    pva_object object;
};
struct keys {
    uint64_t *data;
    size_t count, capacity;
};

struct binding {
    enum {
        BIND_NONE = 0,
        BIND_COLUMN,  /* of the object's row */
        BIND_PART,    /* the same; the object's part is added to the column */
        BIND_VIEW,    /* an object of the same row: part is set to `column` */
        BIND_NARROW,  /* the same; `column` is added to part */
        BIND_KEYED,   /* an object whose key stands in a column; null when that is null */
        BIND_NEEDED,  /* the same; a column without a key is damage */
        BIND_ROWS,    /* a list of all rows of a table */
        BIND_KEYS,    /* a list of objects whose keys `keys` gives; `column` says who owns them */
        BIND_NUMBERS, /* an array by tile: one of a row, by `sql` with the object's key and owner */
        BIND_GET,     /* `get` */
        BIND_FROM,    /* `from`, by a name in `sql` or a number in `column` */
        BIND_ARRAY,   /* an array that `array` fills */
        BIND_LIST     /* `count` and `at` */
    } how;
    enum table table;
    bool owned; /* the table's rows are found by owner and key */
    int column;
    const char *sql;
    void (*get)(pva_object object, struct value *value);
    void (*from)(pva_object object, const struct binding *, struct value *value);
    void (*keys)(pva_object object, struct keys *keys);
    uint64_t (*length)(pva_object object); /* of `array`; NULL: the number of tiles */
    void (*array)(pva_object object, uint64_t *numbers, uint64_t count);
    uint64_t (*count)(pva_object object);
    pva_object (*at)(pva_object object, uint64_t index);
};
enum { OWNER_NONE = 0, OWNER_IS_KEY, OWNER_IS_OWNER /* and part is part */ };
extern const struct binding bindings[PVA_PROPERTY_COUNT];

static inline pva_object object_make(pva_file *file, pva_class type, uint64_t key, uint64_t owner, uint32_t part)
{
    return (pva_object){ file, type, part, key, owner };
}
static const pva_object object_null;
/* What an object must refer to is not there. */
void fail_reference(pva_object, pva_property);

/* memory.c */
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
/* execution.c */
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
void step_from(pva_object, uint64_t *, uint64_t);
void step_to(pva_object, uint64_t *, uint64_t);
/* companions.c */
void report_warning(pva_object, struct value *);
/* debug.c: contexts of debug.cbor. */
bool debug_open(pva_file *file, const char *path);
void debug_free(pva_file *file);
uint64_t debug_count(pva_object);
pva_object debug_at(pva_object, uint64_t);
pva_object debug_by_id(pva_file *file, uint64_t id);
/* operations.c */
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
/* facts.c */
/* The place of a name in a list, or count. */
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
/* trace.c */
uint64_t thread_count(pva_object);
pva_object thread_at(pva_object, uint64_t);
uint64_t event_count(pva_object);
pva_object event_at(pva_object, uint64_t);
void event_time(pva_object, struct value *);
void event_duration(pva_object, struct value *);

#endif
