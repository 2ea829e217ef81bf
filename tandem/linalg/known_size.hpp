// Small sizes as constants: a joint or constraint has up to six rows, and loops over rows are short. With their number
// known to the compiler such a loop is a few instructions in a row.
#pragma once

#include <Eigen/Core>

namespace tandem {

// call.operator()<n>() with n = 1 … 6; Eigen::Dynamic for every other number.
template <class Call> decltype(auto) with_known_size(int n, Call&& call) {
  switch (n) {
    case 1:
      return call.template operator()<1>();
    case 2:
      return call.template operator()<2>();
    case 3:
      return call.template operator()<3>();
    case 4:
      return call.template operator()<4>();
    case 5:
      return call.template operator()<5>();
    case 6:
      return call.template operator()<6>();
    default:
      return call.template operator()<Eigen::Dynamic>();
  }
}

}  // namespace tandem
