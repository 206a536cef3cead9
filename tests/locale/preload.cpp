// SPDX-License-Identifier: Apache-2.0
// Preloaded into every program of a test run (scripts/test-locale): the program is in the locale of LC_ALL from its
// start, for C and for streams of C++, as if it had asked for it.  A run that is not in such a locale ends here, so
// that it cannot pass by accident.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <locale>

namespace
{

__attribute__((constructor)) void enter()
{
    const char *name = std::getenv("LC_ALL");
    if (!name || std::strcmp(name, "C") == 0)
        return; // the compiler, which the library starts in the C locale
    if (!std::setlocale(LC_ALL, "") || std::strcmp(std::localeconv()->decimal_point, ",") != 0) {
        std::fprintf(stderr, "tests/locale: the locale %s is not there or has no decimal comma\n", name);
        std::_Exit(77);
    }
    std::locale::global(std::locale(""));
}

} // namespace
