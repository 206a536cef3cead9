/* SPDX-License-Identifier: Apache-2.0 */
/* Reads properties of objects by the table of bindings. */
#include "pva/model.h"

#include "base/error.h"

static const struct {
    pva_class class, of;
    pva_kind kind;
    const char *name, *text;
} properties[PVA_PROPERTY_COUNT] = {
#define PVA_CLASS(CLASS, name)
#define PVA_PROPERTY(CLASS, PROPERTY, name, kind, of, what)                                                            \
    { PVA_CLASS_##CLASS, PVA_CLASS_##of, PVA_##kind, #name, what },
#include <pva/model.def>
#undef PVA_CLASS
#undef PVA_PROPERTY
};

const char *pva_class_name(pva_class type)
{
    static const char *const names[PVA_CLASS_COUNT] = {
        "null",
#define PVA_CLASS(CLASS, name) #name,
#define PVA_PROPERTY(CLASS, PROPERTY, name, kind, of, what)
#include <pva/model.def>
#undef PVA_CLASS
#undef PVA_PROPERTY
    };
    return type < PVA_CLASS_COUNT ? names[type] : "?";
}

const char *pva_program_type_name(pva_program_type type)
{
    static const char *const names[] = {
#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name) #Name,
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM
        "Unknown"
    };
    return type < PVA_PROGRAM_TYPE_UNKNOWN ? names[type] : "Unknown";
}

static bool known(pva_property property)
{
    return (unsigned)property < PVA_PROPERTY_COUNT;
}

pva_class pva_property_class(pva_property property)
{
    return known(property) ? properties[property].class : PVA_CLASS_NONE;
}

const char *pva_property_name(pva_property property)
{
    return known(property) ? properties[property].name : "?";
}

const char *pva_property_text(pva_property property)
{
    return known(property) ? properties[property].text : "";
}

pva_kind pva_property_kind(pva_property property)
{
    return known(property) ? properties[property].kind : PVA_UINT;
}

pva_class pva_property_of(pva_property property)
{
    return known(property) ? properties[property].of : PVA_CLASS_NONE;
}

pva_property pva_find_property(pva_class type, const char *name)
{
    for (unsigned i = 0; i < PVA_PROPERTY_COUNT; ++i)
        if (properties[i].class == type && strcmp(properties[i].name, name) == 0)
            return (pva_property)i;
    return PVA_PROPERTY_COUNT;
}

/* Whether an object's class has the property, and its kind is one of `kinds` (a bit each); false for the null
 * object. */
static bool may_ask(pva_object o, pva_property property, unsigned kinds)
{
    if (!o.file || o.type == PVA_CLASS_NONE || o.file->failed)
        return false;
    if (!known(property) || properties[property].class != o.type) {
        file_fail(o.file, POP_INDEX_ERROR, "%s has no property %s.%s", pva_class_name(o.type),
                  pva_class_name(pva_property_class(property)), pva_property_name(property));
        return false;
    }
    if (kinds >> properties[property].kind & 1)
        return true;
    file_fail(o.file, POP_TYPE_ERROR, "%s.%s is of another kind", pva_class_name(o.type), properties[property].name);
    return false;
}

static bool column_cell(pva_object o, const struct binding *bind, struct source_cell *cell)
{
    int column = bind->column + (bind->how == BIND_PART ? (int)o.part : 0);
    return table_cell(o.file, bind->table, bind->owned ? o.owner : 0, o.key, column, cell);
}

static void get_value(pva_object o, const struct binding *bind, struct value *value)
{
    if (bind->how == BIND_GET)
        bind->get(o, value);
    else if (bind->how == BIND_FROM)
        bind->from(o, bind, value);
}

uint64_t pva_uint(pva_object o, pva_property property)
{
    if (!may_ask(o, property, 1 << PVA_UINT | 1 << PVA_BOOL))
        return 0;
    const struct binding *bind = &bindings[property];
    struct source_cell cell;
    if (bind->how == BIND_COLUMN || bind->how == BIND_PART)
        return column_cell(o, bind, &cell) && cell.integer > 0 ? (uint64_t)cell.integer : 0;
    struct value value = { 0 };
    get_value(o, bind, &value);
    str_free(&value.text);
    return value.natural;
}

double pva_real(pva_object o, pva_property property)
{
    if (!may_ask(o, property, 1 << PVA_UINT | 1 << PVA_BOOL | 1 << PVA_REAL))
        return 0;
    if (properties[property].kind != PVA_REAL)
        return (double)pva_uint(o, property);
    const struct binding *bind = &bindings[property];
    struct source_cell cell;
    if (bind->how == BIND_COLUMN)
        return column_cell(o, bind, &cell) ? cell.real : 0;
    struct value value = { 0 };
    get_value(o, bind, &value);
    return value.real;
}

static void text_of(pva_object o, pva_property property, struct str *text)
{
    if (!may_ask(o, property, 1 << PVA_TEXT))
        return;
    const struct binding *bind = &bindings[property];
    struct source_cell cell;
    if (bind->how == BIND_COLUMN) {
        if (column_cell(o, bind, &cell))
            str_add_bytes(text, cell.text, cell.length);
        return;
    }
    struct value value = { 0 };
    get_value(o, bind, &value);
    *text = value.text;
}

size_t pva_text(pva_object o, pva_property property, char *buffer, size_t size)
{
    struct str text = { 0 };
    text_of(o, property, &text);
    size_t length = text.length;
    if (size) {
        size_t part = length < size ? length : size - 1;
        memcpy(buffer, str_text(&text), part);
        buffer[part] = '\0';
    }
    str_free(&text);
    return length;
}

char *pva_text_copy(pva_object o, pva_property property)
{
    struct str text = { 0 };
    text_of(o, property, &text);
    return text.text ? text.text : mem_string("");
}

/* The category with a property's name: properties of MemoryCategories are named after categories. */
static pva_object category_of(pva_object o, pva_property property)
{
    struct source_cell cell;
    for (uint64_t i = 0; i < table_count(o.file, TABLE_CATEGORY); ++i)
        if (table_cell(o.file, TABLE_CATEGORY, 0, i, 1, &cell) && strcmp(cell.text, properties[property].name) == 0)
            return object_make(o.file, PVA_CLASS_CATEGORY, o.key, i, 0);
    return object_null;
}

void fail_reference(pva_object o, pva_property property)
{
    file_fail(o.file, POP_PARSE_ERROR, "%s %llu has no %s: the file is damaged", pva_class_name(o.type),
              (unsigned long long)o.key, pva_property_name(property));
}

pva_object pva_get(pva_object o, pva_property property)
{
    if (!may_ask(o, property, 1 << PVA_OBJECT))
        return object_null;
    const struct binding *bind = &bindings[property];
    pva_object of = o;
    of.type = properties[property].of;
    struct source_cell cell;
    struct value value = { 0 };
    switch (bind->how) {
    case BIND_VIEW:
        of.part = (uint32_t)bind->column;
        return of;
    case BIND_NARROW:
        of.part = o.part + (uint32_t)bind->column;
        return of;
    case BIND_KEYED:
    case BIND_NEEDED:
        if (!column_cell(o, bind, &cell) || cell.kind != CELL_INTEGER || cell.integer < 0) {
            if (bind->how == BIND_NEEDED || cell.kind != CELL_NULL)
                fail_reference(o, property);
            return object_null;
        }
        return object_make(o.file, of.type, (uint64_t)cell.integer, 0, 0);
    case BIND_GET:
    case BIND_FROM:
        get_value(o, bind, &value);
        return value.object;
    default:
        return o.type == PVA_CLASS_CATEGORIES ? category_of(o, property) : object_null;
    }
}

/* Decodes the numbers of an array or the keys of a list; the result is cached until evicted by others. */
static const struct kept *keep(pva_object o, pva_property property)
{
    struct kept *oldest = &o.file->kept[0];
    for (size_t i = 0; i < RECENT_REPORTS; ++i) {
        struct kept *kept = &o.file->kept[i];
        if (kept->used && kept->property == property && pva_same(kept->object, o)) {
            kept->used = ++o.file->clock;
            return kept;
        }
        if (kept->used < oldest->used)
            oldest = kept;
    }
    const struct binding *bind = &bindings[property];
    struct keys keys = { 0 };
    if (bind->how == BIND_KEYS) {
        bind->keys(o, &keys);
    } else {
        keys.count = bind->length ? bind->length(o) : o.file->tiles;
        keys.data = mem_zero(keys.count ? keys.count : 1, sizeof(*keys.data));
        if (bind->how == BIND_NUMBERS)
            query_array(o.file, bind->sql, o.key, o.owner, keys.data, keys.count);
        else if (bind->how == BIND_ARRAY && keys.count)
            bind->array(o, keys.data, keys.count);
    }
    free(oldest->numbers);
    *oldest = (struct kept){ o, property, keys.data, keys.count, ++o.file->clock };
    return oldest;
}

uint64_t pva_count(pva_object o, pva_property property)
{
    if (!may_ask(o, property, 1 << PVA_LIST | 1 << PVA_NUMBERS))
        return 0;
    const struct binding *bind = &bindings[property];
    switch (bind->how) {
    case BIND_ROWS:
        return table_count(o.file, bind->table);
    case BIND_LIST:
        return bind->count(o);
    case BIND_KEYS:
        return keep(o, property)->count;
    default:
        return bind->length ? bind->length(o) : o.file->tiles;
    }
}

pva_object pva_at(pva_object o, pva_property property, uint64_t index)
{
    if (!may_ask(o, property, 1 << PVA_LIST))
        return object_null;
    uint64_t count = pva_count(o, property);
    if (index >= count) {
        file_fail(o.file, POP_INDEX_ERROR, "%s.%s has %llu elements, and element %llu was requested",
                  pva_class_name(o.type), properties[property].name, (unsigned long long)count,
                  (unsigned long long)index);
        return object_null;
    }
    const struct binding *bind = &bindings[property];
    if (bind->how == BIND_ROWS)
        return object_make(o.file, properties[property].of, index, 0, 0);
    if (bind->how == BIND_LIST)
        return bind->at(o, index);
    uint64_t owner = bind->column == OWNER_IS_KEY ? o.key : bind->column == OWNER_IS_OWNER ? o.owner : 0;
    return object_make(o.file, properties[property].of, keep(o, property)->numbers[index], owner,
                       bind->column == OWNER_IS_OWNER ? o.part : 0);
}

uint64_t pva_numbers(pva_object o, pva_property property, uint64_t first, uint64_t count, uint64_t *numbers)
{
    memset(numbers, 0, count * sizeof(*numbers));
    if (!may_ask(o, property, 1 << PVA_NUMBERS))
        return 0;
    const struct kept *kept = keep(o, property);
    if (first < kept->count) {
        uint64_t rest = kept->count - first;
        memcpy(numbers, kept->numbers + first, (rest < count ? rest : count) * sizeof(*numbers));
    }
    return kept->count;
}

/* For each query: the class it applies to, the class of its result, and the property that limits its number. */
static const struct {
    pva_class of, result;
    const char *what;
} queries[] = {
    [PVA_ALWAYS_LIVE_FOR_TILE] = { PVA_CLASS_COMPILATION, PVA_CLASS_LIVE_MEMORY, "tile" },
    [PVA_LIVE_FOR_TILE] = { PVA_CLASS_LIVENESS_STEP, PVA_CLASS_LIVE_MEMORY, "tile" },
    [PVA_LIVE_FOR_IPU] = { PVA_CLASS_LIVENESS_STEP, PVA_CLASS_LIVE_MEMORY, "IPU" },
    [PVA_LOWERED_FOR_TILE] = { PVA_CLASS_LOWERED_VARIABLES, PVA_CLASS_LOWERED_VARIABLES, "tile" },
    [PVA_BLOCKS_OF_TILE] = { PVA_CLASS_EXECUTION, PVA_CLASS_BLOCKS, "tile" },
    [PVA_PROCESS_BY_PID] = { PVA_CLASS_TRACE, PVA_CLASS_PROCESS, NULL },
    [PVA_THREAD_BY_TID] = { PVA_CLASS_PROCESS, PVA_CLASS_THREAD, NULL },
};

/* The element of a list whose property equals a number, or null. */
static pva_object find(pva_object o, pva_property list, pva_property property, uint64_t number)
{
    for (uint64_t i = 0, count = pva_count(o, list); i < count; ++i) {
        pva_object each = pva_at(o, list, i);
        if (pva_uint(each, property) == number)
            return each;
    }
    return object_null;
}

pva_object pva_ask(pva_object o, pva_query ask, uint64_t number)
{
    if (!o.file || o.type == PVA_CLASS_NONE || o.file->failed)
        return object_null;
    if ((unsigned)ask > PVA_THREAD_BY_TID || queries[ask].of != o.type) {
        file_fail(o.file, POP_INDEX_ERROR, "%s has no such query", pva_class_name(o.type));
        return object_null;
    }
    uint64_t limit = ask == PVA_LIVE_FOR_IPU ? o.file->ipus : o.file->tiles;
    if (queries[ask].what && number >= limit) {
        file_fail(o.file, POP_INDEX_ERROR, "there is no %s %llu; the target has %llu", queries[ask].what,
                  (unsigned long long)number, (unsigned long long)limit);
        return object_null;
    }
    switch (ask) {
    case PVA_ALWAYS_LIVE_FOR_TILE:
        return object_make(o.file, PVA_CLASS_LIVE_MEMORY, 0, number, 1);
    case PVA_LIVE_FOR_TILE:
        return object_make(o.file, PVA_CLASS_LIVE_MEMORY, table_uint(o.file, TABLE_LIVENESS_STEP, 0, o.key, 2), number,
                           1);
    case PVA_LIVE_FOR_IPU:
        return object_make(o.file, PVA_CLASS_LIVE_MEMORY, table_uint(o.file, TABLE_LIVENESS_STEP, 0, o.key, 2), number,
                           2);
    case PVA_LOWERED_FOR_TILE:
        return object_make(
            o.file, PVA_CLASS_LOWERED_VARIABLES,
            query_uint(o.file, "SELECT min(id) FROM vars_info WHERE tile = ?1 AND ?2 >= 0", number, 0, 0), number, 1);
    case PVA_BLOCKS_OF_TILE:
        return object_make(o.file, PVA_CLASS_BLOCKS, number, 0, 0);
    case PVA_PROCESS_BY_PID:
        return find(o, PVA_TRACE_PROCESSES, PVA_PROCESS_PID, number);
    default:
        return find(o, PVA_PROCESS_THREADS, PVA_THREAD_TID, number);
    }
}
