/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/constraints.h"

#include "base/str.h"

#include <ctype.h>

/* A token of C++: a word (names, numbers), a string (whole literal) or one character. */
struct token {
    const char *at;
    size_t length;
};

/* The names of the scopes around; those of blocks are empty. */
struct scopes {
    VEC(struct str) names;
    struct str opening; /* "ns::inner" or a class's name when the next { opens one */
};

struct scan {
    struct reflection *r;
    struct str *messages;
    const char *at;
    struct scopes scopes;
    VEC(char *) pending; /* constraints that wait for their class */
};

static const char *skip_quoted(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote && *at != '\n')
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

/* R"x(...)x" */
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
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Blanks and lines that begin with # are no tokens. */
static bool next(struct scan *s, struct token *token)
{
    for (;; ++s->at) {
        while (*s->at == '#')
            s->at += strcspn(s->at, "\n");
        if (!isspace((unsigned char)*s->at))
            break;
    }
    if (!*s->at)
        return false;
    token->at = s->at;
    if (s->at[0] == 'R' && s->at[1] == '"')
        s->at = skip_raw(s->at);
    else if (is_word(*s->at))
        while (is_word(*s->at) || (*s->at == '\'' && isdigit((unsigned char)*token->at) && is_word(s->at[1])))
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

/* Behind an opening bracket: up to the one that closes it. */
static void skip_bracketed(struct scan *s)
{
    struct token token;
    for (int depth = 1; depth && next(s, &token);)
        depth += is(&token, "(") || is(&token, "[") || is(&token, "{") ? 1 : is(&token, ")") || is(&token, "]") || is(&token, "}") ? -1 : 0;
}

/* Behind "constraint(": strings that stand side by side are one. */
static void read_strings(struct scan *s)
{
    struct token token;
    struct str text = { 0 };
    while (next(s, &token) && !is(&token, ")")) {
        if (token.at[0] == '"' && token.length >= 2)
            str_add_bytes(&text, token.at + 1, token.length - 2);
        if (is(&token, ",") && text.length) {
            *vec_push(&s->pending) = mem_string(text.text);
            text.length = 0;
        }
    }
    if (text.length)
        *vec_push(&s->pending) = mem_string(text.text);
    str_free(&text);
}

/* Behind "[[": up to "]]". */
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

/* ---- what a class is called ---- */

static void add_part(struct str *path, const char *text, size_t length)
{
    if (path->length && length)
        str_add(path, "::");
    str_add_bytes(path, text, length);
}

/* Whether a vertex type's name is that of a class or of an instance of it. */
static bool is_of(const char *vertex, const char *path)
{
    size_t length = strlen(path);
    return strncmp(vertex, path, length) == 0 && (!vertex[length] || vertex[length] == '<');
}

/* The first field that a constraint names and the vertex lacks. */
static bool lacks_field(const struct codelet *codelet, const char *text, struct str *name)
{
    for (const char *star = strchr(text, '*'); star; star = strchr(star, '*')) {
        star += strspn(star, "* ");
        size_t length = 0;
        while (is_word(star[length]))
            ++length;
        name->length = 0;
        str_add_bytes(name, star, length);
        if (length && !codelet_find_field(codelet, name->text))
            return true;
    }
    return false;
}

static void add_constraint(struct scan *s, struct codelet *codelet, const char *text)
{
    struct str missing = { 0 };
    if (lacks_field(codelet, text, &missing)) {
        str_format(s->messages, "%s: constraint \"%s\" of vertex '%s' names '%s', which is no field of it\n", s->r->source, text, codelet->name, missing.text);
    } else {
        const char **grown = arena_alloc(s->r->arena, (codelet->constraint_count + 1) * sizeof(*grown));
        if (codelet->constraint_count)
            memcpy(grown, codelet->constraints, codelet->constraint_count * sizeof(*grown));
        grown[codelet->constraint_count++] = arena_string(s->r->arena, text);
        codelet->constraints = grown;
    }
    str_free(&missing);
}

static void give_to(struct scan *s, const char *path)
{
    for (size_t i = 0; i < s->r->vertices.count; ++i)
        for (size_t k = 0; k < s->pending.count && is_of(s->r->vertices.data[i].codelet.name, path); ++k)
            add_constraint(s, &s->r->vertices.data[i].codelet, s->pending.data[k]);
}

static void drop_pending(struct scan *s)
{
    for (size_t i = 0; i < s->pending.count; ++i)
        free(s->pending.data[i]);
    s->pending.count = 0;
}

/* Behind "class" or "struct": attributes, then a name, which may have a path of its own. */
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
            if (!take(s, ":")) { /* the bases */
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
        give_to(s, path.text);
    }
    drop_pending(s);
    str_free(&path);
}

/* Behind "namespace": "a::b" or nothing; of inline ones vertices do not have the name. */
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
    struct scan s = { .r = reflection, .messages = messages, .at = preprocessed };
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
