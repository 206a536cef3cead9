// SPDX-License-Identifier: Apache-2.0
// Tensors in C++: each row of table 1.2, and the traps of its overloads.
#include "check.hpp"

#include <poplar/Graph.hpp>

#include <sstream>

#ifdef __clang__
#pragma clang diagnostic ignored "-Wbraced-scalar-init" // concat(a, b, {1}), as in programs
#endif

#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER // it keeps freed memory
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER
#endif
#endif

using namespace poplar;

typedef std::vector<std::size_t> Shape;

static Graph makeGraph()
{
    return Graph(Target::createIPUTarget(1, 4, "ipu2"));
}

// The line of this file as errors print it.
static std::string line(int number)
{
    return "test_tensor.cpp:" + std::to_string(number);
}

TEST(a_default_tensor_is_no_tensor)
{
    Tensor none;
    CHECK(!none.valid() && none.rank() == 0 && none.numElements() == 0 && none.shape().empty());
    CHECK(none.getContiguousRegions().empty() && !none.containsAliases() && none.getVarStr().empty());
    CHECK_THROWS(none.flatten(), poplar_error, "test_tensor.cpp:");
    CHECK_THROWS(append(none, none), poplar_error, "test_tensor.cpp:");
    CHECK_THROWS(none[0], poplar_error, "not there");
    CHECK_THROWS(concat(none, none), poplar_error, "not there");
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 3 }, "t"), copy = t, moved = std::move(copy);
    none = moved;
    CHECK(none.valid() && none == t);
    CHECK_THROWS(concat(Tensor(), t), poplar_error, "null");
}

TEST(queries_of_every_rank)
{
    Graph graph = makeGraph();
    Tensor scalar = graph.addVariable(HALF, {}), empty = graph.addVariable(INT, { 3, 0, 2 });
    Tensor wide = graph.addVariable(FLOAT, { 2, 1, 3, 1, 2, 5, 1, 7 }, "wide");
    CHECK(scalar.rank() == 0 && scalar.numElements() == 1 && scalar.shape() == Shape() && scalar.elementType() == HALF);
    CHECK(empty.numElements() == 0 && empty.dim(0) == 3 && empty.dim(1) == 0 && empty.flatten().shape() == Shape{ 0 });
    CHECK(wide.rank() == 8 && wide.numElements() == 420 && wide.dim(7) == 7 &&
          wide.shape() == (Shape{ 2, 1, 3, 1, 2, 5, 1, 7 }));
    CHECK_THROWS(wide.dim(8), index_error, "rank is 8");
    CHECK(wide.transpose().shape() == (Shape{ 7, 1, 5, 2, 1, 3, 1, 2 }));
    CHECK(wide.transpose().transpose() == wide && wide.transpose() != wide);
}

TEST(an_index_drops_the_outermost_dimension)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 3, 4, 5 }, "t");
    CHECK(t[2].shape() == (Shape{ 4, 5 }) && t[2][1u][3ul].rank() == 0);
    CHECK(t.index({ 2, 1 }) == t[2][1] && t.index({ 2, 1, 0 }) == t[2][1][0]);
    CHECK_THROWS(t[3], index_error, line(__LINE__));
    CHECK_THROWS(t.index({ 0, 4 }), index_error, line(__LINE__));
    CHECK(t[0].shape() == (Shape{ 4, 5 })); // building continues
}

TEST(slices_are_half_open)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 4, 6 }, "t");
    CHECK(t.slice(1, 3).shape() == (Shape{ 2, 6 }) && t.slice(1, 3, 1).shape() == (Shape{ 4, 2 }));
    CHECK(t.slice(Interval(1, 3), 1) == t.slice(1, 3, 1) && t.slice({ 1, 3 }, 1) == t.slice(1, 3, 1));
    CHECK(t.slice({ 0, 2 }, 0) == t.slice(0, 2) && t.slice({ 0, 2 }) == t.slice(0, 2));
    CHECK(t.slice({ 1, 1 }, { 2, 4 }).shape() == (Shape{ 1, 3 }) &&
          t.slice({ 1, 1 }, { 2, 4 }) == t.slice(1, 2).slice(1, 4, 1));
    CHECK(t.slice(2, 2).numElements() == 0 && t.slice(2, 2).shape() == (Shape{ 0, 6 }));
    CHECK_THROWS(t.slice(3, 5), index_error, line(__LINE__));
    CHECK_THROWS(t.slice({ 0, 0 }, { 5, 1 }), index_error, line(__LINE__));
}

