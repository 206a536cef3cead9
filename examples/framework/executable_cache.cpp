// SPDX-License-Identifier: Apache-2.0
#include "executable_cache.hpp"

#include <popef/Reader.hpp>
#include <popef/Writer.hpp>
#include <poplar/Engine.hpp>

#include <iostream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace framework
{

using poplar::ProfileValue;

ExecutableCache::ExecutableCache(const std::string &directory, const Ir &ir, const poplar::EngineOptions &options,
                                 unsigned microBatches)
{
    const poplar::OptionFlags &flags = options;
    std::ostringstream text, name;
    ir.print(text);
    text << microBatches << " micro batches, " << options.getReplicationFactor() << " replicas, "
         << poplar::packageHash() << ' ' << flags;
    identity = text.str();
    name << directory << '/' << std::hex << (hash_value(options) ^ std::hash<std::string>()(identity)) << ".popef";
    if (directory.empty())
        return;
    mkdir(directory.c_str(), 0700); // whoever can write there decides what runs here
    file = name.str();
}

// ---- how states are divided, as an opaque blob ----

static ProfileValue write(const std::map<std::string, Division> &divisions)
{
    ProfileValue::Map all;
    for (const auto &entry : divisions) {
        ProfileValue::Vector slices;
        for (const poplar::Interval &slice : entry.second.getGatheredToRefSlices())
            slices.push_back(ProfileValue::Vector{ ProfileValue(slice.begin()), ProfileValue(slice.end()) });
        ProfileValue::Map map;
        map["replicas"] = entry.second.getReplicationFactor();
        map["elements"] = entry.second.getTotalElementsPerReplica();
        map["slices"] = std::move(slices);
        all[entry.first] = std::move(map);
    }
    return all;
}

static std::map<std::string, Division> read(const ProfileValue &all)
{
    std::map<std::string, Division> divisions;
    for (const auto &entry : all.asMap()) {
        Division &division = divisions[entry.first];
        division.setReplicationFactor(entry.second["replicas"].asUint());
        division.setTotalElementsPerReplica(entry.second["elements"].asUint());
        std::vector<poplar::Interval> slices;
        for (const ProfileValue &slice : entry.second["slices"].asVector())
            slices.emplace_back(slice[0].asUint(), slice[1].asUint());
        division.setGatheredToRefSlices(slices);
    }
    return divisions;
}

static ProfileValue parse(const std::string &json)
{
    pop_profile_value value;
    pop_error error;
    poplar::detail::check(pop_profile_read_json(json.data(), json.size(), &value, &error), error);
    return ProfileValue(value);
}

static std::string text(const popef::OpaqueReader &blob)
{
    return std::string(static_cast<const char *>(blob.data()), blob.sizeInBytes());
}

// ---- the file ----

void ExecutableCache::save(const Compiled &compiled) const
{
    if (file.empty())
        return;
    popef::Writer writer(file); // the file has its name when it is complete
    writer.write(compiled.metadata);
    auto blob = writer.createOpaqueBlob("identity", "model");
    blob->stream << identity;
    blob->close();
    blob = writer.createOpaqueBlob("divisions", "model");
    poplar::serializeToJSON(blob->stream, write(compiled.divisions));
    blob->close();
    blob = writer.createExecutable("model");
    compiled.executable.serialize(blob->stream);
    blob->close();
    writer.close();
}

bool ExecutableCache::load(Compiled &compiled) const
{
    if (file.empty() || access(file.c_str(), R_OK) != 0)
        return false;
    try {
        popef::Reader reader;
        reader.parseFile(file);
        if (text(reader.opaqueBlobs().at(0)) != identity)
            return false;
        compiled.divisions = read(parse(text(reader.opaqueBlobs().at(1))));
        compiled.metadata = reader.metadata().at(0);
        compiled.executable =
            poplar::Executable::deserialize(reader.executables().at(0).getStandaloneExecutableStream());
        return true;
    } catch (const std::exception &problem) { // of any kind: the model is compiled instead
        std::cerr << "the cached executable is not used: " << problem.what() << '\n';
        return false;
    }
}

} // namespace framework
