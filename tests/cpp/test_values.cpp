// SPDX-License-Identifier: Apache-2.0
// Types, intervals, views of lists and text, and the enums.
#include "check.hpp"

#include <gccs/Algorithm.hpp>
#include <gccs/ArrayRef.hpp>
#include <gccs/CompilerFeatures.hpp>
#include <gccs/StructHelper.hpp>
#include <poplar/ArrayRef.hpp>
#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStreamType.hpp>
#include <poplar/Error.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Interval.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/UpsampleMethod.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/graph.h>
#include <poplar/replication_factor.hpp>
#include <popops/EncodingConstants.hpp>

#include <map>
#include <numeric>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

using namespace poplar;

// Tables of types at file scope, initialised before any other object and next to others.
static const std::vector<Type> floatTypes = { FLOAT, HALF };
static const std::map<Type, unsigned> sizes = { { FLOAT, 4 }, { HALF, 2 }, { INT, 4 }, { poplar::CHAR, 1 } };
static const Type &reference = UNSIGNED_INT;

template <typename T> static std::string text(const T &value)
{
    std::ostringstream out;
    out << value;
    return out.str();
}

TEST(whole_numbers)
{
    CHECK(gccs::ceildiv(7u, 2u) == 4 && gccs::ceildiv(8, 2) == 4 && gccs::ceildiv(std::size_t(9), 4u) == 3 &&
          gccs::floordiv(7, 2) == 3);
    CHECK(gccs::alignNext(13, 8) == 16 && gccs::alignNext(16u, 8u) == 16 && gccs::alignPrev(13, 8) == 8 &&
          gccs::alignNext(std::size_t(1), 4u) == 4);
    CHECK(gccs::ceilLog2(1u) == 0 && gccs::ceilLog2(5u) == 3 && gccs::ceilLog2(8u) == 3 && gccs::floorLog2(9u) == 3);
    CHECK(gccs::nthTriangular(4u) == 10 && gccs::nthTriangular(5) == 15 && gccs::nthTriangular(0) == 0);
    CHECK(gccs::balancedPartition(8, 3) == (std::vector<int>{ 3, 3, 2 }) &&
          gccs::balancedPartition(2, 3) == (std::vector<int>{ 1, 1, 0 }));
    struct Size {
        int rows;
        double columns;
    };
    const auto helper = gccs::makeStructHelper(&Size::rows, &Size::columns);
    CHECK(helper.eq({ 1, 2 }, { 1, 2 }) && !helper.eq({ 1, 2 }, { 1, 3 }) && helper.lt({ 1, 2 }, { 1, 3 }) &&
          !helper.lt({ 2, 0 }, { 1, 3 }) && !helper.lt({ 1, 2 }, { 1, 2 }));
    CHECK(gccs::gcd(12, 18) == 6 && gccs::lcm(4u, 6u) == 12 && gccs::isPowerOf2(64) && !gccs::isPowerOf2(0));
    CHECK(MASKED_LABEL_CODE == 0xffffffffu && SOFTMAX_SCALING == 62000.0f && EPS_LOG_N_HALF > 5.9e-8f &&
          EPS_LOG_N_FLOAT > 1e-38f);
}

TEST(types)
{
    Type none, type = FLOAT;
    CHECK(none != type && type == FLOAT && Type(type) == FLOAT && (FLOAT < HALF) != (HALF < FLOAT) && !(FLOAT < FLOAT));
    CHECK(FLOAT.toString() == "float" && UNSIGNED_INT.toString() == "unsigned int" &&
          LONGLONG.toString() == "long long" && text(HALF) == "half");
    CHECK(HALF.isFloatingPoint() && !INT.isFloatingPoint() && poplar::QUARTER.requiresMetadata() &&
          !HALF.requiresMetadata());
    CHECK(INT.hash() == Type(INT).hash() && INT.hash() != FLOAT.hash());
    CHECK(floatTypes[1] == HALF && sizes.at(INT) == 4 && sizes.count(BOOL) == 0 && reference == UNSIGNED_INT);
    std::unordered_map<Type, std::string> names{ { FLOAT, "f" }, { HALF, "h" } };
    CHECK(names.at(HALF) == "h" && std::unordered_set<Type>({ INT, INT }).size() == 1);
    type = INT;
    CHECK(type == INT && type != UNSIGNED_INT);
    const Type chosen = true ? HALF : FLOAT;
    CHECK(chosen == HALF);
}
TEST(constants)
{
    const std::vector<Type> all{ BOOL,    poplar::CHAR, SIGNED_CHAR, UNSIGNED_CHAR, SHORT,           UNSIGNED_SHORT,
                                 INT,     UNSIGNED_INT, LONG,        UNSIGNED_LONG, LONGLONG,        UNSIGNED_LONGLONG,
                                 QUARTER, HALF,         FLOAT,       DOUBLE,        QUARTER_METADATA };
    CHECK(std::unordered_set<Type>(all.begin(), all.end()).size() == all.size());
    CHECK(SIGNED == INT && UNSIGNED == UNSIGNED_INT && SIGNED_INT == INT && SIGNED_SHORT == SHORT);
}

