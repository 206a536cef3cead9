// SPDX-License-Identifier: Apache-2.0
// Graphs: variables, vertices, their connections and tile mappings.
#ifndef POPLAR_GRAPH_HPP
#define POPLAR_GRAPH_HPP

#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/RemoteBuffer.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/TensorRearranger.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/connection.hpp>
#include <poplar/metadata.h>
#include <poplar/replication_factor.hpp>

#include <exception>
#include <limits>
#include <tuple>

namespace poplar
{

namespace program
{
class Program;
class Sequence;
} // namespace program

// A graph is movable and not copyable.  Virtual graphs share the contents of the graph that they were created from. The
// contents, and with them tensors, vertices and programs, stay valid until the last of these handles is destroyed.
class POP_API Graph
{
    typedef detail::Where Where; // the line of the call, filled in by the compiler

  public:
    typedef std::vector<std::vector<Interval>> TileToTensorMapping; // intervals of the flattened tensor, by tile
    typedef std::tuple<Type, std::size_t> HostFunctionArgument;     // a type and a number of elements

    Graph() : graph(nullptr), pending(nullptr), machine(nullptr)
    {
    }
    // A graph for a target, or for the target of a device.
    Graph(const Target &target, replication_factor replication = replication_factor(1), Where where = Where::here());
    Graph(const Device &device, replication_factor replication = replication_factor(1), Where where = Where::here());
    Graph(Graph &&other) noexcept;
    Graph &operator=(Graph &&other) noexcept;
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    ~Graph();

    pop_graph *c() const
    {
        return graph;
    } // the C interface's
    // Rethrows the exception of an estimator that the last C call ran.
    void rethrowEstimators() const;

    const Target &getTarget() const;
    unsigned getReplicationFactor() const;
    unsigned getNumVertices() const;

    // ---- graphs on a part of the tiles ----
    // The first tiles of each IPU, the tiles of a range, or these tiles of each IPU, numbered from 0.
    Graph createVirtualGraph(unsigned numTilesPerIPU, Where where = Where::here());
    Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile, Where where = Where::here());
    Graph createVirtualGraph(const std::vector<unsigned> &perIpuTiles, Where where = Where::here());
    // A graph with a replication factor of its own has none: graph_replication_error.
    Graph getTopLevelGraph(Where where = Where::here());
    // Additions to the result are made in each of the given number of equal parts of this graph (pop_graph_replicate).
    Graph createReplicatedGraph(unsigned replication, Where where = Where::here());
    // The tensors of all replicas that a tensor of a replicated graph stands for, with a new outermost dimension.
    Tensor getNonReplicatedTensor(const Tensor &t, Where where = Where::here()) const;
    // Tile of the whole device for a tile of this graph.
    unsigned convertVirtualTileToPhysicalTile(unsigned tile) const;
    // Tile of this graph for a tile of the whole device, or of one IPU.
    unsigned convertPhysicalTileToVirtualTile(unsigned tile) const;
    unsigned convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const;
    // Tile of the top-level graph for a tile of this graph.
    unsigned convertVirtualTileToTopLevelGraphTile(unsigned tile) const;
    // Tile of this graph for a tile of the top-level graph.
    unsigned convertTopLevelGraphTileToVirtualTile(unsigned tile) const;

