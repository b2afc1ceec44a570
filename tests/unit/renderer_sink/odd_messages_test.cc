// Each row of the table in docs/sources-and-sinks.md, "Messages that break the rules",
// recorded in each format and read back.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "libs/clipio/format_table.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/wire/frame_reader.h"
#include "services/renderer_sink/record/record_consumer.h"
#include "tests/unit/renderer_sink/messages.h"

namespace posewire::renderer_sink {
namespace {

constexpr int kBefore = 30, kAfter = 30;

// What a server sends, and what the recording has of it: good frames are numbered on.
class Sent {
 public:
  void Bytes(std::string bytes) { all_.push_back(std::move(bytes)); }
  void Put(const Message& message) { Bytes(message.SerializeAsString()); }
  void Header(const char* shape = "jawOpen") {
    Message header = HeaderOf(1.7e9);
    header.mutable_animation_data_stream_header()
        ->mutable_skel_animation_header()
        ->set_blend_shapes(0, shape);
    Put(header);
  }
  // Frames from `first_s` on. Of two after each other a value in the middle is neither's.
  void Frames(int frames, double first_s, const std::string& more_bytes = "") {
    for (int i = 0; i < frames; ++i) {
      Bytes(Frame(frames_++, first_s + i / 30.0).SerializeAsString() + more_bytes);
    }
  }
  static Message Frame(int number, double time_code_s) {
    Message message;
    auto& data = *message.mutable_animation_data();
    auto& skel = *data.mutable_skel_animation();
    auto& weights = *skel.add_blend_shape_weights();
    weights.set_time_code(time_code_s);
    weights.add_values(WeightOf(number));
    auto& turns = *skel.add_rotations();
    turns.set_time_code(time_code_s);
    auto& turn = *turns.add_values();
    turn.set_real(std::cos(TurnOf(number)));
    turn.set_j(std::sin(TurnOf(number)));
    auto& audio = *data.mutable_audio();
    const int first = number * 16000 / 30;
    audio.set_time_code(std::max(0.0, time_code_s + (first / 16000.0 - number / 30.0)));
    std::string pcm;
    for (int n = first; n < (number + 1) * 16000 / 30; ++n) {
      pcm += static_cast<char>(n & 0xFF);
      pcm += static_cast<char>(n >> 8 & 0xFF);
    }
    audio.set_audio_buffer(pcm);
    return message;
  }
  static float WeightOf(int number) {
    return 0.25f + 0.5f * static_cast<float>(number % 2) + 0.001f * static_cast<float>(number);
  }
  static float TurnOf(int number) { return WeightOf(number) / 4; }

  const std::vector<std::string>& all() const { return all_; }
  int frames() const { return frames_; }

