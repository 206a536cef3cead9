// SPDX-License-Identifier: Apache-2.0
// Graphs: variables, vertices, how they are connected and where they lie.
#ifndef POPLAR_GRAPH_HPP
#define POPLAR_GRAPH_HPP

#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/RemoteBuffer.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/TensorRearranger.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/detail/connection.hpp>
#include <poplar/detail/estimators.hpp>
#include <poplar/detail/text_file.hpp>
#include <poplar/replication_factor.hpp>

#include <limits>
#include <tuple>

namespace poplar {

namespace program {
class Program;
}

// A graph is an owner: it moves and does not copy.  Virtual graphs are handles of their own on what they share with the graph they come
// from; it lives until the last handle is gone, and tensors, vertices and programs are valid as long.
// Members that few programs call are templates, though nobody gives them parameters: so those who do not call them do not compile them.
class Graph {
    typedef detail::Where Where; // the user's line, filled in by the compiler

public:
    typedef std::vector<std::vector<Interval>> TileToTensorMapping; // intervals of the flattened tensor, by tile
    typedef std::tuple<Type, std::size_t> HostFunctionArgument;     // so many elements of a type

    Graph() : graph(nullptr), pending(nullptr), machine(nullptr) {}
    Graph(const Target &target, replication_factor replication = replication_factor(1), Where where = Where::here())
        : Graph()
    {
        graph = pop_graph_create(&target.c());
        if (replication.value != 1)
            noReplication(where, replication.value);
        start();
    }
    Graph(const Device &device, replication_factor replication = replication_factor(1), Where where = Where::here())
        : Graph(device.getTarget(), replication, where)
    {
    }
    Graph(Graph &&other) noexcept : Graph() { swap(other); }
    Graph &operator=(Graph &&other) noexcept
    {
        Graph taken(std::move(other));
        swap(taken);
        return *this;
    }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    ~Graph()
    {
        pop_graph_destroy(graph);
        delete machine;
    }

    pop_graph *c() const { return graph; } // the C interface's
    // Throws what an estimator threw during the call of C that is just over.
    void rethrowEstimators() const
    {
        if (estimators.get())
            static_cast<detail::Estimators *>(estimators.get())->rethrow();
    }

    const Target &getTarget() const
    {
        if (!machine)
            raise();
        return *machine;
    }
    unsigned getReplicationFactor() const { return 1; }
    unsigned getNumVertices() const { return static_cast<unsigned>(pop_graph_num_vertices(c())); }

    // ---- graphs on a part of the tiles ----
    Graph createVirtualGraph(unsigned numTilesPerIPU, Where where = Where::here())
    {
        return Graph(*this, pop_graph_create_virtual_at(where, c(), numTilesPerIPU));
    }
    Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile, Where where = Where::here())
    {
        return Graph(*this, pop_graph_create_virtual_range_at(where, c(), lowerTile, upperTile));
    }
    template <typename List = std::vector<unsigned>>
    Graph createVirtualGraph(const typename detail::Same<List>::type &perIpuTiles, Where where = Where::here())
    {
        return Graph(*this, pop_graph_create_virtual_tiles_at(where, c(), detail::dims(perIpuTiles)));
    }
    Graph getTopLevelGraph() { return Graph(*this, pop_graph_share_top_level(c())); }
    // The guide's era; one replica is all that there can be yet.
    Graph createReplicatedGraph(unsigned replication, Where where = Where::here())
    {
        if (replication != 1)
            noReplication(where, replication);
        return createVirtualGraph(0, pop_target_num_tiles(pop_graph_target(c())), where);
    }
    Tensor getNonReplicatedTensor(const Tensor &t) const { return t; }
    unsigned convertVirtualTileToPhysicalTile(unsigned tile) const { return pop_graph_physical_tile(c(), tile); }
    unsigned convertPhysicalTileToVirtualTile(unsigned tile) const { return pop_graph_virtual_tile(c(), tile); }
    unsigned convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const
    {
        if (!graph)
            raise();
        return pop_graph_virtual_tile(c(), ipu * pop_graph_target(pop_graph_top_level(c()))->tiles_per_ipu + tile);
    }
    unsigned convertVirtualTileToTopLevelGraphTile(unsigned tile) const { return pop_graph_physical_tile(c(), tile); }
    unsigned convertTopLevelGraphTileToVirtualTile(unsigned tile) const { return pop_graph_virtual_tile(c(), tile); }

