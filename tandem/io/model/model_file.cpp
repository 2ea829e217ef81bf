#include "tandem/io/model/model_file.hpp"

#include <fmt/format.h>

#include "tandem/base/suggest.hpp"
#include "tandem/io/model/model_reader.hpp"
#include "tandem/io/model/read_text.hpp"
#include "tandem/io/model/table_files.hpp"
#include "tandem/io/model/within_limits.hpp"
#include "tandem/io/model/write_document.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {

static constexpr int known_format = 1;

std::string ModelReader::begin(const char* kind, TableReader& reader) {
  std::string name = reader.text("name", "");
  faults_.about_table(name.empty() ? kind : fmt::format("{} \"{}\"", kind, name), reader.source());
  return name;
}

std::vector<const Node*> ModelReader::tables(TableReader& top, std::string_view key) {
  std::vector<const Node*> result;
  const Node* node = top.find(key);
  if (!node) return result;
  faults_.about("", node->key_where);
  if (node->is(Node::Kind::table)) {
    faults_.error_at(node->where, fmt::format("write [[{0}]] instead of [{0}]: there may be several", key));
    result.push_back(node);
  } else if (!node->is(Node::Kind::list)) {
    top.fault(key, fmt::format("{0} must be given in [[{0}]] tables, not as {1}", key, node->kind_name()));
  } else {
    for (const Node& item : node->items) {
      if (item.is(Node::Kind::table))
        result.push_back(&item);
      else
        top.fault_at(item.where, key, fmt::format("each {} must be a table, not {}", key, item.kind_name()));
    }
  }
  return result;
}

void ModelReader::read_each(TableReader& top, std::string_view key, void (ModelReader::*read_one)(const Node& table)) {
  for (const Node* table : tables(top, key)) {
    if (faults_.is_full()) return;
    (this->*read_one)(*table);
  }
}

bool ModelReader::format_is_known(TableReader& top) {
  const Node* format = top.find("format");
  if (!format) {
    faults_.error_at({file_, 1, 1}, fmt::format("format is missing; begin the file with: format = {}", known_format));
    return true;  // most likely forgotten, and the rest deserves a look
  }
  if (format->is(Node::Kind::number) && format->number == known_format) return true;
  const std::string seen = format->is(Node::Kind::number) ? fmt::format("{}", format->number) : format->kind_name();
  top.fault("format", fmt::format("format must be {}, the only one that this version of Tandem reads, not {}",
                                  known_format, seen));
  return !format->is(Node::Kind::number);
}

std::vector<BodyDescription> ModelReader::read_bodies() {
  TableReader top(root_, parameters_, faults_);
  parameters_ =
      Parameters(top.find("parameters"), options_.set, file_, faults_, options_.limits.expression, evaluated_);
  read_each(top, "body", &ModelReader::read_body);
  return std::move(out_.bodies);
}

ModelDescription ModelReader::read() {
  TableReader top(root_, parameters_, faults_);
  faults_.about("", {file_, 0, 0});
  out_.file = file_;
  out_.expression_limits = options_.limits.expression;
  out_.name = top.text("name", std::filesystem::path(file_).stem().string());
  out_.title = top.text("title", "");
  top.text("$schema", "");  // for editors
  if (!format_is_known(top)) {
    out_.source = top.source();
    return std::move(out_);
  }
  parameters_ =
      Parameters(top.find("parameters"), options_.set, file_, faults_, options_.limits.expression, evaluated_);
  out_.parameters = parameters_.values();
  faults_.about("", {file_, 0, 0});
  out_.gravity = top.vector("gravity", out_.gravity);
  read_each(top, "world_frame", &ModelReader::read_world_frame);
  read_each(top, "body", &ModelReader::read_body);
  read_each(top, "joint", &ModelReader::read_joint);
  read_each(top, "constraint", &ModelReader::read_constraint);
  read_each(top, "force", &ModelReader::read_force);
  read_each(top, "drive", &ModelReader::read_drive);
  read_each(top, "output", &ModelReader::read_output);
  read_each(top, "stop", &ModelReader::read_stop);
  read_each(top, "start", &ModelReader::read_start);
  read_steady(top);
  read_linearize(top);
  read_simulation(top);
  faults_.about("", {file_, 0, 0});
  top.finish();
  out_.source = top.source();
  for (const char* key : {"name", "title", "gravity"}) out_.source.refused.erase(key);
  return std::move(out_);
}

