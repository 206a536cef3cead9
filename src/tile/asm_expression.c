/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: parsed when a statement is read, evaluated when labels have offsets. */
#include "tile/asm.h"

#include <math.h>
#include <poplar/text.h>
#include <poplar/type.h>
#include <stdlib.h>
#include <string.h>

/* Operators of two characters. */
enum { OP_SHL = 'L', OP_SHR = 'R', OP_EQ = 'E', OP_NE = 'N', OP_LE = 'l', OP_GE = 'g', OP_AND = 'A', OP_OR = 'O' };
enum { MAX_DEPTH = 100 };

struct parser {
    struct assembler *a;
    const char *at, *statement;
    unsigned depth;
    bool failed;
};

static struct asm_place place_of(const struct parser *p, const char *at)
{
    return asm_at(p->a->place, p->a->place.column + (uint32_t)(at - p->statement));
}

static void fail(struct parser *p, const char *what)
{
    if (!p->failed)
        asm_error(p->a, place_of(p, p->at), "%s at '%.20s'", what, p->at);
    p->failed = true;
}

static const struct asm_node *node(struct assembler *a, struct asm_node node)
{
    struct asm_node *copy = arena_alloc(a->arena, sizeof(*copy));
    *copy = node;
    return copy;
}

const struct asm_node *asm_number(struct assembler *a, int64_t number)
{
    return node(a, (struct asm_node){ .kind = NODE_NUMBER, .number = number });
}

/* ---- primary expressions ---- */

/* `at`: where it stands in the statement. */
static const struct asm_node *label(struct parser *p, const char *name, const char *at)
{
    struct asm_name *entry = asm_name(p->a, name);
    if (entry->assigned)
        return entry->assigned;
    if (!entry->used.line)
        entry->used = place_of(p, at);
    return node(p->a, (struct asm_node){ .kind = NODE_LABEL, .number = asm_symbol(p->a, entry) });
}

/* The name of the n-th label "number:", which no identifier can be. */
static const struct asm_node *local_label(struct parser *p, unsigned long number, char direction, const char *at)
{
    struct str name = { 0 };
    if (number >= sizeof(p->a->locals) / sizeof(p->a->locals[0])) {
        p->at = at;
        fail(p, "local labels are 0: to 99:");
        return NULL;
    }
    uint32_t instance = p->a->locals[number] + (direction == 'f' ? 1 : 0);
    if (!instance) {
        asm_error(p->a, place_of(p, at), "there is no label '%lu:' before its use", number);
        p->failed = true;
        return NULL;
    }
    str_format(&name, "%lu:%u", number, instance);
    const struct asm_node *found = label(p, asm_copy(p->a, name.text, name.length), at);
    str_free(&name);
    return found;
}

static bool is_suffix(const char *at, char c)
{
    return *at == c && !pop_text_is_word(at[1]);
}

/* A half: digits with a point or exponent, and h. */
static const struct asm_node *half_literal(struct parser *p)
{
    const char *end = p->at;
    while (pop_text_is_digit(*end) || *end == '.')
        ++end;
    if ((*end == 'e' || *end == 'E') && (pop_text_is_digit(end[1]) || end[1] == '-' || end[1] == '+'))
        for (end += 2; pop_text_is_digit(*end);)
            ++end;
    if (!is_suffix(end, 'h'))
        return NULL;
    double value;
    char *text = asm_copy(p->a, p->at, (size_t)(end - p->at)), *rest;
    value = pop_text_to_double(text, &rest);
    p->at = end + 1;
    return asm_number(p->a, pop_half_from_double(value));
}

static const struct asm_node *number(struct parser *p)
{
    const struct asm_node *half = half_literal(p);
    if (half)
        return half;
    char *end;
    unsigned long digits = strtoul(p->at, &end, 10);
    if (is_suffix(end, 'f') || is_suffix(end, 'b')) {
        const char *at = p->at;
        p->at = end + 1;
        return local_label(p, digits, *end, at);
    }
    int base = 10;
    const char *start = p->at;
    if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
        base = 16;
    else if (start[0] == '0' && (start[1] == 'b' || start[1] == 'B'))
        base = 2, start += 2;
    uint64_t value = strtoull(start, &end, base);
    if (end == start || pop_text_is_word(*end)) {
        fail(p, "this is not a number");
        return NULL;
    }
    p->at = end;
    return asm_number(p->a, (int64_t)value);
}

static const struct asm_node *character(struct parser *p)
{
    static const char escapes[] = "n\nt\tr\r0\0\\\\''\"\"";
    char c = p->at[1];
    p->at += 2;
    if (c == '\\') {
        const char *found = *p->at ? strchr(escapes, *p->at) : NULL;
        c = found ? found[1] : *p->at;
        p->at += *p->at ? 1 : 0;
    }
    p->at += *p->at == '\'' ? 1 : 0;
    return asm_number(p->a, c);
}

