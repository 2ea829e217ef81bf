// A quantity that is constant or a function of time, with its first two derivatives.
//
//   (1)  f(t + ε) with nested duals gives f, ḟ and f̈ exactly
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "tandem/base/expression.hpp"
#include "tandem/base/scalar.hpp"

namespace tandem {

template <class S> struct Jet {
  S value{};
  S rate{};
  S acceleration{};
};

class TimeFunction {
 public:
  TimeFunction(Real constant = 0.0) : constant_(constant) {}  // NOLINT: a number is a constant function
  // An expression whose only free name is t.
  explicit TimeFunction(Expression of_time) : expression_(std::make_shared<Expression>(std::move(of_time))) {}

  bool is_constant() const { return expression_ == nullptr; }
  Real constant() const { return constant_; }
  const Expression* expression() const { return expression_.get(); }  // null for a constant

  // At a time that carries no derivative the value alone counts: that of sqrt(max(0, t)) at 0 is no number.
  template <class S> S operator()(const S& t) const {
    if constexpr (std::is_same_v<Real, double> && std::is_same_v<S, Dual<double>>)
      if (t.derivative == 0.0) return S((*this)(t.value));
    return expression_ ? expression_->evaluate<S>(std::span<const S>(&t, 1)) : S(constant_);
  }

  template <class S> Jet<S> jet(const S& t) const {  // (1)
    if (!expression_) return {S(constant_), S(0.0), S(0.0)};
    using D = Dual<S>;
    const Dual<D> x = (*this)(Dual<D>(D(t, S(1.0)), D(S(1.0), S(0.0))));
    return {x.value.value, x.value.derivative, x.derivative.derivative};
  }

 private:
  Real constant_ = 0.0;
  std::shared_ptr<const Expression> expression_;
};

}  // namespace tandem
