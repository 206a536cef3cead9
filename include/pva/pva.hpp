// SPDX-License-Identifier: Apache-2.0
/// libpva in C++: what report files and trace files hold, as objects whose properties are methods.  What each property
/// is stands in <pva/model.def>; how files are read, in <pva/pva.h>.
///
/// Objects are values; they keep their file open.  Lists are like vectors that are read as they are used: size(), [],
/// begin() and end().  What fails throws pva::Error.
#ifndef PVA_PVA_HPP
#define PVA_PVA_HPP

#include <pva/pva.h>

// Programs rely on these.
#include <algorithm>
#include <iomanip>
#include <iostream>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace pva
{

/// What went wrong: the text, and its kind.
class Error : public std::runtime_error
{
  public:
    explicit Error(const pop_error &error) : std::runtime_error(error.text), kind(error.status)
    {
    }
    pop_status status() const
    {
        return kind;
    }

  private:
    pop_status kind;
};

namespace detail
{

/// An open file, which objects share.
struct File {
    explicit File(pva_file *opened) : file(opened)
    {
    }
    ~File()
    {
        pva_close(file);
    }
    File(const File &) = delete;
    File &operator=(const File &) = delete;
    pva_file *file;
};
using FileRef = std::shared_ptr<File>;

inline void check(const FileRef &file)
{
    if (file && pva_failed(file->file)) {
        pop_error error;
        pva_take_error(file->file, &error);
        throw Error(error);
    }
}

inline FileRef opened(pva_file *file, const pop_error &error)
{
    if (!file)
        throw Error(error);
    return std::make_shared<File>(file);
}

} // namespace detail

/// Anything that a file holds.
class Object
{
  public:
    Object() : object()
    {
    }
    Object(const detail::FileRef &file_, const pva_object &object_) : file(file_), object(object_)
    {
    }
    /// Whether there is one.
    explicit operator bool() const
    {
        return !pva_is_null(object);
    }
    const pva_object &handle() const
    {
        return object;
    }
    const detail::FileRef &source() const
    {
        return file;
    }
    friend bool operator==(const Object &a, const Object &b)
    {
        return pva_same(a.object, b.object) != 0;
    }
    friend bool operator!=(const Object &a, const Object &b)
    {
        return !(a == b);
    }

  protected:
    std::uint64_t natural(pva_property property) const
    {
        const std::uint64_t value = pva_uint(object, property);
        detail::check(file);
        return value;
    }
    bool boolean(pva_property property) const
    {
        return natural(property) != 0;
    }
    double real(pva_property property) const
    {
        const double value = pva_real(object, property);
        detail::check(file);
        return value;
    }
    std::string text(pva_property property) const
    {
        const std::unique_ptr<char, void (*)(void *)> copy(pva_text_copy(object, property), std::free);
        detail::check(file);
        return copy.get();
    }
    std::vector<std::uint64_t> numbers(pva_property property) const
    {
        std::vector<std::uint64_t> values(static_cast<std::size_t>(pva_count(object, property)));
        if (!values.empty())
            pva_numbers(object, property, 0, values.size(), values.data());
        detail::check(file);
        return values;
    }
    template <typename T> T get(pva_property property) const
    {
        const pva_object found = pva_get(object, property);
        detail::check(file);
        return T(file, found);
    }
    template <typename T> T ask(pva_query query, std::uint64_t number) const
    {
        const pva_object found = pva_ask(object, query, number);
        detail::check(file);
        return T(file, found);
    }

    detail::FileRef file;
    pva_object object;
};

/// How an element of a list comes from its object; programs are pointers.
template <typename T> struct Element {
    static T make(const detail::FileRef &file, const pva_object &object)
    {
        return T(file, object);
    }
};

/// A list that is read as it is used.
template <typename T> class List
{
  public:
    using value_type = T;
    using size_type = std::size_t;

    class const_iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        struct pointer {
            T value;
            const T *operator->() const
            {
                return &value;
            }
        };
        using reference = T;
        const_iterator() : list(nullptr), index(0)
        {
        }
        const_iterator(const List *list_, std::size_t index_) : list(list_), index(index_)
        {
        }
        T operator*() const
        {
            return (*list)[index];
        }
        pointer operator->() const
        {
            return pointer{ (*list)[index] };
        }
        T operator[](difference_type n) const
        {
            return (*list)[index + static_cast<std::size_t>(n)];
        }
        const_iterator &operator++()
        {
            return ++index, *this;
        }
        const_iterator operator++(int)
        {
            return const_iterator(list, index++);
        }
        const_iterator &operator--()
        {
            return --index, *this;
        }
        const_iterator &operator+=(difference_type n)
        {
            return index += static_cast<std::size_t>(n), *this;
        }
        const_iterator &operator-=(difference_type n)
        {
            return index -= static_cast<std::size_t>(n), *this;
        }
        friend const_iterator operator+(const_iterator i, difference_type n)
        {
            return i += n;
        }
        friend const_iterator operator-(const_iterator i, difference_type n)
        {
            return i -= n;
        }
        friend difference_type operator-(const const_iterator &a, const const_iterator &b)
        {
            return static_cast<difference_type>(a.index) - static_cast<difference_type>(b.index);
        }
        friend bool operator==(const const_iterator &a, const const_iterator &b)
        {
            return a.index == b.index;
        }
        friend bool operator!=(const const_iterator &a, const const_iterator &b)
        {
            return a.index != b.index;
        }
        friend bool operator<(const const_iterator &a, const const_iterator &b)
        {
            return a.index < b.index;
        }

      private:
        const List *list;
        std::size_t index;
    };
    using iterator = const_iterator;

    List() : object(), property(PVA_PROPERTY_COUNT), count(0)
    {
    }
    List(const detail::FileRef &file_, const pva_object &object_, pva_property property_)
        : file(file_), object(object_), property(property_),
          count(static_cast<std::size_t>(pva_count(object_, property_)))
    {
        detail::check(file);
    }
    std::size_t size() const
    {
        return count;
    }
    bool empty() const
    {
        return count == 0;
    }
    T operator[](std::size_t index) const
    {
        const pva_object found = pva_at(object, property, index);
        detail::check(file);
        return Element<T>::make(file, found);
    }
    T at(std::size_t index) const
    {
        return (*this)[index];
    }
    T front() const
    {
        return (*this)[0];
    }
    T back() const
    {
        return (*this)[count - 1];
    }
    const_iterator begin() const
    {
        return const_iterator(this, 0);
    }
    const_iterator end() const
    {
        return const_iterator(this, count);
    }
    const_iterator cbegin() const
    {
        return begin();
    }
    const_iterator cend() const
    {
        return end();
    }
    operator std::vector<T>() const
    {
        return std::vector<T>(begin(), end());
    }

  private:
    detail::FileRef file;
    pva_object object;
    pva_property property;
    std::size_t count;
};

