// SPDX-License-Identifier: Apache-2.0
// Vertices in C++: codelets, connections, state and cycle estimates.
#include "check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <sstream>

using namespace poplar;

static const char *const codelets = CODELETS "/graph.c";

static Graph makeGraph()
{
    Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
    graph.addCodelets(codelets);
    return graph;
}
static std::string line(int number)
{
    return "test_graph_vertices.cpp:" + std::to_string(number);
}
// The graph as text, to compare it before and after connecting.
static std::string dumpOf(const Graph &graph)
{
    std::ostringstream text;
    graph.serialize(text, SerializationFormat::JSON);
    return text.str();
}

TEST(codelets_come_from_files)
{
    const std::string path = codelets;
    Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
    CHECK(!graph.hasCodelet("SumVertex") && graph.addCodelets(codelets) && graph.hasCodelet("SumVertex") &&
          !graph.hasCodelet("Sum"));
    for (int spelling = 0; spelling < 8; ++spelling) {
        Graph each(Target::createIPUTarget(1, 4, "ipu2"));
        CHECK(spelling == 0   ? each.addCodelets(path)
              : spelling == 1 ? each.addCodelets({ codelets })
              : spelling == 2 ? each.addCodelets({ path }, "-O2 -I .")
              : spelling == 3 ? each.addCodelets(codelets, CodeletFileType::Auto, "-O2")
              : spelling == 4 ? each.addCodelets(path, CodeletFileType::CSource, "", "ipu2")
              : spelling == 5 ? each.addCodelets(std::vector<std::string>{ path }, "-O2")
              : spelling == 6 ? each.addCodelets(StringRef(path))
                              : each.addCodelets({ std::string(CODELETS) + "/graph.c" }));
        CHECK(each.hasCodelet("SumVertex"));
    }
    CHECK_THROWS(graph.addCodelets("no_such_file.cpp"), file_load_error, line(__LINE__));
    CHECK_THROWS(graph.addCodelets({ "no_such_file.cpp", "another.cpp" }), file_load_error, "no_such_file.cpp");
    std::stringstream source("#include <poplar/vertex.h>\nPOP_VERTEX(Own) { POP_OUTPUT(int) out; };\nbool "
                             "Own_compute(Own *v) { *v->out = 1; return true; }\n");
    graph.addCodelets(source, "", CodeletFileType::CSource);
    CHECK(graph.hasCodelet("Own"));
    std::stringstream wrong("this is no codelet");
    std::ostringstream output;
    CHECK_THROWS(graph.addCodelets(wrong, "", output, CodeletFileType::CSource), graph_program_compilation_error, "");
    CHECK(!output.str().empty());
}

// The vertex of one file uses functions, a class and data of two others; also after its executable was saved.
static float runShared(const Graph &graph, ComputeSet set, bool saved)
{
    Executable compiled = compileGraph(graph, { program::Execute(set) });
    std::stringstream file;
    compiled.serialize(file);
    Engine engine(saved ? Executable::deserialize(file) : std::move(compiled));
    Device device = Device::createCPUDevice();
    engine.load(device);
    float value = 8;
    engine.writeTensor("value", &value, &value + 1);
    engine.run();
    engine.readTensor("value", &value, &value + 1);
    return value;
}

TEST(codelets_of_several_files_share_functions)
{
    const std::string shared = CODELETS "/../../codelets/shared/";
    for (int way = 0; way < 3; ++way) {
        Graph graph(Target::createCPUTarget());
        if (way == 0) {
            graph.addCodelets({ shared + "user.cpp", shared + "helper.cpp", shared + "table.c" });
        } else {
            graph.addCodelets(shared + "table.c");
            graph.addCodelets(shared + "helper.cpp");
            graph.addCodelets(shared + "helper.cpp"); // libraries add a file more than once
            graph.addCodelets(shared + "user.cpp");
        }
        Tensor value = graph.addVariable(FLOAT, {}), steps = graph.addVariable(INT, {});
        ComputeSet set = graph.addComputeSet("set");
        VertexRef vertex = graph.addVertex(set, "Shared", { { "value", value }, { "steps", steps } });
        graph.setTileMapping(value, 0);
        graph.setTileMapping(steps, 0);
        graph.setTileMapping(vertex, 0);
        graph.createHostWrite("value", value);
        graph.createHostRead("value", value);
        CHECK(runShared(graph, set, way == 2) == 8.0f / 2 + 1000 + 2 * 3 + 30);
    }
}

