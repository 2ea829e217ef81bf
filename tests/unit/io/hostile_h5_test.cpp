// HDF5 files that are in order for HDF5 and still no results: they say more than they hold, or point elsewhere.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/result_run.hpp"

namespace tandem::result_tests {
namespace {

class HostileH5 : public ResultFolder {
 protected:
  void SetUp() override {
    ResultFolder::SetUp();
    out_ = H5Fcreate(file("hostile.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(out_, 0);
  }

  // A table "results" of one column.
  void table(hid_t of, hsize_t rows, hid_t creation) const {
    const std::array<hsize_t, 2> size{rows, 1};
    const hid_t space = H5Screate_simple(2, size.data(), nullptr);
    const hid_t data = H5Dcreate2(of, "results", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    ASSERT_GE(data, 0);
    for (const char* name : {"names", "units"}) texts(data, name, 1);
    H5Dclose(data);
    H5Sclose(space);
  }

  static void texts(hid_t of, const char* name, hsize_t count) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, nullptr);
    H5Tset_size(type, 2);
    const hid_t entry = H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const std::string text(2 * count, 'x');
    EXPECT_GE(H5Awrite(entry, type, text.data()), 0);
    H5Aclose(entry);
    H5Sclose(space);
    H5Tclose(type);
  }

  std::string answer() const {
    H5Fclose(out_);
    const std::string begin = "cannot read \"" + file("hostile.h5").string() + "\": ";
    const std::string error = error_of([&] { read_results(file("hostile.h5")); });
    return error.starts_with(begin) ? error.substr(begin.size()) : error;
  }

  hid_t out_ = -1;
};

TEST_F(HostileH5, MoreRowsThanItCanHold) {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  const std::array<hsize_t, 2> chunk{1024, 1};
  H5Pset_chunk(creation, 2, chunk.data());
  table(out_, 1'000'000'000'000, creation);
  H5Pclose(creation);
  const std::string told = answer();
  EXPECT_TRUE(told.starts_with("it is damaged: 1000000000000 rows of 1 columns cannot be in a file of ")) << told;
}

TEST_F(HostileH5, ValuesOfAnotherFile) {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(creation, "/etc/passwd", 0, 80);
  table(out_, 10, creation);
  H5Pclose(creation);
  EXPECT_EQ(answer(), "the values of its table \"results\" are in other files");
}

TEST_F(HostileH5, ALinkToAnotherFile) {
  H5Lcreate_external("other.h5", "/results", out_, "results", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_EQ(answer(), "its table \"results\" is a link to another place");
}

TEST_F(HostileH5, AGroupInThePlaceOfATable) {
  H5Gclose(H5Gcreate2(out_, "results", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_TRUE(answer().starts_with("its table \"results\" cannot be opened: "));
}

// HDF5 reads beyond its buffers where the lengths of such texts are damaged, so they are not even looked at.
TEST_F(HostileH5, TextsOfVariableLength) {
  const std::array<hsize_t, 2> size{1, 1};
  const hid_t space = H5Screate_simple(2, size.data(), nullptr);
  const hid_t data = H5Dcreate2(out_, "results", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t type = H5Tcopy(H5T_C_S1), one = H5Screate_simple(1, size.data(), nullptr);
  H5Tset_size(type, H5T_VARIABLE);
  const hid_t entry = H5Acreate2(data, "names", type, one, H5P_DEFAULT, H5P_DEFAULT);
  const char* text = "x";
  EXPECT_GE(H5Awrite(entry, type, &text), 0);
  H5Aclose(entry);
  H5Tclose(type);
  H5Sclose(one);
  H5Dclose(data);
  H5Sclose(space);
  EXPECT_EQ(answer(), "the attribute \"names\" of the table \"results\" is not a list of texts of one length");
}

TEST_F(HostileH5, NoTable) { EXPECT_EQ(answer(), "it has no table \"results\""); }

class ChangedH5 : public ResultFolder {
 protected:
  static bool same(const ResultTable& a, const ResultTable& b) {
    const auto column = [](const ResultColumn& x, const ResultColumn& y) {
      return x.name == y.name && x.unit == y.unit;
    };
    return a.values == b.values && a.attributes == b.attributes &&
           std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(), column);
  }

  // Reads the file with one byte after the other changed, in processes of its own: those that did not survive, and
  // those that were read as other results.
  static std::vector<std::size_t> bad_bytes(const fs::path& path, unsigned char change) {
    const std::string good = text(path);
    const ResultTable right = read_results(path);
    auto* at = static_cast<std::size_t*>(
        mmap(nullptr, sizeof(std::size_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    std::vector<std::size_t> found;
    for (*at = 0; *at < good.size(); ++*at) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(120);  // for all of them
        for (; *at < good.size(); ++*at) {
          std::string bad = good;
          bad[*at] = static_cast<char>(static_cast<unsigned char>(bad[*at]) ^ change);
          std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
          bool lies = false;
          static_cast<void>(error_of([&] { lies = !same(read_results(path), right); }));
          if (lies) _exit(1);
        }
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) found.push_back(*at);
    }
    munmap(at, sizeof *at);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << good;
    return found;
  }
};

TEST_F(ChangedH5, IsRefusedOrReadsTheSame) {
  whole_run(file("small.h5"), 20);
  EXPECT_GT(fs::file_size(file("small.h5")), 1000U);
  EXPECT_EQ(bad_bytes(file("small.h5"), 0xFF), std::vector<std::size_t>{});
  EXPECT_EQ(bad_bytes(file("small.h5"), 0x01), std::vector<std::size_t>{});
  EXPECT_EQ(error_of([&] { read_results(file("small.h5")); }), "no error");
}

}  // namespace
}  // namespace tandem::result_tests
