// Records between the messages of an .animdata file: what old readers make of them, what damage
// costs, and what a span of time costs to read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/chunk_record.h"
#include "libs/recording/clip_reader.h"
#include "libs/recording/crc32c.h"
#include "libs/recording/salvage.h"
#include "tests/unit/clipio/temp_file.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::HasSubstr;
using SerializedMessages = std::vector<std::string>;

constexpr double kRate_hz = 30;

// `pad` bytes of metadata in each message make chunks of few messages.
SerializedMessages Talk(int frames, size_t pad) {
  SerializedMessages out = {wire::SmallHeader().SerializeAsString()};
  for (int i = 0; i < frames; ++i) {
    ace::AnimationDataStream m = wire::Weights(i / kRate_hz, {static_cast<float>(i), 0.5f});
    auto& any = (*m.mutable_animation_data()->mutable_metadata())["pad"];
    any.set_value(std::string(pad, static_cast<char>('a' + i % 26)));
    out.push_back(m.SerializeAsString());
  }
  ace::AnimationDataStream last;
  last.mutable_status()->set_message("done");
  out.push_back(last.SerializeAsString());
  return out;
}

void WriteTo(ClipWriter& writer, const SerializedMessages& messages) {
  for (const std::string& m : messages) {
    const absl::Span<const uint8_t> slices[] = {wire::AsBytes(m)};
    ASSERT_THAT(writer.WriteSerialized(slices), IsOk());
  }
}

std::string Recording(const SerializedMessages& messages, bool finished = true) {
  std::string bytes;
  auto writer = ClipWriter::Open(std::make_unique<files::MemorySink>("take.animdata", &bytes));
  EXPECT_THAT(writer, IsOk());
  WriteTo(**writer, messages);
  if (finished) {
    EXPECT_THAT((*writer)->Close(), IsOk());
  }
  return bytes;
}

struct FramedMessage {
  size_t start = 0, end = 0;
  std::string message;
  bool is_record = false;
};

std::vector<FramedMessage> FramesOf(absl::string_view file) {
  std::vector<FramedMessage> out;
  for (size_t at = 0; at < file.size();) {
    const auto framing = recording::ReadFraming(file.substr(at));
    const size_t end = at + static_cast<size_t>(framing->bytes());
    const std::string message(file.substr(at + framing->length_bytes, framing->message_bytes));
    out.push_back({at, end, message, recording::IsRecord(message)});
    at = end;
  }
  return out;
}

// As they were written before there were records.
std::string OldFile(const SerializedMessages& messages) {
  std::string out;
  for (const std::string& m : messages) {
    recording::AppendVarint(m.size(), &out);
    out += m;
  }
  return out;
}

struct ReadResult {
  SerializedMessages messages;
  absl::Status fault;
};

ReadResult ReadSerialized(const std::string& file) {
  auto reader =
      OpenClip(std::make_unique<files::MemorySource>("take.animdata", file), OpenOptions());
  EXPECT_THAT(reader, IsOk());
  ReadResult out;
  while (true) {
    auto next = (*reader)->NextBytes();
    out.fault = next.status();
    if (!next.ok() || !*next) return out;
    out.messages.push_back(**std::move(next));
  }
}

struct Salvaged {
  SerializedMessages messages;
  int64_t lost_bytes = 0;
};

Salvaged SalvageAll(const std::string& file) {
  Salvaged out;
  files::MemorySource source("take.animdata", file);
  int64_t done = 0;
  EXPECT_THAT(recording::Salvage(source, {.take =
                                              [&](absl::string_view m, int64_t start, int64_t end) {
                                                EXPECT_GE(start, done);
                                                EXPECT_GT(end, start);
                                                done = end;
                                                out.messages.emplace_back(m);
                                                return absl::OkStatus();
                                              },
                                          .lose =
                                              [&](int64_t start, int64_t end) {
                                                EXPECT_GE(start, done);
                                                done = end;
                                                out.lost_bytes += end - start;
                                              }}),
              IsOk());
  return out;
}

// How many of `all` are not in `some`, which must be a part of it, in its order.
size_t Missing(const SerializedMessages& all, const SerializedMessages& some) {
  size_t at = 0;
  for (const std::string& m : some) {
    while (at < all.size() && all[at] != m) ++at;
    if (at++ == all.size()) return std::numeric_limits<size_t>::max();
  }
  return all.size() - some.size();
}

