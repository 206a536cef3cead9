// SPDX-License-Identifier: Apache-2.0
// popef in C++: an executable with the values that it needs, saved, read in another place and run.
#include "check.hpp"

#include <popef/Reader.hpp>
#include <popef/Writer.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>

#include <cstdint>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

// y = x, with x from a stream and y to one.
static Executable compiled()
{
    Graph graph(Target::createCPUTarget());
    Tensor x = graph.addVariable(FLOAT, { 3 }, "x");
    graph.setTileMapping(x, 0);
    DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 3), out = graph.addDeviceToHostFIFO("out", FLOAT, 3);
    return compileGraph(graph, { Copy(in, x), Copy(x, out) });
}

static popef::Anchor anchor(const std::string &handle, popef::TensorType type, std::int64_t program)
{
    popef::Anchor made;
    made.setName("model/" + handle);
    made.setHandle(handle);
    made.setType(type);
    made.setTensorInfo(popef::TensorInfo(popef::DataType::F32, { 3 }));
    made.setPrograms({ program });
    made.setUpdatesPerRun(1);
    return made;
}

static std::string saved()
{
    std::ostringstream out;
    popef::Writer writer(out);
    popef::Metadata metadata;
    metadata.setExecutable("model");
    metadata.setReplicationFactor(2);
    metadata.setNumIpus(4);
    metadata.setIpuVersion("ipu2");
    metadata.setIsInference(true);
    metadata.setEngineOptions({ { "debug.instrument", "true" }, { "a", "" } });
    metadata.programFlow().setLoad({ 0 });
    metadata.programFlow().setSave({ 1 });
    metadata.setAnchors({ anchor("in", popef::TensorType::INPUT, 0), anchor("out", popef::TensorType::OUTPUT, 1) });
    writer.write(metadata);
    std::shared_ptr<popef::BlobWriter> blob = writer.createExecutable("model");
    compiled().serialize(blob->stream);
    blob->close();
    popef::TensorDataInfo info;
    info.setName("model/in");
    info.setTensorInfo(popef::TensorInfo(popef::DataType::F32, { 3 }));
    const float values[] = { 0.1f, -2, 3 };
    blob = writer.createTensorData(info);
    blob->stream.write(reinterpret_cast<const char *>(values), sizeof(values));
    blob->close();
    popef::FeedDataInfo feed;
    feed.setName("labels");
    feed.setTensorInfo(popef::TensorInfo(popef::DataType::U16, { 1, 2 }));
    feed.setNumTensors(3);
    blob = writer.createFeedData(feed);
    blob->stream << "twelve bytes";
    blob->close();
    blob = writer.createOpaqueBlob("framework", "model");
    blob->stream << "anything";
    blob->close();
    writer.createOpaqueBlob("not closed", "model"); // is not written
    writer.close();
    return out.str();
}

TEST(a_model_is_read_and_run)
{
    std::vector<popef::ExecutableReader> executables;
    std::vector<popef::TensorReader> tensors;
    {
        popef::Reader reader;
        std::istringstream in(saved());
        reader.parseStream(in);
        CHECK(reader.metadata().size() == 1 && reader.feeds().size() == 1 && reader.opaqueBlobs().size() == 1);
        CHECK(reader.feeds()[0].info.numTensors() == 3 && reader.feeds()[0].sizeInBytes() == 12);
        CHECK(reader.opaqueBlobs()[0].name == "framework" && reader.opaqueBlobs()[0].executable == "model");
        const popef::Metadata &read = reader.metadata()[0];
        CHECK(read.executable() == "model" && read.replicationFactor() == 2 && read.numIpus() == 4);
        CHECK(read.ipuVersion() == "ipu2" && read.isInference() && read.engineOptions().size() == 2);
        CHECK(read.engineOptions()[0].second == "true" && read.engineOptions()[1].second.empty());
        CHECK(read.programFlow().load() == std::vector<std::int64_t>{ 0 } && read.programFlow().main().empty());
        const popef::Anchor &out = read.anchors().at(1);
        CHECK(out.name() == "model/out" && out.handle() == "out" && out.type() == popef::TensorType::OUTPUT);
        CHECK(out.tensorInfo().sizeInBytes() == 12 && out.programs().at(0) == 1 && !out.isPerReplica());
        executables = reader.executables();
        tensors = reader.tensors();
    } // what was read keeps its file
    Engine engine(Executable::deserialize(executables.at(0).getStandaloneExecutableStream()));
    float x[3], y[3] = { 0, 0, 0 };
    CHECK(tensors.at(0).info.name() == "model/in" && tensors[0].sizeInBytes() == sizeof(x));
    tensors[0].getStandaloneDataStream()->read(reinterpret_cast<char *>(x), sizeof(x));
    engine.connectStream("in", x, x + 3);
    engine.connectStream("out", y, y + 3);
    const Device device = Device::createCPUDevice();
    engine.load(device);
    engine.run(0);
    engine.run(1);
    CHECK(y[0] == 0.1f && y[1] == -2 && y[2] == 3);
}

TEST(a_stream_of_a_blob_can_be_searched)
{
    popef::Reader reader;
    std::istringstream in(saved());
    reader.parseStream(in);
    const std::unique_ptr<std::istream> text = reader.opaqueBlobs()[0].getStandaloneDataStream();
    std::string rest;
    text->seekg(3);
    std::getline(*text, rest);
    CHECK(rest == "thing");
    text->clear();
    text->seekg(-1, std::ios::end);
    CHECK(text->get() == 'g' && text->get() == std::char_traits<char>::eof());
}

TEST(broken_files_are_refused)
{
    popef::Reader reader;
    std::istringstream empty(""), cut(saved().substr(0, 1000));
    CHECK_THROWS(reader.parseStream(empty), parse_error, "no PopEF file");
    CHECK_THROWS(reader.parseStream(cut), parse_error, "cut off");
    CHECK_THROWS(reader.parseFile("/nonexistent/model"), file_load_error, "/nonexistent/model");
    CHECK(reader.executables().empty() && reader.metadata().empty());
    std::ostringstream out;
    popef::Writer writer(out);
    popef::TensorDataInfo info;
    info.setName("t");
    info.setTensorInfo(popef::TensorInfo(popef::DataType::F16, { 5 }));
    const std::shared_ptr<popef::BlobWriter> blob = writer.createTensorData(info);
    blob->stream << "short";
    CHECK_THROWS(blob->close(), parse_error, "5 bytes, its type and shape need 10");
    writer.close();
    CHECK_THROWS(writer.close(), runtime_error, "NULL");
}
MAIN()