 private:
  std::vector<std::string> all_;
  int frames_ = 0;
};

struct OddRow {
  const char* name;
  void (*odd)(Sent& sent);
  int faulty = 0;  // messages of these
  // The first message is odd, before any header.
  bool first = false;
  double goes_on_at_s = kBefore / 30.0;
};

std::string WrongFrame(void (*change)(Message& message)) {
  Message message = Sent::Frame(0, kBefore / 30.0);
  change(message);
  return message.SerializeAsString();
}

const OddRow kOddRows[] = {
    {"SecondHeader", [](Sent& sent) { sent.Header(); }},
    {"HeaderWithOddIds",
     [](Sent& sent) {
       Message header = HeaderOf(1.7e9);
       header.mutable_animation_data_stream_header()->mutable_animation_ids()->set_request_id(
           "a\tb");
       sent.Put(header);
     }},
    {"HeaderWithOddIdsFirst",
     [](Sent& sent) {
       Message header = HeaderOf(1.7e9);
       header.mutable_animation_data_stream_header()->mutable_animation_ids()->set_stream_id("");
       header.mutable_animation_data_stream_header()->set_source_service_id("a\nb");
       sent.Put(header);
     },
     0, true},
    {"FaultyHeader",
     [](Sent& sent) {
       Message header = HeaderOf(1.7e9);
       header.mutable_animation_data_stream_header()->mutable_audio_header()->set_channel_count(2);
       sent.Put(header);
     },
     1},
    {"FaultyHeaderFirst",
     [](Sent& sent) {
       Message header = HeaderOf(1.7e9);
       header.mutable_animation_data_stream_header()->mutable_skel_animation_header()->add_joints(
           "hips");
       sent.Put(header);
     },
     1, true},
    {"DataBeforeAHeader", [](Sent& sent) { sent.Put(Sent::Frame(7, 400)); }, 1, true},
    {"AStatusBeforeAHeader",
     [](Sent& sent) {
       Message status;
       status.mutable_status()->set_message("hello");
       sent.Put(status);
     },
     0, true},
    {"AMessageWithoutAPart", [](Sent& sent) { sent.Bytes(""); }},
    {"CodesThatRepeat",
     [](Sent& sent) { sent.Put(Sent::Frame(kBefore - 1, (kBefore - 1) / 30.0)); }},
    {"CodesThatFall", [](Sent& sent) { sent.Put(Sent::Frame(3, 3 / 30.0)); }},
    {"CodesThatJump", [](Sent&) {}, 0, false, 400},
    {"CodesThatJumpFar", [](Sent&) {}, 0, false, 1e9},
    {"CodesThatFallFar", [](Sent& sent) { sent.Frames(1, 1e9); }},
    {"UnknownFields", [](Sent& sent) { sent.Frames(1, 1, "\xb8\x3e\x07"); }, 0, false, 31 / 30.0},
    {"ValuesThatAreNotFinite",
     [](Sent& sent) {
       sent.Bytes(WrongFrame([](Message& m) {
         m.mutable_animation_data()
             ->mutable_skel_animation()
             ->mutable_blend_shape_weights(0)
             ->set_values(0, NAN);
       }));
     },
     1},
    {"AKeyOfAnotherLength",
     [](Sent& sent) {
       sent.Bytes(WrongFrame([](Message& m) {
         m.mutable_animation_data()->mutable_skel_animation()->mutable_rotations(0)->add_values();
       }));
     },
     1},
    {"CodesThatDecreaseWithinAMessage",
     [](Sent& sent) {
       sent.Bytes(WrongFrame([](Message& m) {
         auto& skel = *m.mutable_animation_data()->mutable_skel_animation();
         *skel.add_rotations() = skel.rotations(0);
       }));
     },
     1},
    {"NoProtobuf", [](Sent& sent) { sent.Bytes(*Garbage()); }, 1},
};

// What a pull of these bytes gives a consumer (libs/client/pull_client.h).
absl::Status GiveBytes(const std::vector<std::string>& all, RecordConsumer& to, int* faulty) {
  wire::FrameReader reader(wire::ClientLimits());
  wire::Chunk chunk;
  double now_s = 0;
  for (const std::string& one : all) {
    const auto bytes = std::make_shared<const std::string>(one);
    now_s += 1.0 / 30;
    absl::Status s = reader.Read({wire::SpanOf(bytes)}, &chunk);
    if (!s.ok()) {
      ++*faulty;
      s = to.OnFaulty(bytes, s);
    } else if (const auto* header = std::get_if<wire::StreamHeader>(&chunk)) {
      s = to.OnHeader(*header, bytes);
    } else if (const auto* data = std::get_if<wire::DataChunk>(&chunk)) {
      s = to.OnData(*data, bytes, now_s);
    } else {
      s = to.OnStatus(std::get<wire::StatusChunk>(chunk), bytes);
    }
    if (!s.ok()) return s;
  }
  return to.Close();
}

// The keys of the one shape, or without it the turns of the joint, with their codes.
struct ReadClip {
  std::vector<double> time_codes_s;
  std::vector<float> values;
  std::vector<int16_t> voice;
};

ReadClip ReadBack(const std::string& path, bool turns) {
  ReadClip out;
  auto clip = clipio::OpenClip(path);
  EXPECT_TRUE(clip.ok()) << clip.status();
  if (!clip.ok()) return out;
  // Faulty messages are kept in some formats.
  wire::FrameReader reader(wire::ClientLimits());
  wire::Chunk chunk;
  while (true) {
    const auto bytes = (*clip)->NextBytes();
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    if (!bytes.ok() || !*bytes) return out;
    const auto shared = std::make_shared<const std::string>(**bytes);
    if (!reader.Read({wire::SpanOf(shared)}, &chunk).ok()) continue;
    const auto* data = std::get_if<wire::DataChunk>(&chunk);
    if (data == nullptr) continue;
    const wire::KeyBlock& keys = data->pose[turns ? wire::kRotations : wire::kWeights];
    for (size_t i = 0; i < keys.time_codes_s.size(); ++i) {
      out.time_codes_s.push_back(keys.time_codes_s[i]);
      // A VRM animation has all of ARKit's shapes, and the others are 0.
      const auto row = keys.key(i);
      out.values.push_back(turns ? std::asin(row[2])
                                 : std::accumulate(row.begin(), row.end(), 0.f));
    }
    if (data->audio) {
      out.voice.insert(out.voice.end(), data->audio->samples.begin(), data->audio->samples.end());
    }
  }
}

void ExpectFrames(const ReadClip& read, int first, int frames, bool turns) {
  ASSERT_EQ(static_cast<int>(read.time_codes_s.size()), frames);
  for (int k = 0; k < frames; ++k) {
    const auto i = static_cast<size_t>(k);
    EXPECT_NEAR(read.time_codes_s[i], k / 30.0, 2e-6) << k;
    EXPECT_NEAR(read.values[i], turns ? Sent::TurnOf(first + k) : Sent::WeightOf(first + k), 1e-4)
        << k;
  }
  const int from = first * 16000 / 30, to = (first + frames) * 16000 / 30;
  ASSERT_EQ(static_cast<int>(read.voice.size()), to - from);
  for (int n = from; n < to; ++n) {
    ASSERT_EQ(read.voice[static_cast<size_t>(n - from)], static_cast<int16_t>(n)) << n;
  }
}

std::vector<std::string> WrittenEndings() {
  std::vector<std::string> endings;
  for (const clipio::FormatRow& row : clipio::Formats()) {
    if (!row.only_read) endings.emplace_back(row.endings.front());
  }
  return endings;
}

std::vector<std::string> WrittenForms() {
  std::vector<std::string> forms = WrittenEndings();
  forms.emplace_back(".split.usda");
  return forms;
}

class EveryClipFormat : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Record, EveryClipFormat, ::testing::ValuesIn(WrittenEndings()));

class OddMessages : public ::testing::TestWithParam<std::tuple<std::string, OddRow>> {};

TEST_P(OddMessages, CostNoFrameBeforeOrAfterThem) {
  const auto& [ending, row] = GetParam();
  const bool split = ending == ".split.usda";
  const std::string folder = absl::StrCat(::testing::TempDir(), "odd_messages_", row.name, ending);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string path = absl::StrCat(folder, "/take", split ? ".usda" : ending);

  Sent sent;
  if (row.first) row.odd(sent);
  sent.Header();
  sent.Frames(kBefore, 0);
  if (!row.first) row.odd(sent);
  sent.Frames(kAfter, row.goes_on_at_s);
  auto consumer =
      RecordConsumer::Create({.recorder = {.path = path, .split_usd = split}}, service::Logger());
  ASSERT_TRUE(consumer.ok()) << consumer.status();
  int faulty = 0;
  const absl::Status status = GiveBytes(sent.all(), **consumer, &faulty);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(faulty, row.faulty);

  // Only BVH has no shapes.
  const bool turns = ending == ".bvh";
  ExpectFrames(ReadBack(path, turns), 0, sent.frames(), turns);
}

TEST_P(EveryClipFormat, OtherNamesGoOnInAnotherTake) {
  const std::string ending = GetParam();
  const std::string folder = absl::StrCat(::testing::TempDir(), "odd_messages_names", ending);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const std::string path = absl::StrCat(folder, "/take", ending);
  Sent sent;
  sent.Header();
  sent.Frames(kBefore, 0);
  // One for which nothing comes is no take at all, but for formats that can say so.
  sent.Header("mouthClose");
  sent.Header("tongueOut");
  sent.Frames(kAfter, 1);
  auto consumer = RecordConsumer::Create({.recorder = {.path = path}}, service::Logger());
  ASSERT_TRUE(consumer.ok()) << consumer.status();
  int faulty = 0;
  const absl::Status status = GiveBytes(sent.all(), **consumer, &faulty);
  ASSERT_TRUE(status.ok()) << status;
  const bool turns = ending == ".bvh", each = ending == ".animdata" || ending == ".jsonl";
  ExpectFrames(ReadBack(path, turns), 0, kBefore, turns);
  ExpectFrames(ReadBack(TakePath(path, each ? 3 : 2), turns), kBefore, kAfter, turns);
  EXPECT_FALSE(std::filesystem::exists(TakePath(path, each ? 4 : 3)));
}

INSTANTIATE_TEST_SUITE_P(Record, OddMessages,
                         ::testing::Combine(::testing::ValuesIn(WrittenForms()),
                                            ::testing::ValuesIn(kOddRows)),
                         [](const auto& info) {
                           std::string name = absl::StrCat(std::get<1>(info.param).name, "In");
                           for (const char c : std::get<0>(info.param)) name += c == '.' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace posewire::renderer_sink
