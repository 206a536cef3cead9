// SPDX-License-Identifier: Apache-2.0
// The enumerators of Poplibs 3.4 in their order, and the constants of its headers: programs store the numbers.
#include <poplin/Convolution.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/PoolingDef.hpp>
#include <popops/EncodingConstants.hpp>
#include <popops/ExprOp.hpp>
#include <popops/OperationDef.hpp>
#include <popops/Pad.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/SortOrder.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/TileMapping.hpp>

#include <cstddef>
#include <initializer_list>

#include "check.hpp"

// Whether the enumerators are numbered 0, 1, 2, ...
template <class Enumeration> static bool inOrder(std::initializer_list<Enumeration> enumerators)
{
    std::size_t number = 0;
    for (Enumeration enumerator : enumerators)
        if (static_cast<std::size_t>(enumerator) != number++)
            return false;
    return true;
}

TEST(enumerators_and_constants)
{
    {
        using E = poputil::graphfn::ArgType;
        CHECK(inOrder({ E::InputArg, E::OutputArg, E::InOutArg, E::CreatedArg }));
    }
    {
        using E = poputil::TensorUseTracker::MappingMethod;
        CHECK(inOrder({ E::OptimizeHaloRegions, E::ConstrainMappingToUsedTiles, E::None }));
    }
    {
        using E = popops::expr::TernaryOpType;
        CHECK(inOrder({ E::CLAMP, E::SELECT }));
    }
    {
        using E = popops::expr::BinaryOpType;
        CHECK(inOrder({ E::ADD,
                        E::ATAN2,
                        E::BITWISE_AND,
                        E::BITWISE_OR,
                        E::BITWISE_XOR,
                        E::BITWISE_XNOR,
                        E::DIVIDE,
                        E::EQUAL,
                        E::GREATER_THAN_EQUAL,
                        E::GREATER_THAN,
                        E::INV_STD_DEV_TO_VARIANCE,
                        E::LESS_THAN_EQUAL,
                        E::LOGICAL_AND,
                        E::LOGICAL_OR,
                        E::LESS_THAN,
                        E::MAXIMUM,
                        E::MINIMUM,
                        E::MULTIPLY,
                        E::NOT_EQUAL,
                        E::POWER,
                        E::REMAINDER,
                        E::SHIFT_LEFT,
                        E::SHIFT_RIGHT,
                        E::SHIFT_RIGHT_SIGN_EXTEND,
                        E::SUBTRACT,
                        E::VARIANCE_TO_INV_STD_DEV }));
    }
    {
        using E = popops::expr::UnaryOpType;
        CHECK(inOrder({ E::ABSOLUTE,
                        E::ASIN,
                        E::BITWISE_NOT,
                        E::CBRT,
                        E::CEIL,
                        E::COS,
                        E::COUNT_LEADING_ZEROS,
                        E::ERF,
                        E::EXPONENT,
                        E::EXPONENT_MINUS_ONE,
                        E::EXPONENT2,
                        E::FLOOR,
                        E::GELU_ERF,
                        E::INVERSE,
                        E::IS_FINITE,
                        E::IS_INF,
                        E::IS_NAN,
                        E::LOGARITHM,
                        E::LOGARITHM_ONE_PLUS,
                        E::LOGICAL_NOT,
                        E::NEGATE,
                        E::NEARBY_INT,
                        E::POPCOUNT,
                        E::RELU,
                        E::SIGNUM,
                        E::SIN,
                        E::TAN,
                        E::TANH,
                        E::ROUND,
                        E::SQRT,
                        E::SQUARE,
                        E::SIGMOID,
                        E::RSQRT,
                        E::TRUNC }));
    }
    {
        using E = popops::Operation;
        CHECK(inOrder({ E::ADD, E::MUL, E::MIN, E::MAX, E::LOGICAL_AND, E::LOGICAL_OR, E::SQUARE_ADD, E::LOG_ADD }));
    }
    {
        using E = popops::padding::Type;
        CHECK(inOrder({ E::EDGE, E::REFLECT }));
    }
    {
        using E = popops::padding::MappingMethod;
        CHECK(inOrder({ E::NONE, E::ZERO, E::EDGE }));
    }
    {
        using E = popops::ScaledAddSpecialisation;
        CHECK(inOrder({ E::DEFAULT, E::X_MINUS_AX_PLUS_BY }));
    }
    {
        using E = popops::SortOrder;
        CHECK(inOrder({ E::NONE, E::ASCENDING, E::DESCENDING }));
    }
    {
        using E = popnn::NonLinearityType;
        CHECK(inOrder({ E::SIGMOID, E::HARD_SIGMOID, E::RELU, E::TANH, E::GELU, E::GELU_ERF, E::SWISH, E::SOFTMAX,
                        E::SOFTMAX_STABLE, E::SOFTMAX_SCALED }));
    }
    {
        using E = popnn::LossType;
        CHECK(inOrder({ E::SUM_SQUARED_LOSS, E::CROSS_ENTROPY_LOSS }));
    }
    {
        using E = popnn::PoolingType;
        CHECK(inOrder({ E::MAX, E::AVG, E::SUM }));
    }
    CHECK(MASKED_LABEL_CODE == 0xffffffffU);
    CHECK(EPS_LOG_N_FLOAT == 1.17549435e-38f && EPS_LOG_N_HALF == 5.9604645e-08f);
    CHECK(SOFTMAX_SCALING == 62000.0f);
}

MAIN()
