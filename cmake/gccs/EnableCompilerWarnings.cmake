# SPDX-License-Identifier: Apache-2.0
# Warnings for the targets that are added after this file was included.
include_guard(DIRECTORY)
add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-Wall> $<$<COMPILE_LANGUAGE:C,CXX>:-Wextra> $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-unused-parameter>)
