/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/compile/compile.h"

#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

/* Where the reading is. */
struct rewriter {
    const char *at;
    struct str *out, *said;
    struct str file; /* of the current line, with its quotes */
    int line;
    bool kept;      /* the lines are of a system header or of popc */
    char before;    /* the last character of code; 'a' for what a statement may follow */
    uint64_t heads; /* by open parenthesis, the innermost in bit 0: whether it is that of an if or a loop */
    bool head;      /* the last word was such a keyword */
    bool failed;
};

enum { SECTIONS = 4 }; /* template, outputs, inputs, clobbers */

static void fail(struct rewriter *r, int line, const char *statement, size_t length, const char *why)
{
    if (!r->failed)
        str_format(r->said, "%.*s:%d: error: the inline assembly '%.*s' cannot run on the host: %s\n",
                   (int)(r->file.length > 1 ? r->file.length - 2 : 0), r->file.length ? r->file.text + 1 : "", line,
                   (int)(length < 120 ? length : 120), statement, why);
    r->failed = true;
}

/* ---- tokens ---- */

/* Behind a string or a character, plain or raw. */
static const char *behind_quoted(const char *at, bool raw)
{
    char quote = *at++;
    if (raw) {
        const char *open = strchr(at, '(');
        struct str end = { 0 };
        str_add(&end, ")");
        str_add_bytes(&end, at, open ? (size_t)(open - at) : 0);
        str_add(&end, "\"");
        const char *found = open ? strstr(open, end.text) : NULL;
        at = found ? found + end.length : at + strlen(at);
        str_free(&end);
        return at;
    }
    for (; *at && *at != quote && *at != '\n'; ++at)
        at += *at == '\\' && at[1];
    return at + (*at == quote);
}

static const char *behind_word(const char *at)
{
    while (pop_text_is_word(*at))
        ++at;
    return at;
}

/* Whether a marker of lines begins here, which may stand in the middle of a statement. The text does not begin here. */
static bool is_marker(const char *at)
{
    return *at == '#' && at[-1] == '\n';
}

/* Behind blanks, lines and their markers. */
static const char *behind_blanks(const char *at)
{
    while (pop_text_is_space(*at) || is_marker(at))
        at = is_marker(at) ? at + strcspn(at, "\n") : at + 1;
    return at;
}

static bool is_word(const char *at, const char *end, const char *word)
{
    return strlen(word) == (size_t)(end - at) && strncmp(at, word, (size_t)(end - at)) == 0;
}

static int lines_in(const char *from, const char *to)
{
    int lines = 0;
    for (; from < to; ++from)
        lines += *from == '\n';
    return lines;
}

/* A token's end: a word, a string, or one character. */
static const char *behind_token(const char *at)
{
    if (*at == '"' || *at == '\'')
        return behind_quoted(at, false);
    if (!pop_text_is_word(*at))
        return *at == '#' && is_marker(at) ? at + strcspn(at, "\n") : at + 1;
    const char *end = behind_word(at);
    if (*end == '"' && end[-1] == 'R')
        return behind_quoted(end, true);
    return *end == '\'' && pop_text_is_digit(*at) ? end + 1 : end; /* 1'000 */
}

/* ---- one statement ---- */

struct source_part {
    const char *begin, *end;
};

static struct source_part trimmed(struct source_part p)
{
    const char *begin = behind_blanks(p.begin);
    p.begin = begin < p.end ? begin : p.end;
    while (p.end > p.begin && pop_text_is_space(p.end[-1]))
        --p.end;
    return p;
}

/* Splits what stands in the parentheses at the colons outside of nested ones; returns the closing parenthesis, NULL
 * when there is none. */