TEST(a_function_that_no_file_has_is_named)
{
    Graph graph(Target::createCPUTarget());
    graph.addCodelets(CODELETS "/../../codelets/shared/user.cpp");
    Tensor value = graph.addVariable(FLOAT, {}), steps = graph.addVariable(INT, {});
    ComputeSet set = graph.addComputeSet("set");
    VertexRef vertex = graph.addVertex(set, "Shared", { { "value", value }, { "steps", steps } });
    graph.setTileMapping(value, 0);
    graph.setTileMapping(steps, 0);
    graph.setTileMapping(vertex, 0);
    CHECK_THROWS(Engine(graph, program::Execute(set)), link_error, "'helper::half_of()'");
}

TEST(tensors_are_connected_to_fields)
{
    Graph graph = makeGraph();
    ComputeSet set = graph.addComputeSet("set");
    Tensor t = graph.addVariable(FLOAT, { 4 }, "t"), out = graph.addVariable(FLOAT, { 8 }, "out");
    Tensor rows = graph.addVariable(INT, { 2, 3 }, "rows"), sums = graph.addVariable(INT, { 6 }, "sums");
    VertexRef vertex = graph.addVertex(set, "SumVertex"), named = graph.addVertex(set, std::string("SumVertex"));
    graph.connect(vertex["in"], t.slice(1, 3));
    graph.connect(vertex[std::string("out")], out[0]);
    graph.setTileMapping(vertex, 3);
    CHECK(vertex.getId() == 0 && named.getId() == 1 && vertex != named && VertexRef() != vertex);
    CHECK(vertex["in"].isIndexed() == false && vertex["in"][2].isIndexed() && vertex["in"][2].getIndex() == 2);
    graph.addVertex(set, "SumVertex", { { "in", t }, { "out", out[1] } });
    graph.addVertex(set, std::string("Scale"), { { "data", out.slice(2, 4) }, { "factor", 2.0f } });
    graph.addVertex(ComputeSet(0), "SumVertex", { { "in", t } });
    VertexRef scale = graph.addVertex(set, "Scale");
    graph.connect(scale["factor"], 3);
    std::vector<Tensor> list = { rows[0], rows[1].slice(0, 1) };
    VertexRef lists = graph.addVertex(set, "RowSums", { { "rows", list }, { "sums", sums.slice(0, 2) } });
    VertexRef each = graph.addVertex(set, "RowSums"), whole = graph.addVertex(set, "RowSums"),
              braces = graph.addVertex(set, "RowSums");
    graph.setFieldSize(each["rows"], 2);
    graph.connect(each["rows"][0], rows[1]);
    graph.connect(each["rows"][1], rows[0]);
    graph.connect(whole["rows"], rows);
    graph.connect(braces["rows"], { rows[0], rows[0] });
    graph.connect(braces["sums"], ArrayRef<Tensor>(list).front());
    CHECK(graph.getFieldSize(each["rows"]) == 2 && graph.getFieldSize(lists["rows"]) == 2 &&
          graph.getNumVertices() == 10);
    std::vector<ConnectionDesc> edges; // names may be temporaries
    edges.push_back({ std::string("fr") + "om", concat(rows.flatten(), sums) });
    VertexRef gather = graph.addVertex(set, "Gather", edges);
    CHECK(graph.getFieldSize(gather["from"]) == 12);
    CHECK_THROWS(graph.addVertex(set, "SumVertx"), unknown_vertex_type, "SumVertex");
    CHECK_THROWS(graph.addVertex(set, "SumVertx"), unknown_vertex_type, line(__LINE__));
    CHECK_THROWS(graph.connect(named["inn"], t), unknown_field, line(__LINE__));
    CHECK_THROWS(graph.connect(named["in"], out[0]), graph_connection_error, line(__LINE__));
    CHECK_THROWS(graph.connect(vertex["in"], t), graph_connection_error, "already connected");
    CHECK_THROWS(graph.connect(vertex["in"][1], 2.0f), index_error, line(__LINE__));
    CHECK_THROWS(graph.addVertex(set, "SumVertex", { { "in", t }, { "ou", out[1] } }), unknown_field, line(__LINE__));
    CHECK_THROWS(graph.addVertex(ComputeSet(), "SumVertex"), index_error, line(__LINE__));
    CHECK_THROWS(graph.setTileMapping(vertex, 4), invalid_tile_mapping, line(__LINE__));
    graph.connect(named["in"], t);
    CHECK(check::contains(dumpOf(graph), "SumVertex"));
}

