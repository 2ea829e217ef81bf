#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tandem/base/elementary.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/base/time_scan.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

namespace {

using expression_detail::BinaryOp;
using expression_detail::Instruction;
using expression_detail::Kind;
using expression_detail::UnaryOp;

// How an expression depends on time: between its kinks along a straight line, or in any way.
enum class Form { constant, straight, other };

Form form_of(UnaryOp op, Form a) {
  return a == Form::constant || op == UnaryOp::Negate || op == UnaryOp::Abs ? a : Form::other;
}

Form form_of(BinaryOp op, Form a, Form b) {
  const Form larger = std::max(a, b);
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Min:
    case BinaryOp::Max:
      return larger;
    case BinaryOp::Multiply:
      return a == Form::constant || b == Form::constant ? larger : Form::other;
    case BinaryOp::Divide:
      return b == Form::constant ? a : Form::other;
    default:
      return larger == Form::constant ? Form::constant : Form::other;
  }
}

// What a zero of a switch without a change of sign is.
enum class Touch {
  nothing,  // abs
  kink,     // sqrt
  jump,     // atan2, if it jumps
  pole      // 1/u, if it grows
};

// A function within an expression that has a kink, a jump or a pole where its switch, a value on the way, is zero.
struct Switch {
  std::size_t at = 0;  // the instruction
  Touch touch = Touch::nothing;
  bool straight = false;  // the switch is a straight line between kinks
  bool is_x = false;      // of atan2(y, x)
};

class Switches {
 public:
  explicit Switches(const Expression& of_time) : program_(of_time.program()) {
    std::vector<Form> stack;
    for (std::size_t i = 0; i < program_.size(); ++i) {
      const Instruction& step = program_[i];
      switch (step.kind) {
        case Kind::Constant:
          stack.push_back(Form::constant);
          break;
        case Kind::Name:
          stack.push_back(Form::straight);
          break;
        case Kind::IntegerPower:
          if (step.integer < 0) note(i, stack.back(), stack.back(), Touch::pole);
          if (stack.back() != Form::constant) stack.back() = Form::other;
          break;
        case Kind::Unary: {
          const UnaryOp op = step.unary;
          const Form inside = stack.back();
          if (op == UnaryOp::Abs) note(i, inside, inside, Touch::nothing);
          if (op == UnaryOp::Sqrt) note(i, inside, inside, Touch::kink);
          if (op == UnaryOp::Log) note(i, inside, inside, Touch::pole);
          if (op == UnaryOp::Tan) note(i, inside, Form::other, Touch::pole);
          if (op == UnaryOp::Asin || op == UnaryOp::Acos) note(i, inside, Form::other, Touch::kink);
          stack.back() = form_of(op, stack.back());
          break;
        }
        case Kind::Binary: {
          const Form b = stack.back();
          stack.pop_back();
          const Form a = stack.back(), larger = std::max(a, b);
          const BinaryOp op = step.binary;
          if (op == BinaryOp::Min || op == BinaryOp::Max) note(i, larger, larger, Touch::nothing);
          if (op == BinaryOp::Divide) note(i, b, b, Touch::pole);
          if (op == BinaryOp::Power) note(i, a, a, Touch::kink);
          if (op == BinaryOp::Atan2) note(i, a, a, Touch::jump);
          if (op == BinaryOp::Atan2) note(i, b, b, Touch::nothing, true);
          stack.back() = form_of(op, a, b);
          break;
        }
      }
    }
    form_ = stack.back();
  }

  const std::vector<Switch>& all() const { return all_; }
  Form form() const { return form_; }

  // The switch at a moment. T: double, or a dual for its rate.
  template <class T> T value(const Switch& of, const T& t) const {
    std::vector<T>& stack = scratch<T>();
    stack.clear();
    for (std::size_t i = 0; i < of.at; ++i) run(program_[i], t, stack);
    const Instruction& step = program_[of.at];
    const T last = stack.back();
    if (step.kind == Kind::Unary) {
      if (step.unary == UnaryOp::Tan) return cos(last);
      if (step.unary == UnaryOp::Asin || step.unary == UnaryOp::Acos) return T(1.0) - last * last;
      return last;
    }
    if (step.kind == Kind::IntegerPower || step.binary == BinaryOp::Divide || of.is_x) return last;
    const T first = stack[stack.size() - 2];
    return step.binary == BinaryOp::Min || step.binary == BinaryOp::Max ? T(first - last) : first;
  }

