# SPDX-License-Identifier: Apache-2.0
# How every file of the project is compiled: warnings, sanitizers.
# Long texts of tables stand on several lines: clang takes that for a forgotten comma.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow $<$<COMPILE_LANG_AND_ID:C,Clang>:-Wno-string-concatenation>
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>)
# Of src/: a size is never cut without a cast, which is to say that it was checked.
set(TREMULA_SOURCE_WARNINGS $<$<COMPILE_LANGUAGE:C>:-Wconversion> $<$<COMPILE_LANGUAGE:C>:-Wno-sign-conversion>)
if(TREMULA_WERROR)
  add_compile_options(-Werror)
endif()
if(TREMULA_SANITIZE)
  add_compile_options(-fsanitize=${TREMULA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TREMULA_SANITIZE})
  if(TREMULA_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Debug)
    # Programs in C++ take half of the time of this build, most of it for checks at each access: AddressSanitizer calls its runtime, which is quicker to
    # compile than the same check in place.  It stops accesses to null, too; what else these two find, the presets asan and clang look for.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param asan-instrumentation-with-call-threshold=0>" $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,alignment>)
    set(TREMULA_ALL_CHECKS $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=null,alignment>) # for the product's own C++
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    add_link_options(-fsanitize-link-c++-runtime -lstdc++) # for programs in C that link the C++ interface; clang does not add what the runtime needs
  endif()
endif()
