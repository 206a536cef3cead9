// SPDX-License-Identifier: Apache-2.0
/// The target, and the memory of its tiles by category, region and vertex type.
#ifndef PVA_MEMORY_HPP
#define PVA_MEMORY_HPP

#include <pva/object.hpp>

#include <pva/methods.def>

namespace pva
{

// Bytes by region of memory.
class MemorySize : public Object
{
  public:
    PVA_OBJECT(MemorySize)
    PVA_METHOD_UINT(includingGaps, MEMORY_SIZE_INCLUDING_GAPS)
    PVA_METHOD_UINT(excludingGaps, MEMORY_SIZE_EXCLUDING_GAPS)
};

// Bytes that variables share.
class MemoryOverlap : public Object
{
  public:
    PVA_OBJECT(MemoryOverlap)
    PVA_METHOD_UINT(nonOverlapped, OVERLAP_NON_OVERLAPPED)
    PVA_METHOD_UINT(overlapped, OVERLAP_OVERLAPPED)
};

// Bytes of a category.
class MemoryCategory : public Object
{
  public:
    PVA_OBJECT(MemoryCategory)
    PVA_METHOD_TEXT(name, CATEGORY_NAME)
    PVA_METHOD_UINT(total, CATEGORY_TOTAL)
    PVA_METHOD_OBJECT(MemoryOverlap, interleaved, CATEGORY_INTERLEAVED)
    PVA_METHOD_OBJECT(MemoryOverlap, nonInterleaved, CATEGORY_NON_INTERLEAVED)
    PVA_METHOD_OBJECT(MemoryOverlap, overflowed, CATEGORY_OVERFLOWED)
};

// All categories of memory.
class MemoryCategories : public Object
{
  public:
    PVA_OBJECT(MemoryCategories)
    PVA_METHOD_OBJECT(MemoryCategory, constant, CATEGORIES_CONSTANT)
    PVA_METHOD_OBJECT(MemoryCategory, controlCode, CATEGORIES_CONTROL_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, controlId, CATEGORIES_CONTROL_ID)
    PVA_METHOD_OBJECT(MemoryCategory, controlTable, CATEGORIES_CONTROL_TABLE)
    PVA_METHOD_OBJECT(MemoryCategory, copyDescriptor, CATEGORIES_COPY_DESCRIPTOR)
    PVA_METHOD_OBJECT(MemoryCategory, globalExchangeCode, CATEGORIES_GLOBAL_EXCHANGE_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, globalExchangePacketHeader, CATEGORIES_GLOBAL_EXCHANGE_PACKET_HEADER)
    PVA_METHOD_OBJECT(MemoryCategory, globalMessage, CATEGORIES_GLOBAL_MESSAGE)
    PVA_METHOD_OBJECT(MemoryCategory, hostExchangeCode, CATEGORIES_HOST_EXCHANGE_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, hostExchangePacketHeader, CATEGORIES_HOST_EXCHANGE_PACKET_HEADER)
    PVA_METHOD_OBJECT(MemoryCategory, hostMessage, CATEGORIES_HOST_MESSAGE)
    PVA_METHOD_OBJECT(MemoryCategory, instrumentationResults, CATEGORIES_INSTRUMENTATION_RESULTS)
    PVA_METHOD_OBJECT(MemoryCategory, internalExchangeCode, CATEGORIES_INTERNAL_EXCHANGE_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, message, CATEGORIES_MESSAGE)
    PVA_METHOD_OBJECT(MemoryCategory, multiple, CATEGORIES_MULTIPLE)
    PVA_METHOD_OBJECT(MemoryCategory, outputEdge, CATEGORIES_OUTPUT_EDGE)
    PVA_METHOD_OBJECT(MemoryCategory, rearrangement, CATEGORIES_REARRANGEMENT)
    PVA_METHOD_OBJECT(MemoryCategory, sharedCodeStorage, CATEGORIES_SHARED_CODE_STORAGE)
    PVA_METHOD_OBJECT(MemoryCategory, sharedDataStorage, CATEGORIES_SHARED_DATA_STORAGE)
    PVA_METHOD_OBJECT(MemoryCategory, stack, CATEGORIES_STACK)
    PVA_METHOD_OBJECT(MemoryCategory, variable, CATEGORIES_VARIABLE)
    PVA_METHOD_OBJECT(MemoryCategory, vectorListDescriptor, CATEGORIES_VECTOR_LIST_DESCRIPTOR)
    PVA_METHOD_OBJECT(MemoryCategory, vertexCode, CATEGORIES_VERTEX_CODE)
    PVA_METHOD_OBJECT(MemoryCategory, vertexFieldData, CATEGORIES_VERTEX_FIELD_DATA)
    PVA_METHOD_OBJECT(MemoryCategory, vertexInstanceState, CATEGORIES_VERTEX_INSTANCE_STATE)
};

// A type of vertices.
class VertexType : public Object
{
  public:
    PVA_OBJECT(VertexType)
    PVA_METHOD_TEXT(name, VERTEX_TYPE_NAME)
    PVA_METHOD_UINT(size, VERTEX_TYPE_SIZE)
    PVA_METHOD_UINT(codeBytes, VERTEX_TYPE_CODE_BYTES)
    PVA_METHOD_NUMBERS(codeBytesByTile, VERTEX_TYPE_CODE_BYTES_BY_TILE)
};

// Vertices of a type on a tile.
class TileVertex : public Object
{
  public:
    PVA_OBJECT(TileVertex)
    PVA_METHOD_OBJECT(VertexType, type, TILE_VERTEX_TYPE)
    PVA_METHOD_UINT(codeBytes, TILE_VERTEX_CODE_BYTES)
};

// Memory of a tile.
class TileMemory : public Object
{
  public:
    PVA_OBJECT(TileMemory)
    PVA_METHOD_OBJECT(MemorySize, total, TILE_MEMORY_TOTAL)
    PVA_METHOD_OBJECT(MemorySize, interleaved, TILE_MEMORY_INTERLEAVED)
    PVA_METHOD_OBJECT(MemorySize, nonInterleaved, TILE_MEMORY_NON_INTERLEAVED)
    PVA_METHOD_OBJECT(MemorySize, overflowed, TILE_MEMORY_OVERFLOWED)
    PVA_METHOD_UINT(alwaysLiveBytes, TILE_MEMORY_ALWAYS_LIVE_BYTES)
    PVA_METHOD_UINT(notAlwaysLiveBytes, TILE_MEMORY_NOT_ALWAYS_LIVE_BYTES)
    PVA_METHOD_OBJECT(MemoryCategories, category, TILE_MEMORY_CATEGORY)
    PVA_METHOD_LIST(TileVertex, vertices, TILE_MEMORY_VERTICES)
};

// A tile.
class Tile : public Object
{
  public:
    PVA_OBJECT(Tile)
    PVA_METHOD_UINT(tileId, TILE_TILE_ID)
    PVA_METHOD_OBJECT(TileMemory, memory, TILE_MEMORY)
};

// An IPU of the target.
class IPU : public Object
{
  public:
    // Architectures.
    enum class Architecture { Ipu1 = 0, Ipu2, Ipu21, Unknown };
    PVA_OBJECT(IPU)
    PVA_METHOD_LIST(Tile, tiles, IPU_TILES)
};

// The target of a report.
class Target : public Object
{
  public:
    // Kinds of targets.
    enum class Type { Ipu = 0, IpuModel, Cpu, Unknown };
    PVA_OBJECT(Target)
    // The kind of target.
    Type type() const
    {
        return static_cast<Type>(natural(PVA_TARGET_TYPE));
    }
    // The architecture of its IPUs.
    IPU::Architecture architecture() const
    {
        return static_cast<IPU::Architecture>(natural(PVA_TARGET_ARCHITECTURE));
    }
    PVA_METHOD_TEXT(architectureName, TARGET_ARCHITECTURE_NAME)
    PVA_METHOD_UINT(numIPUs, TARGET_NUM_IPUS)
    PVA_METHOD_UINT(tilesPerIpu, TARGET_TILES_PER_IPU)
    PVA_METHOD_UINT(numTiles, TARGET_NUM_TILES)
    PVA_METHOD_UINT(bytesPerTile, TARGET_BYTES_PER_TILE)
    PVA_METHOD_UINT(bytesPerIPU, TARGET_BYTES_PER_IPU)
    PVA_METHOD_UINT(totalMemory, TARGET_TOTAL_MEMORY)
    PVA_METHOD_REAL(clockFrequency, TARGET_CLOCK_FREQUENCY)
    PVA_METHOD_UINT(numReplicas, TARGET_NUM_REPLICAS)
    PVA_METHOD_UINT(ipusPerReplica, TARGET_IPUS_PER_REPLICA)
    PVA_METHOD_UINT(tilesPerReplica, TARGET_TILES_PER_REPLICA)
    PVA_METHOD_UINT(memoryPerReplica, TARGET_MEMORY_PER_REPLICA)
};

} // namespace pva

#include <pva/methods.def>

#endif