TEST(lists_of_slices)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 2, 7 }, "t");
    std::vector<Interval> list = { { 0, 2 }, { 4, 7 } };
    std::vector<Tensor> parts = t.slices(list, 1);
    CHECK(parts.size() == 2 && parts[0] == t.slice(0, 2, 1) && parts[1] == t.slice(4, 7, 1));
    CHECK(t.slices({ { 0, 1 } }).size() == 1 && t.slices({ { 0, 1 }, { 1, 2 } })[1] == t.slice(1, 2));
    std::vector<std::vector<Interval>> nested = { { { 0, 1 }, { 3, 5 } }, {}, { { 6, 7 } } };
    nested.erase(nested.begin() + 1);
    parts = t.slices(nested, 1);
    CHECK(parts.size() == 2 && parts[0] == concat(t.slice(0, 1, 1), t.slice(3, 5, 1), 1) &&
          parts[1] == t.slice(6, 7, 1));
    CHECK(t.slices({ { { 0, 1 }, { 1, 2 } } })[0] == t);
    parts = t.slices(std::vector<unsigned>{ 6, 0 }, 1);
    CHECK(parts.size() == 2 && parts[0].shape() == (Shape{ 2, 1 }) && parts[0] == t.slice(6, 7, 1));
    CHECK(t.slices(std::vector<Interval>()).empty());
    CHECK_THROWS(t.slices({ { 0, 3 } }), index_error, line(__LINE__));
    CHECK_THROWS(t.slices(std::vector<unsigned>{ 7 }, 1), index_error, line(__LINE__));
}

TEST(shapes_change_without_copies)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 2, 3, 4 }, "t");
    CHECK(t.flatten().shape() == Shape{ 24 } && t.flatten(1, 3).shape() == (Shape{ 2, 12 }) &&
          t.flatten(1, 1).shape() == (Shape{ 2, 1, 3, 4 }));
    CHECK(t.reshape({ 4, 6 }).shape() == (Shape{ 4, 6 }) && t.reshape({ 4, 6 }).flatten() == t.flatten());
    CHECK(t[0][0][0].reshape({ 1 }).shape() == Shape{ 1 } && t.slice({ 0, 0, 0 }, { 1, 1, 1 }).reshape({}).rank() == 0);
    CHECK(t.reshapePartial(1, 3, { 2, 6 }).shape() == (Shape{ 2, 2, 6 }));
    CHECK(t.dimShuffle({ 2, 0, 1 }).shape() == (Shape{ 4, 2, 3 }) &&
          t.dimShufflePartial({ 0 }, { 2 }).shape() == (Shape{ 3, 4, 2 }));
    CHECK(t.dimRoll(2).shape() == (Shape{ 4, 2, 3 }) && t.dimRoll(0, 2).shape() == (Shape{ 3, 4, 2 }) &&
          t[0].transpose() == t[0].dimShuffle({ 1, 0 }));
    CHECK(t.expand({ 0, 2 }).shape() == (Shape{ 1, 2, 3, 1, 4 }) && t.expand({ 0, 2 }).squeeze({ 0, 3 }) == t &&
          t.squeeze({}) == t);
    CHECK_THROWS(t.reshape({ 5 }), poplar_error, line(__LINE__));
    CHECK_THROWS(t.dimShuffle({ 0, 0, 1 }), poplar_error, line(__LINE__));
    CHECK_THROWS(t.squeeze({ 1 }), poplar_error, line(__LINE__));
    CHECK_THROWS(t.flatten(2, 5), poplar_error, line(__LINE__));
}

TEST(repeats_alias)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 2, 5 }, "t"), constant = graph.addConstant(FLOAT, { 2, 5 }, 1.0f);
    Tensor twice = t.broadcast(2, 0);
    CHECK(twice.shape() == (Shape{ 4, 5 }) && twice[2] == t[0] && twice.containsAliases() &&
          !twice.isParallelWriteable());
    CHECK(!t.containsAliases() && t.isParallelWriteable() && !t.containsConstant());
    CHECK(constant.containsConstant() && !constant.isParallelWriteable() && concat(t, constant).containsConstant());
    Tensor up = t.upsample(3, 1, UpsampleMethod::REPEAT);
    CHECK(up.shape() == (Shape{ 2, 15 }) && up[0][1] == t[0][0] && up[0][3] == t[0][1] &&
          t.upsample(0, 1, UpsampleMethod::REPEAT).numElements() == 0);
    CHECK(t.subSample(2, 1).shape() == (Shape{ 2, 3 }) && t.subSample(2, 1)[1][2] == t[1][4]);
    CHECK(t.reverse(1)[0][0] == t[0][4] && t.reverse(1).reverse(1) == t);
    CHECK(t.intersectsWith(t[1]) && !t[0].intersectsWith(t[1]) && !t.intersectsWith(constant));
    CHECK_THROWS(t.broadcast(2, 3), index_error, line(__LINE__));
}