    // ---- variables and constants: unmapped at first ----
    Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, const DebugContext &debugContext = {})
    {
        return give(pop_graph_add_variable_at(detail::where(debugContext), c(), type.c(), detail::shape(shape), detail::name(debugContext)));
    }
    Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod method, const DebugContext &debugContext = {})
    {
        return give(pop_graph_add_variable_mapped_at(detail::where(debugContext), c(), type.c(), detail::shape(shape),
                                                     method == VariableMappingMethod::LINEAR ? POP_MAPPING_LINEAR : POP_MAPPING_NONE,
                                                     detail::name(debugContext)));
    }
    // Names from before there were types and compute sets as now; the guide's prose still has them.
    Tensor addTensor(StringRef type, ArrayRef<std::size_t> shape, const DebugContext &debugContext = {})
    {
        return addVariable(Type(pop_type_by_name(detail::CString(type))), shape, debugContext);
    }
    ComputeSet createComputeSet(const DebugContext &debugContext = {}) { return addComputeSet(debugContext); }
    // Values of any arithmetic type are converted to the tensor's: one for each element, row by row, or one for all.
    template <typename T>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, ArrayRef<T> values, const DebugContext &debugContext = { "<const>" })
    {
        const detail::Where where(detail::where(debugContext).file, detail::where(debugContext).line);
        detail::checkCount(where, "pop_graph_add_constant", detail::count(shape), values.size(), "the shape has");
        return addConstantAt(type, shape, values.data(), debugContext);
    }
    template <typename T, typename A>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const std::vector<T, A> &values, const DebugContext &debugContext = { "<const>" })
    {
        const detail::Values<T> list(values);
        return addConstant(type, shape, list.list(), debugContext);
    }
    template <typename T = void, typename P, typename = detail::IfPointer<P>>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, P values, const DebugContext &debugContext = { "<const>" })
    {
        return addConstantAt(type, shape, values, debugContext);
    }
    template <typename T, typename = detail::IfValue<T>>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, T value, const DebugContext &debugContext = { "<const>" })
    {
        return give(pop_graph_add_constant_fill_at(detail::where(debugContext), c(), type.c(), detail::shape(shape), detail::HostType<T>::value,
                                                   &value, detail::name(debugContext)));
    }
    // Bits of half values.
    Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t value, const DebugContext &debugContext = { "<const>" })
    {
        return give(pop_graph_add_constant_fill_at(detail::where(debugContext), c(), type.c(), detail::shape(shape), POP_HALF, &value,
                                                   detail::name(debugContext)));
    }
    Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *values, const DebugContext &debugContext = { "<const>" })
    {
        return give(pop_graph_add_constant_at(detail::where(debugContext), c(), type.c(), detail::shape(shape), POP_HALF, values,
                                              detail::name(debugContext)));
    }
    // The number of the replica: there is one.
    Tensor addReplicationIndexConstant(const DebugContext &debugContext = {})
    {
        const unsigned first = 0;
        return give(pop_graph_add_constant_fill_at(detail::where(debugContext), c(), POP_UNSIGNED_INT, detail::shape(ArrayRef<std::size_t>()),
                                                   POP_UNSIGNED_INT, &first, detail::name(debugContext)));
    }
    // New variables with a tensor's shape and tile mapping.
    Tensor clone(const Type &type, const Tensor &t, const DebugContext &debugContext = {},
                 TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
    {
        return give(pop_graph_clone_at(detail::where(debugContext), c(), type.c(), t.c(), static_cast<pop_clone_method>(method),
                                       detail::name(debugContext)));
    }
    Tensor clone(const Tensor &t, const DebugContext &debugContext = {}, TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
    {
        return clone(Type(), t, debugContext, method);
    }
    // With a new outer dimension of N.
    Tensor cloneN(const Type &type, const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
                  TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                  TensorCloneDuplicationMethod duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION)
    {
        return give(pop_graph_clone_n_at(detail::where(debugContext), c(), type.c(), t.c(), N, static_cast<pop_clone_method>(method),
                                         static_cast<pop_clone_duplication>(duplication), detail::name(debugContext)));
    }
    Tensor cloneN(const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
                  TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                  TensorCloneDuplicationMethod duplication = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION)
    {
        return cloneN(Type(), t, N, debugContext, method, duplication);
    }
    Tensor getVariable(VariableRef variable, Where where = Where::here()) const
    {
        return give(pop_graph_variable_at(where, c(), variable.getId()));
    }
    bool isConstant(VariableRef variable) const { return pop_graph_is_constant(c(), variable.getId()); }
    Tensor findUnbroadcastTensor(const Tensor &t, Where where = Where::here()) const
    {
        return give(pop_graph_find_unbroadcast_tensor_at(where, c(), t.c()));
    }
    // Forms for 8-bit floats, which no device of this library has.
    Tensor addVariable(const Type &, detail::Metadata, ArrayRef<std::size_t>, const DebugContext &debugContext = {})
    {
        noMetadata(debugContext, "pop_graph_add_variable");
    }
    Tensor addVariable(const Type &, detail::Metadata, ArrayRef<std::size_t>, VariableMappingMethod, const DebugContext &debugContext = {})
    {
        noMetadata(debugContext, "pop_graph_add_variable");
    }
    template <typename T> Tensor addConstant(const Type &, detail::Metadata, ArrayRef<std::size_t>, T &&, const DebugContext &debugContext = {})
    {
        noMetadata(debugContext, "pop_graph_add_constant");
    }
    Tensor clone(const Type &, detail::Metadata, const Tensor &, const DebugContext &debugContext = {},
                 TensorCloneMethod = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
    {
        noMetadata(debugContext, "pop_graph_clone");
    }

    // ---- contents at each load ----
    template <typename T, typename = detail::IfValue<T>> void setInitialValue(const Tensor &t, T value, Where where = Where::here())
    {
        pop_graph_set_initial_fill_at(where, c(), t.c(), detail::HostType<T>::value, &value);
        check();
    }
    template <typename T> void setInitialValue(const Tensor &t, ArrayRef<T> values, Where where = Where::here())
    {
        detail::checkCount(where, "pop_graph_set_initial_value", t.numElements(), values.size(), "the tensor has");
        pop_graph_set_initial_value_at(where, c(), t.c(), detail::HostType<T>::value, values.data());
        check();
    }
    template <typename T, typename A> void setInitialValue(const Tensor &t, const std::vector<T, A> &values, Where where = Where::here())
    {
        const detail::Values<T> list(values);
        setInitialValue(t, list.list(), where);
    }
    void setInitialValueHalf(const Tensor &t, std::uint16_t value, Where where = Where::here())
    {
        pop_graph_set_initial_fill_at(where, c(), t.c(), POP_HALF, &value);
        check();
    }
    void setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> values, Where where = Where::here())
    {
        detail::checkCount(where, "pop_graph_set_initial_half", t.numElements(), values.size(), "the tensor has");
        pop_graph_set_initial_value_at(where, c(), t.c(), POP_HALF, values.data());
        check();
    }
    // The same of a vertex's state; a vector's values give its size.
    template <typename T, typename = detail::IfValue<T>> void setInitialValue(const FieldRef &field, T value, Where where = Where::here())
    {
        setField(field, detail::HostType<T>::value, &value, where);
    }
    template <typename T> void setInitialValue(const FieldRef &field, ArrayRef<T> values, Where where = Where::here())
    {
        setField(field, detail::HostType<T>::value, values.data(), values.size(), where);
    }
    template <typename T, typename A> void setInitialValue(const FieldRef &field, const std::vector<T, A> &values, Where where = Where::here())
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
    void setInitialValueHalf(const FieldRef &field, std::uint16_t value, Where where = Where::here()) { setField(field, POP_HALF, &value, where); }
    void setInitialValueHalf(const FieldRef &field, ArrayRef<std::uint16_t> values, Where where = Where::here())
    {
        setField(field, POP_HALF, values.data(), values.size(), where);
    }

    // ---- codelets ----
    // A source, compiled now (or found in the cache), or a .gp file.
    bool addCodelets(StringRef file, CodeletFileType type = CodeletFileType::Auto, StringRef compileFlags = "", StringRef targetName = "",
                     Where where = Where::here())
    {
        (void)targetName; // codelets run on the host, whatever they are for
        pop_graph_add_codelets_flags_at(where, c(), detail::CString(file), static_cast<pop_codelet_file>(type), detail::CString(compileFlags));
        check();
        return true;
    }
    bool addCodelets(ArrayRef<std::string> files, StringRef compileFlags = "", StringRef targetName = "", Where where = Where::here())
    {
        for (const std::string &file : files)
            addCodelets(file, CodeletFileType::Auto, compileFlags, targetName, where);
        return true;
    }
    bool addCodelets(std::initializer_list<std::string> files, StringRef compileFlags = "", StringRef targetName = "", Where where = Where::here())
    {
        return addCodelets(ArrayRef<std::string>(files.begin(), files.size()), compileFlags, targetName, where);
    }
    // Source text that a stream holds; what the compiler said goes to a stream, too.
    void addCodelets(std::istream &stream, StringRef compileFlags = "", CodeletFileType type = CodeletFileType::CppSource,
                     StringRef targetName = "", Where where = Where::here())
    {
        (void)targetName;
        pop_graph_add_codelets_source_at(where, c(), detail::readAll(stream).c_str(), static_cast<pop_codelet_file>(type),
                                         detail::CString(compileFlags));
        check();
    }
    void addCodelets(std::istream &stream, StringRef compileFlags, std::ostream &compileOutput, CodeletFileType type = CodeletFileType::CppSource,
                     StringRef targetName = "", Where where = Where::here())
    {
        try {
            addCodelets(stream, compileFlags, type, targetName, where);
        } catch (const graph_program_compilation_error &error) {
            compileOutput << error.what();
            throw;
        }
    }
    bool hasCodelet(StringRef vertexType) const { return pop_graph_has_codelet(c(), detail::CString(vertexType)); }

    // ---- vertices ----
    ComputeSet addComputeSet(const DebugContext &debugContext = {})
    {
        pop_compute_set set = pop_graph_add_compute_set_at(detail::where(debugContext), c(), detail::name(debugContext));
        check();
        return ComputeSet(set);
    }
    VertexRef addVertex(ComputeSet set, const char *vertexType, Where where = Where::here())
    {
        pop_vertex vertex = pop_graph_add_vertex_at(where, c(), own(set.c()), vertexType);
        if (!vertex.id)
            raise();
        return VertexRef(vertex);
    }
    VertexRef addVertex(ComputeSet set, StringRef vertexType, Where where = Where::here())
    {
        return addVertex(set, static_cast<const char *>(detail::CString(vertexType)), where);
    }
    VertexRef addVertex(ComputeSet set, StringRef vertexType, ArrayRef<ConnectionDesc> connections, Where where = Where::here())
    {
        VertexRef vertex = addVertex(set, vertexType, where);
        for (const ConnectionDesc &connection : connections)
            connection.connect(c(), vertex.c(), where);
        if (*pending != POP_OK) {
            pop_graph_take_back_vertex(c(), vertex.c());
            raise();
        }
        return vertex;
    }
    VertexRef addExternalExchangeVertex(ComputeSet, StringRef, unsigned, bool, bool, Where where = Where::here())
    {
        detail::raise(POP_POPLAR_ERROR, where, "Graph::addExternalExchangeVertex", "external exchange vertices are not supported");
    }
    void connect(const FieldRef &field, const Tensor &t, Where where = Where::here())
    {
        if (field.isIndexed())
            pop_graph_connect_index_at(where, c(), field.c(), field.name(), field.getIndex(), t.c());
        else
            pop_graph_connect_at(where, c(), field.c(), field.name(), t.c());
        check();
    }
    void connect(const FieldRef &field, ArrayRef<Tensor> tensors, Where where = Where::here())
    {
        whole(field, where, "pop_graph_connect_list");
        pop_graph_connect_list_at(where, c(), field.c(), field.name(), detail::tensors(tensors));
        check();
    }
    // An input that reads a constant.
    template <typename T, typename = detail::IfValue<T>> void connect(const FieldRef &field, T value, Where where = Where::here())
    {
        whole(field, where, "pop_graph_connect_constant");
        pop_graph_connect_constant_at(where, c(), field.c(), field.name(), detail::HostType<T>::value, &value);
        check();
    }
    void setFieldSize(const FieldRef &field, std::size_t size, Where where = Where::here())
    {
        whole(field, where, "pop_graph_set_field_size");
        pop_graph_set_field_size_at(where, c(), field.c(), field.name(), size);
        check();
    }
    std::size_t getFieldSize(const FieldRef &field) const { return pop_graph_get_field_size(c(), field.c(), field.name()); }
    // What a field can hold on this target.
    unsigned getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimension) const
    {
        std::uint64_t most = pop_graph_max_field_dim(c(), detail::CString(vertexType), detail::CString(field), dimension);
        check();
        return most > UINT32_MAX ? UINT32_MAX : static_cast<unsigned>(most);
    }
    double getMaxVertexFieldValue(StringRef vertexType, StringRef field) const
    {
        double most = pop_graph_max_vertex_field_value(c(), detail::CString(vertexType), detail::CString(field));
        check();
        return most;
    }
    template <typename T> T getMaxVertexFieldValueAs(StringRef vertexType, StringRef field) const
    {
        const double most = getMaxVertexFieldValue(vertexType, field), limit = static_cast<double>(std::numeric_limits<T>::max());
        return most >= limit ? std::numeric_limits<T>::max() : static_cast<T>(most);
    }

    // ---- where things lie ----
    void setTileMapping(VertexRef vertex, unsigned tile, Where where = Where::here())
    {
        pop_graph_map_vertex_at(where, c(), vertex.c(), tile);
        check();
    }
    void setTileMapping(const Tensor &t, unsigned tile, Where where = Where::here())
    {
        pop_graph_set_tile_mapping_at(where, c(), t.c(), tile);
        check();
    }
    template <typename Mapping = TileToTensorMapping>
    void setTileMapping(const Tensor &t, const typename detail::Same<Mapping>::type &mapping, Where where = Where::here())
    {
        detail::IntervalLists lists(mapping);
        pop_interval_lists borrowed = lists.c();
        pop_graph_set_tile_mapping_lists_at(where, c(), t.c(), &borrowed);
        check();
    }
    template <typename Mapping = TileToTensorMapping>
    Mapping getTileMapping(const Tensor &t, bool requireComplete = true, bool allowExternal = false, Where where = Where::here()) const
    {
        bool ignored;
        return mappingOf<Mapping>(t, requireComplete && !allowExternal ? nullptr : &ignored, where);
    }
    template <typename Mapping = TileToTensorMapping>
    Mapping getTileMapping(const Tensor &t, bool *isComplete, bool allowExternal = false, Where where = Where::here()) const
    {
        (void)allowExternal;
        return mappingOf<Mapping>(t, isComplete, where);
    }
    template <typename Mapping = TileToTensorMapping> Mapping getVariableTileMapping(const Tensor &t, Where where = Where::here()) const
    {
        return getTileMapping<Mapping>(t, false, false, where);
    }
    // Groups of intervals that are each one region in memory, in the order of memory.
    template <typename Groups = std::vector<std::vector<Interval>>, typename Places = std::vector<std::size_t>>
    Groups getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions, bool removeAliasedIntervals = false,
                                      typename detail::Same<Places>::type *aliases = nullptr, Where where = Where::here()) const
    {
        const detail::Memory list(regions.size(), sizeof(pop_interval));
        std::size_t elements = 0;
        for (std::size_t i = 0; i < regions.size(); ++i) {
            static_cast<pop_interval *>(list.at)[i] = pop_interval{ regions[i].begin(), regions[i].end() };
            if (regions[i].begin() < regions[i].end() && regions[i].end() <= t.numElements())
                elements += regions[i].size(); // others are an error
        }
        if (aliases)
            aliases->resize(elements);
        pop_interval_list borrowed = { regions.size(), static_cast<pop_interval *>(list.at) };
        pop_interval_lists groups;
        if (!pop_graph_get_sorted_contiguous_regions_at(where, c(), t.c(), borrowed, removeAliasedIntervals, aliases ? aliases->data() : nullptr,
                                                        &groups))
            raise();
        return detail::takeLists<Groups>(groups);
    }
    // The same order of elements for t and the others, in which t is more contiguous.
    template <int = 0> void reorderToSimplify(Tensor *t, ArrayRef<Tensor *> others, bool requireSimilarity = true, Where where = Where::here()) const
    {
        detail::Reordered reordered(t, others);
        pop_graph_reorder_to_simplify_at(where, c(), reordered.first(), reordered.others(), others.size(), requireSimilarity);
        check();
        reordered.give();
    }
    template <typename Groups = std::vector<std::vector<Interval>>> TensorRearranger getSimplifyingRearranger(const Tensor &t, Where where = Where::here()) const
    {
        return TensorRearranger(t, getSortedContiguousRegions<Groups>(t.flatten(where), { Interval(0, t.numElements()) }, false, nullptr, where));
    }

    // ---- what vertices cost ----
    void setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles, std::uint64_t flops = 0, Where where = Where::here())
    {
        pop_graph_set_perf_estimate_at(where, c(), vertex.c(), cycles, flops);
        check();
    }
    void setPerfEstimate(const VertexRef &vertex, const VertexPerfEstimate &estimate, Where where = Where::here())
    {
        setPerfEstimate(vertex, estimate.cycles, estimate.flops, where);
    }
    void setCycleEstimate(const VertexRef &vertex, std::uint64_t cycles, Where where = Where::here()) { setPerfEstimate(vertex, cycles, 0, where); }
    VertexPerfEstimate getPerfEstimate(const VertexRef &vertex, Where where = Where::here()) const
    {
        pop_perf perf = pop_graph_get_perf_estimate_at(where, c(), vertex.c());
        rethrowEstimators();
        check();
        return VertexPerfEstimate(perf.cycles, perf.flops);
    }
    std::uint64_t getCycleEstimate(const VertexRef &vertex, Where where = Where::here()) const { return getPerfEstimate(vertex, where).cycles; }
    template <typename F = PerfEstimateFunc>
    void registerPerfEstimator(StringRef vertexType, typename detail::Same<F>::type estimator, Where where = Where::here())
    {
        if (!graph)
            raise();
        estimateWith(vertexType, new detail::FunctionEstimator<F>(std::move(estimator)), where);
    }
    template <typename F = CycleEstimateFunc>
    void registerCycleEstimator(StringRef vertexType, typename detail::Same<F>::type estimator, Where where = Where::here())
    {
        if (!graph)
            raise();
        estimateWith(vertexType, new detail::FunctionEstimator<F>(std::move(estimator)), where);
    }

    // ---- the host's side ----
    void createHostWrite(StringRef handle, const Tensor &t, bool rearrangeOnHost = false, Where where = Where::here())
    {
        (void)rearrangeOnHost; // what arrives is the same
        pop_graph_create_host_write_at(where, c(), detail::CString(handle), t.c());
        check();
    }
    void createHostRead(StringRef handle, const Tensor &t, bool rearrangeOnHost = false, Where where = Where::here())
    {
        (void)rearrangeOnHost;
        pop_graph_create_host_read_at(where, c(), detail::CString(handle), t.c());
        check();
    }
    DataStream addHostToDeviceFIFO(StringRef handle, const Type &type, std::size_t elements,
                                   ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE, const OptionFlags &options = {},
                                   Where where = Where::here())
    {
        pop_stream stream = pop_graph_add_host_to_device_fifo_at(where, c(), detail::CString(handle), type.c(), elements,
                                                                 static_cast<pop_replicated_stream_mode>(mode), detail::Options(options));
        check();
        return DataStream(stream);
    }
    DataStream addDeviceToHostFIFO(StringRef handle, const Type &type, std::size_t elements, const OptionFlags &options = {},
                                   Where where = Where::here())
    {
        pop_stream stream = pop_graph_add_device_to_host_fifo_at(where, c(), detail::CString(handle), type.c(), elements, detail::Options(options));
        check();
        return DataStream(stream);
    }
    // repeats rows of elements each.
    RemoteBuffer addRemoteBuffer(StringRef handle, const Type &type, std::size_t elements, std::size_t repeats = 1, bool rearrangeOnHost = false,
                                 bool optimiseMemory = false, Where where = Where::here())
    {
        pop_remote_buffer buffer = pop_graph_add_remote_buffer_at(where, c(), detail::CString(handle), type.c(), elements, repeats, rearrangeOnHost,
                                                                  optimiseMemory);
        check();
        return RemoteBuffer(buffer);
    }
    template <typename Argument = HostFunctionArgument>
    HostFunction addHostFunction(StringRef handle, ArrayRef<typename detail::Same<Argument>::type> inputs,
                                 ArrayRef<typename detail::Same<Argument>::type> outputs, Where where = Where::here())
    {
        const detail::Memory memory(inputs.size() + outputs.size(), sizeof(pop_host_argument));
        pop_host_argument *const list = static_cast<pop_host_argument *>(memory.at), *const results = list + inputs.size();
        for (std::size_t i = 0; i < inputs.size(); ++i)
            list[i] = pop_host_argument{ std::get<0>(inputs[i]).c(), std::get<1>(inputs[i]) };
        for (std::size_t i = 0; i < outputs.size(); ++i)
            results[i] = pop_host_argument{ std::get<0>(outputs[i]).c(), std::get<1>(outputs[i]) };
        pop_host_function function =
            pop_graph_add_host_function_at(where, c(), detail::CString(handle), list, inputs.size(), results, outputs.size());
        check();
        return HostFunction(function);
    }
    Function addFunction(const program::Program &program, Where where = Where::here()); // in Program.hpp
    FunctionBuffer addFunctionBuffer(const Function &, FunctionBufferMappingType, Where where = Where::here())
    {
        detail::raise(POP_POPLAR_ERROR, where, "Graph::addFunctionBuffer", "code in remote memory is not supported");
    }

    // ---- writing a graph down ----
    void serialize(std::ostream &out, SerializationFormat format, Where where = Where::here()) const
    {
        detail::OutputFile file;
        pop_graph_serialize_at(where, c(), file.c(), static_cast<pop_serialization>(format));
        check();
        file.send(out);
    }
    // The layout of tensors, and new variables laid out alike.
    void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors, SerializationFormat format, Where where = Where::here()) const
    {
        detail::OutputFile file;
        pop_graph_serialize_tensors_at(where, c(), file.c(), detail::tensors(tensors), static_cast<pop_serialization>(format));
        check();
        file.send(out);
    }
    template <typename List = std::vector<Tensor>> List deserializeTensors(std::istream &in, SerializationFormat format, Where where = Where::here())
    {
        detail::InputFile file(in);
        const std::size_t room = file.size() / 8 + 1; // no tensor is written in less
        const detail::Memory memory(room, sizeof(pop_tensor));
        pop_tensor *const read = static_cast<pop_tensor *>(memory.at);
        const std::size_t count = pop_graph_deserialize_tensors_at(where, c(), file.c(), static_cast<pop_serialization>(format), read, room);
        check();
        List tensors;
        tensors.reserve(count);
        for (std::size_t i = 0; i < count; ++i)
            tensors.push_back(Tensor(read[i]));
        return tensors;
    }
    // Graphviz; in Program.hpp.
    void outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs, Where where = Where::here()) const;
    void outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs, Where where = Where::here()) const;

