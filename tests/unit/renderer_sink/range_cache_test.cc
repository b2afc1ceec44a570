#include "services/renderer_sink/draw/range_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/offsets/offsets_file.h"
#include "libs/offsets/offsets_stream.h"
#include "services/renderer_sink/draw/range_source.h"
#include "tests/unit/offsets/moving_points.h"
#include "tests/unit/renderer_sink/file_server.h"

namespace posewire::renderer_sink {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr char kDigits[] = "0123456789";
constexpr double kDay_s = 86400;

class RangeCacheTest : public testing::Test {
 protected:
  RangeCacheTest()
      : folder_(fs::path(testing::TempDir()) /
                absl::StrCat("range_cache_test.", getpid(), ".",
                             testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    Tag("\"one\"");
  }
  ~RangeCacheTest() override {
    cache_ = nullptr;
    fs::remove_all(folder_);
  }

  // As in another program: nothing is remembered but what is on disk.
  void Restart() {
    cache_ = nullptr;
    cache_ = std::make_shared<RangeCache>(
        RangeCacheOptions{
            .folder = folder_, .budget_bytes = 1 << 20, .unix_s = [this] { return now_s_; }},
        service::Logger("test", {}, log_));
  }
  std::shared_ptr<files::ByteSource> Source(const std::string& url = "") {
    if (cache_ == nullptr) Restart();
    return *MakeRangeSource(url.empty() ? server_.Url() : url,
                            {.deadline_s = deadline_s_, .cache = cache_});
  }
  static std::string Read(files::ByteSource& source, int64_t offset, size_t size) {
    const auto read = files::ReadBytes(source, offset, size);
    return read.ok() ? *read : std::string(read.status().message());
  }
  void Tag(const std::string& etag) {
    server_.headers = absl::StrCat("ETag: ", etag, "\r\n");
    server_.not_modified = absl::StrCat("If-None-Match: ", etag);
  }
  // The number of log lines with this text, up to now.
  int Logged(const std::string& text) {
    Restart();  // the log is complete when its last user is gone
    int lines = 0;
    for (const auto line : absl::StrSplit(log_.str(), '\n')) lines += absl::StrContains(line, text);
    return lines;
  }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(folder_)) files.push_back(file.path());
    return files;
  }

  const fs::path folder_;
  double now_s_ = 1.8e9, deadline_s_ = 5;
  std::ostringstream log_;
  FileServer server_{kDigits};
  std::shared_ptr<RangeCache> cache_;
};

TEST_F(RangeCacheTest, AsksOncePerSourceAndReadsTheRestFromDisk) {
  {
    const auto source = Source();
    EXPECT_EQ(Read(*source, 3, 4), "3456");
    EXPECT_EQ(Read(*source, 8, 9), "89");
    EXPECT_EQ(Read(*source, 3, 4), "3456");
    EXPECT_EQ(server_.requests, 2);
    EXPECT_THAT(server_.last_request, Not(HasSubstr("If-")));
  }
  Restart();
  const auto source = Source();
  EXPECT_EQ(source->Size(), 0);
  EXPECT_EQ(Read(*source, 3, 4), "3456");
  EXPECT_EQ(source->Size(), 10);
  EXPECT_EQ(server_.confirmations, 1);
  EXPECT_THAT(server_.last_request, HasSubstr("If-None-Match: \"one\""));
  EXPECT_EQ(Read(*source, 8, 9), "89");
  EXPECT_EQ(Read(*source, 3, 4), "3456");
  EXPECT_EQ(server_.requests, 3);
  EXPECT_EQ(Read(*source, 3, 5), "34567");
  EXPECT_EQ(server_.requests, 4) << "another range";
  EXPECT_EQ(cache_->counts().disk_ranges, 3);
  EXPECT_EQ(cache_->counts().disk_bytes, 10);
  EXPECT_EQ(cache_->counts().server_ranges, 1);
  EXPECT_EQ(cache_->counts().server_bytes, 5);
}

TEST_F(RangeCacheTest, NeverMixesTwoVersions) {
  EXPECT_EQ(Read(*Source(), 0, 4), "0123");
  EXPECT_EQ(Read(*Source(), 4, 4), "4567");
  server_.file = "abcdefghij";
  Tag("\"two\"");
  Restart();
  const auto source = Source();
  EXPECT_EQ(Read(*source, 0, 4), "abcd");
  EXPECT_EQ(Read(*source, 4, 4), "efgh");
  // Changed while a source reads it: the rest is of the new version, as it is without a cache.
  server_.file = "ABCDEFGHIJ";
  Tag("\"three\"");
  EXPECT_EQ(Read(*source, 4, 4), "efgh");
  EXPECT_EQ(Read(*source, 4, 3), "EFG");
  EXPECT_EQ(Read(*source, 4, 4), "EFGH");
  // And back, with another size and the first tag.
  server_.file = "01234567";
  Tag("\"one\"");
  Restart();
  EXPECT_EQ(Read(*Source(), 0, 4), "0123");
  EXPECT_EQ(Read(*Source(), 6, 4), "67");
}

