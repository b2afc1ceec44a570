#include "services/renderer_sink/view/page_offsets.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/point_skin.h"

namespace posewire::renderer_sink {

std::shared_ptr<const CharacterOffsets> OffsetsFor(
    std::shared_ptr<const character::Character> character, const std::vector<OffsetsAt>& files,
    int first_node) {
  const character::Deformer deformer(character);
  const character::PointSkin skin(deformer);
  if (skin.points() > OffsetFrameWriter::kMostOfCharacter) return nullptr;
  auto own = OffsetsOf(character::MeshHash(skin, *character), files);
  if (!own.ok()) return nullptr;
  std::string meshes;
  for (const size_t m : skin.meshes()) {
    const character::Mesh& mesh = character->meshes[m];
    absl::StrAppend(&meshes, meshes.empty() ? "[" : ",", "[",
                    first_node < 0 ? mesh.node : first_node + static_cast<int>(m), ",",
                    mesh.points.size(), "]");
  }
  absl::StrAppend(&meshes, "]");
  return std::make_shared<const CharacterOffsets>(
      CharacterOffsets{std::move(character), *std::move(own), std::move(meshes)});
}

absl::StatusOr<std::unique_ptr<PageOffsets>> PageOffsets::Make(const CharacterOffsets& of,
                                                               size_t budget_bytes,
                                                               service::Logger log) {
  std::unique_ptr<PageOffsets> out(new PageOffsets(of.character));
  auto live = LiveOffsets::Make(of.files, of.character, budget_bytes, std::move(log));
  if (!live.ok()) return live.status();
  out->live_ = *std::move(live);
  auto points = character::OffsetPoints::Make(out->deformer_);
  if (!points.ok()) return points.status();
  out->points_ = *std::move(points);
  const size_t n = out->points_->skin().points();
  out->offsets_.resize(n);
  out->turns_.resize(n);
  return out;
}

std::shared_ptr<const std::string> PageOffsets::Write(const wire::Contributions& seen,
                                                      const ViewFrameTag& tag, double code_s,
                                                      double now_s) {
  const render::OffsetMix mix = live_->Of(seen, now_s);
  if (!points_->PoseUnskinned(mix.clips).ok()) return nullptr;
  const auto rest = points_->skin().rest(), moved = points_->unskinned_points();
  const auto normals = points_->rest_normals(), turned = points_->unskinned_normals();
  for (size_t i = 0; i < offsets_.size(); ++i) {
    offsets_[i] = moved[i] - rest[i];
    turns_[i] = turned[i] - normals[i];
  }
  return writer_.Write({offsets_, turns_, mix.own}, tag, code_s);
}

}  // namespace posewire::renderer_sink
