// SPDX-License-Identifier: Apache-2.0
// Graphs in C++: variables, constants, mapping, virtual graphs, and the host's side; table 1.1 with its traps.
#include "check.hpp"

#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>

#include <fstream>
#include <sstream>

using namespace poplar;

typedef std::vector<std::size_t> Shape;

static Target target(unsigned tiles = 4, unsigned ipus = 1)
{
    return Target::createIPUTarget(ipus, tiles, "ipu2");
}
static std::string line(int number)
{
    return "test_graph.cpp:" + std::to_string(number);
}
template <typename T> static T valueOf(const Tensor &t)
{
    T value = T();
    CHECK(t.getConstantValue(&value));
    return value;
}

TEST(graphs_move)
{
    Graph none;
    CHECK_THROWS(none.addVariable(FLOAT, { 1 }), poplar_error, "not there");
    CHECK_THROWS(none.getTarget(), poplar_error, "not there");
    Graph first(target());
    const Target &known = first.getTarget();
    Tensor t = first.addVariable(FLOAT, { 2 }, "t");
    Graph second = std::move(first);
    CHECK(&second.getTarget() == &known && known.getNumTiles() == 4);
    second.setTileMapping(t, 1);
    none = std::move(second);
    none.setTileMapping(t, 2);
    CHECK_THROWS(first.addVariable(FLOAT, { 1 }), poplar_error, "not there");
    IPUModel model;
    Device device = model.createDevice();
    Graph of(device), again(device.getTarget(), replication_factor(1));
    CHECK(of.getTarget() == device.getTarget() && of.getReplicationFactor() == 1);
    CHECK_THROWS(Graph(device, replication_factor(2)), graph_replication_error, line(__LINE__));
    CHECK_THROWS(Graph(Target()), poplar_error, "");
}

TEST(variables)
{
    Graph graph(target());
    const std::string prefix = "layer";
    const DebugNameAndId path("model");
    Shape shape = { 2, 3 };
    CHECK(graph.addVariable(FLOAT, { 4 }).getVarStr() == "#0[0:4]" && graph.addVariable(FLOAT, {}).rank() == 0);
    CHECK(graph.addVariable(FLOAT, shape, prefix + "/weights").getVarStr() == "layer/weights[0:6]");
    CHECK(graph.addVariable(HALF, { 1, 2 }, { path, "bias" }).getVarStr() == "model/bias[0:2]");
    CHECK(graph.addVariable(FLOAT, { 2 }, { path }).getVarStr() == "model[0:2]");
    Tensor linear = graph.addVariable(FLOAT, { 64, 64 }, VariableMappingMethod::LINEAR, "linear");
    CHECK(graph.getTileMapping(linear).size() == 4 && !graph.getTileMapping(linear)[3].empty());
    const Tensor unmapped = graph.addVariable(FLOAT, { 3 }, VariableMappingMethod::NONE);
    CHECK_THROWS(graph.getTileMapping(unmapped), invalid_tile_mapping, line(__LINE__));
    CHECK_THROWS(graph.addVariable(DOUBLE, { 3 }, "d"), poplar_error, line(__LINE__));
    CHECK(graph.addTensor("float", { 3 }, "old").elementType() == FLOAT);
    CHECK(graph.createComputeSet("old") != graph.addComputeSet());
    const std::size_t large = std::size_t(1) << 40;
    CHECK_THROWS(graph.addVariable(FLOAT, { large, large }), poplar_error, line(__LINE__));
}