static const struct asm_node *here(struct parser *p)
{
    struct str name = { 0 };
    const struct assembler *a = p->a;
    size_t offset = a->object->sections.data[a->section].bytes.count;
    str_format(&name, ".:%u:%zu", a->section, offset);
    const char *text = asm_copy(p->a, name.text, name.length);
    str_free(&name);
    struct asm_name *entry = asm_name(p->a, text);
    int32_t symbol = asm_symbol(p->a, entry);
    p->a->object->symbols.data[symbol].section = (int32_t)a->section;
    p->a->object->symbols.data[symbol].value = (uint32_t)offset;
    return node(p->a, (struct asm_node){ .kind = NODE_LABEL, .number = symbol });
}

static const struct asm_node *expression(struct parser *p, int level);

static const struct asm_node *primary(struct parser *p)
{
    p->at = asm_blank(p->at);
    if (pop_text_is_digit(*p->at) || (*p->at == '.' && pop_text_is_digit(p->at[1])))
        return number(p);
    if (*p->at == '\'' && p->at[1])
        return character(p);
    if (*p->at == '(') {
        ++p->at;
        const struct asm_node *inner = expression(p, 0);
        p->at = asm_blank(p->at);
        if (*p->at == ')')
            ++p->at;
        else
            fail(p, "')' is missing");
        return inner;
    }
    if (*p->at == '.' && !asm_is_name(p->at[1], false)) {
        ++p->at;
        return here(p);
    }
    const char *start = p->at;
    if (*start == '"') { /* a quoted name */
        const char *close = strchr(start + 1, '"');
        if (close) {
            p->at = close + 1;
            return label(p, asm_copy(p->a, start + 1, (size_t)(close - start - 1)), start);
        }
    }
    while (asm_is_name(*p->at, p->at == start))
        ++p->at;
    if (p->at == start) {
        fail(p, "an expression is missing");
        return NULL;
    }
    const char *name = asm_copy(p->a, start, (size_t)(p->at - start));
    if (strcmp(name, "infh") == 0)
        return asm_number(p->a, 0x7c00);
    if (strcmp(name, "nanh") == 0)
        return asm_number(p->a, 0x7e00);
    return label(p, name, start);
}

/* ---- operators ---- */

static const struct asm_node *unary(struct parser *p)
{
    p->at = asm_blank(p->at);
    char op = *p->at;
    if (op != '-' && op != '+' && op != '~' && op != '!')
        return primary(p);
    if (++p->depth > MAX_DEPTH) {
        fail(p, "the expression is too deep");
        return NULL;
    }
    ++p->at;
    p->at = asm_blank(p->at);
    const char *start = p->at;
    const struct asm_node *operand = unary(p);
    --p->depth;
    bool half = p->at > start && p->at[-1] == 'h' && !asm_is_name(*start, true);
    if (op == '+' || !operand)
        return operand;
    if (op == '-' && (half || strncmp(start, "infh", 4) == 0) && operand->kind == NODE_NUMBER)
        return asm_number(p->a, operand->number ^ 0x8000); /* the sign of a half */
    return node(p->a, (struct asm_node){ .kind = NODE_UNARY, .op = op, .left = operand });
}

struct binary {
    const char *text;
    char op;
    int level;
};
/* Levels are those of C, lowest first; longer operators stand before their beginnings. */
static const struct binary binaries[] = {
    { "||", OP_OR, 1 }, { "&&", OP_AND, 2 }, { "|", '|', 3 },    { "^", '^', 4 },     { "&", '&', 5 },
    { "==", OP_EQ, 6 }, { "!=", OP_NE, 6 },  { "<>", OP_NE, 6 }, { "<<", OP_SHL, 8 }, { ">>", OP_SHR, 8 },
    { "<=", OP_LE, 7 }, { ">=", OP_GE, 7 },  { "<", '<', 7 },    { ">", '>', 7 },     { "+", '+', 9 },
    { "-", '-', 9 },    { "*", '*', 10 },    { "/", '/', 10 },   { "%", '%', 10 }
};

static const struct binary *operator_at(const char *at)
{
    for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); ++i)
        if (strncmp(at, binaries[i].text, strlen(binaries[i].text)) == 0)
            return binaries + i;
    return NULL;
}

