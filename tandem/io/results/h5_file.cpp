#include "tandem/io/results/h5_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "tandem/io/results/checksum.hpp"

namespace tandem {

// HDF5 may be built without locks, and prints errors by itself: one user at a time, and silence while we use it.
class QuietHdf5 {
 public:
  QuietHdf5() : lock_(one_user()) {
    // At the end of the program HDF5 would close what is open, and crash on a file that it could not write to a full
    // disk. We close all files ourselves.
    static const herr_t leave_open_at_exit = H5dont_atexit();
    static_cast<void>(leave_open_at_exit);
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  static std::mutex& one_user() {
    static std::mutex mutex;
    return mutex;
  }
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// An HDF5 identifier that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), closer_(closer) {}
  ~Handle() {
    if (id_ >= 0) closer_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)
  bool good() const { return id_ >= 0; }
  bool close() {
    const hid_t id = std::exchange(id_, -1);
    return closer_(id) >= 0;
  }

 private:
  hid_t id_;
  herr_t (*closer_)(hid_t);
};

// What HDF5 says about its last failure: the message of the system if there is one, else its own innermost one. The C
// variable errno does not tell: HDF5 changes it where nothing failed.
static std::string hdf5_reason() {
  std::string reason = "HDF5 gives no reason";
  const H5E_walk2_t note = [](unsigned, const H5E_error2_t* error, void* text) -> herr_t {
    if (error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note, &reason);
  constexpr std::string_view mark = "error message = '";
  const std::size_t begin = reason.find(mark);
  if (begin == std::string::npos) return reason;
  const std::string message = reason.substr(begin + mark.size());
  return message.substr(0, message.find('\''));
}

// Of one length, filled up with zeros. Not of variable length: those texts lie in a part of the file without checksums,
// and HDF5 crashes on most damage there.
static Handle text_type(std::size_t longest) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, std::max<std::size_t>(longest, 1));
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return {type, H5Tclose};
}

static std::string checksum_of(std::span<const ResultColumn> columns, Checksum& sum) {
  for (const ResultColumn& column : columns) {
    sum.add(column.name);
    sum.add(column.unit);
  }
  return fmt::format("{:016x}", sum.value());
}

// ---- writing ----

namespace {

class H5Writer {
 public:
  explicit H5Writer(const std::filesystem::path& file) : path_(file) {}

