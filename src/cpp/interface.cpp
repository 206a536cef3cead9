// SPDX-License-Identifier: Apache-2.0
// The compiled part of the C++ interface: functions that the class headers leave to libpoplar
// (poplar/detail/compiled.hpp lists when). It stays C++11, like the oldest programs that use the headers. It is a
// single source without logic of its own: the logic is in C.
#include <poplar/impl/CSRFunctions.hpp>
#include <poplar/impl/CycleCount.hpp>
#include <poplar/impl/DataStream.hpp>
#include <poplar/impl/DebugContext.hpp>
#include <poplar/impl/Device.hpp>
#include <poplar/impl/DeviceManager.hpp>
#include <poplar/impl/Engine.hpp>
#include <poplar/impl/Executable.hpp>
#include <poplar/impl/Graph.hpp>
#include <poplar/impl/GraphElements.hpp>
#include <poplar/impl/IPUModel.hpp>
#include <poplar/impl/OptionFlags.hpp>
#include <poplar/impl/ProfilePrinting.hpp>
#include <poplar/impl/ProfileValue.hpp>
#include <poplar/impl/Program.hpp>
#include <poplar/impl/RandomSeed.hpp>
#include <poplar/impl/StringRef.hpp>
#include <poplar/impl/Target.hpp>
#include <poplar/impl/Tensor.hpp>
#include <poplar/impl/TensorRearranger.hpp>
#include <poplar/impl/VertexIntrospector.hpp>
#include <poplar/impl/error.hpp>
#include <poplar/impl/exceptions.hpp>
#include <poplar/impl/list.hpp>

#ifdef TREMULA_HEADER_ONLY
#error "this compiler's standard library is not the one that programs find compiled: libstdc++ with its C++11 strings"
#endif
