// SPDX-License-Identifier: Apache-2.0
#include "debug_info.hpp"

#include <poplar/ProfileValue.hpp>

namespace framework
{

using poplar::ProfileValue;

static std::string debugName(const Op &op)
{
    return (op.layer.empty() ? "" : op.layer + "/") + op.opid();
}

static ProfileValue describe(const Ir &ir, const Names &names)
{
    ProfileValue::Vector list;
    for (const std::string &name : names) {
        const Value &value = ir.value(name);
        ProfileValue::Vector shape(value.shape.begin(), value.shape.end());
        ProfileValue::Map map;
        map["name"] = value.name;
        map["type"] = value.type.toString();
        map["shape"] = shape;
        list.push_back(map);
    }
    return list;
}

OpDebugInfo::OpDebugInfo(const Ir &ir, const Op &op)
    : DebugInfo(poplar::DebugContext(debugName(op), op.where), "framework")
{
    setValue("category", "op");
    setValue("opid", op.opid());
    setValue("type", op.type);
    setValue("modelLayer", op.layer);
    setValue("inputs", describe(ir, op.inputs));
    setValue("outputs", describe(ir, op.outputs));
    ProfileValue::Map attributes;
    for (const auto &attribute : op.attributes)
        attributes[attribute.first] = attribute.second;
    setValue("attributes", attributes);
}

} // namespace framework
