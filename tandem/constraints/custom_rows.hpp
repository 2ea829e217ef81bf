// Custom rows: a user's own constraint on any bodies, written once as a generic callable.
//
//   (1)  φ(x, t) = 0 (holonomic rows first),   φ̇ = J V + φ_t,   V stacked (ω in body axes, v of the mass centre)
//   (2)  J y + bias = 0,   bias = d/dt (J V + φ_t) at fixed V, by duals: the user never writes it
//
//   custom_rows(1, 0, [](auto bodies, auto t, auto& rows) { rows.phi[0] = …; rows.J.row(0) << …; });
//
// quirk_rows takes the form of QuIRK instead: A (N×14) and b on ẍ = (r̈_B, r̈_C, q̈_B, q̈_C), quaternions scalar last.
//   (3)  q̇ = ¼ Tᵀ ω',  q̈ = ¼ Tᵀ ω̇' − ¼ |ω'|² q,   so  J_ω = ¼ A_q Tᵀ,  J y = b + ¼ |ω'|² A_q q
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tandem/math/body_motion.hpp"

namespace tandem {

template <class S> struct BodyRows {
  VecX<S> phi, phi_t, bias;
  MatX<S> J;  // rows × 6 a body

  void resize(Eigen::Index rows, Eigen::Index bodies) {
    phi.setZero(rows);
    phi_t.setZero(rows);
    bias.setZero(rows);
    J.setZero(rows, 6 * bodies);
  }
};

// What (2) is found in; kept from call to call, so that a step needs no heap.
template <class S> struct CustomScratch {
  std::vector<BodyMotion<Dual<S>>> moving;
  BodyRows<Dual<S>> moved;
};

template <class S> struct CustomKernel {
  virtual ~CustomKernel() = default;
  virtual void rows(std::span<const BodyMotion<S>> bodies, const S& t, BodyRows<S>& rows,
                    CustomScratch<S>& scratch) const = 0;
};

template <class S>
BodyMotion<Dual<S>> along_motion(const BodyMotion<S>& body) {  // Ṙ = R sk(ω'), ṗ = v, velocities held
  using D = Dual<S>;
  BodyMotion<D> moving;
  const Mat3<S> R_dot = body.X_WC.R * sk<S>(body.w_B);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) moving.X_WC.R(i, j) = D(body.X_WC.R(i, j), R_dot(i, j));
    moving.X_WC.p[i] = D(body.X_WC.p[i], body.v[i]);
    moving.w_B[i] = D(body.w_B[i], S(0.0));
    moving.w_W[i] = D(body.w_W[i], S(0.0));
    moving.v[i] = D(body.v[i], S(0.0));
  }
  return moving;
}

template <class F, class S> struct CustomKernelOf final : CustomKernel<S> {
  CustomKernelOf(F function_, int rows_) : count(rows_), function(std::move(function_)) {}
  int count;
  F function;

  void rows(std::span<const BodyMotion<S>> bodies, const S& t, BodyRows<S>& rows,
            [[maybe_unused]] CustomScratch<S>& scratch) const override {
    const auto k = static_cast<Eigen::Index>(bodies.size());
    rows.resize(count, k);
    function(bodies, t, rows);
    if constexpr (!requires { F::gives_bias; }) {  // (2)
      auto& [moving, moved] = scratch;
      moving.clear();
      for (const BodyMotion<S>& body : bodies) moving.push_back(along_motion(body));
      moved.resize(count, k);
      function(std::span<const BodyMotion<Dual<S>>>(moving), Dual<S>(t, S(1.0)), moved);
      for (Eigen::Index i = 0; i < count; ++i) {
        Dual<S> rate = moved.phi_t[i];
        for (Eigen::Index b = 0; b < k; ++b)
          rate += moved.J.row(i).template segment<6>(6 * b).dot(moving[static_cast<std::size_t>(b)].velocity());
        rows.bias[i] = rate.derivative;
      }
    }
  }
};

class CustomRows {
 public:
  template <class F>
  CustomRows(int holonomic, int nonholonomic, F function)
      : holonomic_(holonomic),
        nonholonomic_(nonholonomic),
        kernels_{make_kernels<CustomKernel, CustomKernelOf>(function, holonomic + nonholonomic)} {}

  int holonomic() const { return holonomic_; }
  int nonholonomic() const { return nonholonomic_; }
  int count() const { return holonomic_ + nonholonomic_; }
  template <class S>
  void rows(std::span<const BodyMotion<S>> bodies, const S& t, BodyRows<S>& rows, CustomScratch<S>& scratch) const {
    std::get<std::shared_ptr<const CustomKernel<S>>>(kernels_)->rows(bodies, t, rows, scratch);
  }

 private:
  int holonomic_ = 0, nonholonomic_ = 0;
  Kernels<CustomKernel> kernels_;
};

template <class F> CustomRows custom_rows(int holonomic, int nonholonomic, F function) {
  return CustomRows(holonomic, nonholonomic, std::move(function));
}

// The state of one body as QuIRK writes it.
template <class S> struct QuirkBody {
  Vec3<S> r, r_dot;
  Vec4<S> q, q_dot;
};

template <class S> QuirkBody<S> quirk_body(const BodyMotion<S>& body) {
  QuirkBody<S> x;
  x.r = body.X_WC.p;
  x.r_dot = body.v;
  x.q = quaternion_of<S>(body.X_WC.R);
  x.q_dot = quaternion_rate<S>(x.q, body.w_B);
  return x;
}

// F fills A (N×14), b (N) and the residual phi (N): f(B, C, t, A, b, phi).
template <class F> struct QuirkForm {
  static constexpr bool gives_bias = true;
  F function;

  template <class S> void operator()(std::span<const BodyMotion<S>> bodies, const S& t, BodyRows<S>& rows) const {
    const Eigen::Index n = rows.phi.size();
    MatX<S> A = MatX<S>::Zero(n, 14);
    VecX<S> b = VecX<S>::Zero(n);
    const QuirkBody<S> x[2] = {quirk_body(bodies[0]), quirk_body(bodies[1])};
    function(x[0], x[1], t, A, b, rows.phi);
    rows.bias = -b;
    for (Eigen::Index k = 0; k < 2; ++k) {  // (3)
      const auto A_q = A.middleCols(6 + 4 * k, 4);
      const Vec3<S>& w = bodies[static_cast<std::size_t>(k)].w_B;
      rows.J.middleCols(6 * k, 3) = 0.25 * (A_q * quaternion_rate_matrix<S>(x[k].q).transpose());
      rows.J.middleCols(6 * k + 3, 3) = A.middleCols(3 * k, 3);
      rows.bias -= 0.25 * w.dot(w) * (A_q * x[k].q);
    }
  }
};

template <class F> CustomRows quirk_rows(int rows, F function) {
  return CustomRows(rows, 0, QuirkForm<F>{std::move(function)});
}

}  // namespace tandem
