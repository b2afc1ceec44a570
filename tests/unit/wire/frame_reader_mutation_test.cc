// The reader against protobuf's parser and the rules written out plainly, on mutated messages.
#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/skel/path_index.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/text_check.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {
namespace {

constexpr int kRounds = 100000;

using Rng = std::mt19937;

size_t Pick(Rng& rng, size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(rng); }

std::string Mutate(std::string s, const std::string& other, Rng& rng) {
  static constexpr uint8_t kBytes[] = {0,    1,    0x7f, 0x80, 0xff, 0x0a,
                                       0x12, 0x1a, 0x22, 0x0b, 0x0c, 0x3f};
  const size_t times = 1 + Pick(rng, 3);
  for (size_t i = 0; i < times && !s.empty(); ++i) {
    const size_t at = Pick(rng, s.size());
    const size_t n = std::min(s.size() - at, 1 + Pick(rng, 12));
    switch (Pick(rng, 7)) {
      case 0:
        s[at] = static_cast<char>(s[at] ^ (1 << Pick(rng, 8)));
        break;
      case 1:
        s[at] = static_cast<char>(kBytes[Pick(rng, std::size(kBytes))]);
        break;
      case 2:
        s.erase(at, n);
        break;
      case 3:
        s.insert(at, s.substr(Pick(rng, s.size()), n));
        break;
      case 4:
        s.insert(at, other.substr(Pick(rng, other.size()), n));
        break;
      case 5:
        s.resize(at);
        break;
      case 6:
        s += other;
        break;
    }
  }
  return s;
}

// The rules, slowly.
bool CodesAreLegal(std::vector<double> codes) {
  for (size_t i = 0; i < codes.size(); ++i) {
    if (!std::isfinite(codes[i]) || codes[i] < 0 || codes[i] > 1e10) return false;
    if (i > 0 && (codes[i] <= codes[i - 1] || codes[i] - codes[i - 1] > 300)) return false;
  }
  return true;
}

bool IsLegal(float v) { return std::isfinite(v) && std::fabs(v) <= 1e9f; }
bool IsLegal(const ace::Float3& v) { return IsLegal(v.x()) && IsLegal(v.y()) && IsLegal(v.z()); }
bool IsLegal(const ace::QuatF& q) {
  if (!IsLegal(q.real()) || !IsLegal(q.i()) || !IsLegal(q.j()) || !IsLegal(q.k())) return false;
  const double n = std::sqrt(std::pow(q.real(), 2.0) + std::pow(q.i(), 2.0) + std::pow(q.j(), 2.0) +
                             std::pow(q.k(), 2.0));
  return (q.real() == 0 && q.i() == 0 && q.j() == 0 && q.k() == 0) || std::fabs(n - 1) <= 1e-2;
}

template <typename Keys>
bool KeysAreLegal(const Keys& keys, int length) {
  std::vector<double> codes;
  for (const auto& k : keys) {
    codes.push_back(k.time_code());
    if (k.values_size() != length) return false;
    for (const auto& v : k.values()) {
      if (!IsLegal(v)) return false;
    }
  }
  return CodesAreLegal(codes);
}

template <typename Keys>
bool CameraIsLegal(const Keys& keys) {
  std::vector<double> codes;
  for (const auto& k : keys) {
    codes.push_back(k.time_code());
    if (!IsLegal(k.value())) return false;
  }
  return CodesAreLegal(codes);
}

bool IsLegal(const ace::AnimationData& data) {
  const auto& skel = data.skel_animation();
  const auto& camera = data.camera();
  return KeysAreLegal(skel.blend_shape_weights(), 2) && KeysAreLegal(skel.translations(), 3) &&
         KeysAreLegal(skel.rotations(), 3) && KeysAreLegal(skel.scales(), 3) &&
         CameraIsLegal(camera.position()) && CameraIsLegal(camera.rotation()) &&
         CameraIsLegal(camera.focal_length()) && CameraIsLegal(camera.focus_distance()) &&
         CodesAreLegal({data.audio().time_code()});
}

bool IdIsLegal(const std::string& id) { return id.size() <= 128 && !HasControlCharacter(id); }

template <typename Names>
bool NamesAreLegal(const Names& names, bool are_paths) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    const std::string last(skel::LastPathElement(name));
    const std::string key = are_paths ? name : absl::AsciiStrToLower(last);
    if (last.empty() || !seen.insert(key).second) return false;
  }
  return true;
}

