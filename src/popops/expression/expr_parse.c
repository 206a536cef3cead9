/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of expressions, by precedence climbing. */
#include "popops/expression/expr_parse.h"
#include "poplibs/call.h"
#include "popops/elementwise/operators.h"

#include <poplar/text.h>

struct parser {
    const char *text, *at;
    popops_expr_node *nodes;
    size_t count, capacity;
    int depth;
    const char *wrong; /* what the parser expected where it stopped, or NULL */
};

/* Longer operators first, so that << is not read as <. */
static const struct {
    const char *spelling;
    int level;
    popops_binary_op op;
} infix[] = {
    { "||", 1, POPOPS_BINARY_LOGICAL_OR },      { "&&", 2, POPOPS_BINARY_LOGICAL_AND },
    { "<<", 8, POPOPS_BINARY_SHIFT_LEFT },      { ">>", 8, POPOPS_BINARY_SHIFT_RIGHT },
    { "==", 6, POPOPS_BINARY_EQUAL },           { "!=", 6, POPOPS_BINARY_NOT_EQUAL },
    { "<=", 7, POPOPS_BINARY_LESS_THAN_EQUAL }, { ">=", 7, POPOPS_BINARY_GREATER_THAN_EQUAL },
    { "<", 7, POPOPS_BINARY_LESS_THAN },        { ">", 7, POPOPS_BINARY_GREATER_THAN },
    { "|", 3, POPOPS_BINARY_BITWISE_OR },       { "^", 4, POPOPS_BINARY_BITWISE_XOR },
    { "&", 5, POPOPS_BINARY_BITWISE_AND },      { "+", 9, POPOPS_BINARY_ADD },
    { "-", 9, POPOPS_BINARY_SUBTRACT },         { "*", 10, POPOPS_BINARY_MULTIPLY },
    { "/", 10, POPOPS_BINARY_DIVIDE },          { "%", 10, POPOPS_BINARY_REMAINDER },
};
enum { INFIX = sizeof(infix) / sizeof(infix[0]), DEEPEST = 500 };

static void push(struct parser *parser, popops_expr_node node)
{
    parser->nodes = poplibs_grown(parser->nodes, &parser->capacity, parser->count + 1, sizeof(*parser->nodes));
    parser->nodes[parser->count++] = node;
}
static void push_operator(struct parser *parser, int arity, int op)
{
    push(parser, (popops_expr_node){ .kind = (popops_expr_kind)(POPOPS_EXPR_UNARY + arity - 1), .op = op });
}
static bool fail(struct parser *parser, const char *wrong)
{
    if (!parser->wrong)
        parser->wrong = wrong;
    return false;
}
static void skip_blanks(struct parser *parser)
{
    while (pop_text_is_space(*parser->at))
        ++parser->at;
}
static bool take(struct parser *parser, char wanted)
{
    skip_blanks(parser);
    if (*parser->at != wanted)
        return false;
    ++parser->at;
    return true;
}

static bool parse_level(struct parser *parser, int level);

static bool parse_number(struct parser *parser)
{
    char *end, *real_end;
    popops_expr_node node = { .kind = POPOPS_EXPR_CONST };
    double real = pop_text_to_double(parser->at, &real_end);
    unsigned long long whole = strtoull(parser->at, &end, 0);
    if (end == real_end) {
        node.value = whole > INT64_MAX ? popops_operand_of_unsigned(whole) : popops_operand_of_int((long long)whole);
        node.op = whole > INT32_MAX ? POP_UNSIGNED_INT : POP_INT;
    } else {
        node.value = popops_operand_of_double(real);
        node.op = POP_FLOAT;
    }
    parser->at = end > real_end ? end : real_end;
    if (*parser->at == 'h' || *parser->at == 'f')
        node.type = *parser->at++ == 'h' ? POP_HALF : POP_FLOAT;
    if (node.type != POP_TYPE_NULL)
        node.value = popops_operand_of_double(real);
    push(parser, node);
    return true;
}