private:
    // Another handle on what a graph shares; NULL for a call that failed.
    Graph(const Graph &shared, pop_graph *handle) : Graph()
    {
        if (!handle)
            shared.raise();
        graph = handle;
        estimators = shared.estimators;
        pending = pop_graph_error_status(handle);
        machine = new Target(*pop_graph_target(handle));
    }
    void start()
    {
        pending = pop_graph_error_status(c());
        check();
        machine = new Target(*pop_graph_target(c()));
        estimators = detail::Handle(new detail::Estimators(*machine));
    }
    void swap(Graph &other)
    {
        detail::exchange(estimators, other.estimators);
        detail::exchange(graph, other.graph);
        detail::exchange(pending, other.pending);
        detail::exchange(machine, other.machine);
    }
    [[noreturn]] void raise() const { detail::raiseFrom(c()); }
    void check() const
    {
        if (!graph || *pending != POP_OK)
            raise();
    }
    Tensor give(const pop_tensor &result) const
    {
        if (!result.store)
            raise();
        return Tensor(result);
    }
    void estimateWith(StringRef vertexType, detail::Estimators::Estimator *estimator, Where where)
    {
        void *user = static_cast<detail::Estimators *>(estimators.get())->keep(estimator);
        pop_graph_register_perf_estimator_at(where, c(), detail::CString(vertexType), detail::Estimators::call, user);
        check();
    }
    // A handle that was made from its number alone is this graph's.
    pop_compute_set own(pop_compute_set set) const
    {
        if (!set.store && set.id)
            set.store = pop_graph_store(c());
        return set;
    }
    [[noreturn]] static void noReplication(pop_where where, unsigned factor)
    {
        detail::raise(POP_GRAPH_REPLICATION_ERROR, where, "pop_graph_create",
                      "a replication factor of %u: only 1 is supported so far, replication comes later", factor);
    }
    [[noreturn]] static void noMetadata(const DebugContext &debugContext, const char *api)
    {
        detail::raise(POP_TENSOR_METADATA_ERROR, detail::where(debugContext), api, "no tensor has metadata: 8-bit floats are not supported");
    }
    static void whole(const FieldRef &field, pop_where where, const char *api)
    {
        if (field.isIndexed())
            detail::raise(POP_INDEX_ERROR, where, api,
                          "field '%s' cannot be used here with an index, [%zu]", field.name(),
                          field.getIndex());
    }
    template <typename P> Tensor addConstantAt(const Type &type, ArrayRef<std::size_t> shape, const P *values, const DebugContext &debugContext)
    {
        return give(pop_graph_add_constant_at(detail::where(debugContext), c(), type.c(), detail::shape(shape), detail::HostType<P>::value, values,
                                              detail::name(debugContext)));
    }
    void setField(const FieldRef &field, pop_type type, const void *value, Where where)
    {
        whole(field, where, "pop_graph_set_field");
        pop_graph_set_field_at(where, c(), field.c(), field.name(), type, value);
        check();
    }
    void setField(const FieldRef &field, pop_type type, const void *values, std::size_t count, Where where)
    {
        pop_field element = { field.name(), field.getIndex() };
        pop_graph_set_field_vector_at(where, c(), field.c(), element, type, values, count);
        check();
    }
    template <typename Mapping = TileToTensorMapping> Mapping mappingOf(const Tensor &t, bool *complete, Where where) const
    {
        pop_interval_lists lists;
        if (!pop_graph_get_tile_mapping_at(where, c(), t.c(), complete, &lists))
            raise();
        return detail::takeLists<Mapping>(lists);
    }

    detail::Handle estimators; // outlive the graph
    pop_graph *graph;
    const pop_status *pending; // the kind of an error in the graph; looked at after each call
    Target *machine;           // where it stays when the graph moves
};

} // namespace poplar
#endif
