/* SPDX-License-Identifier: Apache-2.0 */
/* A target as one line of text: a system, then name=value for what differs from it. */
#include "base/error.h"
#include "base/vec.h"
#include "target/machine.h"
#include "target/target.h"

#include <limits.h>
#include <poplar/text.h>
#include <stdio.h>

static const char *const flag_words[] = { "false", "true" };

/* The shortest decimal that reads back as the same value. */
static void add_real(struct str *s, double value)
{
    char text[POP_TEXT_DOUBLE];
    pop_text_from_double(value, text);
    str_add(s, text);
}

static void add_ipu(struct str *s, uint32_t ipu)
{
    if (ipu == POP_ANY_IPU)
        str_add(s, "*");
    else
        str_format(s, "%u", ipu);
}

/* "1000000000:0>1,*>0;5000000:1>*": bandwidth and flows of each limit, "none" when there are none. */
static void add_limits(struct str *s, const pop_exchange_limits *limits)
{
    if (!limits->count)
        str_add(s, "none");
    for (size_t i = 0; i < limits->count; ++i) {
        const pop_exchange_limit *limit = &limits->limits[i];
        str_add(s, i ? ";" : "");
        add_real(s, limit->bandwidth);
        for (size_t f = 0; f < limit->num_flows; ++f) {
            str_add(s, f ? "," : ":");
            add_ipu(s, limit->flows[f].source);
            str_add(s, ">");
            add_ipu(s, limit->flows[f].destination);
        }
    }
}

static void add_value(struct str *s, const pop_target *target, const struct machine_field *field)
{
    const void *value = machine_value(target, field);
    size_t length = 0;
    const char *choice;
    switch (field->kind) {
    case FIELD_CHOICE:
        choice = machine_choice(field, machine_count(target, field), &length);
        str_add_bytes(s, choice ? choice : "?", choice ? length : 1);
        break;
    case FIELD_TEXT:
        str_add_bytes(s, value, strnlen(value, field->size));
        break;
    case FIELD_COUNT:
        str_format(s, "%u", machine_count(target, field));
        break;
    case FIELD_REAL:
        add_real(s, *(const double *)value);
        break;
    case FIELD_FLAG:
        str_add(s, flag_words[*(const bool *)value]);
        break;
    case FIELD_LIMITS:
        add_limits(s, value);
        break;
    }
}

void target_add_text(const pop_target *target, struct str *text)
{
    enum machine machine = machine_of_target(target);
    pop_target base = machine_target(machine);
    str_add(text, machine_names[machine]);
    for (size_t i = 0; i < machine_field_count; ++i) {
        const struct machine_field *field = &machine_fields[i];
        if (machine_compare(target, &base, field) == 0)
            continue;
        str_format(text, " %s=", field->name);
        add_value(text, target, field);
    }
}

size_t pop_target_to_text(const pop_target *target, char *buffer, size_t size)
{
    struct str text = { 0 };
    if (target)
        target_add_text(target, &text);
    size_t length = text.length;
    if (size)
        snprintf(buffer, size, "%s", str_text(&text));
    str_free(&text);
    return length;
}

static pop_status fail(pop_error *error, const char *format, ...) POP_PRINTF(2, 3);
static pop_status fail(pop_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_vset(error, POP_PARSE_ERROR, NO_WHERE, "pop_target_from_text", format, arguments);
    va_end(arguments);
    return POP_PARSE_ERROR;
}

/* Quoted words of a message are cut: a line of rubbish must not fill it. */
enum { SHOWN = 60 };

static pop_status read_choice(pop_target *target, const struct machine_field *field, const char *value,
                              pop_error *error)
{
    size_t length;
    const char *choice;
    for (unsigned number = 0; (choice = machine_choice(field, number, &length)); ++number)
        if (strlen(value) == length && memcmp(choice, value, length) == 0) {
            memcpy((char *)target + field->offset, &number, sizeof(number));
            return POP_OK;
        }
    return fail(error, "%s=%.*s: the value must be one of %s", field->name, SHOWN, value, field->choices);
}

/* A whole number, or * for any IPU; *at moves past it. */
static bool read_ipu(const char **at, uint32_t *ipu)
{
    char digits[11] = "";
    uint64_t number;
    size_t length = strspn(*at, "0123456789");
    if (**at == '*') {
        *ipu = POP_ANY_IPU;
        ++*at;
        return true;
    }
    if (length >= sizeof(digits))
        return false;
    memcpy(digits, *at, length);
    if (!str_integer(digits, POP_ANY_IPU - 1, &number))
        return false;
    *ipu = (uint32_t)number;
    *at += length;
    return true;
}

/* Limits and flows while they are read; those of limit i follow those of limit i - 1. */
struct limit_list {
    VEC(pop_exchange_limit) limits;
    VEC(pop_exchange_flow) flows;
};

/* One limit; *at moves past it. */
static bool read_limit(const char **at, struct limit_list *list)
{
    char *end;
    pop_exchange_limit limit = { .bandwidth = pop_text_to_double(*at, &end) };
    if (end == *at || *end != ':')
        return false;
    *at = end;
    do {
        pop_exchange_flow flow;
        ++*at;
        if (!read_ipu(at, &flow.source) || *(*at)++ != '>' || !read_ipu(at, &flow.destination))
            return false;
        *vec_push(&list->flows) = flow;
        ++limit.num_flows;
    } while (**at == ',');
    *vec_push(&list->limits) = limit;
    return true;
}

