#include "tandem/model/builder.hpp"

namespace tandem {

Builder& Builder::gravity(const Vector3& g) {
  description_.gravity = g;
  return *this;
}
Builder& Builder::world_frame(FrameDescription frame) {
  description_.world_frames.push_back(std::move(frame));
  return *this;
}
Builder& Builder::body(BodyDescription body) {
  description_.bodies.push_back(std::move(body));
  return *this;
}
Builder& Builder::joint(JointDescription joint) {
  description_.joints.push_back(std::move(joint));
  return *this;
}
Builder& Builder::constraint(ConstraintDescription constraint) {
  description_.constraints.push_back(std::move(constraint));
  return *this;
}
Builder& Builder::force(ForceDescription force) {
  description_.forces.push_back(std::move(force));
  return *this;
}
Builder& Builder::drive(DriveDescription drive) {
  description_.drives.push_back(std::move(drive));
  return *this;
}
Builder& Builder::output(OutputDescription output) {
  description_.outputs.push_back(std::move(output));
  return *this;
}
Builder& Builder::parameter(std::string name, Real value) {
  description_.parameters.emplace_back(std::move(name), value);
  return *this;
}
Builder& Builder::stop(StopDescription stop) {
  description_.stops.push_back(std::move(stop));
  return *this;
}
Builder& Builder::start(StartDescription start) {
  description_.starts.push_back(std::move(start));
  return *this;
}
Builder& Builder::steady(SteadyDescription steady) {
  description_.steady = std::move(steady);
  return *this;
}
Builder& Builder::linearize(LinearizeDescription linearize) {
  description_.linearize = std::move(linearize);
  return *this;
}
Builder& Builder::simulation(SimulationDescription simulation) {
  description_.simulation = std::move(simulation);
  return *this;
}

Model Builder::finish() const {
  Faults faults;
  Model model = compile(description_, faults);
  if (faults.any_error()) throw ModelError(std::move(faults));
  return model;
}

}  // namespace tandem
