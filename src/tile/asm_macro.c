/* SPDX-License-Identifier: Apache-2.0 */
/* Macros and repetitions: textual, by lines, as GNU assemblers have them. */
#include "tile/asm.h"

#include <string.h>

static const char *const macro_begins[] = { ".macro", NULL };
static const char *const repeat_begins[] = { ".rept", ".irp", ".irpc", NULL };

/* ---- definition ---- */

static const char *take_name(struct assembler *a, const char **at)
{
    const char *start = asm_blank(*at), *end = start;
    while (asm_is_name(*end, end == start))
        ++end;
    *at = end;
    return end > start ? asm_copy(a, start, (size_t)(end - start)) : NULL;
}

/* The value of an argument, up to a comma or blank; quotes are stripped. */
static const char *take_value(struct assembler *a, const char **at);

static bool take_parameter(struct assembler *a, const char **at, struct asm_parameter *parameter)
{
    *parameter = (struct asm_parameter){ .name = take_name(a, at) };
    if (!parameter->name)
        return false;
    const char *next = asm_blank(*at);
    if (*next == ':') {
        next = asm_blank(next + 1);
        const char *what = take_name(a, &next);
        parameter->required = what && strcmp(what, "req") == 0;
        parameter->rest = what && strcmp(what, "vararg") == 0;
        if (!parameter->required && !parameter->rest)
            return false;
        *at = next;
        next = asm_blank(next);
    }
    if (*next == '=') {
        *at = next + 1;
        parameter->initial = take_value(a, at);
    }
    return true;
}

static struct asm_macro *find_macro(struct assembler *a, const char *name)
{
    for (size_t i = a->macros.count; i-- > 0;)
        if (!a->macros.data[i].purged && strcmp(a->macros.data[i].name, name) == 0)
            return a->macros.data + i;
    return NULL;
}

bool asm_macro_define(struct assembler *a, const char *rest)
{
    struct asm_macro macro = { .name = take_name(a, &rest) };
    struct asm_place place = a->place;
    VEC(struct asm_parameter) parameters = { 0 };
    for (rest = asm_blank(rest); macro.name && *rest; rest = asm_blank(rest)) {
        if (*rest == ',') {
            ++rest;
            continue;
        }
        struct asm_parameter parameter;
        if (!take_parameter(a, &rest, &parameter)) {
            asm_error(a, place, "'%s' is not a parameter of macro '%s'", rest, macro.name);
            break;
        }
        *vec_push(&parameters) = parameter;
    }
    macro.parameters = arena_alloc(a->arena, (parameters.count + 1) * sizeof(*macro.parameters));
    macro.parameter_count = parameters.count;
    if (parameters.count)
        memcpy(macro.parameters, parameters.data, parameters.count * sizeof(*macro.parameters));
    vec_free(&parameters);
    macro.body = asm_read_body(a, macro_begins, ".endm");
    if (!macro.name)
        asm_error(a, place, ".macro has no name");
    else if (find_macro(a, macro.name))
        asm_error(a, place, "macro '%s' is defined twice; .purgem removes the first", macro.name);
    else if (macro.body)
        *vec_push(&a->macros) = macro;
    return true;
}

void asm_macro_purge(struct assembler *a, const char *rest)
{
    const char *name = take_name(a, &rest);
    struct asm_macro *macro = name ? find_macro(a, name) : NULL;
    if (macro)
        macro->purged = true;
    else
        asm_error(a, a->place, ".purgem: there is no macro '%s'", name ? name : "");
}

/* ---- arguments ---- */

/* Whether a blank inside an argument stands beside an operator, so that it ends nothing. */
static bool joins(const char *start, const char *blank)
{
    static const char operators[] = "+-*/%<>&|^~!=(:@";
    const char *next = asm_blank(blank);
    if (!*next || *next == ',')
        return false;
    if (blank > start && strchr(operators, blank[-1]))
        return true;
    return strchr("+-*/%<>&|^=):@", *next) != NULL;
}

/* The end of an argument: a comma or a blank outside of parentheses and quotes. */
static const char *argument_end(const char *at, bool blanks_end)
{
    const char *start = at;
    int depth = 0;
    for (bool quoted = false; *at; ++at) {
        if (quoted && at[0] == '\\' && at[1])
            ++at;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && *at == '(')
            ++depth;
        else if (!quoted && *at == ')')
            --depth;
        else if (!quoted && depth <= 0 && *at == ',')
            break;
        else if (!quoted && depth <= 0 && blanks_end && (*at == ' ' || *at == '\t') && !joins(start, at))
            break;
    }
    return at;
}

/* Strips quotes around a whole argument. */
static const char *argument_text(struct assembler *a, const char *start, const char *end)
{
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        --end;
    if (end - start < 2 || *start != '"' || end[-1] != '"')
        return asm_copy(a, start, (size_t)(end - start));
    char *copy = arena_alloc(a->arena, (size_t)(end - start)), *to = copy;
    for (++start, --end; start < end; ++start) {
        if (start[0] == '\\' && start + 1 < end && (start[1] == '"' || start[1] == '\\'))
            ++start;
        *to++ = *start;
    }
    *to = 0;
    return copy;
}

static const char *take_value(struct assembler *a, const char **at)
{
    const char *start = asm_blank(*at), *end = argument_end(start, true);
    *at = end;
    return argument_text(a, start, end);
}

