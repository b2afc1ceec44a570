#include "services/renderer_sink/core/view_frame.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/string_view.h"
#include "libs/client/message_times.h"
#include "libs/skel/path_index.h"
#include "libs/skel/pose_mapper.h"

namespace posewire::renderer_sink {
namespace {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;
using nvidia_ace::animation_data::v1::Camera;
using nvidia_ace::animation_data::v1::Float3;
using nvidia_ace::animation_data::v1::Float3ArrayWithTimeCode;
using nvidia_ace::animation_data::v1::FloatArrayWithTimeCode;
using nvidia_ace::animation_data::v1::QuatF;
using nvidia_ace::animation_data::v1::QuatFArrayWithTimeCode;

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

constexpr uint8_t kFrame = 1;
enum Flag : uint16_t {
  kRotations = 1,
  kTranslations = 2,
  kScales = 4,
  kWeights = 8,
  kCamera = 16,
  kAudio = 32,
  kPoseDropped = 64,
};
constexpr size_t kFlagsAt = 2;
constexpr float kUnit = 32767;
// Closer to rest than this is at rest: a hundredth of a millimetre.
constexpr float kAtRest = 1e-5f;
constexpr double kSameCode_s = 1e-6;
// Samples of one frame; what is longer comes from a sender that knows no frames.
constexpr size_t kMostSamples = size_t{1} << 22;

template <typename T>
void Put(T value, std::string* out) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}

bool Finite(const Float3& v) {
  return std::isfinite(v.x()) && std::isfinite(v.y()) && std::isfinite(v.z());
}

// The key at the code; null for none.
template <typename Keys>
const typename Keys::value_type* KeyAt(const Keys& keys, double code_s) {
  for (const auto& key : keys) {
    if (std::abs(key.time_code() - code_s) < kSameCode_s) return &key;
  }
  return nullptr;
}

template <typename Keys>
void CollectCodes(const Keys& keys, std::vector<double>* codes) {
  for (const auto& key : keys) {
    if (std::isfinite(key.time_code())) codes->push_back(key.time_code());
  }
}

std::vector<double> CodesOf(const AnimationData& data) {
  std::vector<double> codes;
  CollectCodes(data.skel_animation().rotations(), &codes);
  CollectCodes(data.skel_animation().translations(), &codes);
  CollectCodes(data.skel_animation().scales(), &codes);
  CollectCodes(data.skel_animation().blend_shape_weights(), &codes);
  CollectCodes(data.camera().position(), &codes);
  CollectCodes(data.camera().rotation(), &codes);
  CollectCodes(data.camera().focal_length(), &codes);
  CollectCodes(data.camera().focus_distance(), &codes);
  std::sort(codes.begin(), codes.end());
  const auto same = [](double a, double b) { return b - a < kSameCode_s; };
  codes.erase(std::unique(codes.begin(), codes.end(), same), codes.end());
  if (codes.empty() && data.has_audio() && std::isfinite(data.audio().time_code())) {
    codes.push_back(data.audio().time_code());
  }
  return codes;
}

class Writer {
 public:
  Writer(const ViewLayout& layout, const ViewFrameTag& tag, double code_s) : layout_(layout) {
    out_.reserve(64 + layout.joints.size() * 8 + layout.shapes.size() * 4);
    Put(kFrame, &out_);
    Put(tag.avatar, &out_);
    Put(uint16_t{0}, &out_);
    Put(tag.layout, &out_);
    Put(code_s, &out_);
    Put(tag.number, &out_);
    Put(uint32_t{0}, &out_);
  }

  void Rotations(const QuatFArrayWithTimeCode* key) {
    if (key == nullptr || key->values_size() != Joints()) return;
    flags_ |= kRotations;
    for (const QuatF& q : key->values()) {
      const float size =
          std::sqrt(q.real() * q.real() + q.i() * q.i() + q.j() * q.j() + q.k() * q.k());
      const bool good = std::isfinite(size) && size > 1e-6f;
      const float by = good ? kUnit / size : 0;
      for (const float v : {good ? q.real() * by : kUnit, q.i() * by, q.j() * by, q.k() * by}) {
        Put(good || v == kUnit ? static_cast<int16_t>(std::lround(v)) : int16_t{0}, &out_);
      }
    }
  }

