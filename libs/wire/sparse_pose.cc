#include "libs/wire/sparse_pose.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "libs/wire/any_entry.h"
#include "libs/wire/message.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {
namespace {

constexpr float kLongestReach_m = 2;
constexpr absl::string_view kPoseForms[] = {"0", "1", "quantised"};

// Squared distances between quaternions that turn a joint's reach by kMoved_m.
std::vector<float> SquareTolerances(const skel::Rig& rig) {
  const skel::PoseView rest = rig.rest();
  std::vector<float> reach_m(static_cast<size_t>(rig.joints()));
  bool lengths = false;
  for (int j = rig.joints(); j-- > 0;) {  // parents precede children
    const int parent = rig.topology().parent(j);
    if (parent < 0) continue;
    const skel::Vec3 t = rest.translation(j);
    const float bone_m = std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
    lengths = lengths || bone_m > 0;
    float& longest_m = reach_m[static_cast<size_t>(parent)];
    longest_m = std::max(longest_m, reach_m[static_cast<size_t>(j)] + bone_m);
  }
  for (float& of : reach_m) {
    const float distance = kMoved_m / (lengths ? of + kSkin_m : kLongestReach_m) / 2;
    of = distance * distance;
  }
  return reach_m;
}

// Copies the changed values to `kept`, and returns how many there are.
template <size_t kFloats>
int TakeChanged(const float* const (&from)[kFloats], float* const (&kept)[kFloats], int joints,
                bool complete, uint8_t* changed, bool mark_neutral) {
  if (complete) std::fill_n(changed, joints, uint8_t{1});
  int count = 0;
  for (int j = 0; j < joints; ++j) {
    if (changed[j] == 0) continue;
    ++count;
    bool neutral = from[0][j] == (kFloats == 4 ? 1.0f : 0.0f);
    for (size_t i = 0; i < kFloats; ++i) {
      kept[i][j] = from[i][j];
      if (i > 0) neutral = neutral && from[i][j] == 0;
    }
    if (neutral && mark_neutral) kept[kFloats - 1][j] = kNotNeutral;
  }
  return count;
}

void Clear(KeyBlock (&pose)[kPoseTracks]) {
  for (KeyBlock& block : pose) {
    block.time_codes_s.clear();
    block.values.clear();
  }
}

// The number that a record has which is left out.
bool IsLeftOut(size_t track, const float* value) {
  if (kTracks[track].rotation) {
    return value[0] == 1 && value[1] == 0 && value[2] == 0 && value[3] == 0;
  }
  return value[0] == 0 && value[1] == 0 && value[2] == 0;
}

}  // namespace

absl::string_view NameOf(PoseForm form) { return kPoseForms[static_cast<size_t>(form)]; }

std::optional<PoseForm> PoseFormOf(absl::string_view name) {
  for (size_t i = 0; i < std::size(kPoseForms); ++i) {
    if (kPoseForms[i] == name) return static_cast<PoseForm>(i);
  }
  return std::nullopt;
}

SparsePose::SparsePose(const skel::Rig& rig, PoseForm form)
    : form_(form), kept_(rig.joints(), rig.shapes()), square_rotations_(SquareTolerances(rig)) {
  for (std::vector<uint8_t>& joints : changes_.joints) {
    joints.resize(static_cast<size_t>(rig.joints()));
  }
  if (quantised()) {
    rotations_.resize(static_cast<size_t>(rig.joints()));
    bytes_.reserve(MostQuantisedBytes(rig.joints(), rig.shapes()));
  }
  changes_.shapes.resize(static_cast<size_t>(rig.shapes()));
  const skel::PoseSpan& kept = kept_.span();
  std::fill_n(kept.has_w, kept.shapes, uint8_t{1});
  for (uint8_t* const has : {kept.has_t, kept.has_r, kept.has_s}) {
    std::fill_n(has, kept.joints, uint8_t{1});
  }
  Update(rig.rest(), /*complete=*/true);
}

