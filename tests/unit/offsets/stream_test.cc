#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/files/file.h"
#include "libs/offsets/offsets_file.h"
#include "libs/offsets/offsets_stream.h"
#include "libs/offsets/stream_scheduler.h"
#include "tests/unit/offsets/counted_memory.h"
#include "tests/unit/offsets/moving_points.h"

namespace posewire::offsets {
namespace {

using skel::Vec3;
using testing::HasSubstr;

constexpr double kFrame_s = 1.0 / 60;

std::string FileOf(size_t points, size_t frames, Method method = Method::kFloat,
                   unsigned seed = 3) {
  OffsetsHeader header;
  header.method = method;
  header.points = static_cast<uint32_t>(points);
  header.frames = static_cast<uint32_t>(frames);
  header.mesh_hash = 7;
  return *WriteOffsets(header, {.clusters = 3}, MovingPoints(points, frames, seed));
}

// Bytes in memory that come as a test wants them.
class FakeSource : public files::ByteSource {
 public:
  enum class Way { kWhole, kFails, kTruncated, kDamaged };
  explicit FakeSource(std::string bytes) : bytes_(std::move(bytes)) {}

  const std::string& name() const override { return memory_.name(); }
  int64_t Size() const override { return memory_.Size(); }
  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override {
    ++reads;
    if (way == Way::kFails) return absl::UnavailableError("the server is gone");
    const size_t got = *memory_.Read(offset, to);
    if (way == Way::kTruncated) return got / 2;
    if (way == Way::kDamaged && got > 0) to[got / 2] ^= 16;
    return got;
  }

  Way way = Way::kWhole;
  int reads = 0;

 private:
  const std::string bytes_;
  files::MemorySource memory_{"fake", bytes_};
};

// Runs loads as they come, at once.
void RunAll(StreamScheduler& scheduler) {
  while (ChunkLoad* const load = scheduler.Next()) {
    load->Run();
    scheduler.Done(load);
  }
}

struct Stage {
  explicit Stage(std::string bytes, size_t count = 12, const StreamLimits& limits = {})
      : points(count),
        scheduler(limits, 1),
        source(std::make_shared<FakeSource>(std::move(bytes))),
        clip(scheduler.AddClip(source, {static_cast<uint32_t>(count), 7, 0})),
        character(scheduler.AddCharacter()),
        out(count) {}

  // One frame of a picture; loads are run before, or not.
  float Show(size_t frame, bool load = true) {
    now_s += kFrame_s;
    scheduler.Update(now_s);
    if (load) RunAll(scheduler);
    return scheduler.At(character, clip, frame, absl::MakeSpan(out));
  }

