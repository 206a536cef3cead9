// SPDX-License-Identifier: Apache-2.0
// Element-wise operators: add(graph, a, b, prog), addInPlace, addWithOutput, and so on for each row of
// popops/operators.def, on tensors or numbers; and map, which evaluates a whole expression in one operation
// (popops/element_wise.h, popops/expr.h).
#ifndef POPOPS_ELEMENT_WISE_HPP
#define POPOPS_ELEMENT_WISE_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Expr.hpp>
#include <poputil/exceptions.hpp>

#include <cstdlib>
#include <ostream>

namespace popops
{
namespace detail
{

// What every call has: graph, sequence, source location and debug name; it checks the options first, unless the call
// gives them on.
struct Call {
    Call(poplar::Graph &to, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
         const poplar::OptionFlags &options, bool check = true)
        : graph(to.c()), sequence(prog.cToGrow(graph)), where(poplar::detail::where(debugContext)),
          name(poplar::detail::name(debugContext))
    {
        if (check && !options.empty())
            popops_check_map_options_at(where, graph, poplar::detail::Options(options));
    }
    poplar::Tensor give(const pop_tensor &t) const
    {
        return poputil::detail::give(graph, t);
    }
    void done() const
    {
        poputil::detail::check(graph);
    }

    pop_graph *graph;
    pop_program sequence;
    pop_where where;
    const char *name;
};

inline popops_operand operand(const poplar::Tensor &t)
{
    return popops_operand_of_tensor(t.c());
}
template <typename T, IfNumber<T> = 0> popops_operand operand(T value)
{
    return numberOperand(value);
}

// An expression and its tensors in the form that the C interface takes.
struct MapArguments {
    MapArguments(const expr::Expr &expression, const std::vector<poplar::Tensor> &ts)
    {
        expression.addTo(nodes);
        for (const poplar::Tensor &t : ts)
            list.push_back(t.c());
    }
    MapArguments(popops_binary_op op, const popops_operand &a, const popops_operand &b)
    {
        addLeaf(a);
        addLeaf(b);
        nodes.push_back({ POPOPS_EXPR_BINARY, op, POP_TYPE_NULL, popops_operand() });
    }
    popops_expr expr() const
    {
        popops_expr borrowed = { nodes.data(), nodes.size() };
        return borrowed;
    }
    pop_tensors tensors() const
    {
        pop_tensors borrowed = { list.size(), list.data() };
        return borrowed;
    }
    std::vector<popops_expr_node> nodes;
    std::vector<pop_tensor> list;

  private:
    void addLeaf(const popops_operand &operand)
    {
        bool tensor = operand.value_type == POP_TYPE_NULL;
        if (tensor)
            list.push_back(operand.tensor);
        nodes.push_back({ tensor ? POPOPS_EXPR_PLACEHOLDER : POPOPS_EXPR_CONST,
                          tensor ? static_cast<int>(list.size()) : static_cast<int>(POP_FLOAT), POP_TYPE_NULL,
                          operand });
    }
};

// A call of a binary operator.  A product with options is an expression: it has one option more than other operators.
struct BinaryCall : Call {
    BinaryCall(poplar::Graph &to, poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
               const poplar::OptionFlags &given, popops_binary_op which)
        : Call(to, prog, debugContext, given, which != POPOPS_BINARY_MULTIPLY), op(which), options(given),
          mapped(which == POPOPS_BINARY_MULTIPLY && !given.empty())
    {
    }
    // An operator that converts between variances and inverse standard deviations gets its own result type, unless the
    // program chooses one.
    poplar::Tensor create(const popops_operand &a, const popops_operand &b) const
    {
        if (op == POPOPS_BINARY_VARIANCE_TO_INV_STD_DEV || op == POPOPS_BINARY_INV_STD_DEV_TO_VARIANCE)
            return give(popops_binary_as_at(where, op, graph, a, b,
                                            op == POPOPS_BINARY_VARIANCE_TO_INV_STD_DEV ? POP_HALF : POP_FLOAT,
                                            sequence, name));
        if (!mapped)
            return give(popops_binary_at(where, op, graph, a, b, sequence, name));
        const MapArguments product(op, a, b);
        return give(popops_map_expr_at(where, graph, product.expr(), product.tensors(), sequence, name,
                                       poplar::detail::Options(options)));
    }
    void write(const popops_operand &a, const popops_operand &b, const poplar::Tensor &output) const
    {
        const MapArguments product(op, a, b);
        if (mapped)
            popops_map_expr_with_output_at(where, graph, product.expr(), product.tensors(), output.c(), sequence, name,
                                           poplar::detail::Options(options));
        else
            popops_binary_with_output_at(where, op, graph, a, b, output.c(), sequence, name);
        done();
    }
    void replace(const popops_operand &a, const popops_operand &b) const
    {
        const MapArguments product(op, a, b);
        if (mapped)
            popops_map_expr_in_place_at(where, graph, product.expr(), product.tensors(), sequence, name,
                                        poplar::detail::Options(options));
        else
            popops_binary_in_place_at(where, op, graph, a, b, sequence, name);
        done();
    }