static const struct asm_node *expression(struct parser *p, int level)
{
    if (++p->depth > MAX_DEPTH) {
        fail(p, "the expression is too deep");
        return NULL;
    }
    const struct asm_node *left = unary(p);
    while (!p->failed) {
        p->at = asm_blank(p->at);
        const struct binary *binary = operator_at(p->at);
        if (!binary || binary->level <= level)
            break;
        p->at += strlen(binary->text);
        const struct asm_node *right = expression(p, binary->level);
        left = node(p->a, (struct asm_node){ .kind = NODE_BINARY, .op = binary->op, .left = left, .right = right });
    }
    --p->depth;
    return p->failed ? NULL : left;
}

const struct asm_node *asm_parse(struct assembler *a, const char **at, const char *statement)
{
    struct parser parser = { .a = a, .at = *at, .statement = statement };
    const struct asm_node *parsed = expression(&parser, 0);
    *at = parser.at;
    return parser.failed ? NULL : parsed;
}

bool asm_absolute(struct assembler *a, const char *text, int64_t *value)
{
    const char *at = text;
    const struct asm_node *parsed = asm_parse(a, &at, text);
    if (!parsed)
        return false;
    struct asm_value found = asm_evaluate(a, parsed);
    if (!found.known || found.symbol >= 0 || *asm_blank(at)) {
        asm_error(a, a->place, "'%s' has no value here: labels before this line, and differences of them, have", text);
        return false;
    }
    *value = found.number;
    return true;
}

/* ---- evaluation ---- */

static int64_t divide(int64_t x, int64_t y, bool remainder)
{
    if (y == 0)
        return 0;
    if (y == -1)
        return remainder ? 0 : (int64_t)(0 - (uint64_t)x);
    return remainder ? x % y : x / y;
}

static int64_t apply(char op, int64_t x, int64_t y)
{
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    switch (op) {
    case '+':
        return (int64_t)(a + b);
    case '-':
        return (int64_t)(a - b);
    case '*':
        return (int64_t)(a * b);
    case '/':
        return divide(x, y, false);
    case '%':
        return divide(x, y, true);
    case OP_SHL:
        return b < 64 ? (int64_t)(a << b) : 0;
    case OP_SHR:
        return b < 64 ? (int64_t)(a >> b) : 0;
    case '&':
        return x & y;
    case '|':
        return x | y;
    case '^':
        return x ^ y;
    case OP_AND:
        return x && y;
    case OP_OR:
        return x || y;
    case OP_EQ:
        return x == y;
    case OP_NE:
        return x != y;
    case OP_LE:
        return x <= y;
    case OP_GE:
        return x >= y;
    case '<':
        return x < y;
    default:
        return x > y;
    }
}

static struct asm_value number_value(int64_t number)
{
    return (struct asm_value){ .known = true, .symbol = -1, .number = number };
}

static struct asm_value evaluate_label(const struct assembler *a, int64_t symbol)
{
    const struct tile_symbol *found = a->object->symbols.data + symbol;
    if (found->section == TILE_ABSOLUTE)
        return number_value(found->value);
    return (struct asm_value){ .known = true, .symbol = (int32_t)symbol };
}

/* A difference of two labels of one section is a number. */
static struct asm_value evaluate_binary(const struct assembler *a, const struct asm_node *node)
{
    struct asm_value x = asm_evaluate(a, node->left), y = asm_evaluate(a, node->right);
    if (!x.known || !y.known)
        return (struct asm_value){ .known = false };
    if (x.symbol < 0 && y.symbol < 0)
        return number_value(apply(node->op, x.number, y.number));
    if (node->op == '+' && (x.symbol < 0 || y.symbol < 0))
        return (struct asm_value){ true, x.symbol < 0 ? y.symbol : x.symbol, x.number + y.number };
    if (node->op == '-' && y.symbol < 0)
        return (struct asm_value){ true, x.symbol, x.number - y.number };
    if (x.symbol < 0 || y.symbol < 0)
        return (struct asm_value){ .known = false };
    const struct tile_symbol *first = a->object->symbols.data + x.symbol, *second = a->object->symbols.data + y.symbol;
    if (first->section != second->section || first->section < 0)
        return (struct asm_value){ .known = false };
    return number_value(apply(node->op, (int64_t)first->value + x.number, (int64_t)second->value + y.number));
}

struct asm_value asm_evaluate(const struct assembler *a, const struct asm_node *node)
{
    switch (node->kind) {
    case NODE_NUMBER:
        return number_value(node->number);
    case NODE_LABEL:
        return evaluate_label(a, node->number);
    case NODE_UNARY: {
        struct asm_value x = asm_evaluate(a, node->left);
        if (!x.known || x.symbol >= 0)
            return (struct asm_value){ .known = false };
        return number_value(node->op == '-'   ? (int64_t)(0 - (uint64_t)x.number)
                            : node->op == '~' ? ~x.number
                                              : !x.number);
    }
    default:
        return evaluate_binary(a, node);
    }
}