  // Joints that are where `at_rest` says are left out.
  template <typename AtRest>
  void Moved(Flag flag, const Float3ArrayWithTimeCode* key, AtRest at_rest) {
    if (key == nullptr || key->values_size() != Joints()) return;
    flags_ |= flag;
    const size_t count_at = out_.size();
    uint32_t count = 0;
    Put(count, &out_);
    for (int j = 0; j < Joints(); ++j) {
      const Float3& v = key->values(j);
      if (!Finite(v) || at_rest(v, j)) continue;
      ++count;
      Put(static_cast<uint32_t>(j), &out_);
      for (const float x : {v.x(), v.y(), v.z()}) Put(x, &out_);
    }
    std::memcpy(&out_[count_at], &count, sizeof(count));
  }

  void Translations(const Float3ArrayWithTimeCode* key) {
    Moved(kTranslations, key, [this](const Float3& v, int j) {
      const float* rest = &layout_.rest[static_cast<size_t>(j) * 7];
      return std::abs(v.x() - rest[0]) < kAtRest && std::abs(v.y() - rest[1]) < kAtRest &&
             std::abs(v.z() - rest[2]) < kAtRest;
    });
  }

  void Scales(const Float3ArrayWithTimeCode* key) {
    Moved(kScales, key, [](const Float3& v, int) {
      return std::abs(v.x() - 1) < kAtRest && std::abs(v.y() - 1) < kAtRest &&
             std::abs(v.z() - 1) < kAtRest;
    });
  }

  void Weights(const FloatArrayWithTimeCode* key) {
    if (key == nullptr || static_cast<size_t>(key->values_size()) != layout_.shapes.size()) return;
    flags_ |= kWeights;
    for (const float w : key->values()) Put(std::isfinite(w) ? w : 0.0f, &out_);
  }

  void CameraAt(const Camera& camera, double code_s) {
    const auto* position = KeyAt(camera.position(), code_s);
    const auto* rotation = KeyAt(camera.rotation(), code_s);
    const auto* focal = KeyAt(camera.focal_length(), code_s);
    const auto* focus = KeyAt(camera.focus_distance(), code_s);
    if (position == nullptr && rotation == nullptr && focal == nullptr && focus == nullptr) return;
    flags_ |= kCamera;
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    const Float3* p = position == nullptr ? nullptr : &position->value();
    const QuatF* q = rotation == nullptr ? nullptr : &rotation->value();
    for (const float v :
         {p ? p->x() : kNone, p ? p->y() : kNone, p ? p->z() : kNone, q ? q->real() : kNone,
          q ? q->i() : kNone, q ? q->j() : kNone, q ? q->k() : kNone,
          focal ? focal->value() : kNone, focus ? focus->value() : kNone}) {
      Put(v, &out_);
    }
  }

  void Audio(const AnimationData& data) {
    const size_t samples = data.audio().audio_buffer().size() / 2;
    if (layout_.audio_hz == 0 || samples == 0 || samples > kMostSamples ||
        !std::isfinite(data.audio().time_code())) {
      return;
    }
    flags_ |= kAudio;
    const auto count = static_cast<uint32_t>(samples);
    std::memcpy(&out_[20], &count, sizeof(count));
    Put(data.audio().time_code(), &out_);
    out_.append(data.audio().audio_buffer(), 0, samples * 2);
  }

  bool has_audio() const { return (flags_ & kAudio) != 0; }

  std::shared_ptr<const std::string> Take(uint16_t more_flags = 0) {
    const uint16_t flags = flags_ | more_flags;
    std::memcpy(&out_[kFlagsAt], &flags, sizeof(flags));
    return std::make_shared<const std::string>(std::move(out_));
  }

 private:
  int Joints() const { return static_cast<int>(layout_.joints.size()); }

  const ViewLayout& layout_;
  uint16_t flags_ = 0;
  std::string out_;
};

struct RigFit {
  std::shared_ptr<const skel::Rig> rig;  // null: none fits
  skel::PoseMapper joints;
};

// The first rig that has every joint, the standard one before all others.
RigFit FindRig(const std::vector<std::string>& joints, const skel::RigCatalog& rigs) {
  std::vector<std::string> names = rigs.names();
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name == "hanim_loa3"; });
  for (const std::string& name : names) {
    const auto rig = rigs.Find(name);
    if (!rig.ok()) continue;
    const auto places = skel::PoseMapper::ToRig(joints, **rig);
    bool all = !joints.empty();
    for (int j = 0; j < places.source_size(); ++j) all = all && places.TargetOf(j) >= 0;
    if (all) return {*rig, places};
  }
  return {};
}

