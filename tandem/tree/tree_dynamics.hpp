// Tree: forward dynamics, inverse dynamics and the mass matrix of a tree of joints, as fast as it goes, on any scalar:
// a double, a dual for exact derivatives, a pack of worlds (base/pack.hpp).
//
//   (1)  M(q) v̇ + C(q, v) = τ        forward: v̇ from τ;  inverse: τ from v̇;  mass: M
//   (2)  with rows: M v̇ + C = τ + Jᵀ λ,  J v̇ = b        forward alone (loop_rows.hpp)
// q and v are laid out as in State on the cut "loops" (model/forest.hpp); gravity acts. forward, inverse and mass are
// the bare recursion that other libraries call aba, rnea and crba; accelerate has the force laws and drives of the
// model in it (loads.hpp). The articulated method (methods/) does the same for whole models and is its oracle.
//
// A link's axes have their origin at its joint and z along its axis, so that S is one known column (kinds below).
// Joints of several axes (universal, cylindrical, planar, translational) become a turn or slide each, with massless
// links between; ball and floating joints are one link, and so is every joint that declares nothing (any_joint.hpp).
// One record a link, parents first, each subtree together. Source: Featherstone, Rigid Body Dynamics Algorithms (2008),
// chapters 5 to 7.
#pragma once

#include <memory>
#include <optional>

#include "tandem/base/larger.hpp"
#include "tandem/model/forest.hpp"
#include "tandem/tree/any_joint.hpp"
#include "tandem/tree/loads.hpp"
#include "tandem/tree/loop_rows.hpp"

// The scalars that a tree is compiled for. Whoever compiles these files once more may name others.
#ifndef TANDEM_TREE_SCALARS
#define TANDEM_TREE_SCALARS(MACRO) MACRO(double) MACRO(Dual<double>)
#endif

namespace tandem {

enum class LinkKind { weld, turn, slide, ball, floating, any };

template <class S> struct TreeLink {
  // of the model
  LinkKind kind = LinkKind::weld;
  bool has_children = false;
  bool is_last_child = false;  // of its parent: the first one that the inward pass meets
  bool driven = false;         // a drive prescribes its motion: turn, slide
  int parent = 0;              // a link; 0 is the world
  int q = 0, v = 0;            // its first coordinate and speed
  M3<S> R_PF;                  // its joint's frame F in the parent's axes
  V3<S> p_PF;
  double area = 1.0;  // the square of the island's length: what makes masses and moments of inertia compare
  S mass{};
  V3<S> h;          // mass × centre
  Sym3<S> inertia;  // about the origin
  // of the state
  M3<S> R;                  // the link's axes in its parent's
  V3<S> p;                  // its origin from the parent's
  V3<S> w, v_origin;        // velocity, link axes
  V3<S> c_w, c_v;           // a = X a_parent + c + S v̇; of a driven link S v̇ is in c
  S acceleration{};         // of a driven link: v̇
  ArticulatedInertia<S> I;  // articulated
  V3<S> p_w, p_v;           // bias force
  V3<S> U_w, U_v;           // turn, slide: I S / D
  S D_inverse{}, u{};       // u: (τ − Sᵀ p)/D
  V3<S> a_w, a_v;           // spatial acceleration; the world's is −g
  M3<S> R_W;                // its axes and origin in the world: with rows only
  V3<S> p_W;
  int wide = -1;               // ball, floating, any: which of the wide joints
  int turn = -1;               // which of the turns
  AnyJoint<S>* any = nullptr;  // any: its joint
};

// Sines and cosines of all turns, found together (base/elementary.hpp).
template <class S> struct Turns {
  std::vector<int> q;  // whose angle
  Eigen::Array<S, Eigen::Dynamic, 1> angles, sines, cosines;

  void update(const S* coordinates);
};

// The largest of a number in any world.
template <class S> double largest_of(const S& x) {
  double most = 0.0;
  for (int w = 0; w < worlds_of<S>; ++w) keep_larger(most, std::abs(of_world(x, w)));
  return most;
}

// The largest of the rows in use: in parts of the machine, per second; in metres and metres a second.
struct TreeResiduals {
  double gap = 0.0, rate = 0.0;
  double position = 0.0, velocity = 0.0;

