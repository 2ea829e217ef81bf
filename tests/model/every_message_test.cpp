// Whatever the reader, the grammar of expressions and the checks of a model can say, some broken model makes them say.
// The messages are found in the sources; those without a case are listed.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "support/broken_model.hpp"
#include "support/source_messages.hpp"
#include "tandem/constraints/point_on_curve.hpp"
#include "tandem/drives/ramp.hpp"
#include "tandem/drives/table.hpp"
#include "tandem/joints/revolute.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Texts that are told to nobody: what the TOML library says, by which it is understood, and what only a mistake of
// Tandem itself would tell.
const std::vector<std::string> not_messages{"not representable in 64 bits", "maximum nested value depth",
                                            "Error while parsing ",         "cannot redefine existing",
                                            "there is no row {}",           "one axis per coordinate"};

std::vector<SourceMessage> all_messages() {
  std::vector<fs::path> files{TANDEM_SOURCE_DIR "/tandem/base/expression.cpp",
                              TANDEM_SOURCE_DIR "/tandem/base/faults.cpp",
                              TANDEM_SOURCE_DIR "/tandem/base/suggest.cpp"};
  for (const char* name :
       {"document", "json_document", "model_file", "parameters", "read_bodies", "read_constraints", "read_joints",
        "read_starts", "read_steady", "read_text", "table_files", "table_reader", "toml_scan", "within_limits"})
    files.emplace_back(fs::path(TANDEM_SOURCE_DIR "/tandem/io/model") / (std::string(name) + ".cpp"));
  files.emplace_back(TANDEM_SOURCE_DIR "/tandem/io/model/model_reader.hpp");
  for (const char* folder : {"model", "joints", "constraints", "forces", "drives"})
    for (const auto& entry : fs::directory_iterator(fs::path(TANDEM_SOURCE_DIR "/tandem") / folder))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<SourceMessage> out;
  for (const fs::path& file : files) {
    const std::vector<SourceMessage> some = messages_in(file);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

template <class Read> void listen(std::vector<std::string>& told, const Read& read) {
  try {
    read();
    ADD_FAILURE() << "was accepted";
  } catch (const ModelError& error) {
    for (const Fault& fault : error.faults().list()) told.push_back(fault.message);
  } catch (const std::runtime_error& error) {
    told.emplace_back(error.what());
  }
}

// What can be done wrong only in C++: a file cannot even say it.
void listen_to_builders(std::vector<std::string>& told) {
  const BodyDescription rod{.name = "rod", .mass = 1.0, .inertia = {{0.1, 0.1, 0.1, 0.0, 0.0, 0.0}}};
  const auto refused = [&](const Builder& build) { listen(told, [&] { build.finish(); }); };
  BodyDescription body = rod;
  body.position.x() = nan;
  body.rotation.setZero();
  refused(Builder().gravity(Vector3(0, 0, nan)).body(body));
  body = rod;
  (*body.inertia)[0] = nan;
  refused(Builder().body(body));
  body = rod;
  body.mass = nan;
  refused(Builder().body(body));
  refused(Builder().body(rod).start({.body = "rod", .quantity = "x", .value = nan}));
  refused(Builder().body(rod).steady({.hold = {{"rod.x", nan}}}));
  refused(Builder().body(rod).constraint({.name = "custom", .type = custom_rows(1, 0, [](auto, auto, auto&) {})}));
  refused(Builder().body(rod).constraint(
      {.name = "wire",
       .type = Constraint(PointOnCurve::through({{0, 0, 0}, {nan, 0, 0}, {2, 0, 0}}, false)),
       .bodies = {"world", "rod"},
       .points = {Vector3(0, 0, 0)}}));
  Builder driven;
  driven.body(rod).joint({.name = "hinge",
                          .type = Joint(Revolute{}),
                          .bodies = {"world", "rod"},
                          .point = Vector3(0, 0, 0),
                          .axis = Vector3(0, 1, 0)});
  refused(Builder(driven).drive(
      {.name = "table", .type = TableDrive::through({{0, 0}, {1, nan}}), .coordinate = {"hinge", ""}}));
  refused(Builder(driven).drive({.name = "ramp", .type = Ramp{.begin = nan}, .coordinate = {"hinge", ""}}));
  refused(Builder(driven).constraint({.name = "motor", .type = ConstantSpeed{{"hinge", ""}, nan}}));
}

void listen_to_socket(std::vector<std::string>& told, const fs::path& path) {
  fs::remove(path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const int socket_of = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(socket_of, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  listen(told, [&] { load_model(path); });
  close(socket_of);
}

// What has no text at all, or more than one would keep in a file.
void listen_to_files(std::vector<std::string>& told) {
  listen(told, [] { load_model("/dev/null"); });
  listen(told, [] { load_model("/"); });
  listen(told, [] { load_model("/proc/self/mem"); });  // a plain file by its looks, which cannot be read
  const fs::path folder = testing::TempDir();
  const fs::path pipe = folder / "pipe.toml", large = folder / "large.toml";
  fs::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  listen(told, [&] { load_model(pipe); });
  listen_to_socket(told, folder / "socket.toml");
  std::ofstream(large) << "format = 1\n";
  ReadOptions options;
  options.limits.file = 10;
  listen(told, [&] { load_model(large, options); });
}

TEST(EveryMessage, IsToldOfSomeBrokenModel) {
  std::vector<std::string> told;
  for (const fs::path& path : broken_models()) {
    const BrokenModel broken = read_broken(path);
    listen(told, [&] { read_model(broken.text, path.string(), broken.options); });
  }
  // A file is asked for the length of its texts before; the command line is not.
  told.push_back(std::get<ExpressionError>(Expression::parse("1+1", {}, {.bytes = 2})).message);
  listen_to_builders(told);
  listen_to_files(told);
  std::vector<SourceMessage> messages = all_messages();
  std::erase_if(messages, [](const SourceMessage& message) {
    return std::find(not_messages.begin(), not_messages.end(), message.text) != not_messages.end();
  });
  EXPECT_GT(messages.size(), 150U);
  EXPECT_EQ(untold(messages, told), "");
}

TEST(EveryMessage, IsFoundInTheSources) {
  const fs::path file = fs::path(testing::TempDir()) / "some_source.cpp";
  std::ofstream(file) << "#include \"not this one\"\n// \"nor this one\"\nfail(\"one {} of \"\n  \"two\", 'x');\n"
                      << "say(\"three \\\"quoted\\\" words\"); f(\"two words\");\nfail(\"last of all\");\n";
  const std::vector<SourceMessage> all = messages_in(file), of_fail = messages_in(file, {"fail"});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].text, "one {} of two");
  EXPECT_EQ(all[0].line, 3);
  EXPECT_EQ(all[1].text, "three \"quoted\" words");
  ASSERT_EQ(of_fail.size(), 2U);
  EXPECT_EQ(of_fail[0].text, all[0].text);
  EXPECT_EQ(of_fail[1].text, "last of all");
  EXPECT_TRUE(all[0].is_in("this is one more of two"));
  EXPECT_FALSE(all[0].is_in("of two one"));
  EXPECT_EQ(untold(all, {"one 1 of two"}),
            "some_source.cpp:5: three \"quoted\" words\nsome_source.cpp:6: last of all\n");
}

}  // namespace
}  // namespace tandem
