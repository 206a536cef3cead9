// SPDX-License-Identifier: Apache-2.0
// Expressions over tensors for map (popops/expr.h): Add(_1, Mul(_2, Const(0.5f))), or _1 + _2 * 0.5f.
#ifndef POPOPS_EXPR_HPP
#define POPOPS_EXPR_HPP

#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/detail/host_type.hpp>
#include <popops/ExprOp.hpp>
#include <popops/expr.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace popops
{
namespace detail
{

// A number in the form that the C interface takes.
template <typename T>
typename std::enable_if<std::is_integral<T>::value && std::is_signed<T>::value, popops_operand>::type
numberOperand(T value)
{
    return popops_operand_of_int(value);
}
template <typename T>
typename std::enable_if<std::is_integral<T>::value && !std::is_signed<T>::value, popops_operand>::type
numberOperand(T value)
{
    return popops_operand_of_unsigned(value);
}
template <typename T>
typename std::enable_if<std::is_floating_point<T>::value, popops_operand>::type numberOperand(T value)
{
    return popops_operand_of_double(static_cast<double>(value));
}
template <typename T>
typename std::enable_if<poplar::detail::IsSimple<T>::value && !std::is_arithmetic<T>::value, popops_operand>::type
numberOperand(T half)
{
    return popops_operand_of_double(static_cast<double>(static_cast<float>(half)));
}
template <typename T> using IfNumber = typename std::enable_if<poplar::detail::IsSimple<T>::value, int>::type;

// The element type of a number that no operand beside it determines.
constexpr pop_type deviceType(pop_type type)
{
    return type == POP_DOUBLE          ? POP_FLOAT
           : type == POP_LONG          ? POP_LONGLONG
           : type == POP_UNSIGNED_LONG ? POP_UNSIGNED_LONGLONG
                                       : type;
}

} // namespace detail

namespace expr
{

// Base class of all expressions.
class Expr
{
  public:
    virtual ~Expr()
    {
    }
    // A copy of the tree.
    virtual std::unique_ptr<Expr> clone() const = 0;
    // Appends the nodes, each after its operands (popops/expr.h).
    virtual void addTo(std::vector<popops_expr_node> &nodes) const = 0;

    // Whether the expression is of a class.
    template <typename T> bool isA() const
    {
        return dynamic_cast<const T *>(this) != nullptr;
    }
    // The expression as one of a class; NULL if it is of another.
    template <typename T> T *getAs()
    {
        return dynamic_cast<T *>(this);
    }
    template <typename T> const T *getAs() const
    {
        return dynamic_cast<const T *>(this);
    }
    // Whether both expressions are the same tree.
    bool deepEquals(const Expr &other) const
    {
        std::vector<popops_expr_node> a, b;
        addTo(a);
        other.addTo(b);
        bool same = a.size() == b.size();
        for (std::size_t i = 0; same && i < a.size(); ++i)
            same = a[i].kind == b[i].kind && a[i].op == b[i].op && a[i].type == b[i].type &&
                   a[i].value.value_type == b[i].value.value_type &&
                   std::memcmp(&a[i].value.value, &b[i].value.value, sizeof(a[i].value.value)) == 0;
        return same;
    }

  protected:
    Expr()
    {
    }
    Expr(const Expr &)
    {
    }
    Expr &operator=(const Expr &)
    {
        return *this;
    }
    static popops_expr_node node(popops_expr_kind kind, int op, pop_type type,
                                 const popops_operand &value = popops_operand())
    {
        popops_expr_node made = { kind, op, type, value };
        return made;
    }
};

// An expression of any class, held by value.
class Any
{
  public:
    // A copy of an expression.
    Any(const Expr &expr) : held(expr.clone())
    {
    }
    Any(const Any &other) : held(other.held->clone())
    {
    }
    Any(Any &&) = default;
    Any &operator=(const Any &other)
    {
        held = other.held->clone();
        return *this;
    }
    Any &operator=(Any &&) = default;
    // The expression.
    operator Expr &()
    {
        return *held;
    }
    // The expression.
    operator const Expr &() const
    {
        return *held;
    }

  private:
    std::unique_ptr<Expr> held;
};

// Base class of the node classes.
template <typename T> class ExprType : public Expr
{
  public:
    // A copy of the tree.
    std::unique_ptr<Expr> clone() const override
    {
        return std::unique_ptr<Expr>(new T(static_cast<const T &>(*this)));
    }
};

// A number; it takes the type of the operands beside it.
class Const : public ExprType<Const>
{
  public:
    // A constant; its type is that of the operands beside it.
    template <typename T, detail::IfNumber<T> = 0>
    explicit Const(T number)
        : Const(detail::numberOperand(number), POP_TYPE_NULL, detail::deviceType(poplar::detail::HostType<T>::value))
    {
    }
    // The constant's type.
    poplar::Type getType() const
    {
        return poplar::Type(type == POP_TYPE_NULL ? fallback : type);
    }
    // The value as a double.
    double getDataAsDouble() const
    {
        double real = 0;
        pop_convert(value.value_type, &value.value, POP_DOUBLE, &real, 1);
        return real;
    }
    void addTo(std::vector<popops_expr_node> &nodes) const override
    {
        nodes.push_back(node(POPOPS_EXPR_CONST, fallback, type, value));
    }

  protected:
    Const(const popops_operand &given, pop_type fixed, pop_type otherwise)
        : value(given), type(fixed), fallback(otherwise)
    {
    }

  private:
    popops_operand value;
    pop_type type, fallback;
};
// A number of type HALF.
class ConstHalf : public Const
{
  public:
    // The nearest half of a number.
    explicit ConstHalf(float number) : Const(popops_operand_of_double(static_cast<double>(number)), POP_HALF, POP_HALF)
    {
    }
};
// A constant of type HALF: 1.5_half.
inline ConstHalf operator""_half(long double value)
{
    return ConstHalf(static_cast<float>(value));
}
inline ConstHalf operator""_half(unsigned long long value)
{
    return ConstHalf(static_cast<float>(value));
}

// A tensor of the list that map takes, counted from 1.
class PlaceHolder : public ExprType<PlaceHolder>
{
  public:
    // The tensor of a number, from 1 on.
    explicit PlaceHolder(unsigned index) : number(index)
    {
    }
    // Number of the tensor, from 1 on.
    unsigned getIndex() const
    {
        return number;
    }
    void addTo(std::vector<popops_expr_node> &nodes) const override
    {
        nodes.push_back(node(POPOPS_EXPR_PLACEHOLDER, static_cast<int>(number), POP_TYPE_NULL));
    }

  private:
    unsigned number;
};
// The tensors of a call of map, in their order.
const PlaceHolder _1(1), _2(2), _3(3), _4(4), _5(5), _6(6), _7(7), _8(8), _9(9), _10(10), _11(11), _12(12), _13(13),
    _14(14), _15(15), _16(16), _17(17), _18(18), _19(19), _20(20);

// An operand converted to a type.
class Cast : public ExprType<Cast>
{
  public:
    Cast(const Expr &expr, const poplar::Type &to) : arg(expr), type(to.c())
    {
    }
    // The operand.
    const Expr &getLHS() const
    {
        return arg;
    }
    // The type.
    poplar::Type getRHSType() const
    {
        return poplar::Type(type);
    }
    void addTo(std::vector<popops_expr_node> &nodes) const override
    {
        getLHS().addTo(nodes);
        nodes.push_back(node(POPOPS_EXPR_CAST, 0, type));
    }

  private:
    Any arg;
    pop_type type;
};

// A unary operator with its operand.
class UnaryOp : public ExprType<UnaryOp>
{
  public:
    // The operator by its enumerator.
    UnaryOp(UnaryOpType op, const Expr &a) : type(op), arg(a)
    {
    }
    // The operator.
    UnaryOpType getOpType() const
    {
        return type;
    }
    // The operand.
    const Expr &getArg() const
    {
        return arg;
    }
    void addTo(std::vector<popops_expr_node> &nodes) const override
    {
        getArg().addTo(nodes);
        nodes.push_back(node(POPOPS_EXPR_UNARY, static_cast<int>(type), POP_TYPE_NULL));
    }

  private:
    UnaryOpType type;
    Any arg;
};
// A binary operator with its operands.
class BinaryOp : public ExprType<BinaryOp>
{
  public:
    // The operator by its enumerator.
    BinaryOp(BinaryOpType op, const Expr &a, const Expr &b) : type(op), lhs(a), rhs(b)
    {
    }
    // The operator.
    BinaryOpType getOpType() const
    {
        return type;
    }
    // The first operand.
    const Expr &getLHS() const
    {
        return lhs;
    }
    // The second operand.
    const Expr &getRHS() const
    {
        return rhs;
    }
    void addTo(std::vector<popops_expr_node> &nodes) const override
    {
        getLHS().addTo(nodes);
        getRHS().addTo(nodes);
        nodes.push_back(node(POPOPS_EXPR_BINARY, static_cast<int>(type), POP_TYPE_NULL));
    }

  private:
    BinaryOpType type;
    Any lhs, rhs;
};
// A ternary operator with its operands.
class TernaryOp : public ExprType<TernaryOp>
{
  public:
    // The operator by its enumerator.
    TernaryOp(TernaryOpType op, const Expr &a, const Expr &b, const Expr &c) : type(op), arg0(a), arg1(b), arg2(c)
    {
    }
    // The operator.
    TernaryOpType getOpType() const
    {
        return type;
    }
    // The first operand.
    const Expr &getArg0() const
    {
        return arg0;
    }
    // The second operand.
    const Expr &getArg1() const
    {
        return arg1;
    }
    // The third operand.
    const Expr &getArg2() const
    {
        return arg2;
    }
    void addTo(std::vector<popops_expr_node> &nodes) const override
    {
        getArg0().addTo(nodes);
        getArg1().addTo(nodes);
        getArg2().addTo(nodes);
        nodes.push_back(node(POPOPS_EXPR_TERNARY, static_cast<int>(type), POP_TYPE_NULL));
    }

  private:
    TernaryOpType type;
    Any arg0, arg1, arg2;
};

// A class for each operator of popops/operators.def.
#define UNARY(name, function, constant, Node, ...)                                                                     \
    class Node : public UnaryOp                                                                                        \
    {                                                                                                                  \
      public:                                                                                                          \
        explicit Node(const Expr &a) : UnaryOp(UnaryOpType::constant, a)                                               \
        {                                                                                                              \
        }                                                                                                              \
    };
#define BINARY(name, function, constant, Node, ...)                                                                    \
    class Node : public BinaryOp                                                                                       \
    {                                                                                                                  \
      public:                                                                                                          \
        Node(const Expr &a, const Expr &b) : BinaryOp(BinaryOpType::constant, a, b)                                    \
        {                                                                                                              \
        }                                                                                                              \
    };
#define TERNARY(name, function, constant, Node, ...)                                                                   \
    class Node : public TernaryOp                                                                                      \
    {                                                                                                                  \
      public:                                                                                                          \
        Node(const Expr &a, const Expr &b, const Expr &c) : TernaryOp(TernaryOpType::constant, a, b, c)                \
        {                                                                                                              \
        }                                                                                                              \
    };
#define UNARY_ENUMERATOR(...)
#include <popops/operators.def>
#undef UNARY
#undef BINARY
#undef TERNARY

// The expression with the other sign.
inline Neg operator-(const Expr &a)
{
    return Neg(a);
}
// Whether the expression is false.
inline Not operator!(const Expr &a)
{
    return Not(a);
}
// The expression with all bits inverted.
inline BitwiseNot operator~(const Expr &a)
{
    return BitwiseNot(a);
}
#define POPOPS_OPERATOR_OF(TEMPLATE, sign, Node, A, B, a_, b_)                                                         \
    TEMPLATE Node operator sign(A a, B b)                                                                              \
    {                                                                                                                  \
        return Node(a_, b_);                                                                                           \
    }
#define POPOPS_NUMBER template <typename T, detail::IfNumber<T> = 0>
#define POPOPS_OPERATOR(sign, Node)                                                                                    \
    POPOPS_OPERATOR_OF(inline, sign, Node, const Expr &, const Expr &, a, b)                                           \
    POPOPS_OPERATOR_OF(POPOPS_NUMBER, sign, Node, const Expr &, T, a, Const(b))                                        \
    POPOPS_OPERATOR_OF(POPOPS_NUMBER, sign, Node, T, const Expr &, Const(a), b)
POPOPS_OPERATOR(+, Add)
POPOPS_OPERATOR(-, Sub)
POPOPS_OPERATOR(*, Mul)
POPOPS_OPERATOR(/, Divide)
POPOPS_OPERATOR(%, Rem)
POPOPS_OPERATOR(==, Equal)
POPOPS_OPERATOR(!=, NotEqual)
POPOPS_OPERATOR(<, Lt)
POPOPS_OPERATOR(<=, Lte)
POPOPS_OPERATOR(>, Gt)
POPOPS_OPERATOR(>=, Gte)
POPOPS_OPERATOR(&&, And)
POPOPS_OPERATOR(||, Or)
POPOPS_OPERATOR(&, BitwiseAnd)
POPOPS_OPERATOR(|, BitwiseOr)
POPOPS_OPERATOR(^, BitwiseXor)
POPOPS_OPERATOR(<<, Shl)
POPOPS_OPERATOR(>>, Shr)
#undef POPOPS_OPERATOR
#undef POPOPS_OPERATOR_OF
#undef POPOPS_NUMBER

} // namespace expr
} // namespace popops
#endif
