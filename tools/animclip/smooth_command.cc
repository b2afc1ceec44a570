#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/clip_parts.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/edit_clip.h"
#include "tools/animclip/open_clip.h"
#include "tools/animclip/smooth_values.h"

namespace posewire::animclip {
namespace {

namespace pb = nvidia_ace::animation_data::v1;

void Put(float value, std::vector<float>* row) { row->push_back(value); }
void Put(const pb::Float3& v, std::vector<float>* row) {
  row->insert(row->end(), {v.x(), v.y(), v.z()});
}
void Put(const pb::QuatF& q, std::vector<float>* row) {
  row->insert(row->end(), {q.real(), q.i(), q.j(), q.k()});
}

void Take(const float* row, float* value) { *value = *row; }
void Take(const float* row, pb::Float3* v) { v->set_x(row[0]), v->set_y(row[1]), v->set_z(row[2]); }
void Take(const float* row, pb::QuatF* q) {
  q->set_real(row[0]), q->set_i(row[1]), q->set_j(row[2]), q->set_k(row[3]);
}

// All keys of one track, inside their messages.
template <typename Key>
struct Track {
  std::vector<Key*> keys;
  std::vector<double> time_codes_s;

  void Add(google::protobuf::RepeatedPtrField<Key>* from) {
    for (Key& key : *from) {
      keys.push_back(&key);
      time_codes_s.push_back(key.time_code());
    }
  }

  void Smooth(const std::vector<bool>& elements, double window_s) {
    if (keys.size() < 3) return;
    constexpr bool kTurns = std::is_same_v<Key, pb::QuatFArrayWithTimeCode>;
    for (size_t e = 0; e < elements.size(); ++e) {
      if (!elements[e]) continue;
      const auto place = static_cast<int>(e);
      std::vector<float> rows;
      for (const Key* key : keys) Put(key->values(place), &rows);
      const size_t width = rows.size() / keys.size();
      rows = Smoothed(time_codes_s, rows, static_cast<int>(width), kTurns, window_s);
      for (size_t k = 0; k < keys.size(); ++k) {
        Take(&rows[k * width], keys[k]->mutable_values()->Mutable(place));
      }
    }
  }
};

struct HeldClip {
  std::vector<pb::AnimationDataStream> messages;
  wire::StreamHeader names;
};

absl::StatusOr<HeldClip> ReadClip(const std::string& path, const Console& console) {
  auto input = OpenClip(path);
  if (!input.ok()) return input.status();
  ProgressBar progress(console, "reading", (*input)->size());
  HeldClip clip;
  for (;;) {
    const absl::StatusOr<std::optional<wire::Message>> read = (*input)->Next();
    if (!read.ok()) return read.status();
    if (!*read) break;
    pb::AnimationDataStream& message = clip.messages.emplace_back();
    if (!message.ParseFromString(*(**read).bytes)) return absl::DataLossError("no animation data");
    if (message.has_animation_data_stream_header()) {
      clip.names = NamesOf(message.animation_data_stream_header());
    }
    progress.At((*input)->end_of_last());
  }
  Warn(console, (*input)->warnings());
  if (!clip.messages.empty()) return clip;
  return absl::InvalidArgumentError(absl::StrCat("\"", path, "\" has no message"));
}

absl::Status SmoothFile(const SmoothOptions& options, const Console& console) {
  absl::StatusOr<HeldClip> clip = ReadClip(options.in, console);
  if (!clip.ok()) return clip.status();
  const auto parts = FindParts(options.parts, clip->names, options.rig);
  if (!parts.ok()) return parts.status();
  Track<pb::FloatArrayWithTimeCode> weights;
  Track<pb::Float3ArrayWithTimeCode> translations, scales;
  Track<pb::QuatFArrayWithTimeCode> rotations;
  for (pb::AnimationDataStream& message : clip->messages) {
    if (!message.animation_data().has_skel_animation()) continue;
    pb::SkelAnimation& skel = *message.mutable_animation_data()->mutable_skel_animation();
    weights.Add(skel.mutable_blend_shape_weights());
    translations.Add(skel.mutable_translations());
    rotations.Add(skel.mutable_rotations());
    scales.Add(skel.mutable_scales());
  }
  weights.Smooth(parts->shapes, options.window_s);
  translations.Smooth(parts->joints, options.window_s);
  rotations.Smooth(parts->joints, options.window_s);
  scales.Smooth(parts->joints, options.window_s);
  absl::StatusOr<ClipOutput> output = ClipOutput::Create(options.out, console.parts);
  if (!output.ok()) return output.status();
  for (const pb::AnimationDataStream& message : clip->messages) {
    if (absl::Status s = output->Write(message.SerializeAsString()); !s.ok()) return s;
  }
  return output->Finish();
}

}  // namespace

int RunSmooth(const SmoothOptions& options, const Console& console) {
  if (!(options.window_s > 0) || !(options.window_s <= 10)) {
    Fail(console, "smooth",
         absl::InvalidArgumentError(
             absl::StrCat("--window is ", options.window_s, "; it must be over 0, up to 10 s")),
         "");
    return kUsage;
  }
  if (absl::Status s = SmoothFile(options, console); !s.ok()) {
    return Fail(console, "smooth", s, NextStepAfter(s));
  }
  Report(console, options.out).Print("%s: smoothed over %g s\n", options.out, options.window_s);
  return kDone;
}

}  // namespace posewire::animclip
