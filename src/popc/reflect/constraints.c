/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/reflect/reflect.h"

#include "base/str.h"

#include <poplar/text.h>

/* A token of C++: a word (names, numbers), a string (whole literal) or one character. */
struct token {
    const char *at;
    size_t length;
};

/* The names of the enclosing scopes; blocks have empty names. */
struct scopes {
    VEC(struct str) names;
    struct str opening; /* "ns::inner" or a class's name when the next { opens a named scope */
};

/* A constraint whose class has not been read yet. */
struct pending {
    char *text;
    const char *at;
};

struct scan {
    struct reflection *r;
    struct str *messages;
    const char *start, *at;
    struct scopes scopes;
    VEC(struct pending) pending;
};

static const char *skip_quoted(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

/* Skips a raw string literal: R"x(...)x". */
static const char *skip_raw(const char *at)
{
    const char *open = strchr(at + 2, '(');
    if (!open)
        return at + 2;
    struct str end = { 0 };
    str_add(&end, ")");
    str_add_bytes(&end, at + 2, (size_t)(open - at) - 2);
    str_add(&end, "\"");
    const char *found = strstr(open, end.text);
    const char *after = found ? found + end.length : open;
    str_free(&end);
    return after;
}

static bool is_word(char c)
{
    return pop_text_is_word(c) || c == '$';
}

/* Reads the next token. Skips blanks and lines that begin with #. */
static bool next(struct scan *s, struct token *token)
{
    for (;; ++s->at) {
        while (*s->at == '#')
            s->at += strcspn(s->at, "\n");
        if (!pop_text_is_space(*s->at))
            break;
    }
    if (!*s->at)
        return false;
    token->at = s->at;
    if (s->at[0] == 'R' && s->at[1] == '"')
        s->at = skip_raw(s->at);
    else if (is_word(*s->at))
        while (is_word(*s->at) || (*s->at == '\'' && pop_text_is_digit(*token->at) && is_word(s->at[1])))
            ++s->at;
    else if (*s->at == '"' || *s->at == '\'')
        s->at = skip_quoted(s->at);
    else
        ++s->at;
    token->length = (size_t)(s->at - token->at);
    return true;
}

static bool is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->at, text, token->length) == 0;
}

static bool peek(struct scan *s, struct token *token)
{
    const char *at = s->at;
    bool there = next(s, token);
    s->at = at;
    return there;
}

static bool take(struct scan *s, const char *text)
{
    struct token token;
    const char *at = s->at;
    if (next(s, &token) && is(&token, text))
        return true;
    s->at = at;
    return false;
}

/* Skips from after an opening bracket to the matching closing one. */
static void skip_bracketed(struct scan *s)
{
    struct token token;
    for (int depth = 1; depth && next(s, &token);)
        depth += is(&token, "(") || is(&token, "[") || is(&token, "{")   ? 1
                 : is(&token, ")") || is(&token, "]") || is(&token, "}") ? -1
                                                                         : 0;
}

/* The characters of a string literal, with escapes as written; of any other token, the token. */
static void add_literal(struct str *text, const struct token *token)
{
    const char *open = memchr(token->at, '(', token->length), *close = memrchr(token->at, ')', token->length);
    if (token->at[0] == '"' && token->length >= 2)
        str_add_bytes(text, token->at + 1, token->length - 2);
    else if (token->at[0] == 'R' && open && close > open)
        str_add_bytes(text, open + 1, (size_t)(close - open) - 1);
    else
        str_add_bytes(text, token->at, token->length);
}

static void take_pending(struct scan *s, struct str *text, const char *at)
{
    *vec_push(&s->pending) = (struct pending){ mem_string(str_text(text)), at };
    text->length = 0;
}

/* Reads the strings after "constraint("; adjacent strings are joined. */
static void read_strings(struct scan *s)
{
    struct token token;
    struct str text = { 0 };
    const char *at = s->at;
    while (next(s, &token) && !is(&token, ")")) {
        if (is(&token, ","))
            take_pending(s, &text, token.at);
        else
            add_literal(&text, &token);
        if (is(&token, "("))
            skip_bracketed(s);
    }
    take_pending(s, &text, at);
    str_free(&text);
}

/* Reads from after "[[" up to "]]". */
static void read_attributes(struct scan *s)
{
    struct token token;
    for (int depth = 2; depth && next(s, &token);) {
        if (is(&token, "constraint") && take(s, "("))
            read_strings(s);
        else
            depth += is(&token, "[") || is(&token, "(") ? 1 : is(&token, "]") || is(&token, ")") ? -1 : 0;
    }
}

