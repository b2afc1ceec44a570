#include "services/a2f_source/core/ace_source.h"

#include <google/protobuf/any.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/message.h"
#include "nvidia_ace.emotion_aggregate.v1.pb.h"
#include "services/a2f_source/core/say_body.h"

namespace posewire::a2f_source {
namespace {

namespace a2f = nvidia_ace::a2f::v1;

// The face gets audio in portions of this size, so that the first message leaves early.
constexpr int64_t kPortion = 2048;
// Sent samples are removed in batches of this size.
constexpr int64_t kDropSent = 1 << 15;
// Maximum number of emotion keys whose time has not come yet.
constexpr size_t kMostEmotions = 4096;
constexpr float kSameEmotion = 5e-3f;

absl::Status Wrong(absl::string_view field, int64_t value, absl::string_view right) {
  return absl::InvalidArgumentError(
      absl::StrCat("audio_header.", field, ": ", value, ", ", right, " is right"));
}

absl::Status CheckAudio(const nvidia_ace::audio::v1::AudioHeader& audio) {
  if (audio.audio_format() != nvidia_ace::audio::v1::AudioHeader::AUDIO_FORMAT_PCM) {
    return Wrong("audio_format", audio.audio_format(), "AUDIO_FORMAT_PCM (0)");
  }
  if (audio.channel_count() != 1) return Wrong("channel_count", audio.channel_count(), "1");
  if (audio.bits_per_sample() != 16) return Wrong("bits_per_sample", audio.bits_per_sample(), "16");
  if (audio.samples_per_second() < speech::kMinSoundRate_hz ||
      audio.samples_per_second() > speech::kMaxSoundRate_hz) {
    return Wrong("samples_per_second", audio.samples_per_second(),
                 absl::StrCat(speech::kMinSoundRate_hz, " to ", speech::kMaxSoundRate_hz));
  }
  return absl::OkStatus();
}

absl::StatusOr<wire::StreamIds> ReadIds(const nvidia_ace::animation_id::v1::AnimationIds& ids) {
  const std::pair<const char*, const std::string*> given[] = {
      {"animation_ids.request_id", &ids.request_id()},
      {"animation_ids.stream_id", &ids.stream_id()},
      {"animation_ids.target_object_id", &ids.target_object_id()}};
  for (const auto& [field, id] : given) {
    if (id->empty()) continue;
    if (absl::Status s = wire::CheckId(field, *id); !s.ok()) return s;
  }
  return wire::StreamIds{ids.request_id(), ids.stream_id(), ids.target_object_id()};
}

template <typename Entries>
void AddEmotionKey(double time_s, const Emotions& emotions, Entries* entries) {
  auto* entry = entries->Add();
  entry->set_time_code(time_s);
  for (size_t i = 0; i < kEmotions; ++i) {
    (*entry->mutable_emotion())[std::string(EmotionNames()[i])] = emotions[i];
  }
}

// Serializes deterministically. Maps have no order of their own, so the same audio would give
// different bytes each time.
std::string SameBytes(const google::protobuf::Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

bool Same(const Emotions& a, const Emotions& b) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](float x, float y) { return std::abs(x - y) <= kSameEmotion; });
}

}  // namespace

absl::StatusOr<std::unique_ptr<AceSource>> AceSource::Open(
    AceReader* reader, std::shared_ptr<const speech::SpeechNetwork> network,
    const AceSourceOptions& options) {
  a2f::AudioStream part;
  const absl::StatusOr<bool> read = reader->Read(part);
  if (!read.ok()) return read.status();
  if (!*read || !part.has_audio_stream_header()) {
    return absl::InvalidArgumentError(
        "the sound began without an audio_stream_header; that comes first, and once");
  }
  const a2f::AudioStreamHeader& header = part.audio_stream_header();
  auto ids = ReadIds(header.animation_ids());
  if (!ids.ok()) return ids.status();
  if (absl::Status s = CheckAudio(header.audio_header()); !s.ok()) return s;
  IgnoredFields ignored_fields;
  auto settings = ReadFaceSettings(header, ignored_fields);
  if (!settings.ok()) return settings.status();
  const int rate_hz = static_cast<int>(header.audio_header().samples_per_second());
  auto face = speech::SoundFace::Make(
      std::move(network), rate_hz,
      {.fps = options.fps, .seed = options.seed, .head = options.head, .tuning = settings->tuning});
  if (!face.ok()) return face.status();
  return std::unique_ptr<AceSource>(new AceSource(reader, options, rate_hz, *std::move(ids),
                                                  *settings, std::move(ignored_fields),
                                                  *std::move(face)));
}

