// SPDX-License-Identifier: Apache-2.0
// Graphs.
#ifndef POPLAR_IMPL_GRAPH_HPP
#define POPLAR_IMPL_GRAPH_HPP

#include <poplar/Graph.hpp>
#include <poplar/impl/connection.hpp>
#include <poplar/impl/estimators.hpp>
#include <poplar/impl/graph_io.hpp>
#include <poplar/impl/graph_metadata.hpp>

namespace poplar
{
namespace detail
{

// The element type for the traits of a host type.
inline pop_type hostTypeOf(const TypeTraits &traits, pop_where where)
{
    static const struct {
        std::size_t size;
        bool isFloat, isSigned;
        pop_type type;
    } known[] = {
        { 1, false, true, POP_SIGNED_CHAR }, { 1, false, false, POP_UNSIGNED_CHAR },
        { 2, false, true, POP_SHORT },       { 2, false, false, POP_UNSIGNED_SHORT },
        { 4, false, true, POP_INT },         { 4, false, false, POP_UNSIGNED_INT },
        { 8, false, true, POP_LONGLONG },    { 8, false, false, POP_UNSIGNED_LONGLONG },
        { 2, true, true, POP_HALF },         { 4, true, true, POP_FLOAT },
        { 8, true, true, POP_DOUBLE },
    };
    for (const auto &host : known)
        if (host.size == traits.size && host.isFloat == traits.isFloat && host.isSigned == traits.isSigned)
            return host.type;
    raise(POP_TYPE_ERROR, where, "pop_graph_add_constant",
          "no element type has values of %zu bytes: they have 1, 2, 4 or 8", traits.size);
}

} // namespace detail

POPLAR_IMPL Graph::Graph(const Target &target, replication_factor replication, Where where) : Graph()
{
    graph = pop_graph_create_replicated_at(where, &target.c(), replication.value);
    start();
}
POPLAR_IMPL Graph::Graph(const Device &device, replication_factor replication, Where where)
    : Graph(device.getTarget(), replication, where)
{
}
POPLAR_IMPL Graph::Graph(Graph &&other) noexcept : Graph()
{
    swap(other);
}
POPLAR_IMPL Graph &Graph::operator=(Graph &&other) noexcept
{
    Graph taken(std::move(other));
    swap(taken);
    return *this;
}
POPLAR_IMPL Graph::~Graph()
{
    pop_graph_destroy(graph);
    delete machine;
}
POPLAR_IMPL void Graph::rethrowEstimators() const
{
    if (estimators.get())
        static_cast<detail::Estimators *>(estimators.get())->rethrow();
}
POPLAR_IMPL const Target &Graph::getTarget() const
{
    if (!machine)
        raise();
    return *machine;
}
POPLAR_IMPL unsigned Graph::getReplicationFactor() const
{
    return pop_graph_replication_factor(c());
}
POPLAR_IMPL unsigned Graph::getNumVertices() const
{
    return static_cast<unsigned>(pop_graph_num_vertices(c()));
}
POPLAR_IMPL Graph Graph::createVirtualGraph(unsigned numTilesPerIPU, Where where)
{
    return Graph(*this, pop_graph_create_virtual_at(where, c(), numTilesPerIPU));
}
POPLAR_IMPL Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile, Where where)
{
    return Graph(*this, pop_graph_create_virtual_range_at(where, c(), lowerTile, upperTile));
}
POPLAR_IMPL Graph Graph::createVirtualGraph(const std::vector<unsigned> &perIpuTiles, Where where)
{
    return Graph(*this, pop_graph_create_virtual_tiles_at(where, c(), detail::dims(perIpuTiles)));
}
POPLAR_IMPL Graph Graph::getTopLevelGraph(Where where)
{
    return Graph(*this, pop_graph_share_top_level_at(where, c()));
}
POPLAR_IMPL Graph Graph::createReplicatedGraph(unsigned replication, Where where)
{
    return Graph(*this, pop_graph_replicate_at(where, c(), replication));
}
POPLAR_IMPL Tensor Graph::getNonReplicatedTensor(const Tensor &t, Where where) const
{
    return give(pop_graph_non_replicated_at(where, c(), t.c()));
}
POPLAR_IMPL unsigned Graph::convertVirtualTileToPhysicalTile(unsigned tile) const
{
    return pop_graph_physical_tile(c(), tile);
}
POPLAR_IMPL unsigned Graph::convertPhysicalTileToVirtualTile(unsigned tile) const
{
    return pop_graph_virtual_tile(c(), tile);
}
POPLAR_IMPL unsigned Graph::convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const
{
    if (!graph)
        raise();
    return pop_graph_virtual_tile(c(), ipu * pop_graph_target(pop_graph_top_level(c()))->tiles_per_ipu + tile);
}
POPLAR_IMPL unsigned Graph::convertVirtualTileToTopLevelGraphTile(unsigned tile) const
{
    return pop_graph_physical_tile(c(), tile);
}
POPLAR_IMPL unsigned Graph::convertTopLevelGraphTileToVirtualTile(unsigned tile) const
{
    return pop_graph_virtual_tile(c(), tile);
}
POPLAR_IMPL Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape, const DebugContext &debugContext)
{
    return give(pop_graph_add_variable_at(detail::where(debugContext), c(), type.c(), detail::shape(shape),
                                          detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                                      const DebugContext &debugContext)
{
    return give(pop_graph_add_variable_mapped_at(
        detail::where(debugContext), c(), type.c(), detail::shape(shape),
        method == VariableMappingMethod::LINEAR ? POP_MAPPING_LINEAR : POP_MAPPING_NONE, detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::addTensor(StringRef type, ArrayRef<std::size_t> shape, const DebugContext &debugContext)
{
    return addVariable(Type(pop_type_by_name(detail::CString(type))), shape, debugContext);
}
POPLAR_IMPL ComputeSet Graph::createComputeSet(const DebugContext &debugContext)
{
    return addComputeSet(debugContext);
}
POPLAR_IMPL Tensor Graph::addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values,
                                      const TypeTraits &traits, bool broadcast, const DebugContext &debugContext)
{
    const pop_type host = detail::hostTypeOf(traits, detail::where(debugContext));
    return broadcast ? addFilled(type, shape, host, values, debugContext)
                     : addValues(type, shape, host, values, POP_WHOLE, debugContext);
}
POPLAR_IMPL Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t value,
                                          const DebugContext &debugContext)
{
    return give(pop_graph_add_constant_fill_at(detail::where(debugContext), c(), type.c(), detail::shape(shape),
                                               POP_HALF, &value, detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *values,
                                          const DebugContext &debugContext)
{
    return give(pop_graph_add_constant_at(detail::where(debugContext), c(), type.c(), detail::shape(shape), POP_HALF,
                                          values, detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::addReplicationIndexConstant(const DebugContext &debugContext)
{
    return give(
        pop_graph_add_replication_index_constant_at(detail::where(debugContext), c(), detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::clone(const Type &type, const Tensor &t, const DebugContext &debugContext,
                                TensorCloneMethod method)
{
    return give(pop_graph_clone_at(detail::where(debugContext), c(), type.c(), t.c(),
                                   static_cast<pop_clone_method>(method), detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::clone(const Tensor &t, const DebugContext &debugContext, TensorCloneMethod method)
{
    return clone(Type(), t, debugContext, method);
}
POPLAR_IMPL Tensor Graph::cloneN(const Type &type, const Tensor &t, std::size_t N, const DebugContext &debugContext,
                                 TensorCloneMethod method, TensorCloneDuplicationMethod duplication)
{
    return give(pop_graph_clone_n_at(detail::where(debugContext), c(), type.c(), t.c(), N,
                                     static_cast<pop_clone_method>(method),
                                     static_cast<pop_clone_duplication>(duplication), detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::cloneN(const Tensor &t, std::size_t N, const DebugContext &debugContext,
                                 TensorCloneMethod method, TensorCloneDuplicationMethod duplication)
{
    return cloneN(Type(), t, N, debugContext, method, duplication);
}
POPLAR_IMPL Tensor Graph::getVariable(VariableRef variable, Where where) const
{
    return give(pop_graph_variable_at(where, c(), variable.getId()));
}
POPLAR_IMPL bool Graph::isConstant(VariableRef variable) const
{
    return pop_graph_is_constant(c(), variable.getId());
}
POPLAR_IMPL Tensor Graph::findUnbroadcastTensor(const Tensor &t, Where where) const
{
    return give(pop_graph_find_unbroadcast_tensor_at(where, c(), t.c()));
}
POPLAR_IMPL Tensor Graph::addExternalVariable(const Type &, ArrayRef<std::size_t>, StringRef,
                                              const DebugContext &debugContext)
{
    detail::raise(POP_POPLAR_ERROR, detail::where(debugContext), "Graph::addExternalVariable",
                  "variables outside of the tiles are not supported: use a remote buffer (Graph::addRemoteBuffer)");
}
POPLAR_IMPL void Graph::setInitialValueHalf(const Tensor &t, std::uint16_t value, Where where)
{
    pop_graph_set_initial_fill_at(where, c(), t.c(), POP_HALF, &value);
    check();
}
POPLAR_IMPL void Graph::setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> values, Where where)
{
    detail::checkCount(where, "pop_graph_set_initial_half", t.numElements(), values.size(), "the tensor has");
    pop_graph_set_initial_value_at(where, c(), t.c(), POP_HALF, values.data());
    check();
}
POPLAR_IMPL void Graph::setInitialValueHalf(const FieldRef &field, std::uint16_t value, Where where)
{
    setField(field, POP_HALF, &value, where);
}
POPLAR_IMPL void Graph::setInitialValueHalf(const FieldRef &field, ArrayRef<std::uint16_t> values, Where where)
{
    setField(field, POP_HALF, values.data(), values.size(), where);
}
namespace detail
{
// The name of a target is only checked: codelets are compiled for the host and for the graph's target in any case.
POPLAR_IMPL void checkTargetName(const std::string &name, const pop_where &where)
{
    static const char *const names[] = { "cpu", "ipu1", "ipu2", "ipu21" };
    bool known = name.empty();
    for (const char *one : names)
        known = known || name == one;
    if (!known)
        raise(POP_INVALID_OPTION, where, "addCodelets",
              "'%s' is no target of codelets: it is cpu, ipu1, ipu2 or ipu21, or empty", name.c_str());
}
} // namespace detail

POPLAR_IMPL bool Graph::addCodelets(StringRef file, CodeletFileType type, StringRef compileFlags, StringRef targetName,
                                    Where where)
{
    detail::checkTargetName(std::string(targetName), where);
    pop_graph_add_codelets_flags_at(where, c(), detail::CString(file), static_cast<pop_codelet_file>(type),
                                    detail::CString(compileFlags));
    check();
    return true;
}
POPLAR_IMPL bool Graph::addCodelets(ArrayRef<std::string> files, StringRef compileFlags, StringRef targetName,
                                    Where where)
{
    for (const std::string &file : files)
        addCodelets(file, CodeletFileType::Auto, compileFlags, targetName, where);
    return true;
}
POPLAR_IMPL bool Graph::addCodelets(std::initializer_list<std::string> files, StringRef compileFlags,
                                    StringRef targetName, Where where)
{
    return addCodelets(ArrayRef<std::string>(files.begin(), files.size()), compileFlags, targetName, where);
}
POPLAR_IMPL void Graph::addCodelets(std::istream &stream, StringRef compileFlags, CodeletFileType type,
                                    StringRef targetName, Where where)
{
    detail::checkTargetName(std::string(targetName), where);
    pop_graph_add_codelets_source_at(where, c(), detail::readAll(stream).c_str(), static_cast<pop_codelet_file>(type),
                                     detail::CString(compileFlags));
    check();
}
POPLAR_IMPL void Graph::addCodelets(std::istream &stream, StringRef compileFlags, std::ostream &compileOutput,
                                    CodeletFileType type, StringRef targetName, Where where)
{
    try {
        addCodelets(stream, compileFlags, type, targetName, where);
    } catch (const graph_program_compilation_error &error) {
        compileOutput << error.what();
        throw;
    }
}
POPLAR_IMPL bool Graph::hasCodelet(StringRef vertexType) const
{
    return pop_graph_has_codelet(c(), detail::CString(vertexType));
}
POPLAR_IMPL ComputeSet Graph::addComputeSet(const DebugContext &debugContext)
{
    pop_compute_set set = pop_graph_add_compute_set_at(detail::where(debugContext), c(), detail::name(debugContext));
    check();
    return ComputeSet(set);
}
POPLAR_IMPL VertexRef Graph::addVertex(ComputeSet set, StringRef vertexType, Where where)
{
    return addVertex(set, static_cast<const char *>(detail::CString(vertexType)), where);
}
POPLAR_IMPL VertexRef Graph::addVertex(ComputeSet set, StringRef vertexType, ArrayRef<ConnectionDesc> connections,
                                       Where where)
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
POPLAR_IMPL VertexRef Graph::addExternalExchangeVertex(ComputeSet, StringRef, unsigned, bool, bool, Where where)
{
    detail::raise(POP_POPLAR_ERROR, where, "Graph::addExternalExchangeVertex",
                  "external exchange vertices are not supported");
}
POPLAR_IMPL void Graph::connect(const FieldRef &field, ArrayRef<Tensor> tensors, Where where)
{
    whole(field, where, "pop_graph_connect_list");
    pop_graph_connect_list_at(where, c(), field.c(), field.name(), detail::tensors(tensors));
    check();
}
POPLAR_IMPL void Graph::setFieldSize(const FieldRef &field, std::size_t size, Where where)
{
    whole(field, where, "pop_graph_set_field_size");
    pop_graph_set_field_size_at(where, c(), field.c(), field.name(), size);
    check();
}
POPLAR_IMPL std::size_t Graph::getFieldSize(const FieldRef &field) const
{
    return pop_graph_get_field_size(c(), field.c(), field.name());
}
POPLAR_IMPL std::size_t Graph::getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimension) const
{
    std::uint64_t largest =
        pop_graph_max_field_dim(c(), detail::CString(vertexType), detail::CString(field), dimension);
    check();
    return static_cast<std::size_t>(largest);
}
POPLAR_IMPL double Graph::getMaxVertexFieldValue(StringRef vertexType, StringRef field) const
{
    double largest = pop_graph_max_vertex_field_value(c(), detail::CString(vertexType), detail::CString(field));
    check();
    return largest;
}
POPLAR_IMPL void Graph::setTileMapping(const Tensor &t, unsigned tile, Where where)
{
    pop_graph_set_tile_mapping_at(where, c(), t.c(), tile);
    check();
}
POPLAR_IMPL void Graph::setTileMapping(const Tensor &t, const TileToTensorMapping &mapping, Where where)
{
    detail::IntervalLists lists(mapping);
    pop_interval_lists borrowed = lists.c();
    pop_graph_set_tile_mapping_lists_at(where, c(), t.c(), &borrowed);
    check();
}
POPLAR_IMPL Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool requireComplete, bool allowExternal,
                                                             Where where) const
{
    bool ignored;
    return mappingOf(t, requireComplete ? nullptr : &ignored, allowExternal, where);
}
POPLAR_IMPL Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool *isComplete, bool allowExternal,
                                                             Where where) const
{
    return mappingOf(t, isComplete, allowExternal, where);
}
POPLAR_IMPL Graph::TileToTensorMapping Graph::getVariableTileMapping(const Tensor &t, Where where) const
{
    return getTileMapping(t, false, true, where);
}
POPLAR_IMPL std::vector<std::vector<Interval>>
Graph::getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions, bool removeAliasedIntervals,
                                  std::vector<std::size_t> *aliases, Where where) const
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
    if (!pop_graph_get_sorted_contiguous_regions_at(where, c(), t.c(), borrowed, removeAliasedIntervals,
                                                    aliases ? aliases->data() : nullptr, &groups))
        raise();
    return detail::takeLists(groups);
}
POPLAR_IMPL void Graph::reorderToSimplify(Tensor *t, ArrayRef<Tensor *> others, bool requireSimilarity,
                                          Where where) const
{
    detail::Reordered reordered(t, others);
    pop_graph_reorder_to_simplify_at(where, c(), reordered.first(), reordered.others(), others.size(),
                                     requireSimilarity);
    check();
    reordered.give();
}
POPLAR_IMPL TensorRearranger Graph::getSimplifyingRearranger(const Tensor &t, Where where) const
{
    return TensorRearranger(
        t, getSortedContiguousRegions(t.flatten(where), { Interval(0, t.numElements()) }, false, nullptr, where));
}
POPLAR_IMPL void Graph::setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles, std::uint64_t flops, Where where)
{
    pop_graph_set_perf_estimate_at(where, c(), vertex.c(), cycles, flops);
    check();
}
POPLAR_IMPL void Graph::setPerfEstimate(const VertexRef &vertex, const VertexPerfEstimate &estimate, Where where)
{
    setPerfEstimate(vertex, estimate.cycles, estimate.flops, where);
}
POPLAR_IMPL void Graph::setCycleEstimate(const VertexRef &vertex, std::uint64_t cycles, Where where)
{
    setPerfEstimate(vertex, cycles, 0, where);
}
POPLAR_IMPL VertexPerfEstimate Graph::getPerfEstimate(const VertexRef &vertex, Where where) const
{
    pop_perf perf = pop_graph_get_perf_estimate_at(where, c(), vertex.c());
    rethrowEstimators();
    check();
    return VertexPerfEstimate(perf.cycles, perf.flops);
}
POPLAR_IMPL std::uint64_t Graph::getCycleEstimate(const VertexRef &vertex, Where where) const
{
    return getPerfEstimate(vertex, where).cycles;
}
template <typename F> void Graph::estimateWith(StringRef vertexType, F &&estimator, Where where)
{
    if (!graph)
        raise();
    void *user = static_cast<detail::Estimators *>(estimators.get())
                     ->keep(new detail::FunctionEstimator<F>(std::move(estimator)));
    pop_graph_register_perf_estimator_at(where, c(), detail::CString(vertexType), detail::Estimators::call, user);
    check();
}
POPLAR_IMPL void Graph::registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator, Where where)
{
    estimateWith(vertexType, std::move(estimator), where);
}
POPLAR_IMPL void Graph::registerCycleEstimator(StringRef vertexType, CycleEstimateFunc estimator, Where where)
{
    estimateWith(vertexType, std::move(estimator), where);
}
POPLAR_IMPL Graph::Graph(const Graph &shared, pop_graph *handle) : Graph()
{
    if (!handle)
        shared.raise();
    graph = handle;
    estimators = shared.estimators;
    pending = pop_graph_error_status(handle);
    machine = new Target(*pop_graph_target(handle));
}
POPLAR_IMPL void Graph::start()
{
    pending = pop_graph_error_status(c());
    check();
    machine = new Target(*pop_graph_target(c()));
    estimators = detail::Handle(new detail::Estimators(*machine));
}
POPLAR_IMPL void Graph::swap(Graph &other)
{
    detail::exchange(estimators, other.estimators);
    detail::exchange(graph, other.graph);
    detail::exchange(pending, other.pending);
    detail::exchange(machine, other.machine);
}
POPLAR_IMPL void Graph::raise() const
{
    detail::raiseFrom(c());
}
POPLAR_IMPL Tensor Graph::give(const pop_tensor &result) const
{
    if (!result.store)
        raise();
    return Tensor(result);
}
POPLAR_IMPL pop_compute_set Graph::own(pop_compute_set set) const
{
    if (!set.store && set.id)
        set.store = pop_graph_store(c());
    return set;
}
POPLAR_IMPL void Graph::whole(const FieldRef &field, pop_where where, const char *api)
{
    if (field.isIndexed())
        detail::raise(POP_INDEX_ERROR, where, api, "field '%s' cannot be used here with an index, [%zu]", field.name(),
                      field.getIndex());
}
POPLAR_IMPL Tensor Graph::addValues(const Type &type, ArrayRef<std::size_t> shape, pop_type host, const void *values,
                                    std::size_t count, const DebugContext &debugContext)
{
    const pop_where where = detail::where(debugContext);
    if (count != POP_WHOLE)
        detail::checkCount(where, "pop_graph_add_constant", detail::count(shape), count, "the shape has");
    return give(pop_graph_add_constant_at(where, c(), type.c(), detail::shape(shape), host, values,
                                          detail::name(debugContext)));
}
POPLAR_IMPL Tensor Graph::addFilled(const Type &type, ArrayRef<std::size_t> shape, pop_type host, const void *value,
                                    const DebugContext &debugContext)
{
    return give(pop_graph_add_constant_fill_at(detail::where(debugContext), c(), type.c(), detail::shape(shape), host,
                                               value, detail::name(debugContext)));
}
POPLAR_IMPL void Graph::setValues(const Tensor &t, pop_type host, const void *values, std::size_t count, Where where)
{
    detail::checkCount(where, "pop_graph_set_initial_value", t.numElements(), count, "the tensor has");
    pop_graph_set_initial_value_at(where, c(), t.c(), host, values);
    check();
}
POPLAR_IMPL void Graph::setFilled(const Tensor &t, pop_type host, const void *value, Where where)
{
    pop_graph_set_initial_fill_at(where, c(), t.c(), host, value);
    check();
}
POPLAR_IMPL void Graph::connectConstant(const FieldRef &field, pop_type host, const void *value, Where where)
{
    whole(field, where, "pop_graph_connect_constant");
    pop_graph_connect_constant_at(where, c(), field.c(), field.name(), host, value);
    check();
}
POPLAR_IMPL void Graph::setField(const FieldRef &field, pop_type type, const void *value, Where where)
{
    whole(field, where, "pop_graph_set_field");
    pop_graph_set_field_at(where, c(), field.c(), field.name(), type, value);
    check();
}
POPLAR_IMPL void Graph::setField(const FieldRef &field, pop_type type, const void *values, std::size_t count,
                                 Where where)
{
    pop_field element = { field.name(), field.getIndex() };
    pop_graph_set_field_vector_at(where, c(), field.c(), element, type, values, count);
    check();
}
POPLAR_IMPL Graph::TileToTensorMapping Graph::mappingOf(const Tensor &t, bool *complete, bool external,
                                                        Where where) const
{
    bool whole = true; // with external tiles allowed, elements may be omitted, and yet each must have a tile
    pop_interval_lists lists;
    if ((!external && !pop_graph_check_external_at(where, c(), t.c())) ||
        !pop_graph_get_tile_mapping_at(where, c(), t.c(), external && !complete ? &whole : complete, &lists))
        raise();
    const TileToTensorMapping mapping = detail::takeLists(lists);
    if (!whole && !pop_graph_get_tile_mapping_at(where, c(), t.c(), nullptr, nullptr))
        raise();
    return mapping;
}

} // namespace poplar
#endif
