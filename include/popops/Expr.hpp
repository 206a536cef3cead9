// SPDX-License-Identifier: Apache-2.0
// Expressions over tensors for map (popops/expr.h): Add(_1, Mul(_2, Const(0.5f))), or _1 + _2 * 0.5f.
#ifndef POPOPS_EXPR_HPP
#define POPOPS_EXPR_HPP

#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/detail/host_type.hpp>
#include <poplar/text.h>
#include <popops/ExprOpUtils.hpp>
#include <popops/expr.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
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
// The number at an address, by the traits of its host type: of two bytes, a real number is a half.
inline popops_operand numberAt(const poplar::TypeTraits &traits, const char *number)
{
    const bool eight = traits.size == 8, four = traits.size == 4, two = traits.size == 2;
    const pop_type from = traits.isFloat    ? eight  ? POP_DOUBLE
                                              : four ? POP_FLOAT
                                                     : POP_HALF
                          : traits.isSigned ? eight  ? POP_LONGLONG
                                              : four ? POP_INT
                                              : two  ? POP_SHORT
                                                     : POP_SIGNED_CHAR
                          : eight           ? POP_UNSIGNED_LONGLONG
                          : four            ? POP_UNSIGNED_INT
                          : two             ? POP_UNSIGNED_SHORT
                                            : POP_UNSIGNED_CHAR;
    double real = 0;
    int64_t whole = 0;
    if (traits.isFloat)
        pop_convert(from, number, POP_DOUBLE, &real, 1);
    else
        pop_convert(from, number, traits.isSigned ? POP_LONGLONG : POP_UNSIGNED_LONGLONG, &whole, 1);
    return traits.isFloat    ? popops_operand_of_double(real)
           : traits.isSigned ? popops_operand_of_int(whole)
                             : popops_operand_of_unsigned(static_cast<uint64_t>(whole));
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
    // Writes the tree: ADD(PlaceHolder(1),Const(2)); pretty: operands on lines of their own, indented by two blanks a
    // level.
    virtual void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const
    {
        os << leading(indent, prettyPrint) << "Expr"; // of a class of the program
    }

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
    // Writes an operator and its operands.
    template <typename Op>
    static void printNode(std::ostream &os, const Op &name, const std::vector<const Expr *> &operands, unsigned indent,
                          bool prettyPrint)
    {
        os << leading(indent, prettyPrint) << name << '(';
        for (std::size_t i = 0; i < operands.size(); ++i) {
            os << (i ? "," : "") << (prettyPrint ? "\n" : "");
            operands[i]->print(os, indent + 1, prettyPrint);
        }
        os << ')';
    }
    static std::string leading(unsigned indent, bool prettyPrint)
    {
        return std::string(prettyPrint ? 2 * indent : 0, ' ');
    }
    static popops_expr_node node(popops_expr_kind kind, int op, pop_type type,
                                 const popops_operand &value = popops_operand())
    {
        popops_expr_node made = { kind, op, type, value };
        return made;
    }
};

// Whether two expressions are the same tree.
inline bool deepEquals(const Expr &a, const Expr &b)
{
    return a.deepEquals(b);
}
// Writes an expression, each operand on a line of its own.
inline std::ostream &operator<<(std::ostream &os, const Expr &expr)
{
    expr.print(os);
    return os;
}

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
    Const(T number)
        : Const(detail::numberOperand(number), POP_TYPE_NULL, detail::deviceType(poplar::detail::HostType<T>::value),
                poplar::TypeTraits::make<T>(), &number)
    {
    }
    // The host's number at an address, described by its traits, as an element of a type.
    Const(poplar::TypeTraits hostTraits, poplar::Type elementType, const char *number)
        : Const(detail::numberAt(hostTraits, number), elementType.c() == POP_HALF ? POP_HALF : POP_TYPE_NULL,
                elementType.c(), hostTraits, number)
    {
    }
    // The constant's type.
    const poplar::Type &getType() const
    {
        return shown;
    }
    // The host's number that was given: its traits and bytes.
    const poplar::TypeTraits &getTypeTraits() const
    {
        return traits;
    }
    // The bytes of the host's number, getTypeTraits().size of them. The constant owns them; a change does not change
    // its value.
    char *getData() const
    {
        return const_cast<char *>(bytes);
    }
    // The value of a constant of an unsigned type.
    std::uint64_t getDataForUnsignedIntegral() const
    {
        std::uint64_t whole = 0;
        pop_convert(value.value_type, &value.value, POP_UNSIGNED_LONGLONG, &whole, 1);
        return whole;
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
    void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override
    {
        char text[POP_TEXT_DOUBLE];
        pop_text_from_double(getDataAsDouble(), text);
        os << leading(indent, prettyPrint) << "Const("
           << (traits.isFloat    ? std::string(text)
               : traits.isSigned ? std::to_string(static_cast<std::int64_t>(getDataForUnsignedIntegral()))
                                 : std::to_string(getDataForUnsignedIntegral()))
           << ')';
    }

  protected:
    Const(const popops_operand &given, pop_type fixed, pop_type otherwise, const poplar::TypeTraits &hostTraits,
          const void *number)
        : value(given), type(fixed), fallback(otherwise), shown(fixed == POP_TYPE_NULL ? otherwise : fixed),
          traits(hostTraits), bytes()
    {
        std::memcpy(bytes, number, traits.size < sizeof(bytes) ? traits.size : sizeof(bytes));
    }

  private:
    popops_operand value;
    pop_type type, fallback;
    poplar::Type shown;
    poplar::TypeTraits traits;
    char bytes[16];
};
// A number of type HALF.
class ConstHalf : public Const
{
  public:
    // The nearest half of a number.
    explicit ConstHalf(float number)
        : Const(popops_operand_of_double(static_cast<double>(number)), POP_HALF, POP_HALF,
                poplar::TypeTraits::make<float>(), &number)
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
    void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override
    {
        os << leading(indent, prettyPrint) << "PlaceHolder(" << std::to_string(number) << ')';
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
    Cast(const Expr &expr, const poplar::Type &to) : arg(expr), type(to)
    {
    }
    // The operand.
    const Expr &getLHS() const
    {
        return arg;
    }
    // The type.
    const poplar::Type &getRHSType() const
    {
        return type;
    }
    void addTo(std::vector<popops_expr_node> &nodes) const override
    {
        getLHS().addTo(nodes);
        nodes.push_back(node(POPOPS_EXPR_CAST, 0, type.c()));
    }
    void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override
    {
        os << leading(indent, prettyPrint) << "Cast(" << type.toString() << (prettyPrint ? ",\n" : ",");
        getLHS().print(os, indent + 1, prettyPrint);
        os << ')';
    }

  private:
    Any arg;
    poplar::Type type;
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
    void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override
    {
        printNode(os, type, { &getArg() }, indent, prettyPrint);
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
    void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override
    {
        printNode(os, type, { &getLHS(), &getRHS() }, indent, prettyPrint);
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
    void print(std::ostream &os, unsigned indent = 0, bool prettyPrint = true) const override
    {
        printNode(os, type, { &getArg0(), &getArg1(), &getArg2() }, indent, prettyPrint);
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