struct Wrapped {
    float value;
};
namespace poplar
{
POPLAR_DECLARE_EQUIV_TYPE(Wrapped, FLOAT)
} // namespace poplar

TEST(equivalent_types)
{
    CHECK(equivalent_device_type<float>().value == FLOAT && equivalent_device_type<int>().value == INT &&
          equivalent_device_type<bool>().value == BOOL);
    CHECK(equivalent_device_type<char>().value == poplar::CHAR &&
          equivalent_device_type<signed char>().value == SIGNED_CHAR &&
          equivalent_device_type<unsigned char>().value == UNSIGNED_CHAR);
    CHECK(equivalent_device_type<short>().value == SHORT &&
          equivalent_device_type<unsigned short>().value == UNSIGNED_SHORT);
    CHECK(equivalent_device_type<unsigned>().value == UNSIGNED_INT && equivalent_device_type<long>().value == LONG &&
          equivalent_device_type<std::size_t>().value == UNSIGNED_LONG);
    CHECK(equivalent_device_type<long long>().value == LONGLONG &&
          equivalent_device_type<unsigned long long>().value == UNSIGNED_LONGLONG);
    CHECK(equivalent_device_type<double>().value == DOUBLE && equivalent_device_type<IeeeHalf>().value == HALF);
    const auto &type = equivalent_device_type<Wrapped>().value;
    CHECK(type == FLOAT);
}
TEST(traits)
{
    static_assert(TypeTraits::isSimpleType<int>() && TypeTraits::isSimpleType<bool>() &&
                      TypeTraits::isSimpleType<IeeeHalf>(),
                  "values");
    static_assert(!TypeTraits::isSimpleType<std::string>() && !TypeTraits::isSimpleType<int *>(), "not values");
    const TypeTraits traits = TypeTraits::make<float>();
    CHECK(TypeTraits::make<IeeeHalf>().isFloat && TypeTraits::make<IeeeHalf>().size == 2);
    CHECK(traits.size == 4 && traits.align == 4 && traits.isFloat && traits.isSigned &&
          traits != TypeTraits::make<unsigned>());
}

TEST(intervals)
{
    const Interval a{ 2, 5 }, b(3, 4), none;
    CHECK(a.begin() == 2 && a.end() == 5 && a.size() == 3 && a.lower == 2 && a.upper == 5 && a.lower() == 2 &&
          a.upper() == 5 && none.size() == 0);
    CHECK(a == Interval(2, 5) && a != b && a < b && !(b < a) && Interval(2, 4) < a);
    CHECK(text(GenericInterval<int>(-1, 2)) == "[-1:2)");
    std::vector<Interval> list;
    list.emplace_back(0, 4);
    list.push_back({ 4, 8 });
    const std::size_t begin = 8, length = 2;
    list.push_back({ begin, begin + length });
    std::vector<std::vector<Interval>> mapping(2);
    mapping[1].emplace_back(begin, begin + length);
    mapping[0] = { { 0, 1 }, { 3, 4 } };
    CHECK(std::accumulate(list.begin(), list.end(), std::size_t(0),
                          [](std::size_t n, const Interval &i) { return n + i.size(); }) == 10);
    CHECK(mapping[0][1] == Interval(3, 4) && std::map<Interval, int>({ { a, 1 }, { b, 2 } }).at(b) == 2);
}