bool IsLegal(const ace::AnimationDataStreamHeader& h) {
  const auto& ids = h.animation_ids();
  const auto& a = h.audio_header();
  const bool no_audio = a.audio_format() == 0 && a.channel_count() == 0 &&
                        a.samples_per_second() == 0 && a.bits_per_sample() == 0;
  return !ids.request_id().empty() && !ids.stream_id().empty() && IdIsLegal(ids.request_id()) &&
         IdIsLegal(ids.stream_id()) && IdIsLegal(ids.target_object_id()) &&
         IdIsLegal(h.source_service_id()) && std::isfinite(h.start_time_code_since_epoch()) &&
         (no_audio ||
          (a.audio_format() == 0 && a.channel_count() == 1 && a.bits_per_sample() == 16 &&
           a.samples_per_second() >= 8000 && a.samples_per_second() <= 192000)) &&
         NamesAreLegal(h.skel_animation_header().blend_shapes(), false) &&
         NamesAreLegal(h.skel_animation_header().joints(), true);
}

void ExpectSameWeights(const DataChunk& chunk, const ace::AnimationData& data) {
  const auto& keys = data.skel_animation().blend_shape_weights();
  const KeyBlock& block = chunk.pose[kWeights];
  ASSERT_EQ(block.time_codes_s.size(), static_cast<size_t>(keys.size()));
  for (int i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(block.time_codes_s[static_cast<size_t>(i)], keys[i].time_code());
    EXPECT_THAT(block.key(static_cast<size_t>(i)), ::testing::ElementsAreArray(keys[i].values()));
  }
}

template <typename Keys>
void ExpectSameVectors(const KeyBlock& block, const Keys& keys) {
  std::vector<float> expected;
  for (const auto& k : keys) {
    for (const auto& v : k.values()) expected.insert(expected.end(), {v.x(), v.y(), v.z()});
  }
  EXPECT_EQ(block.values, expected);
}

void ExpectSameRotations(const KeyBlock& block, const ace::SkelAnimation& skel) {
  size_t at = 0;
  for (const auto& k : skel.rotations()) {
    for (const auto& q : k.values()) {
      double n = std::sqrt(std::pow(q.real(), 2.0) + std::pow(q.i(), 2.0) + std::pow(q.j(), 2.0) +
                           std::pow(q.k(), 2.0));
      const bool zero = n == 0;
      if (zero) n = 1;
      ASSERT_LE(at + 4, block.values.size());
      EXPECT_NEAR(block.values[at++], zero ? 1 : q.real() / n, 2e-6);
      EXPECT_NEAR(block.values[at++], q.i() / n, 2e-6);
      EXPECT_NEAR(block.values[at++], q.j() / n, 2e-6);
      EXPECT_NEAR(block.values[at++], q.k() / n, 2e-6);
    }
  }
  EXPECT_EQ(at, block.values.size());
}

void ExpectSame(const DataChunk& chunk, const ace::AnimationData& data) {
  ExpectSameWeights(chunk, data);
  ExpectSameVectors(chunk.pose[kTranslations], data.skel_animation().translations());
  ExpectSameVectors(chunk.pose[kScales], data.skel_animation().scales());
  ExpectSameRotations(chunk.pose[kRotations], data.skel_animation());
  std::vector<float> focal;
  for (const auto& k : data.camera().focal_length()) focal.push_back(k.value());
  EXPECT_EQ(chunk.camera[kFocalLength].values, focal);
  std::string audio;
  if (chunk.audio) {
    audio.assign(reinterpret_cast<const char*>(chunk.audio->samples.data()),
                 chunk.audio->samples.size() * 2);
    EXPECT_EQ(chunk.audio->time_code_s, data.audio().time_code());
  }
  const std::string& buffer = data.audio().audio_buffer();
  EXPECT_EQ(audio, buffer.substr(0, buffer.size() / 2 * 2));
  ASSERT_EQ(chunk.metadata.size(), data.metadata().size());
  for (const MetadataEntry& e : chunk.metadata) {
    const auto it = data.metadata().find(e.key);
    ASSERT_NE(it, data.metadata().end());
    google::protobuf::Any any;
    ASSERT_TRUE(any.ParseFromString(e.any));
    EXPECT_EQ(any.type_url(), it->second.type_url());
    EXPECT_EQ(any.value(), it->second.value());
  }
}

void ExpectSame(const StreamHeader& got, const ace::AnimationDataStreamHeader& h) {
  EXPECT_EQ(got.ids.request_id, h.animation_ids().request_id());
  EXPECT_EQ(got.ids.stream_id, h.animation_ids().stream_id());
  EXPECT_EQ(got.ids.target_object_id, h.animation_ids().target_object_id());
  EXPECT_EQ(got.source_service_id, h.source_service_id());
  EXPECT_EQ(static_cast<uint32_t>(got.audio_rate_hz.value_or(0)),
            h.audio_header().samples_per_second());
  EXPECT_THAT(got.shapes, ::testing::ElementsAreArray(h.skel_animation_header().blend_shapes()));
  EXPECT_THAT(got.joints, ::testing::ElementsAreArray(h.skel_animation_header().joints()));
  EXPECT_EQ(got.epoch_s, h.start_time_code_since_epoch());
}

