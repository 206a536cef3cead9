// SPDX-License-Identifier: Apache-2.0
// popsolver's C++ interface, as programs of release 1.2 (unsigned values) and of 2.0 and later (DataType) spell it.
#include "check.hpp"

#include <gccs/popsolver/Model.hpp>
#include <popsolver/Model.hpp>
#include <popsolver/Variable.hpp>

#include <algorithm>
#include <functional>
#include <sstream>
#include <unordered_set>

TEST(unsigned_values)
{
    popsolver::Model m;
    popsolver::Variable a = m.addVariable(1, 12, "a"), b = m.addVariable(1u, 12u);
    popsolver::Variable area = m.product({ a, b }), edge = m.sum({ a, b }, "edge");
    m.lessOrEqual(30, area);
    m.less(a, b);
    popsolver::Solution s = m.minimize({ edge, area });
    CHECK(s.validSolution());
    unsigned x = s[a];
    CHECK(x == 5 && s[b] == 6 && s[area] == 30u && s[edge] == 11);
    std::vector<unsigned> split{ s[a], s[b] };
    CHECK(split[0] * split[1] == 30);
    CHECK(s[a] + 1 == 6 && 2 * s[b] == 12u && s[b] > s[a] && s[a] != 4 && double(s[a]) / 2 == 2.5);
    m.equal(a, 1);
    CHECK(!m.minimize(edge).validSolution());
    CHECK(m.debugName(a) == "a" && m.debugName(b).empty());
}

TEST(values_of_64_bits)
{
    using popsolver::DataType;
    constexpr DataType ten{ 10 }, three{ 3u };
    static_assert(ten != three && three <= ten && (ten >= three), "constants");
    CHECK(ten + three == DataType{ 13 } && ten - three == DataType{ 7 } && ten * three == DataType{ 30 });
    CHECK(ten / three == DataType{ 3 } && ten % three == DataType{ 1 } && ten > three && three < ten);
    CHECK(*ten == 10 && ten.getAs<unsigned>() == 10 && ten.getAs<double>() == 10.0 && std::max(ten, three) == ten);
    DataType n{ 1 };
    n += ten;
    n -= 1;
    n *= three;
    n /= DataType{ 2 };
    n %= DataType{ 8 };
    CHECK(n++ == DataType{ 7 } && --n == DataType{ 7 } && ++n == 8 && n-- == 8 && *n == 7);
    *n = 4;
    CHECK(n == DataType{ 4 } && DataType{} == DataType::min() && *DataType::max() == ~std::uint64_t(0));
    CHECK(std::numeric_limits<DataType>::max() == DataType::max());
    CHECK_THROWS(DataType::max().getAs<unsigned>(), std::out_of_range, "too large");
    std::stringstream text;
    text << ten << ' ' << three;
    DataType a, b;
    text >> a >> b;
    CHECK(a == ten && b == three);
    std::unordered_set<DataType> set{ ten, three, ten };
    CHECK(set.size() == 2 && set.count(DataType{ 3 }) == 1);
    std::vector<DataType> sorted{ ten, three };
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted[0] == three);
}

TEST(data_type_values)
{
    using popsolver::DataType;
    namespace solver = gccs::popsolver;
    solver::Model m;
    const auto n = m.addConstant(DataType{ 1000000007 }, "n"), d = m.addVariable(DataType{ 2 }, DataType{ 40000 });
    const auto q = m.ceildivConstrainDivisor(n, d), rest = m.mod(n, d);
    m.factorOf(q, m.addConstant(7));
    const auto objective =
        m.call<DataType>({ q, d }, [](const std::vector<DataType> &v) { return v[0] * DataType{ 2 } + v[1]; });
    const solver::Solution s = m.minimize(objective);
    CHECK(s.validSolution() && *s[q] % 7 == 0 && s[objective] == s[q] * DataType{ 2 } + s[d] &&
          *s[rest] == 1000000007 % *s[d]);
    CHECK(s[q].getAs<std::uint64_t>() == (1000000007 + *s[d] - 1) / *s[d]);
}

