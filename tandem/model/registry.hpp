// The registry: which types a model file may name. A program adds its own beside those of the library.
//
//   Registry registry = Registry::standard();
//   registry.add_joint<MyJoint>().add_force<MyForce>();   // structs that meet the contracts, with `type` and `read`
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/constraints/constraint.hpp"
#include "tandem/drives/drive.hpp"
#include "tandem/forces/force.hpp"
#include "tandem/joints/joint.hpp"

namespace tandem {

// Type name → how one is read. A name added twice means the later one, so that a program may replace a type.
template <class Thing> class Factories {
 public:
  using Factory = std::function<Thing(Properties&)>;

  void add(std::string_view type, Factory factory) {
    factories_.insert_or_assign(std::string(type), std::move(factory));
    own_.emplace(type);
  }
  // What is added up to now is the library's; what comes later is the program's own, also under a name of the library.
  void end_of_library() { own_.clear(); }
  bool is_own(std::string_view type) const { return own_.contains(type); }
  const Factory* find(std::string_view type) const {
    const auto found = factories_.find(type);
    return found == factories_.end() ? nullptr : &found->second;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : factories_) result.push_back(entry.first);
    return result;
  }

 private:
  std::map<std::string, Factory, std::less<>> factories_;
  std::set<std::string, std::less<>> own_;
};

using JointFactory = Factories<Joint>::Factory;
using ConstraintFactory = Factories<Constraint>::Factory;
using ForceFactory = Factories<Force>::Factory;
using DriveFactory = Factories<Drive>::Factory;

class Registry {
 public:
  static Registry standard();  // everything the library has

  template <class J> Registry& add_joint() {
    joints.add(J::type, [](Properties& properties) { return Joint(J::read(properties)); });
    return *this;
  }
  template <class C> Registry& add_constraint() {
    constraints.add(C::type, [](Properties& properties) { return Constraint(C::read(properties)); });
    return *this;
  }
  template <class F> Registry& add_force() {
    forces.add(F::type, [](Properties& properties) { return Force(F::read(properties)); });
    return *this;
  }
  template <class D> Registry& add_drive() {
    drives.add(D::type, [](Properties& properties) { return Drive(D::read(properties)); });
    return *this;
  }

  Factories<Joint> joints;
  Factories<Constraint> constraints;  // between two bodies; relations of joint coordinates are the reader's own
  Factories<Force> forces;
  Factories<Drive> drives;
};

}  // namespace tandem
