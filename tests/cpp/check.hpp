// SPDX-License-Identifier: Apache-2.0
// The macros that tests of the C++ interface need.  A test is a program: TEST(name) { ... } blocks and CHECKs;
// MAIN() runs all.
#ifndef TESTS_CPP_CHECK_HPP
#define TESTS_CPP_CHECK_HPP

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fnmatch.h>
#include <string>
#include <vector>

namespace check
{

struct Test {
    const char *name;
    void (*run)();
};
inline std::vector<Test> &tests()
{
    static std::vector<Test> list;
    return list;
}
inline int &failures()
{
    static int count = 0;
    return count;
}
struct Register {
    Register(const char *name, void (*run)())
    {
        tests().push_back(Test{ name, run });
    }
};
inline bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}
__attribute__((noinline)) inline bool contains(const char *text, const char *part)
{
    return std::strstr(text, part) != nullptr;
}
// Out of line, and with texts as they are: each CHECK is little code, of which a test has hundreds.
__attribute__((noinline)) inline void fail(const char *file, int line, const char *text, const char *more = "")
{
    std::fprintf(stderr, "%s:%d: %s%s\n", file, line, text, more);
    ++failures();
}
inline void fail(const char *file, int line, const std::string &text)
{
    fail(file, line, text.c_str());
}
// The tests selected by the argument or the environment variable TREMULA_TEST; * and ? are wildcards.
inline int main(int argc, char **argv)
{
    const char *filter = argc > 1 ? argv[1] : std::getenv("TREMULA_TEST");
    for (const Test &test : tests()) {
        if (filter && *filter && fnmatch(filter, test.name, 0) != 0)
            continue;
        int before = failures();
        try {
            test.run();
        } catch (const std::exception &error) {
            fail(test.name, 0, std::string("threw: ") + error.what());
        }
        std::printf("%s %s\n", failures() == before ? "ok  " : "FAIL", test.name);
    }
    return failures() ? 1 : 0;
}

} // namespace check

#define TEST(name)                                                                                                     \
    static void name();                                                                                                \
    static const check::Register register_##name(#name, name);                                                         \
    static void name()
#define CHECK(...) /* a condition, which may contain commas in braces */                                               \
    do {                                                                                                               \
        if (!(__VA_ARGS__))                                                                                            \
            check::fail(__FILE__, __LINE__, "CHECK(" #__VA_ARGS__ ")");                                                \
    } while (0)
// The expression throws Class with all of text in what().
#define CHECK_THROWS(expression, Class, part)                                                                          \
    do {                                                                                                               \
        try {                                                                                                          \
            (void)(expression);                                                                                        \
            check::fail(__FILE__, __LINE__, #expression " did not throw");                                             \
        } catch (const Class &error) {                                                                                 \
            if (!check::contains(error.what(), part))                                                                  \
                check::fail(__FILE__, __LINE__, #expression " threw: ", error.what());                                 \
        }                                                                                                              \
    } while (0)
#define MAIN()                                                                                                         \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return check::main(argc, argv);                                                                                \
    }

#endif