void ModelReader::read_output(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  OutputDescription out;
  out.name = begin("output", reader);
  out.quantity = reader.text("quantity");
  out.body = reader.text("body", "");
  out.joint = reader.text("joint", "");
  out.constraint = reader.text("constraint", "");
  out.coordinate = reader.text("coordinate", "");
  out.component = reader.text("component", "");
  out.point = reader.optional_vector("point");
  reader.finish();
  out.source = reader.source();
  out_.outputs.push_back(std::move(out));
}

void ModelReader::read_stop(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  StopDescription out;
  out.name = begin("stop", reader);
  out.when = reader.text("when");
  reader.finish();
  out.source = reader.source();
  // For faults inside the text: where it begins. Not known when it spans lines.
  if (const Node* when = table.find("when"); when && when->text_where.line > 0)
    out.source.keys.set("when[text]", when->text_where);
  out_.stops.push_back(std::move(out));
}

// [simulation.impulses]
static void read_impulses(TableReader& simulation, ImpulseOptions& out) {
  const Node* table = simulation.find("impulses");
  if (!table) return;
  if (!table->is(Node::Kind::table))
    return simulation.fault("impulses",
                            fmt::format("impulses must be a table [simulation.impulses], not {}", table->kind_name()));
  TableReader reader(*table, simulation.parameters(), simulation.faults());
  const auto whole = [&](std::string_view key, int otherwise) {
    const double value = value_of(reader.number(key, otherwise));
    if (value == std::round(value) && std::abs(value) < 1e9) return static_cast<int>(value);
    reader.fault(key, fmt::format("{} must be a whole number, not {}", key, value));
    return otherwise;
  };
  out.iterations = whole("iterations", out.iterations);
  out.substeps = whole("substeps", out.substeps);
  out.baumgarte = value_of(reader.number("baumgarte", out.baumgarte));
  out.position_iterations = whole("position_iterations", out.position_iterations);
  out.slop = value_of(reader.number("slop", out.slop));
  out.largest_correction = value_of(reader.number("largest_correction", out.largest_correction));
  out.warm_start = reader.flag("warm_start", out.warm_start);
  reader.finish();
  out.source = reader.source();
  if (!reader.is_sound()) simulation.refuse("impulses");
}

void ModelReader::read_simulation(TableReader& top) {
  const Node* table = top.find("simulation");
  if (!table) return;
  if (!table->is(Node::Kind::table)) {
    faults_.about("simulation", table->where);
    return faults_.error(fmt::format("simulation must be a table [simulation], not {}", table->kind_name()));
  }
  TableReader reader(*table, parameters_, faults_);
  faults_.about("simulation", table->where);
  SimulationDescription& out = out_.simulation;
  out.method = reader.text("method", out.method);
  out.integrator = reader.text("integrator", out.integrator);
  // How a run is made is no part of the machine: values alone.
  out.step = value_of(reader.number("step", out.step));
  out.duration = value_of(reader.number("duration", out.duration));
  out.stabilisation = reader.text("stabilisation", out.stabilisation);
  out.coordinates = reader.text("coordinates", out.coordinates);
  out.cut = reader.text("cut", out.cut);
  if (const auto alpha = reader.optional_number("alpha")) out.alpha = value_of(*alpha);
  if (const auto beta = reader.optional_number("beta")) out.beta = value_of(*beta);
  if (const auto time = reader.optional_number("time_constant")) {
    if (reader.find("alpha") || reader.find("beta"))
      reader.fault("time_constant", "give time_constant, or alpha and beta, not both");
    if (const double seconds = value_of(*time); seconds > 0.0) {
      out.alpha = 2.0 / seconds;
      out.beta = 1.0 / (seconds * seconds);
    } else {
      reader.fault("time_constant", "time_constant must be positive" + not_this(seconds));
    }
  }
  out.tolerance = value_of(reader.number("tolerance", out.tolerance));
  if (const auto longest = reader.optional_number("max_step")) out.max_step = value_of(*longest);
  read_impulses(reader, out.impulses);
  reader.finish();
  out.source = reader.source();
}

void tell_unknown_type(TableReader& reader, const char* kind, const std::string& type, std::vector<std::string> names) {
  if (!reader.has("type"))
    return reader.fault("type", fmt::format("type is missing; a {} is {}", kind, list_of(names)));
  std::string hint = did_you_mean(type, names);
  if (hint.empty()) hint = "; known are " + list_of(names);
  reader.fault("type", fmt::format("there is no {} type \"{}\"{}", kind, type, hint));
}