  void write(std::span<const ResultColumn> columns, const ResultAbout& about, std::size_t rows,
             const RowSource& source) {
    // The format of HDF5 1.8, whose headers have checksums and hold attributes of any size.
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18));
    check(H5Pset_file_locking(access, false, true));
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(creation, false));
    check(H5Pset_attr_phase_change(creation, 0, 0));
    Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
    check(file);
    file_ = file;
    for (const auto& [name, value] : about.attributes) attribute(file, name, value);
    table(file, columns, rows, source);
    check(file.close() ? 0 : -1);
  }

 private:
  void check(hid_t result) const {
    if (result >= 0) return;
    const std::string reason = hdf5_reason();
    turn_away();
    throw FileError(fmt::format("cannot write \"{}\": {}", path_.string(), reason));
  }

  // HDF5 cannot always close a file that it could not write. So the rest goes to a place that is never full, and the
  // file itself, once removed, takes no room until the program ends.
  void turn_away() const {
    void* descriptor = nullptr;
    if (file_ < 0 || H5Fget_vfd_handle(file_, H5P_DEFAULT, &descriptor) < 0) return;
    const int nowhere = memfd_create("tandem", MFD_CLOEXEC);
    if (nowhere < 0) return;
    dup2(nowhere, *static_cast<int*>(descriptor));
    ::close(nowhere);
  }

  void attribute(hid_t of, const std::string& name, const std::string& value) const {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle type = text_type(value.size());
    const Handle entry(H5Acreate2(of, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(entry);
    check(H5Awrite(entry, type, value.c_str()));
  }

  void attribute(hid_t of, const char* name, std::span<const std::string> values) const {
    const hsize_t size = values.size();
    std::size_t longest = 1;
    for (const std::string& value : values) longest = std::max(longest, value.size());
    std::string all;
    for (const std::string& value : values) all += value + std::string(longest - value.size(), '\0');
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Handle type = text_type(longest);
    const Handle entry(H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    check(entry);
    check(H5Awrite(entry, type, all.data()));
  }

  // Chunks of about 64 KiB, as long as can be: one column over time is what is read and what compresses well.
  static std::array<hsize_t, 2> chunk_size(hsize_t rows, hsize_t columns) {
    constexpr hsize_t numbers = 8192;
    const hsize_t high = std::clamp<hsize_t>(rows, 1, numbers);
    return {high, std::clamp<hsize_t>(numbers / high, 1, columns)};
  }

  void table(hid_t file, std::span<const ResultColumn> columns, std::size_t rows, const RowSource& source) const {
    const std::array<hsize_t, 2> size{rows, columns.size()}, limit{H5S_UNLIMITED, columns.size()};
    const std::array<hsize_t, 2> chunk = chunk_size(rows, columns.size());
    const Handle space(H5Screate_simple(2, size.data(), limit.data()), H5Sclose);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_obj_track_times(creation, false));
    check(H5Pset_attr_phase_change(creation, 0, 0));
    check(H5Pset_chunk(creation, 2, chunk.data()));
    check(H5Pset_shuffle(creation));
    check(H5Pset_deflate(creation, 4));
    check(H5Pset_fletcher32(creation));
    const Handle data(H5Dcreate2(file, "results", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose);
    check(data);
    std::vector<std::string> names, units;
    for (const ResultColumn& column : columns) {
      names.push_back(column.name);
      units.push_back(column.unit);
    }
    attribute(data, "names", names);
    attribute(data, "units", units);
    // Whole chunks at a time, so that none is compressed twice.
    std::vector<double> block(chunk[0] * columns.size());
    Checksum sum;
    for (hsize_t first = 0; first < rows; first += chunk[0]) {
      const std::array<hsize_t, 2> start{first, 0}, count{std::min(chunk[0], rows - first), columns.size()};
      const std::span<double> values(block.data(), count[0] * count[1]);
      source(first, values);
      sum.add(std::as_bytes(values));
      const Handle memory(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
      check(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()));
    }
    attribute(data, "checksum", checksum_of(columns, sum));
    check(H5Fflush(file, H5F_SCOPE_LOCAL));  // here, where a failure is noticed: closing then writes next to nothing
  }

  std::filesystem::path path_;
  hid_t file_ = -1;
};

}  // namespace

void write_h5(const std::filesystem::path& file, std::span<const ResultColumn> columns, const ResultAbout& about,
              std::size_t rows, const RowSource& source) {
  const QuietHdf5 quiet;
  H5Writer(file).write(columns, about, rows, source);
}

// ---- reading ----

namespace {

class H5Reader {
 public:
  explicit H5Reader(const std::filesystem::path& file) : path_(file) {
    std::error_code error;
    if (const std::uintmax_t size = std::filesystem::file_size(file, error); !error) file_size_ = size;
  }

  ResultTable read() const {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access, false, true);
    const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
    if (!file.good()) fail(hdf5_reason());
    ResultTable table;
    H5L_info_t link{};
    if (H5Lget_info(file, "results", &link, H5P_DEFAULT) < 0) fail("it has no table \"results\"");
    if (link.type != H5L_TYPE_HARD) fail("its table \"results\" is a link to another place");
    const Handle data(H5Dopen2(file, "results", H5P_DEFAULT), H5Dclose);
    if (!data.good()) fail(fmt::format("its table \"results\" cannot be opened: {}", hdf5_reason()));
    require_own_values(data);
    read_columns(data, table);
    read_values(data, table);
    check_values(data, table);
    read_attributes(file, table);
    return table;
  }

 private:
  [[noreturn]] void fail(std::string_view reason) const {
    throw FileError(fmt::format("cannot read \"{}\": {}", path_.string(), reason));
  }

  // HDF5 tables can also stand for parts of other files: what is read is this file alone.
  void require_own_values(const Handle& data) const {
    const Handle creation(H5Dget_create_plist(data), H5Pclose);
    if (!creation.good() || H5Pget_layout(creation) == H5D_VIRTUAL || H5Pget_external_count(creation) != 0)
      fail("the values of its table \"results\" are in other files");
  }

  // A small file may say that it holds a lot. Texts of attributes are stored as they are; deflate, which numbers go
  // through, makes 1032 bytes of one at most.
  bool can_hold(hsize_t count, hsize_t size) const { return count <= file_size_ / std::max<hsize_t>(size, 1); }
  bool can_hold_deflated(hsize_t count) const { return count <= file_size_ * (1032 / sizeof(double)); }

  // The texts of an attribute; nothing when it holds something else. Texts of variable length are never looked at:
  // text_type() says why.
  std::optional<std::vector<std::string>> texts(const Handle& attribute) const {
    const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (!type.good() || count < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
      return std::nullopt;
    if (!can_hold(static_cast<hsize_t>(count), H5Tget_size(type))) fail("an attribute is damaged");
    std::vector<std::string> result(static_cast<std::size_t>(count));
    if (result.empty()) return result;
    const std::size_t size = H5Tget_size(type);
    std::string values(size * result.size(), '\0');
    if (H5Aread(attribute, type, values.data()) < 0) fail("an attribute is damaged");
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = values.substr(i * size, size);
      result[i].resize(std::min(result[i].find('\0'), size));
    }
    return result;
  }

  std::vector<std::string> list(const Handle& data, const char* name) const {
    if (H5Aexists(data, name) <= 0) fail(fmt::format("the table \"results\" has no attribute \"{}\"", name));
    const Handle attribute(H5Aopen(data, name, H5P_DEFAULT), H5Aclose);
    auto values = attribute.good() ? texts(attribute) : std::nullopt;
    if (!values)
      fail(fmt::format("the attribute \"{}\" of the table \"results\" is not a list of texts of one length", name));
    return std::move(*values);
  }

  void read_columns(const Handle& data, ResultTable& table) const {
    const std::vector<std::string> names = list(data, "names"), units = list(data, "units");
    if (names.empty() || names.size() != units.size())
      fail(fmt::format("it has {} names and {} units of columns", names.size(), units.size()));
    for (std::size_t i = 0; i < names.size(); ++i) table.columns.push_back({names[i], units[i]});
  }

  void read_values(const Handle& data, ResultTable& table) const {
    const Handle space(H5Dget_space(data), H5Sclose), type(H5Dget_type(data), H5Tclose);
    std::array<hsize_t, 2> size{};
    const hsize_t columns = table.columns.size();
    if (H5Sget_simple_extent_ndims(space) != 2 || H5Sget_simple_extent_dims(space, size.data(), nullptr) != 2 ||
        H5Tget_class(type) != H5T_FLOAT || size[1] != columns)
      fail(fmt::format("the table \"results\" is not one of numbers with {} columns", columns));
    if (size[0] > std::numeric_limits<hsize_t>::max() / columns || !can_hold_deflated(size[0] * columns))
      fail(fmt::format("it is damaged: {} rows of {} columns cannot be in a file of {} bytes", size[0], columns,
                       file_size_));
    try {
      table.values.resize(size[0] * columns);
    } catch (const std::bad_alloc&) {
      fail(fmt::format("{} rows of {} columns do not fit into memory", size[0], columns));
    }
    if (!table.values.empty() &&
        H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.values.data()) < 0)
      fail(fmt::format("it is damaged: {}", hdf5_reason()));
    for (std::size_t i = 0; i < table.values.size(); ++i)
      if (!std::isfinite(table.values[i]))
        fail(fmt::format("row {}: {} is not a finite number", i / columns + 1, table.columns[i % columns].header()));
  }

  // Files of others need not have one.
  void check_values(const Handle& data, const ResultTable& table) const {
    if (H5Aexists(data, "checksum") <= 0) return;
    Checksum sum;
    sum.add(std::as_bytes(std::span(table.values)));
    if (list(data, "checksum") != std::vector{checksum_of(table.columns, sum)})
      fail(
          "it is damaged: its values, names or units are not those of its attribute \"checksum\"; if they were changed "
          "on purpose, delete that attribute of the table \"results\"");
  }

  // Attributes of other kinds than a text are not ours, and left out.
  void read_attributes(const Handle& file, ResultTable& table) const {
    std::vector<std::string> names;
    const H5A_operator2_t note = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
      static_cast<std::vector<std::string>*>(list)->emplace_back(name);
      return 0;
    };
    if (H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, note, &names) < 0) fail("its attributes are damaged");
    for (const std::string& name : names) {
      const Handle attribute(H5Aopen(file, name.c_str(), H5P_DEFAULT), H5Aclose);
      const auto values = attribute.good() ? texts(attribute) : std::nullopt;
      if (values && values->size() == 1) table.attributes.emplace_back(name, values->front());
    }
  }

  std::filesystem::path path_;
  std::uintmax_t file_size_ = 0;
};

}  // namespace

ResultTable read_h5(const std::filesystem::path& file) {
  const QuietHdf5 quiet;
  return H5Reader(file).read();
}

}  // namespace tandem