TEST(Crc32c, IsCastagnolis) {
  EXPECT_EQ(recording::Crc32c(""), 0u);
  EXPECT_EQ(recording::Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(recording::Crc32c(std::string(32, '\0')), 0x8a9136aau);
  const std::string text = "The quick brown fox jumps over the lazy dog";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(recording::Crc32c(text.substr(cut), recording::Crc32c(text.substr(0, cut))),
              recording::Crc32c(text));
  }
}

TEST(Recording, HasARecordBehindTheHeaderAndEach64KiBAndAtItsEnd) {
  const std::string file = Recording(Talk(300, 1000));
  const auto frames = FramesOf(file);
  EXPECT_TRUE(frames[1].is_record);
  EXPECT_TRUE(frames.back().is_record);
  size_t records = 0, chunk = 0;
  for (const FramedMessage& f : frames) {
    records += f.is_record;
    chunk = f.is_record ? 0 : chunk + f.end - f.start;
    EXPECT_LT(chunk, recording::kChunkBytes + 2000);
  }
  EXPECT_EQ(records, 2u + 300u * 1000u / recording::kChunkBytes);
  const auto last = recording::ParseRecord(absl::string_view(file).substr(frames.back().start));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->index().bytes_size(), static_cast<int>(records));
}

// Old readers know nothing of records: they take each frame for a message.
TEST(Recording, ToAnOldReaderIsAWholeStreamWithTheSameLastStatus) {
  const SerializedMessages messages = Talk(300, 1000);
  wire::FrameReader reader(asset::FileLimits());
  wire::Chunk chunk;
  size_t others = 0;
  for (const FramedMessage& f : FramesOf(Recording(messages))) {
    ace::AnimationDataStream parsed;
    ASSERT_TRUE(parsed.ParseFromString(f.message));
    const absl::Span<const uint8_t> slices[] = {wire::AsBytes(f.message)};
    ASSERT_THAT(reader.Read(slices, &chunk), IsOk());
    others += !f.is_record;
  }
  EXPECT_EQ(others, messages.size());
  ASSERT_TRUE(std::holds_alternative<wire::StatusChunk>(chunk));
  EXPECT_EQ(std::get<wire::StatusChunk>(chunk).message, "done");
}

TEST(Recording, OfAnOldFileAllIsRead) {
  const SerializedMessages messages = Talk(300, 1000);
  const ReadResult read = ReadSerialized(OldFile(messages));
  EXPECT_THAT(read.fault, IsOk());
  EXPECT_EQ(read.messages, messages);
  EXPECT_EQ(SalvageAll(OldFile(messages)).messages, messages);
}

TEST(Recording, ThatWasNotFinishedIsWhole) {
  const SerializedMessages messages = Talk(300, 1000);
  const std::string file = Recording(messages, false);
  EXPECT_EQ(ReadSerialized(file).messages, messages);
  EXPECT_EQ(SalvageAll(file).messages, messages);
  EXPECT_EQ(SalvageAll(file.substr(0, file.size() - 3)).messages.size(), messages.size() - 1);
}

TEST(Recording, FilesOneBehindTheOtherAreRead) {
  const SerializedMessages messages = Talk(100, 1000);
  const std::string file = Recording(messages);
  const ReadResult read = ReadSerialized(file + file);
  EXPECT_THAT(read.fault, IsOk());
  EXPECT_EQ(read.messages.size(), 2 * messages.size());
  EXPECT_EQ(SalvageAll(file + file).messages.size(), 2 * messages.size());
}

TEST(Recording, AppendingGoesOnWithItsRecordsAndItsIndex) {
  const SerializedMessages messages = Talk(400, 1000);
  for (const bool old : {false, true}) {
    for (const size_t cut : {size_t{1}, size_t{5}, size_t{150}, messages.size()}) {
      const SerializedMessages first(messages.begin(),
                                     messages.begin() + static_cast<ptrdiff_t>(cut));
      const SerializedMessages rest(messages.begin() + static_cast<ptrdiff_t>(cut), messages.end());
      const TempFile file(".animdata", old ? OldFile(first) : Recording(first));
      auto writer = ClipWriter::Open(file.path(), {std::nullopt, true});
      ASSERT_THAT(writer, IsOk());
      WriteTo(**writer, rest);
      ASSERT_THAT((*writer)->Close(), IsOk());
      if (!old) {
        EXPECT_EQ(file.Content(), Recording(messages)) << cut;
      }
      EXPECT_EQ(ReadSerialized(file.Content()).messages, messages);
      const auto frames = FramesOf(file.Content());
      const auto last =
          recording::ParseRecord(absl::string_view(file.Content()).substr(frames.back().start));
      ASSERT_TRUE(last);
      uint64_t bytes = 0;
      for (const uint64_t chunk : last->index().bytes()) bytes += chunk;
      EXPECT_EQ(bytes, frames.back().start);
    }
  }
}

