// SPDX-License-Identifier: Apache-2.0
// Debug names and source locations of calls.  Programs write "name", {di}, {dnai, "x"} or nothing.
#ifndef POPLAR_DEBUG_CONTEXT_HPP
#define POPLAR_DEBUG_CONTEXT_HPP

#include <poplar/StringRef.hpp>
#include <poplar/debug.h>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/error.hpp>

#include <ostream>

namespace poplar
{

// A place in the source of a program: function, file and line. Empty: not known.
class SourceLocation
{
  public:
    SourceLocation() : function(nullptr), file(nullptr), line(0)
    {
    }
    // The place by its parts; the texts are borrowed and must stay.
    SourceLocation(const char *functionName, const char *fileName, unsigned lineNumber)
        : function(functionName), file(fileName), line(lineNumber)
    {
    }
    // The place of the call.
    static SourceLocation Current(const char *functionName = __builtin_FUNCTION(),
                                  const char *fileName = __builtin_FILE(),
                                  unsigned lineNumber = static_cast<unsigned>(__builtin_LINE()))
    {
        return SourceLocation(functionName, fileName, lineNumber);
    }
    // The function's name; "" when it is not known.
    const char *getFunctionName() const
    {
        return function;
    }
    // The file's name; "" when it is not known.
    const char *getFileName() const
    {
        return file;
    }
    // The line, from 1 on.
    unsigned getLineNumber() const
    {
        return line;
    }
    // Whether the place is known.
    bool isValid() const
    {
        return file != nullptr;
    }

  private:
    const char *function, *file;
    unsigned line;
};

typedef unsigned long long DebugId; // Number of a debug context, unique in the process.

class DebugInfo;

// A debug name below the path of its parent.
class POP_API DebugNameAndId
{
  public:
    // A name, an id and the path that the name is appended to.
    DebugNameAndId(std::string name = "", DebugId id = DebugId(), std::string parentPath = "");
    // A name alone.
    DebugNameAndId(const char *name) : DebugNameAndId(std::string(name))
    {
    }
    // An id alone.
    DebugNameAndId(DebugId id) : DebugNameAndId(std::string(), id)
    {
    }
    // The path of another call's information, and a name that is appended to it.
    DebugNameAndId(const DebugInfo &info, const std::string &name = "");
    // The path of another, and a name that is appended to it.
    DebugNameAndId(const DebugNameAndId &parent, StringRef name);
    const std::string &getPathName() const
    {
        return path;
    }
    DebugId getId() const
    {
        return identity;
    }

    // Writes the path.
    friend std::ostream &operator<<(std::ostream &out, const DebugNameAndId &name)
    {
        return out << name.path;
    }

  private:
    std::string path;
    DebugId identity;
};

// The debug name of what a call builds, with the place of the call.
class POP_API DebugContext
{
  public:
    // Without a name.
    DebugContext(SourceLocation location = SourceLocation::Current());
    // With a name.
    DebugContext(const char *name, SourceLocation location = SourceLocation::Current());
    DebugContext(StringRef name, SourceLocation location = SourceLocation::Current());
    DebugContext(std::string name, SourceLocation location = SourceLocation::Current());
    // Within another call's information: its path, and a name that is appended to it.
    DebugContext(const DebugInfo &info, std::string name = "", SourceLocation location = SourceLocation::Current());
    DebugContext(const DebugNameAndId &parent, std::string name = "",
                 SourceLocation location = SourceLocation::Current());
    // Within another context: its path, and a name that is appended to it.
    DebugContext(const DebugContext &parent, std::string name);
    DebugContext(const DebugContext &) = default;
    DebugContext(DebugContext &&) = default;
    ~DebugContext();

    const std::string &getPathName() const
    {
        return path;
    }
    const SourceLocation &getSourceLocation() const
    {
        return place;
    }
    DebugId getId() const
    {
        return identity;
    }

  private:
    std::string path;
    SourceLocation place;
    DebugId identity;
};

namespace detail
{

inline pop_where where(const DebugContext &context)
{
    const SourceLocation &at = context.getSourceLocation();
    pop_where place = { at.getFileName(), static_cast<int>(at.getLineNumber()),
                        static_cast<unsigned>(context.getId()) };
    return place;
}
// The debug name for the C interface; NULL if there is none.
inline const char *name(const DebugContext &context)
{
    return context.getPathName().empty() ? nullptr : context.getPathName().c_str();
}

} // namespace detail

class ProfileValue;

// Format of a file of debug contexts.
enum class DebugSerializationFormat { JSON, CBOR };

// An operation's record in the debug information; base class of the libraries' records.  The destructor writes the
// record to the file, if one was set, and to the reports of the process, those that are made later too.
class POP_API DebugInfo
{
  public:
    // Of a context, for a layer of software ("poplibs").
    DebugInfo(const DebugContext &context, std::string layerName);
    DebugInfo(const DebugInfo &) = delete;
    DebugInfo &operator=(const DebugInfo &) = delete;
    virtual ~DebugInfo();

    DebugId getId() const
    {
        return ownId;
    }
    const std::string &getPathName() const
    {
        return ownPath;
    }
    // Adds to the record; returns whether initializeStreamer's file is open. Reports have the record in any case.
    bool setValue(const std::string &name, const ProfileValue &value);

    // The file for the records of the whole process.
    static void initializeStreamer(const std::string &fileName,
                                   DebugSerializationFormat format = DebugSerializationFormat::CBOR);
    // Completes and closes the file that initializeStreamer opened.
    static void closeStreamer();

  private:
    // Unusual names, to avoid clashes with members of derived classes.
    std::string ownPath, ownLayer, ownFile, ownFunction; // copies: a location's texts may end before the record
    unsigned ownLine;
    DebugId ownId, ownParent;
    pop_profile_value ownValues; // null, or a map
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/DebugContext.hpp>
#endif
#endif
