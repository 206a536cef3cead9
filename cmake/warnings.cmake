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
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    add_link_options(-fsanitize-link-c++-runtime -lstdc++) # for programs in C that link the C++ interface; clang does not add what the runtime needs
  endif()
endif()
