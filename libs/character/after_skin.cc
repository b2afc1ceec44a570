#include "libs/character/after_skin.h"

#include <utility>

#include "libs/character/deformer.h"
#include "libs/character/lattice.h"

namespace posewire::character {

AfterSkin::AfterSkin(const Character& character, PointSkin skin, SurfaceTurns turns)
    : skin_(std::move(skin)),
      turns_(std::move(turns)),
      transforms_(skin_.points()),
      skinned_(skin_.points()),
      points_(skin_.points()),
      normals_(skin_.points()),
      frames_before_(skin_.points()),
      frames_after_(skin_.points()) {
  const SkinDeformers& rules = character.after_skin;
  if (rules.smoothing) smoothing_.emplace(skin_, *rules.smoothing);
}

absl::StatusOr<std::unique_ptr<AfterSkin>> AfterSkin::Make(const Deformer& deformer) {
  PointSkin skin(deformer);
  auto turns = SurfaceTurns::Make(skin.rest(), skin.triangles());
  if (!turns.ok()) return turns.status();
  return std::unique_ptr<AfterSkin>(
      new AfterSkin(deformer.character(), std::move(skin), *std::move(turns)));
}

absl::Status AfterSkin::Run(const Deformer& deformer, absl::Span<const float> values) {
  skin_.Gather(deformer, absl::MakeSpan(skinned_), absl::MakeSpan(normals_));
  points_ = skinned_;
  const SkinDeformers& rules = deformer.character().after_skin;
  for (const Lattice& lattice : rules.lattices) {
    ApplyLattice(lattice, deformer.nodes()[static_cast<size_t>(lattice.node)],
                 values.subspan(0, lattice.moves.size()), skin_, absl::MakeSpan(points_));
    values.remove_prefix(lattice.moves.size());
  }
  if (smoothing_) {
    if (absl::Status s = skin_.Transforms(deformer, absl::MakeSpan(transforms_), nullptr);
        !s.ok()) {
      return s;
    }
    smoothing_->Run(transforms_, absl::MakeSpan(points_));
  }
  if (absl::Status s = turns_.Frames(skinned_, absl::MakeSpan(frames_before_)); !s.ok()) return s;
  if (absl::Status s = turns_.Frames(points_, absl::MakeSpan(frames_after_)); !s.ok()) return s;
  for (size_t i = 0; i < normals_.size(); ++i) {
    turns_.Turn(i, frames_before_, frames_after_, normals_[i]);
  }
  return absl::OkStatus();
}

}  // namespace posewire::character