// The nearest ancestor in the rig that the header has too; the way from it to `joint` is added up,
// which is exact where the joints between rest unturned.
int ParentIn(const skel::Rig& rig, int joint, const std::vector<int>& index_of, skel::Vec3* way) {
  const skel::PoseView rest = rig.rest();
  *way = rest.translation(joint);
  int up = rig.topology().parent(joint);
  while (up >= 0 && index_of[static_cast<size_t>(up)] < 0) {
    const skel::Vec3 t = rest.translation(up);
    *way = {way->x + t.x, way->y + t.y, way->z + t.z};
    up = rig.topology().parent(up);
  }
  return up < 0 ? -1 : index_of[static_cast<size_t>(up)];
}

void HangByRig(const RigFit& fit, ViewLayout* layout) {
  const skel::Rig& rig = *fit.rig;
  layout->rig = rig.name();
  std::vector<int> index_of(static_cast<size_t>(rig.joints()), -1);
  for (int j = 0; j < fit.joints.source_size(); ++j) {
    index_of[static_cast<size_t>(fit.joints.TargetOf(j))] = j;
  }
  for (size_t j = 0; j < layout->joints.size(); ++j) {
    const int joint = fit.joints.TargetOf(static_cast<int>(j));
    skel::Vec3 t;
    layout->parents[j] = ParentIn(rig, joint, index_of, &t);
    const skel::Quat q = rig.rest().rotation(joint);
    const float rest[7] = {t.x, t.y, t.z, q.w, q.x, q.y, q.z};
    std::copy(std::begin(rest), std::end(rest), &layout->rest[j * 7]);
  }
}

}  // namespace

ViewLayout LayoutOf(const AnimationDataStreamHeader& header, const skel::RigCatalog& rigs) {
  ViewLayout layout;
  const auto& skel_header = header.skel_animation_header();
  const std::vector<std::string> paths(skel_header.joints().begin(), skel_header.joints().end());
  skel::PathIndex index;
  for (const std::string& path : paths) index.Add(path);
  for (int j = 0; j < static_cast<int>(paths.size()); ++j) {
    layout.joints.emplace_back(index.ShortestName(j));
  }
  layout.shapes.assign(skel_header.blend_shapes().begin(), skel_header.blend_shapes().end());
  layout.audio_hz = client::AudioRate(header);
  layout.epoch_s = header.start_time_code_since_epoch();
  layout.parents.assign(paths.size(), -1);
  layout.rest.assign(paths.size() * 7, 0);
  for (size_t j = 0; j < paths.size(); ++j) layout.rest[j * 7 + 3] = 1;
  if (const RigFit fit = FindRig(paths, rigs); fit.rig != nullptr) {
    HangByRig(fit, &layout);
  } else {
    const skel::Topology topology = skel::Topology::FromPaths(paths);
    for (size_t j = 0; j < paths.size(); ++j) {
      layout.parents[j] = topology.parent(static_cast<int>(j));
    }
  }
  return layout;
}

bool SameLayout(const ViewLayout& a, const ViewLayout& b) {
  return a.joints == b.joints && a.shapes == b.shapes && a.audio_hz == b.audio_hz;
}

std::vector<ViewFrame> EncodeView(const AnimationData& data, const ViewLayout& layout,
                                  const ViewFrameTag& tag) {
  std::vector<ViewFrame> frames;
  ViewFrameTag at = tag;
  for (const double code_s : CodesOf(data)) {
    Writer whole(layout, at, code_s);
    const auto& skel_animation = data.skel_animation();
    whole.Rotations(KeyAt(skel_animation.rotations(), code_s));
    whole.Translations(KeyAt(skel_animation.translations(), code_s));
    whole.Scales(KeyAt(skel_animation.scales(), code_s));
    whole.Weights(KeyAt(skel_animation.blend_shape_weights(), code_s));
    whole.CameraAt(data.camera(), code_s);
    ViewFrame frame;
    if (frames.empty()) {
      whole.Audio(data);
      if (whole.has_audio()) {
        Writer voice(layout, at, code_s);
        voice.Audio(data);
        frame.voice = voice.Take(kPoseDropped);
      }
    }
    frame.whole = whole.Take();
    frames.push_back(std::move(frame));
    ++at.number;
  }
  return frames;
}

}  // namespace posewire::renderer_sink