// Which body a tree hangs from is a matter of the file, not of what is set: forest.hpp.
static void note_own_masses(const Node& root, const std::string& file_name, const ReadOptions& options,
                            ModelDescription& out) {
  ReadOptions as_written = options;
  as_written.set.clear();
  Faults unheard;  // what is set may be there to mend them
  const std::vector<BodyDescription> bodies = ModelReader(root, file_name, as_written, unheard).read_bodies();
  if (unheard.any_error() || bodies.size() != out.bodies.size()) return;
  for (std::size_t i = 0; i < bodies.size(); ++i) out.bodies[i].own_mass = mass_of(bodies[i]);
}

static ModelDescription describe(const Node* root, const std::string& file_name, const ReadOptions& options,
                                 Faults& faults) {
  if (root) {
    ModelDescription out = ModelReader(*root, file_name, options, faults).read();
    if (!options.set.empty()) note_own_masses(*root, file_name, options, out);
    return out;
  }
  ModelDescription nothing;
  nothing.file = file_name;
  nothing.source.refused.insert("format");
  return nothing;
}

namespace {

// What the text says, and the text with the tables of other files put in, to be read without them.
struct WholeDocument {
  std::optional<Node> root{};
  std::string text{};
};

WholeDocument parse_whole(std::string_view text, const std::string& file_name, const ReadOptions& options,
                          Faults& faults) {
  WholeDocument out{parse_document(text, file_name, options.limits, faults), std::string(text)};
  if (out.root) faults.about("", out.root->where);
  if (out.root && !without_controls(*out.root, faults)) out.root.reset();
  if (out.root && put_in_table_files(*out.root, file_name, options, faults))
    out.text = is_json(text, file_name) ? write_json(*out.root) : write_toml(*out.root);
  return out;
}

}  // namespace

ModelDescription read_description(std::string_view text, const std::string& file_name, const ReadOptions& options,
                                  Faults& faults) {
  const WholeDocument document = parse_whole(text, file_name, options, faults);
  return describe(document.root ? &*document.root : nullptr, file_name, options, faults);
}

// Types that the program added to the registry, as far as the model uses them.
static std::vector<std::string> own_types(const Model& model, const Registry& registry) {
  std::vector<std::string> out;
  const auto add = [&](bool own, const char* kind, std::string_view type) {
    if (own) out.push_back(fmt::format("{} type \"{}\"", kind, type));
  };
  for (const ModelJoint& each : model.joints) add(registry.joints.is_own(each.type_name()), "joint", each.type_name());
  for (const ModelConstraint& each : model.constraints)
    add(registry.constraints.is_own(each.type), "constraint", each.type);
  for (const ModelForce& each : model.forces)
    add(registry.forces.is_own(each.force.type()), "force", each.force.type());
  for (const ModelDrive& each : model.drives)
    add(registry.drives.is_own(each.drive.type()), "drive", each.drive.type());
  return out;
}

static Model checked(const ModelDescription& description, std::string_view text, const ReadOptions& options,
                     Faults faults) {
  Model model;
  // Without a whole kind of tables the rest would be blamed for what it cannot find.
  if (description.source.refused.empty()) model = compile(description, faults);
  faults.finish(description.file);
  if (faults.any_error()) throw ModelError(std::move(faults));
  model.warnings = faults.list();
  model.text = text;
  model.set = options.set;
  model.own_types = own_types(model, options.registry);
  return model;
}

Model read_model(std::string_view text, const std::string& file_name, const ReadOptions& options) {
  Faults faults;
  const WholeDocument document = parse_whole(text, file_name, options, faults);
  const ModelDescription description = describe(document.root ? &*document.root : nullptr, file_name, options, faults);
  return checked(description, document.text, options, std::move(faults));
}

ParsedModel::ParsedModel(std::string text, std::string file_name, const ReadLimits& limits)
    : text_(std::move(text)), file_name_(std::move(file_name)) {
  Faults faults;
  ReadOptions options;
  options.limits = limits;
  WholeDocument document = parse_whole(text_, file_name_, options, faults);
  if (!document.root || faults.any_error()) return;
  remember_places(*document.root);
  root_ = std::make_unique<const Node>(std::move(*document.root));
}

ParsedModel::~ParsedModel() = default;

Model ParsedModel::read(const ReadOptions& options) const {
  if (!root_) return read_model(text_, file_name_, options);  // which tells why
  Faults faults;
  const ModelDescription description = describe(root_.get(), file_name_, options, faults);
  return checked(description, text_, options, std::move(faults));
}

Model load_model(const std::filesystem::path& path, const ReadOptions& options) {
  return read_model(read_text(path, options.limits.file, "--limit file=BYTES"), path.string(), options);
}

}  // namespace tandem
