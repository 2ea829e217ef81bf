// The numbers of a model as duals: each carries its derivative by one of [parameters]. Included by base/scalar.hpp when
// the reader, the compiler and the kernels are built a second time, in a namespace of their own (CMakeLists.txt).
#pragma once

#include "tandem/base/dual.hpp"

namespace tandem {

using Real = Dual<double>;
using Tangential = Dual<double>;

template <class... S> struct Scalars {};
using KernelScalars = Scalars<Dual<double>>;

}  // namespace tandem

#define TANDEM_INSTANTIATE_FOR_SCALARS(MACRO) MACRO(::tandem::Dual<double>)