// Every place where something is framed, and many others.
std::vector<size_t> PlacesOf(const std::string& file) {
  std::vector<size_t> places;
  for (const FramedMessage& f : FramesOf(file)) {
    for (size_t i = f.start; i < std::min(f.end, f.start + 40); ++i) places.push_back(i);
    for (size_t i = f.end - 8; i < f.end; ++i) places.push_back(i);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) places.push_back(random() % file.size());
  return places;
}

TEST(Recording, AFlippedByteAnywhereCostsNoMoreThanItsMessage) {
  const SerializedMessages messages = Talk(70, 3000);
  const std::string file = Recording(messages);
  const auto frames = FramesOf(file);
  std::mt19937 random(11);
  size_t unharmed = 0;
  for (const size_t at : PlacesOf(file)) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random() % 255));
    const Salvaged found = SalvageAll(damaged);
    ASSERT_LE(Missing(messages, found.messages), 1u) << "byte " << at;
    const auto hit = std::find_if(frames.begin(), frames.end(), [&](const FramedMessage& f) {
      return at >= f.start && at < f.end;
    });
    ASSERT_LE(found.lost_bytes, static_cast<int64_t>(hit->end - hit->start)) << "byte " << at;
    unharmed += found.messages.size() == messages.size();
  }
  EXPECT_GT(unharmed, 40u);  // those in records, and in the header, which stands twice
}

// The same, where what was hit may be found too: its record was hit as well.
size_t MissingAnyhow(const SerializedMessages& all, const SerializedMessages& some) {
  return static_cast<size_t>(std::count_if(all.begin(), all.end(), [&](const std::string& m) {
    return std::find(some.begin(), some.end(), m) == some.end();
  }));
}

TEST(Recording, AHoleCostsNoMoreThanItsChunks) {
  const SerializedMessages messages = Talk(400, 1000);
  const std::string file = Recording(messages);
  const size_t most = 2 * (recording::kChunkBytes / 1000 + 2);
  for (size_t at = 0; at + 4096 < file.size(); at += 9001) {
    std::string damaged = file;
    damaged.replace(at, 4096, 4096, '\0');
    EXPECT_LE(MissingAnyhow(messages, SalvageAll(damaged).messages), most) << at;
    // Cut out, so that nothing behind it stands where it stood.
    damaged = std::string(file).erase(at, 4096);
    EXPECT_LE(MissingAnyhow(messages, SalvageAll(damaged).messages), most) << at;
  }
}

// The mark of a record in one, wherever it stands.
TEST(Recording, AMessageThatHoldsTheMarkIsSalvaged) {
  ace::AnimationDataStream status;
  status.mutable_status()->set_message("done");
  for (size_t pad = 0; pad < 16; ++pad) {
    const std::string unknown =
        absl::StrCat("\x7a", std::string(1, static_cast<char>(pad + recording::kRecordMark.size())),
                     std::string(pad, 'x'), recording::kRecordMark);
    const std::string file =
        OldFile({status.SerializeAsString() + unknown, unknown,
                 unknown + status.SerializeAsString(), status.SerializeAsString()});
    const ReadResult read = ReadSerialized(file);
    EXPECT_THAT(read.fault, IsOk());
    EXPECT_GE(read.messages.size(), 2u) << pad;
    EXPECT_EQ(SalvageAll(file).messages, read.messages) << pad;
  }
}

// Somebody puts a recording into the metadata of a stream.
TEST(Recording, ARecordingWithinAMessageIsNotTakenForThisOne) {
  SerializedMessages messages = Talk(300, 1000);
  for (const size_t place : {size_t{100}, size_t{150}, size_t{300}}) {
    ace::AnimationDataStream m;
    ASSERT_TRUE(m.ParseFromString(messages[place]));
    auto& any = (*m.mutable_animation_data()->mutable_metadata())["pad"];
    any.set_value(Recording(Talk(90, 1000)));
    messages[place] = m.SerializeAsString();
  }
  const std::string file = Recording(messages);
  EXPECT_EQ(ReadSerialized(file).messages, messages);
  EXPECT_EQ(SalvageAll(file).messages, messages);
  EXPECT_EQ(SalvageAll(OldFile(messages)).messages, messages);
  std::string damaged = file;
  damaged[FramesOf(file)[20].start + 500] ^= 1;
  EXPECT_EQ(Missing(messages, SalvageAll(damaged).messages), 1u);
}