TEST_F(RangeCacheTest, TellsVersionsApartByDatesThatAreOldEnough) {
  const std::string changed = "Sat, 28 Nov 2026 10:00:00 GMT";
  server_.headers =
      absl::StrCat("Last-Modified: ", changed, "\r\nDate: Sat, 28 Nov 2026 10:00:01 GMT\r\n");
  server_.not_modified = "If-Modified-Since: " + changed;
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  Restart();
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  EXPECT_EQ(server_.confirmations, 0);
  server_.headers =
      absl::StrCat("Last-Modified: ", changed, "\r\nDate: Sat, 28 Nov 2026 10:00:02 GMT\r\n");
  Restart();
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  Restart();
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  EXPECT_EQ(server_.confirmations, 1);
}

TEST_F(RangeCacheTest, KeepsNothingWithoutAVersionAndSaysSoOnce) {
  for (const char* headers :
       {"", "ETag: W/\"weak\"\r\n", "ETag: \"\"\r\n", "ETag: bare\r\n", "Last-Modified: now\r\n",
        "Last-Modified: Sat, 28 Nov 2026 10:00:00 GMT\r\n",
        "ETag: \"one\"\r\nCache-Control: public, no-store\r\n"}) {
    server_.headers = headers;
    const auto source = Source();
    EXPECT_EQ(Read(*source, 3, 4), "3456");
    EXPECT_EQ(Read(*source, 3, 4), "3456");
  }
  EXPECT_EQ(server_.requests, 14);
  EXPECT_TRUE(Files().empty());
  EXPECT_EQ(Logged("offsets are not cached: their server"), 1);
}

TEST_F(RangeCacheTest, ShowsWhatIsOnDiskWhileTheServerIsAway) {
  deadline_s_ = 0.2;
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  for (const FileServer::Way way :
       {FileServer::Way::kBroken, FileServer::Way::kSilent, FileServer::Way::kBroken}) {
    server_.way = way;
    Restart();
    const int before = server_.requests;
    for (int k = 0; k < 3; ++k) EXPECT_EQ(Read(*Source(), 3, 4), "3456");
    EXPECT_EQ(server_.requests, before + 1) << "the other sources do not ask";
    EXPECT_THAT(Read(*Source(), 2, 4), Not("2345"));
    now_s_ += RangeCache::kAway_s + 1;
    EXPECT_EQ(Read(*Source(), 3, 4), "3456");
    EXPECT_EQ(server_.requests, before + 3);
  }
  server_.way = FileServer::Way::kRanges;
  Restart();
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  EXPECT_EQ(server_.confirmations, 1);
  EXPECT_EQ(Logged("a server of offsets does not answer"), 3);
}

TEST_F(RangeCacheTest, UsesNothingThatWasNotConfirmedForAWeek) {
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  now_s_ += 6 * kDay_s;
  Restart();
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");  // confirms it
  EXPECT_EQ(server_.confirmations, 1);
  server_.way = FileServer::Way::kBroken;
  now_s_ += 6 * kDay_s;
  Restart();
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  now_s_ += 1.1 * kDay_s;
  Restart();
  EXPECT_THAT(Read(*Source(), 3, 4), HasSubstr("answers 503"));
  now_s_ -= 20 * kDay_s;
  Restart();
  EXPECT_THAT(Read(*Source(), 3, 4), HasSubstr("answers 503")) << "confirmed in the future";
}

TEST_F(RangeCacheTest, DoesNotHideAnAnswerOfTheServer) {
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  for (const auto& [way, text] : {std::pair(FileServer::Way::kMissing, "answers 404"),
                                  std::pair(FileServer::Way::kWhole, "answers 200"),
                                  std::pair(FileServer::Way::kOtherRange, "with the range")}) {
    server_.way = way;
    server_.not_modified = "no such line";
    Restart();
    EXPECT_THAT(Read(*Source(), 3, 4), HasSubstr(text));
  }
  server_.way = FileServer::Way::kSilent;
  const auto source = Source();
  source->Stop();
  EXPECT_EQ(files::ReadBytes(*source, 3, 4).status().code(), absl::StatusCode::kCancelled);
}

TEST_F(RangeCacheTest, ReadsDamagedRangesFromTheServer) {
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  for (const fs::path& file : Files()) {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(-1, std::ios::end);
    bytes.put('x');
  }
  Restart();
  EXPECT_EQ(Read(*Source(), 3, 4), "3456");
  EXPECT_THAT(server_.last_request, Not(HasSubstr("If-")));
  EXPECT_EQ(cache_->counts().damaged, 1) << "without the version there is no key of a range";
}