using Numbers = std::vector<std::uint64_t>;

// A method of each kind.
#define PVA_METHOD_UINT(name, PROPERTY)                                                                                \
    std::uint64_t name() const                                                                                         \
    {                                                                                                                  \
        return natural(PVA_##PROPERTY);                                                                                \
    }
#define PVA_METHOD_INT(name, PROPERTY)                                                                                 \
    int name() const                                                                                                   \
    {                                                                                                                  \
        return static_cast<int>(natural(PVA_##PROPERTY));                                                              \
    }
#define PVA_METHOD_BOOL(name, PROPERTY)                                                                                \
    bool name() const                                                                                                  \
    {                                                                                                                  \
        return boolean(PVA_##PROPERTY);                                                                                \
    }
#define PVA_METHOD_REAL(name, PROPERTY)                                                                                \
    double name() const                                                                                                \
    {                                                                                                                  \
        return real(PVA_##PROPERTY);                                                                                   \
    }
#define PVA_METHOD_TEXT(name, PROPERTY)                                                                                \
    std::string name() const                                                                                           \
    {                                                                                                                  \
        return text(PVA_##PROPERTY);                                                                                   \
    }
#define PVA_METHOD_NUMBERS(name, PROPERTY)                                                                             \
    Numbers name() const                                                                                               \
    {                                                                                                                  \
        return numbers(PVA_##PROPERTY);                                                                                \
    }
#define PVA_METHOD_OBJECT(T, name, PROPERTY)                                                                           \
    T name() const                                                                                                     \
    {                                                                                                                  \
        return get<T>(PVA_##PROPERTY);                                                                                 \
    }
#define PVA_METHOD_LIST(T, name, PROPERTY)                                                                             \
    List<T> name() const                                                                                               \
    {                                                                                                                  \
        return List<T>(file, object, PVA_##PROPERTY);                                                                  \
    }
#define PVA_OBJECT(T)                                                                                                  \
    T()                                                                                                                \
    {                                                                                                                  \
    }                                                                                                                  \
    T(const detail::FileRef &file_, const pva_object &object_) : Object(file_, object_)                                \
    {                                                                                                                  \
    }

class PoplarVersion : public Object
{
  public:
    PVA_OBJECT(PoplarVersion)
    PVA_METHOD_INT(majorVer, POPLAR_VERSION_MAJOR)
    PVA_METHOD_INT(minorVer, POPLAR_VERSION_MINOR)
    PVA_METHOD_INT(pointVer, POPLAR_VERSION_POINT)
    PVA_METHOD_TEXT(packageHash, POPLAR_VERSION_PACKAGE_HASH)
    PVA_METHOD_TEXT(string, POPLAR_VERSION_STRING)
};

class ProfileReportVersion : public Object
{
  public:
    PVA_OBJECT(ProfileReportVersion)
    PVA_METHOD_INT(majorVer, VERSION_MAJOR)
    PVA_METHOD_INT(minorVer, VERSION_MINOR)
    PVA_METHOD_INT(pointVer, VERSION_POINT)
    PVA_METHOD_BOOL(isUnstableFormat, VERSION_IS_UNSTABLE_FORMAT)
    PVA_METHOD_BOOL(isClosed, VERSION_IS_CLOSED)
};

class InstrumentationSettings : public Object
{
  public:
    enum class Compute { Off = 0, Vertex, Tile, Ipu, Device, Unknown };
    enum class ExternalExchange { Off = 0, Tile, Unknown };
    PVA_OBJECT(InstrumentationSettings)
    Compute compute() const
    {
        return static_cast<Compute>(natural(PVA_INSTRUMENTATION_COMPUTE));
    }
    ExternalExchange externalExchange() const
    {
        return static_cast<ExternalExchange>(natural(PVA_INSTRUMENTATION_EXTERNAL_EXCHANGE));
    }
    PVA_METHOD_TEXT(mode, INSTRUMENTATION_MODE)
};

class Option : public Object
{
  public:
    PVA_OBJECT(Option)
    PVA_METHOD_TEXT(name, OPTION_NAME)
    PVA_METHOD_TEXT(value, OPTION_VALUE)
    PVA_METHOD_BOOL(isSet, OPTION_IS_SET)
};

class Graph : public Object
{
  public:
    PVA_OBJECT(Graph)
    PVA_METHOD_UINT(numComputeSets, GRAPH_NUM_COMPUTE_SETS)
    PVA_METHOD_UINT(numVertices, GRAPH_NUM_VERTICES)
    PVA_METHOD_UINT(numEdges, GRAPH_NUM_EDGES)
    PVA_METHOD_UINT(numVars, GRAPH_NUM_VARS)
};

class MemorySize : public Object
{
  public:
    PVA_OBJECT(MemorySize)
    PVA_METHOD_UINT(includingGaps, MEMORY_SIZE_INCLUDING_GAPS)
    PVA_METHOD_UINT(excludingGaps, MEMORY_SIZE_EXCLUDING_GAPS)
};

class MemoryOverlap : public Object
{
  public:
    PVA_OBJECT(MemoryOverlap)
    PVA_METHOD_UINT(nonOverlapped, OVERLAP_NON_OVERLAPPED)
    PVA_METHOD_UINT(overlapped, OVERLAP_OVERLAPPED)
};

class MemoryCategory : public Object
{
  public:
    PVA_OBJECT(MemoryCategory)
    PVA_METHOD_TEXT(name, CATEGORY_NAME)
    PVA_METHOD_UINT(total, CATEGORY_TOTAL)
    PVA_METHOD_OBJECT(MemoryOverlap, interleaved, CATEGORY_INTERLEAVED)
    PVA_METHOD_OBJECT(MemoryOverlap, nonInterleaved, CATEGORY_NON_INTERLEAVED)
    PVA_METHOD_OBJECT(MemoryOverlap, overflowed, CATEGORY_OVERFLOWED)
};

class MemoryCategories : public Object
{
  public:
    PVA_OBJECT(MemoryCategories)
    PVA_METHOD_OBJECT(MemoryCategory, constant, CATEGORIES_CONSTANT)
    PVA_METHOD_OBJECT(MemoryCategory, controlCode, CATEGORIES_CONTROL_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, controlId, CATEGORIES_CONTROL_ID)
    PVA_METHOD_OBJECT(MemoryCategory, controlTable, CATEGORIES_CONTROL_TABLE)
    PVA_METHOD_OBJECT(MemoryCategory, copyDescriptor, CATEGORIES_COPY_DESCRIPTOR)
    PVA_METHOD_OBJECT(MemoryCategory, globalExchangeCode, CATEGORIES_GLOBAL_EXCHANGE_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, globalExchangePacketHeader, CATEGORIES_GLOBAL_EXCHANGE_PACKET_HEADER)
    PVA_METHOD_OBJECT(MemoryCategory, globalMessage, CATEGORIES_GLOBAL_MESSAGE)
    PVA_METHOD_OBJECT(MemoryCategory, hostExchangeCode, CATEGORIES_HOST_EXCHANGE_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, hostExchangePacketHeader, CATEGORIES_HOST_EXCHANGE_PACKET_HEADER)
    PVA_METHOD_OBJECT(MemoryCategory, hostMessage, CATEGORIES_HOST_MESSAGE)
    PVA_METHOD_OBJECT(MemoryCategory, instrumentationResults, CATEGORIES_INSTRUMENTATION_RESULTS)
    PVA_METHOD_OBJECT(MemoryCategory, internalExchangeCode, CATEGORIES_INTERNAL_EXCHANGE_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, message, CATEGORIES_MESSAGE)
    PVA_METHOD_OBJECT(MemoryCategory, multiple, CATEGORIES_MULTIPLE)
    PVA_METHOD_OBJECT(MemoryCategory, outputEdge, CATEGORIES_OUTPUT_EDGE)
    PVA_METHOD_OBJECT(MemoryCategory, rearrangement, CATEGORIES_REARRANGEMENT)
    PVA_METHOD_OBJECT(MemoryCategory, sharedCodeStorage, CATEGORIES_SHARED_CODE_STORAGE)
    PVA_METHOD_OBJECT(MemoryCategory, sharedDataStorage, CATEGORIES_SHARED_DATA_STORAGE)
    PVA_METHOD_OBJECT(MemoryCategory, stack, CATEGORIES_STACK)
    PVA_METHOD_OBJECT(MemoryCategory, variable, CATEGORIES_VARIABLE)
    PVA_METHOD_OBJECT(MemoryCategory, vectorListDescriptor, CATEGORIES_VECTOR_LIST_DESCRIPTOR)
    PVA_METHOD_OBJECT(MemoryCategory, vertexCode, CATEGORIES_VERTEX_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, vertexFieldData, CATEGORIES_VERTEX_FIELD_DATA)
    PVA_METHOD_OBJECT(MemoryCategory, vertexInstanceState, CATEGORIES_VERTEX_INSTANCE_STATE)
};

class VertexType : public Object
{
  public:
    PVA_OBJECT(VertexType)
    PVA_METHOD_TEXT(name, VERTEX_TYPE_NAME)
    PVA_METHOD_UINT(size, VERTEX_TYPE_SIZE)
    PVA_METHOD_UINT(codeBytes, VERTEX_TYPE_CODE_BYTES)
    PVA_METHOD_NUMBERS(codeBytesByTile, VERTEX_TYPE_CODE_BYTES_BY_TILE)
};

class TileVertex : public Object
{
  public:
    PVA_OBJECT(TileVertex)
    PVA_METHOD_OBJECT(VertexType, type, TILE_VERTEX_TYPE)
    PVA_METHOD_UINT(codeBytes, TILE_VERTEX_CODE_BYTES)
};

class TileMemory : public Object
{
  public:
    PVA_OBJECT(TileMemory)
    PVA_METHOD_OBJECT(MemorySize, total, TILE_MEMORY_TOTAL)
    PVA_METHOD_OBJECT(MemorySize, interleaved, TILE_MEMORY_INTERLEAVED)
    PVA_METHOD_OBJECT(MemorySize, nonInterleaved, TILE_MEMORY_NON_INTERLEAVED)
    PVA_METHOD_OBJECT(MemorySize, overflowed, TILE_MEMORY_OVERFLOWED)
    PVA_METHOD_UINT(alwaysLiveBytes, TILE_MEMORY_ALWAYS_LIVE_BYTES)
    PVA_METHOD_UINT(notAlwaysLiveBytes, TILE_MEMORY_NOT_ALWAYS_LIVE_BYTES)
    PVA_METHOD_OBJECT(MemoryCategories, category, TILE_MEMORY_CATEGORY)
    PVA_METHOD_LIST(TileVertex, vertices, TILE_MEMORY_VERTICES)
};

class Tile : public Object
{
  public:
    PVA_OBJECT(Tile)
    PVA_METHOD_OBJECT(TileMemory, memory, TILE_MEMORY)
};

class IPU : public Object
{
  public:
    enum class Architecture { Ipu1 = 0, Ipu2, Ipu21, Unknown };
    PVA_OBJECT(IPU)
    PVA_METHOD_LIST(Tile, tiles, IPU_TILES)
};

class Target : public Object
{
  public:
    enum class Type { Ipu = 0, IpuModel, Cpu, Unknown };
    PVA_OBJECT(Target)
    Type type() const
    {
        return static_cast<Type>(natural(PVA_TARGET_TYPE));
    }
    IPU::Architecture architecture() const
    {
        return static_cast<IPU::Architecture>(natural(PVA_TARGET_ARCHITECTURE));
    }
    PVA_METHOD_TEXT(architectureName, TARGET_ARCHITECTURE_NAME)
    PVA_METHOD_UINT(numIPUs, TARGET_NUM_IPUS)
    PVA_METHOD_UINT(tilesPerIpu, TARGET_TILES_PER_IPU)
    PVA_METHOD_UINT(numTiles, TARGET_NUM_TILES)
    PVA_METHOD_UINT(bytesPerTile, TARGET_BYTES_PER_TILE)
    PVA_METHOD_UINT(bytesPerIPU, TARGET_BYTES_PER_IPU)
    PVA_METHOD_UINT(totalMemory, TARGET_TOTAL_MEMORY)
    PVA_METHOD_REAL(clockFrequency, TARGET_CLOCK_FREQUENCY)
    PVA_METHOD_UINT(numReplicas, TARGET_NUM_REPLICAS)
    PVA_METHOD_UINT(ipusPerReplica, TARGET_IPUS_PER_REPLICA)
    PVA_METHOD_UINT(tilesPerReplica, TARGET_TILES_PER_REPLICA)
    PVA_METHOD_UINT(memoryPerReplica, TARGET_MEMORY_PER_REPLICA)
};

class Location : public Object
{
  public:
    PVA_OBJECT(Location)
    PVA_METHOD_TEXT(fileName, LOCATION_FILE_NAME)
    PVA_METHOD_TEXT(functionName, LOCATION_FUNCTION_NAME)
    PVA_METHOD_UINT(lineNumber, LOCATION_LINE_NUMBER)
};

class DebugContext : public Object
{
  public:
    PVA_OBJECT(DebugContext)
    PVA_METHOD_UINT(id, DEBUG_CONTEXT_ID)
    PVA_METHOD_TEXT(name, DEBUG_CONTEXT_NAME)
    PVA_METHOD_TEXT(json, DEBUG_CONTEXT_JSON)
    PVA_METHOD_TEXT(layer, DEBUG_CONTEXT_LAYER)
    PVA_METHOD_LIST(DebugContext, parents, DEBUG_CONTEXT_PARENTS)
    PVA_METHOD_OBJECT(Location, location, DEBUG_CONTEXT_LOCATION)
};

class VertexInstances : public Object
{
  public:
    PVA_OBJECT(VertexInstances)
    PVA_METHOD_OBJECT(VertexType, type, VERTEX_INSTANCES_TYPE)
    PVA_METHOD_UINT(count, VERTEX_INSTANCES_COUNT)
    PVA_METHOD_NUMBERS(countByTile, VERTEX_INSTANCES_COUNT_BY_TILE)
};

class ComputeSet : public Object
{
  public:
    PVA_OBJECT(ComputeSet)
    PVA_METHOD_TEXT(name, COMPUTE_SET_NAME)
    PVA_METHOD_LIST(VertexInstances, vertices, COMPUTE_SET_VERTICES)
    PVA_METHOD_NUMBERS(estimatedCyclesByTile, COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE)
    PVA_METHOD_NUMBERS(cyclesByTile, COMPUTE_SET_CYCLES_BY_TILE)
    PVA_METHOD_OBJECT(DebugContext, debugContext, COMPUTE_SET_DEBUG_CONTEXT)
};

class Variable : public Object
{
  public:
    PVA_OBJECT(Variable)
    PVA_METHOD_UINT(_id, VARIABLE_ID)
    PVA_METHOD_TEXT(name, VARIABLE_NAME)
    PVA_METHOD_UINT(bytes, VARIABLE_BYTES)
    PVA_METHOD_BOOL(alwaysLive, VARIABLE_ALWAYS_LIVE)
    PVA_METHOD_NUMBERS(bytesByTile, VARIABLE_BYTES_BY_TILE)
    PVA_METHOD_OBJECT(DebugContext, debugContext, VARIABLE_DEBUG_CONTEXT)
};
using ProgramVar = Variable;

class ProgramVisitor;

/// A program; accept calls the visitor's function of its type.
class Program : public Object
{
  public:
    enum class Type {
#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name) Name,
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM
        Unknown
    };
    PVA_OBJECT(Program)
    virtual ~Program()
    {
    }
    PVA_METHOD_UINT(_id, PROGRAM_ID)
    Type type() const
    {
        return static_cast<Type>(natural(PVA_PROGRAM_TYPE));
    }
    PVA_METHOD_TEXT(typeName, PROGRAM_TYPE_NAME)
    PVA_METHOD_TEXT(name, PROGRAM_NAME)
    PVA_METHOD_TEXT(detail, PROGRAM_DETAIL)
    PVA_METHOD_LIST(std::shared_ptr<Program>, children, PROGRAM_CHILDREN)
    PVA_METHOD_LIST(ProgramVar, vars, PROGRAM_VARS)
    PVA_METHOD_NUMBERS(controlCodeByTile, PROGRAM_CONTROL_CODE_BY_TILE)
    PVA_METHOD_NUMBERS(codeBytesByTile, PROGRAM_CODE_BYTES_BY_TILE)
    PVA_METHOD_NUMBERS(estimatedCyclesByTile, PROGRAM_ESTIMATED_CYCLES_BY_TILE)
    PVA_METHOD_OBJECT(ComputeSet, computeset, PROGRAM_COMPUTESET)
    PVA_METHOD_OBJECT(DebugContext, debugContext, PROGRAM_DEBUG_CONTEXT)
    inline std::shared_ptr<Program> target() const;
    virtual void accept(ProgramVisitor &visitor) const
    {
        (void)visitor;
    }
};

#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name) class Name##Program;
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM

/// Override the functions of the types that are of interest; the others do nothing.
class ProgramVisitor
{
  public:
    virtual ~ProgramVisitor()
    {
    }
#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name)                                                                            \
    virtual void visit##Name(const Name##Program &)                                                                    \
    {                                                                                                                  \
    }
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM
};

#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name)                                                                            \
    class Name##Program : public Program                                                                               \
    {                                                                                                                  \
      public:                                                                                                          \
        Name##Program()                                                                                                \
        {                                                                                                              \
        }                                                                                                              \
        Name##Program(const detail::FileRef &file_, const pva_object &object_) : Program(file_, object_)               \
        {                                                                                                              \
        }                                                                                                              \
        void accept(ProgramVisitor &visitor) const override                                                            \
        {                                                                                                              \
            visitor.visit##Name(*this);                                                                                \
        }                                                                                                              \
    };
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM

namespace detail
{

/// A program of the class of its type; null for the null object.
inline std::shared_ptr<Program> makeProgram(const FileRef &file, const pva_object &object)
{
    if (pva_is_null(object))
        return nullptr;
    switch (static_cast<pva_program_type>(pva_uint(object, PVA_PROGRAM_TYPE))) {
#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name)                                                                            \
    case PVA_PROGRAM_TYPE_##CONSTANT:                                                                                  \
        return std::make_shared<Name##Program>(file, object);
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM
    default:
        check(file);
        return std::make_shared<Program>(file, object);
    }
}

} // namespace detail

template <> struct Element<std::shared_ptr<Program>> {
    static std::shared_ptr<Program> make(const detail::FileRef &file, const pva_object &object)
    {
        return detail::makeProgram(file, object);
    }
};

inline std::shared_ptr<Program> Program::target() const
{
    return detail::makeProgram(file, pva_get(object, PVA_PROGRAM_TARGET));
}

class LivenessVariable : public Object
{
  public:
    PVA_OBJECT(LivenessVariable)
    PVA_METHOD_TEXT(name, LIVE_VARIABLE_NAME)
    PVA_METHOD_UINT(size, LIVE_VARIABLE_SIZE)
};

class LivenessMemory : public Object
{
  public:
    PVA_OBJECT(LivenessMemory)
    PVA_METHOD_UINT(bytes, LIVE_MEMORY_BYTES)
    PVA_METHOD_LIST(LivenessVariable, variables, LIVE_MEMORY_VARIABLES)
    PVA_METHOD_NUMBERS(bytesByTile, LIVE_MEMORY_BYTES_BY_TILE)
};

class LivenessProgramStep : public Object
{
  public:
    PVA_OBJECT(LivenessProgramStep)
    std::shared_ptr<Program> program() const
    {
        return detail::makeProgram(file, pva_get(object, PVA_LIVENESS_STEP_PROGRAM));
    }
    PVA_METHOD_OBJECT(LivenessMemory, notAlwaysLiveMemory, LIVENESS_STEP_NOT_ALWAYS_LIVE_MEMORY)
    LivenessMemory notAlwaysLiveMemoryForTile(std::uint64_t tile) const
    {
        return ask<LivenessMemory>(PVA_LIVE_FOR_TILE, tile);
    }
    LivenessMemory notAlwaysLiveMemoryForIpu(std::uint64_t ipu) const
    {
        return ask<LivenessMemory>(PVA_LIVE_FOR_IPU, ipu);
    }
};

class Interval : public Object
{
  public:
    PVA_OBJECT(Interval)
    PVA_METHOD_UINT(start, INTERVAL_START)
    PVA_METHOD_UINT(end, INTERVAL_END)
};

class EquivalenceClass : public Object
{
  public:
    PVA_OBJECT(EquivalenceClass)
    PVA_METHOD_UINT(id, EQUIVALENCE_CLASS_ID)
    PVA_METHOD_LIST(Interval, steps, EQUIVALENCE_CLASS_STEPS)
};

class LoweredVar : public Object
{
  public:
    PVA_OBJECT(LoweredVar)
    PVA_METHOD_UINT(_id, LOWERED_VAR_ID)
    PVA_METHOD_TEXT(name, LOWERED_VAR_NAME)
    PVA_METHOD_UINT(bytes, LOWERED_VAR_BYTES)
    PVA_METHOD_UINT(tileId, LOWERED_VAR_TILE_ID)
    PVA_METHOD_OBJECT(EquivalenceClass, equivalenceClass, LOWERED_VAR_EQUIVALENCE_CLASS)
    PVA_METHOD_BOOL(hasUnloweredVar, LOWERED_VAR_HAS_UNLOWERED_VAR)
    PVA_METHOD_OBJECT(Variable, unloweredVar, LOWERED_VAR_UNLOWERED_VAR)
    PVA_METHOD_TEXT(category, LOWERED_VAR_CATEGORY)
    PVA_METHOD_UINT(offset, LOWERED_VAR_OFFSET)
    PVA_METHOD_UINT(alignment, LOWERED_VAR_ALIGNMENT)
    PVA_METHOD_UINT(flags, LOWERED_VAR_FLAGS)
};

class BriefVar : public Object
{
  public:
    PVA_OBJECT(BriefVar)
    PVA_METHOD_UINT(id, BRIEF_VAR_ID)
    PVA_METHOD_UINT(bytes, BRIEF_VAR_BYTES)
    PVA_METHOD_UINT(tileId, BRIEF_VAR_TILE_ID)
    PVA_METHOD_OBJECT(EquivalenceClass, equivalenceClass, BRIEF_VAR_EQUIVALENCE_CLASS)
};

class LoweredVariables : public Object
{
  public:
    PVA_OBJECT(LoweredVariables)
    List<LoweredVar> forTile(std::uint64_t tile) const
    {
        return ask<LoweredVariables>(PVA_LOWERED_FOR_TILE, tile).allVars();
    }
    PVA_METHOD_LIST(BriefVar, allBriefVars, LOWERED_VARIABLES_ALL_BRIEF_VARS)
    PVA_METHOD_LIST(LoweredVar, allVars, LOWERED_VARIABLES_ALL_VARS)
};

class CompilationReport : public Object
{
  public:
    PVA_OBJECT(CompilationReport)
    PVA_METHOD_OBJECT(Target, target, COMPILATION_TARGET)
    PVA_METHOD_OBJECT(Graph, graph, COMPILATION_GRAPH)
    PVA_METHOD_LIST(Tile, tiles, COMPILATION_TILES)
    PVA_METHOD_LIST(IPU, ipus, COMPILATION_IPUS)
    PVA_METHOD_LIST(ComputeSet, computeSets, COMPILATION_COMPUTE_SETS)
    PVA_METHOD_LIST(std::shared_ptr<Program>, programs, COMPILATION_PROGRAMS)
    PVA_METHOD_LIST(std::shared_ptr<Program>, controlPrograms, COMPILATION_CONTROL_PROGRAMS)
    PVA_METHOD_LIST(std::shared_ptr<Program>, functions, COMPILATION_FUNCTIONS)
    PVA_METHOD_LIST(LivenessProgramStep, livenessProgramSteps, COMPILATION_LIVENESS_PROGRAM_STEPS)
    PVA_METHOD_LIST(LivenessVariable, alwaysLiveVariables, COMPILATION_ALWAYS_LIVE_VARIABLES)
    List<LivenessVariable> alwaysLiveVariablesForTile(std::uint64_t tile) const
    {
        return ask<LivenessMemory>(PVA_ALWAYS_LIVE_FOR_TILE, tile).variables();
    }
    PVA_METHOD_OBJECT(LoweredVariables, loweredVariables, COMPILATION_LOWERED_VARIABLES)
    PVA_METHOD_LIST(Variable, variables, COMPILATION_VARIABLES)
    PVA_METHOD_LIST(VertexType, vertexTypes, COMPILATION_VERTEX_TYPES)
    PVA_METHOD_TEXT(outOfMemory, COMPILATION_OUT_OF_MEMORY)
};

class MinMax : public Object
{
  public:
    PVA_OBJECT(MinMax)
    PVA_METHOD_UINT(min, MIN_MAX_MIN)
    PVA_METHOD_UINT(max, MIN_MAX_MAX)
};

class CycleRange : public Object
{
  public:
    PVA_OBJECT(CycleRange)
    PVA_METHOD_OBJECT(MinMax, from, CYCLE_RANGE_FROM)
    PVA_METHOD_OBJECT(MinMax, to, CYCLE_RANGE_TO)
};

class IpuStep : public Object
{
  public:
    PVA_OBJECT(IpuStep)
    PVA_METHOD_UINT(cycles, IPU_STEP_CYCLES)
    PVA_METHOD_OBJECT(CycleRange, allCycles, IPU_STEP_ALL_CYCLES)
    PVA_METHOD_OBJECT(CycleRange, activeCycles, IPU_STEP_ACTIVE_CYCLES)
    PVA_METHOD_REAL(tileBalance, IPU_STEP_TILE_BALANCE)
    PVA_METHOD_REAL(activeTileBalance, IPU_STEP_ACTIVE_TILE_BALANCE)
    PVA_METHOD_UINT(activeTiles, IPU_STEP_ACTIVE_TILES)
    PVA_METHOD_UINT(dataIn, IPU_STEP_DATA_IN)
    PVA_METHOD_UINT(dataOut, IPU_STEP_DATA_OUT)
};

class Microseconds : public Object
{
  public:
    PVA_OBJECT(Microseconds)
    PVA_METHOD_UINT(start, MICROSECONDS_START)
    PVA_METHOD_UINT(end, MICROSECONDS_END)
};

class Cycles : public Object
{
  public:
    PVA_OBJECT(Cycles)
    PVA_METHOD_UINT(from, CYCLES_FROM)
    PVA_METHOD_UINT(to, CYCLES_TO)
};

class RunParameter : public Object
{
  public:
    PVA_OBJECT(RunParameter)
    PVA_METHOD_TEXT(name, PARAMETER_NAME)
    PVA_METHOD_TEXT(value, PARAMETER_VALUE)
};

class Run;

class ExecutionStep : public Object
{
  public:
    PVA_OBJECT(ExecutionStep)
    std::shared_ptr<Program> program() const
    {
        return detail::makeProgram(file, pva_get(object, PVA_STEP_PROGRAM));
    }
    PVA_METHOD_LIST(IpuStep, ipus, STEP_IPUS)
    PVA_METHOD_NUMBERS(cyclesByTile, STEP_CYCLES_BY_TILE)
    PVA_METHOD_NUMBERS(cyclesFromByTile, STEP_FROM_BY_TILE)
    PVA_METHOD_NUMBERS(cyclesToByTile, STEP_TO_BY_TILE)
    PVA_METHOD_LIST(ComputeSet, computeSets, STEP_COMPUTE_SETS)
    inline Run run() const;
};

class Run : public Object
{
  public:
    PVA_OBJECT(Run)
    PVA_METHOD_TEXT(name, RUN_NAME)
    PVA_METHOD_LIST(ExecutionStep, steps, RUN_STEPS)
    PVA_METHOD_OBJECT(Microseconds, microseconds, RUN_MICROSECONDS)
    PVA_METHOD_LIST(RunParameter, parameters, RUN_PARAMETERS)
    PVA_METHOD_OBJECT(Cycles, cycles, RUN_CYCLES)
};

inline Run ExecutionStep::run() const
{
    return get<Run>(PVA_STEP_RUN);
}

class Block : public Object
{
  public:
    PVA_OBJECT(Block)
    std::shared_ptr<Program> program() const
    {
        return detail::makeProgram(file, pva_get(object, PVA_BLOCK_PROGRAM));
    }
    PVA_METHOD_UINT(cyclesFrom, BLOCK_CYCLES_FROM)
    PVA_METHOD_UINT(cyclesTo, BLOCK_CYCLES_TO)
    PVA_METHOD_UINT(tile, BLOCK_TILE)
    PVA_METHOD_BOOL(isCommon, BLOCK_IS_COMMON)
    PVA_METHOD_BOOL(isOverflow, BLOCK_IS_OVERFLOW)
    PVA_METHOD_BOOL(isBlockFlush, BLOCK_IS_BLOCK_FLUSH)
    PVA_METHOD_BOOL(isStreamCopy, BLOCK_IS_STREAM_COPY)
    PVA_METHOD_BOOL(isUnknown, BLOCK_IS_UNKNOWN)
    PVA_METHOD_OBJECT(Run, run, BLOCK_RUN)
};

class TotalCycles : public Object
{
  public:
    PVA_OBJECT(TotalCycles)
    PVA_METHOD_UINT(total, TOTAL_CYCLES_TOTAL)
    PVA_METHOD_UINT(activeCompute, TOTAL_CYCLES_ACTIVE_COMPUTE)
    PVA_METHOD_UINT(compute, TOTAL_CYCLES_COMPUTE)
    PVA_METHOD_UINT(exchange, TOTAL_CYCLES_EXCHANGE)
    PVA_METHOD_UINT(globalExchange, TOTAL_CYCLES_GLOBAL_EXCHANGE)
    PVA_METHOD_UINT(streamCopy, TOTAL_CYCLES_STREAM_COPY)
    PVA_METHOD_UINT(sync, TOTAL_CYCLES_SYNC)
};

class Blocks : public Object
{
  public:
    PVA_OBJECT(Blocks)
    PVA_METHOD_LIST(Block, blocks, BLOCKS_BLOCKS)
};

class ExecutionReport : public Object
{
  public:
    PVA_OBJECT(ExecutionReport)
    PVA_METHOD_LIST(Run, runs, EXECUTION_RUNS)
    PVA_METHOD_LIST(ExecutionStep, steps, EXECUTION_STEPS)
    PVA_METHOD_OBJECT(TotalCycles, totalCycles, EXECUTION_TOTAL_CYCLES)
    List<Block> blocks(std::uint64_t tile) const
    {
        return ask<Blocks>(PVA_BLOCKS_OF_TILE, tile).blocks();
    }
};

class Operation : public Object
{
  public:
    PVA_OBJECT(Operation)
    PVA_METHOD_TEXT(name, OPERATION_NAME)
    PVA_METHOD_LIST(std::shared_ptr<Program>, programs, OPERATION_PROGRAMS)
    PVA_METHOD_LIST(Variable, vars, OPERATION_VARS)
    PVA_METHOD_UINT(firstStepIndex, OPERATION_FIRST_STEP_INDEX)
    PVA_METHOD_UINT(lastStepIndex, OPERATION_LAST_STEP_INDEX)
    PVA_METHOD_OBJECT(DebugContext, debugContext, OPERATION_DEBUG_CONTEXT)
};

/// A report; opened by openReport or given by poplar::Engine::getReport.
class Report : public Object
{
  public:
    PVA_OBJECT(Report)
    PVA_METHOD_OBJECT(CompilationReport, compilation, REPORT_COMPILATION)
    PVA_METHOD_OBJECT(ExecutionReport, execution, REPORT_EXECUTION)
    PVA_METHOD_OBJECT(InstrumentationSettings, instrumentationSettings, REPORT_INSTRUMENTATION_SETTINGS)
    PVA_METHOD_OBJECT(PoplarVersion, poplarVersion, REPORT_POPLAR_VERSION)
    PVA_METHOD_OBJECT(ProfileReportVersion, version, REPORT_VERSION)
    PVA_METHOD_LIST(Option, options, REPORT_OPTIONS)
    PVA_METHOD_LIST(Operation, operations, REPORT_OPERATIONS)
    PVA_METHOD_LIST(DebugContext, debugContexts, REPORT_DEBUG_CONTEXTS)
    /// The tile that needs the most memory; the steps that took most cycles; the liveness step at which most is live.
    Tile peakTile() const
    {
        return Tile(file, pva_peak_tile(object.file));
    }
    std::vector<ExecutionStep> longestSteps(std::size_t count) const
    {
        std::vector<pva_object> found(count);
        found.resize(pva_longest_steps(object.file, found.data(), count));
        detail::check(file);
        std::vector<ExecutionStep> steps;
        for (const pva_object &step : found)
            steps.push_back(ExecutionStep(file, step));
        return steps;
    }
    LivenessProgramStep worstLivenessStep() const
    {
        return LivenessProgramStep(file, pva_worst_liveness_step(object.file));
    }
    /// Opens a report that nobody else needs: its file and directory are removed at once, and the report stays
    /// readable.
    inline static Report openTemporary(const std::string &profilePath);
};

/// Programs of a report, grouped by the calls of libraries that made them; needs debug.cbor.
class OperationAnalysis
{
  public:
    explicit OperationAnalysis(const Report &report_) : report(report_)
    {
    }
    List<Operation> operations() const
    {
        return report.operations();
    }

  private:
    Report report;
};

inline Report openReport(const std::string &profilePath)
{
    pop_error error = pop_error();
    pva_file *file = pva_open_report(profilePath.c_str(), nullptr, &error);
    const detail::FileRef kept = detail::opened(file, error);
    return Report(kept, pva_root(file));
}

inline Report openReport(const std::string &profilePath, const std::string &debugCborPath)
{
    pop_error error = pop_error();
    pva_file *file = pva_open_report(profilePath.c_str(), debugCborPath.c_str(), &error);
    const detail::FileRef kept = detail::opened(file, error);
    return Report(kept, pva_root(file));
}

inline Report Report::openTemporary(const std::string &profilePath)
{
    struct Remover {
        const std::string &path;
        ~Remover()
        {
            std::remove(path.c_str());
            std::remove(path.substr(0, path.rfind('/')).c_str());
        }
    } remover{ profilePath };
    return openReport(profilePath);
}

/// Trace points: processes, their threads, and events that hold events.
class Event : public Object
{
  public:
    PVA_OBJECT(Event)
    PVA_METHOD_TEXT(label, EVENT_LABEL)
    PVA_METHOD_TEXT(channel, EVENT_CHANNEL)
    PVA_METHOD_REAL(timestamp, EVENT_TIMESTAMP)
    PVA_METHOD_REAL(duration, EVENT_DURATION)
    PVA_METHOD_LIST(Event, children, EVENT_CHILDREN)
    PVA_METHOD_TEXT(metadata, EVENT_METADATA)
};

class Thread : public Object
{
  public:
    PVA_OBJECT(Thread)
    PVA_METHOD_UINT(tid, THREAD_TID)
    PVA_METHOD_TEXT(name, THREAD_NAME)
    PVA_METHOD_LIST(Event, events, THREAD_EVENTS)
};

class Process : public Object
{
  public:
    PVA_OBJECT(Process)
    PVA_METHOD_UINT(pid, PROCESS_PID)
    PVA_METHOD_TEXT(name, PROCESS_NAME)
    PVA_METHOD_LIST(Thread, threads, PROCESS_THREADS)
    Thread thread(std::uint64_t tid) const
    {
        return ask<Thread>(PVA_THREAD_BY_TID, tid);
    }
};

class Trace : public Object
{
  public:
    PVA_OBJECT(Trace)
    PVA_METHOD_LIST(Process, processes, TRACE_PROCESSES)
    Process process(std::uint64_t pid) const
    {
        return ask<Process>(PVA_PROCESS_BY_PID, pid);
    }
};

inline Trace openTrace(const std::string &pvtiPath)
{
    pop_error error = pop_error();
    pva_file *file = pva_open_trace(pvtiPath.c_str(), &error);
    const detail::FileRef kept = detail::opened(file, error);
    return Trace(kept, pva_root(file));
}

#undef PVA_METHOD_UINT
#undef PVA_METHOD_INT
#undef PVA_METHOD_BOOL
#undef PVA_METHOD_REAL
#undef PVA_METHOD_TEXT
#undef PVA_METHOD_NUMBERS
#undef PVA_METHOD_OBJECT
#undef PVA_METHOD_LIST
#undef PVA_OBJECT

/// The namespace of older versions.
namespace preview
{
using namespace pva;
}

} // namespace pva

#endif
