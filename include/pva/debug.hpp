// SPDX-License-Identifier: Apache-2.0
/// Debug contexts: the library call and source line that made an object.
#ifndef PVA_DEBUG_HPP
#define PVA_DEBUG_HPP

#include <pva/object.hpp>

#include <pva/methods.def>

namespace pva
{

// A line of a source.
class Location : public Object
{
  public:
    PVA_OBJECT(Location)
    PVA_METHOD_TEXT(fileName, LOCATION_FILE_NAME)
    PVA_METHOD_TEXT(functionName, LOCATION_FUNCTION_NAME)
    PVA_METHOD_UINT(lineNumber, LOCATION_LINE_NUMBER)
};

// A debug context: the call that made variables and programs.
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

} // namespace pva

#include <pva/methods.def>

#endif
