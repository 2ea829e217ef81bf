// A list of types: how the joints, constraints, forces and drives of the library are enumerated once.
#pragma once

namespace tandem {

template <class... Types> struct TypeList {};

template <class... Types, class Function> void for_each_type(TypeList<Types...>, Function&& function) {
  (function.template operator()<Types>(), ...);
}

}  // namespace tandem