 private:
  // `inside` of the function; of its switch the form is another where it is made of that.
  void note(std::size_t at, Form inside, Form of_switch, Touch touch, bool is_x = false) {
    if (inside != Form::constant) all_.push_back({at, touch, of_switch <= Form::straight, is_x});
  }

  template <class T> static std::vector<T>& scratch() {
    static thread_local std::vector<T> stack;
    return stack;
  }

  template <class T> static void run(const Instruction& step, const T& t, std::vector<T>& stack) {
    switch (step.kind) {
      case Kind::Constant:
        stack.push_back(T(value_of(step.constant)));
        break;
      case Kind::Name:
        stack.push_back(t);
        break;
      case Kind::IntegerPower:
        stack.back() = expression_detail::integer_power<T>(stack.back(), step.integer);
        break;
      case Kind::Unary:
        stack.back() = expression_detail::apply<T>(step.unary, stack.back());
        break;
      case Kind::Binary: {
        const T last = stack.back();
        stack.pop_back();
        stack.back() = expression_detail::apply<T>(step.binary, stack.back(), last);
        break;
      }
    }
  }

  std::span<const Instruction> program_;
  std::vector<Switch> all_;
  Form form_ = Form::constant;
};

int sign(double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; }

// Of a function of a moment that has one sign at `low` and not at `high`: the last moment with it, to the last digit.
template <class Sign> double last_with(const Sign& sign_at, double low, double high) {
  const int wanted = sign_at(low);
  while (true) {
    const double middle = low + 0.5 * (high - low);
    if (!(middle > low && middle < high)) return low;
    (sign_at(middle) == wanted ? low : high) = middle;
  }
}

class BreakFinder {
 public:
  BreakFinder(const Expression& of_time, const Levels& levels, double from, double to)
      : of_time_(of_time), switches_(of_time), test_(levels, from, to), from_(from), to_(to) {}

  std::vector<TimeBreak> find() {
    for (const Switch& each : switches_.all()) {
      merge_breaks(found_);
      look(each);
    }
    merge_breaks(found_);
    return std::move(found_);
  }

 private:
  // From the inside out, so that what an outer switch does at the kinks of inner ones is seen.
  void look(const Switch& of) {
    std::vector<double> t = moments(of);
    std::vector<double> value(t.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      value[i] = switches_.value<double>(of, t[i]);
      if (std::isfinite(value[i])) largest = std::max(largest, std::abs(value[i]));
    }
    std::size_t last = t.size();  // with a sign
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (sign(value[i]) == 0) continue;
      if (last < t.size() && sign(value[last]) != sign(value[i])) cross(of, t[last], t[i]);
      last = i;
    }
    if (of.straight) return;
    for (std::size_t i = 1; i + 1 < t.size(); ++i) turn(of, &t[i], &value[i], largest);
  }

  std::vector<double> moments(const Switch& of) const {
    std::vector<double> t;
    const long parts = of.straight ? 1 : tolerances::time_samples;
    t.reserve(static_cast<std::size_t>(parts) + 1 + 2 * found_.size());
    for (long i = 0; i <= parts; ++i)
      t.push_back(from_ + (to_ - from_) * static_cast<double>(i) / static_cast<double>(parts));
    for (const TimeBreak& each : found_) {
      t.push_back(each.before);
      t.push_back(each.after);
    }
    std::sort(t.begin(), t.end());
    t.erase(std::unique(t.begin(), t.end()), t.end());
    return t;
  }

  // The switch has one sign at the first moment and the other at the second.
  void cross(const Switch& of, double first, double second) {
    const auto sign_at = [&](double t) { return sign(switches_.value<double>(of, t)); };
    const auto sign_back = [&](double t) { return sign(switches_.value<double>(of, -t)); };
    const double before = last_with(sign_at, first, second), after = -last_with(sign_back, -second, -before);
    const Instruction& step = of_time_.program()[of.at];
    if (step.kind == Kind::Binary && step.binary == BinaryOp::Atan2 && !test_.jumps(before, after)) return;
    // Zero for a while: the ends of that are kinks of what is inside.
    if (after - before > tolerances::same_moment * (to_ - from_)) {
      add(before, before);
      add(after, after);
    } else {
      add(before, after);
    }
  }

  // Three moments around one where the switch comes nearest to zero, without a change of sign at any of them.
  void turn(const Switch& of, const double* t, const double* value, double largest) {
    const double a = std::abs(value[-1]), b = std::abs(value[0]), c = std::abs(value[1]);
    if (!(b <= a && b <= c && (b < a || b < c)) || sign(value[-1]) != sign(value[1])) return;
    if (b == 0.0) return touch(of, t[0], t);
    if (sign(value[0]) != sign(value[1]) || b > tolerances::far_from_zero * (std::max(a, c) - b)) return;
    const auto slope_at = [&](double x) {
      return sign(switches_.value<Dual<double>>(of, Dual<double>(x, 1.0)).derivative);
    };
    if (slope_at(t[-1]) == slope_at(t[1])) return;
    const double turn = last_with(slope_at, t[-1], t[1]), there = switches_.value<double>(of, turn);
    if (sign(there) == -sign(value[0])) {
      cross(of, t[-1], turn);
      cross(of, turn, t[1]);
    } else if (std::abs(there) <= tolerances::touches_zero * largest) {
      touch(of, turn, t);
    }
  }

  void touch(const Switch& of, double turn, const double* t) {
    const bool is_break = of.touch == Touch::kink || (of.touch == Touch::jump && test_.jumps(turn, turn)) ||
                          (of.touch == Touch::pole && test_.end_at(turn, turn - t[-1], t[1] - turn));
    if (is_break) add(turn, turn);
  }

  void add(double before, double after) {
    if (after >= from_ && before <= to_) found_.push_back(test_.around(before, after));
  }

  const Expression& of_time_;
  Switches switches_;
  JumpTest test_;
  double from_, to_;
  std::vector<TimeBreak> found_;
};