static std::size_t count(ArrayRef<std::size_t> list)
{
    return list.size();
}
TEST(array_views)
{
    const std::vector<std::size_t> vector{ 1, 2, 3 };
    const std::array<std::size_t, 2> array{ { 4, 5 } };
    const std::size_t plain[] = { 6, 7, 8, 9 };
    CHECK(count(vector) == 3 && count(array) == 2 && count(plain) == 4 && count({}) == 0 && count({ 1 }) == 1 &&
          count({ 1, 2 }) == 2);
    CHECK(count({ plain, 3 }) == 3 && count(ArrayRef<std::size_t>(plain + 1, 2)) == 2 &&
          count(std::vector<std::size_t>(5)) == 5);
    const ArrayRef<std::size_t> view = vector;
    CHECK(view.data() == vector.data() && !view.empty() && view.front() == 1 && view.back() == 3 && view[1] == 2 &&
          view.max_size() >= 3);
    CHECK(std::accumulate(view.begin(), view.end(), 0u) == 6 && view.cend() - view.cbegin() == 3);
    CHECK(view.cloneAsVector() == vector && view == ArrayRef<std::size_t>(vector) &&
          view != ArrayRef<std::size_t>(array));
    CHECK(ArrayRef<int>().empty() && gccs::ArrayRef<std::size_t>(vector).size() == 3);
}

static std::string take(const std::string &string)
{
    return string;
}
TEST(text_views)
{
    const std::string string = "string";
    const StringRef view = string, literal = "literal", none;
    CHECK(view.size() == 6 && view == "string" && view == string && string == view && view != literal &&
          literal < view && none.empty());
    CHECK(take(view) == "string" && view.cloneAsString() == string && take(none).empty() && StringRef(nullptr).empty());
    std::string copy = literal;
    copy = view;
    copy += literal;
    CHECK(copy == "stringliteral" && view + "x" == "stringx" && std::string("x") + view == "xstring" &&
          "x" + view == "xstring" && text(view) == "string");
    CHECK(StringRef("abcdef", 3) == "abc" && std::string(view.begin(), view.end()) == string);
    CHECK(std::unordered_set<StringRef>({ view, literal, "string" }).size() == 2);
    const std::string longText(300, 'x');
    CHECK(std::strlen(detail::CString(longText)) == 300 && std::strcmp(detail::CString("abc"), "abc") == 0);
}

TEST(enums)
{
    CHECK(ReplicatedStreamMode::REPLICATE != ReplicatedStreamMode::BROADCAST);
    CHECK(VariableMappingMethod::NONE != VariableMappingMethod::LINEAR &&
          std::string(toString(VariableMappingMethod::LINEAR)) == "LINEAR");
    CHECK(static_cast<int>(TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES) == POP_CLONE_PRESERVE_ORDER_AND_ALIASES &&
          static_cast<int>(TensorCloneMethod::CREATE_NEW_ORDER) == POP_CLONE_CREATE_NEW_ORDER &&
          static_cast<int>(TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) ==
              POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES &&
          static_cast<int>(TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES) ==
              POP_CLONE_GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES);
    CHECK(static_cast<int>(TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION) ==
              POP_DUPLICATE_BY_OUTER_DIMENSION &&
          static_cast<int>(TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION) ==
              POP_DUPLICATE_BY_TILE_CONTIGUOUS_REGION);
    CHECK(SyncType::INTERNAL != SyncType::EXTERNAL && SyncType::EXTERNAL != SyncType::GLOBAL);
    CHECK(static_cast<int>(CodeletFileType::PreprocessedAsmSource) == POP_FILE_PREPROCESSED_ASM &&
          static_cast<int>(CodeletFileType::AsmSource) == POP_FILE_ASM &&
          static_cast<int>(CodeletFileType::CSource) == POP_FILE_C &&
          static_cast<int>(CodeletFileType::CppSource) == POP_FILE_CPP &&
          static_cast<int>(CodeletFileType::IrSource) == POP_FILE_IR &&
          static_cast<int>(CodeletFileType::Object) == POP_FILE_OBJECT &&
          static_cast<int>(CodeletFileType::Auto) == POP_FILE_AUTO);
    CHECK(std::string(getExtensionFromFileType(CodeletFileType::CppSource)) == ".cpp");
    CHECK(SerializationFormat::Binary != SerializationFormat::JSON && UpsampleMethod::REPEAT == UpsampleMethod::REPEAT);
    CHECK(FunctionBufferMappingType::REMOTE == FunctionBufferMappingType::REMOTE);
    CHECK(isHostToDevice(DataStreamType::HostToDeviceFIFO) && isHostToDevice(DataStreamType::HostToDeviceBuffer) &&
          isDeviceToHost(DataStreamType::DeviceToHostFIFO) && isDeviceToHost(DataStreamType::DeviceToHostBuffer));
    CHECK(replication_factor(3).value == 3 && replication_factor(1) != replication_factor(2));
}

MAIN()