TEST_F(RangeCacheTest, GoesOnWithoutAFolderAndSaysSoOnce) {
  std::ofstream(folder_.string()) << "a file";
  const auto source = Source();
  for (int k = 0; k < 3; ++k) EXPECT_EQ(Read(*source, 3, 4), "3456");
  EXPECT_EQ(server_.requests, 3);
  const std::string all = (cache_ = nullptr, log_.str());
  EXPECT_THAT(all, HasSubstr("is no folder"));
  EXPECT_EQ(all.find("not cached"), all.rfind("not cached"));
  EXPECT_THAT(all, Not(HasSubstr("no more offsets")));
}

TEST_F(RangeCacheTest, GoesOnWhenTheDiskFailsAndSaysSoOnce) {
  const auto source = Source();
  EXPECT_EQ(Read(*source, 3, 4), "3456");
  fs::remove_all(folder_);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(Read(*source, 3, 4), "3456");
  EXPECT_EQ(server_.requests, 4);
  EXPECT_EQ(Logged("no more offsets are cached on disk"), 1);
}

TEST_F(RangeCacheTest, WritesNoUrl) {
  const std::string url = server_.Url() + "&token=SECRET";
  EXPECT_EQ(Read(*Source(url), 3, 4), "3456");
  EXPECT_EQ(Read(*Source(), 3, 5), "34567") << "another URL";
  EXPECT_EQ(Files().size(), 4u);
  for (const fs::path& file : Files()) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(bytes + file.string(), Not(HasSubstr("SECRET")));
    EXPECT_THAT(bytes, Not(HasSubstr("127.0.0.1")));
  }
}

// The record of a version has a valid checksum and any content.
TEST_F(RangeCacheTest, SurvivesEveryRecordOfAVersion) {
  Restart();
  disk_cache::DiskCache disk(folder_, 1 << 20);
  std::mt19937 random(3);
  const std::string good = "\"one\"\n10\n1800000000";
  int known = 0;
  for (int seed = 0; seed < 3000; ++seed) {
    std::string record = good;
    for (size_t k = random() % 4; k > 0; --k) {
      const size_t at = random() % record.size();
      const char c = "\n0-9.e\"\0\xff x"[random() % 12];
      if (random() % 2 == 0)
        record[at] = c;
      else
        record.insert(at, 1, c);
    }
    if (random() % 5 == 0) record.resize(random() % record.size());
    ASSERT_TRUE(disk.Put("version\nhttp://a/b", record).ok());
    const auto last = cache_->LastOf("http://a/b");
    if (!last) continue;
    ++known;
    ASSERT_FALSE(last->version.validator.empty());
    ASSERT_EQ(last->version.validator.find('\n'), std::string::npos);
    ASSERT_GE(last->version.size, 0);
    char to[4];
    ASSERT_FALSE(cache_->Read("http://a/b", last->version, 3, absl::MakeSpan(to)));
  }
  EXPECT_GT(known, 300);
}

TEST_F(RangeCacheTest, StreamsAClipWhoseServerIsGone) {
  offsets::OffsetsHeader header;
  header.points = 40;
  header.frames = 300;
  auto own = std::make_unique<FileServer>(
      *offsets::WriteOffsets(header, {}, offsets::MovingPoints(40, 300)));
  own->headers = "ETag: \"film\"\r\n";
  const std::string url = own->Url();
  const auto play = [&] {
    Restart();
    std::vector<skel::Vec3> sums;
    offsets::OffsetsStream stream({}, 1);  // the server takes one connection at a time
    const int clip = stream.AddClip(Source(url), {40, 0, 0});
    const int character = stream.AddCharacter();
    std::vector<skel::Vec3> out(40);
    double now_s = 0;
    for (size_t f = 0; f < 300; ++f) {
      float factor = 0;
      do {
        stream.Update(now_s += 1.0 / 60);
        factor = stream.At(character, clip, f, absl::MakeSpan(out));
        if (factor < 1) std::this_thread::yield();
      } while (factor < 1 && now_s < 1e5);
      skel::Vec3 sum;
      for (const skel::Vec3& point : out) sum = sum + point;
      sums.push_back(sum);
    }
    EXPECT_LT(now_s, 1e5) << stream.clip_status(clip);
    return sums;
  };
  const auto first = play();
  own = nullptr;
  const auto second = play();
  EXPECT_EQ(cache_->counts().server_ranges, 0);
  ASSERT_EQ(first.size(), second.size());
  for (size_t f = 0; f < first.size(); ++f) {
    EXPECT_EQ(first[f].x, second[f].x);
    EXPECT_EQ(first[f].z, second[f].z);
  }
}

}  // namespace
}  // namespace posewire::renderer_sink
