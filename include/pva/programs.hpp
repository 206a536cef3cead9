// SPDX-License-Identifier: Apache-2.0
/// Compute sets, variables and programs.
#ifndef PVA_PROGRAMS_HPP
#define PVA_PROGRAMS_HPP

#include <pva/debug.hpp>
#include <pva/memory.hpp>

#include <pva/methods.def>

namespace pva
{

// Vertices of a type in a compute set.
class VertexInstances : public Object
{
  public:
    PVA_OBJECT(VertexInstances)
    PVA_METHOD_OBJECT(VertexType, type, VERTEX_INSTANCES_TYPE)
    PVA_METHOD_UINT(count, VERTEX_INSTANCES_COUNT)
    PVA_METHOD_NUMBERS(countByTile, VERTEX_INSTANCES_COUNT_BY_TILE)
};

// A compute set.
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

// A variable.
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
// A variable of a program.
using ProgramVar = Variable;

class ProgramVisitor;

/// A program; accept calls the visitor's function for its type.
class Program : public Object
{
  public:
    // Types of programs.
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
    // The type of the program.
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
    /// The called program of a Call; null for other programs.
    inline std::shared_ptr<Program> target() const;
    // Calls the visitor's function for the type.
    virtual void accept(ProgramVisitor &visitor) const
    {
        (void)visitor;
    }
};

#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name) class Name##Program;
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM

/// Visits programs by type: override the functions for the types of interest; the others do nothing.
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

#define PVA_PROGRAM_ACCEPT(Name)                                                                                       \
    void accept(ProgramVisitor &visitor) const override                                                                \
    {                                                                                                                  \
        visitor.visit##Name(*this);                                                                                    \
    }
#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name)                                                                            \
    class Name##Program : public Program                                                                               \
    {                                                                                                                  \
      public:                                                                                                          \
        using Program::Program;                                                                                        \
        PVA_PROGRAM_ACCEPT(Name)                                                                                       \
    };
#include <pva/program_types.def>
#undef PVA_PROGRAM_ACCEPT
#undef PVA_TYPE_OF_PROGRAM

namespace detail
{

/// Makes a program of the class for its type; null for the null object. Throws an earlier failure of the file.
inline std::shared_ptr<Program> makeProgram(const FileRef &file, const pva_object &object)
{
    const std::uint64_t type = pva_uint(object, PVA_PROGRAM_TYPE);
    check(file);
    if (pva_is_null(object))
        return nullptr;
    switch (static_cast<pva_program_type>(type)) {
#define PVA_TYPE_OF_PROGRAM(CONSTANT, Name)                                                                            \
    case PVA_PROGRAM_TYPE_##CONSTANT:                                                                                  \
        return std::make_shared<Name##Program>(file, object);
#include <pva/program_types.def>
#undef PVA_TYPE_OF_PROGRAM
    default:
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

} // namespace pva

#include <pva/methods.def>

#endif