TEST(constants_of_every_spelling)
{
    enum class Mode : unsigned char { NONE, SOME };
    Graph graph(target());
    std::vector<float> values = { 1.5f, 2.5f };
    const float array[2] = { 1.5f, 2.5f };
    const DebugNameAndId path("model");
    const Tensor same = graph.addConstant<float>(FLOAT, { 2 }, { 1.5, 2.5 });
    float first = 0, second = 0;
    for (const Tensor &t :
         { same, graph.addConstant(FLOAT, { 2 }, values.data()),
           graph.addConstant(FLOAT, { 2 }, ArrayRef<float>(values), "n"), graph.addConstant(FLOAT, { 2 }, values),
           graph.addConstant<float>(FLOAT, { 2 }, values, { path, "x" }), graph.addConstant(FLOAT, { 2 }, array),
           graph.addConstant<float>(FLOAT, { 2 }, values.data()), graph.addConstant<double>(FLOAT, { 2 }, { 1.5, 2.5 }),
           graph.addConstant<float>(HALF, { 2 }, { 1.5, 2.5 }) })
        CHECK(t[0].getConstantValue(&first) && t[1].getConstantValue(&second) && first == 1.5f && second == 2.5f);
    CHECK(valueOf<float>(graph.addConstant(FLOAT, {}, 1.0f)) == 1 &&
          valueOf<float>(graph.addConstant<float>(FLOAT, {}, 1.0)) == 1);
    CHECK(valueOf<unsigned>(graph.addConstant(UNSIGNED_INT, { 1 }, 3)) == 3 &&
          valueOf<float>(graph.addConstant(FLOAT, { 4 }, 2)) == 2);
    CHECK(valueOf<bool>(graph.addConstant(BOOL, { 1 }, true)) &&
          valueOf<int>(graph.addConstant(INT, {}, Mode::SOME)) == 1);
    CHECK(valueOf<unsigned>(graph.addConstant(UNSIGNED_INT, {}, values.size())) == 2 &&
          valueOf<int>(graph.addConstant(INT, {}, -1l)) == -1);
    CHECK(!valueOf<bool>(graph.addConstant(BOOL, { 2 }, std::vector<bool>{ true, false })[1]));
    CHECK(graph.addConstant<unsigned>(UNSIGNED_INT, { 0 }, {}).numElements() == 0 &&
          graph.addConstant(FLOAT, { 0 }, 0).numElements() == 0);
    CHECK(graph.addConstant(FLOAT, {}, 1.0f).getVarStr() == "<const>[0:1]" &&
          graph.addConstant(FLOAT, {}, 1.0f, "one").getVarStr() == "one[0:1]");
    CHECK_THROWS(graph.addConstant<float>(FLOAT, { 3 }, { 1, 2 }), poplar_error, line(__LINE__));
    const std::uint16_t bits[] = { 0x3c00, 0x4000 };
    CHECK(valueOf<float>(graph.addConstantHalf(HALF, { 3 }, 0x3c00)) == 1 &&
          valueOf<float>(graph.addConstantHalf(HALF, { 2 }, bits, "h")[1]) == 2);
    CHECK(valueOf<unsigned>(graph.addReplicationIndexConstant()) == 0 &&
          graph.addReplicationIndexConstant("i").elementType() == UNSIGNED_INT);
}

TEST(clones_keep_the_mapping)
{
    Graph graph(target());
    Tensor t = graph.addVariable(FLOAT, { 2, 3 }, "t");
    graph.setTileMapping(t[0], 1);
    graph.setTileMapping(t[1], 2);
    Tensor one = graph.clone(t), half = graph.clone(HALF, t, "half"),
           ordered = graph.clone(t.transpose(), { "o" }, TensorCloneMethod::CREATE_NEW_ORDER);
    CHECK(one.shape() == t.shape() && one != t && graph.getTileMapping(one) == graph.getTileMapping(t));
    CHECK(half.elementType() == HALF && half.getVarStr() == "half[0:6]" && ordered.isContiguous() &&
          ordered.shape() == (Shape{ 3, 2 }));
    CHECK(graph.clone(t.broadcast(2, 0), {}, TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES).containsAliases());
    CHECK(!graph.clone(t.broadcast(2, 0)).containsAliases());
    Tensor many = graph.cloneN(t, 3, "many");
    CHECK(many.shape() == (Shape{ 3, 2, 3 }) && graph.getTileMapping(many[2]) == graph.getTileMapping(t));
    CHECK(graph
              .cloneN(HALF, t, 2, {}, TensorCloneMethod::CREATE_NEW_ORDER,
                      TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION)
              .elementType() == HALF);
    CHECK_THROWS(graph.clone(Tensor()), poplar_error, line(__LINE__));
}

