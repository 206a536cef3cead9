// SPDX-License-Identifier: Apache-2.0
// What a PopEF file describes: tensors, streams ("anchors"), programs and facts about an executable.
//
// The names of popef::Metadata, Anchor, TensorInfo, Reader and Writer are those of Graphcore's public documentation as
// far as they are known; docs/reference/popef.md says which are inferred. The file format is Tremula's own.
#ifndef POPEF_TYPES_HPP
#define POPEF_TYPES_HPP

#include <popef/popef.h>
#include <poplar/ProfileValue.hpp>
#include <poplar/detail/error.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace popef
{

// Types of elements.
enum class DataType : std::uint8_t { BOOL, S8, U8, S16, U16, S32, U32, S64, U64, F8_143, F8_152, F16, F32, F64 };
// Direction of a stream.
enum class TensorType : std::uint8_t { INPUT, OUTPUT, IN_OUTPUT, UNKNOWN };

namespace detail
{

inline const char *const *dataTypes()
{
    static const char *const names[] = { "BOOL", "S8",  "U8",     "S16",    "U16", "S32", "U32",
                                         "S64",  "U64", "F8_143", "F8_152", "F16", "F32", "F64" };
    return names;
}
inline const char *const *tensorTypes()
{
    static const char *const names[] = { "INPUT", "OUTPUT", "IN_OUTPUT", "UNKNOWN" };
    return names;
}
// The number of a name; throws parse_error for an unknown one.
inline unsigned numbered(const char *const *names, unsigned count, const std::string &name, const char *what)
{
    for (unsigned i = 0; i < count; ++i)
        if (name == names[i])
            return i;
    poplar::detail::raise(POP_PARSE_ERROR, "'%s' is no %s", name.c_str(), what);
}
typedef poplar::ProfileValue Value;
// A member of a map; the default if there is none. A member of another kind throws.
inline std::string text(const Value &map, const char *key)
{
    const Value *found = map.getOrNull(key);
    return found ? found->asString() : std::string();
}
inline std::int64_t integer(const Value &map, const char *key, std::int64_t otherwise)
{
    const Value *found = map.getOrNull(key);
    return found ? found->asInt() : otherwise;
}
inline bool truth(const Value &map, const char *key)
{
    const Value *found = map.getOrNull(key);
    return found && found->asBool();
}
inline Value list(const std::vector<std::int64_t> &numbers)
{
    Value::Vector made;
    for (std::int64_t number : numbers)
        made.push_back(Value(number));
    return made;
}
inline std::vector<std::int64_t> numbers(const Value &map, const char *key)
{
    std::vector<std::int64_t> read;
    const Value *found = map.getOrNull(key);
    for (std::size_t i = 0; found && i < found->asVector().size(); ++i)
        read.push_back((*found)[i].asInt());
    return read;
}

} // namespace detail

inline const char *toString(DataType type)
{
    return detail::dataTypes()[static_cast<unsigned>(type)];
}
inline const char *toString(TensorType type)
{
    return detail::tensorTypes()[static_cast<unsigned>(type)];
}
inline std::ostream &operator<<(std::ostream &out, DataType type)
{
    return out << toString(type);
}
inline std::ostream &operator<<(std::ostream &out, TensorType type)
{
    return out << toString(type);
}
// Bytes of an element.
inline std::size_t sizeOf(DataType type)
{
    return popef_type_bytes(toString(type));
}

// Type and shape of a tensor.
class TensorInfo
{
  public:
    TensorInfo() : elementType(DataType::F32)
    {
    }
    TensorInfo(DataType type, std::vector<std::int64_t> shape) : elementType(type), sizes(std::move(shape))
    {
    }
    DataType dataType() const
    {
        return elementType;
    }
    void setDataType(DataType type)
    {
        elementType = type;
    }
    const std::vector<std::int64_t> &shape() const
    {
        return sizes;
    }
    void setShape(std::vector<std::int64_t> shape)
    {
        sizes = std::move(shape);
    }
    std::int64_t numElements() const
    {
        std::int64_t elements = 1;
        for (std::int64_t size : sizes)
            elements *= size;
        return elements;
    }
    std::int64_t sizeInBytes() const
    {
        return numElements() * static_cast<std::int64_t>(sizeOf(elementType));
    }
    friend bool operator==(const TensorInfo &a, const TensorInfo &b)
    {
        return a.elementType == b.elementType && a.sizes == b.sizes;
    }
    friend bool operator!=(const TensorInfo &a, const TensorInfo &b)
    {
        return !(a == b);
    }

    // The members "type" and "shape" of a description.
    void write(detail::Value::Map &map) const
    {
        map["type"] = toString(elementType);
        map["shape"] = detail::list(sizes);
    }
    void read(const detail::Value &map)
    {
        elementType =
            static_cast<DataType>(detail::numbered(detail::dataTypes(), 14, detail::text(map, "type"), "type"));
        sizes = detail::numbers(map, "shape");
    }

  private:
    DataType elementType;
    std::vector<std::int64_t> sizes;
};

// A tensor whose values are in the file.
class TensorDataInfo
{
  public:
    const std::string &name() const
    {
        return own;
    }
    void setName(std::string name)
    {
        own = std::move(name);
    }
    const TensorInfo &tensorInfo() const
    {
        return info;
    }
    TensorInfo &tensorInfo()
    {
        return info;
    }
    void setTensorInfo(TensorInfo tensor)
    {
        info = std::move(tensor);
    }
    std::int64_t sizeInBytes() const
    {
        return info.sizeInBytes();
    }

  private:
    std::string own;
    TensorInfo info;
};

// Data of several transfers of a stream.
class FeedDataInfo : public TensorDataInfo
{
  public:
    FeedDataInfo() : count(0)
    {
    }
    std::int64_t numTensors() const
    {
        return count;
    }
    void setNumTensors(std::int64_t tensors)
    {
        count = tensors;
    }

  private:
    std::int64_t count;
};

// A tensor that an executable transfers: its name in the model, and the handle of its stream or remote buffer.
class Anchor
{
  public:
    Anchor() : direction(TensorType::UNKNOWN), replicas(false), remote(false), updates(1)
    {
    }
    const std::string &name() const
    {
        return own;
    }
    void setName(std::string name)
    {
        own = std::move(name);
    }
    const std::string &handle() const
    {
        return stream;
    }
    void setHandle(std::string handle)
    {
        stream = std::move(handle);
    }
    const TensorInfo &tensorInfo() const
    {
        return info;
    }
    TensorInfo &tensorInfo()
    {
        return info;
    }
    void setTensorInfo(TensorInfo tensor)
    {
        info = std::move(tensor);
    }
    TensorType type() const
    {
        return direction;
    }
    void setType(TensorType type)
    {
        direction = type;
    }
    // Whether each replica has data of its own.
    bool isPerReplica() const
    {
        return replicas;
    }
    void setIsPerReplica(bool perReplica)
    {
        replicas = perReplica;
    }
    // Transfers in a run of its program.
    std::int64_t updatesPerRun() const
    {
        return updates;
    }
    void setUpdatesPerRun(std::int64_t transfers)
    {
        updates = transfers;
    }
    bool useRemoteBuffers() const
    {
        return remote;
    }
    void setUseRemoteBuffers(bool use)
    {
        remote = use;
    }
    // The programs that transfer it.
    const std::vector<std::int64_t> &programs() const
    {
        return list;
    }
    void setPrograms(std::vector<std::int64_t> programs)
    {
        list = std::move(programs);
    }

    detail::Value write() const
    {
        detail::Value::Map map;
        map["name"] = own;
        map["handle"] = stream;
        map["direction"] = toString(direction);
        map["perReplica"] = replicas;
        map["updatesPerRun"] = updates;
        map["remoteBuffer"] = remote;
        map["programs"] = detail::list(list);
        info.write(map);
        return map;
    }
    void read(const detail::Value &map)
    {
        own = detail::text(map, "name");
        stream = detail::text(map, "handle");
        direction = static_cast<TensorType>(
            detail::numbered(detail::tensorTypes(), 4, detail::text(map, "direction"), "direction"));
        replicas = detail::truth(map, "perReplica");
        updates = detail::integer(map, "updatesPerRun", 1);
        remote = detail::truth(map, "remoteBuffer");
        list = detail::numbers(map, "programs");
        info.read(map);
    }

  private:
    std::string own, stream;
    TensorInfo info;
    TensorType direction;
    bool replicas, remote;
    std::int64_t updates;
    std::vector<std::int64_t> list;
};

// The programs that load a model, run it, and save it, by their numbers.
class ProgramFlow
{
  public:
    const std::vector<std::int64_t> &load() const
    {
        return before;
    }
    const std::vector<std::int64_t> &main() const
    {
        return during;
    }
    const std::vector<std::int64_t> &save() const
    {
        return after;
    }
    void setLoad(std::vector<std::int64_t> programs)
    {
        before = std::move(programs);
    }
    void setMain(std::vector<std::int64_t> programs)
    {
        during = std::move(programs);
    }
    void setSave(std::vector<std::int64_t> programs)
    {
        after = std::move(programs);
    }

  private:
    std::vector<std::int64_t> before, during, after;
};

// Facts about an executable that who runs it needs.
class Metadata
{
  public:
    // Names of options with their values.
    typedef std::vector<std::pair<std::string, std::string>> Options;

    Metadata() : replicas(1), processes(1), ipus(1), inference(false)
    {
    }
    // Name of the executable that this describes.
    const std::string &executable() const
    {
        return of;
    }
    void setExecutable(std::string name)
    {
        of = std::move(name);
    }
    std::int64_t replicationFactor() const
    {
        return replicas;
    }
    void setReplicationFactor(std::int64_t factor)
    {
        replicas = factor;
    }
    std::int64_t numProcesses() const
    {
        return processes;
    }
    void setNumProcesses(std::int64_t count)
    {
        processes = count;
    }
    // IPUs of a replica.
    std::int64_t numIpus() const
    {
        return ipus;
    }
    void setNumIpus(std::int64_t count)
    {
        ipus = count;
    }
    // "ipu2", for example.
    const std::string &ipuVersion() const
    {
        return version;
    }
    void setIpuVersion(std::string ipu)
    {
        version = std::move(ipu);
    }
    bool isInference() const
    {
        return inference;
    }
    void setIsInference(bool only)
    {
        inference = only;
    }
    const Options &engineOptions() const
    {
        return options;
    }
    void setEngineOptions(Options engine)
    {
        options = std::move(engine);
    }
    const ProgramFlow &programFlow() const
    {
        return flow;
    }
    ProgramFlow &programFlow()
    {
        return flow;
    }
    void setProgramFlow(ProgramFlow programs)
    {
        flow = std::move(programs);
    }
    const std::vector<Anchor> &anchors() const
    {
        return tensors;
    }
    std::vector<Anchor> &anchors()
    {
        return tensors;
    }
    void setAnchors(std::vector<Anchor> list)
    {
        tensors = std::move(list);
    }

    detail::Value write() const
    {
        detail::Value::Map map;
        map["executable"] = of;
        map["replicationFactor"] = replicas;
        map["processes"] = processes;
        map["ipus"] = ipus;
        map["ipuVersion"] = version;
        map["inference"] = inference;
        detail::Value::Vector pairs, list;
        for (const std::pair<std::string, std::string> &option : options)
            pairs.push_back(detail::Value::Vector{ detail::Value(option.first), detail::Value(option.second) });
        for (const Anchor &anchor : tensors)
            list.push_back(anchor.write());
        map["engineOptions"] = std::move(pairs);
        map["anchors"] = std::move(list);
        map["load"] = detail::list(flow.load());
        map["main"] = detail::list(flow.main());
        map["save"] = detail::list(flow.save());
        return map;
    }
    void read(const detail::Value &map)
    {
        of = detail::text(map, "executable");
        replicas = detail::integer(map, "replicationFactor", 1);
        processes = detail::integer(map, "processes", 1);
        ipus = detail::integer(map, "ipus", 1);
        version = detail::text(map, "ipuVersion");
        inference = detail::truth(map, "inference");
        options.clear();
        const detail::Value *pairs = map.getOrNull("engineOptions"), *list = map.getOrNull("anchors");
        for (std::size_t i = 0; pairs && i < pairs->asVector().size(); ++i)
            options.emplace_back((*pairs)[i][0].asString(), (*pairs)[i][1].asString());
        tensors.assign(list ? list->asVector().size() : 0, Anchor());
        for (std::size_t i = 0; i < tensors.size(); ++i)
            tensors[i].read((*list)[i]);
        flow.setLoad(detail::numbers(map, "load"));
        flow.setMain(detail::numbers(map, "main"));
        flow.setSave(detail::numbers(map, "save"));
    }

  private:
    std::string of, version;
    std::int64_t replicas, processes, ipus;
    bool inference;
    Options options;
    ProgramFlow flow;
    std::vector<Anchor> tensors;
};

} // namespace popef
#endif
