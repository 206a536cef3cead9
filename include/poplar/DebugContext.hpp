// SPDX-License-Identifier: Apache-2.0
// Debug names and the place of a call: what programs write as "name", {di}, {dnai, "x"} or not at all.
#ifndef POPLAR_DEBUG_CONTEXT_HPP
#define POPLAR_DEBUG_CONTEXT_HPP

#include <poplar/StringRef.hpp>
#include <poplar/debug.h>
#include <poplar/detail/error.hpp>

namespace poplar {

class SourceLocation {
public:
    SourceLocation() : function(nullptr), file(nullptr), line(0) {}
    SourceLocation(const char *functionName, const char *fileName, unsigned lineNumber)
        : function(functionName), file(fileName), line(lineNumber)
    {
    }
    static SourceLocation Current(const char *functionName = __builtin_FUNCTION(), const char *fileName = __builtin_FILE(),
                                  unsigned lineNumber = static_cast<unsigned>(__builtin_LINE()))
    {
        return SourceLocation(functionName, fileName, lineNumber);
    }
    const char *getFunctionName() const { return function; }
    const char *getFileName() const { return file; }
    unsigned getLineNumber() const { return line; }
    bool isValid() const { return file != nullptr; }

private:
    const char *function, *file;
    unsigned line;
};

typedef unsigned long long DebugId;

class DebugInfo;

// A debug name under the path of its parent.
class DebugNameAndId {
public:
    DebugNameAndId(std::string name = "", DebugId id = DebugId(), std::string parentPath = "");
    DebugNameAndId(const char *name) : DebugNameAndId(std::string(name)) {}
    DebugNameAndId(DebugId id) : DebugNameAndId(std::string(), id) {}
    DebugNameAndId(const DebugInfo &info, const std::string &name = "");
    DebugNameAndId(const DebugNameAndId &parent, StringRef name);
    const std::string &getPathName() const { return path; }
    DebugId getId() const { return identity; }

private:
    std::string path;
    DebugId identity;
};

class DebugContext {
public:
    DebugContext(SourceLocation location = SourceLocation::Current()) : place(location), identity() {}
    DebugContext(const char *name, SourceLocation location = SourceLocation::Current())
        : path(name), place(location), identity()
    {
    }
    DebugContext(StringRef name, SourceLocation location = SourceLocation::Current())
        : path(name.cloneAsString()), place(location), identity()
    {
    }
    DebugContext(std::string name, SourceLocation location = SourceLocation::Current())
        : path(std::move(name)), place(location), identity()
    {
    }
    DebugContext(const DebugInfo &info, std::string name = "", SourceLocation location = SourceLocation::Current());
    DebugContext(const DebugNameAndId &parent, std::string name = "", SourceLocation location = SourceLocation::Current());
    DebugContext(const DebugContext &parent, std::string name);
    DebugContext(const DebugContext &) = default;
    DebugContext(DebugContext &&) = default;

    const std::string &getPathName() const { return path; }
    const SourceLocation &getSourceLocation() const { return place; }
    DebugId getId() const { return identity; }

private:
    std::string path;
    SourceLocation place;
    DebugId identity;
};

namespace detail {

inline std::string joinPath(const std::string &parent, const std::string &name)
{
    return parent.empty() ? name : name.empty() ? parent : name[0] == '/' ? parent + name : parent + '/' + name;
}
inline pop_where where(const DebugContext &context)
{
    pop_where place = { context.getSourceLocation().getFileName(), static_cast<int>(context.getSourceLocation().getLineNumber()) };
    return place;
}
// The debug name as C takes it; NULL when there is none.
inline const char *name(const DebugContext &context)
{
    return context.getPathName().empty() ? nullptr : context.getPathName().c_str();
}

} // namespace detail

class ProfileValue;

enum class DebugSerializationFormat { JSON, CBOR };

// What an operation says of itself in the debug information; base of the libraries' own.  When it ends its record is written, if there is a file
// for it; else nothing is kept but its name.
class DebugInfo {
public:
    DebugInfo(const DebugContext &context, std::string layerName)
        : ownPath(context.getPathName()), ownLayer(std::move(layerName)), ownPlace(context.getSourceLocation()), ownId(pop_debug_new_id()),
          ownParent(context.getId()), ownValues()
    {
    }
    DebugInfo(const DebugInfo &) = delete;
    DebugInfo &operator=(const DebugInfo &) = delete;
    virtual ~DebugInfo()
    {
        if (!pop_debug_is_open() && ownValues.type == POP_PROFILE_NULL)
            return;
        pop_debug_record record = pop_debug_record();
        record.id = ownId;
        record.parent_id = ownParent;
        record.layer = ownLayer.c_str();
        record.name = ownPath.c_str();
        record.where.file = ownPlace.getFileName();
        record.where.line = static_cast<int>(ownPlace.getLineNumber());
        record.function = ownPlace.getFunctionName();
        record.values = &ownValues;
        pop_debug_write(&record);
        pop_profile_free(&ownValues);
    }

    DebugId getId() const { return ownId; }
    const std::string &getPathName() const { return ownPath; }
    // Adds to the record; false when none is written (defined in ProfileValue.hpp).
    template <int = 0> bool setValue(const std::string &name, const ProfileValue &value);

    // The file that records of the whole process are written to.
    static void initializeStreamer(const std::string &fileName, DebugSerializationFormat format = DebugSerializationFormat::CBOR)
    {
        pop_error error;
        detail::check(pop_debug_open(fileName.c_str(), format == DebugSerializationFormat::JSON ? POP_DEBUG_JSON : POP_DEBUG_CBOR, &error), error);
    }
    static void closeStreamer()
    {
        pop_error error;
        detail::check(pop_debug_close(&error), error);
    }

private:
    // Names that classes which derive from this are not likely to use.
    std::string ownPath, ownLayer;
    SourceLocation ownPlace;
    DebugId ownId, ownParent;
    pop_profile_value ownValues; // null, or a map
};

inline DebugNameAndId::DebugNameAndId(std::string name, DebugId id, std::string parentPath)
    : path(detail::joinPath(parentPath, name)), identity(id)
{
}
inline DebugNameAndId::DebugNameAndId(const DebugInfo &info, const std::string &name)
    : path(detail::joinPath(info.getPathName(), name)), identity(info.getId())
{
}
inline DebugNameAndId::DebugNameAndId(const DebugNameAndId &parent, StringRef name)
    : path(detail::joinPath(parent.path, name.cloneAsString())), identity(parent.identity)
{
}
inline DebugContext::DebugContext(const DebugInfo &info, std::string name, SourceLocation location)
    : path(detail::joinPath(info.getPathName(), name)), place(location), identity(info.getId())
{
}
inline DebugContext::DebugContext(const DebugNameAndId &parent, std::string name, SourceLocation location)
    : path(detail::joinPath(parent.getPathName(), name)), place(location), identity(parent.getId())
{
}
inline DebugContext::DebugContext(const DebugContext &parent, std::string name)
    : path(detail::joinPath(parent.path, name)), place(parent.place), identity(parent.identity)
{
}

inline void poplar_error::attachSourceLocation(const DebugContext &context)
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