TEST(every_operation)
{
    popsolver::Model m;
    const popsolver::Variable x = m.addConstant(17), y = m.addConstant(5u, "y"), any = m.addVariable("any");
    const popsolver::Variable results[] = { m.product({ x, y }),
                                            m.sum({ x, y, y }),
                                            m.max({ x, y }),
                                            m.min({ x, y }),
                                            m.sub(x, y),
                                            m.floordiv(x, y),
                                            m.ceildiv(x, y),
                                            m.mod(x, y),
                                            m.zero(),
                                            m.one(),
                                            m.call({ x, y },
                                                   [](std::vector<unsigned> v) -> unsigned { return v[0] - v[1]; }) };
    const unsigned expected[] = { 85, 27, 17, 5, 12, 3, 4, 2, 0, 1, 12 };
    m.equal(any, x);
    m.equal(17, any);
    m.less(any, 18);
    m.less(16, any);
    m.lessOrEqual(any, popsolver::DataType{ 17 });
    m.lessOrEqual(y, x);
    m.factorOf(m.addConstant(51), x);
    const popsolver::Solution s = m.minimize(std::vector<popsolver::Variable>());
    CHECK(s.validSolution() && s[any] == 17u);
    for (std::size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); ++i)
        CHECK(s[results[i]] == expected[i]);
    CHECK(results[0] == results[0] && results[0] != results[1] && results[0] < results[1] && x.id == 0);
}

// An optional value, as boost's and the standard library's.
struct Optional {
    Optional() : there(false), value(0)
    {
    }
    Optional(unsigned number) : there(true), value(number)
    {
    }
    explicit operator bool() const
    {
        return there;
    }
    popsolver::DataType operator*() const
    {
        return popsolver::DataType(value);
    }

    bool there;
    unsigned value;
};

struct Unusual {
    int code;
};

TEST(functions)
{
    popsolver::Model m;
    const auto a = m.addVariable(0, 20);
    const std::function<Optional(const std::vector<unsigned> &)> odd = [](const std::vector<unsigned> &v) {
        return v[0] % 2 ? Optional(v[0] / 2) : Optional();
    };
    const auto half = m.call<unsigned>({ a }, odd, "half");
    m.lessOrEqual(3, half);
    CHECK(m.minimize(half)[a] == 7);
    bool fail = true;
    const auto thrower = m.call({ a }, [&fail](const std::vector<unsigned> &v) {
        if (fail && v[0] == 9)
            throw Unusual{ 42 };
        return 100 - v[0];
    });
    int code = 0;
    try {
        m.minimize(thrower);
    } catch (const Unusual &unusual) {
        code = unusual.code;
    }
    CHECK(code == 42);
    fail = false;
    CHECK(m.minimize(thrower)[a] == 19);
    // A function of unsigned values has no result if an operand does not fit.
    popsolver::Model wide;
    const auto b = wide.addVariable(popsolver::DataType{ 4294967294u }, popsolver::DataType{ 4294967299u });
    const auto same = wide.call({ b }, [](const std::vector<unsigned> &v) { return v[0]; });
    wide.less(4294967294u, b);
    CHECK(*wide.minimize(same)[b] == 4294967295u);
    wide.less(4294967295u, b);
    CHECK(!wide.minimize(same).validSolution());
}

TEST(mistakes)
{
    popsolver::Model m;
    const auto a = m.addVariable(1, 2);
    CHECK_THROWS(m.product({ a, popsolver::Variable() }), poplar::poplar_error, "variable 2 of 2 is null");
    CHECK_THROWS(m.max({}), poplar::poplar_error, "at least one");
    CHECK_THROWS(m.minimize(popsolver::Variable(7)), poplar::poplar_error, "popsolver_minimize");
    CHECK_THROWS((m.less(a, popsolver::Variable(7)), 0), poplar::poplar_error, "id 8");
    m.call({ a }, [&m](const std::vector<unsigned> &v) {
        m.addVariable(0, 1);
        return v[0];
    });
    CHECK_THROWS(m.minimize(a), poplar::poplar_error, "is being solved");
}

TEST(queries_of_a_model)
{
    popsolver::Model first;
    const auto a = first.addVariable(3, 9), b = first.addConstant(4);
    popsolver::Model m(std::move(first));
    const popsolver::Domains domains = m.domains();
    CHECK(domains.size() == 2 && domains[a].min() == 3 && domains[a].max() == 9 && domains[a].size() == 7 &&
          domains[b].val() == 4);
    unsigned count = 0;
    for (const popsolver::Domain &domain : domains)
        count += domain.size().getAs<unsigned>();
    CHECK(count == 8);
    m.sum({ a, b });
    m.less(b, a);
    const popsolver::Solution s = m.minimize(a);
    const popsolver::ConstraintEvaluationSummary &did = s.constraintsEvaluated();
    CHECK(did.sum > 0 && did.less > 0 && did.call == 0 && did.total() >= did.sum + did.less &&
          (did + did).total() == 2 * did.total());
    std::ostringstream text;
    text << did;
    CHECK(check::contains(text.str(), "less "));
    m = popsolver::Model();
    CHECK(m.domains().size() == 0 && !popsolver::Solution().validSolution());
}

MAIN()
