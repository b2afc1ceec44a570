#include "libs/character/shape_offsets.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/skel/pose_hash.h"

namespace posewire::character {

using skel::Vec3;

namespace {

// Smaller offsets are rounding errors.
constexpr float kLeastShape_m = 1e-6f;

uint64_t ClipHashOf(const skel::Rig& rig) {
  uint64_t hash = skel::kPoseHashSeed;
  skel::Pose pose(rig.joints(), rig.shapes());
  for (int f = 0; f < ShapeOffsets::Frames(rig); ++f) {
    ShapeOffsets::PoseAt(rig, f, pose.span());
    hash = skel::PoseHash(pose.view(), hash);
  }
  return hash;
}

}  // namespace

void ShapeOffsets::PoseAt(const skel::Rig& rig, int frame, const skel::PoseSpan& out) {
  out.CopyFrom(rig.rest());
  for (int s = 0; s < rig.shapes(); ++s) out.SetWeight(s, s == frame - 1 ? 1.0f : 0.0f);
}

absl::StatusOr<std::shared_ptr<const ShapeOffsets>> ShapeOffsets::Read(
    const offsets::OffsetsFile& file, const skel::Rig& rig, size_t points) {
  const offsets::OffsetsHeader& header = file.header();
  if (header.content != offsets::Content::kShapes) {
    return absl::InvalidArgumentError(
        "has the offsets of a clip, expected those of shapes: animclip bake shapes OUT");
  }
  if (header.points != points) {
    return absl::FailedPreconditionError(absl::StrCat("points is ", header.points, ", expected ",
                                                      points, " of the character: bake it again"));
  }
  if (header.frames != static_cast<uint32_t>(Frames(rig)) || header.clip_hash != ClipHashOf(rig)) {
    return absl::FailedPreconditionError(
        absl::StrCat("has the offsets of ", header.frames - 1,
                     " shapes of another rig, expected those of the character's rig, which has ",
                     rig.shapes(), ": bake it again"));
  }
  auto out = std::make_shared<ShapeOffsets>();
  out->rest_.resize(header.points);
  out->shapes_.resize(static_cast<size_t>(rig.shapes()));
  out->hash_ = offsets::kHashSeed;
  std::vector<Vec3> frame(header.points);
  std::unique_ptr<offsets::Chunk> chunk;
  for (size_t f = 0; f < header.frames; ++f) {
    if (f % offsets::kChunkFrames == 0) {
      auto opened = file.Open(f / offsets::kChunkFrames);
      if (!opened.ok()) return opened.status();
      chunk = *std::move(opened);
    }
    const auto to = absl::MakeSpan(f == 0 ? out->rest_ : frame);
    chunk->Frame(f % offsets::kChunkFrames, to);
    out->hash_ = offsets::ContentHash(
        {reinterpret_cast<const char*>(to.data()), to.size() * sizeof(Vec3)}, out->hash_);
    if (f == 0) continue;
    std::vector<Moved>& moved = out->shapes_[f - 1];
    for (uint32_t i = 0; i < header.points; ++i) {
      const Vec3 o = frame[i] - out->rest_[i];
      if (skel::Length(o) > kLeastShape_m) moved.push_back({i, o});
    }
  }
  return out;
}

void ShapeOffsets::Sum(const skel::PoseView& pose, absl::Span<Vec3> out) const {
  std::copy(rest_.begin(), rest_.end(), out.begin());
  for (size_t s = 0; s < shapes_.size() && s < static_cast<size_t>(pose.shapes); ++s) {
    const float weight = pose.has_w[s] != 0 ? pose.weights[s] : 0;
    if (weight == 0) continue;
    for (const Moved& moved : shapes_[s]) {
      out[moved.point] = out[moved.point] + moved.offset * weight;
    }
  }
}

}  // namespace posewire::character
