// The lists of the library's own joints, constraints, forces and drives: as types, and with kernels compiled once.
#pragma once

#include "tandem/base/type_list.hpp"

namespace tandem {

// TypeList<A, B> from a macro that is given another one and says MACRO(A) MACRO(B).
template <class First, class... Rest> struct WithoutFirst { using type = TypeList<Rest...>; };
#define TANDEM_COMMA_AND_TYPE(T) , T
#define TANDEM_TYPE_LIST(TYPES) WithoutFirst<void TYPES(TANDEM_COMMA_AND_TYPE)>::type

// The kernels of the library's own types are compiled in model/registry.cpp, not again wherever such a value is made:
// EXTERN is `extern` in the lists and nothing there. Builds on other numbers make no values elsewhere.
#ifdef TANDEM_REAL_HEADER
#define TANDEM_KERNELS(EXTERN, KERNEL_OF, T)
#else
// NOLINTBEGIN(bugprone-macro-parentheses): a word of the language takes none
#define TANDEM_KERNELS(EXTERN, KERNEL_OF, T)   \
  EXTERN template struct KERNEL_OF<T, double>; \
  EXTERN template struct KERNEL_OF<T, Dual<double>>;
// NOLINTEND(bugprone-macro-parentheses)
#endif

}  // namespace tandem
