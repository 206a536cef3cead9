/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the assembler share.  Pass 1 reads statements and lays sections out: the size of every statement is
 * known when it is read.  Pass 2 chooses forms, checks and encodes, when all labels have offsets. */
#ifndef TILE_ASM_H
#define TILE_ASM_H

#include "base/intern.h"
#include "tile/object.h"

/* ---- input ---- */

struct asm_place {
    const char *file;
    uint32_t line, column;
};
/* A text that is being read: the file, or the body of a macro or a repetition. */
struct asm_text {
    const char *at, *end, *line_start;
    struct asm_place place; /* of the current line; column is not used */
    bool expansion;         /* its lines are named after the call */
    uint32_t conditions;    /* conditions that were open where it begins */
};
struct asm_parameter {
    const char *name, *initial;
    bool required, rest;
};
struct asm_macro {
    const char *name, *body;
    struct asm_parameter *parameters;
    size_t parameter_count;
    bool purged;
};
/* A condition: whether its current branch is read, and whether a branch was. */
struct asm_condition {
    bool reads, done, has_else;
};

enum asm_end { ASM_STATEMENT, ASM_OPEN, ASM_CLOSE, ASM_END };
struct asm_statement {
    enum asm_end end; /* what was read: a statement, a brace, or the end of the input */
    const char *text; /* of the statement, without comments */
    struct asm_place place;
};

/* ---- expressions ---- */

enum asm_node_kind { NODE_NUMBER, NODE_LABEL, NODE_UNARY, NODE_BINARY };
struct asm_node {
    enum asm_node_kind kind;
    char op;        /* of two characters: the first, in upper case codes of asm_expression.c */
    int64_t number; /* or the index of the symbol */
    const struct asm_node *left, *right;
};
/* A number, or a symbol plus a number. */
struct asm_value {
    bool known;     /* false: an undefined symbol, or what is not a number or a symbol plus a number */
    int32_t symbol; /* -1: absolute */
    int64_t number;
};

/* ---- statements ---- */

struct asm_operand {
    const struct asm_node *value; /* an immediate; NULL for a register */
    const char *csr;              /* name of a control register */
    char file;                    /* 'm' or 'a' */
    uint8_t number, registers, spread, suffix;
    uint32_t column;
};
enum { ASM_OPERANDS = 6 };
struct asm_instruction {
    const char *name;
    struct asm_operand operand[ASM_OPERANDS];
    unsigned operands;
    struct asm_place place;
    uint32_t section, offset;
    bool supervisor;
    uint8_t bundle; /* 0 alone, 1 first of a bundle, 2 second */
    uint8_t part;   /* of ldconst: 1 the low bits, 2 the others; else 0 */
};
struct asm_data {
    const struct asm_node *value;
    struct asm_place place;
    uint32_t section, offset;
    uint8_t bytes;
};
/* A name and its value: an assignment's, which a use takes when it is read, or a label's. */
struct asm_name {
    const char *name;
    const struct asm_node *assigned; /* NULL for labels */
    int32_t symbol;                  /* of the object; -1 none */
    struct asm_place used;           /* where an expression first has it; line 0: none has */
};

enum { ASM_ERRORS = 20, ASM_DEPTH = 200, ASM_EXPANSIONS = 1000000, ASM_EXPANDED_BYTES = 1 << 26 };

struct assembler {
    struct tile_object *object;
    struct arena *arena;
    struct str *messages;
    unsigned errors;
    VEC(struct asm_text) texts;
    VEC(struct asm_macro) macros;
    VEC(struct asm_condition) conditions;
    struct intern interned;
    VEC(struct asm_name) names; /* by interned name */
    VEC(struct asm_instruction) instructions;
    VEC(struct asm_data) data;
    uint32_t expansions;               /* for \@ */
    size_t expanded;                   /* bytes of expansions */
    uint32_t locals[100];              /* how many labels 0: to 99: were defined */
    uint32_t section, stack[8], depth; /* section: the current one; stack: of .pushsection */
    uint32_t previous;
    bool supervisor, optimises, in_bundle, allow_repeat, allow_bundles, allow_operands, allow_mode;
    size_t bundle_first;                  /* index of the bundle's first instruction */
    struct asm_place bundle_place, place; /* place: of the current statement */
};

static inline struct asm_place asm_at(struct asm_place place, uint32_t column)
{
    place.column = column;
    return place;
}

/* asm_directive.c: directives. */

/* False when there is no such directive. */
bool asm_directive(struct assembler *a, const char *directive, const char *rest, const char *statement);
/* The index of a section, which is made when it is new. */
uint32_t asm_section(struct assembler *a, const char *name, bool code);
/* Adds zeroed bytes to the current section; returns their offset. */
uint32_t asm_reserve(struct assembler *a, size_t bytes);

/* asm_encode.c: pass 2: choosing forms, checking and encoding. */
void asm_encode_all(struct assembler *a);

/* asm_macro.c: macros and repetitions. */
bool asm_macro_define(struct assembler *a, const char *rest);
void asm_macro_purge(struct assembler *a, const char *rest);
/* Expands a call; false when there is no such macro. */
bool asm_macro_call(struct assembler *a, const char *name, const char *rest);
/* Handles .rept, .irp and .irpc; false for other directives. */
bool asm_repeat(struct assembler *a, const char *directive, const char *rest);

/* asm_operand.c: parsing instructions. */
bool asm_parse_instruction(struct assembler *a, const char *name, const char *rest, const char *statement,
                           struct asm_instruction *instruction);

/* asm_names.c: names of labels and assignments. */

/* The name's entry, made when it is new. */
struct asm_name *asm_name(struct assembler *a, const char *name);
const struct asm_name *asm_find_name(const struct assembler *a, const char *name);
/* The index of the name's symbol in the object, made when it has none. */
int32_t asm_symbol(struct assembler *a, struct asm_name *name);
/* Defines a label here; a number makes the next of its local labels. */
void asm_label(struct assembler *a, const char *name);

/* asm_input.c: reading statements, and reporting errors about them. */
void asm_error(struct assembler *a, struct asm_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void asm_warn(struct assembler *a, struct asm_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A copy that lives as long as the assembler. */
char *asm_copy(struct assembler *a, const char *text, size_t length);
bool asm_is_name(char c, bool first);
const char *asm_blank(const char *text); /* behind blanks */

/* Reads the text, which must live as long as the assembler, before what follows in the current one. */
void asm_push_text(struct assembler *a, const char *text, bool expansion);
struct asm_statement asm_next(struct assembler *a);
/* Reads lines up to the directive that ends what one of `begins` (up to NULL) began; NULL after an error. */
const char *asm_read_body(struct assembler *a, const char *const *begins, const char *ends);
/* Handles .if and its kin; true when the statement was one of them. */
bool asm_condition(struct assembler *a, const char *directive, const char *rest);
/* Whether all conditions around the current statement hold. */
bool asm_reading(const struct assembler *a);

/* asm_expression.c: expressions. */

/* Parses an expression; *at moves behind it. NULL after an error, which it has reported. */
const struct asm_node *asm_parse(struct assembler *a, const char **at, const char *statement);
struct asm_value asm_evaluate(const struct assembler *a, const struct asm_node *node);
const struct asm_node *asm_number(struct assembler *a, int64_t number);
/* Parses and evaluates a whole text that must be known now. */
bool asm_absolute(struct assembler *a, const char *text, int64_t *value);

#endif
