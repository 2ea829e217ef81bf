# Warnings, arithmetic, precompiled headers and ccache.

add_library(tandem_warnings INTERFACE)
target_compile_options(
  tandem_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor $<$<BOOL:${TANDEM_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports faults that are not there, in std::string and Eigen, once it has inlined them.
  # The sanitizers (make asan) find the real ones.
  target_compile_options(tandem_warnings INTERFACE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
                                                   -Wno-stringop-overflow -Wno-stringop-overread)
else()
  # For g++ the former is no part of -Wconversion; the embedded page is one long string.
  target_compile_options(tandem_warnings INTERFACE -Wno-sign-conversion -Wno-overlength-strings)
endif()

# The same bits on every processor that runs the same program: products and sums are not fused, and Eigen does not ask
# the processor for its caches to cut large products by. Public: two ways in one program would meet in its templates.
function(tandem_same_bits target scope)
  target_compile_definitions(${target} ${scope} EIGEN_NO_CPUID)
  if(NOT TANDEM_FUSE)
    target_compile_options(${target} ${scope} -ffp-contract=off)
  endif()
endfunction()

set(tandem_precompiled_headers <memory> <optional> <string> <vector> <Eigen/Dense> <fmt/format.h>)
if(TANDEM_BULK)
  set(tandem_own_model_header "${PROJECT_SOURCE_DIR}/tandem/model/model.hpp")  # nine in ten of the library's sources
  set(tandem_own_headers "${PROJECT_SOURCE_DIR}/tandem/tandem.hpp")
endif()

if(TANDEM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TANDEM_CCACHE_PROGRAM ccache)
  if(TANDEM_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/scripts/cached-compile")
    if(TANDEM_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_compile_options(-fpch-preprocess)
    endif()
  endif()
endif()