TEST(tile_mappings)
{
    Graph graph(target());
    Tensor t = graph.addVariable(FLOAT, { 6 }, "t"), u = graph.addVariable(FLOAT, { 3 }, "u");
    bool complete = true;
    CHECK_THROWS(graph.getTileMapping(t), invalid_tile_mapping, line(__LINE__));
    CHECK(graph.getTileMapping(t, &complete).size() == 4 && !complete);
    graph.setTileMapping(t, 1);
    graph.setTileMapping(t.slice(2, 4), 3);
    Graph::TileToTensorMapping mapping = graph.getTileMapping(t);
    CHECK(mapping[1] == (std::vector<Interval>{ { 0, 2 }, { 4, 6 } }) &&
          mapping[3] == (std::vector<Interval>{ { 2, 4 } }) && mapping[0].empty());
    graph.setTileMapping(u, { { { 0, 1 } }, { { 1, 2 } }, { { 2, 3 } } });
    CHECK(graph.getTileMapping(u, &complete)[2][0] == Interval(2, 3) && complete);
    graph.setTileMapping(t.reverse(0), mapping);
    CHECK(graph.getTileMapping(t.reverse(0)) == mapping && graph.getVariableTileMapping(t).size() == 4);
    CHECK(graph.getTileMapping(graph.addVariable(FLOAT, { 3 }), false).size() == 4);
    CHECK(graph.getTileMapping(t, true, true) == graph.getTileMapping(t));
    CHECK_THROWS(graph.setTileMapping(t, 4), invalid_tile_mapping, line(__LINE__));
    CHECK_THROWS(graph.setTileMapping(t, { { { 0, 7 } } }), poplar_error, line(__LINE__));
    CHECK_THROWS(graph.setTileMapping(Tensor(), 0), poplar_error, line(__LINE__));
    graph.setTileMapping(t, {});
}

TEST(regions_in_the_order_of_memory)
{
    Graph graph(target());
    Tensor t = graph.addVariable(FLOAT, { 4, 6 }, "t"), mixed = concat(t[2], t[0]);
    typedef std::vector<std::vector<Interval>> Groups;
    CHECK(graph.getSortedContiguousRegions(t, { { 0, 24 } }) == (Groups{ { { 0, 24 } } }));
    CHECK(graph.getSortedContiguousRegions(mixed, { { 0, 12 } }) == (Groups{ { { 6, 12 } }, { { 0, 6 } } }));
    std::vector<std::size_t> aliases;
    Tensor twice = concat(t[0], t[0]);
    CHECK(graph.getSortedContiguousRegions(twice, { { 0, 12 } }, true, &aliases).size() == 1 && aliases.size() == 12);
    CHECK(graph.getSortedContiguousRegions(t, {}).empty());
    CHECK_THROWS(graph.getSortedContiguousRegions(t, { { 0, 25 } }), index_error, line(__LINE__));
    Tensor columns = t.transpose(), other = graph.addVariable(FLOAT, { 4, 6 }, "other").transpose();
    graph.reorderToSimplify(&columns, { &other });
    CHECK(columns.isContiguous() && columns.numElements() == 24 && other.isContiguous());
    graph.reorderToSimplify(&columns, {}, false);
    CHECK_THROWS(graph.reorderToSimplify(&columns, { &t, &mixed }), poplar_error, line(__LINE__));
    Tensor shuffled = t.dimShuffle({ 1, 0 });
    TensorRearranger order = graph.getSimplifyingRearranger(shuffled);
    CHECK(order.valid() && !TensorRearranger().valid() && order.rearrange(shuffled).isContiguous());
    CHECK(order.undoRearrangement(order.rearrange(shuffled)) == shuffled);
}

TEST(variables_of_a_view)
{
    Graph graph(target());
    Tensor t = graph.addVariable(FLOAT, { 3 }, "t"), constant = graph.addConstant(FLOAT, { 2 }, 1.0f);
    CHECK(graph.findUnbroadcastTensor(t.expand({ 0 }).broadcast(4, 0)).numElements() == 3 &&
          graph.findUnbroadcastTensor(t) == t);
    VariableRef variable = t.getVarRegions()[0].var;
    CHECK(graph.getVariable(variable) == t && !graph.isConstant(variable) &&
          graph.isConstant(constant.getVarRegions()[0].var));
    CHECK_THROWS(graph.getVariable(VariableRef(99, 1)), poplar_error, line(__LINE__));
}