std::vector<std::string> Seeds() {
  ace::AnimationDataStream frame = Audio(0, std::string("\x01\x02\x03\x04", 4));
  AddWeights(0, {0.25f, 0.5f}, &frame);
  AddWeights(1, {0, 0}, &frame);
  AddTranslations(0, {{1, 2, 3}, {0, 0, 0}, {0, 5, 0}}, &frame);
  AddRotations(0, {{1, 0, 0, 0}, {0, 0, 0, 0}, {0.6f, 0.8f, 0, 0}}, &frame);
  AddScales(0, {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, &frame);
  auto& metadata = *frame.mutable_animation_data()->mutable_metadata();
  metadata["a"].set_type_url("t/x");
  metadata["bee"].set_value("v");
  ace::AnimationDataStream camera;
  auto& c = *camera.mutable_animation_data()->mutable_camera();
  c.add_position()->mutable_value()->set_x(1);
  c.add_rotation()->mutable_value()->set_real(1);
  c.add_focal_length()->set_value(35);
  c.add_focal_length()->set_time_code(0.5);
  c.add_focus_distance()->set_value(2);
  ace::AnimationDataStream status;
  status.mutable_status()->set_code(nvidia_ace::status::v1::Status::ERROR);
  status.mutable_status()->set_message("m\xc3\xa4h");
  return {frame.SerializeAsString(), camera.SerializeAsString(), status.SerializeAsString(),
          Rotations(2, {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}}).SerializeAsString()};
}

bool SetsPartTwice(const absl::Status& s) {
  return absl::StrContains(s.message(), "stream_part more than once");
}

TEST(FrameReaderMutation, DataIsTakenExactlyWhenItParsesAndKeepsTheRules) {
  const google::protobuf::LogSilencer silence;
  Rng rng(1);
  const std::vector<std::string> seeds = Seeds();
  int taken = 0, parsed = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string bytes =
        Mutate(seeds[Pick(rng, seeds.size())], seeds[Pick(rng, seeds.size())], rng);
    FrameReader reader = ReaderAfterHeader();
    const absl::StatusOr<Chunk> chunk = ReadBytes(reader, bytes);
    if (SetsPartTwice(chunk.status())) continue;
    ace::AnimationDataStream m;
    const bool parses = m.ParseFromString(bytes);
    const bool legal =
        parses && !m.has_animation_data_stream_header() && IsLegal(m.animation_data());
    parsed += parses;
    taken += chunk.ok();
    ASSERT_EQ(chunk.ok(), legal) << chunk.status() << "\n" << m.DebugString();
    if (!legal || m.has_status()) continue;
    ASSERT_NO_FATAL_FAILURE(ExpectSame(std::get<DataChunk>(*chunk), m.animation_data()))
        << m.DebugString();
  }
  // The mutations must reach both sides of every wall.
  EXPECT_GT(taken, kRounds / 20);
  EXPECT_GT(parsed - taken, kRounds / 100);
  EXPECT_GT(kRounds - parsed, kRounds / 20);
}

TEST(FrameReaderMutation, HeadersAreTakenExactlyWhenTheyParseAndKeepTheRules) {
  const google::protobuf::LogSilencer silence;
  Rng rng(2);
  ace::AnimationDataStream full = SmallHeader();
  full.mutable_animation_data_stream_header()->set_source_service_id("A2F");
  full.mutable_animation_data_stream_header()->mutable_animation_ids()->set_target_object_id(
      "t\xc3\xa4");
  const std::string seed = full.SerializeAsString();
  int taken = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string bytes = Mutate(seed, seed, rng);
    FrameReader reader;
    const absl::StatusOr<Chunk> chunk = ReadBytes(reader, bytes);
    if (SetsPartTwice(chunk.status())) continue;
    ace::AnimationDataStream m;
    const bool legal = m.ParseFromString(bytes) && m.has_animation_data_stream_header() &&
                       IsLegal(m.animation_data_stream_header());
    taken += chunk.ok();
    ASSERT_EQ(chunk.ok(), legal) << chunk.status() << "\n" << m.DebugString();
    if (!legal) continue;
    ASSERT_NO_FATAL_FAILURE(
        ExpectSame(std::get<StreamHeader>(*chunk), m.animation_data_stream_header()));
  }
  EXPECT_GT(taken, kRounds / 20);
}

TEST(FrameReaderMutation, RandomBytesNeverCrash) {
  const google::protobuf::LogSilencer silence;
  Rng rng(3);
  for (int round = 0; round < kRounds / 10; ++round) {
    std::string bytes(Pick(rng, 300), '\0');
    for (char& b : bytes) b = static_cast<char>(Pick(rng, 256));
    FrameReader reader = ReaderAfterHeader();
    ace::AnimationDataStream m;
    const bool parses = m.ParseFromString(bytes);
    const auto chunk = ReadBytes(reader, bytes);
    EXPECT_TRUE(parses || !chunk.ok());
  }
}

}  // namespace
}  // namespace posewire::wire
