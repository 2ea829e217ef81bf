// Faults: everything that is wrong with a model, collected so that all of it is told at once.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

// The name of a file. All places in the file share it: there are millions of them in a large one.
class FileName {
 public:
  FileName() = default;
  FileName(const std::string& name);                           // NOLINT(google-explicit-constructor)
  FileName(const char* name) : FileName(std::string(name)) {}  // NOLINT(google-explicit-constructor)

  const std::string& text() const;
  bool empty() const { return !name_; }

 private:
  std::shared_ptr<const std::string> name_;
};

// Where a thing was written. Line 0: it was built in C++, so only its name is known.
struct Location {
  FileName file;
  int line = 0;
  int column = 0;

  // For what is wrong with a file as a whole: its first line.
  static Location top_of(const std::string& file) { return {file, file.empty() ? 0 : 1, file.empty() ? 0 : 1}; }
};

// Where the keys of a table stand. Copies share them until one is changed: they go along with everything that is read.
class KeyPlaces {
 public:
  const Location* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  bool empty() const { return !map_; }
  void set(const std::string& key, const Location& where);

 private:
  using Map = std::map<std::string, Location, std::less<>>;
  std::shared_ptr<Map> map_;
};

// Where a table and its keys stand in a file. `bodies[1]` is the second entry of the list `bodies`.
struct Source {
  Location where{};
  KeyPlaces keys{};
  std::set<std::string, std::less<>> refused{};  // already found at fault: nothing more is said about them

  const Location& at(std::string_view key) const;  // the table itself when the key is not given
  bool is_refused(std::string_view key) const;
};

// A text of strangers as it may be printed: what would move the cursor, change colours or turn the direction of writing
// is written out, such as \x1b.
std::string printable(std::string_view text);
// How many bytes at the beginning must not be printed as they are; 0 when all is well with the first character.
std::size_t unprintable(std::string_view text);

// The end of a message about a number: ", not -1".
std::string not_this(double value);
std::string but_is(double value);  // ", but is -1"

// The beginning of a message: "file:12:3: ", "file: " without a line, or nothing.
std::string place_of(const Location& where);

struct Fault {
  bool warning = false;
  Location where;
  std::string object;   // body "frame"
  std::string message;  // what is wrong and what would be right

  std::string text() const;  // file:line:column: error: body "frame": message
};

class Faults {
 public:
  // So many errors, and as many warnings, are kept: nobody reads more, and a broken file may have millions.
  static constexpr std::size_t most_kept = 100;

  // Say of which object and key the next faults are; a scope in the style of a lock guard is not needed here.
  void about(std::string object, Location where) {
    object_ = std::move(object);
    source_ = {std::move(where), {}, {}};
  }
  void about_table(std::string object, Source source) {
    object_ = std::move(object);
    source_ = std::move(source);
  }
  void error(std::string message) { error_at(source_.where, std::move(message)); }
  // About one key of the table at hand; silent when the key is at fault already.
  void error_in(std::string_view key, std::string message) {
    if (!source_.is_refused(key)) error_at(source_.at(key), std::move(message));
  }
  void error_at(const Location& where, std::string message) {
    if (++errors_ <= most_kept) list_.push_back({false, where, object_, std::move(message)});
  }
  void warning(std::string message) { warning_at(source_.where, std::move(message)); }
  void warning_in(std::string_view key, std::string message) { warning_at(source_.at(key), std::move(message)); }
  void warning_at(const Location& where, std::string message) {
    if (++warnings_ <= most_kept) list_.push_back({true, where, object_, std::move(message)});
  }

  const std::string& object() const { return object_; }
  const Location& where() const { return source_.where; }
  const std::vector<Fault>& list() const { return list_; }
  bool any_error() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  bool is_full() const { return errors_ > most_kept; }  // no further error would be told
  void finish(const std::string& file);                 // in the order of the file; says when some were left out

 private:
  std::vector<Fault> list_;
  std::size_t errors_ = 0, warnings_ = 0;  // all of them
  std::string object_;
  Source source_;
};

// The model is wrong. Carries every fault; what() is their text, a line each.
class ModelError : public std::runtime_error {
 public:
  explicit ModelError(Faults faults);
  const Faults& faults() const { return faults_; }

 private:
  Faults faults_;
};

// A file could not be read or written.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Numbers went wrong: singular equations, a state that left the finite numbers.
struct NumericalError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace tandem