TEST(state_has_initial_values)
{
    enum class Mode : short { OFF = 3 };
    Graph graph = makeGraph();
    ComputeSet set = graph.addComputeSet("set");
    VertexRef vertex = graph.addVertex(set, "Stateful");
    std::vector<unsigned short> list = { 1, 2, 3 };
    graph.setInitialValue(vertex["flag"], true);
    graph.setInitialValue(vertex["small"], Mode::OFF);
    graph.setInitialValue(vertex["h"], 1.0);
    graph.setInitialValueHalf(vertex["h"], 0x3c00);
    graph.setInitialValue<float>(vertex["f"], 2);
    graph.setInitialValue(vertex["large"], list.size());
    graph.setInitialValue(vertex["list"], list);
    graph.setInitialValue(vertex["list"], ArrayRef<unsigned short>(list));
    graph.setInitialValue<unsigned>(vertex["list"], { 4u, 5u });
    CHECK(graph.getFieldSize(vertex["list"]) == 2);
    graph.setFieldSize(vertex["table"], 2);
    graph.setInitialValue(vertex["table"][1], std::vector<int>{ 7, 8 });
    VertexRef other = graph.addVertex(set, "Stateful");
    graph.setInitialValue(other["table"], std::vector<std::vector<int>>{ { 1 }, {}, { 2, 3 } });
    graph.setInitialValue(other["list"], std::vector<bool>{ true, false });
    CHECK(graph.getFieldSize(other["table"]) == 3 && graph.getFieldSize(other["list"]) == 2);
    CHECK_THROWS(graph.setInitialValue(vertex["nothing"], 1), unknown_field, line(__LINE__));
    CHECK_THROWS(graph.setInitialValue(vertex["small"][0], 1), index_error, line(__LINE__));
    CHECK_THROWS(graph.setFieldSize(vertex["small"], 1), type_error, line(__LINE__));
    CHECK_THROWS(graph.setInitialValue(vertex["small"], list), type_error, line(__LINE__));
}

TEST(variables_have_initial_values)
{
    Graph graph = makeGraph();
    Tensor t = graph.addVariable(FLOAT, { 3 }, "t"), h = graph.addVariable(HALF, { 2 }, "h"),
           b = graph.addVariable(BOOL, { 2 }, "b");
    std::vector<float> values = { 1, 2, 3 };
    graph.setInitialValue(t, 1.0f);
    graph.setInitialValue(t[1], 2);
    graph.setInitialValue(t, ArrayRef<float>(values));
    graph.setInitialValue(t, values);
    graph.setInitialValue<float>(t, values);
    graph.setInitialValue<float>(t, { 1, 2, 3 });
    graph.setInitialValue(h, 1.0f);
    graph.setInitialValueHalf(h, 0x3c00);
    graph.setInitialValueHalf(h, { 0x3c00, 0x4000 });
    graph.setInitialValue(b, std::vector<bool>{ true, false });
    graph.setInitialValue(b, true);
    CHECK_THROWS(graph.setInitialValue<float>(t, { 1, 2 }), poplar_error, "2 values: the tensor has 3 elements");
    CHECK_THROWS(graph.setInitialValue(graph.addConstant(FLOAT, { 1 }, 1), 1.0f), poplar_error, line(__LINE__));
}