const PoseChanges& SparsePose::Update(const skel::PoseView& pose, bool complete) {
  const skel::PoseSpan& kept = kept_.span();
  const int n = kept.joints;
  changes_.weights = complete;
  for (int s = 0; s < kept.shapes; ++s) {
    const bool far = std::fabs(pose.weights[s] - kept.weights[s]) > kWeightTolerance;
    changes_.shapes[static_cast<size_t>(s)] = far;
    changes_.weights = changes_.weights || far;
    if (far && quantised()) kept.weights[s] = pose.weights[s];
  }
  if (complete || (changes_.weights && !quantised())) {
    std::copy_n(pose.weights, kept.shapes, kept.weights);
  }

  const auto vectors = [&](PoseTrack track, const float* const(&from)[3], float* const(&to)[3],
                           float tolerance) {
    uint8_t* const changed = changes_.joints[track].data();
    for (int j = 0; j < n; ++j) {
      const float x = std::fabs(from[0][j] - to[0][j]), y = std::fabs(from[1][j] - to[1][j]),
                  z = std::fabs(from[2][j] - to[2][j]);
      changed[j] = std::max(x, std::max(y, z)) > tolerance;
    }
    changes_.count[track] = TakeChanged(from, to, n, complete, changed, !quantised());
  };
  vectors(kTranslations, {pose.tx, pose.ty, pose.tz}, {kept.tx, kept.ty, kept.tz}, kMoved_m);
  vectors(kScales, {pose.sx, pose.sy, pose.sz}, {kept.sx, kept.sy, kept.sz}, kScaleTolerance);

  uint8_t* const turned = changes_.joints[kRotations].data();
  for (int j = 0; j < n; ++j) {
    const float w = pose.qw[j] - kept.qw[j], x = pose.qx[j] - kept.qx[j],
                y = pose.qy[j] - kept.qy[j], z = pose.qz[j] - kept.qz[j];
    turned[j] = w * w + x * x + y * y + z * z > square_rotations_[static_cast<size_t>(j)];
  }
  changes_.count[kRotations] =
      TakeChanged({pose.qw, pose.qx, pose.qy, pose.qz}, {kept.qw, kept.qx, kept.qy, kept.qz}, n,
                  complete, turned, !quantised());
  for (int j = 0; j < n && quantised(); ++j) {
    if (turned[j] == 0) continue;
    QuantisedRotation& rotation = rotations_[static_cast<size_t>(j)];
    rotation = Quantise(kept.rotation(j));
    kept.SetRotation(j, RotationOf(rotation));
  }
  return changes_;
}

absl::Span<const uint8_t> SparsePose::Bytes(double time_code_s, const PoseChanges* changes) {
  QuantisePose(time_code_s, kept_.view(), rotations_, changes, &bytes_);
  return bytes_;
}

void PoseCompleter::Begin(const StreamHeader& header) {
  joints_ = header.joints.size();
  shapes_ = header.shapes.size();
  Forget();
}

void PoseCompleter::Forget() { Clear(kept_); }

bool PoseCompleter::Complete(DataChunk* frame) {
  return form_ == PoseForm::kQuantised ? FillQuantised(frame) : Fill(frame);
}

bool PoseCompleter::FillQuantised(DataChunk* frame) {
  const MetadataEntry* const entry = FindMetadata(*frame, kQuantisedPoseKey);
  if (entry == nullptr) return false;
  bool known = false;
  if (const auto value = UnpackEntry(*entry, kQuantisedPoseKey, kQuantisedPoseType)) {
    FieldReader reader(*value);
    Field bytes;
    known = reader.Next(&bytes) && bytes.Is(1, kLength) &&
            ApplyQuantised(bytes.bytes, joints_, shapes_, kept_);
  }
  std::erase_if(frame->metadata, [](const MetadataEntry& e) { return e.key == kQuantisedPoseKey; });
  if (!known) {
    Clear(frame->pose);
    Forget();
    return true;
  }
  std::copy(std::begin(kept_), std::end(kept_), std::begin(frame->pose));
  for (const KeyBlock& block : kept_) {
    if (block.empty()) continue;
    frame->earliest_time_code_s = std::min(frame->earliest_time_code_s, block.time_codes_s[0]);
  }
  return true;
}

bool PoseCompleter::Fill(DataChunk* frame) {
  const auto first = std::find_if(std::begin(frame->pose), std::end(frame->pose),
                                  [](const KeyBlock& block) { return !block.empty(); });
  if (first == std::end(frame->pose)) return false;
  const double time_code_s = first->time_codes_s.front();
  bool changed = false;
  bool known = std::all_of(std::begin(frame->pose), std::end(frame->pose),
                           [](const KeyBlock& block) { return block.time_codes_s.size() <= 1; });
  for (size_t track = 0; track < kPoseTracks && known; ++track) {
    KeyBlock& block = frame->pose[track];
    KeyBlock& kept = kept_[track];
    if (block.empty()) {
      if (kept.empty()) continue;  // the stream has no such track
      block.width = kept.width;
      block.time_codes_s.assign(1, time_code_s);
      block.values = kept.values;
      changed = true;
      continue;
    }
    if (track != kWeights) {
      const auto floats = static_cast<size_t>(kTracks[track].floats);
      for (size_t i = 0; i + floats <= block.values.size(); i += floats) {
        if (!IsLeftOut(track, &block.values[i])) continue;
        changed = true;
        known = known && !kept.empty();
        if (known) std::copy_n(&kept.values[i], floats, &block.values[i]);
      }
    }
    if (known) kept = block;
  }
  if (known) {
    frame->zero_rotations = 0;
    return changed;
  }
  Clear(frame->pose);
  Forget();
  return true;
}

}  // namespace posewire::wire