AceSource::AceSource(AceReader* reader, const AceSourceOptions& options, int rate_hz,
                     wire::StreamIds ids, const FaceSettings& settings,
                     IgnoredFields ignored_fields, std::unique_ptr<speech::SoundFace> face)
    : reader_(reader),
      options_(options),
      rate_hz_(rate_hz),
      ids_(std::move(ids)),
      ignored_fields_(std::move(ignored_fields)),
      sound_face_(std::move(face)),
      plan_(options.seed + 3),
      ace_face_(settings),
      emotions_(settings.emotions),
      heard_contrast_(settings.emotions.heard_contrast) {}

absl::StatusOr<wire::StreamHeader> AceSource::Header() {
  wire::StreamHeader header;
  header.source_service_id = "posewire-sound";
  header.audio_rate_hz = rate_hz_;
  header.shapes.assign(AceShapeNames().begin(), AceShapeNames().end());
  if (options_.head) {
    const auto joints = HeadJointNames().subspan(0, kHeadJoints);
    for (const absl::string_view joint : joints) header.joints.emplace_back(joint);
  }
  return header;
}

absl::StatusOr<std::optional<wire::Message>> AceSource::Next() {
  // Audio that is already available is processed further than it is sent, so that hands can
  // prepare.
  const double ahead_s = options_.head ? SoundPlan::kHearAhead_s : 0;
  while (faces_.empty() || faces_.back().time_s < faces_.front().time_s + ahead_s) {
    if (const speech::FaceFrame* face = sound_face_->Next()) {
      faces_.push_back(*face);
      plan_.Hear(*face);
      continue;
    }
    if (FeedFace()) continue;
    if (!faces_.empty()) break;
    if (ended_) return std::nullopt;
    if (absl::Status s = ReadMore(); !s.ok()) return s;
  }
  wire::Message message = MakeMessage(faces_.front());
  faces_.pop_front();
  return message;
}

bool AceSource::FeedFace() {
  const int64_t count = std::min(kPortion, samples_read_ - samples_heard_);
  if (count == 0) return false;
  std::array<float, kPortion> portion;
  const auto from = samples_.end() - (samples_read_ - samples_heard_);
  std::transform(from, from + count, portion.begin(),
                 [](int16_t sample) { return static_cast<float>(sample) / 32768.0f; });
  sound_face_->Add({portion.data(), static_cast<size_t>(count)});
  samples_heard_ += count;
  return true;
}

absl::Status AceSource::ReadMore() {
  a2f::AudioStream part;
  const absl::StatusOr<bool> read = reader_->Read(part);
  if (!read.ok()) return read.status();
  if (*read) {
    if (part.has_audio_with_emotion()) return Take(part.audio_with_emotion());
    return absl::InvalidArgumentError(
        part.has_audio_stream_header()
            ? "audio_stream_header: a second one; it comes once, and audio_with_emotion after it"
            : "a message without a stream_part; audio_with_emotion is right");
  }
  if (samples_read_ == 0) {
    return absl::InvalidArgumentError(
        "audio_with_emotion: the sound ended without a sample; at least one is right");
  }
  ended_ = true;
  sound_face_->Finish();
  return absl::OkStatus();
}

absl::Status AceSource::Take(const a2f::AudioWithEmotion& part) {
  const std::string& bytes = part.audio_buffer();
  const auto fault = [&](const auto&... what) {
    return absl::InvalidArgumentError(
        absl::StrCat("audio_buffer at sample ", samples_read_, ": ", what...));
  };
  const size_t whole = bytes.size() + (half_ ? 1 : 0);
  const auto count = static_cast<int64_t>(whole / sizeof(int16_t));
  const double seconds = static_cast<double>(count) / rate_hz_;
  if (seconds > options_.max_buffer_s) {
    return fault(absl::StrFormat("%.6g", seconds), " s; at most ", options_.max_buffer_s,
                 " s in a message are right");
  }
  if (static_cast<double>(samples_read_ + count) / rate_hz_ > options_.max_sound_s) {
    return fault("the sound is longer than ", options_.max_sound_s,
                 " s, the longest that one call may send");
  }
  if (absl::Status s = TakeEmotions(part); !s.ok()) return s;
  for (const char byte : bytes) {
    const auto value = static_cast<uint8_t>(byte);
    if (!half_) {
      half_ = value;
      continue;
    }
    samples_.push_back(static_cast<int16_t>(static_cast<uint16_t>(*half_ | value << 8)));
    half_.reset();
  }
  samples_read_ += count;
  return absl::OkStatus();
}

