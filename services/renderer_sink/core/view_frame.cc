#include "services/renderer_sink/core/view_frame.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/types/span.h"
#include "libs/skel/path_index.h"
#include "libs/skel/pose_mapper.h"
#include "services/renderer_sink/core/frame_codes.h"
#include "services/renderer_sink/core/put.h"

namespace posewire::renderer_sink {
namespace {

constexpr uint8_t kFrame = 1;
enum Flag : uint16_t {
  kRotations = 1,
  kTranslations = 2,
  kScales = 4,
  kWeights = 8,
  kCamera = 16,
  kAudio = 32,
  kPoseDropped = 64,
  kProps = 128,
};
constexpr float kUnit = 32767;
// Values this close to rest are at rest: a hundredth of a millimetre.
constexpr float kAtRest = 1e-5f;
// Maximum number of samples per frame; more come from a sender without frames.
constexpr size_t kMostSamples = size_t{1} << 22;

using Key = absl::Span<const float>;

// Returns the key at the time code; empty if there is none.
Key KeyAt(const wire::KeyBlock& keys, double time_code_s) {
  const auto& time_codes_s = keys.time_codes_s;
  const auto at =
      std::lower_bound(time_codes_s.begin(), time_codes_s.end(), time_code_s - kSameCode_s);
  if (at == time_codes_s.end() || *at - time_code_s >= kSameCode_s) return {};
  return keys.key(static_cast<size_t>(at - time_codes_s.begin()));
}

class Writer {
 public:
  Writer(const ViewLayout& layout, const ViewFrameTag& tag, double time_code_s, size_t room)
      : layout_(layout) {
    out_.reserve(64 + room);
    PutFrameHead(kFrame, tag, time_code_s, &out_);
    Put(uint32_t{0}, &out_);
  }

  void Rotations(Key key) {
    if (key.empty() || key.size() != Joints() * 4) return;
    flags_ |= kRotations;
    for (const float v : key) Put(static_cast<int16_t>(std::lround(v * kUnit)), &out_);
  }

  void Translations(Key key) {
    Moved(kTranslations, key, [this](size_t j) { return &layout_.rest[j * 7]; });
  }

  void Scales(Key key) {
    static constexpr float kNone[] = {1, 1, 1};
    Moved(kScales, key, [](size_t) { return kNone; });
  }

  void Weights(Key key) {
    if (key.empty() || key.size() != layout_.shapes.size()) return;
    flags_ |= kWeights;
    for (const float w : key) Put(w, &out_);
  }

  void CameraAt(const wire::KeyBlock (&camera)[wire::kCameraTracks], double time_code_s) {
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    constexpr size_t kFloats[wire::kCameraTracks] = {3, 4, 1, 1};
    bool any = false;
    for (const wire::KeyBlock& keys : camera) any = any || !KeyAt(keys, time_code_s).empty();
    if (!any) return;
    flags_ |= kCamera;
    for (size_t track = 0; track < wire::kCameraTracks; ++track) {
      const Key key = KeyAt(camera[track], time_code_s);
      for (size_t i = 0; i < kFloats[track]; ++i) Put(i < key.size() ? key[i] : kNone, &out_);
    }
  }

  void Audio(const std::optional<wire::AudioBuffer>& audio) {
    if (layout_.audio_hz == 0 || !audio || audio->samples.size() > kMostSamples) return;
    flags_ |= kAudio;
    const auto count = static_cast<uint32_t>(audio->samples.size());
    std::memcpy(&out_[20], &count, sizeof(count));
    Put(audio->time_code_s, &out_);
    out_.append(reinterpret_cast<const char*>(audio->samples.data()), size_t{count} * 2);
  }

  void Props(absl::Span<const wire::Prop> props) {
    if (props.empty()) return;
    flags_ |= kProps;
    Put(static_cast<uint32_t>(props.size()), &out_);
    for (const wire::Prop& p : props) {
      for (const float v : {p.position.x, p.position.y, p.position.z, p.rotation.w, p.rotation.x,
                            p.rotation.y, p.rotation.z, p.size.x, p.size.y, p.size.z}) {
        Put(v, &out_);
      }
      for (const std::string* text : {&p.name, &p.shape, &p.held_by}) {
        Put(static_cast<uint8_t>(text->size()), &out_);  // at most 128
        out_ += *text;
      }
    }
  }