  void see(double gap_of_row, double rate_of_row, double length) {
    keep_larger(gap, gap_of_row);
    keep_larger(rate, rate_of_row);
    keep_larger(position, length * gap_of_row);
    keep_larger(velocity, length * rate_of_row);
  }
};

enum class TreeActs { gravity, everything };  // everything: force laws and drives too

// Why a model has no tree: a drive, a coupler, a rope, a kind of joint that is not built. Nothing when it has.
std::optional<std::string> tree_obstacle(const Model& model, TreeActs acts);

template <class S> class Tree {
 public:
  using Acts = TreeActs;
  // Throws ModelError when obstacle() says why. The model must outlive it.
  explicit Tree(const Model& model, Acts acts = Acts::gravity);
  static std::optional<std::string> obstacle(const Model& model, Acts acts = Acts::gravity) {
    return tree_obstacle(model, acts);
  }

  int nq() const { return forest_.nq; }
  int nv() const { return forest_.nv; }
  const Forest& forest() const { return forest_; }

  // Decides which rows are independent, at a state that meets them; forward() keeps to that. The constructor uses all.
  void choose_rows(VecIn<S> q, const S& t = S(0.0));
  void use_rows(const std::vector<int>& rows_of_model) { loops_.use(rows_of_model); }  // or takes them as given
  int rows_in_use() const;
  int row_count() const { return loops_.row_count(); }
  const LoopRows<S>& loops() const { return loops_; }
  // Where rows are eliminated follows from the rows in use, a state, and what was weak before: to go on from the same.
  void save_places(RowPlaces& out) const;
  void load_places(const RowPlaces& in);  // after use_rows()

  // q̇ = N(q) v, and q ⊞ δ; as TreeCoordinates.
  void rate(VecIn<S> q, VecIn<S> v, VecX<S>& q_dot) const;
  void retract(VecIn<S> delta, VecOut<S> q) const;
  double settle(VecOut<S> q) const;  // quaternions to unit length; returns how far they were from it

  // Angles of joints that close a loop, where rows or laws are about them, are on the turn nearest to these:
  // State::angles.
  void count_turns_from(VecIn<S> angles) {
    loops_.count_turns_from(angles);
    loads_.count_turns_from(angles);
  }
  // Links and rows at a state; then the largest |φ| and |J v + φ_t| of the rows in use.
  void locate(const S& t, VecIn<S> q, VecIn<S> v);
  TreeResiduals residuals() const;
  TreeResiduals left_out() const;  // of the others
  double fastest_turn() const;     // the largest angular speed of a link
  // Writes the quaternions of all bodies into q of the maximal cut, each with the sign nearer to the one that is there.
  void follow_quaternions(VecOut<S> bodies) const;
  Pose<S> pose(const BodyFrame& frame) const;              // in the world, at the last locate()
  BodyMotion<S> motion(int body) const;                    // likewise
  bool in_trouble() const { return loops_.in_trouble(); }  // a constraint without geometry: a wheel that lies flat
  // Where it was located: δ with J δ = −φ on the holonomic rows, or J δ = −(J v + φ_t) on all, least in ½ δᵀ M δ.
  void least_change_of_position(VecX<S>& delta);
  void least_change_of_velocity(VecX<S>& delta);
  // Whatever made the right sides, without drives and gravity: p_i = left_i (in the velocities of the body) on the link
  // of every node, J v̇ = `rows` (by their numbers in the model) on the rows in use. Throws as forward does.
  void solve(const S& t, VecIn<S> q, const std::vector<Vec6<S>>& left, VecIn<S> rows, VecX<S>& v_dot);
  S smallest_pivot() const { return loops_.smallest_pivot(); }  // of the last sweep with rows, of its trace

  // None of them allocates when the output has its size. forward throws NumericalError for a motion without inertia.
  void forward(VecIn<S> q, VecIn<S> v, VecIn<S> tau, VecX<S>& v_dot);
  // With Acts::everything. `located`: at the state of the last locate(), once: it is not looked at again.
  void accelerate(const S& t, VecIn<S> q, VecIn<S> v, bool located, VecX<S>& v_dot);
  // Writes what drives prescribe at t into a state; accelerate() takes their accelerations from the last call.
  void prescribe(const S& t, VecOut<S> q, VecOut<S> v);
  bool is_driven() const { return !driven_.empty(); }
  // At the last accelerate(): the power of force laws and drives; what the laws have stored; (ω̇ in body axes, v̇ of the
  // mass centre); visit(drive, effort) of every drive of a joint of the tree.
  template <class T = S> auto power() const -> std::enable_if_t<TreeLoads<T>::keeps_power, Work> {
    Work power = loads_.power();
    power.drives += loops_.power();
    for (const Driven& each : driven_) power.drives += effort_of(each) * each.motion.rate;
    return power;
  }
  S potential(VecIn<S> q) const { return loads_.potential(q.data()); }
  Vec6<S> acceleration(int body) const;
  template <class Visit> void visit_efforts(Visit&& visit) const {
    for (const Driven& each : driven_) visit(each.of_model, effort_of(each));
  }
  // After accelerate() at this state: what the joint of every body does to it. Then force_on() tells, in world axes.
  // Ends what power() and visit_efforts() tell.
  void find_joint_forces(const S& t, VecIn<S> q, VecIn<S> v);
  Wrench<S> force_on(int body, const Vec3<S>& about) const;
  void inverse(VecIn<S> q, VecIn<S> v, VecIn<S> v_dot, VecX<S>& tau);
  // The lower triangle; what stands above the diagonal is left alone.
  void mass(VecIn<S> q, MatX<S>& M);

 private:
  // Of a joint that declares its axes: a turn about or a slide along z of the axes A within its frame F.
  struct Axis {
    LinkKind kind = LinkKind::weld;
    Matrix3 A = Matrix3::Identity();
    int speed = 0;  // which of the joint's
  };
  static std::vector<Axis> axes_of(const Joint& joint);
  // The numbers of the model, on the links: nothing else of a tree depends on them but the frames of rows and laws.
  void set_numbers(const Model& model);
  template <bool with_rows> void sweep(const S* tau, VecX<S>& v_dot);
  // Whether all is to be done again: rows are eliminated elsewhere from now on, or joints without inertia looked for.
  bool sweep_where_placed(const S* tau, VecX<S>& v_dot);
  bool begins_to_hold(const VecX<S>& v_dot);
  template <bool with_rows> void place_and_move(const S& t, const S* q, const S* v);
  void clear_right_sides();
  template <bool with_rows> void sweep_without_gravity(VecX<S>& delta);
  void find_places(const S& t, const S* q);  // of rows to the world: loop_rows.hpp (6), (7)
  template <bool with_rows> void sweep_inward(const S* tau);
  template <bool with_rows> void sweep_outward(S* v_dot);
  bool hold(std::size_t link, const S* tau);  // whether it has no inertia and rows hold it
  void move_held(std::size_t link, S& v_dot);
  void add_node(const Model& model, const Forest::Node& node, Acts acts);
  void make_any(const Model& model, const Forest::Node& node, Acts acts, TreeLink<S>& link);
  void add_link(const TreeLink<S>& link, const Axis& axis, int speeds);

  Forest forest_;
  std::vector<TreeLink<S>> links_;  // the first is the world
  std::vector<Axis> axes_;          // per link
  Turns<S> turns_;
  std::vector<Pose<S>> X_LC_;  // per link: the mass centre of its body, in its axes
  std::vector<int> first_link_of_node_, link_of_node_;
  std::vector<int> quaternion_of_node_;  // where its body's quaternion stands on the maximal cut
  LoopRows<S> loops_;
  double t_of_places_ = 0.0;  // where they were found, in the first world
  Eigen::VectorXd q_of_places_;
  TreeLoads<S> loads_;
  struct Driven {
    std::size_t link = 0;
    int q = 0, v = 0;  // its coordinate and speed
    const Drive* drive = nullptr;
    int column = 0;     // of a link of kind any
    int of_model = -1;  // which drive
    Jet<S> motion{};
  };
  std::size_t link_of(int body) const {
    const int node = forest_.node_of_body[static_cast<std::size_t>(body)];
    return static_cast<std::size_t>(link_of_node_[static_cast<std::size_t>(node)]);
  }
  S effort_of(const Driven& driven) const;  // what a drive does, from the forces on its link
  std::vector<Driven> driven_;
  std::vector<WideJoint<S>> wide_;
  std::vector<std::unique_ptr<AnyJoint<S>>> any_;  // links point at them
  bool choosing_ = false;
  bool holds_ = false;   // there may be joints without inertia that rows hold: loop_rows.hpp (8)
  VecX<S> still_, tau_;  // no efforts; those of the laws

  // Of mass(). A column is a speed in the order of the links, so that a subtree is a range of them.
  struct Composite {  // in world axes from here on
    Column<S> R[3] = {{{1.0}}, {{0.0, 1.0}}, {{0.0, 0.0, 1.0}}};
    Column<S> I[3];  // inertia about the link's origin
    Column<S> p, h;
    S mass{};
  };
  struct Columns {  // I S of each column about its link's origin p: separate arrays, so that M is filled by vector
                    // loops
    Eigen::Array<S, Eigen::Dynamic, 1> n_x, n_y, n_z, f_x, f_y, f_z, p_x, p_y, p_z;
    void resize(std::size_t size);
  };
  enum class Along { turn, slide, both };
  template <Along along>
  void fill_column(int column, int last, const V3<S>& turn, const V3<S>& slide, const Composite& of, MatX<S>& M);
  std::vector<Composite> composites_;
  Columns columns_;
  std::vector<int> first_column_, last_column_;  // per link; last: one past those of its subtree
  std::vector<int> speed_of_column_;
  bool in_order_ = true;  // columns are speeds
  Eigen::Array<S, Eigen::Dynamic, 1> entries_;
};

using TreeDynamics = Tree<double>;  // of one world: what a simulation runs on

}  // namespace tandem
