// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"

#include "training.hpp"

#include <popef/Reader.hpp>
#include <popef/Writer.hpp>

#include <cstring>

namespace framework
{

Checkpoint Checkpoint::of(const std::map<std::string, std::vector<float>> &weights)
{
    Checkpoint made;
    for (const auto &entry : weights) {
        const States names = statesOf(entry.first);
        made.states[names.weights] = entry.second;
        for (const std::string &name : { names.first, names.second, names.gradient })
            made.states[name].assign(entry.second.size(), 0);
    }
    return made;
}

void Checkpoint::save(const std::string &path) const
{
    popef::Writer writer(path);
    auto blob = writer.createOpaqueBlob("step", "");
    blob->stream << step;
    blob->close();
    for (const auto &entry : states) {
        popef::TensorDataInfo info;
        info.setName(entry.first);
        info.setTensorInfo({ popef::DataType::F32, { static_cast<std::int64_t>(entry.second.size()) } });
        blob = writer.createTensorData(info);
        blob->stream.write(reinterpret_cast<const char *>(entry.second.data()), info.sizeInBytes());
        blob->close();
    }
    writer.close();
}

Checkpoint Checkpoint::load(const std::string &path)
{
    popef::Reader reader;
    reader.parseFile(path);
    Checkpoint read;
    *reader.opaqueBlobs().at(0).getStandaloneDataStream() >> read.step;
    for (const popef::TensorReader &tensor : reader.tensors()) {
        std::vector<float> &values = read.states[tensor.info.name()];
        values.resize(tensor.sizeInBytes() / sizeof(float));
        std::memcpy(values.data(), tensor.data(), tensor.sizeInBytes());
    }
    return read;
}

} // namespace framework