/* ---- names of classes ---- */

static void add_part(struct str *path, const char *text, size_t length)
{
    if (path->length && length)
        str_add(path, "::");
    str_add_bytes(path, text, length);
}

/* Whether a vertex type is the class at path or a template instance of it. */
static bool is_of(const char *vertex, const char *path)
{
    size_t length = strlen(path);
    return strncmp(vertex, path, length) == 0 && (!vertex[length] || vertex[length] == '<');
}

/* ---- checking constraints ---- */

static const char *blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* Parses one side: "elem(*name)" or "region(**name[i])". Returns the position after it, or NULL. */
static const char *read_side(const char *at, const char *kind, struct str *name, size_t *stars)
{
    size_t length = strlen(kind);
    at = blanks(at);
    if (strncmp(at, kind, length) != 0 || *(at = blanks(at + length)) != '(')
        return NULL;
    for (*stars = 0, at = blanks(at + 1); *at == '*'; at = blanks(at + 1))
        ++*stars;
    for (length = 0; is_word(at[length]);)
        ++length;
    name->length = 0;
    str_add_bytes(name, at, length);
    for (at = blanks(at + length); *at == '['; at = blanks(at + 1))
        if (!*(at += strcspn(at, "]")))
            return NULL;
    return *stars && length && *at == ')' ? blanks(at + 1) : NULL;
}

/* The number of pointers to follow to a field's elements. */
static size_t levels_of(const struct codelet_field *field)
{
    return field->shape == SHAPE_SCALAR || field->shape == SHAPE_VECTOR ? 1 : 2;
}

/* Whether a constraint is invalid; why then says what is wrong. */
static bool is_wrong(const struct codelet *codelet, const char *text, struct str *why)
{
    static const char form[] = "is not of the form \"elem(*a) != elem(*b)\"";
    const char *kind = strncmp(blanks(text), "region", 6) == 0 ? "region" : "elem";
    struct str name = { 0 };
    const char *at = text;
    for (int side = 0; side < 2 && !why->length; ++side) {
        size_t stars;
        at = read_side(at, kind, &name, &stars);
        if (!at || (side == 0 ? strncmp(at, "!=", 2) != 0 : *at != 0)) {
            str_add(why, form);
            break;
        }
        at += side == 0 ? 2 : 0;
        const struct codelet_field *field = codelet_find_field(codelet, name.text);
        if (!field)
            str_format(why, "names '%s', which is not one of its fields", name.text);
        else if (stars > levels_of(field))
            str_format(why, "has %zu '*' before '%s', which has %s", stars, name.text,
                       levels_of(field) == 1 ? "one level" : "two levels");
    }
    str_free(&name);
    return why->length != 0;
}

/* "file:line" of a position, from the preprocessor's line markers (# line "file" or #line ...) before it. */
static void add_place(const struct scan *s, const char *place, struct str *out)
{
    const char *file = s->r->source, *line = s->start;
    size_t length = strlen(file);
    long number = 1;
    for (const char *end; (end = strchr(line, '\n')) != NULL && end < place; line = end + 1) {
        const char *digits = line + strcspn(line, "0123456789\n"), *quote = memchr(line, '"', (size_t)(end - line));
        const char *last = quote ? memchr(quote + 1, '"', (size_t)(end - quote) - 1) : NULL;
        if (*line == '#' && last && digits < quote) {
            number = strtol(digits, NULL, 10);
            file = quote + 1;
            length = (size_t)(last - file);
        } else {
            ++number;
        }
    }
    str_format(out, "%.*s:%ld", (int)length, file, number);
}

static void add_constraint(struct scan *s, struct codelet *codelet, const struct pending *constraint)
{
    struct str why = { 0 };
    if (is_wrong(codelet, constraint->text, &why)) {
        add_place(s, constraint->at, s->messages);
        str_format(s->messages, ": warning: constraint \"%s\" of vertex '%s' %s: it is left out\n", constraint->text,
                   codelet->name, why.text);
    } else {
        const char **grown = arena_alloc(s->r->arena, (codelet->constraint_count + 1) * sizeof(*grown));
        if (codelet->constraint_count)
            memcpy(grown, codelet->constraints, codelet->constraint_count * sizeof(*grown));
        grown[codelet->constraint_count++] = arena_string(s->r->arena, constraint->text);
        codelet->constraints = grown;
    }
    str_free(&why);
}