TEST(bits_as_another_type)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 2 }, "t");
    CHECK(t.reinterpret(UNSIGNED_INT).elementType() == UNSIGNED_INT && t.reinterpret(INT).reinterpret(FLOAT) == t);
    CHECK_THROWS(t.reinterpret(HALF), type_error, line(__LINE__));
}

TEST(regions)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 4, 6 }, "t"), other = graph.addVariable(FLOAT, { 3 }, "other");
    Tensor columns = t.slice(1, 3, 1), joined = concat(t[3], other);
    CHECK(t.isContiguous() && t.getContiguousRegions() == std::vector<Interval>{ Interval(0, 24) });
    CHECK(!columns.isContiguous() &&
          columns.getContiguousRegions() == (std::vector<Interval>{ { 0, 2 }, { 2, 4 }, { 4, 6 }, { 6, 8 } }));
    std::vector<VariableInterval> regions = joined.getVarRegions();
    CHECK(regions.size() == 2 && regions[0].interval == Interval(18, 24) && regions[1].interval == Interval(0, 3));
    CHECK(graph.getVariable(regions[1].var) == other && regions[0].var != regions[1].var && regions[0] < regions[1]);
    CHECK(t.slice(0, 0).getContiguousRegions().empty());
}

TEST(values_of_constants)
{
    Graph graph = makeGraph();
    double d = 0;
    float f = 0;
    int i = 0;
    bool b = false;
    unsigned long long u = 0;
    CHECK(graph.addConstant(FLOAT, {}, 1.5).getConstantValue<double>(&d) && d == 1.5);
    CHECK(graph.addConstant(HALF, { 1 }, 2.5f).getConstantValue(&f) && f == 2.5f);
    CHECK(graph.addConstant(INT, { 3 }, -3).getConstantValue(&i) && i == -3);
    CHECK(graph.addConstant(BOOL, {}, true).getConstantValue(&b) && b);
    CHECK(graph.addConstant(UNSIGNED_LONGLONG, {}, 1ull << 60).getConstantValue(&u) && u == 1ull << 60);
    CHECK(!graph.addConstant<int>(INT, { 2 }, { 1, 2 }).getConstantValue(&i));
    CHECK(!graph.addVariable(INT, {}).getConstantValue(&i));
}

TEST(text)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 2, 3 }, "name");
    std::ostringstream all, regions, streamed;
    t.output(all);
    t.outputRegions(regions);
    streamed << t;
    CHECK(t.shapeToString() == "{2,3}" && graph.addVariable(INT, {}).shapeToString() == "{}");
    CHECK(t.getDebugStr() == "float {2,3} name[0:6]" && t.getVarStr() == "name[0:6]");
    CHECK(all.str() == t.getDebugStr() && streamed.str() == t.getDebugStr() && regions.str() == "name[0:6]");
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < 90; ++i)
        parts.push_back(graph.addVariable(FLOAT, { 1 }, "a variable with a long name"));
    CHECK(check::contains(concat(parts).getVarStr(), "name[0:1]") && concat(parts).getVarStr().size() > 90 * 30);
    t.dump();
    t.dumpRegions();
}

TEST(only_quarter_tensors_have_metadata)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 2 }, "t");
    CHECK(!t.hasMetadata());
    CHECK_THROWS(t.getMetadata(), tensor_metadata_error, "a tensor of type float has no metadata");
    CHECK_THROWS(t.associateMetadata(t), tensor_metadata_error, "a tensor of type float has no metadata");
    CHECK_THROWS(graph.addVariable(FLOAT, t, { 2 }, "x"), tensor_metadata_error, "only quarter has some");
    CHECK_THROWS(graph.addConstant(FLOAT, t, { 2 }, 1.0f), tensor_metadata_error, "only quarter has some");
}

