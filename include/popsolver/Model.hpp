// SPDX-License-Identifier: Apache-2.0
// popsolver in C++: models of variables and constraints, and their minimal solutions. The rules are those of
// <popsolver/popsolver.h>. Programs for release 1.2 (values are unsigned) and for 2.0 (values are DataType,
// Model::call<T>) both compile.
#ifndef POPSOLVER_MODEL_HPP
#define POPSOLVER_MODEL_HPP

#include <poplar/exceptions.hpp>
#include <popsolver/DataType.hpp>
#include <popsolver/Variable.hpp>
#include <popsolver/detail/Callback.hpp>

#include <memory>
#include <string>
#include <vector>

namespace popsolver
{

// The values of a variable, from min() to max().
class Domain
{
  public:
    Domain(DataType min, DataType max) : min_(min), max_(max)
    {
    }
    DataType min() const
    {
        return min_;
    }
    DataType max() const
    {
        return max_;
    }
    DataType val() const
    {
        return min_;
    } // a domain with one value
    DataType size() const
    {
        return max_ - min_ + 1u;
    }

  private:
    DataType min_, max_;
};

// The domains of all variables of a model.
class Domains
{
  public:
    typedef std::vector<Domain>::const_iterator const_iterator;

    // Adds a domain.
    template <typename... Arguments> void emplace_back(Arguments &&...arguments)
    {
        domains.emplace_back(std::forward<Arguments>(arguments)...);
    }
    // The domain of a variable.
    const Domain &operator[](Variable variable) const
    {
        return domains[variable.id];
    }
    std::size_t size() const
    {
        return domains.size();
    }
    const_iterator begin() const
    {
        return domains.begin();
    }
    const_iterator end() const
    {
        return domains.end();
    }

  private:
    std::vector<Domain> domains;
};

// Number of evaluations of constraints of each kind during a search.
struct ConstraintEvaluationSummary {
    // evaluations of each kind of constraint
    std::uint64_t call, product, sum, max, min, less, lessOrEqual, floordiv, ceildiv, equal;

    ConstraintEvaluationSummary()
        : call(0), product(0), sum(0), max(0), min(0), less(0), lessOrEqual(0), floordiv(0), ceildiv(0), equal(0)
    {
    }
    // The sum of all.
    std::uint64_t total() const
    {
        return call + product + sum + max + min + less + lessOrEqual + floordiv + ceildiv + equal;
    }
    // Adds another summary.
    ConstraintEvaluationSummary &operator+=(const ConstraintEvaluationSummary &other)
    {
        call += other.call, product += other.product, sum += other.sum, max += other.max, min += other.min,
            less += other.less;
        lessOrEqual += other.lessOrEqual, floordiv += other.floordiv, ceildiv += other.ceildiv, equal += other.equal;
        return *this;
    }
};

// The sum of both.
inline ConstraintEvaluationSummary operator+(ConstraintEvaluationSummary a, const ConstraintEvaluationSummary &b)
{
    return a += b;
}
template <typename Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &out,
                                             const ConstraintEvaluationSummary &s)
{
    return out << "total " << std::to_string(s.total()) << " (call " << std::to_string(s.call) << ", product "
               << std::to_string(s.product) << ", sum " << std::to_string(s.sum) << ", max " << std::to_string(s.max)
               << ", min " << std::to_string(s.min) << ", less " << std::to_string(s.less) << ", less or equal "
               << std::to_string(s.lessOrEqual) << ", floordiv " << std::to_string(s.floordiv) << ", ceildiv "
               << std::to_string(s.ceildiv) << ", equal " << std::to_string(s.equal) << ')';
}

// Values of all variables; empty when the constraints cannot be satisfied.
class Solution
{
  public:
    Solution()
    {
    }
    // With the values of all variables.
    explicit Solution(std::vector<DataType> values_) : values(std::move(values_))
    {
    }