static const struct asm_parameter *keyword(const struct asm_macro *macro, const char *at, size_t *index)
{
    for (size_t i = 0; i < macro->parameter_count; ++i) {
        size_t length = strlen(macro->parameters[i].name);
        const char *next = asm_blank(at + (strncmp(at, macro->parameters[i].name, length) == 0 ? length : 0));
        if (strncmp(at, macro->parameters[i].name, length) == 0 && next[0] == '=' && next[1] != '=') {
            *index = i;
            return macro->parameters + i;
        }
    }
    return NULL;
}

static bool read_arguments(struct assembler *a, const struct asm_macro *macro, const char *rest, const char **values)
{
    size_t position = 0;
    for (rest = asm_blank(rest); *rest;) {
        size_t index;
        if (keyword(macro, rest, &index)) {
            rest = strchr(rest, '=') + 1;
            values[index] = take_value(a, &rest);
        } else if (position >= macro->parameter_count) {
            asm_error(a, a->place, "macro '%s' takes %zu arguments; '%s' is one too many", macro->name,
                      macro->parameter_count, rest);
            return false;
        } else if (macro->parameters[position].rest) {
            values[position++] = asm_copy(a, rest, strlen(rest));
            rest += strlen(rest);
        } else {
            const char *value = take_value(a, &rest);
            values[position] = *value || !macro->parameters[position].initial ? value : values[position];
            ++position;
        }
        rest = asm_blank(rest);
        if (*rest == ',')
            rest = asm_blank(rest + 1);
    }
    for (size_t i = 0; i < macro->parameter_count; ++i)
        if (macro->parameters[i].required && !values[i]) {
            asm_error(a, a->place, "macro '%s' needs its argument '%s'", macro->name, macro->parameters[i].name);
            return false;
        }
    return true;
}

/* ---- expansion ---- */

/* Adds the body with \name replaced by values, \@ by a number, \() by nothing. */
static void substitute(struct assembler *a, struct str *to, const char *body, const struct asm_parameter *parameters,
                       const char *const *values, size_t count)
{
    for (const char *at = body; *at; ++at) {
        if (*at != '\\') {
            str_add_bytes(to, at, 1);
            continue;
        }
        if (at[1] == '@') {
            str_format(to, "%u", a->expansions);
            ++at;
            continue;
        }
        if (at[1] == '(' && at[2] == ')') {
            at += 2;
            continue;
        }
        size_t length = 0, best = count;
        while (asm_is_name(at[1 + length], length == 0) && at[1 + length] != '$')
            ++length;
        for (size_t taken = length; taken && best == count; --taken) /* \name.x means \name, then .x */
            for (size_t i = 0; i < count && best == count; ++i)
                if (strlen(parameters[i].name) == taken && strncmp(parameters[i].name, at + 1, taken) == 0 &&
                    (taken == length || at[1 + taken] == '.')) {
                    best = i;
                    length = taken;
                }
        if (best == count) {
            str_add_bytes(to, at, 1);
            continue;
        }
        str_add(to, values[best] ? values[best] : "");
        at += length;
    }
}

static void push_expansion(struct assembler *a, struct str *text)
{
    a->expanded += text->length;
    if (++a->expansions > ASM_EXPANSIONS || a->expanded > ASM_EXPANDED_BYTES)
        asm_error(a, a->place, "macros expand to too much text");
    else
        asm_push_text(a, asm_copy(a, str_text(text), text->length), true);
    str_free(text);
}

bool asm_macro_call(struct assembler *a, const char *name, const char *rest)
{
    const struct asm_macro *macro = find_macro(a, name);
    if (!macro)
        return false;
    const char **values = arena_zero(a->arena, macro->parameter_count + 1, sizeof(*values));
    for (size_t i = 0; i < macro->parameter_count; ++i)
        values[i] = macro->parameters[i].initial;
    if (!read_arguments(a, macro, rest, values))
        return true;
    struct str text = { 0 };
    substitute(a, &text, macro->body, macro->parameters, values, macro->parameter_count);
    push_expansion(a, &text);
    return true;
}

static void repeat_times(struct assembler *a, const char *count, const char *body)
{
    int64_t times;
    struct str text = { 0 };
    if (!asm_absolute(a, count, &times))
        return;
    if (times < 0 || (uint64_t)times * (strlen(body) + 1) > (1u << 26)) {
        asm_error(a, a->place, ".rept %lld is too often", (long long)times);
        return;
    }
    for (int64_t i = 0; i < times; ++i)
        str_add(&text, body);
    push_expansion(a, &text);
}

static void repeat_values(struct assembler *a, const char *rest, const char *body, bool characters)
{
    struct asm_parameter parameter = { .name = take_name(a, &rest) };
    struct str text = { 0 };
    if (!parameter.name) {
        asm_error(a, a->place, "%s has no parameter", characters ? ".irpc" : ".irp");
        return;
    }
    rest = asm_blank(rest);
    rest = *rest == ',' ? asm_blank(rest + 1) : rest;
    while (*rest) {
        const char *value = characters ? asm_copy(a, rest, 1) : take_value(a, &rest);
        rest += characters ? 1 : 0;
        substitute(a, &text, body, &parameter, &value, 1);
        rest = asm_blank(rest);
        rest = *rest == ',' ? asm_blank(rest + 1) : rest;
    }
    push_expansion(a, &text);
}

bool asm_repeat(struct assembler *a, const char *directive, const char *rest)
{
    bool times = strcmp(directive, ".rept") == 0, characters = strcmp(directive, ".irpc") == 0;
    if (!times && !characters && strcmp(directive, ".irp") != 0)
        return false;
    const char *body = asm_read_body(a, repeat_begins, ".endr");
    if (body && times)
        repeat_times(a, rest, body);
    else if (body)
        repeat_values(a, rest, body, characters);
    return true;
}
