// SPDX-License-Identifier: Apache-2.0
// The declarations that the measured program uses of the library, and no others: as if including it cost nothing.  run
// compiles
// the program with this in place of <poplar/...>; check verifies that every declaration here is used, that none is
// defined, and that the headers have the same names.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace poplar
{

template <typename T> class ArrayRef
{
  public:
    ArrayRef(std::initializer_list<T> list);

  private:
    const T *pointer;
    std::size_t count;
};

class StringRef
{
  public:
    StringRef(const char *text);

  private:
    const char *pointer;
    std::size_t count;
};

class SourceLocation
{
  public:
    static SourceLocation Current(const char *function = __builtin_FUNCTION(), const char *file = __builtin_FILE(),
                                  unsigned line = static_cast<unsigned>(__builtin_LINE()));

  private:
    const char *function, *file;
    unsigned line;
};

class DebugContext
{
  public:
    DebugContext(SourceLocation location = SourceLocation::Current());
    DebugContext(const char *name, SourceLocation location = SourceLocation::Current());
    ~DebugContext();

  private:
    std::string path;
    SourceLocation place;
};

class OptionFlags
{
  public:
    OptionFlags(std::initializer_list<std::pair<std::string, std::string>> list);
    OptionFlags();
    ~OptionFlags();

  private:
    void *state;
};

class Type
{
    int type;
};
extern const Type FLOAT, INT, UNSIGNED_INT;

enum class VariableMappingMethod { NONE, LINEAR };
enum class CodeletFileType { Auto };
enum class ReplicatedStreamMode { REPLICATE };

class Tensor
{
  public:
    Tensor(const Tensor &other);
    ~Tensor();
    std::size_t dim(unsigned i) const;
    Tensor operator[](std::size_t i) const;
    Tensor slice(std::size_t begin, std::size_t end, unsigned dimension = 0) const;
    Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;

  private:
    void *state;
};

class Target
{
  public:
    Target(const Target &other);
    ~Target();
    unsigned getNumTiles() const;
    unsigned getNumWorkerContexts() const;
    unsigned getExchangeBytesPerCycle() const;

  private:
    void *state;
};

class Device
{
  public:
    Device(Device &&other);
    ~Device();
    const Target &getTarget() const;

  private:
    void *state;
};

struct IPUModel {
    enum class RelativeSyncDelayType { AUTO, NO_DELAY };
    IPUModel(const char *version = "ipu2");
    ~IPUModel();
    Device createDevice(const OptionFlags &options = {}, bool accurateHalf = false) const;

    std::string version;
    unsigned minIPUSyncDelay;
    RelativeSyncDelayType relativeSyncDelay;
};

class DataStream
{
    void *state;
};
class RemoteBuffer
{
    void *state;
};
class ComputeSet
{
    void *state;
};
class FieldRef
{
    void *state;
};
class VertexRef
{
  public:
    FieldRef operator[](StringRef field) const;

  private:
    void *state;
};

class ConnectionDesc
{
  public:
    ConnectionDesc(StringRef field, const Tensor &t);
    ~ConnectionDesc();

  private:
    void *state;
};

class Graph
{
  public:
    Graph(const Target &target);
    ~Graph();
    const Target &getTarget() const;
    Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, const DebugContext &debugContext = {});
    Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                       const DebugContext &debugContext = {});
    template <typename T>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                       const DebugContext &debugContext = { "<const>" });
    template <typename T> void setInitialValue(const Tensor &t, T value);
    void setTileMapping(const Tensor &t, unsigned tile);
    void setTileMapping(VertexRef vertex, unsigned tile);
    bool addCodelets(StringRef file, CodeletFileType type = CodeletFileType::Auto, StringRef flags = "",
                     StringRef target = "");
    ComputeSet addComputeSet(const DebugContext &debugContext = {});
    VertexRef addVertex(ComputeSet set, StringRef vertexType);
    VertexRef addVertex(ComputeSet set, StringRef vertexType, ArrayRef<ConnectionDesc> connections);
    void connect(const FieldRef &field, const Tensor &t);
    void setCycleEstimate(const VertexRef &vertex, std::uint64_t cycles);
    void setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles, std::uint64_t flops = 0);
    void createHostWrite(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
    void createHostRead(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
    DataStream addHostToDeviceFIFO(StringRef handle, const Type &type, std::size_t elements,
                                   ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
                                   const OptionFlags &options = {});
    DataStream addDeviceToHostFIFO(StringRef handle, const Type &type, std::size_t elements,
                                   const OptionFlags &options = {});
    RemoteBuffer addRemoteBuffer(StringRef handle, const Type &type, std::size_t elements, std::size_t repeats = 1,
                                 bool rearrangeOnHost = false, bool optimiseMemory = false);

  private:
    void *state;
};

namespace program
{

class Program
{
  public:
    Program(const Program &other);
    ~Program();

  private:
    void *state;
};
class Sequence : public Program
{
  public:
    ~Sequence();
    Sequence(const DebugContext &debugContext = {});
    template <typename... Rest> Sequence(const Program &first, const Program &second, const Rest &...rest);
    void add(const Program &program);
};
class Execute : public Program
{
  public:
    ~Execute();
    Execute(ComputeSet set, const DebugContext &debugContext = {});
};
class Repeat : public Program
{
  public:
    ~Repeat();
    Repeat(unsigned count, const Program &body, const DebugContext &debugContext = {});
};
class Copy : public Program
{
  public:
    ~Copy();
    Copy(const Tensor &source, const Tensor &destination, bool dontOutline = false,
         const DebugContext &debugContext = {});
    Copy(const DataStream &stream, const Tensor &destination, bool optimiseMemory = false,
         const DebugContext &debugContext = {});
    Copy(const Tensor &source, const DataStream &stream, bool optimiseMemory = false,
         const DebugContext &debugContext = {});
    Copy(const Tensor &source, const RemoteBuffer &buffer, const Tensor &offset, const DebugContext &debugContext = {});
};
class PrintTensor : public Program
{
  public:
    ~PrintTensor();
    PrintTensor(StringRef title, const Tensor &t, const DebugContext &debugContext = {});
};

} // namespace program

class StreamCallbackBase
{
  public:
    enum Result { Success };
    virtual ~StreamCallbackBase();
    virtual void complete();
};
class StreamCallback : public StreamCallbackBase
{
  public:
    StreamCallback();
    ~StreamCallback() override;
    virtual Result prefetch(void *buffer) = 0;
    virtual void fetch(void *buffer) = 0;
};
class ProfileValue
{
  public:
    ~ProfileValue();
    const ProfileValue &operator[](StringRef key) const;
    std::uint64_t asUint() const;

  private:
    void *state;
};

class Engine
{
  public:
    Engine(const Graph &graph, const program::Program &program, const OptionFlags &options = {});
    ~Engine();
    void load(const Device &device);
    void run(unsigned program = 0, const std::string &debugName = "");
    void writeTensor(StringRef handle, const void *data);
    void readTensor(StringRef handle, void *data);
    void connectStream(StringRef handle, void *begin, void *end);
    void connectStreamToCallback(StringRef handle, std::unique_ptr<StreamCallback> callback);
    void connectStreamToCallback(StringRef handle, void (*callback)(void *));
    void copyFromRemoteBuffer(StringRef handle, void *data, std::uint64_t repeatIndex = 0, unsigned replica = 0);
    ProfileValue getExecutionProfile() const;

  private:
    void *state;
};

} // namespace poplar
