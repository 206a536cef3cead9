// SPDX-License-Identifier: Apache-2.0
// Names of the standard library that programs use with the library's headers alone: scripts/lint cpp-headers compiles
// this after each header (docs/concepts/coming-from-poplar.md, What headers bring).
inline void everyIncludedName(std::ostream *, std::istream *)
{
    assert(true);
    std::map<std::string, std::vector<int>> map;
    std::sort(map["a"].begin(), map["a"].end());
    std::unique_ptr<int> owned(new int(1));
    std::shared_ptr<int> shared = std::make_shared<int>(2);
    std::function<double(double)> function = [](double x) { return std::sqrt(x); };
    std::array<char, 4> bytes = {};
    std::memset(bytes.data(), 0, bytes.size());
    const std::tuple<std::int32_t, std::size_t> both(std::numeric_limits<std::int32_t>::max(), sizeof(bytes));
    const std::pair<int, int> pair = std::make_pair(1, 2);
    static_assert(std::is_same<decltype(pair.first), int>::value, "type_traits");
    (void)both;
#if __cplusplus >= 201703L
    const std::optional<int> none;
    (void)none;
#endif
}