  size_t points;
  StreamScheduler scheduler;
  std::shared_ptr<FakeSource> source;
  int clip, character;
  std::vector<Vec3> out;
  double now_s = 0;
};

TEST(StreamScheduler, ShowsTheFramesOfTheFile) {
  const std::vector<Vec3> values = MovingPoints(12, 700);
  Stage stage(FileOf(12, 700));
  stage.Show(0);
  for (size_t f = 0; f < 700; ++f) {
    const float factor = stage.Show(f);
    if (f > 20) {
      ASSERT_EQ(factor, 1) << f;
    }
    for (size_t i = 0; i < 12; ++i) ASSERT_EQ(stage.out[i].x, values[f * 12 + i].x) << f;
  }
}

TEST(StreamScheduler, HasTheFirstChunkBeforeAnyoneAsksAndTheNextBeforeItIsNeeded) {
  Stage stage(FileOf(12, 700));
  EXPECT_FALSE(stage.scheduler.clip_ready(stage.clip));
  for (int k = 0; k < 2; ++k) {
    stage.scheduler.Update(k * kFrame_s);
    RunAll(stage.scheduler);
  }
  EXPECT_TRUE(stage.scheduler.clip_ready(stage.clip));
  EXPECT_EQ(stage.scheduler.counts().held_chunks, 1u);
  EXPECT_EQ(stage.Show(0), 1);  // nothing was shown before it that could jump
  stage.Show(1);
  EXPECT_EQ(stage.scheduler.counts().held_chunks, 2u);
  EXPECT_EQ(stage.scheduler.counts().starved, 0u);
}

TEST(StreamScheduler, FadesInWhatComesLateAndOutWhatIsMissing) {
  Stage stage(FileOf(12, 700));
  EXPECT_EQ(stage.Show(0, false), 0);
  stage.Show(1, true);
  stage.Show(2, true);
  float last = stage.Show(3, false);
  EXPECT_GT(last, 0);
  EXPECT_LT(last, 0.5);
  for (size_t f = 4; f < 20; ++f) last = stage.Show(f, false);
  EXPECT_EQ(last, 1);
  // A seek to where nothing is: the frame that was shown is held and fades.
  const std::vector<Vec3> held = stage.out;
  for (int k = 0; k < 11; ++k) {
    const float factor = stage.Show(600, false);
    EXPECT_LT(factor, last);
    EXPECT_GE(factor, last - 0.1f);
    EXPECT_EQ(stage.out[1].x, held[1].x);
    last = factor;
  }
  for (int k = 0; k < 3; ++k) last = stage.Show(600, false);
  EXPECT_EQ(last, 0);
  stage.Show(600);
  for (int k = 0; k < 14; ++k) last = stage.Show(600, false);
  EXPECT_EQ(last, 1);
}

// A jump to what is missing, and what comes while the old frame still fades waits for its end.
TEST(StreamScheduler, HoldsTheFrameThatFadesEvenIfTheNewOneComesMeanwhile) {
  Stage stage(FileOf(12, 1100));
  for (size_t f = 0; f < 30; ++f) stage.Show(f);
  const std::vector<Vec3> held = stage.out;
  float last = stage.Show(1000, false);
  int frames = 0;
  for (; frames < 60; ++frames) {
    const float factor = stage.Show(1000);
    if (factor <= 0) break;
    EXPECT_LT(factor, last);
    EXPECT_EQ(stage.out[1].x, held[1].x);
    last = factor;
  }
  ASSERT_LT(frames, 60);
  EXPECT_GT(frames, 2);
  EXPECT_LT(last, 0.2f);
  EXPECT_GT(stage.Show(1000), 0);
  EXPECT_NE(stage.out[1].x, held[1].x);
}

TEST(StreamScheduler, EvictsWhatIsNeededLastAndNeverWhatIsShown) {
  StreamLimits limits;
  limits.chunks = 2;
  Stage stage(FileOf(12, 256 * 6), 12, limits);
  for (size_t f = 0; f < 256 * 6; ++f) {
    const float factor = stage.Show(f);
    if (f > 20) {
      ASSERT_EQ(factor, 1) << f;
    }
    ASSERT_LE(stage.scheduler.counts().held_chunks, 2u);
  }
  EXPECT_GE(stage.scheduler.counts().evictions, 4u);
  limits.chunks = 1;  // the shown one stays, so the next never comes before it is too late
  Stage narrow(FileOf(12, 512), 12, limits);
  for (size_t f = 0; f < 256; ++f) narrow.Show(f);
  float last = 1;
  for (size_t f = 256; f < 300; ++f) {
    const float factor = narrow.Show(f);
    ASSERT_LE(std::fabs(factor - last), 0.1f);
    last = factor;
  }
  EXPECT_EQ(last, 1);
}

TEST(StreamScheduler, PlaysBackwardsAsWell) {
  StreamLimits limits;
  limits.chunks = 2;
  Stage stage(FileOf(12, 256 * 5), 12, limits);
  for (size_t f = 256 * 5; f-- > 0;) {
    const float factor = stage.Show(f);
    if (f < 256 * 5 - 20) {
      ASSERT_EQ(factor, 1) << f;
    }
  }
}

TEST(StreamScheduler, RejectsFilesOfOthersAndTriesAgainLaterAndLater) {
  Stage stage(FileOf(12, 300), 13);
  for (int k = 0; k < 600; ++k) EXPECT_EQ(stage.Show(0), 0);
  EXPECT_THAT(std::string(stage.scheduler.clip_status(stage.clip).message()),
              HasSubstr("of 12 points, expected 13; bake them again"));
  EXPECT_LE(stage.scheduler.counts().failures, 6u);  // in ten seconds
  EXPECT_GE(stage.scheduler.counts().failures, 4u);
}

TEST(StreamScheduler, SaysThatAChecksumIsWrong) {
  Stage stage(FileOf(12, 300));
  stage.scheduler.Update(0);
  RunAll(stage.scheduler);
  stage.source->way = FakeSource::Way::kDamaged;
  EXPECT_EQ(stage.Show(0), 0);
  EXPECT_EQ(stage.scheduler.clip_status(stage.clip).code(), absl::StatusCode::kDataLoss);
  stage.source->way = FakeSource::Way::kWhole;
  for (int k = 0; k < 60; ++k) stage.Show(0);
  EXPECT_TRUE(stage.scheduler.clip_status(stage.clip).ok());
  EXPECT_EQ(stage.Show(0), 1);
}

TEST(StreamScheduler, DropsWhatWasUnderWayOfAClipThatIsRemoved) {
  Stage stage(FileOf(12, 700));
  stage.Show(0);
  stage.Show(0, false);
  stage.scheduler.Update(stage.now_s);
  ChunkLoad* const load = stage.scheduler.Next();
  ASSERT_NE(load, nullptr);
  stage.scheduler.RemoveClip(stage.clip);
  EXPECT_EQ(stage.scheduler.At(stage.character, stage.clip, 0, absl::MakeSpan(stage.out)), 0);
  const int other = stage.scheduler.AddClip(stage.source, {12, 7, 0});
  EXPECT_NE(other, stage.clip);
  load->Run();
  stage.scheduler.Done(load);
  stage.clip = other;
  for (int k = 0; k < 30; ++k) stage.Show(0);
  EXPECT_EQ(stage.Show(0), 1);
}

// Loads with the time at which they are done; of fixed size, so that only the stream allocates.
struct UnderWay {
  ChunkLoad* load = nullptr;
  double done_s = 0;
};

// A thousand times: played, seeked, paused, starved and interrupted at random.
TEST(StreamScheduler, NeverStallsJumpsOrTakesMoreThanItsMemory) {
  constexpr size_t kPoints = 60, kClips = 6, kCharacters = 4, kLoads = 3;
  std::vector<std::string> files;
  for (size_t c = 0; c < kClips; ++c) {
    files.push_back(FileOf(kPoints, 300 + 400 * c, static_cast<Method>((c * 3 + 5) % 10),
                           static_cast<unsigned>(c)));
  }
  std::vector<std::vector<Vec3>> values;
  for (size_t c = 0; c < kClips; ++c) {
    const OffsetsFile file = *OffsetsFile::Parse(files[c]);
    values.emplace_back(kPoints * (300 + 400 * c));
    for (size_t f = 0; f < 300 + 400 * c; ++f) {
      const auto chunk = file.Open(f / kChunkFrames);
      (*chunk)->Frame(f % kChunkFrames, absl::MakeSpan(values[c]).subspan(f * kPoints, kPoints));
    }
  }
  std::mt19937 random(20);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  uint64_t shown_whole = 0, queries = 0, failures = 0, evictions = 0, starved = 0;
  double tightest = 0;
  for (int run = 0; run < 10; ++run) {
    StreamLimits limits;
    limits.file.frames = 4096;
    // From what a chunk or two need to what is plenty.
    limits.budget_bytes = size_t{700'000} + size_t{250'000} * static_cast<size_t>(run);
    limits.chunks = static_cast<size_t>(run) % 3 == 0 ? 3 : 64;
    StreamScheduler scheduler(limits, kLoads);
    std::vector<std::shared_ptr<FakeSource>> sources;
    for (size_t c = 0; c < kClips; ++c) {
      sources.push_back(std::make_shared<FakeSource>(files[c]));
      ASSERT_EQ(scheduler.AddClip(sources[c], {kPoints, 7, 0}), static_cast<int>(c));
    }
    for (size_t k = 0; k < kCharacters; ++k) scheduler.AddCharacter();
    struct Playing {
      size_t clip = 0, frame = 0;
      int step = 1;
      bool hidden = false, was_hidden = true;
      float factor = 0;
    };
    std::vector<Playing> playing(kCharacters);
    std::vector<UnderWay> under_way(kLoads);
    std::vector<Vec3> out(kPoints);
    double now_s = 0;
    const size_t before = counted_bytes.load();
    most_counted_bytes.store(before);
    for (int script = 0; script < 100; ++script) {
      for (Playing& p : playing) {
        if (below(3) != 0) continue;
        const size_t before_it = p.clip;
        if (below(2) == 0) p.clip = below(kClips);
        p.frame = below(static_cast<unsigned>(300 + 400 * p.clip));
        p.step = static_cast<int>(below(4)) - 1;
        p.was_hidden = p.hidden || p.clip != before_it;  // else it is a seek
        p.hidden = below(5) == 0;
      }
      for (auto& source : sources) {
        const unsigned way = below(10);
        source->way = way == 0   ? FakeSource::Way::kFails
                      : way == 1 ? FakeSource::Way::kTruncated
                      : way == 2 ? FakeSource::Way::kDamaged
                                 : FakeSource::Way::kWhole;
      }
      const double slowest_s = below(3) == 0 ? 3 : 0.05;
      for (int frame = 0; frame < 60; ++frame) {
        const double passed_s = below(50) == 0 ? 0.5 : kFrame_s * (1 + below(2));
        now_s += passed_s;
        for (UnderWay& work : under_way) {
          if (work.load == nullptr || work.done_s > now_s) continue;
          work.load->Run();
          ASSERT_LE(most_counted_bytes.load() - before, limits.budget_bytes);
          const size_t calls = counted_calls.load();
          scheduler.Done(work.load);
          ASSERT_EQ(counted_calls.load(), calls);
          work.load = nullptr;
        }
        const size_t calls = counted_calls.load();
        scheduler.Update(now_s);
        for (UnderWay& work : under_way) {
          if (work.load != nullptr) continue;
          work.load = scheduler.Next();
          if (work.load == nullptr) break;
          work.done_s = now_s + slowest_s * below(1000) / 1000;
        }
        for (size_t k = 0; k < kCharacters; ++k) {
          Playing& p = playing[k];
          if (p.hidden) continue;
          const auto frames = static_cast<int>(300 + 400 * p.clip);
          p.frame = static_cast<size_t>((static_cast<int>(p.frame) + p.step + frames) % frames);
          out[1].x = 77;
          const float factor = scheduler.At(static_cast<int>(k), static_cast<int>(p.clip), p.frame,
                                            absl::MakeSpan(out));
          if (factor < 0 || factor > 1) FAIL() << factor;
          const double most = std::min(passed_s, kLongestStep_s) / kFade_s + 1e-5;
          if (!p.was_hidden && std::fabs(factor - p.factor) > most) {
            FAIL() << "from " << p.factor << " to " << factor << " in " << passed_s;
          }
          if (factor == 0 && out[1].x != 77) FAIL() << "wrote what is not shown";
          if (factor > p.factor && !p.was_hidden) {
            const Vec3* const expected = &values[p.clip][p.frame * kPoints];
            for (size_t i = 0; i < kPoints; ++i) {
              if (out[i].x != expected[i].x || out[i].z != expected[i].z) FAIL() << "wrong frame";
            }
          }
          ++queries;
          shown_whole += factor == 1;
          p.factor = factor;
          p.was_hidden = false;
        }
        if (counted_calls.load() != calls) FAIL() << "the frame path allocated or freed";
        if (scheduler.counts().used_bytes > limits.budget_bytes) FAIL() << "over its budget";
        if (scheduler.counts().held_chunks > limits.chunks) FAIL() << "too many chunks";
      }
    }
    tightest = std::max(tightest, static_cast<double>(most_counted_bytes.load() - before) /
                                      static_cast<double>(limits.budget_bytes));
    failures += scheduler.counts().failures;
    evictions += scheduler.counts().evictions;
    starved += scheduler.counts().starved;
    for (UnderWay& work : under_way) {
      if (work.load == nullptr) continue;
      work.load->Run();
      scheduler.Done(work.load);
    }
  }
  // The script does what it says: much was shown, much was missing.
  EXPECT_GT(shown_whole, queries / 10);
  EXPECT_GT(starved, queries / 100);
  EXPECT_GT(failures, 100u);
  EXPECT_GT(evictions, 100u);
  RecordProperty("shown_whole_per_cent", static_cast<int>(100 * shown_whole / queries));
  RecordProperty("most_of_budget_per_cent", static_cast<int>(100 * tightest));
}

TEST(OpenBytes, IsNoLessThanWhatOpeningTakes) {
  for (const MethodEntry& entry : Methods()) {
    for (const size_t points : {size_t{1}, size_t{40}, size_t{1500}}) {
      const std::string bytes = FileOf(points, 300, entry.method);
      const FileIndex index = *FileIndex::Parse(bytes, bytes.size());
      for (size_t c = 0; c < 2; ++c) {
        const ChunkPlace& place = index.place(c);
        const absl::string_view stored =
            absl::string_view(bytes).substr(place.offset, place.stored);
        const size_t before = counted_bytes.load();
        most_counted_bytes.store(before);
        const auto chunk = index.Open(c, stored);
        ASSERT_TRUE(chunk.ok()) << chunk.status();
        EXPECT_LE(most_counted_bytes.load() - before, index.OpenBytes(c)) << entry.name;
        const size_t held = counted_bytes.load() - before;
        EXPECT_LE(held, (*chunk)->held_bytes() + 8) << entry.name << points;
        EXPECT_GE(held + 64, (*chunk)->held_bytes()) << entry.name << points;
      }
    }
  }
}

TEST(OffsetsStream, PlaysAFileFromDiskWithWorkers) {
  const char* const folder = std::getenv("TMPDIR");
  const std::string path =
      absl::StrCat(folder == nullptr ? "/tmp" : folder, "/stream_test.",
                   ::testing::UnitTest::GetInstance()->random_seed(), ".",
                   std::hash<std::thread::id>()(std::this_thread::get_id()), ".offsets");
  const std::vector<Vec3> values = MovingPoints(50, 600);
  std::ofstream(path, std::ios::binary) << FileOf(50, 600);
  auto source = files::File::Open(path, files::File::Mode::kRead);
  ASSERT_TRUE(source.ok()) << source.status();
  std::remove(path.c_str());  // an open file stays
  OffsetsStream stream;
  const int clip = stream.AddClip(*std::move(source), {50, 7, 0}),
            character = stream.AddCharacter();
  std::vector<Vec3> out(50);
  double now_s = 0;
  for (size_t f = 0; f < 600; ++f) {
    // The workers' time is the machine's: wait for them only as a test can.
    float factor = 0;
    do {
      stream.Update(now_s += kFrame_s);
      factor = stream.At(character, clip, f, absl::MakeSpan(out));
      if (factor < 1) std::this_thread::yield();
    } while (factor < 1 && now_s < 1e5);
    ASSERT_EQ(factor, 1) << f << ": " << stream.clip_status(clip);
    ASSERT_EQ(out[1].y, values[f * 50 + 1].y) << f;
  }
  EXPECT_EQ(stream.counts().held_chunks, 3u);
}

}  // namespace
}  // namespace posewire::offsets