static const char *split(const char *at, struct source_part sections[SECTIONS], unsigned *count)
{
    int depth = 0;
    *count = 0;
    sections[0].begin = at;
    for (; *at; at = behind_token(at)) {
        if (*at == ')' && depth == 0) {
            sections[*count].end = at;
            ++*count;
            return at;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        if (*at == ':' && depth == 0 && *count + 1 < SECTIONS) {
            sections[*count].end = at;
            sections[++*count].begin = at + 1;
        }
    }
    return NULL;
}

/* Adds a call for each operand of a list: [name] "constraint" (value), ... */
static void add_operands(struct rewriter *r, struct source_part list, const char *call, int line,
                         struct source_part whole)
{
    const char *at = behind_blanks(list.begin);
    while (at < list.end && !r->failed) {
        struct source_part name = { "", "" }, constraint, value;
        if (*at == '[') {
            name.begin = behind_blanks(at + 1);
            name.end = behind_word(name.begin);
            const char *close = strchr(name.end, ']');
            at = close ? behind_blanks(close + 1) : list.end;
        }
        constraint = (struct source_part){ at, at };
        while (at < list.end && *at == '"') {
            constraint.end = behind_token(at);
            at = behind_blanks(constraint.end);
        }
        struct source_part inner[SECTIONS];
        unsigned count;
        const char *close = at < list.end && *at == '(' ? split(at + 1, inner, &count) : NULL;
        if (!close || constraint.begin == constraint.end) {
            fail(r, line, whole.begin, (size_t)(whole.end - whole.begin), "an operand is \"constraint\"(value)");
            return;
        }
        size_t length = (size_t)(constraint.end - constraint.begin);
        if (memchr(constraint.begin, 'm', length) && !memchr(constraint.begin, 'r', length)) {
            fail(r, line, whole.begin, (size_t)(whole.end - whole.begin),
                 "an operand in memory (\"m\") has no register; pass its address in \"r\"");
            return;
        }
        value = (struct source_part){ at + 1, close };
        str_format(r->out, ".%s(%.*s, \"%.*s\", (%.*s))", call, (int)(constraint.end - constraint.begin),
                   constraint.begin, (int)(name.end - name.begin), name.begin, (int)(value.end - value.begin),
                   value.begin);
        at = behind_blanks(close + 1);
        at = at < list.end && *at == ',' ? behind_blanks(at + 1) : at;
    }
}

/* The clobbers as one string: "memory" "," "$m0". */
static void add_clobbers(struct rewriter *r, struct source_part list)
{
    str_add(r->out, ".run(\"\"");
    for (const char *at = list.begin; at && at < list.end; at = behind_token(at))
        if (*at == '"')
            str_format(r->out, " %.*s \",\"", (int)(behind_token(at) - at), at);
    str_add(r->out, ")");
}

static bool begins_statement(const struct rewriter *r, bool qualified)
{
    return qualified || r->before == ';' || r->before == '{' || r->before == '}' || r->before == 'a' ||
           r->before == 0 || r->before == ':';
}

/* Rewrites the statement whose keyword is at r->at; false when it is none: a name of a declaration, asm("name"). */
static bool rewrite(struct rewriter *r)
{
    const char *at = behind_blanks(behind_word(r->at)), *end;
    struct source_part sections[SECTIONS] = { { NULL, NULL } };
    bool qualified = false, jumps = false;
    unsigned count;
    while (pop_text_is_word(*at)) {
        end = behind_word(at);
        qualified = true;
        jumps |= is_word(at, end, "goto");
        at = behind_blanks(end);
    }
    const char *close = *at == '(' ? split(at + 1, sections, &count) : NULL;
    if (!close || !begins_statement(r, qualified || count > 1))
        return false;
    struct source_part text = trimmed(sections[0]), whole = { r->at, close + 1 };
    if (is_word(text.begin, text.end, "\"\"") || text.begin == text.end)
        return false; /* for the compiler alone */
    if (jumps)
        fail(r, r->line, whole.begin, (size_t)(whole.end - whole.begin), "it jumps to labels of C++");
    size_t start = r->out->length;
    str_format(r->out, "::poplar::detail::Assembly(%.*s, %s, %d)", (int)(text.end - text.begin), text.begin,
               r->file.length ? r->file.text : "\"\"", r->line);
    if (sections[1].begin)
        add_operands(r, sections[1], "out", r->line, whole);
    if (sections[2].begin)
        add_operands(r, sections[2], "in", r->line, whole);
    add_clobbers(r, sections[3]);
    for (int lines = lines_in(r->out->text + start, r->out->text + r->out->length);
         lines < lines_in(whole.begin, whole.end);)
        str_add(r->out, "\n"), ++lines;
    r->line += lines_in(whole.begin, whole.end);
    r->at = whole.end;
    return true;
}

/* ---- the text ---- */

/* # 12 "file" 3: the digit 3 marks system headers. */
static void read_marker(struct rewriter *r, const char *end)
{
    const char *at = r->at + 1;
    long line = strtol(at, NULL, 10);
    const char *open = memchr(at, '"', (size_t)(end - at)), *close = open ? behind_quoted(open, false) : NULL;
    if (!close || line <= 0)
        return;
    str_free(&r->file);
    str_add_bytes(&r->file, open, (size_t)(close - open));
    r->line = (int)line - 1; /* of this line, which is no line of the file */
    r->kept = strcmp(r->file.text, "\"popc\"") == 0 || memmem(close, (size_t)(end - close), " 3", 2) != NULL;
}

/* Follows what stands before a statement without braces. */
static void note_code(struct rewriter *r, const char *end)
{
    static const char *const openers[] = { "else", "do" }, *const heads[] = { "if", "while", "for", "switch" };
    char first = *r->at;
    bool opener = false, head = r->head && is_word(r->at, end, "constexpr");
    for (size_t i = 0; i < 2; ++i)
        opener |= is_word(r->at, end, openers[i]);
    for (size_t i = 0; i < 4; ++i)
        head |= is_word(r->at, end, heads[i]);
    r->before = opener ? 'a' : pop_text_is_word(first) ? 'w' : first;
    if (first == '(')
        r->heads = r->heads << 1 | r->head;
    if (first == ')') {
        r->before = r->heads & 1 ? 'a' : ')';
        r->heads >>= 1;
    }
    r->head = head;
}

static void read_token(struct rewriter *r)
{
    static const char *const keywords[] = { "asm", "__asm__", "__asm" };
    const char *end = behind_token(r->at);
    bool keyword = false;
    for (size_t i = 0; i < 3; ++i)
        keyword |= is_word(r->at, end, keywords[i]);
    if (keyword && !r->kept && rewrite(r)) {
        r->before = ')';
        return;
    }
    str_add_bytes(r->out, r->at, (size_t)(end - r->at));
    if (!pop_text_is_space(*r->at))
        note_code(r, end);
    r->line += lines_in(r->at, end);
    r->at = end;
}

bool statements_rewrite(const char *text, struct str *rewritten, struct str *said)
{
    struct rewriter r = { .at = text, .out = rewritten, .said = said, .line = 1 };
    bool start = true; /* of a line */
    str_add(rewritten, "");
    while (*r.at && !r.failed) {
        if (start && *r.at == '#') {
            const char *end = r.at + strcspn(r.at, "\n");
            read_marker(&r, end);
            str_add_bytes(rewritten, r.at, (size_t)(end - r.at));
            r.at = end;
        }
        start = *r.at == '\n';
        if (*r.at)
            read_token(&r);
    }
    str_free(&r.file);
    return !r.failed;
}