static bool parse_operands(struct parser *parser, int count)
{
    if (!take(parser, '('))
        return fail(parser, "'('");
    for (int i = 0; i < count; ++i)
        if ((i && !take(parser, ',') && !fail(parser, "','")) || !parse_level(parser, 1))
            return false;
    return take(parser, ')') || fail(parser, "')'");
}

/* A placeholder, a function, or a type as a cast. */
static bool parse_name(struct parser *parser)
{
    char name[64] = "";
    size_t length = 0;
    for (; pop_text_is_word(parser->at[length]); ++length)
        if (length + 1 < sizeof(name))
            name[length] = parser->at[length];
    if (name[0] == '_' && length > 1 && strspn(name + 1, "0123456789") == length - 1 && length < 8) {
        parser->at += length;
        push(parser, (popops_expr_node){ .kind = POPOPS_EXPR_PLACEHOLDER, .op = (int)strtol(name + 1, NULL, 10) });
        return true;
    }
    for (int arity = 1; arity <= 3; ++arity)
        for (int op = 0; op < operator_count(arity); ++op)
            if (strcmp(operator_of(arity, op)->name, name) == 0) {
                parser->at += length;
                if (!parse_operands(parser, arity))
                    return false;
                push_operator(parser, arity, op);
                return true;
            }
    pop_type type = pop_type_by_name(name);
    if (!pop_type_is_supported(type))
        return fail(parser, "a number, a placeholder like _1, or a function");
    parser->at += length;
    if (!parse_operands(parser, 1))
        return false;
    push(parser, (popops_expr_node){ .kind = POPOPS_EXPR_CAST, .type = type });
    return true;
}

static bool parse_unary(struct parser *parser)
{
    static const struct {
        char spelling;
        popops_unary_op op;
    } prefix[] = { { '-', POPOPS_UNARY_NEGATE }, { '!', POPOPS_UNARY_LOGICAL_NOT }, { '~', POPOPS_UNARY_BITWISE_NOT } };
    skip_blanks(parser);
    for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); ++i)
        if (take(parser, prefix[i].spelling)) {
            if (++parser->depth > DEEPEST || !parse_unary(parser))
                return fail(parser, "less depth");
            --parser->depth;
            push_operator(parser, 1, prefix[i].op);
            return true;
        }
    if (take(parser, '('))
        return parse_level(parser, 1) && (take(parser, ')') || fail(parser, "')'"));
    if (pop_text_is_digit(*parser->at) || *parser->at == '.')
        return parse_number(parser);
    return parse_name(parser);
}

/* Parses operators of this precedence level and of higher ones. */
static bool parse_level(struct parser *parser, int level)
{
    if (++parser->depth > DEEPEST)
        return fail(parser, "less depth");
    if (!parse_unary(parser))
        return false;
    for (size_t i = 0; i < INFIX;) {
        skip_blanks(parser);
        size_t length = strlen(infix[i].spelling);
        if (strncmp(parser->at, infix[i].spelling, length) != 0) {
            ++i;
        } else if (infix[i].level < level) {
            break;
        } else {
            parser->at += length;
            if (!parse_level(parser, infix[i].level + 1))
                return false;
            push_operator(parser, 2, infix[i].op);
            i = 0;
        }
    }
    --parser->depth;
    return true;
}

bool expr_parse(const struct call *call, const char *text, popops_expr_node **nodes, size_t *count)
{
    struct parser parser = { .text = text ? text : "" };
    parser.at = parser.text;
    bool whole = parse_level(&parser, 1);
    skip_blanks(&parser);
    if (whole && *parser.at)
        whole = fail(&parser, "an operator or the end");
    if (!whole) {
        call_fail(call, POP_PARSE_ERROR, "'%.200s' is not an expression: %s was expected at '%.40s'", parser.text,
                  parser.wrong, parser.at);
        free(parser.nodes);
        return false;
    }
    *nodes = parser.nodes;
    *count = parser.count;
    return true;
}