  bool has_audio() const { return (flags_ & kAudio) != 0; }

  std::shared_ptr<const std::string> Take(uint16_t more_flags = 0) {
    SetFrameFlags(flags_ | more_flags, &out_);
    return std::make_shared<const std::string>(std::move(out_));
  }

 private:
  size_t Joints() const { return layout_.joints.size(); }

  // Joints that are where `rest` says are left out.
  template <typename Rest>
  void Moved(Flag flag, Key key, const Rest& rest) {
    if (key.empty() || key.size() != Joints() * 3) return;
    flags_ |= flag;
    const size_t count_at = out_.size();
    uint32_t count = 0;
    Put(count, &out_);
    for (size_t j = 0; j < Joints(); ++j) {
      const float* const v = &key[3 * j];
      const float* const at_rest = rest(j);
      const auto is_near = [&](int i) { return std::abs(v[i] - at_rest[i]) < kAtRest; };
      if (is_near(0) && is_near(1) && is_near(2)) continue;
      ++count;
      Put(static_cast<uint32_t>(j), &out_);
      for (int i = 0; i < 3; ++i) Put(v[i], &out_);
    }
    std::memcpy(&out_[count_at], &count, sizeof(count));
  }

  const ViewLayout& layout_;
  uint16_t flags_ = 0;
  std::string out_;
};

struct RigFit {
  std::shared_ptr<const skel::Rig> rig;  // null: none fits
  skel::PoseMapper joints;
};

// Returns the first rig that has every joint, trying the standard one first.
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

void PutFrameHead(uint8_t kind, const ViewFrameTag& tag, double time_code_s, std::string* out) {
  Put(kind, out);
  Put(tag.avatar, out);
  Put(uint16_t{0}, out);
  Put(tag.layout, out);
  Put(time_code_s, out);
  Put(tag.number, out);
}

void SetFrameFlags(uint16_t flags, std::string* message) {
  constexpr size_t kFlagsAt = 2;
  std::memcpy(&(*message)[kFlagsAt], &flags, sizeof(flags));
}

ViewLayout LayoutOf(const wire::StreamHeader& header, const skel::RigCatalog& rigs) {
  ViewLayout layout;
  const std::vector<std::string>& paths = header.joints;
  skel::PathIndex index;
  for (const std::string& path : paths) index.Add(path);
  for (int j = 0; j < static_cast<int>(paths.size()); ++j) {
    layout.joints.emplace_back(index.ShortestName(j));
  }
  layout.shapes = header.shapes;
  layout.audio_hz = static_cast<uint32_t>(header.audio_rate_hz.value_or(0));
  layout.epoch_s = header.epoch_s;
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

std::vector<ViewFrame> EncodeView(const wire::DataChunk& data, const ViewLayout& layout,
                                  const ViewFrameTag& tag, absl::Span<const wire::Prop> props) {
  std::vector<ViewFrame> frames;
  ViewFrameTag at = tag;
  const size_t voice_bytes = data.audio ? data.audio->samples.size() * sizeof(int16_t) : 0;
  for (const double time_code_s : FrameCodes(data)) {
    const Key rotations = KeyAt(data.pose[wire::kRotations], time_code_s);
    const Key weights = KeyAt(data.pose[wire::kWeights], time_code_s);
    // Of most frames; one with many joints away from their rest takes more.
    const size_t pose_bytes = rotations.size() * sizeof(int16_t) + weights.size() * sizeof(float);
    Writer whole(layout, at, time_code_s, pose_bytes + (frames.empty() ? voice_bytes : 0));
    whole.Rotations(rotations);
    whole.Translations(KeyAt(data.pose[wire::kTranslations], time_code_s));
    whole.Scales(KeyAt(data.pose[wire::kScales], time_code_s));
    whole.Weights(weights);
    whole.CameraAt(data.camera, time_code_s);
    ViewFrame frame;
    if (frames.empty()) {
      whole.Audio(data.audio);
      if (whole.has_audio()) {
        Writer voice(layout, at, time_code_s, voice_bytes);
        voice.Audio(data.audio);
        frame.voice = voice.Take(kPoseDropped);
      }
    }
    whole.Props(props);
    frame.whole = whole.Take();
    frames.push_back(std::move(frame));
    ++at.number;
  }
  return frames;
}

}  // namespace posewire::renderer_sink