TEST(host_transfers)
{
    Graph graph(target());
    Tensor t = graph.addVariable(FLOAT, { 3 }, "t");
    graph.createHostWrite("in", t);
    graph.createHostRead("in", t, true);
    CHECK_THROWS(graph.createHostWrite("in", t), graph_object_creation_error, line(__LINE__));
    CHECK_THROWS(graph.createHostWrite("c", graph.addConstant(FLOAT, { 3 }, 0)), poplar_error, line(__LINE__));
    DataStream in =
        graph.addHostToDeviceFIFO("data", FLOAT, 3, ReplicatedStreamMode::BROADCAST, { { "bufferingDepth", "2" } });
    DataStream out = graph.addDeviceToHostFIFO("result", INT, 5, { { "splitLimit", "0" } });
    CHECK(in.handle() == "data" && in.numElements() == 3 && in.elementType() == FLOAT &&
          in.type() == DataStreamType::HostToDeviceFIFO);
    CHECK(in.replicatedMode() == ReplicatedStreamMode::BROADCAST && in.replicationFactor() == 1 && in != out &&
          out == out);
    CHECK(out.type() == DataStreamType::DeviceToHostFIFO &&
          graph.addHostToDeviceFIFO("d2", FLOAT, 1).replicatedMode() == ReplicatedStreamMode::REPLICATE);
    CHECK_THROWS(graph.addHostToDeviceFIFO("data", FLOAT, 3), poplar_error, line(__LINE__));
    CHECK_THROWS(graph.addDeviceToHostFIFO("o2", FLOAT, 3, { { "nothing", "0" } }), invalid_option, line(__LINE__));
    RemoteBuffer rows = graph.addRemoteBuffer("rows", FLOAT, 8, 4, true), one = graph.addRemoteBuffer("one", INT, 8);
    CHECK(rows.handle() == "rows" && rows.numElements() == 8 && rows.getRepeats() == 4 && rows.isRearrangeOnHost() &&
          !rows.isOptimisedForMemory());
    CHECK(one.getRepeats() == 1 && one.elementType() == INT && one != rows && rows == rows);
    CHECK(rows.getIpuToHostStream() == rows.getHostToIpuStream());
    std::vector<Graph::HostFunctionArgument> none;
    HostFunction f = graph.addHostFunction("f", { Graph::HostFunctionArgument(FLOAT, 3) }, none),
                 g = graph.addHostFunction("g", {}, { { INT, 2 }, { INT, 1 } });
    CHECK(f != g && f.getId() == 0 && g.getId() == 1);
}

TEST(virtual_graphs_share)
{
    Graph graph(target(4, 2));
    Graph first = graph.createVirtualGraph(2), range = graph.createVirtualGraph(4, 7),
          listed = graph.createVirtualGraph({ 1u, 3u });
    CHECK(first.getTarget().getNumTiles() == 4 && range.getTarget().getNumTiles() == 3 &&
          listed.getTarget().getTilesPerIPU() == 2);
    CHECK(listed.convertVirtualTileToPhysicalTile(2) == 5 && listed.convertPhysicalTileToVirtualTile(5) == 2);
    CHECK(listed.convertPhysicalTileToVirtualTile(1, 1) == 2 && listed.convertVirtualTileToTopLevelGraphTile(3) == 7);
    CHECK(listed.convertTopLevelGraphTileToVirtualTile(7) == 3);
    Tensor t = listed.addVariable(FLOAT, { 2 }, "t");
    listed.setTileMapping(t, 2);
    CHECK(graph.getTileMapping(t)[5].size() == 1);
    Graph top = first.getTopLevelGraph();
    graph = Graph(); // the shared graph stays valid
    CHECK(top.getTarget().getNumTiles() == 8 && top.getTileMapping(t)[5].size() == 1);
    top = Graph();
    CHECK(listed.getTileMapping(t)[2].size() == 1 && t.numElements() == 2);
    // Data on tiles that a virtual graph does not have is refused, or left out.
    Tensor outside = listed.addVariable(FLOAT, { 4 }, VariableMappingMethod::NONE, "outside");
    listed.setTileMapping(outside, 0);
    listed.setTileMapping(outside[3], 1); // tiles 1 and 3 of the first IPU
    CHECK(listed.getTileMapping(outside)[0][0].size() == 3);
    CHECK_THROWS(range.getTileMapping(outside), invalid_tile_mapping, line(__LINE__));
    CHECK_THROWS(range.getTileMapping(outside), invalid_tile_mapping, "virtual graph's 3");
    CHECK_THROWS(first.getTileMapping(outside, false), invalid_tile_mapping, "allowExternal");
    CHECK(first.getTileMapping(outside, true, true)[1][0] == Interval(0, 3) &&
          first.getTileMapping(outside, true, true)[0].empty());
    bool complete = false;
    CHECK(first.getTileMapping(outside, &complete, true)[1].size() == 1 && complete);
    CHECK_THROWS(first.getTileMapping(outside, &complete), invalid_tile_mapping, "allowExternal");
    CHECK(first.getVariableTileMapping(outside)[1].size() == 1);
    CHECK_THROWS(listed.createVirtualGraph(9), index_error, line(__LINE__));
    CHECK_THROWS(listed.createVirtualGraph(3, 1), index_error, line(__LINE__));
    CHECK_THROWS(listed.createVirtualGraph({ 7u, 8u }), index_error, line(__LINE__));
}