static bool read_list(const char *value, struct limit_list *list)
{
    if (strcmp(value, "none") == 0)
        return true;
    for (const char *at = value;; ++at) {
        if (!read_limit(&at, list))
            return false;
        if (*at != ';')
            return !*at;
    }
}

static bool read_limits(const char *value, pop_exchange_limits *limits)
{
    struct limit_list list = { 0 };
    bool good = read_list(value, &list) && list.limits.count <= UINT32_MAX;
    for (size_t i = 0, first = 0; i < list.limits.count; first += list.limits.data[i++].num_flows)
        list.limits.data[i].flows = list.flows.data + first;
    *limits = (pop_exchange_limits){ (uint32_t)list.limits.count, list.limits.data };
    if (good)
        exchange_limits_keep(limits);
    vec_free(&list.limits);
    vec_free(&list.flows);
    return good;
}

static pop_status read_value(pop_target *target, const struct machine_field *field, const char *value, pop_error *error)
{
    char *place = (char *)target + field->offset, *end;
    uint64_t number;
    unsigned count;
    double real;
    bool flag;
    pop_exchange_limits limits = { 0 };
    switch (field->kind) {
    case FIELD_CHOICE:
        return read_choice(target, field, value, error);
    case FIELD_TEXT:
        if (!*value || strlen(value) >= field->size)
            return fail(error, "%s=%.*s: the name must have 1 to %zu characters", field->name, SHOWN, value,
                        field->size - 1);
        memset(place, 0, field->size);
        memcpy(place, value, strlen(value) + 1);
        return POP_OK;
    case FIELD_COUNT:
        if (!str_integer(value, UINT_MAX, &number))
            return fail(error, "%s=%.*s: the value must be an integer (decimal or 0x...) from %.0f to %.0f",
                        field->name, SHOWN, value, field->min, field->max);
        count = (unsigned)number;
        memcpy(place, &count, sizeof(count));
        return POP_OK;
    case FIELD_REAL:
        real = pop_text_to_double(value, &end);
        if (end == value || *end)
            return fail(error, "%s=%.*s: the value must be a number from %g to %g", field->name, SHOWN, value,
                        field->min, field->max);
        memcpy(place, &real, sizeof(real));
        return POP_OK;
    case FIELD_FLAG:
        if (strcmp(value, flag_words[0]) != 0 && strcmp(value, flag_words[1]) != 0)
            return fail(error, "%s=%.*s: the value must be true or false", field->name, SHOWN, value);
        flag = strcmp(value, flag_words[1]) == 0;
        memcpy(place, &flag, sizeof(flag));
        return POP_OK;
    case FIELD_LIMITS:
        if (!read_limits(value, &limits))
            return fail(error,
                        "%s=%.*s: the value must be none, or limits as 1e9:0>1,*>0;5e6:1>* (bits per second, flows)",
                        field->name, SHOWN, value);
        memcpy(place, &limits, sizeof(limits));
        return POP_OK;
    }
    return POP_OK;
}

static pop_status read_word(pop_target *target, char *word, bool *interleaving, pop_error *error)
{
    char *equals = strchr(word, '=');
    if (equals)
        *equals = 0;
    VEC(const char *) names = { 0 };
    for (size_t i = 0; i < machine_field_count; ++i) {
        const struct machine_field *field = &machine_fields[i];
        if (strcmp(word, field->name) == 0) {
            vec_free(&names);
            if (!equals)
                return fail(error, "'%s' has no value, it must be %s=...", field->name, field->name);
            *interleaving |= field->offset == offsetof(pop_target, interleaved_memory_element_index);
            return read_value(target, field, equals + 1, error);
        }
        *vec_push(&names) = field->name;
    }
    char hint[120];
    fail(error, "unknown word '%.*s'%s", SHOWN, word, error_hint(hint, sizeof(hint), word, names.data, names.count));
    vec_free(&names);
    return POP_PARSE_ERROR;
}

static pop_status read_words(char *text, pop_target *target, pop_error *error)
{
    static const char spaces[] = " \t\r\n";
    char hint[160], *rest = NULL, *word = strtok_r(text, spaces, &rest);
    if (!word)
        return fail(error, "the text is empty, it must begin with ipu1, ipu2, bow, ipu21 or cpu");
    enum machine machine = machine_by_name(word, MACHINES);
    if (machine == MACHINES) {
        machine_hint(hint, sizeof(hint), word, MACHINES);
        return fail(error, "unknown system '%.*s'%s", SHOWN, word, hint);
    }
    *target = machine_target(machine);
    bool interleaving = false;
    while ((word = strtok_r(NULL, spaces, &rest))) {
        pop_status status = read_word(target, word, &interleaving, error);
        if (status != POP_OK)
            return status;
    }
    if (!interleaving)
        machine_fit_interleaving(target);
    return pop_target_check(target, error);
}

pop_status pop_target_from_text(const char *text, pop_target *target, pop_error *error)
{
    char *words = mem_string(text);
    pop_target made;
    pop_status status = read_words(words, &made, error);
    free(words);
    if (status == POP_OK)
        *target = made;
    return status;
}
