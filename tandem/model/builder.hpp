// The C++ builder: the same things as a model file, the same checks, the same messages.
//
//   Builder build;
//   build.body({.name = "rod", .mass = 1.0, .shapes = {Shape::rod(1.0)}, .position = {0.5, 0, 0}});
//   build.joint({.name = "hinge", .type = Revolute{}, .bodies = {"world", "rod"}, .point = Vector3(0, 0, 0),
//                .axis = Vector3(0, 1, 0)});
//   const Model model = build.finish();   // throws ModelError with every fault
#pragma once

#include "tandem/model/model.hpp"

namespace tandem {

// Checks a description and makes the model. Faults are added to `faults`; the model is usable only without errors.
Model compile(const ModelDescription& description, Faults& faults);

// Of what a fault in a start is: start "frame.lean"
std::string start_label(const StartDescription& start);

class Builder {
 public:
  explicit Builder(std::string name = "model") { description_.name = std::move(name); }

  Builder& gravity(const Vector3& g);
  Builder& world_frame(FrameDescription frame);
  Builder& body(BodyDescription body);
  Builder& joint(JointDescription joint);
  Builder& constraint(ConstraintDescription constraint);
  Builder& force(ForceDescription force);
  Builder& drive(DriveDescription drive);
  Builder& output(OutputDescription output);
  Builder& parameter(std::string name, Real value);  // a number that stop conditions may name
  Builder& stop(StopDescription stop);
  Builder& start(StartDescription start);
  Builder& steady(SteadyDescription steady);
  Builder& linearize(LinearizeDescription linearize);
  Builder& simulation(SimulationDescription simulation);

  const ModelDescription& description() const { return description_; }
  Model finish() const;

 private:
  ModelDescription description_;
};

}  // namespace tandem
