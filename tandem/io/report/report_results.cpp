// A report of a result file: its model, read from its attributes or guessed from its columns, and its rows with the
// reactions computed anew, which a result file does not hold.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "tandem/io/model/model_file.hpp"
#include "tandem/io/report/report.hpp"

namespace tandem {

namespace {

// Texts of `about` in cli/runner.cpp.
Model model_from_text(const ResultTable& table, const std::string& text) {
  ReadOptions options;
  options.limits = ReadLimits::of_accepted_text();
  constexpr std::string_view mark = "parameter ";
  for (const auto& [name, value] : table.attributes) {
    double number = 0.0;
    if (name.starts_with(mark) && std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc())
      options.set.emplace_back(name.substr(mark.size()), number);
  }
  Model model = read_model(text, table.attribute("model").value_or("results") + ".toml", options);
  const auto take = [&]<class E>(Choice<E>& into) {
    const std::string name(Words<E>::what);
    const std::optional<std::string> word = table.attribute(name);
    if (!word) return;
    try {
      into = *word;
    } catch (const std::invalid_argument& error) {
      throw FileError(error.what());
    }
  };
  take(model.setup.method);
  take(model.setup.cut);
  take(model.setup.integrator);
  take(model.setup.stabilisation);
  if (model.setup.cut == Cut::all) take(model.setup.coordinates);  // else they are those of the joints
  return model;
}

// BODY.x, .y, .z beside each other are a body; followed by .qx it is no point mass.
Model model_from_columns(const ResultTable& table, const std::string& name) {
  Model model;
  model.name = model.title = name;
  const auto ends = [&](std::size_t i, const std::string& body, const char* part) {
    return i < table.columns.size() && table.columns[i].name == body + part;
  };
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].name.ends_with(".x")) continue;
    const std::string body = table.columns[i].name.substr(0, table.columns[i].name.size() - 2);
    if (!ends(i + 1, body, ".y") || !ends(i + 2, body, ".z")) continue;
    Body found;
    found.name = body;
    found.point_mass = !ends(i + 3, body, ".qx");
    model.bodies.push_back(std::move(found));
  }
  return model;
}

// The state of a row, as far as the columns tell it.
class RowState {
 public:
  RowState(const Model& model, const ResultTable& table) : table_(table), state_(start_state(model)) {
    t_ = column("t");
    for (const Body& body : model.bodies) {
      const int q = state_.parts.q.first + body.q_first, v = state_.parts.v.first + body.v_first;
      const int turn = body.point_mass ? 0 : 4, spin = body.point_mass ? 0 : 3;
      const char* axes[] = {"x", "y", "z"};
      for (int k = 0; k < 3; ++k) {
        take(fmt::format("{}.{}", body.name, axes[k]), state_.x, q + turn + k);
        take(fmt::format("{}.v{}", body.name, axes[k]), state_.x, v + spin + k);
        if (body.point_mass) continue;
        take(fmt::format("{}.q{}", body.name, axes[k]), state_.x, q + k);
        take(fmt::format("{}.w{}", body.name, axes[k]), state_.x, v + k);
      }
      if (!body.point_mass) take(body.name + ".qw", state_.x, q + 3);
    }
    for (const ModelJoint& joint : model.joints) {  // how often they have turned
      if (!joint.joint()) continue;
      const auto& coordinates = joint.joint()->traits().coordinates;
      for (std::size_t k = 0; k < coordinates.size(); ++k)
        if (table.find(fmt::format("{}.{}", joint.name, coordinates[k].name)))
          take(fmt::format("{}.{}", joint.name, coordinates[k].name), state_.d,
               state_.parts.angles.first + joint.turns_first + static_cast<int>(k));
    }
  }
  const State& at(std::size_t row) {
    state_.t = table_.value(row, t_);
    for (const Take& each : takes_) (*each.into)[each.index] = table_.value(row, each.column);
    return state_;
  }

 private:
  struct Take {
    std::size_t column;
    Eigen::VectorXd* into;
    Eigen::Index index;
  };
  std::size_t column(const std::string& name) const {
    const auto found = table_.find(name);
    if (!found) throw FileError(fmt::format("the results have no column \"{}\": they are not of this model", name));
    return *found;
  }
  void take(const std::string& name, Eigen::VectorXd& into, Eigen::Index index) {
    takes_.push_back({column(name), &into, index});
  }

  const ResultTable& table_;
  State state_;
  std::size_t t_ = 0;
  std::vector<Take> takes_;
};

// The reactions at a state; nothing once they cannot be found.
class Reactions {
 public:
  explicit Reactions(const Model& model) : model_(model), unique_(model) {
    if (model.joints.empty() && model.constraints.empty()) return;
    try {
      simulation_ = std::make_unique<Simulation>(model, StartOptions{.assemble = true});
    } catch (const std::exception&) {  // a start that does not do says nothing about the rows
      simulation_.reset();
    }
  }
  bool known() const { return simulation_ != nullptr; }
  const Uniqueness& unique() const { return unique_.of_all(); }
  void add(const State& bodies, std::vector<double>& out) {
    const std::size_t size = out.size();
    try {
      simulation_->set_bodies(bodies);
      report_reactions(model_, *simulation_, out);
      unique_.row(simulation_->workspace(), simulation_->solution().rank);
    } catch (const NumericalError&) {
      out.resize(size);
      out.resize(size + 6 * model_.joints.size() + 9 * model_.constraints.size(), 0.0);
    }
  }

 private:
  const Model& model_;
  std::unique_ptr<Simulation> simulation_;
  UniquenessRecord unique_;
};

}  // namespace

Model model_of_results(const ResultTable& table, const std::string& name) {
  const std::optional<std::string> text = table.attribute("model_text");
  return text && !text->empty() ? model_from_text(table, *text) : model_from_columns(table, name);
}

ReportTable report_of_results(const Model& model, const ResultTable& table) {
  const auto time = table.find("t");
  if (!time) throw FileError("the results have no column \"t\", the time; those of tandem run have one");
  for (const Body& body : model.bodies)
    if (!table.find(body.name + ".x"))
      throw FileError(fmt::format("the results have no body \"{}\": they are not of this model", body.name));
  std::vector<ResultColumn> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (i != *time) columns.push_back(table.columns[i]);
  Reactions reactions(model);
  std::optional<RowState> state;  // a model that was guessed has none
  if (reactions.known()) {
    state.emplace(model, table);
    const std::vector<ResultColumn> all = report_columns(model);
    const std::size_t more = 6 * model.joints.size() + 9 * model.constraints.size();
    columns.insert(columns.end(), all.end() - static_cast<std::ptrdiff_t>(more), all.end());
  }
  ReportTable out(std::move(columns));
  std::vector<double> values;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    values.assign(1, table.value(row, *time));
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (i != *time) values.push_back(table.value(row, i));
    if (reactions.known()) reactions.add(state->at(row), values);
    out.row(values);
  }
  if (reactions.known()) out.mark_not_unique(model, reactions.unique());
  return out;
}

}  // namespace tandem
