#include "tests/unit/animclip/clip_fixture.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "tests/unit/clipio/parsed_message.h"

namespace posewire::animclip {
namespace {

constexpr const char* kJoints[] = {"HumanoidRoot", "HumanoidRoot/vl5",
                                   "HumanoidRoot/vl5/r_shoulder"};
constexpr const char* kShapes[] = {"jawOpen", "mouthSmileLeft"};

Message Header(const ClipSpec& spec) {
  Message message;
  auto& header = *message.mutable_animation_data_stream_header();
  if (spec.ids) {
    header.mutable_animation_ids()->set_request_id("request");
    header.mutable_animation_ids()->set_stream_id("stream");
  }
  header.set_source_service_id("test");
  header.set_start_time_code_since_epoch(1000);
  if (spec.audio_hz > 0) {
    auto& audio = *header.mutable_audio_header();
    audio.set_channel_count(1);
    audio.set_bits_per_sample(16);
    audio.set_samples_per_second(static_cast<uint32_t>(spec.audio_hz));
  }
  for (const char* j : kJoints) header.mutable_skel_animation_header()->add_joints(j);
  for (const char* s : kShapes) header.mutable_skel_animation_header()->add_blend_shapes(s);
  return message;
}

void AddPose(double code, std::mt19937& random, Message* message) {
  std::normal_distribution<float> normal(0, 1);
  auto& skel = *message->mutable_animation_data()->mutable_skel_animation();
  auto* weights = skel.add_blend_shape_weights();
  auto* translations = skel.add_translations();
  auto* rotations = skel.add_rotations();
  weights->set_time_code(code);
  translations->set_time_code(code);
  rotations->set_time_code(code);
  for (size_t i = 0; i < 2; ++i) weights->add_values(std::fabs(normal(random)) / 4);
  for (size_t i = 0; i < 3; ++i) {
    auto* v = translations->add_values();
    v->set_x(normal(random)), v->set_y(normal(random)), v->set_z(normal(random));
    float q[4], n = 0;
    for (float& x : q) x = normal(random), n += x * x;
    n = std::sqrt(n);
    auto* r = rotations->add_values();
    r->set_real(q[0] / n), r->set_i(q[1] / n), r->set_j(q[2] / n), r->set_k(q[3] / n);
  }
}

}  // namespace

Messages MakeTalk(const ClipSpec& spec) {
  std::mt19937 random(spec.seed);
  Messages messages = {Header(spec)};
  for (int n = 0; n < spec.frames; ++n) {
    Message message;
    AddPose(spec.start_s + n / spec.fps, random, &message);
    if (spec.audio_hz > 0) {
      const auto at = [&](int k) { return static_cast<int64_t>(k * spec.audio_hz / spec.fps); };
      auto& audio = *message.mutable_animation_data()->mutable_audio();
      audio.set_time_code(spec.start_s + static_cast<double>(at(n)) / spec.audio_hz);
      std::string bytes;
      for (int64_t i = at(n); i < at(n + 1); ++i) {
        bytes += static_cast<char>(random() & 255);
        bytes += static_cast<char>(random() & 255);
      }
      audio.set_audio_buffer(bytes);
    }
    messages.push_back(message);
  }
  Message last;
  last.mutable_status()->set_message("done");
  messages.push_back(last);
  return messages;
}

std::vector<int16_t> VoiceOf(const Messages& messages) {
  std::vector<int16_t> voice;
  for (const Message& m : messages) {
    const std::string& bytes = m.animation_data().audio().audio_buffer();
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
      voice.push_back(static_cast<int16_t>(static_cast<uint16_t>(
          static_cast<unsigned char>(bytes[i]) | static_cast<unsigned char>(bytes[i + 1]) << 8)));
    }
  }
  return voice;
}

std::string TempPath(const std::string& name) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path dir =
      std::filesystem::path(testing::TempDir()) /
      (std::string("animclip_") + std::to_string(getpid()) + "_" + info->name());
  std::filesystem::create_directories(dir);
  return (dir / name).string();
}

void WriteClipFile(const std::string& path, const Messages& messages) {
  auto writer = clipio::ClipWriter::Open(path);
  if (!writer.ok()) throw std::runtime_error(std::string(writer.status().message()));
  for (const Message& m : messages) {
    if (absl::Status s = (*writer)->Write(m); !s.ok()) {
      throw std::runtime_error(std::string(s.message()));
    }
  }
  if (!(*writer)->Close().ok()) throw std::runtime_error("not closed");
}

Messages ReadClipFile(const std::string& path) {
  auto reader = clipio::OpenClip(path);
  if (!reader.ok()) throw std::runtime_error(std::string(reader.status().message()));
  Messages messages;
  for (;;) {
    auto next = clipio::NextParsed(**reader);
    if (!next.ok()) throw std::runtime_error(std::string(next.status().message()));
    if (!*next) return messages;
    messages.push_back(**next);
  }
}

std::string Slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void Spill(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace posewire::animclip
