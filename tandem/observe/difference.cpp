#include "tandem/observe/difference.hpp"

#include <cmath>

#include "tandem/base/elementary.hpp"

namespace tandem {

namespace {

struct BodyDifference {
  double pose = 0.0, speed = 0.0;
};

BodyDifference body_difference(const Body& body, double L, double T, const State& a, const State& b, double v,
                               double w) {
  BodyDifference out;
  const auto position = [&](const State& s) { return s.q().segment<3>(body.q_first + body.nq() - 3); };
  const auto velocity = [&](const State& s) { return s.v().segment<3>(body.v_first + body.nv() - 3); };
  out.pose = (position(a) - position(b)).norm() / L;
  out.speed = (velocity(a) - velocity(b)).norm() / (L / T + v);
  if (body.point_mass) return out;
  const Vec4<double> qa = a.q().segment<4>(body.q_first), qb = b.q().segment<4>(body.q_first);
  const Vec4<double> apart = qa.dot(qb) < 0.0 ? Vec4<double>(qa + qb) : Vec4<double>(qa - qb);
  keep_larger(out.pose, 4.0 * asin(std::min(1.0, 0.5 * apart.norm())));  // (1)
  const auto wa = a.v().segment<3>(body.v_first), wb = b.v().segment<3>(body.v_first);
  keep_larger(out.speed, (wa - wb).norm() / (1.0 / T + w));  // (2)
  return out;
}

}  // namespace

void Fastest::see(const Model& model, const State& state) {
  speeds_.resize(model.bodies.size());
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    keep_larger(speeds_[i].v, state.v().segment<3>(body.v_first + body.nv() - 3).norm());
    if (!body.point_mass) keep_larger(speeds_[i].w, state.v().segment<3>(body.v_first).norm());
  }
}

Difference difference(const Model& model, const State& a, const State& b) {
  Fastest fastest;
  fastest.see(model, a);
  return difference(model, a, b, fastest);
}

Difference difference(const Model& model, const State& a, const State& b, const Fastest& fastest) {
  Difference out;
  out.t = a.t;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyDifference here =
        body_difference(model.bodies[i], model.scale.of_body[i], model.scale.time, a, b, fastest.v(i), fastest.w(i));
    double most = here.pose;
    keep_larger(most, here.speed);
    if (!(most <= out.there) && !std::isnan(out.there)) {
      out.there = most;
      out.body = static_cast<int>(i);
    }
    keep_larger(out.pose, here.pose);
    keep_larger(out.speed, here.speed);
  }
  return out;
}

}  // namespace tandem