absl::Status AceSource::TakeEmotions(const a2f::AudioWithEmotion& part) {
  for (const auto& given : part.emotions()) {
    EmotionKey key{.time_s = given.time_code(), .emotions = {}};
    if (!std::isfinite(key.time_s) || key.time_s < 0) {
      return absl::InvalidArgumentError(absl::StrCat("emotions.time_code: ", key.time_s,
                                                     ", a time of the sound from 0 s on is right"));
    }
    const auto emotions = ReadEmotions("emotions.emotion", given.emotion(), ignored_fields_);
    if (!emotions.ok()) return emotions.status();
    if (emotions_.waiting() >= kMostEmotions) {
      return absl::InvalidArgumentError(absl::StrCat("emotions: more than ", kMostEmotions,
                                                     " changes wait for times still to come"));
    }
    key.emotions = *emotions;
    emotions_.Add(key);
  }
  return absl::OkStatus();
}

wire::Message AceSource::MakeMessage(const speech::FaceFrame& face) {
  const double step_s = options_.fps.period_s();
  heard_ = EmotionsOf(face.mood, heard_contrast_);
  const Emotions& emotions = emotions_.At(face.time_s, step_s, heard_);
  const AceWeights& weights = ace_face_.Make(face, emotions, step_s);
  wire::DataChunk data;
  data.pose[wire::kWeights] = {
      static_cast<int>(kAceShapes), {face.time_s}, {weights.begin(), weights.end()}};
  if (options_.head) {
    std::array<skel::Quat, kHeadJoints> head;
    PoseHead(face.head, absl::MakeSpan(head));
    wire::KeyBlock& rotations = data.pose[wire::kRotations];
    rotations.width = static_cast<int>(4 * kHeadJoints);
    rotations.time_codes_s = {face.time_s};
    for (const skel::Quat& q : head) {
      rotations.values.insert(rotations.values.end(), {q.w, q.x, q.y, q.z});
    }
  }
  const auto gesture = plan_.Take(face.time_s);
  if (gesture && options_.head) data.metadata.push_back(wire::ToMetadata(*gesture));
  AddAudio(face.index, data);
  AddEmotions(face, emotions, data);
  if (options_.head) moods_.Announce(face.time_s, face.mood, data.metadata);
  ++frames_;
  return wire::MakeMessage(std::move(data));
}

void AceSource::AddAudio(int64_t frame, wire::DataChunk& data) {
  const int64_t end =
      std::min(samples_read_, timecode::FirstSampleOfTick(frame + 1, rate_hz_, options_.fps));
  if (end <= samples_sent_) return;
  wire::AudioBuffer& audio = data.audio.emplace();
  audio.time_code_s = static_cast<double>(samples_sent_) / rate_hz_;
  const auto first = samples_.end() - (samples_read_ - samples_sent_);
  audio.samples.assign(first, first + (end - samples_sent_));
  samples_sent_ = end;
  const int64_t dropped = static_cast<int64_t>(samples_.size()) - (samples_read_ - samples_sent_);
  if (dropped >= kDropSent) samples_.erase(samples_.begin(), samples_.begin() + dropped);
}

void AceSource::AddEmotions(const speech::FaceFrame& face, const Emotions& emotions,
                            wire::DataChunk& data) {
  if (emotions_.begun().empty() && told_ && Same(*told_, emotions) && Same(told_heard_, heard_)) {
    return;
  }
  told_ = emotions;
  told_heard_ = heard_;
  nvidia_ace::emotion_aggregate::v1::EmotionAggregate aggregate;
  for (const EmotionKey& key : emotions_.begun()) {
    AddEmotionKey(key.time_s, key.emotions, aggregate.mutable_input_emotions());
  }
  AddEmotionKey(face.time_s, heard_, aggregate.mutable_a2e_output());
  AddEmotionKey(face.time_s, emotions, aggregate.mutable_a2f_smoothed_output());
  google::protobuf::Any any;
  any.set_type_url(absl::StrCat("type.googleapis.com/", aggregate.GetTypeName()));
  any.set_value(SameBytes(aggregate));
  data.metadata.push_back({"emotion_aggregate", any.SerializeAsString()});
}

wire::StatusChunk AceSource::Answer() const {
  const std::string made = absl::StrFormat("%.3f s of sound, %d faces",
                                           static_cast<double>(samples_read_) / rate_hz_, frames_);
  std::vector<std::string> warnings;
  if (const std::string ignored_fields = ignored_fields_.Text(); !ignored_fields.empty()) {
    warnings.push_back(ignored_fields);
  }
  if (half_) warnings.push_back("half a sample was dropped: the sound has an odd number of bytes");
  if (warnings.empty()) return {wire::StatusChunk::kSuccess, made};
  return {wire::StatusChunk::kWarning, absl::StrCat(made, "; ", absl::StrJoin(warnings, "; "))};
}

}  // namespace posewire::a2f_source