TEST(estimates)
{
    Graph graph = makeGraph();
    ComputeSet set = graph.addComputeSet("set");
    Tensor t = graph.addVariable(FLOAT, { 5 }, "t");
    VertexRef first = graph.addVertex(set, "SumVertex", { { "in", t } }), second = graph.addVertex(set, "SumVertex"),
              third = graph.addVertex(set, "Scale");
    CHECK_THROWS(graph.getPerfEstimate(first), missing_perf_estimate, line(__LINE__));
    graph.setPerfEstimate(first, 20);
    CHECK(graph.getPerfEstimate(first) == VertexPerfEstimate(20));
    graph.setPerfEstimate(first, 20, 4);
    CHECK(graph.getPerfEstimate(first).flops == 4);
    graph.setPerfEstimate(first, { 21, 5 });
    CHECK(graph.getPerfEstimate(first).cycles == 21);
    graph.setCycleEstimate(second, 7);
    CHECK(graph.getCycleEstimate(second) == 7);
    unsigned factor = 3;
    graph.registerPerfEstimator("Scale", [factor](const VertexIntrospector &v, const Target &target) {
        return VertexPerfEstimate(factor * v.getFieldInfo("factor").size() + target.getNumWorkerContexts(), 1);
    });
    CHECK(graph.getPerfEstimate(third) == VertexPerfEstimate(9, 1));
    Graph part = graph.createVirtualGraph(2), moved = std::move(graph);
    graph = Graph();
    CHECK(part.getPerfEstimate(third).cycles == 9 && moved.getPerfEstimate(third).cycles == 9);
    moved = Graph();
    CHECK(part.getPerfEstimate(third).cycles == 9); // the functions live as long as the shared graph
    part.registerCycleEstimator("Scale", [](const VertexIntrospector &, const Target &) -> std::uint64_t {
        throw std::out_of_range("no idea");
    });
    CHECK_THROWS(part.getPerfEstimate(third), std::out_of_range, "no idea");
    CHECK(part.getPerfEstimate(first).cycles == 21);
    part.registerCycleEstimator(
        "Scale", [](const VertexIntrospector &v, const Target &) { return v.getFieldInfo("nothing").size(); });
    CHECK_THROWS(part.getPerfEstimate(third), unknown_field, "nothing");
}

// Compiling calls estimators too, through C code.
TEST(an_estimator_that_throws_ends_compiling)
{
    Graph graph = makeGraph();
    ComputeSet set = graph.addComputeSet("set");
    Tensor t = graph.addVariable(FLOAT, { 5 }, "t");
    graph.setTileMapping(t, 0);
    VertexRef vertex = graph.addVertex(set, "Scale", { { "data", t }, { "factor", 2.0f } });
    graph.setTileMapping(vertex, 0);
    bool throws = true;
    graph.registerPerfEstimator("Scale", [&throws](const VertexIntrospector &, const Target &) {
        if (throws)
            throw std::out_of_range("no idea");
        return VertexPerfEstimate(1);
    });
    CHECK_THROWS(compileGraph(graph, { program::Execute(set) }), std::out_of_range, "no idea");
    throws = false;
    compileGraph(graph, { program::Execute(set) });
}

