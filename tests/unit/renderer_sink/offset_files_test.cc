#include "services/renderer_sink/draw/offset_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "libs/character_file/builtin.h"
#include "libs/offsets/offsets_file.h"
#include "services/renderer_sink/render/film_offsets.h"

namespace posewire::renderer_sink {
namespace {

namespace fs = std::filesystem;

class OffsetFilesTest : public testing::Test {
 protected:
  OffsetFilesTest()
      : folder_(fs::path(testing::TempDir()) /
                ("offset_files_" +
                 std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OffsetFilesTest() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  static std::string Offsets(uint64_t mesh, uint64_t clip) {
    offsets::OffsetsHeader header;
    header.points = 2;
    header.frames = 3;
    header.mesh_hash = mesh;
    header.clip_hash = clip;
    return *offsets::WriteOffsets(header, {}, std::vector<skel::Vec3>(6, {0.01f, 0, 0}));
  }
  std::string At(const std::string& name) const { return (folder_ / name).string(); }

  const fs::path folder_;
};

TEST_F(OffsetFilesTest, AFolderAListAndAFileAreFound) {
  Write("b.offsets", Offsets(1, 20));
  Write("a.offsets", Offsets(1, 10));
  Write("more/c.offsets", Offsets(2, 30));
  Write("notes.txt", "not one of them");
  Write("list.txt", "# of both\n\n a.offsets\r\nmore/c.offsets\n");
  const auto folder = FindOffsets(folder_.string());
  ASSERT_TRUE(folder.ok()) << folder.status();
  ASSERT_EQ(folder->size(), 2u);
  EXPECT_EQ((*folder)[0].header.clip_hash, 10u);
  EXPECT_GT((*folder)[0].memory, 0u);
  const auto list = FindOffsets(At("list.txt"));
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ((*list)[1].header.clip_hash, 30u);
  EXPECT_EQ(FindOffsets(At("b.offsets"))->size(), 1u);
  EXPECT_EQ(OffsetsOf(2, 2, *list)->size(), 1u);
  EXPECT_TRUE(absl::IsFailedPrecondition(OffsetsOf(3, 2, *list).status()));
}

// Whose it is stands nowhere in the file, so only its points can tell.
TEST_F(OffsetFilesTest, OneOfOtherPointsIsNotOfTheCharacter) {
  Write("a.offsets", Offsets(0, 10));
  const auto files = FindOffsets(folder_.string());
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(OffsetsOf(7, 2, *files)->size(), 1u);
  const absl::Status rejected = OffsetsOf(7, 5, *files).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(rejected));
  EXPECT_NE(
      rejected.message().find("a.offsets: points is 2, and the character that is drawn has 5"),
      absl::string_view::npos)
      << rejected;
  const auto rigs = *skel::RigCatalog::Builtin();
  EXPECT_TRUE(
      absl::IsFailedPrecondition(FilesOf(*character_file::PlainFigure(rigs), *files).status()));
}

// As a server over a slow line: it has time for so much of a file, and no more.
class SlowSource : public files::ByteSource {
 public:
  explicit SlowSource(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& name() const override { return memory_.name(); }
  int64_t Size() const override { return memory_.Size() + lacking; }
  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override {
    if (to.size() > kOffsetsPiece_bytes) return absl::DeadlineExceededError("too much");
    return memory_.Read(offset, to);
  }
  int64_t lacking = 0;

 private:
  const std::string bytes_;
  files::MemorySource memory_{"slow", bytes_};
};

TEST_F(OffsetFilesTest, ALargeFileIsReadInPieces) {
  offsets::OffsetsHeader header;
  header.method = offsets::Method::kBox16;
  header.points = 40000;
  header.frames = 40;
  std::vector<skel::Vec3> values(size_t{40000} * 40);
  std::mt19937 random(4);  // so that it is as large as it may be
  std::uniform_real_distribution<float> from(-0.01f, 0.01f);
  for (skel::Vec3& value : values) value = {from(random), from(random), from(random)};
  const std::string bytes = *offsets::WriteOffsets(header, {}, values);
  ASSERT_GT(bytes.size(), 2 * kOffsetsPiece_bytes);
  SlowSource source(bytes);
  const auto film = FilmOffsets::Read("large", source);
  ASSERT_TRUE(film.ok()) << film.status();
  const auto last = (*film)->At(39.0 / header.rate_hz());
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_NEAR(last->back().x, values.back().x, 1e-6f);
  source.lacking = 5;
  EXPECT_TRUE(absl::IsDataLoss(FilmOffsets::Read("large", source).status()));
}

TEST_F(OffsetFilesTest, NamesInAListAreBesideIt) {
  EXPECT_EQ(*ResolveNextTo("list.txt", "a.offsets"), "a.offsets");
  EXPECT_EQ(*ResolveNextTo(At("list.txt"), "more/a.offsets"), At("more/a.offsets"));
  for (const char* elsewhere : {"/a.offsets", "../a.offsets", "more/../../a.offsets"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ResolveNextTo(At("list.txt"), elsewhere).status()));
  }
  EXPECT_EQ(*ResolveNextTo("films/list.txt", "http://b/a.offsets"), "http://b/a.offsets");
  for (const std::string list : {"http://host:8000", "http://host:8000/", "http://host:8000?at=a/b",
                                 "http://host:8000/list.txt", "http://host:8000/list?at=a/b#c/d"}) {
    EXPECT_EQ(*ResolveNextTo(list, "a.offsets"), "http://host:8000/a.offsets") << list;
    EXPECT_EQ(*ResolveNextTo(list, "/a.offsets"), "http://host:8000/a.offsets") << list;
  }
  EXPECT_EQ(*ResolveNextTo("http://host/films/list.txt", "a.offsets"),
            "http://host/films/a.offsets");
  EXPECT_EQ(*ResolveNextTo("http://host/films/list.txt", "/a.offsets"), "http://host/a.offsets");
}

TEST_F(OffsetFilesTest, AddressesMayHaveAQueryWhichIsNotShown) {
  EXPECT_TRUE(NamesOffsetsFile("films/a.offsets"));
  EXPECT_TRUE(NamesOffsetsFile("https://host/a.offsets?token=SECRET"));
  EXPECT_FALSE(NamesOffsetsFile("https://host/list.txt?at=a.offsets"));
  EXPECT_FALSE(NamesOffsetsFile("films/a.offsets?x"));
  EXPECT_EQ(ShownPlace("https://host/a.offsets?token=SECRET"), "https://host/a.offsets");
  EXPECT_EQ(ShownPlace("a?b"), "a?b");
  const absl::Status why =
      WithName("https://host/a.offsets?token=SECRET", absl::NotFoundError("gone"));
  EXPECT_EQ(why.message(), "https://host/a.offsets: gone");
}

TEST_F(OffsetFilesTest, ErrorsNameTheFile) {
  EXPECT_TRUE(absl::IsNotFound(FindOffsets(folder_.string()).status()));
  EXPECT_TRUE(absl::IsNotFound(FindOffsets(At("nowhere")).status()));
  Write("list.txt", "# none of them\n\na.glb\n");
  EXPECT_NE(FindOffsets(At("list.txt"))
                .status()
                .message()
                .find("line 3 of a list names a file "
                      "that ends in .offsets, not "
                      "\"a.glb\""),
            absl::string_view::npos);
  Write("film", Offsets(1, 10));
  const absl::Status binary = FindOffsets(At("film")).status();
  EXPECT_TRUE(std::all_of(binary.message().begin(), binary.message().end(), [](char c) {
    return c >= ' ' && c <= '~';
  })) << binary;
  Write("list.txt", "a.offsets\n");
  EXPECT_NE(FindOffsets(At("list.txt")).status().message().find("a.offsets"),
            absl::string_view::npos);
  Write("a.offsets", "nothing of the kind");
  const auto broken = FindOffsets(folder_.string()).status();
  EXPECT_FALSE(broken.ok());
  EXPECT_NE(broken.message().find("a.offsets"), absl::string_view::npos);
  Write("list.txt", std::string(2 << 20, '#'));
  EXPECT_TRUE(absl::IsResourceExhausted(FindOffsets(At("list.txt")).status()));
}

}  // namespace
}  // namespace posewire::renderer_sink
