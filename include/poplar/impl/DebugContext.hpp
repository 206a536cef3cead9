// SPDX-License-Identifier: Apache-2.0
// Debug names, contexts and records.
#ifndef POPLAR_IMPL_DEBUG_CONTEXT_HPP
#define POPLAR_IMPL_DEBUG_CONTEXT_HPP

#include <poplar/DebugContext.hpp>

namespace poplar
{
namespace detail
{

inline std::string joinPath(const std::string &parent, const std::string &name)
{
    return parent.empty() ? name : name.empty() ? parent : name[0] == '/' ? parent + name : parent + '/' + name;
}

inline std::string textOf(const char *text)
{
    return text ? text : "";
}

} // namespace detail

POPLAR_IMPL DebugNameAndId::DebugNameAndId(std::string name, DebugId id, std::string parentPath)
    : path(detail::joinPath(parentPath, name)), identity(id)
{
}
POPLAR_IMPL DebugNameAndId::DebugNameAndId(const DebugInfo &info, const std::string &name)
    : path(detail::joinPath(info.getPathName(), name)), identity(info.getId())
{
}
POPLAR_IMPL DebugNameAndId::DebugNameAndId(const DebugNameAndId &parent, StringRef name)
    : path(detail::joinPath(parent.path, name.cloneAsString())), identity(parent.identity)
{
}
POPLAR_IMPL DebugContext::DebugContext(const DebugInfo &info, std::string name, SourceLocation location)
    : path(detail::joinPath(info.getPathName(), name)), place(location), identity(info.getId())
{
}
POPLAR_IMPL DebugContext::DebugContext(const DebugNameAndId &parent, std::string name, SourceLocation location)
    : path(detail::joinPath(parent.getPathName(), name)), place(location), identity(parent.getId())
{
}
POPLAR_IMPL DebugContext::DebugContext(const DebugContext &parent, std::string name)
    : path(detail::joinPath(parent.path, name)), place(parent.place), identity(parent.identity)
{
}

POPLAR_IMPL DebugContext::DebugContext(SourceLocation location) : place(location), identity()
{
}
POPLAR_IMPL DebugContext::DebugContext(const char *name, SourceLocation location)
    : path(name), place(location), identity()
{
}
POPLAR_IMPL DebugContext::DebugContext(StringRef name, SourceLocation location)
    : path(name.cloneAsString()), place(location), identity()
{
}
POPLAR_IMPL DebugContext::DebugContext(std::string name, SourceLocation location)
    : path(std::move(name)), place(location), identity()
{
}
POPLAR_IMPL DebugContext::~DebugContext()
{
}

POPLAR_IMPL DebugInfo::DebugInfo(const DebugContext &context, std::string layerName)
    : ownPath(context.getPathName()), ownLayer(std::move(layerName)),
      ownFile(detail::textOf(context.getSourceLocation().getFileName())),
      ownFunction(detail::textOf(context.getSourceLocation().getFunctionName())),
      ownLine(context.getSourceLocation().getLineNumber()), ownId(pop_debug_new_id()), ownParent(context.getId()),
      ownValues()
{
}
POPLAR_IMPL DebugInfo::~DebugInfo()
{
    pop_debug_record record = pop_debug_record();
    record.id = ownId;
    record.parent_id = ownParent;
    record.layer = ownLayer.c_str();
    record.name = ownPath.c_str();
    record.where.file = ownFile.empty() ? nullptr : ownFile.c_str();
    record.where.line = static_cast<int>(ownLine);
    record.function = ownFunction.c_str();
    record.values = &ownValues;
    pop_debug_write(&record);
    pop_profile_free(&ownValues);
}
POPLAR_IMPL void DebugInfo::initializeStreamer(const std::string &fileName, DebugSerializationFormat format)
{
    pop_error error;
    detail::check(pop_debug_open(fileName.c_str(),
                                 format == DebugSerializationFormat::JSON ? POP_DEBUG_JSON : POP_DEBUG_CBOR, &error),
                  error);
}
POPLAR_IMPL void DebugInfo::closeStreamer()
{
    pop_error error;
    detail::check(pop_debug_close(&error), error);
}

POPLAR_IMPL void poplar_error::attachSourceLocation(const DebugContext &context)
{
    const SourceLocation &place = context.getSourceLocation();
    located = std::runtime_error::what();
    if (!context.getPathName().empty())
        located += "\n  in " + context.getPathName();
    if (place.isValid())
        located += std::string("\n  at ") + place.getFileName() + ':' + std::to_string(place.getLineNumber());
}

} // namespace poplar
#endif