TEST(joining)
{
    Graph graph = makeGraph();
    Tensor a = graph.addVariable(FLOAT, { 2, 3 }, "a"), b = graph.addVariable(FLOAT, { 2, 3 }, "b");
    std::vector<Tensor> list = { a, b, a };
    CHECK(concat(a, b, { 1 }).shape() == (Shape{ 2, 6 }) && concat({ a, b }).shape() == (Shape{ 4, 3 }) &&
          concat(list, 1).shape() == (Shape{ 2, 9 }));
    CHECK(concat(a, b)[2] == b[0] && concat({ a, b }, 1)[0] == concat(a[0], b[0]) && concat({ a }) == a &&
          concat(list).containsAliases());
    CHECK(append(a, b[0]).shape() == (Shape{ 3, 3 }) &&
          append(a, b.slice(0, 2, 0).transpose()[0], 1).shape() == (Shape{ 2, 4 }));
    CHECK_THROWS(concat(a, b[0]), poplar_error, line(__LINE__));
    CHECK_THROWS(concat(a, graph.addVariable(INT, { 2, 3 })), poplar_error, line(__LINE__));
    CHECK_THROWS(concat(std::vector<Tensor>()), poplar_error, "empty");
    CHECK_THROWS(append(a, b), poplar_error, line(__LINE__));
}

static double resident()
{
    unsigned long total = 0, pages = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%lu %lu", &total, &pages) != 2)
        pages = 0;
    if (file)
        std::fclose(file);
    return 4096.0 * static_cast<double>(pages);
}

// Nodes of views without references are released, even if others around them stay alive.
TEST(temporaries_take_no_memory)
{
#ifdef ADDRESS_SANITIZER
    enum { TIMES = 1000 };
#else
    enum { TIMES = 200000 };
#endif
    Graph graph = makeGraph();
    Tensor a = graph.addVariable(FLOAT, { 100, 4 }, "a"), b = graph.addVariable(FLOAT, { 100, 4 }, "b"),
           kept = concat(a[1], b[1]);
    const std::string regions = kept.getVarStr();
    double before = resident();
    for (std::size_t i = 0; i < TIMES; ++i) {
        Tensor first = concat(a[i % 100], b[i % 99]), second = concat(first, kept), copy = second;
        first = copy.reshape({ 4, 4 }).transpose();
        CHECK(first.numElements() == 16);
    }
    CHECK(resident() - before < (TIMES > 1000 ? 10e6 : 1e12));
    CHECK(kept.getVarStr() == regions);
}

// Also if each replaces the one before it.
TEST(repeated_assignment_takes_no_memory)
{
#ifdef ADDRESS_SANITIZER
    enum { TIMES = 1000 };
#else
    enum { TIMES = 200000 };
#endif
    Graph graph = makeGraph();
    Tensor a = graph.addVariable(FLOAT, { 100 }, "a"), b = graph.addVariable(FLOAT, { 4 }, "b"), t = concat(a, b),
           x = t, y = concat(b, a);
    std::vector<Tensor> ring(3);
    Tensor window = concat(a.slice(0, 2), b);
    double before = resident();
    for (std::size_t i = 0; i < TIMES; ++i) {
        t = concat(a.slice(i % 90, i % 90 + 2), b);
        ring[i % 3] = concat(t, a[i % 100].expand({ 0 }));
        Tensor z = concat(x.slice(98, 102), y.slice(0, 6));
        std::swap(x, z);
        y = concat(t, x);
        x = z;
        window = concat(window.slice(1, 6), a[i * 7 % 100].expand({ 0 }));
    }
    CHECK(resident() - before < (TIMES > 1000 ? 10e6 : 1e12));
    CHECK(t.numElements() == 6 && ring[0].numElements() == 7 && y.numElements() == 16 && window.numElements() == 6);
    CHECK(t.getVarStr().find(",b[0:4]") != std::string::npos && x.getVarStr() == "a[0:100],b[0:4]");
}

// A tensor keeps its variables, also when its graph is destroyed.
TEST(tensors_outlive_graphs)
{
    Tensor plain, joined, moved;
    {
        Graph graph = makeGraph();
        Tensor a = graph.addVariable(FLOAT, { 2 }, "a"), b = graph.addVariable(FLOAT, { 2 }, "b");
        plain = a[0];
        joined = concat(b, a);
        moved = std::move(joined);
        joined = moved;
    }
    CHECK(joined.getVarStr() == "b[0:2],a[0:2]" && moved == joined);
    joined = Tensor();
    CHECK(moved[3].valid());
}

MAIN()
