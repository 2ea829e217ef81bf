// An HDF5 file of any content: the bytes say which tables and attributes it has, of which types, sizes and storage, and
// HDF5 itself writes it. So what is tried is all that the reader must expect of a file that HDF5 can read. Bytes that
// are no HDF5 file are the business of the HDF5 library, which does not survive all of them (README.md).
#include <hdf5.h>

#include <array>
#include <vector>

#include "fuzz/result_table.hpp"
#include "tandem/io/results/h5_file.hpp"

namespace {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : left_(data, size) {}
  unsigned next() {
    if (left_.empty()) return 0;
    const unsigned value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  unsigned below(unsigned end) { return next() % end; }
  hsize_t size() {  // of a side of a table: mostly small
    const unsigned value = next();
    return value < 250 ? value % 6 : hsize_t{1} << (next() % 63);
  }
  std::string text() {
    std::string result(below(6), ' ');
    for (char& c : result) c = static_cast<char>(next());
    return result;
  }

 private:
  std::span<const std::uint8_t> left_;
};

class Writer {
 public:
  Writer(const std::string& path, Bytes& bytes) : path_(path), bytes_(bytes) {}

  void write() {
    const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) std::abort();
    if (bytes_.below(16) != 15) table(file);
    for (unsigned i = bytes_.below(4); i > 0; --i) attribute(file, "about" + bytes_.text());
    if (H5Fclose(file) < 0) std::abort();
  }

 private:
  hid_t type() {
    constexpr unsigned longest = 20;
    hid_t result = -1;
    switch (bytes_.below(6)) {
      case 1:
        return H5Tcopy(H5T_IEEE_F32BE);
      case 2:
        return H5Tcopy(H5T_STD_I16LE);
      case 3:
        result = H5Tcopy(H5T_C_S1);
        H5Tset_size(result, 1 + bytes_.below(longest));
        H5Tset_strpad(result, static_cast<H5T_str_t>(bytes_.below(3)));
        return result;
      case 4:
        result = H5Tcopy(H5T_C_S1);
        H5Tset_size(result, H5T_VARIABLE);
        return result;
      case 5:
        return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, std::array<hsize_t, 1>{2}.data());
      default:
        return H5Tcopy(H5T_IEEE_F64LE);
    }
  }

  // Of at most three sides, which go to `sides`.
  hid_t space(std::vector<hsize_t>& sides) {
    sides.resize(bytes_.below(5));
    for (hsize_t& side : sides) side = bytes_.size();
    if (sides.size() < 4) return H5Screate_simple(static_cast<int>(sides.size()), sides.data(), nullptr);
    sides.clear();
    return H5Screate(H5S_NULL);
  }

  void table(hid_t file) {
    std::vector<hsize_t> sides;
    const hid_t of = type(), in = space(sides), creation = H5Pcreate(H5P_DATASET_CREATE);
    if (bytes_.below(2) == 1 && !sides.empty()) {
      const std::vector<hsize_t> chunk(sides.size(), 1 + bytes_.below(4));
      H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
      if (bytes_.below(2) == 1) H5Pset_deflate(creation, 4);
    }
    const hid_t data = H5Dcreate2(file, "results", of, in, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (data >= 0) {
      fill(data, of, in);
      for (const char* name : {"names", "units"})
        if (bytes_.below(16) != 15) attribute(data, name);
      H5Dclose(data);
    }
    H5Pclose(creation);
    H5Sclose(in);
    H5Tclose(of);
  }

  // With numbers, where there are few and it takes them.
  void fill(hid_t data, hid_t of, hid_t in) {
    const hssize_t count = H5Sget_simple_extent_npoints(in);
    if (count <= 0 || count > 200 || (H5Tget_class(of) != H5T_FLOAT && H5Tget_class(of) != H5T_INTEGER)) return;
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values) {
      const unsigned byte = bytes_.next();
      value = byte == 255 ? std::nan("") : byte == 254 ? HUGE_VAL : 0.25 * byte;
    }
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }

  void attribute(hid_t at, const std::string& name) {
    std::vector<hsize_t> sides;
    const hid_t of = type(), in = space(sides);
    const hssize_t count = H5Sget_simple_extent_npoints(in);
    // An attribute is written as a whole, so it cannot be of any size.
    const hid_t entry = count <= 200 ? H5Acreate2(at, name.c_str(), of, in, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID;
    if (entry >= 0) {
      const auto n = static_cast<std::size_t>(std::max<hssize_t>(count, 0));
      if (H5Tis_variable_str(of) > 0) {
        std::vector<std::string> texts(n);
        std::vector<const char*> pointers;
        for (std::string& text : texts) {
          text = bytes_.text();
          pointers.push_back(bytes_.below(16) == 15 ? nullptr : text.c_str());
        }
        if (n > 0) H5Awrite(entry, of, pointers.data());
      } else {
        std::vector<char> values(n * H5Tget_size(of) + 1);
        for (char& value : values) value = static_cast<char>(bytes_.next());
        if (bytes_.below(16) != 15) H5Awrite(entry, of, values.data());
      }
      H5Aclose(entry);
    }
    H5Sclose(in);
    H5Tclose(of);
  }

  std::string path_;
  Bytes& bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tandem::fuzz::InputFile file;
  static const herr_t silent = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (silent < 0) std::abort();
  Bytes bytes(data, size);
  const std::string path = file.holding({});
  Writer(path, bytes).write();
  tandem::fuzz::require_table_or_error(tandem::read_h5, path);
  return 0;
}
