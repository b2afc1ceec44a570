// One stream read the fast way, the general way and by protobuf: all three must say the same.
#ifndef POSEWIRE_TESTS_UNIT_WIRE_BOTH_WAYS_H_
#define POSEWIRE_TESTS_UNIT_WIRE_BOTH_WAYS_H_

#include <google/protobuf/any.pb.h>

#include <cmath>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/wire/frame_reader.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::wire {

// SmallHeader with more names: `shapes` and `joints` of them in all.
inline ace::AnimationDataStream WideHeader(int shapes, int joints) {
  ace::AnimationDataStream message = SmallHeader();
  auto& names = *message.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.Clear();
  for (int i = 0; i < shapes; ++i) names.add_blend_shapes(absl::StrCat("shape", i));
  for (int i = 0; i < joints; ++i) names.add_joints(absl::StrCat("joint", i));
  return message;
}

class BothWays {
 public:
  explicit BothWays(const ace::AnimationDataStream& header) {
    if (!wire::Read(fast_, header).ok() || !wire::Read(general_, header).ok()) std::abort();
  }

  // Empty, or what does not agree. The fast reader gets the message cut in two at `cut`; 0: whole.
  std::string Read(const std::string& message, size_t cut = 0) {
    const absl::Span<const uint8_t> whole = AsBytes(message);
    const absl::Span<const uint8_t> halves[] = {whole.subspan(0, cut), whole.subspan(cut)};
    status_ = cut == 0 ? fast_.Read({whole}, &chunk_) : fast_.Read(halves, &chunk_);
    // A field that nobody knows, ahead of all others, changes nothing but the way that is taken.
    const absl::StatusOr<Chunk> other = ReadBytes(general_, "\x78\x01" + message);
    if (status_ != other.status()) {
      return absl::StrCat("fast: ", status_.ToString(), "; general: ", other.status().ToString());
    }
    if (general_.paths().fixed + general_.paths().by_record != 0) return "the general way was left";
    ace::AnimationDataStream parsed;
    const bool parses = parsed.ParseFromString(message);
    if (!status_.ok()) return "";
    if (!parses) return "protobuf refuses it";
    if (chunk_.index() != other->index()) return "another kind of chunk";
    const auto* data = std::get_if<DataChunk>(&chunk_);
    if (data == nullptr) return "";
    const std::string difference = Difference(*data, std::get<DataChunk>(*other));
    return difference.empty() ? DifferenceToProtobuf(*data, parsed.animation_data()) : difference;
  }

  const absl::Status& status() const { return status_; }
  const ReadPaths& paths() const { return fast_.paths(); }