    // ---- variables and constants: unmapped at first ----
    Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, const DebugContext &debugContext = {});
    Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                       const DebugContext &debugContext = {});
    // Early names, which the guide's text still uses.
    Tensor addTensor(StringRef type, ArrayRef<std::size_t> shape, const DebugContext &debugContext = {});
    // A new, empty compute set, by its older name.
    ComputeSet createComputeSet(const DebugContext &debugContext = {});
    // Values of any arithmetic type are converted to the tensor's: one for each element, row by row, or one for all.
    template <typename T>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                       const DebugContext &debugContext = { "<const>" })
    {
        return addValues(type, shape, detail::HostType<T>::value, values.data(), values.size(), debugContext);
    }
    template <typename T, typename A>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const std::vector<T, A> &values,
                       const DebugContext &debugContext = { "<const>" })
    {
        const detail::Values<T> list(values);
        return addConstant(type, shape, list.list(), debugContext);
    }
    template <typename T = void, typename P, typename = detail::IfPointer<P>>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, P values,
                       const DebugContext &debugContext = { "<const>" })
    {
        typedef typename std::remove_cv<typename std::remove_pointer<P>::type>::type Pointed;
        return addValues(type, shape, detail::HostType<Pointed>::value, values, POP_WHOLE, debugContext);
    }
    template <typename T, typename = detail::IfValue<T>>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, T value,
                       const DebugContext &debugContext = { "<const>" })
    {
        return addFilled(type, shape, detail::HostType<T>::value, &value, debugContext);
    }
    // Values of a described type: one for each element of the shape, or one for all with broadcast.
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values, const TypeTraits &traits,
                       bool broadcast = false, const DebugContext &debugContext = { "<const>" });
    // Half values given as their 16 bits.
    Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t value,
                           const DebugContext &debugContext = { "<const>" });
    Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *values,
                           const DebugContext &debugContext = { "<const>" });
    // The replica's index, beginning with 0.
    Tensor addReplicationIndexConstant(const DebugContext &debugContext = {});
    // New variables with a tensor's shape and tile mapping.
    Tensor clone(const Type &type, const Tensor &t, const DebugContext &debugContext = {},
                 TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
    Tensor clone(const Tensor &t, const DebugContext &debugContext = {},
                 TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
    // With a new outer dimension of N.
    Tensor
    cloneN(const Type &type, const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
           TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
           TensorCloneDuplicationMethod duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
    Tensor
    cloneN(const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
           TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
           TensorCloneDuplicationMethod duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
    Tensor getVariable(VariableRef variable, Where where = Where::here()) const;
    bool isConstant(VariableRef variable) const;
    Tensor findUnbroadcastTensor(const Tensor &t, Where where = Where::here()) const;
    // 8-bit floats (QUARTER) that share a metadata element; with {} for metadata they equal the calls without metadata.
    // Metadata for other types: tensor_metadata_error.
    Tensor addVariable(const Type &type, detail::Metadata metadata, ArrayRef<std::size_t> shape,
                       const DebugContext &debugContext = {});
    Tensor addVariable(const Type &type, detail::Metadata metadata, ArrayRef<std::size_t> shape,
                       VariableMappingMethod method, const DebugContext &debugContext = {});
    // Values are converted by the metadata, a constant or one with an initial value.
    template <typename T>
    Tensor addConstant(const Type &type, detail::Metadata metadata, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                       const DebugContext &debugContext = { "<const>" })
    {
        return addQuarters(type, metadata, shape, detail::HostType<T>::value, values.data(), values.size(),
                           debugContext);
    }
    template <typename T, typename A>
    Tensor addConstant(const Type &type, detail::Metadata metadata, ArrayRef<std::size_t> shape,
                       const std::vector<T, A> &values, const DebugContext &debugContext = { "<const>" })
    {
        const detail::Values<T> list(values);
        return addConstant(type, metadata, shape, list.list(), debugContext);
    }
    template <typename T = void, typename P, typename = detail::IfPointer<P>>
    Tensor addConstant(const Type &type, detail::Metadata metadata, ArrayRef<std::size_t> shape, P values,
                       const DebugContext &debugContext = { "<const>" })
    {
        typedef typename std::remove_cv<typename std::remove_pointer<P>::type>::type Pointed;
        return addQuarters(type, metadata, shape, detail::HostType<Pointed>::value, values, POP_WHOLE, debugContext);
    }
    template <typename T, typename = detail::IfValue<T>>
    Tensor addConstant(const Type &type, detail::Metadata metadata, ArrayRef<std::size_t> shape, T value,
                       const DebugContext &debugContext = { "<const>" })
    {
        return addQuarterFill(type, metadata, shape, detail::HostType<T>::value, &value, debugContext);
    }
    Tensor clone(const Type &type, detail::Metadata metadata, const Tensor &t, const DebugContext &debugContext = {},
                 TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
    // A variable outside of tile memory.  Not supported by any device of this library: throws.
    Tensor addExternalVariable(const Type &type, ArrayRef<std::size_t> shape, StringRef handle,
                               const DebugContext &debugContext = {});

    // ---- initial values, set at each load ----
    template <typename T, typename = detail::IfValue<T>>
    void setInitialValue(const Tensor &t, T value, Where where = Where::here())
    {
        setFilled(t, detail::HostType<T>::value, &value, where);
    }
    template <typename T> void setInitialValue(const Tensor &t, ArrayRef<T> values, Where where = Where::here())
    {
        setValues(t, detail::HostType<T>::value, values.data(), values.size(), where);
    }
    template <typename T, typename A>
    void setInitialValue(const Tensor &t, const std::vector<T, A> &values, Where where = Where::here())
    {
        const detail::Values<T> list(values);
        setInitialValue(t, list.list(), where);
    }
    // Initial HALF values, as raw bits: one for all elements, or one for each.
    void setInitialValueHalf(const Tensor &t, std::uint16_t value, Where where = Where::here());
    void setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> values, Where where = Where::here());
    // Initial values of a vertex's fields; the number of values is a vector field's size.
    template <typename T, typename = detail::IfValue<T>>
    void setInitialValue(const FieldRef &field, T value, Where where = Where::here())
    {
        setField(field, detail::HostType<T>::value, &value, where);
    }
    template <typename T> void setInitialValue(const FieldRef &field, ArrayRef<T> values, Where where = Where::here())
    {
        setField(field, detail::HostType<T>::value, values.data(), values.size(), where);
    }
    template <typename T, typename A>
    void setInitialValue(const FieldRef &field, const std::vector<T, A> &values, Where where = Where::here())
    {
        const detail::Values<T> list(values);
        setInitialValue(field, list.list(), where);
    }
    template <typename T, typename A>
    void setInitialValue(const FieldRef &field, const std::vector<std::vector<T, A>> &rows, Where where = Where::here())
    {
        setFieldSize(field, rows.size(), where);
        for (std::size_t i = 0; i < rows.size(); ++i)
            setInitialValue(field[i], rows[i], where);
    }
    // Initial HALF values of a vertex's fields, as raw bits.
    void setInitialValueHalf(const FieldRef &field, std::uint16_t value, Where where = Where::here());
    void setInitialValueHalf(const FieldRef &field, ArrayRef<std::uint16_t> values, Where where = Where::here());

    // ---- codelets ----
    // A source, compiled now (or found in the cache), or a .gp file.  targetName is empty or cpu, ipu1, ipu2, ipu21
    // (else invalid_option); it has no effect: codelets are compiled for the host and for the graph's target.
    bool addCodelets(StringRef file, CodeletFileType type = CodeletFileType::Auto, StringRef compileFlags = "",
                     StringRef targetName = "", Where where = Where::here());
    bool addCodelets(ArrayRef<std::string> files, StringRef compileFlags = "", StringRef targetName = "",
                     Where where = Where::here());
    bool addCodelets(std::initializer_list<std::string> files, StringRef compileFlags = "", StringRef targetName = "",
                     Where where = Where::here());
    // Source text from a stream; the compiler's messages are written to another stream.
    void addCodelets(std::istream &stream, StringRef compileFlags = "",
                     CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "",
                     Where where = Where::here());
    void addCodelets(std::istream &stream, StringRef compileFlags, std::ostream &compileOutput,
                     CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "",
                     Where where = Where::here());
    bool hasCodelet(StringRef vertexType) const;

    // ---- vertices ----
    ComputeSet addComputeSet(const DebugContext &debugContext = {});
    VertexRef addVertex(ComputeSet set, const char *vertexType, Where where = Where::here())
    {
        pop_vertex vertex = pop_graph_add_vertex_at(where, c(), own(set.c()), vertexType);
        if (!vertex.id)
            raise();
        return VertexRef(vertex);
    }
    VertexRef addVertex(ComputeSet set, StringRef vertexType, Where where = Where::here());
    VertexRef addVertex(ComputeSet set, StringRef vertexType, ArrayRef<ConnectionDesc> connections,
                        Where where = Where::here());
    // Throws: vertices for exchange with the outside are not modelled.
    VertexRef addExternalExchangeVertex(ComputeSet, StringRef, unsigned, bool, bool, Where where = Where::here());
    void connect(const FieldRef &field, const Tensor &t, Where where = Where::here())
    {
        if (field.isIndexed())
            pop_graph_connect_index_at(where, c(), field.c(), field.name(), field.getIndex(), t.c());
        else
            pop_graph_connect_at(where, c(), field.c(), field.name(), t.c());
        check();
    }
    void connect(const FieldRef &field, ArrayRef<Tensor> tensors, Where where = Where::here());
    // Connects an input to a new constant.
    template <typename T, typename = detail::IfValue<T>>
    void connect(const FieldRef &field, T value, Where where = Where::here())
    {
        connectConstant(field, detail::HostType<T>::value, &value, where);
    }
    void setFieldSize(const FieldRef &field, std::size_t size, Where where = Where::here());
    std::size_t getFieldSize(const FieldRef &field) const;
    // Limits of a field's values and sizes on this target.
    std::size_t getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimension) const;
    double getMaxVertexFieldValue(StringRef vertexType, StringRef field) const;
    // The maximum value of a scalar state field on this target, as a T.
    template <typename T> T getMaxVertexFieldValueAs(StringRef vertexType, StringRef field) const
    {
        const double largest = getMaxVertexFieldValue(vertexType, field),
                     limit = static_cast<double>(std::numeric_limits<T>::max());
        return largest >= limit ? std::numeric_limits<T>::max() : static_cast<T>(largest);
    }

    // ---- tile mappings ----
    // Places a vertex on a tile.
    void setTileMapping(VertexRef vertex, unsigned tile, Where where = Where::here())
    {
        pop_graph_map_vertex_at(where, c(), vertex.c(), tile);
        check();
    }
    // Maps all elements of a tensor to a tile, or each list of intervals of the flattened tensor to the tile of its
    // index.
    void setTileMapping(const Tensor &t, unsigned tile, Where where = Where::here());
    void setTileMapping(const Tensor &t, const TileToTensorMapping &mapping, Where where = Where::here());
    // Intervals of the flattened tensor by tile. Throws invalid_tile_mapping for an element on no tile if
    // requireComplete, and for one on a tile that this graph does not see unless allowExternal.
    TileToTensorMapping getTileMapping(const Tensor &t, bool requireComplete = true, bool allowExternal = false,
                                       Where where = Where::here()) const;
    // The mapping, and whether it is complete.
    TileToTensorMapping getTileMapping(const Tensor &t, bool *isComplete, bool allowExternal = false,
                                       Where where = Where::here()) const;
    // The tile mapping, in which elements may be on no tile, or on tiles that this graph does not see.
    TileToTensorMapping getVariableTileMapping(const Tensor &t, Where where = Where::here()) const;
    // Groups of intervals, each group one contiguous region of memory, in memory order.
    std::vector<std::vector<Interval>> getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                                                                  bool removeAliasedIntervals = false,
                                                                  std::vector<std::size_t> *aliases = nullptr,
                                                                  Where where = Where::here()) const;
    // Permutes the elements of t and of the others alike, so that t becomes more contiguous.
    void reorderToSimplify(Tensor *t, ArrayRef<Tensor *> others, bool requireSimilarity = true,
                           Where where = Where::here()) const;
    // A rearrangement that makes the tensor more contiguous.
    TensorRearranger getSimplifyingRearranger(const Tensor &t, Where where = Where::here()) const;

    // ---- cycle estimates ----
    void setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles, std::uint64_t flops = 0,
                         Where where = Where::here());
    void setPerfEstimate(const VertexRef &vertex, const VertexPerfEstimate &estimate, Where where = Where::here());
    // Sets the cycles of a vertex, by its older name: worker cycles for a worker vertex, tile cycles for others.
    void setCycleEstimate(const VertexRef &vertex, std::uint64_t cycles, Where where = Where::here());
    VertexPerfEstimate getPerfEstimate(const VertexRef &vertex, Where where = Where::here()) const;
    // The cycles of a vertex, as getPerfEstimate.
    std::uint64_t getCycleEstimate(const VertexRef &vertex, Where where = Where::here()) const;
    void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator, Where where = Where::here());
    // Registers an estimator that gives cycles alone.
    void registerCycleEstimator(StringRef vertexType, CycleEstimateFunc estimator, Where where = Where::here());

    // ---- the host's side ----
    // rearrangeOnHost has no effect, which is logged: the host always rearranges, and Engine::writeTensor and
    // readTensor take no modelled cycles.  For remote buffers rearrangeOnHost has its effect.
    void createHostWrite(StringRef handle, const Tensor &t, bool rearrangeOnHost = false, Where where = Where::here());
    void createHostRead(StringRef handle, const Tensor &t, bool rearrangeOnHost = false, Where where = Where::here());
    DataStream addHostToDeviceFIFO(StringRef handle, const Type &type, std::size_t elements,
                                   ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
                                   const OptionFlags &options = {}, Where where = Where::here());
    DataStream addDeviceToHostFIFO(StringRef handle, const Type &type, std::size_t elements,
                                   const OptionFlags &options = {}, Where where = Where::here());
    // A buffer of repeats rows of elements each.
    RemoteBuffer addRemoteBuffer(StringRef handle, const Type &type, std::size_t elements, std::size_t repeats = 1,
                                 bool rearrangeOnHost = false, bool optimiseMemory = false,
                                 Where where = Where::here());
    HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                 ArrayRef<HostFunctionArgument> outputs, Where where = Where::here());
    Function addFunction(const program::Program &program, Where where = Where::here());
    // A function whose code is in remote memory until a Copy loads it.  Here all code is always on the tiles: the copy
    // does nothing and takes no cycles.
    FunctionBuffer addFunctionBuffer(const Function &function, FunctionBufferMappingType mapping,
                                     Where where = Where::here());

    // ---- serialization ----
    // Dumps the graph for tools, also with programs.
    void serialize(std::ostream &out, SerializationFormat format, Where where = Where::here()) const;
    void serialize(std::ostream &out, ArrayRef<program::Program> programs, SerializationFormat format,
                   Where where = Where::here()) const;
    // Writes the layout of tensors; creates new variables with the same layout.
    void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors, SerializationFormat format,
                          Where where = Where::here()) const;
    std::vector<Tensor> deserializeTensors(std::istream &in, SerializationFormat format, Where where = Where::here());
    // Graphviz.
    void outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs, Where where = Where::here()) const;
    void outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs, Where where = Where::here()) const;

  private:
    // Another handle of a graph's shared contents; handle is NULL if the call failed.
    Graph(const Graph &shared, pop_graph *handle);
    void start();
    void swap(Graph &other);
    [[noreturn]] void raise() const;
    void check() const
    {
        if (!graph || *pending != POP_OK)
            raise();
    }
    Tensor give(const pop_tensor &result) const;
    template <typename F> void estimateWith(StringRef vertexType, F &&estimator, Where where);
    // Sets this graph in a handle that was made from an id alone.
    pop_compute_set own(pop_compute_set set) const;
    static void needQuarter(const Type &type, const DebugContext &debugContext, const char *api);
    Tensor addQuarters(const Type &type, const detail::Metadata &metadata, ArrayRef<std::size_t> shape, pop_type host,
                       const void *values, std::size_t count, const DebugContext &debugContext);
    Tensor addQuarterFill(const Type &type, const detail::Metadata &metadata, ArrayRef<std::size_t> shape,
                          pop_type host, const void *value, const DebugContext &debugContext);
    static void whole(const FieldRef &field, pop_where where, const char *api);
    // A constant of count host values, one for each element of the shape; count is not checked if it is POP_WHOLE.
    Tensor addValues(const Type &type, ArrayRef<std::size_t> shape, pop_type host, const void *values,
                     std::size_t count, const DebugContext &debugContext);
    Tensor addFilled(const Type &type, ArrayRef<std::size_t> shape, pop_type host, const void *value,
                     const DebugContext &debugContext);
    void setValues(const Tensor &t, pop_type host, const void *values, std::size_t count, Where where);
    void setFilled(const Tensor &t, pop_type host, const void *value, Where where);
    void connectConstant(const FieldRef &field, pop_type host, const void *value, Where where);
    void setField(const FieldRef &field, pop_type type, const void *value, Where where);
    void setField(const FieldRef &field, pop_type type, const void *values, std::size_t count, Where where);
    TileToTensorMapping mappingOf(const Tensor &t, bool *complete, bool external, Where where) const;

    detail::Handle estimators; // outlive the graph
    pop_graph *graph;
    const pop_status *pending; // the kind of the graph's error; checked after each call
    Target *machine;           // on the heap: its address stays when the graph moves
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/Graph.hpp>
#endif
#endif
