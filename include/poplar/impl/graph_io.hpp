// SPDX-License-Identifier: Apache-2.0
// How data enters and leaves graphs: host access, streams, remote buffers, host functions, and files of graphs and
// tensors.
#ifndef POPLAR_IMPL_GRAPH_IO_HPP
#define POPLAR_IMPL_GRAPH_IO_HPP

#include <poplar/Graph.hpp>
#include <poplar/impl/DataStream.hpp>
#include <poplar/impl/connection.hpp>
#include <poplar/impl/text_file.hpp>

namespace poplar
{

POPLAR_IMPL void Graph::createHostWrite(StringRef handle, const Tensor &t, bool rearrangeOnHost, Where where)
{
    detail::logRearrangeOnHost(rearrangeOnHost);
    pop_graph_create_host_write_at(where, c(), detail::CString(handle), t.c());
    check();
}
POPLAR_IMPL void Graph::createHostRead(StringRef handle, const Tensor &t, bool rearrangeOnHost, Where where)
{
    detail::logRearrangeOnHost(rearrangeOnHost);
    pop_graph_create_host_read_at(where, c(), detail::CString(handle), t.c());
    check();
}
POPLAR_IMPL DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type &type, std::size_t elements,
                                                  ReplicatedStreamMode mode, const OptionFlags &options, Where where)
{
    pop_stream stream =
        pop_graph_add_host_to_device_fifo_at(where, c(), detail::CString(handle), type.c(), elements,
                                             static_cast<pop_replicated_stream_mode>(mode), detail::Options(options));
    check();
    return DataStream(stream);
}
POPLAR_IMPL DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type &type, std::size_t elements,
                                                  const OptionFlags &options, Where where)
{
    pop_stream stream = pop_graph_add_device_to_host_fifo_at(where, c(), detail::CString(handle), type.c(), elements,
                                                             detail::Options(options));
    check();
    return DataStream(stream);
}
POPLAR_IMPL RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type &type, std::size_t elements,
                                                std::size_t repeats, bool rearrangeOnHost, bool optimiseMemory,
                                                Where where)
{
    pop_remote_buffer buffer = pop_graph_add_remote_buffer_at(where, c(), detail::CString(handle), type.c(), elements,
                                                              repeats, rearrangeOnHost, optimiseMemory);
    check();
    return RemoteBuffer(buffer);
}
POPLAR_IMPL HostFunction Graph::addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                                ArrayRef<HostFunctionArgument> outputs, Where where)
{
    const detail::Memory memory(inputs.size() + outputs.size(), sizeof(pop_host_argument));
    pop_host_argument *const list = static_cast<pop_host_argument *>(memory.at), *const results = list + inputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        list[i] = pop_host_argument{ std::get<0>(inputs[i]).c(), std::get<1>(inputs[i]) };
    for (std::size_t i = 0; i < outputs.size(); ++i)
        results[i] = pop_host_argument{ std::get<0>(outputs[i]).c(), std::get<1>(outputs[i]) };
    pop_host_function function = pop_graph_add_host_function_at(where, c(), detail::CString(handle), list,
                                                                inputs.size(), results, outputs.size());
    check();
    return HostFunction(function);
}
POPLAR_IMPL FunctionBuffer Graph::addFunctionBuffer(const Function &function, FunctionBufferMappingType, Where where)
{
    if (!function.c().id)
        detail::raise(POP_CONTROL_PROGRAM_ERROR, where, "Graph::addFunctionBuffer", "the function is null");
    if (!pop_graph_has_function(c(), function.c()))
        detail::raise(POP_CONTROL_PROGRAM_ERROR, where, "Graph::addFunctionBuffer", "the graph has no function %u",
                      function.getId());
    return FunctionBuffer(function.getId());
}
POPLAR_IMPL void Graph::serialize(std::ostream &out, SerializationFormat format, Where where) const
{
    detail::OutputFile file;
    pop_graph_serialize_at(where, c(), file.c(), static_cast<pop_serialization>(format));
    check();
    file.send(out);
}
POPLAR_IMPL void Graph::serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors, SerializationFormat format,
                                         Where where) const
{
    detail::OutputFile file;
    pop_graph_serialize_tensors_at(where, c(), file.c(), detail::tensors(tensors),
                                   static_cast<pop_serialization>(format));
    check();
    file.send(out);
}
POPLAR_IMPL std::vector<Tensor> Graph::deserializeTensors(std::istream &in, SerializationFormat format, Where where)
{
    detail::InputFile file(in);
    const std::size_t limit = file.size() / 8 + 1; // a serialized tensor has at least 8 bytes
    const detail::Memory memory(limit, sizeof(pop_tensor));
    pop_tensor *const read = static_cast<pop_tensor *>(memory.at);
    const std::size_t count =
        pop_graph_deserialize_tensors_at(where, c(), file.c(), static_cast<pop_serialization>(format), read, limit);
    check();
    std::vector<Tensor> tensors;
    tensors.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        tensors.push_back(Tensor(read[i]));
    return tensors;
}

} // namespace poplar
#endif
