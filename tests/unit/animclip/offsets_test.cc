#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/character_file/builtin.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"

namespace posewire::animclip {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ShortClip() {
  const std::string path = TempPath("talk.animdata");
  WriteClipFile(path, MakeTalk({.frames = 8, .audio_hz = 0}));
  return path;
}

BakeOptions Bake(const std::string& out) {
  BakeOptions options;
  options.clip = ShortClip();
  options.out = out;
  return options;
}

TEST(Bake, WritesAFileThatInfoReads) {
  const std::string out = TempPath("talk.offsets");
  TestConsole c;
  ASSERT_EQ(RunBake(Bake(out), c.console), kDone) << c.err.str();
  EXPECT_THAT(c.out.str(), AllOf(HasSubstr("8 frames at 30 a second"), HasSubstr("times smaller"),
                                 HasSubstr("mm off at worst")));
  TestConsole info;
  EXPECT_EQ(RunOffsetsInfo({out}, info.console), kDone) << info.err.str();
  EXPECT_THAT(info.out.str(),
              AllOf(HasSubstr("8 frames, 0.267 s at 30 a second"), HasSubstr("method   spline"),
                    HasSubstr("chunk 0  frames 0 to 7"), Not(HasSubstr("broken"))));
}

TEST(OffsetsInfo, NamesABrokenChunk) {
  const std::string path = TempPath("torn.offsets");
  TestConsole c;
  ASSERT_EQ(RunBake(Bake(path), c.console), kDone) << c.err.str();
  std::string bytes = Slurp(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  Spill(path, bytes);
  TestConsole info;
  EXPECT_EQ(RunOffsetsInfo({path}, info.console), kNo);
  EXPECT_THAT(info.err.str(), HasSubstr("chunk 0: its checksum is wrong"));
  Spill(path, "nothing of the kind");
  TestConsole other;
  EXPECT_EQ(RunOffsetsInfo({path}, other.console), kNo);
  EXPECT_THAT(other.err.str(), HasSubstr("not an .offsets file"));
}

TEST(Bake, NamesAMethodThatThereIsNot) {
  BakeOptions options = Bake(TempPath("x.offsets"));
  options.method = "zip";
  TestConsole c;
  EXPECT_EQ(RunBake(options, c.console), kNo);
  EXPECT_THAT(c.err.str(), HasSubstr("method \"zip\" is not known, expected one of float, box8"));
  options.method = "pca";
  options.variance = 2;
  TestConsole d;
  EXPECT_EQ(RunBake(options, d.console), kNo);
  EXPECT_THAT(d.err.str(), HasSubstr("variance is 2"));
}

TEST(OffsetsInfo, DoesNotCallAFilmBrokenWhereFfmpegIsNotInstalled) {
  if (std::system("ffmpeg -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no ffmpeg";
  const std::string out = TempPath("film.offsets");
  BakeOptions options = Bake(out);
  options.method = "h264";
  TestConsole c;
  ASSERT_EQ(RunBake(options, c.console), kDone) << c.err.str();
  TestConsole info;
  EXPECT_EQ(RunOffsetsInfo({out}, info.console), kDone) << info.err.str();
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  TestConsole without;
  EXPECT_EQ(RunOffsetsInfo({out}, without.console), kNo);
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(without.out.str(), HasSubstr("not opened"));
  EXPECT_THAT(without.err.str(),
              AllOf(HasSubstr("needs the ffmpeg program"), Not(HasSubstr("Bake the file again"))));
}

TEST(Bake, PlacesPointsByUvWhereAsked) {
  const std::string by_index = TempPath("index.offsets"), by_uv = TempPath("uv.offsets");
  for (const std::string& out : {by_index, by_uv}) {
    BakeOptions options = Bake(out);
    options.method = "webp";
    options.quality = 100;
    if (out == by_uv) options.by = "uv";
    TestConsole c;
    ASSERT_EQ(RunBake(options, c.console), kDone) << c.err.str();
  }
  const auto index = offsets::OffsetsFile::Parse(Slurp(by_index)),
             uv = offsets::OffsetsFile::Parse(Slurp(by_uv));
  ASSERT_TRUE(index.ok() && uv.ok());
  EXPECT_NE(index->chunk_bytes(0), uv->chunk_bytes(0));
  const size_t points = uv->header().points;
  std::vector<skel::Vec3> a(points), b(points);
  (*index->Open(0))->Frame(3, absl::MakeSpan(a));
  (*uv->Open(0))->Frame(3, absl::MakeSpan(b));
  for (size_t i = 0; i < points; ++i) EXPECT_EQ(skel::Length(a[i] - b[i]), 0) << i;
}

TEST(OffsetsCompare, PutsItsTableBetweenTheMarksOfAPage) {
  const std::string page = TempPath("page.md");
  Spill(page, "before\n<!-- animclip offsets compare -->\nold\n<!-- end -->\nafter\n");
  OffsetsCompareOptions options;
  options.clip = ShortClip();
  options.page = page;
  options.plot = TempPath("ratio.svg");
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);  // films are left out
  TestConsole c;
  ASSERT_EQ(RunOffsetsCompare(options, c.console), kDone) << c.err.str();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(Slurp(page), absl::StrCat("before\n<!-- animclip offsets compare -->\n", c.out.str(),
                                      "<!-- end -->\nafter\n"));
  for (const offsets::MethodEntry& method : offsets::Methods()) {
    if (method.method >= offsets::Method::kH264) continue;
    EXPECT_THAT(c.out.str(), HasSubstr(absl::StrCat("| `", method.name, "` |")));
  }
  EXPECT_THAT(c.out.str(), HasSubstr("| `webp` | lossless, by UV |"));
  EXPECT_THAT(c.out.str(), HasSubstr("Left out: `h264`, `h265`, `vp9`: this needs the ffmpeg"));
  EXPECT_THAT(Slurp(options.plot), HasSubstr("<svg"));
  options.plot = TempPath("ratio.jpg");
  TestConsole e;
  EXPECT_EQ(RunOffsetsCompare(options, e.console), kNo);
  EXPECT_THAT(e.err.str(), HasSubstr("ratio.jpg"));
  options.plot.clear();
  Spill(page, "without marks\n");
  TestConsole d;
  EXPECT_EQ(RunOffsetsCompare(options, d.console), kNo);
  EXPECT_THAT(d.err.str(), HasSubstr("has no lines"));
}

// What the demonstration is to show.
TEST(FilmBake, ComesBackExactlyAndUnderAMillimetreInLittle) {
  if (character_file::BuiltinFile("woman").empty()) GTEST_SKIP() << "no data to make the woman of";
  TestConsole c;
  auto bake = BakeFilm("exercise", "woman", "", c.console);
  ASSERT_TRUE(bake.ok()) << bake.status();
  const auto packed = [&](offsets::Method method, const offsets::Settings& settings = {}) {
    offsets::OffsetsHeader header = bake->header;
    header.method = method;
    return *offsets::OffsetsFile::Parse(*offsets::WriteOffsets(header, settings, bake->offsets));
  };
  const offsets::OffsetsFile exact = packed(offsets::Method::kFloat),
                             box = packed(offsets::Method::kBox8),
                             mini = packed(offsets::Method::kMinifloat),
                             delta = packed(offsets::Method::kDelta8),
                             curves = packed(offsets::Method::kSpline);
  const auto got = DistancesFrom(*bake, {nullptr, &exact, &box, &mini, &delta, &curves});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_GT((*got)[0].worst_m, 0.01);  // there is something to bake
  EXPECT_LT((*got)[1].worst_m, 1e-5 * double{bake->size_m});
  for (size_t k = 2; k < got->size(); ++k) EXPECT_LT((*got)[k].worst_m, 1e-3) << k;
  // Of the points that have offsets at all.
  const double moving = bake->raw_bytes() * static_cast<double>(bake->moving) /
                        static_cast<double>(bake->header.points);
  for (const auto* file : {&box, &mini, &delta}) {
    EXPECT_GT(moving / static_cast<double>(file->bytes()), 4);
  }
  EXPECT_GT(moving / static_cast<double>(curves.bytes()), 20);
}

}  // namespace
}  // namespace posewire::animclip