    // Whether there is a solution.
    bool validSolution() const
    {
        return !values.empty();
    }
    // The value of a variable.
    DataType operator[](Variable variable) const
    {
        return values.at(variable.id);
    }
    DataType &operator[](Variable variable)
    {
        return values.at(variable.id);
    }
    // What the search has evaluated.
    const ConstraintEvaluationSummary &constraintsEvaluated() const
    {
        return evaluated;
    }

  private:
    friend class Model;
    std::vector<DataType> values;
    ConstraintEvaluationSummary evaluated;
};

// Variables and constraints. A usage error throws poplar::poplar_error and leaves the model unchanged.
class Model
{
  public:
    Model() : model(popsolver_model_create())
    {
    }
    Model(Model &&other) noexcept : model(other.model), callbacks(std::move(other.callbacks))
    {
        other.model = nullptr;
    }
    Model &operator=(Model &&other) noexcept
    {
        std::swap(model, other.model);
        callbacks.swap(other.callbacks);
        return *this;
    }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;
    ~Model()
    {
        popsolver_model_destroy(model);
    }

    // ---- variables; bounds and constants may be any integer or a DataType ----
    Variable addVariable(const std::string &debugName = "")
    {
        return addVariable(DataType::min(), DataType::max(), debugName);
    }
    template <typename Min, typename Max> Variable addVariable(Min min, Max max, const std::string &debugName = "")
    {
        return checked(popsolver_add_variable_at(no_location(), model, number(min), number(max), debugName.c_str()));
    }
    template <typename Value> Variable addConstant(Value value, const std::string &debugName = "")
    {
        return checked(popsolver_add_constant_at(no_location(), model, number(value), debugName.c_str()));
    }
    // The constant 0.
    Variable zero()
    {
        return checked(popsolver_sum_at(no_location(), model, List(std::vector<Variable>()), nullptr));
    }
    // The constant 1.
    Variable one()
    {
        return checked(popsolver_product_at(no_location(), model, List(std::vector<Variable>()), nullptr));
    }

