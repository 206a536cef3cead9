// SPDX-License-Identifier: Apache-2.0
// Fields of 8-bit floats, whose codelets read the metadata of the tensors that they are connected to.
// popc: parts/eighths.cpp
// build: c++11 c++17
#undef NDEBUG
#include <cassert>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/Quarter.hpp>
using namespace poplar;
using namespace poplar::program;

static void add(Graph &graph, Sequence &prog, const char *vertex, unsigned tile, const Tensor &in, const Tensor &out)
{
    const ComputeSet set = graph.addComputeSet(vertex);
    const VertexRef v = graph.addVertex(set, vertex, { { "in", in }, { "out", out } });
    graph.setTileMapping(v, tile);
    prog.add(Execute(set));
}
template <typename Call> static bool fails(const char *text, const Call &call)
{
    try {
        call();
    } catch (const poplar_error &error) {
        return std::string(error.what()).find(text) != std::string::npos;
    }
    return false;
}

// Twice: 2.5 + 2 + 0, then 2.5 + 2 + 4.5; or the same from a constant of 4.
static float scalars(const char *codelets, bool constant)
{
    IPUModel model("ipu21");
    model.tilesPerIPU = 3;
    const Device device = model.createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets(codelets);
    const Tensor metadata = createConstantMetadataTensor(graph, QuarterMetadata::Format::F143, 1);
    const Tensor in = graph.addConstant<float>(QUARTER, metadata, { 1 }, { 2.5f });
    const Tensor sum = graph.addVariable(QUARTER, metadata, {}, VariableMappingMethod::LINEAR),
                 wide = graph.addVariable(FLOAT, {}, VariableMappingMethod::LINEAR);
    graph.setTileMapping(in, 1);
    graph.setInitialValue(sum.reinterpret(UNSIGNED_CHAR), 0);
    const ComputeSet set = graph.addComputeSet("scalars");
    const VertexRef v = graph.addVertex(
        set, "Scalars", { { "sum", sum }, { "format", metadata.reinterpret(UNSIGNED_CHAR) }, { "wide", wide } });
    graph.setTileMapping(v, 2);
    const quarter two = quarter::fromBits(0x40), four = quarter::fromBits(0x48); // times the scale, 2
    if (constant) {
        assert(fails("set it from codes", [&] { graph.connect(v["in"], 4.0f); }));
        graph.connect(v["in"], four);
    } else {
        graph.connect(v["in"], in[0]);
    }
    assert(fails("is of type quarter and has no metadata", [&] { graph.setInitialValue(v["start"], 2.0f); }));
    graph.setInitialValue(v["start"], two);
    Sequence prog;
    prog.add(Execute(set));
    prog.add(Execute(set));
    graph.createHostRead("wide", wide);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    float got = 0;
    engine.readTensor("wide", &got, &got + 1);
    return got;
}

int main(int, char **argv)
{
    assert(scalars(argv[1], false) == 9 && scalars(argv[1], true) == 12);
    const QuarterMetadata::Format f143 = QuarterMetadata::Format::F143, f152 = QuarterMetadata::Format::F152;
    for (const char *checked : { "true", "false" }) {
        IPUModel model("ipu21");
        model.tilesPerIPU = 3;
        const Device device = model.createDevice();
        Graph graph(device.getTarget());
        graph.addCodelets(argv[1]);
        const Tensor one = createConstantMetadataTensor(graph, f143, 1),
                     two = createVariableMetadataTensor(graph, f152, -3);
        const std::vector<float> values{ 1, 2.5f, -3, 100, 7 };
        const Tensor in = graph.addConstant<float>(QUARTER, one, { 5 }, values);
        const Tensor sum = graph.addVariable(QUARTER, two, { 5 }, VariableMappingMethod::LINEAR);
        const Tensor copy = graph.addVariable(QUARTER, one, { 5 }, VariableMappingMethod::LINEAR);
        const Tensor wide = graph.addVariable(FLOAT, { 5 }, VariableMappingMethod::LINEAR), back = graph.clone(wide),
                     again = graph.clone(wide);
        const Tensor is_f143 = graph.addVariable(BOOL, { 1 }, VariableMappingMethod::LINEAR);
        graph.setTileMapping(in, 1);
        graph.setInitialValue(sum.reinterpret(UNSIGNED_CHAR), std::vector<unsigned char>(5, 0));
        Sequence prog;
        add(graph, prog, "Widen", 2, in, wide);
        add(graph, prog, "Copies<quarter>", 0, in.reverse(0), copy);
        add(graph, prog, "Widen", 1, copy, again);
        const ComputeSet set = graph.addComputeSet("add");
        const VertexRef v = graph.addVertex(set, "AddTo");
        graph.connect(v["in"], wide);
        graph.connect(v["out"], sum);
        graph.connect(v["is_f143"], is_f143);
        graph.setTileMapping(v, 1);
        prog.add(Execute(set));
        add(graph, prog, "Widen", 0, sum, back);
        assert(fails("has elements of type quarter, the tensor's are float", [&] { graph.connect(v["out"], wide); }));
        assert(fails("already connected", [&] { graph.connect(v["out"], sum); }));
        graph.createHostRead("all", concat({ wide, again, back }));
        graph.createHostRead("is_f143", is_f143);
        Engine engine(graph, prog, { { "debug.checkedExecution", checked } });
        engine.load(device);
        engine.run(0);
        std::vector<float> got(15);
        unsigned char format = 7;
        engine.readTensor("all", got.data(), got.data() + got.size());
        engine.readTensor("is_f143", &format, &format + 1);
        // 100 is between codes: 96 and 104 with 3 bits, 96 and 112 with 2
        const std::vector<float> wanted{ 1, 2.5f, -3, 96, 7, 7, 96, -3, 2.5f, 1, 1, 2.5f, -3, 96, 7 };
        assert(got == wanted && format == 0);
    }
    Graph graph(Target::createCPUTarget());
    for (const char *field : { "Vector<Input<Vector<quarter>>>", "Vector<quarter>" }) {
        std::stringstream source;
        source << "#include <poplar/QuarterFloat.hpp>\n#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
                  "class Bad : public Vertex { public: "
               << field << " in; void compute() {} };\n";
        assert(fails("is no edge to a vector", [&] { graph.addCodelets(source); }));
    }
    return 0;
}
