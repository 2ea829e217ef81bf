// Force laws on a tree of joints: what they do to its links and along its coordinates.
//
//   (1)  a force f and a torque n at the point x of a link:   f_v = R_Wᵀ f,  f_w = R_Wᵀ (n + (x − p_W) × f);
//        they come off its bias force:  p ← p − (f_w, f_v)
//   (2)  an effort along a coordinate is added to its τ; a law that is a line needs no call:
//        τ += c(t) − R v − K (q − q₀)
//   (3)  along a coordinate of a joint that closes a loop, as it measures itself (joints/joint.hpp (5)): at F's origin
//        in F axes, with p = p_FM,   (n, f) = (W_ω + p × W_v, W_v) τ   on the second body, the opposite on the first
//   (4)  power, for the ledger: declared by the law, or found by dynamics/force_power.hpp. Of a line −R v² and c v
#pragma once

#include <optional>

#include "tandem/dynamics/force_power.hpp"
#include "tandem/model/forest.hpp"
#include "tandem/tree/kernels.hpp"
#include "tandem/tree/spatial.hpp"

namespace tandem {

template <class S> struct TreeLink;

template <class S> class TreeLoads {
 public:
  // The ledger is kept of one world without derivatives.
  static constexpr bool keeps_power = std::is_same_v<S, double>;
  // The model must outlive it.
  void build(const Model& model, const Forest& forest, const std::vector<int>& link_of_node,
             const std::vector<Pose<S>>& X_LC);
  bool empty() const { return lines_.empty() && laws_.empty(); }
  bool wants_world() const { return wants_world_; }  // poses of links in the world

  // Where angles of joints that close a loop are counted from, laid out as State::angles; zero at first.
  void count_turns_from(VecIn<S> angles) {
    if (!measured_.empty()) angles_ = angles;
  }
  // At the poses and velocities of the links: changes their bias forces, adds to tau.
  void apply(const S& t, const S* q, const S* v, std::vector<TreeLink<S>>& links, VecX<S>& tau);
  // What springs and their kin have stored, at the last apply(): of a line K (q − q₀)²/2.
  S potential(const S* q) const;
  // Of the last apply(); (4)
  template <class T = S> auto power() const -> std::enable_if_t<TreeLoads<T>::keeps_power, Work> {
    if (empty()) return {};
    return {.dampers = dampers_ + powers_->dampers(), .forces = forces_ + powers_->forces()};
  }

 private:
  struct Line {
    int q = -1, v = 0;  // q: −1 where the speed is that of no coordinate
    S stiffness{}, damping{}, rest{}, constant{};
  };
  struct Point {
    int link = 0;  // 0 is the world
    M3<S> R;       // the frame of the law in its axes
    V3<S> p;
  };
  struct Coordinate {
    int q = -1, v = 0;  // of the tree
    int measured = -1;  // or which of the joints that close a loop
  };
  struct Measured {  // (3)
    std::shared_ptr<const JointKernel<S>> joint;
    Point first{}, second{};         // F and M
    int coordinate = -1, speed = 0;  // which of the joint's; −1 where the speed is that of no coordinate
    int angle = -1;                  // of State::angles, where it counts turns
    CoordinateMotion<S> motion{};    // what it measured last
    V3<S> n{}, f{}, at{};            // (3) for τ = 1 and F's origin, in the world
  };
  struct Law {
    const ModelForce* force = nullptr;
    std::vector<Point> points;
    std::vector<Coordinate> coordinates;
  };
  static PointMotion<S> motion_of(const Point& point, const std::vector<TreeLink<S>>& links);
  void measure(Measured& one, const std::vector<TreeLink<S>>& links) const;
  void apply_law(const Law& law, const S& t, const S* q, const S* v, std::vector<TreeLink<S>>& links, VecX<S>& tau);

  const Model* model_ = nullptr;
  std::vector<Line> lines_;
  std::vector<std::pair<std::size_t, TimeFunction>> moving_;  // constants of lines that are functions of time
  std::vector<Law> laws_;
  std::vector<Measured> measured_;
  VecX<S> angles_;
  bool wants_world_ = false;
  S dampers_{}, forces_{};
  S stored_{};                        // by laws that are no lines
  std::optional<ForcePower> powers_;  // of laws that do not declare theirs
  Attachments<S> at_;                 // scratch
  Loads<S> loads_;
};

}  // namespace tandem