TEST(the_guides_replicated_graphs)
{
    Graph graph(target());
    Graph one = graph.createReplicatedGraph(1);
    Tensor t = one.addVariable(FLOAT, { 2 }, "t");
    CHECK(one.getTarget().getNumTiles() == 4 &&
          graph.getNonReplicatedTensor(t).shape() == std::vector<std::size_t>({ 1, 2 }));
    CHECK(graph.createReplicatedGraph(2).getTarget().getNumTiles() == 2); // parts of its IPU
    CHECK_THROWS(graph.createReplicatedGraph(3), graph_replication_error, line(__LINE__));
    CHECK_THROWS(graph.getNonReplicatedTensor(graph.addVariable(FLOAT, { 1 })), graph_replication_error,
                 "one tensor already");
}

TEST(graphs_are_serialized)
{
    Graph graph(target()), other(target());
    Tensor t = graph.addVariable(FLOAT, { 2, 3 }, "t");
    graph.setTileMapping(t, 1);
    for (SerializationFormat format : { SerializationFormat::Binary, SerializationFormat::JSON }) {
        std::stringstream stream;
        graph.serializeTensors(stream, { t.transpose(), t[1] }, format);
        std::vector<Tensor> read = other.deserializeTensors(stream, format);
        CHECK(read.size() == 2 && read[0].shape() == (Shape{ 3, 2 }) && read[0].transpose()[1] == read[1]);
        CHECK(other.getTileMapping(read[1])[1].size() == 1);
        std::stringstream broken("nothing");
        CHECK_THROWS(other.deserializeTensors(broken, format), parse_error, line(__LINE__));
        std::stringstream empty;
        CHECK_THROWS(other.deserializeTensors(empty, format), parse_error, line(__LINE__));
    }
    std::ofstream full("/dev/full");
    CHECK_THROWS(graph.serialize(full, SerializationFormat::JSON), poplar_error, "the stream has failed");
    std::ostringstream bad;
    bad.setstate(std::ios::failbit);
    CHECK_THROWS(graph.serialize(bad, SerializationFormat::Binary), poplar_error, "the stream has failed");
    std::ostringstream dump;
    graph.serialize(dump, SerializationFormat::JSON);
    CHECK(check::contains(dump.str(), "\"variables\"") && check::contains(dump.str(), "\"t\""));
    std::ostringstream binary; // a map of CBOR
    graph.serialize(binary, SerializationFormat::Binary);
    CHECK(binary.str().size() > 100 && (static_cast<unsigned char>(binary.str()[0]) & 0xe0) == 0xa0);
}

// Estimators, functions and the like throw, and building continues afterwards; a pending error of the C interface is
// thrown too.
TEST(building_continues_after_an_exception)
{
    Graph graph(target());
    Tensor t = graph.addVariable(FLOAT, { 3 }, "t");
    CHECK_THROWS(t.slice(2, 4), index_error, "slice [2, 4)");
    CHECK_THROWS(graph.setTileMapping(t, 99), invalid_tile_mapping, "99");
    graph.setTileMapping(t, 0);
    pop_tensor_at(t.c(), 7);
    CHECK_THROWS(graph.setTileMapping(t, 1), index_error, "index 7");
    graph.setTileMapping(t, 1);
    CHECK(graph.getTileMapping(t)[1].size() == 1);
}

// Trap 12: names of the library and of a user in one program.
namespace popops
{
static Tensor concat(const std::vector<Tensor> &list)
{
    return poplar::concat(list, 0);
}
} // namespace popops
TEST(handles_are_values)
{
    Graph graph(target());
    ComputeSet none, first = graph.addComputeSet("first"),
                     second = graph.addComputeSet({ DebugNameAndId("x"), "second" }), byNumber(1);
    CHECK(first != second && byNumber == second && second.getId() == 1 && first < second && none != first);
    Function function(3);
    HostFunction hostFunction(4);
    FunctionBuffer buffer(5);
    CHECK(function.getId() == 3 && hostFunction.getId() == 4 && buffer.getId() == 5 && buffer == FunctionBuffer(5) &&
          FunctionBuffer() != buffer);
    CHECK_THROWS(graph.addFunctionBuffer(Function(3), FunctionBufferMappingType::REMOTE), control_program_error,
                 "no function 3");
    CHECK_THROWS(graph.addFunctionBuffer(Function(), FunctionBufferMappingType::REMOTE), control_program_error,
                 "the function is null");
    Tensor t = graph.addVariable(FLOAT, { 3 }, "t");
    CHECK(popops::concat({ t, t }) == concat(t, t));
}

MAIN()