TEST(estimators_see_fields)
{
    Graph graph = makeGraph();
    ComputeSet set = graph.addComputeSet("set");
    Tensor ints = graph.addVariable(INT, { 4, 4 }, "ints");
    VertexRef vertex = graph.addVertex(
        set, "Layouts", { { "a", ints[0] }, { "list", ints }, { "rows", { ints[0], ints[1].slice(0, 2) } } });
    graph.setInitialValue(vertex["n"], 6);
    VertexRef state = graph.addVertex(set, "Stateful");
    graph.setInitialValue(state["list"], std::vector<unsigned>{ 4, 5, 6 });
    graph.setInitialValue(state["table"], std::vector<std::vector<int>>{ { 1 }, { -2, 3 } });
    graph.setInitialValue(state["flag"], true);
    bool asked = false;
    graph.registerPerfEstimator("Layouts", [&](const VertexIntrospector &v, const Target &target) {
        const FieldData a = v.getFieldInfo("a"), rows = v.getFieldInfo("rows"), list = v.getFieldInfo("list"),
                        n = v.getFieldInfo("n");
        CHECK(v.getComputeSet() == set && a.name() == "a" && a.rank() == 1 && a.size() == 4 && n.rank() == 0);
        CHECK(rows.rank() == 2 && rows.size() == 2 && rows[1].size() == 2 && rows.getSizeAtIndex(1) == 2 &&
              rows[0].rank() == 1);
        CHECK(n.getInitialValue<unsigned>(target) == 6);
        CHECK(a.getProfilerVectorLayout(0) == layout::Vector::Span &&
              a.getProfilerVectorListLayout() == layout::VectorList::NotAVector);
        CHECK(v.getFieldInfo("c").getProfilerVectorLayout(0) == layout::Vector::OnePtr &&
              n.getProfilerVectorLayout(0) == layout::Vector::NotAVector);
        CHECK(v.getFieldInfo("d").getProfilerVectorLayout(0) ==
              layout::Vector::OnePtr); // ipu2 has no 16-bit pointers of this kind
        CHECK(rows.getProfilerVectorLayout(0) == layout::Vector::Span &&
              rows.getProfilerVectorLayout(1) == layout::Vector::OnePtr);
        CHECK(rows.getProfilerVectorListLayout() == layout::VectorList::OnePtr &&
              list.getProfilerVectorListLayout() == layout::VectorList::DeltaNElements);
        CHECK(std::string(layout::to_string(layout::Vector::ScaledPtr64)) == "ScaledPtr64");
        asked = true;
        return VertexPerfEstimate(1);
    });
    graph.registerCycleEstimator("Stateful", [](const VertexIntrospector &v, const Target &target) {
        CHECK(v.getFieldInfo("list").getInitialValues<unsigned>(target) == (std::vector<unsigned>{ 4, 5, 6 }));
        CHECK(v.getFieldInfo("table").getInitialValues<std::vector<int>>(target) ==
              (std::vector<std::vector<int>>{ { 1 }, { -2, 3 } }));
        CHECK(v.getFieldInfo("table")[1].getInitialValues<int>(target) == (std::vector<int>{ -2, 3 }));
        CHECK(v.getFieldInfo("flag").getInitialValue<bool>(target));
        return std::uint64_t(2);
    });
    CHECK(graph.getPerfEstimate(vertex).cycles == 1 && asked && graph.getCycleEstimate(state) == 2);
}

TEST(limits_of_fields)
{
    Graph graph = makeGraph();
    CHECK(graph.getMaxFieldDim("SumVertex", "in", 0) > 1000 && graph.getMaxVertexFieldValue("Layouts", "n") == 65535);
    CHECK(graph.getMaxVertexFieldValueAs<std::uint64_t>("Layouts", "n") == 65535 &&
          graph.getMaxVertexFieldValueAs<unsigned char>("Layouts", "n") == 255);
    CHECK_THROWS(graph.getMaxFieldDim("SumVertex", "in", 1), index_error, "1 dimensions");
    CHECK_THROWS(graph.getMaxVertexFieldValue("Nothing", "n"), unknown_vertex_type, "Nothing");
}

TEST(functions_and_drawings)
{
    Graph graph = makeGraph();
    ComputeSet set = graph.addComputeSet("the set");
    Tensor t = graph.addVariable(FLOAT, { 5 }, "t");
    graph.addVertex(set, "SumVertex", { { "in", t }, { "out", t[0] } });
    Function f = graph.addFunction(program::Execute(set)),
             g = graph.addFunction(program::Sequence{ program::Execute(set) });
    CHECK(f != g && f.getId() == 0);
    std::ostringstream compute, vertices;
    graph.outputComputeGraph(compute, { program::Execute(set) });
    graph.outputVertexGraph(vertices, { program::Execute(set) });
    CHECK(check::contains(compute.str(), "digraph") && check::contains(vertices.str(), "SumVertex"));
}

TEST(a_vertex_that_cannot_be_connected_is_removed)
{
    Graph graph = makeGraph();
    graph.addCodelets(CODELETS "/run.c");
    ComputeSet set = graph.addComputeSet("set");
    Tensor t = graph.addVariable(FLOAT, { 4 }, "t");
    const unsigned before = graph.getNumVertices();
    CHECK_THROWS(graph.addVertex(set, "AddOne", { { "data", t }, { "dota", t } }), unknown_field, "dota");
    CHECK(graph.getNumVertices() == before);
    graph.setTileMapping(graph.addVertex(set, "AddOne", { { "data", t } }), 0);
    CHECK(graph.getNumVertices() == before + 1);
}

MAIN()