bool has_kinks(const Expression& of_time) { return !Switches(of_time).all().empty(); }

}  // namespace

JumpTest::JumpTest(Levels levels, double from, double to) : levels_(std::move(levels)), whole_(to - from) {
  constexpr int parts = 256;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Jet<double> least{infinite, infinite, infinite}, most{-infinite, -infinite, -infinite};
  const auto see = [](double value, double& low, double& high) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (int i = 0; i <= parts; ++i) {
    const Jet<double> x = levels_(from + (to - from) * i / parts);
    see(x.value, least.value, most.value);
    see(x.rate, least.rate, most.rate);
    see(x.acceleration, least.acceleration, most.acceleration);
  }
  const auto range = [](double low, double high) { return high >= low ? high - low : 0.0; };
  range_ = {range(least.value, most.value), range(least.rate, most.rate), range(least.acceleration, most.acceleration)};
}

bool JumpTest::jumps(double before, double after) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const Jet<double> a = levels_(std::nextafter(before, -infinite)), b = levels_(std::nextafter(after, infinite));
  const Jet<double> middle = levels_(before + 0.5 * (after - before));
  const auto apart = [](double x, double y, double between, double range) {
    const double size = std::max({range, std::abs(x), std::abs(y)});
    // In the middle may be 0/0, or atan2(0, x) between two negative angles.
    return !(std::abs(x - y) <= tolerances::time_jump * size) ||
           !(std::abs(between - x) <= tolerances::lone_value * size);
  };
  return apart(a.value, b.value, middle.value, range_.value) || apart(a.rate, b.rate, middle.rate, range_.rate) ||
         apart(a.acceleration, b.acceleration, middle.acceleration, range_.acceleration);
}

TimeBreak JumpTest::around(double before, double after) const {
  if (!jumps(before, after)) {
    const double middle = before + 0.5 * (after - before);
    return {middle, middle};
  }
  // So that a sum of a time and a step that ends here does not round to the other side.
  const auto ulps = [](double t) { return 4.0 * std::numeric_limits<double>::epsilon() * std::abs(t); };
  return {before - ulps(before), after + ulps(after)};
}

std::vector<TimeBreak> find_breaks(const Expression& of_time, const Levels& levels, double from, double to) {
  if (of_time.is_constant() || !(from < to) || !has_kinks(of_time)) return {};
  return BreakFinder(of_time, levels, from, to).find();
}

bool may_have_peaks(const Expression& of_time) { return Switches(of_time).form() == Form::other; }

void merge_breaks(std::vector<TimeBreak>& breaks) {
  std::sort(breaks.begin(), breaks.end(), [](const TimeBreak& a, const TimeBreak& b) { return a.before < b.before; });
  std::vector<TimeBreak> merged;
  for (const TimeBreak& each : breaks) {
    const double ulps = 4.0 * std::numeric_limits<double>::epsilon() * std::abs(each.before);
    if (!merged.empty() && each.before <= merged.back().after + ulps) {
      TimeBreak& last = merged.back();
      const bool jump = last.is_jump() || each.is_jump();
      if (jump) last = {std::min(last.before, each.before), std::max(last.after, each.after)};
    } else {
      merged.push_back(each);
    }
  }
  breaks = std::move(merged);
}

}  // namespace tandem