TEST(Recording, ReadingTellsOfAMessageThatIsNotWhatWasWritten) {
  const std::string file = Recording(Talk(300, 1000));
  const auto frames = FramesOf(file);
  std::string damaged = file;
  damaged[frames[40].start + 500] ^= 1;
  const ReadResult read = ReadSerialized(damaged);
  EXPECT_THAT(read.fault,
              Fails(absl::StatusCode::kDataLoss,
                    HasSubstr(absl::StrCat("byte ", frames[40].start, ": the message"))));
  EXPECT_LT(read.messages.size(), 120u);
}

// Somebody who knows nothing of records has changed the messages.
TEST(Recording, RecordsThatDoNotFitAreNoFault) {
  std::string file;
  for (const FramedMessage& f : FramesOf(Recording(Talk(300, 1000)))) {
    const std::string message = f.is_record ? f.message : f.message + "\xb8\x3e\x01";
    recording::AppendVarint(message.size(), &file);
    file += message;
  }
  const ReadResult read = ReadSerialized(file);
  EXPECT_THAT(read.fault, IsOk());
  EXPECT_EQ(read.messages.size(), 302u);
}

class CountingSource final : public files::ByteSource {
 public:
  CountingSource(std::string bytes, int64_t* read)
      : bytes_(std::move(bytes)), source_("take.animdata", bytes_), read_(read) {}
  const std::string& name() const override { return source_.name(); }
  int64_t Size() const override { return source_.Size(); }
  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override {
    const auto n = source_.Read(offset, to);
    if (n.ok()) *read_ += static_cast<int64_t>(*n);
    return n;
  }

 private:
  const std::string bytes_;
  files::MemorySource source_;
  int64_t* const read_;
};

struct Narrowed {
  SerializedMessages messages;
  int64_t read_bytes = 0;
};

Narrowed ReadSpan(const std::string& file, double from_s, double to_s) {
  Narrowed out;
  auto reader =
      OpenClip(std::make_unique<CountingSource>(file, &out.read_bytes), {{}, Format::kAnimData});
  EXPECT_THAT(reader, IsOk());
  EXPECT_THAT((*reader)->Narrow(from_s, to_s), IsOk());
  while (true) {
    const auto next = (*reader)->Next();
    EXPECT_THAT(next, IsOk());
    if (!next.ok() || !*next) return out;
    out.messages.push_back(*(**next).bytes);
  }
}

TEST(Recording, ASpanIsReadWithoutTheRest) {
  const SerializedMessages messages = Talk(6000, 1000);
  const std::string file = Recording(messages);
  ASSERT_GT(file.size(), 6u << 20);
  const auto at = [&](double t_s) {
    return messages.begin() + 1 + static_cast<ptrdiff_t>(t_s * kRate_hz);
  };
  for (const auto& [from_s, to_s] : {std::pair{0.0, 1.0}, {100.0, 101.0}, {199.0, 300.0}}) {
    const Narrowed span = ReadSpan(file, from_s, to_s);
    EXPECT_LT(span.read_bytes, static_cast<int64_t>(file.size() / 10)) << from_s;
    EXPECT_LT(span.messages.size(), messages.size() / 10);
    EXPECT_LT(Missing(messages, span.messages), messages.size());
    const SerializedMessages wanted(at(from_s), to_s > 200 ? messages.end() : at(to_s));
    EXPECT_NE(std::search(span.messages.begin(), span.messages.end(), wanted.begin(), wanted.end()),
              span.messages.end());
  }
  EXPECT_EQ(ReadSpan(OldFile(messages), 100, 101).messages, messages);
}

TEST(Recording, TheKeyThatIsHeldComesHoweverOldItIs) {
  SerializedMessages messages = Talk(3000, 1000);
  ace::AnimationDataStream hips;
  wire::AddTranslations(0.5, wire::Float3s(3, {1, 2, 3}), &hips);
  messages.insert(messages.begin() + 300, hips.SerializeAsString());
  const Narrowed span = ReadSpan(Recording(messages), 90, 91);
  EXPECT_LT(span.messages.size(), 500u);
  EXPECT_EQ(std::count(span.messages.begin(), span.messages.end(), hips.SerializeAsString()), 1);
}

}  // namespace
}  // namespace posewire::clipio