static void assign_to(struct scan *s, const char *path)
{
    for (size_t i = 0; i < s->r->vertices.count; ++i)
        for (size_t k = 0; k < s->pending.count && is_of(s->r->vertices.data[i].codelet.name, path); ++k)
            add_constraint(s, &s->r->vertices.data[i].codelet, s->pending.data + k);
}

static void drop_pending(struct scan *s)
{
    for (size_t i = 0; i < s->pending.count; ++i)
        free(s->pending.data[i].text);
    s->pending.count = 0;
}

/* Reads from after "class" or "struct": attributes, then a name, which may be qualified. */
static void read_class(struct scan *s)
{
    struct token token;
    struct str *own = &s->scopes.opening, path = { 0 };
    own->length = 0;
    while (peek(s, &token)) {
        bool attributes = is(&token, "[");
        if (attributes || is(&token, "__attribute__") || is(&token, "alignas")) {
            next(s, &token);
            if (attributes && take(s, "["))
                read_attributes(s);
            else if (take(s, "("))
                skip_bracketed(s);
        } else if (is_word(*token.at) && !is(&token, "final")) {
            next(s, &token);
            add_part(own, token.at, token.length);
            if (!take(s, ":"))
                break;
            if (!take(s, ":")) { /* the base classes */
                break;
            }
        } else {
            break;
        }
    }
    if (s->pending.count && own->length) {
        for (size_t i = 0; i < s->scopes.names.count; ++i)
            add_part(&path, str_text(&s->scopes.names.data[i]), s->scopes.names.data[i].length);
        add_part(&path, own->text, own->length);
        assign_to(s, path.text);
    }
    drop_pending(s);
    str_free(&path);
}

/* Reads from after "namespace": "a::b" or nothing. Inline namespaces do not occur in names of vertices. */
static void read_namespace(struct scan *s, bool is_inline)
{
    struct token token;
    struct str *own = &s->scopes.opening;
    own->length = 0;
    while (peek(s, &token) && !is(&token, "{") && !is(&token, ";") && !is(&token, "=")) {
        next(s, &token);
        if (is(&token, "[") || is(&token, "("))
            skip_bracketed(s);
        else if (is_word(*token.at) && !is_inline && !is(&token, "inline") && !is(&token, "__attribute__"))
            add_part(own, token.at, token.length);
    }
}

static void open_scope(struct scan *s)
{
    struct str name = { 0 };
    str_add_bytes(&name, str_text(&s->scopes.opening), s->scopes.opening.length);
    *vec_push(&s->scopes.names) = name;
    s->scopes.opening.length = 0;
}

static void close_scope(struct scan *s)
{
    if (s->scopes.names.count)
        str_free(&s->scopes.names.data[--s->scopes.names.count]);
}

void constraints_read(struct reflection *reflection, const char *preprocessed, struct str *messages)
{
    struct scan s = { .r = reflection, .messages = messages, .start = preprocessed, .at = preprocessed };
    struct token token;
    for (bool after_inline = false; next(&s, &token); after_inline = is(&token, "inline")) {
        if (is(&token, "class") || is(&token, "struct"))
            read_class(&s);
        else if (is(&token, "namespace"))
            read_namespace(&s, after_inline);
        else if (is(&token, "{"))
            open_scope(&s);
        else if (is(&token, "}"))
            close_scope(&s);
        else if (is(&token, ";") || is(&token, ")"))
            s.scopes.opening.length = 0;
        else if (is(&token, "[") && take(&s, "["))
            read_attributes(&s);
    }
    while (s.scopes.names.count)
        close_scope(&s);
    drop_pending(&s);
    vec_free(&s.scopes.names);
    vec_free(&s.pending);
    str_free(&s.scopes.opening);
}

bool constraints_in(const char *text, size_t size)
{
    static const char word[] = "constraint", space[] = "poplar";
    return memmem(text, size, word, sizeof(word) - 1) && memmem(text, size, space, sizeof(space) - 1);
}

bool templates_in(const char *text, size_t size)
{
    static const char word[] = "template", base[] = "Vertex";
    const char *found = memmem(text, size, word, sizeof(word) - 1);
    return found && memmem(found, size - (size_t)(found - text), base, sizeof(base) - 1);
}