    // ---- derived variables ----
#define POPSOLVER_OF_MANY(name)                                                                                        \
    Variable name(const std::vector<Variable> &variables, const std::string &debugName = "")                           \
    {                                                                                                                  \
        return checked(popsolver_##name##_at(no_location(), model, List(variables), debugName.c_str()));               \
    }
    POPSOLVER_OF_MANY(product)
    POPSOLVER_OF_MANY(sum)
    POPSOLVER_OF_MANY(max)
    POPSOLVER_OF_MANY(min)
#undef POPSOLVER_OF_MANY
#define POPSOLVER_OF_TWO(name, function)                                                                               \
    Variable name(Variable left, Variable right, const std::string &debugName = "")                                    \
    {                                                                                                                  \
        return checked(function##_at(no_location(), model, left, right, debugName.c_str()));                           \
    }
    POPSOLVER_OF_TWO(sub, popsolver_sub)
    POPSOLVER_OF_TWO(floordiv, popsolver_floordiv)
    POPSOLVER_OF_TWO(ceildiv, popsolver_ceildiv)
    POPSOLVER_OF_TWO(ceildivConstrainDivisor, popsolver_ceildiv_constrain_divisor)
    POPSOLVER_OF_TWO(mod, popsolver_mod)
#undef POPSOLVER_OF_TWO

    // A function of a const std::vector<T> &, where T is unsigned (operands that do not fit are not a solution) or
    // DataType. It returns a number, a DataType, or an optional one. Exceptions propagate out of minimize.
    template <typename T = detail::Deduced, typename F = void>
    Variable call(const std::vector<Variable> &variables, F function, const std::string &debugName = "")
    {
        typedef typename std::conditional<std::is_same<T, detail::Deduced>::value, typename detail::Operand<F>::type,
                                          T>::type Element;
        std::unique_ptr<detail::Callback> callback(new detail::CallbackOf<Element, F>(std::move(function)));
        callbacks.reserve(callbacks.size() + 1);
        const Variable result = checked(popsolver_call_at(no_location(), model, List(variables), detail::Callback::run,
                                                          callback.get(), debugName.c_str()));
        callbacks.push_back(std::move(callback));
        return result;
    }

    // ---- constraints on variables, or on a variable and a constant ----
#define POPSOLVER_RELATION(name, function)                                                                             \
    template <typename Left, typename Right> void name(Left left, Right right)                                         \
    {                                                                                                                  \
        const Variable a = variable(left), b = variable(right);                                                        \
        function##_at(no_location(), model, a, b);                                                                     \
        check();                                                                                                       \
    }
    POPSOLVER_RELATION(less, popsolver_less)
    POPSOLVER_RELATION(lessOrEqual, popsolver_less_or_equal)
    POPSOLVER_RELATION(equal, popsolver_equal)
    POPSOLVER_RELATION(factorOf, popsolver_factor_of)
#undef POPSOLVER_RELATION

    // ---- solving ----
    // The solution with the smallest objectives: the first one, among equals the second, and so on.
    Solution minimize(const std::vector<Variable> &objectives)
    {
        const popsolver_solution found = popsolver_minimize_at(no_location(), model, List(objectives));
        if (found.outcome == POPSOLVER_STOPPED)
            for (const std::unique_ptr<detail::Callback> &callback : callbacks)
                callback->rethrow();
        check();
        Solution solution;
        for (std::size_t i = 0; i < found.count; ++i)
            solution.values.push_back(DataType(found.values[i]));
        const popsolver_statistics s = popsolver_model_statistics(model);
        ConstraintEvaluationSummary &e = solution.evaluated;
        e.call = s.call, e.product = s.product, e.sum = s.sum, e.max = s.max, e.min = s.min, e.less = s.less,
        e.lessOrEqual = s.less_or_equal;
        e.floordiv = s.floordiv, e.ceildiv = s.ceildiv, e.equal = s.equal;
        return solution;
    }
    Solution minimize(Variable objective)
    {
        return minimize(std::vector<Variable>(1, objective));
    }

    // The declared domains of the variables.
    Domains domains() const
    {
        Domains all;
        for (unsigned i = 0; i < popsolver_model_num_variables(model); ++i) {
            std::uint64_t min = 0, max = 0;
            popsolver_domain(model, Variable(i), &min, &max);
            all.emplace_back(DataType(min), DataType(max));
        }
        return all;
    }
    // The variable's name.
    std::string debugName(Variable variable) const
    {
        return popsolver_name(model, variable);
    }

    popsolver_model *get() const
    {
        return model;
    } // argument of C calls; owned by the model

  private:
    // Variables in C's form for the duration of a call.
    class List
    {
      public:
        explicit List(const std::vector<Variable> &variables) : list(variables.begin(), variables.end())
        {
        }
        // The list for the C interface.
        operator popsolver_variables() const
        {
            popsolver_variables all = { list.size(), list.data() };
            return all;
        }

      private:
        std::vector<popsolver_variable> list;
    };

    static pop_where no_location()
    {
        return pop_where();
    }
    static std::uint64_t number(DataType value)
    {
        return *value;
    }
    template <typename T> static std::uint64_t number(T value)
    {
        static_assert(std::is_integral<T>::value, "a whole number or a popsolver::DataType is wanted");
        return static_cast<std::uint64_t>(value);
    }
    static Variable variable(Variable that)
    {
        return that;
    }
    template <typename T> Variable variable(T value)
    {
        return addConstant(value);
    }

    void check()
    {
        pop_error error;
        if (popsolver_model_take_error(model, &error) != POP_OK)
            throw poplar::poplar_error(std::string(error.api) + ": " + error.text);
    }
    Variable checked(popsolver_variable made)
    {
        if (!made.id)
            check();
        return made;
    }

    popsolver_model *model;
    std::vector<std::unique_ptr<detail::Callback>> callbacks;
};

} // namespace popsolver
#endif