 private:
  template <typename T>
  static bool SameBytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
  }

  static std::string Difference(const DataChunk& a, const DataChunk& b) {
    for (size_t t = 0; t < 8; ++t) {
      const KeyBlock& x = t < 4 ? a.pose[t] : a.camera[t - 4];
      const KeyBlock& y = t < 4 ? b.pose[t] : b.camera[t - 4];
      if (x.width != y.width) return absl::StrCat("width of track ", t);
      if (!SameBytes(x.time_codes_s, y.time_codes_s)) return absl::StrCat("codes of track ", t);
      if (!SameBytes(x.values, y.values)) return absl::StrCat("values of track ", t);
    }
    if (a.audio.has_value() != b.audio.has_value()) return "audio";
    if (a.audio && a.audio->time_code_s != b.audio->time_code_s) return "code of audio";
    if (a.audio && a.audio->samples != b.audio->samples) return "samples";
    if (a.metadata.size() != b.metadata.size()) return "entries of metadata";
    for (size_t i = 0; i < a.metadata.size(); ++i) {
      if (a.metadata[i].key != b.metadata[i].key) return "key of metadata";
      if (a.metadata[i].any != b.metadata[i].any) return "value of metadata";
    }
    if (a.earliest_time_code_s != b.earliest_time_code_s) return "earliest code";
    if (a.zero_rotations != b.zero_rotations) return "zero rotations";
    if (a.normalized_rotations != b.normalized_rotations) return "normalized rotations";
    return "";
  }

  static void Append(float v, std::vector<float>* to) { to->push_back(v); }
  static void Append(const ace::Float3& v, std::vector<float>* to) {
    to->insert(to->end(), {v.x(), v.y(), v.z()});
  }
  // As it must be after mending.
  static void Append(const ace::QuatF& q, std::vector<float>* to) {
    const double n = std::sqrt(std::pow(q.real(), 2.0) + std::pow(q.i(), 2.0) +
                               std::pow(q.j(), 2.0) + std::pow(q.k(), 2.0));
    if (n == 0) return to->insert(to->end(), {1, 0, 0, 0}), void();
    for (const float v : {q.real(), q.i(), q.j(), q.k()}) to->push_back(static_cast<float>(v / n));
  }

  // Mending leaves alone what is this near to unit length.
  static constexpr float kMended = 2e-6f;

  template <typename Keys>
  static bool SameKeys(const KeyBlock& block, const Keys& keys, float most = 0) {
    std::vector<float> values;
    std::vector<double> codes;
    for (const auto& key : keys) {
      if (block.width == 0) continue;
      codes.push_back(key.time_code());
      for (const auto& v : key.values()) Append(v, &values);
    }
    return block.time_codes_s == codes && Near(block.values, values, most);
  }

  // Of the camera, whose keys hold one value.
  template <typename Keys>
  static bool SameValues(const KeyBlock& block, const Keys& keys, float most = 0) {
    std::vector<float> values;
    std::vector<double> codes;
    for (const auto& key : keys) {
      codes.push_back(key.time_code());
      Append(key.value(), &values);
    }
    return block.time_codes_s == codes && Near(block.values, values, most);
  }

  static bool Near(const std::vector<float>& a, const std::vector<float>& b, float most) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!(std::fabs(a[i] - b[i]) <= most)) return false;
    }
    return true;
  }

  static std::string DifferenceToProtobuf(const DataChunk& chunk, const ace::AnimationData& data) {
    const auto& skel = data.skel_animation();
    if (!SameKeys(chunk.pose[kTranslations], skel.translations())) return "protobuf: translations";
    if (!SameKeys(chunk.pose[kRotations], skel.rotations(), kMended)) {
      return "protobuf: rotations";
    }
    if (!SameKeys(chunk.pose[kScales], skel.scales())) return "protobuf: scales";
    if (!SameKeys(chunk.pose[kWeights], skel.blend_shape_weights())) return "protobuf: weights";
    const auto& camera = data.camera();
    if (!SameValues(chunk.camera[kCameraPosition], camera.position())) return "protobuf: position";
    if (!SameValues(chunk.camera[kCameraRotation], camera.rotation(), kMended)) {
      return "protobuf: rotation";
    }
    if (!SameValues(chunk.camera[kFocalLength], camera.focal_length())) return "protobuf: length";
    if (!SameValues(chunk.camera[kFocusDistance], camera.focus_distance())) {
      return "protobuf: distance";
    }
    const std::string& buffer = data.audio().audio_buffer();
    if (chunk.cuts_sample) return "";
    if (chunk.audio.has_value() == buffer.empty()) return "protobuf: audio";
    if (chunk.audio && (chunk.audio->samples.size() * 2 != buffer.size() ||
                        std::memcmp(chunk.audio->samples.data(), buffer.data(), buffer.size()))) {
      return "protobuf: samples";
    }
    return chunk.metadata.size() == static_cast<size_t>(data.metadata().size())
               ? ""
               : "protobuf: metadata";
  }

  FrameReader fast_, general_;
  Chunk chunk_;
  absl::Status status_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_TESTS_UNIT_WIRE_BOTH_WAYS_H_
