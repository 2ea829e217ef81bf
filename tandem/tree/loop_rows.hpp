// Rows that go with the fast recursion: joints that close loops, wheels, knife edges, distances.
//
// A block has up to 6 rows between link 1 (frame F) and link 2 (frame M); the world is link 0. From the kernel's
// T, bias (math/relative.hpp), with all spatial vectors at F's origin in F axes, ΔV = V₂ − V₁ and p = p_FM:
//   (1)  W = (T_ω + p × T_v, T_v),   Tᵀ V_FM = W·ΔV
//   (2)  K₂ A₂ + K₁ A₁ = r,   r = W·(V₁ × ΔV) − T_v·(Δω × ṗ) − bias;   K₂ = W on link 2, K₁ = −W on link 1
// On its way inward a row changes with the joints it passes, and the rows get compliance S among each other:
//   (3)  y = K S,   K ← K − y D⁻¹ Uᵀ,   r ← r − y D⁻¹ u − K c,   S_ab ← S_ab + y_a D⁻¹ y_bᵀ;   on to the parent
// Where both sides of a block have come together (its `meet`) it is eliminated by blocks, with Z = K₁ + K₂:
//   (4)  S = L D Lᵀ (pivots within the block),   B ← B L⁻ᵀ, Z ← L⁻¹ Z, r ← L⁻¹ r
//        later blocks b, c:  r_b −= B_b D⁻¹ r,  S_bc −= B_b D⁻¹ B_cᵀ,  K_b −= B_b D⁻¹ Z
//        where they met:     I += Zᵀ D⁻¹ Z,  p −= Zᵀ D⁻¹ r
//   (5)  on the way back:  λ = L⁻ᵀ D⁻¹ (r − Z a − Σ B_bᵀ λ_b)
// A row on more than two links (a gear of three shafts, rows of a program's own) has as many sides. Where some of them
// come together before all do, their K add up, and they go on as one.
// The sides of rows to the world have come together from the start, and a row may be eliminated on any link of its way
// where what lies below gives way. Where more than a few come along one branch (wheels on a long chain) that is done,
// so that no link carries more of them than that, and those that are stiff there (loop_places.cpp). With d of (4), the
// block's pivots, and I as it is before:
//   (6)  d ≥ 1e-3 (d + Σ_c Z_c²/I_cc):  no diagonal of I grows by more than a thousand times, and I keeps its digits
//   (7)  d ≥ 1e-3 of the block's trace, there and on the bare tree: no row that others almost make up
// A place is found at a state and kept; where a block has less than 1e-5 there instead of (6), smallest_pivot() is 0.
// A turn or slide of a link without inertia (U = 0) moves as rows make it. All that see it must be of one block; with u
// = τ − Sᵀ p, the largest y_a among them, and m = y/y_a, its rows b and those of other blocks, c:
//   (8)  λ_a = λ₀ − Σ m_b λ_b,  λ₀ = −u/y_a;   p −= K_aᵀ λ₀ on both sides' links;   b ← b − m_b a, and with S_ba of
//   that
//        r_b −= S_ba λ₀,  S_bb′ −= S_ba m_b′;   r_c −= S_ca λ₀,  S_cb −= S_ca m_b
//   (9)  outward:  v̇ = (r_a − K_a a′ − K_a a on the other side − S_a λ)/y_a
// A pivot below 1e-14 of the block's trace, both of rows in parts of their size, is a row that follows from the others:
// it is left out. That is decided when rows are chosen, and kept: off the constraints, such a row would look
// independent. Linear in the number of loops where each shares joints with a few others, and in the rows to the world.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "tandem/dynamics/step_memory.hpp"
#include "tandem/math/pose.hpp"
#include "tandem/model/forest.hpp"
#include "tandem/tree/kernels.hpp"
#include "tandem/tree/spatial.hpp"