    popops_binary_op op;
    const poplar::OptionFlags &options;
    bool mapped;
};

template <typename S> using IfString = typename std::enable_if<std::is_same<S, std::string>::value, int>::type;

} // namespace detail

// The last arguments of each call.
#define POPOPS_LAST                                                                                                    \
    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},                                    \
                                                                const poplar::OptionFlags &options = {}

// For pointers to a function with release 1.2's parameters, whose name was a string: no call has R to deduce.
#define POPOPS_NO_PARAMETER
#define POPOPS_OUTPUT_PARAMETER , const poplar::Tensor &output
#define POPOPS_NO_ARGUMENT
#define POPOPS_OUTPUT_ARGUMENT , output
// A template of a unary function whose name is a string, without an output (Last is NO) or with one (OUTPUT).
#define POPOPS_UNARY_ADDRESS(function, Last)                                                                           \
    template <typename R, typename S, detail::IfString<S> = 0>                                                         \
    R function(poplar::Graph &graph, const poplar::Tensor &A POPOPS_##Last##_PARAMETER,                                \
               poplar::program::Sequence &prog, const S &name, const poplar::OptionFlags &options)                     \
    {                                                                                                                  \
        return R(function(graph, A POPOPS_##Last##_ARGUMENT, prog, poplar::DebugContext(name), options));              \
    }

// function(graph, A, ...): the operation on each element, as a new tensor of A's shape.
#define POPOPS_UNARY_NEW(function, constant)                                                                           \
    inline poplar::Tensor function(poplar::Graph &graph, const poplar::Tensor &A, POPOPS_LAST)                         \
    {                                                                                                                  \
        const detail::Call call(graph, prog, debugContext, options);                                                   \
        return call.give(                                                                                              \
            popops_unary_at(call.where, POPOPS_UNARY_##constant, call.graph, A.c(), call.sequence, call.name));        \
    }
// functionInPlace(graph, A, ...): the results replace A's elements.
#define POPOPS_UNARY_IN_PLACE(function, constant)                                                                      \
    inline void function##InPlace(poplar::Graph &graph, const poplar::Tensor &A, POPOPS_LAST)                          \
    {                                                                                                                  \
        const detail::Call call(graph, prog, debugContext, options);                                                   \
        popops_unary_in_place_at(call.where, POPOPS_UNARY_##constant, call.graph, A.c(), call.sequence, call.name);    \
        call.done();                                                                                                   \
    }
// functionWithOutput(graph, A, output, ...): the results are written to output, which has A's shape.
#define POPOPS_UNARY_OUTPUT(function, constant)                                                                        \
    inline void function##WithOutput(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &output,      \
                                     POPOPS_LAST)                                                                      \
    {                                                                                                                  \
        const detail::Call call(graph, prog, debugContext, options);                                                   \
        popops_unary_with_output_at(call.where, POPOPS_UNARY_##constant, call.graph, A.c(), output.c(), call.sequence, \
                                    call.name);                                                                        \
        call.done();                                                                                                   \
    }
#define UNARY(row, function, constant, ...)                                                                            \
    POPOPS_UNARY_NEW(function, constant)                                                                               \
    POPOPS_UNARY_IN_PLACE(function, constant)                                                                          \
    POPOPS_UNARY_OUTPUT(function, constant)                                                                            \
    POPOPS_UNARY_ADDRESS(function, NO)                                                                                 \
    POPOPS_UNARY_ADDRESS(function##WithOutput, OUTPUT)                                                                 \
    POPOPS_UNARY_ADDRESS(function##InPlace, NO)

// Operands: two tensors, a tensor and a number, or a number and a tensor; TEMPLATE declares the number's type.
#define POPOPS_BINARY_NEW(function, constant, TEMPLATE, First, Second)                                                 \
    TEMPLATE poplar::Tensor function(poplar::Graph &graph, First A, Second B, POPOPS_LAST)                             \
    {                                                                                                                  \
        const detail::BinaryCall call(graph, prog, debugContext, options, POPOPS_BINARY_##constant);                   \
        return call.create(detail::operand(A), detail::operand(B));                                                    \
    }                                                                                                                  \
    TEMPLATE void function##WithOutput(poplar::Graph &graph, First A, Second B, const poplar::Tensor &output,          \
                                       POPOPS_LAST)                                                                    \
    {                                                                                                                  \
        const detail::BinaryCall call(graph, prog, debugContext, options, POPOPS_BINARY_##constant);                   \
        call.write(detail::operand(A), detail::operand(B), output);                                                    \
    }
#define POPOPS_BINARY_IN_PLACE(function, constant, TEMPLATE, Second)                                                   \
    TEMPLATE void function##InPlace(poplar::Graph &graph, const poplar::Tensor &A, Second B, POPOPS_LAST)              \
    {                                                                                                                  \
        const detail::BinaryCall call(graph, prog, debugContext, options, POPOPS_BINARY_##constant);                   \
        call.replace(detail::operand(A), detail::operand(B));                                                          \
    }
// As POPOPS_UNARY_ADDRESS.
#define POPOPS_ADDRESS(function, Last)                                                                                 \
    template <typename R, typename S, detail::IfString<S> = 0>                                                         \
    R function(poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B POPOPS_##Last##_PARAMETER,       \
               poplar::program::Sequence &prog, const S &name, const poplar::OptionFlags &options)                     \
    {                                                                                                                  \
        return R(function(graph, A, B POPOPS_##Last##_ARGUMENT, prog, poplar::DebugContext(name), options));           \
    }
#define POPOPS_NUMBER template <typename T, detail::IfNumber<T> = 0>
#define BINARY(row, function, constant, ...)                                                                           \
    POPOPS_BINARY_NEW(function, constant, inline, const poplar::Tensor &, const poplar::Tensor &)                      \
    POPOPS_BINARY_NEW(function, constant, POPOPS_NUMBER, const poplar::Tensor &, T)                                    \
    POPOPS_BINARY_NEW(function, constant, POPOPS_NUMBER, T, const poplar::Tensor &)                                    \
    POPOPS_BINARY_IN_PLACE(function, constant, inline, const poplar::Tensor &)                                         \
    POPOPS_BINARY_IN_PLACE(function, constant, POPOPS_NUMBER, T)                                                       \
    POPOPS_BINARY_ADDRESSES(function)
#define POPOPS_BINARY_ADDRESSES(function)                                                                              \
    POPOPS_ADDRESS(function, NO)                                                                                       \
    POPOPS_ADDRESS(function##WithOutput, OUTPUT)                                                                       \
    POPOPS_ADDRESS(function##InPlace, NO)

// Operands: three tensors, some of which may be numbers.
#define POPOPS_TERNARY_NEW(function, constant, TEMPLATE, First, Second, Third)                                         \
    TEMPLATE poplar::Tensor function(poplar::Graph &graph, First A, Second B, Third C, POPOPS_LAST)                    \
    {                                                                                                                  \
        const detail::Call call(graph, prog, debugContext, options);                                                   \
        return call.give(popops_ternary_at(call.where, POPOPS_TERNARY_##constant, call.graph, detail::operand(A),      \
                                           detail::operand(B), detail::operand(C), call.sequence, call.name));         \
    }                                                                                                                  \
    TEMPLATE void function##WithOutput(poplar::Graph &graph, First A, Second B, Third C, const poplar::Tensor &output, \
                                       POPOPS_LAST)                                                                    \
    {                                                                                                                  \
        const detail::Call call(graph, prog, debugContext, options);                                                   \
        popops_ternary_with_output_at(call.where, POPOPS_TERNARY_##constant, call.graph, detail::operand(A),           \
                                      detail::operand(B), detail::operand(C), output.c(), call.sequence, call.name);   \
        call.done();                                                                                                   \
    }
#define POPOPS_TERNARY_IN_PLACE(function, constant, TEMPLATE, Second, Third)                                           \
    TEMPLATE void function##InPlace(poplar::Graph &graph, const poplar::Tensor &A, Second B, Third C, POPOPS_LAST)     \
    {                                                                                                                  \
        const detail::Call call(graph, prog, debugContext, options);                                                   \
        popops_ternary_in_place_at(call.where, POPOPS_TERNARY_##constant, call.graph, detail::operand(A),              \
                                   detail::operand(B), detail::operand(C), call.sequence, call.name);                  \
        call.done();                                                                                                   \
    }
#define POPOPS_NUMBERS template <typename T, typename S, detail::IfNumber<T> = 0, detail::IfNumber<S> = 0>
#define TERNARY(row, function, constant, ...)                                                                          \
    POPOPS_TERNARY_NEW(function, constant, inline, const poplar::Tensor &, const poplar::Tensor &,                     \
                       const poplar::Tensor &)                                                                         \
    POPOPS_TERNARY_NEW(function, constant, POPOPS_NUMBER, T, const poplar::Tensor &, const poplar::Tensor &)           \
    POPOPS_TERNARY_NEW(function, constant, POPOPS_NUMBER, const poplar::Tensor &, T, const poplar::Tensor &)           \
    POPOPS_TERNARY_NEW(function, constant, POPOPS_NUMBER, const poplar::Tensor &, const poplar::Tensor &, T)           \
    POPOPS_TERNARY_NEW(function, constant, POPOPS_NUMBERS, T, S, const poplar::Tensor &)                               \
    POPOPS_TERNARY_NEW(function, constant, POPOPS_NUMBERS, T, const poplar::Tensor &, S)                               \
    POPOPS_TERNARY_NEW(function, constant, POPOPS_NUMBERS, const poplar::Tensor &, T, S)                               \
    POPOPS_TERNARY_IN_PLACE(function, constant, inline, const poplar::Tensor &, const poplar::Tensor &)                \
    POPOPS_TERNARY_IN_PLACE(function, constant, POPOPS_NUMBER, T, const poplar::Tensor &)                              \
    POPOPS_TERNARY_IN_PLACE(function, constant, POPOPS_NUMBER, const poplar::Tensor &, T)                              \
    POPOPS_TERNARY_IN_PLACE(function, constant, POPOPS_NUMBERS, T, S)
#define UNARY_ENUMERATOR(...)
#include <popops/operators.def>
#undef UNARY
#undef BINARY
#undef TERNARY
#undef POPOPS_UNARY_NEW
#undef POPOPS_UNARY_IN_PLACE
#undef POPOPS_UNARY_OUTPUT
#undef POPOPS_UNARY_ADDRESS
#undef POPOPS_BINARY_NEW
#undef POPOPS_BINARY_IN_PLACE
#undef POPOPS_TERNARY_NEW
#undef POPOPS_TERNARY_IN_PLACE
#undef POPOPS_NUMBER
#undef POPOPS_ADDRESS
#undef POPOPS_BINARY_ADDRESSES
#undef POPOPS_NO_PARAMETER
#undef POPOPS_OUTPUT_PARAMETER
#undef POPOPS_NO_ARGUMENT
#undef POPOPS_OUTPUT_ARGUMENT
#undef POPOPS_NUMBERS

// Converts variances to inverse standard deviations, 1 / sqrt(variance + epsilon), and back; the result is FLOAT or
// HALF. epsilon is a tensor or a number.
template <typename Epsilon>
poplar::Tensor varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src, const Epsilon &epsilon,
                                   poplar::program::Sequence &prog, const poplar::Type dstType,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {})
{
    const detail::Call call(graph, prog, debugContext, options);
    return call.give(popops_binary_as_at(call.where, POPOPS_BINARY_VARIANCE_TO_INV_STD_DEV, call.graph,
                                         detail::operand(src), detail::operand(epsilon), dstType.c(), call.sequence,
                                         call.name));
}
template <typename Epsilon>
poplar::Tensor invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src, const Epsilon &epsilon,
                                   poplar::program::Sequence &prog, const poplar::Type dstType,
                                   const poplar::DebugContext &debugContext = {},
                                   const poplar::OptionFlags &options = {})
{
    const detail::Call call(graph, prog, debugContext, options);
    return call.give(popops_binary_as_at(call.where, POPOPS_BINARY_INV_STD_DEV_TO_VARIANCE, call.graph,
                                         detail::operand(src), detail::operand(epsilon), dstType.c(), call.sequence,
                                         call.name));
}

// Evaluates an expression; placeholder _1 is the first tensor of ts.
inline poplar::Tensor map(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                          POPOPS_LAST)
{
    const detail::MapArguments arguments(expr, ts);
    return poputil::detail::give(
        graph.c(), popops_map_expr_at(poplar::detail::where(debugContext), graph.c(), arguments.expr(),
                                      arguments.tensors(), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                      poplar::detail::Options(options)));
}
// Writes the result to the first tensor.
inline void mapInPlace(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts, POPOPS_LAST)
{
    const detail::MapArguments arguments(expr, ts);
    popops_map_expr_in_place_at(poplar::detail::where(debugContext), graph.c(), arguments.expr(), arguments.tensors(),
                                prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void mapWithOutput(poplar::Graph &graph, const expr::Expr &expr, const std::vector<poplar::Tensor> &ts,
                          const poplar::Tensor &output, POPOPS_LAST)
{
    const detail::MapArguments arguments(expr, ts);
    popops_map_expr_with_output_at(poplar::detail::where(debugContext), graph.c(), arguments.expr(),
                                   arguments.tensors(), output.c(), prog.cToGrow(graph.c()),
                                   poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

namespace detail
{

// Several expressions in the form that the C interface takes.
struct MapsArguments {
    MapsArguments(const std::vector<expr::Any> &expressions, const std::vector<poplar::Tensor> &ts)
    {
        for (const expr::Any &one : expressions)
            each.emplace_back(one, ts);
        for (const MapArguments &one : each)
            exprs.push_back(one.expr());
    }
    std::vector<MapArguments> each;
    std::vector<popops_expr> exprs;
};

} // namespace detail

// Evaluates several expressions over the same tensors, one after another.
inline std::vector<poplar::Tensor> map(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                                       const std::vector<poplar::Tensor> &ts, POPOPS_LAST)
{
    const detail::MapsArguments arguments(exprs, ts);
    std::vector<pop_tensor> made(exprs.size());
    popops_map_exprs_at(poplar::detail::where(debugContext), graph.c(), arguments.exprs.data(), made.size(),
                        poplar::detail::tensors(ts), prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                        poplar::detail::Options(options), made.data());
    poputil::detail::check(graph.c());
    std::vector<poplar::Tensor> results;
    for (const pop_tensor &one : made)
        results.push_back(poplar::Tensor(one));
    return results;
}
// Evaluates all from the old values, then writes result i to tensor i.
inline void mapInPlace(poplar::Graph &graph, const std::vector<expr::Any> &exprs, const std::vector<poplar::Tensor> &ts,
                       POPOPS_LAST)
{
    const detail::MapsArguments arguments(exprs, ts);
    popops_map_exprs_in_place_at(poplar::detail::where(debugContext), graph.c(), arguments.exprs.data(), exprs.size(),
                                 poplar::detail::tensors(ts), prog.cToGrow(graph.c()),
                                 poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void mapWithOutput(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                          const std::vector<poplar::Tensor> &ts, const std::vector<poplar::Tensor> &outs, POPOPS_LAST)
{
    const detail::MapsArguments arguments(exprs, ts);
    popops_map_exprs_with_output_at(poplar::detail::where(debugContext), graph.c(), arguments.exprs.data(),
                                    exprs.size(), poplar::detail::tensors(ts), poplar::detail::tensors(outs),
                                    prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                    poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

// Writes the source of the codelet that map generates for an expression and tensors of these types and shapes: C, for
// Graph::addCodelets with CodeletFileType::CSource or a file named *.c.
inline void outputGeneratedCodelet(const poplar::Target &target, const expr::Expr &expr,
                                   const std::vector<poplar::Tensor> &ts, const poplar::OptionFlags &options,
                                   std::ostream &os)
{
    poplar::Graph scratch(target);
    std::vector<poplar::Tensor> alike;
    for (const poplar::Tensor &t : ts) {
        alike.push_back(scratch.addVariable(t.elementType(), t.shape()));
        scratch.setTileMapping(alike.back(), 0);
    }
    const detail::MapArguments arguments(expr, alike);
    char *text = popops_output_generated_codelet_at(poputil::detail::Where::here(), scratch.c(), arguments.expr(),
                                                    arguments.tensors(), poplar::detail::Options(options));
    poputil::detail::check(scratch.c());
    os << text;
    std::free(text);
}

// A single operator.
inline poplar::Tensor map(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t, POPOPS_LAST)
{
    return map(graph, expr::UnaryOp(op, expr::_1), { t }, prog, debugContext, options);
}
inline poplar::Tensor map(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a, const poplar::Tensor &b,
                          POPOPS_LAST)
{
    return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), { a, b }, prog, debugContext, options);
}
inline poplar::Tensor map(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                          const poplar::Tensor &b, const poplar::Tensor &c, POPOPS_LAST)
{
    return map(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), { a, b, c }, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t, POPOPS_LAST)
{
    mapInPlace(graph, expr::UnaryOp(op, expr::_1), { t }, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a, const poplar::Tensor &b,
                       POPOPS_LAST)
{
    mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), { a, b }, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a, const poplar::Tensor &b,
                       const poplar::Tensor &c, POPOPS_LAST)
{
    mapInPlace(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), { a, b, c }, prog, debugContext, options);
}
inline void mapWithOutput(poplar::Graph &graph, expr::UnaryOpType op, const poplar::Tensor &t,
                          const poplar::Tensor &output, POPOPS_LAST)
{
    mapWithOutput(graph, expr::UnaryOp(op, expr::_1), { t }, output, prog, debugContext, options);
}
inline void mapWithOutput(poplar::Graph &graph, expr::BinaryOpType op, const poplar::Tensor &a, const poplar::Tensor &b,
                          const poplar::Tensor &output, POPOPS_LAST)
{
    mapWithOutput(graph, expr::BinaryOp(op, expr::_1, expr::_2), { a, b }, output, prog, debugContext, options);
}
inline void mapWithOutput(poplar::Graph &graph, expr::TernaryOpType op, const poplar::Tensor &a,
                          const poplar::Tensor &b, const poplar::Tensor &c, const poplar::Tensor &output, POPOPS_LAST)
{
    mapWithOutput(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), { a, b, c }, output, prog, debugContext,
                  options);
}
#undef POPOPS_LAST

// Throws unless tensors of elementType have operations with host constants of this type.
inline void checkTypes(poplar::Type elementType, double)
{
    if (elementType != poplar::FLOAT && elementType != poplar::HALF)
        throw poputil::poplibs_error("a floating point constant for elements of type " + elementType.toString());
}
inline void checkTypes(poplar::Type elementType, float constant)
{
    checkTypes(elementType, static_cast<double>(constant));
}
// A constant of another type than float and double has the type of the elements.
template <typename constType> void checkTypes(poplar::Type elementType, constType)
{
    if (elementType != poplar::equivalent_device_type<constType>().value)
        throw poputil::poplibs_error("a constant of type " +
                                     poplar::Type(poplar::equivalent_device_type<constType>().value).toString() +
                                     " for elements of type " + elementType.toString());
}

} // namespace popops
#endif
