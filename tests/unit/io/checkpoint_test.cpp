#include "tandem/io/results/checkpoint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace tandem {
namespace {

std::vector<std::byte> sample_checkpoint() {
  CheckpointWriter writer(7);
  writer.number(-0.0);
  writer.integer(-5);
  writer.text(std::string("a\0b\nc", 5));
  writer.numbers(std::array{0.1, 5e-324, std::numeric_limits<double>::max(), std::nan("")});
  writer.integers(std::array<std::int64_t, 2>{std::numeric_limits<std::int64_t>::min(), 1});
  writer.bytes(std::array{std::byte{0}, std::byte{255}});
  writer.numbers(std::array{1.0, 2.0});
  return writer.finish();
}

template <class Read> std::string error_of(Read read) {
  try {
    read();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Checkpoint, ReadsBackBitForBit) {
  const std::vector<std::byte> bytes = sample_checkpoint();
  CheckpointReader reader(bytes, 7, "x.checkpoint");
  EXPECT_EQ(std::bit_cast<std::uint64_t>(reader.number()), std::bit_cast<std::uint64_t>(-0.0));
  EXPECT_EQ(reader.integer(), -5);
  EXPECT_EQ(reader.text(), std::string("a\0b\nc", 5));
  const std::vector<double> numbers = reader.numbers();
  ASSERT_EQ(numbers.size(), 4U);
  EXPECT_EQ(numbers[0], 0.1);
  EXPECT_EQ(numbers[1], 5e-324);
  EXPECT_EQ(numbers[2], std::numeric_limits<double>::max());
  EXPECT_TRUE(std::isnan(numbers[3]));
  EXPECT_EQ(reader.integers(), (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 1}));
  EXPECT_EQ(reader.bytes(), (std::vector<std::byte>{std::byte{0}, std::byte{255}}));
  std::array<double, 2> two{};
  reader.numbers(two);
  EXPECT_EQ(two[1], 2.0);
  reader.finish();
}

TEST(Checkpoint, EveryChangedByteAndEveryShortenedFileIsRefusedByName) {
  const std::vector<std::byte> bytes = sample_checkpoint();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{4};
    const std::string changed = error_of([&] { CheckpointReader(damaged, 7, "x.checkpoint"); });
    EXPECT_TRUE(changed.starts_with("cannot read \"x.checkpoint\": it is ")) << i << ": " << changed;
    const std::string cut = error_of([&] { CheckpointReader(std::span(bytes).first(i), 7, "x.checkpoint"); });
    EXPECT_TRUE(cut.starts_with("cannot read \"x.checkpoint\": it is ")) << i << ": " << cut;
  }
}

TEST(Checkpoint, OtherVersionsAndOtherItemsAreRefused) {
  const std::vector<std::byte> bytes = sample_checkpoint();
  EXPECT_EQ(error_of([&] { CheckpointReader(bytes, 8, "x.checkpoint"); }),
            "cannot read \"x.checkpoint\": it is a checkpoint of format 7, and this version of Tandem reads format 8");
  CheckpointReader reader(bytes, 7, "x.checkpoint");
  EXPECT_EQ(error_of([&] { reader.integer(); }),
            "cannot read \"x.checkpoint\": it holds something else than an integer");
  EXPECT_EQ(error_of([&] { reader.finish(); }), "cannot read \"x.checkpoint\": it holds more than is known");
}

TEST(Checkpoint, AListOfAnotherLengthIsRefused) {
  CheckpointWriter writer(1);
  writer.numbers(std::array{1.0, 2.0});
  const std::vector<std::byte> bytes = writer.finish();
  CheckpointReader reader(bytes, 1, "x.checkpoint");
  std::array<double, 3> three{};
  EXPECT_EQ(error_of([&] { reader.numbers(three); }),
            "cannot read \"x.checkpoint\": it holds a list of 2 numbers where 3 are needed");
  EXPECT_EQ(error_of([&] { reader.number(); }), "cannot read \"x.checkpoint\": it ends where a number should follow");
}

}  // namespace
}  // namespace tandem