namespace tandem {

template <class S> struct TreeLink;

template <class S> struct LoopBlock {
  static constexpr int padded =
      8;  // rows, to whole lanes (lanes.hpp): what stands behind the last one is of no account
  static constexpr int no_link = std::numeric_limits<int>::max();

  // of the model
  int index = 0;  // of Model::blocks
  int first_row = 0, all_rows = 0, holonomic = 0;
  int row_of_model = 0;                          // the first
  double length = 1.0;                           // of the island, in metres
  std::array<double, 6> size{1, 1, 1, 1, 1, 1};  // of all rows, in the unit of φ: model/scale.hpp
  std::array<int, 2> link{};
  std::array<M3<S>, 2> R;  // F and M in the axes of their links
  std::array<V3<S>, 2> p;
  std::shared_ptr<const JointKernel<S>> joint;
  std::shared_ptr<const ConstraintKernel<S>> constraint;
  const Constraint* type = nullptr;  // of the constraint
  bool moves = false;                // by itself: φ_t is not zero
  struct Term {
    int link = 0, column = 0;  // its joint; of a joint of kind any, which column
    int q = 0, v = 0;
    S coefficient{1.0};
  };
  struct LoopTerm {
    std::shared_ptr<const JointKernel<S>> joint;
    int coordinate = 0, speed = 0;  // which of the joint's
    int angle = -1;                 // which of State::angles it is counted from; −1: it counts no turns
    S coefficient{1.0};
    std::array<int, 2> link{}, side{};  // side: −1 for the world
    std::array<M3<S>, 2> R{};           // F and M in the axes of their links
    std::array<V3<S>, 2> p{};
  };
  bool on_coordinates = false;                // one row on coordinates of joints (coordinate_rows.cpp):
  std::vector<Term> terms;                    // of tree joints
  std::vector<LoopTerm> loop_terms;           // of joints that close a loop
  S value{};                                  // what they sum up to, or how fast
  const Drive* drive = nullptr;               // of a joint that closes a loop
  int coordinate = 0, speed = 0;              // which of the joint's
  bool wraps = false;                         // an angle that counts no turns
  const CustomRows* custom = nullptr;         // custom_loop_rows.cpp
  int first_of_custom = 0;                    // which of its rows is the first one here
  std::size_t work = 0;                       // which of the scratch for custom rows is its own
  std::vector<int> side_of_body;              // of each of its bodies; −1 for the world
  S phi_of_all[6] = {}, rate_of_all[6] = {};  // of rows on coordinates and custom ones, whether in use or not
  Relative<S> x;                              // M seen from F
  bool begins_with_points = false;            // its first three rows are φ = p
  int meet = 0;                               // the link where it is eliminated; 0: the world
  bool to_world = false;    // it sees where links are in the world; else it meets where its sides come together
  int together = 0;         // the link where all sides have come together
  int turn = 0;             // among those that meet there
  int inward_of = no_link;  // it is eliminated further inward than on this link, where it was weak before
  double whole = 0.0;       // its trace on the bare tree, at the state where its place was found
  bool weak = false;        // no longer well eliminated where it is
  // of the state
  int rows = 0;              // in use
  bool points_only = false;  // of those first three
  double weight[6] = {};     // 1 / size² of the rows in use: what makes their compliances compare
  void take_rows_in_use();   // finds these two
  double size_in_use(int k) const { return size[static_cast<std::size_t>(row[static_cast<std::size_t>(k)])]; }
  int rows_before = 0;
  std::array<int, 6> row{};  // which
  S K[2][6][padded] = {};    // per side, (angular, linear) of the rows in use on the link it has come to
  S r[padded] = {}, Z[6][6] = {};
  S D_inverse[padded] = {}, L[6][6] = {};
  S lambda[padded] = {};  // zero behind the last row
  int order[6] = {};
  S removed[6] = {};                                          // what eliminating others took off the diagonal
  S phi[padded] = {}, rate[padded] = {}, right[padded] = {};  // of the rows in use; `right`: r of (2)
  S phi_t[padded] = {};                                       // where it moves by itself
  S on_link[2][6][padded] = {};                               // K where the block is attached
  int at[2] = {0, 0};  // the link that each side has come to; −1: merged with another one
  struct Side {        // the same of one side
    int link = 0, at = 0;
    M3<S> R;
    V3<S> p;
    S K[6][padded] = {}, on_link[6][padded] = {};
  };
  std::vector<Side> more;  // sides beyond the first two
  int sides() const { return 2 + static_cast<int>(more.size()); }
  Side& beyond(int side) { return more[static_cast<std::size_t>(side - 2)]; }
  const Side& beyond(int side) const { return more[static_cast<std::size_t>(side - 2)]; }
  auto& K_of(int side) { return side < 2 ? K[side] : beyond(side).K; }
  auto& on_link_of(int side) { return side < 2 ? on_link[side] : beyond(side).on_link; }
  const auto& on_link_of(int side) const { return side < 2 ? on_link[side] : beyond(side).on_link; }
  int& at_of(int side) { return side < 2 ? at[side] : beyond(side).at; }
  int& link_of(int side) { return side < 2 ? link[static_cast<std::size_t>(side)] : beyond(side).link; }
  int link_of(int side) const { return side < 2 ? link[static_cast<std::size_t>(side)] : beyond(side).link; }
  auto& R_of(int side) { return side < 2 ? R[static_cast<std::size_t>(side)] : beyond(side).R; }
  auto& p_of(int side) { return side < 2 ? p[static_cast<std::size_t>(side)] : beyond(side).p; }
  void add_side(int side, int on_which) {
    if (side >= sides()) more.resize(static_cast<std::size_t>(side - 1));
    link_of(side) = on_which;
  }
  const auto& K_of(int side) const { return side < 2 ? K[side] : beyond(side).K; }
  unsigned held = 0;  // rows that (8) took out, a bit each
  bool is_held(int k) const { return (held >> k & 1U) != 0; }
  void merge(int side, int into);                        // K adds up
  S trace(const S (*compliance)[padded], int n) const {  // of (4) and (7): n rows in parts of their size
    S sum(0.0);
    for (int i = 0; i < n; ++i) sum += (compliance[i][i] + removed[i]) * weight[i];
    return select(sum < whole, S(whole), sum);
  }
  std::vector<std::pair<int, int>> later;  // blocks coupled to it that are eliminated after it, and their S
  std::vector<int> updates;                // S of the pairs of these
};

// Σ_c Z_c²/I_cc of (6): what the link itself would give way to a row, were it free.
template <class S> double given_way(const ArticulatedInertia<S>& I, const double* Z, int w) {
  const S* diagonal[6] = {&I.A.xx, &I.A.yy, &I.A.zz, &I.C.xx, &I.C.yy, &I.C.zz};
  double sum = 0.0;
  for (int c = 0; c < 6; ++c)
    if (Z[c] != 0.0) sum += Z[c] * Z[c] / std::max(of_world(*diagonal[c], w), 0.0);
  return sum;
}

// A joint of several freedoms: D = L diag(d) Lᵀ, and with y ← L⁻¹ y, U ← U L⁻ᵀ, u ← L⁻¹ u it is so many single ones.
// Of a floating joint the linear freedoms come first: their part of D, the mass, is the better one to begin with.
template <class S> struct WideJoint {
  int freedoms = 6;
  S L[6][6] = {};  // below the diagonal of ones
  S d_inverse[6] = {};
  S U[3][3] = {};  // ball: U d⁻¹, per freedom its linear part
  S u[6] = {};     // d⁻¹ u

  template <class T> static void linear_first(T (&six)[6]) {
    for (int i = 0; i < 3; ++i) std::swap(six[i], six[i + 3]);
  }
};

// Which rows are in use, where they meet and which joints are held is decided by the first world of a scalar
// (base/pack.hpp), between the sweeps. In a sweep every world goes its own way.
template <class S> class LoopRows {
 public:
  void build(const Model& model, const Forest& forest, const std::vector<int>& link_of_node,
             const std::vector<Pose<S>>& X_LC, const std::vector<TreeLink<S>>& links);
  bool empty() const { return blocks_.empty(); }
  std::vector<LoopBlock<S>>& blocks() { return blocks_; }
  const std::vector<LoopBlock<S>>& blocks() const { return blocks_; }
  int row_count() const { return row_count_; }

  // Where angles of joints that close a loop are counted from, laid out as State::angles; zero at first.
  void count_turns_from(VecIn<S> angles) {
    if (counts_turns_) angles_ = angles;
  }
  // (1), (2) from the poses and velocities of the links; world poses must be there.
  void update(const std::vector<TreeLink<S>>& links, const S* q, const S* v, const S& t);
  void use_all_rows();
  void use(const std::vector<int>& rows_of_model);  // in rising order
  // visit(block, row, φ, J v + φ_t) for every row that is not in use.
  template <class Visit> void visit_left_out(const std::vector<TreeLink<S>>& links, Visit&& visit) const;

  // In place of r of (2): what a change of position or velocity is to take away.
  void ask_for_positions();  // of the rows with a φ alone, until ask_for_all()
  void ask_for_all();
  void ask_for_velocities();
  void ask_for(VecIn<S> by_row_of_model);
  // visit(row of the model, λ) for every row in use, at the last sweep.
  template <class Visit> void visit_multipliers(Visit&& visit) const {
    for (const LoopBlock<S>& block : blocks_)
      for (int k = 0; k < block.rows; ++k)
        visit(block.row_of_model + block.row[static_cast<std::size_t>(k)], block.lambda[k]);
  }
  void take_off_forces(std::vector<TreeLink<S>>& links) const;  // p −= Kᵀ λ where rows are attached, likewise
  S power() const;          // −Σ λ φ_t: of rows that move by themselves, at the last sweep
  bool in_trouble() const;  // at the last update()
  S smallest_pivot() const { return smallest_pivot_; }  // of the last sweep, of its block's trace

  // Where rows to the world are eliminated: before the first sweep and whenever rows are used that were not, or after
  // smallest_pivot() was 0, an inward sweep between begin_places() and end_places() finds it. It allocates.
  bool wants_places() const { return wants_places_; }
  bool is_crowded() const { return crowded_; }
  bool has_weak_place() const;
  bool leave_weak_places();  // whether there are any
  // After an inward sweep without rows.
  void begin_places(const std::vector<TreeLink<S>>& links, const std::vector<WideJoint<S>>& wide);
  void end_places(const std::vector<TreeLink<S>>& links);
  bool has_places() const { return crowded_ && !wants_places_; }
  void save_places(RowPlaces& out) const;
  bool load_places(const RowPlaces& in, std::size_t links);  // whether they had been found: then they are to be again

  // The steps of the sweep. `choose`: rows without a pivot are left out from now on.
  void begin(const std::vector<TreeLink<S>>& links, bool choose);
  void eliminate_at(int link, TreeLink<S>& on);                                                           // (4)
  void pass_joint(int link, const TreeLink<S>& on, const WideJoint<S>* wide, const TreeLink<S>& parent);  // (3)
  void solve_at_world();                                                                                  // (4), (5)
  void add_to_joint(int link, int freedoms, S* effort) const;                                             // Σ yᵀ λ
  // A turn or slide without inertia, with freedom 2 or 5: whether (8) could be done. Then (9), from a′.
  bool hold(int link, int freedom, const S& u, std::vector<TreeLink<S>>& links);
  bool holds(int link) const { return held_at(link) != nullptr; }
  S held_rate(int link, const V3<S>& a_w, const V3<S>& a_v, const std::vector<TreeLink<S>>& links) const;
  void back_at(int link, const TreeLink<S>& on);  // (5)
  void end();

 private:
  struct Entry {
    int block = 0, side = 0;
    bool has_term = false;                     // on this joint
    S term[6] = {};                            // κ of its only row, per column of the joint
    S y[6][LoopBlock<S>::padded] = {};         // per freedom of the joint, per row in use
    S weighted[6][LoopBlock<S>::padded] = {};  // d⁻¹ y, of a ball or floating joint
  };
  struct PairOfEntries {
    int a = 0, b = 0;  // entries; block of a is eliminated first, or the same
    int at = 0;        // where their compliance is
  };
  template <bool on_world> void update(LoopBlock<S>& block, const TreeLink<S>& one, const TreeLink<S>& two, const S& t);
  void update_terms(LoopBlock<S>& block, const std::vector<TreeLink<S>>& links, const S* q, const S* v);
  void update_custom(LoopBlock<S>& block, const std::vector<TreeLink<S>>& links, const S& t);
  void fill(const LoopBlock<S>& block, const Relative<S>& x, const S& t, PairRows<S>& rows) const;
  void place_terms(LoopBlock<S>& block, const std::vector<TreeLink<S>>& links) const;
  static int meeting_link(const std::vector<TreeLink<S>>& links, int a, int b);
  static int meeting_link(const std::vector<TreeLink<S>>& links, const LoopBlock<S>& block);  // of all sides
  Entry entry_of(int block, int side, int link) const;
  void merge_at(int link) {
    for (const Merge& each : merges_[static_cast<std::size_t>(link)])
      blocks_[static_cast<std::size_t>(each.block)].merge(each.side, each.into);
  }
  void order_blocks(const std::vector<TreeLink<S>>& links);
  bool find_crowd(const std::vector<TreeLink<S>>& links) const;
  void reconsider_places(bool other_rows);
  void find_whole(const std::vector<TreeLink<S>>& links, const std::vector<WideJoint<S>>& wide);
  void place_at(int link, TreeLink<S>& on);
  void place_here(int block, int link, TreeLink<S>& on);
  double softness(const LoopBlock<S>& a, int index, const TreeLink<S>& on);
  void look_at_place(LoopBlock<S>& a, int index, const TreeLink<S>& on);  // whether it is weak
  int coupling(int a, int b);
  void pass_single(int link, int freedom, const TreeLink<S>& on, const TreeLink<S>& parent);
  template <int freedoms>
  void pass_wide(int link, const TreeLink<S>& on, const WideJoint<S>& wide, const TreeLink<S>& parent);
  void pass_any(int link, const TreeLink<S>& on, const WideJoint<S>& wide, const TreeLink<S>& parent);
  template <class Count> void add_compliance(int link, Count freedoms);
  void factor(LoopBlock<S>& a, int index, TreeLink<S>* on);
  template <int n> void factor(LoopBlock<S>& a, int index, TreeLink<S>* on);
  void back(LoopBlock<S>& a, const TreeLink<S>* on);
  bool sees(const LoopBlock<S>& block, int side, int freedom, int row) const;  // whether y is more than round-off
  void stand_in_for_held(LoopBlock<S>& block, int index);
  void find_held(LoopBlock<S>& block);
  using Line = S[LoopBlock<S>::padded];
  Line* compliance(int index) { return S_[static_cast<std::size_t>(index)].data; }

  struct Square {
    Line data[6] = {};
  };
  std::vector<LoopBlock<S>> blocks_;               // in the order of elimination
  std::vector<std::vector<int>> meeting_;          // per link: blocks
  std::vector<std::vector<Entry>> entries_;        // per link
  std::vector<std::vector<PairOfEntries>> pairs_;  // per link
  struct Merge {
    int block = 0, side = 0, into = 0;
  };
  std::vector<std::vector<Merge>> merges_;  // per link; empty where all come together at their meeting links
  std::vector<Square> S_;                   // the first ones are the diagonal, by block
  int row_count_ = 0;
  bool counts_turns_ = false;
  VecX<S> angles_;  // the turns are counted from these
  bool choosing_ = false;
  S smallest_pivot_{1.0};
  struct Held {  // (8), (9)
    int link = 0, block = 0, row = 0, other = 0;
    S y{1.0}, r{}, lambda{};  // lambda: λ₀
    S share[6] = {};          // m
    S K[6] = {}, K_other[6] = {};
    S compliance[6] = {};             // with the rows of its block
    std::size_t first = 0, last = 0;  // of held_beside_
  };
  struct HeldBeside {
    int block = 0;
    S compliance[6] = {};
  };
  std::vector<Held> held_;  // of the last sweep, in its order
  const Held* held_at(int link) const;
  std::vector<HeldBeside> held_beside_;
  S t_{};                  // of the last update()
  PairRows<S> pair_rows_;  // scratch, as all that follows
  std::vector<BodyMotion<S>> motions_;
  std::vector<CustomWork<S>> custom_work_;  // one for each kernel: of one size, so that it is kept
  // Of places
  bool crowded_ = false;  // a link is on the way of more than a few rows to the world
  bool wants_places_ = false, placing_ = false;
  int turn_ = 0;
  struct Open {
    int block = 0, side = 0;
  };
  std::vector<std::vector<Open>> open_;             // per link
  std::map<std::pair<int, int>, int> coupling_of_;  // S of two blocks
};

}  // namespace tandem
