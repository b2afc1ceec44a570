#include "services/renderer_sink/view/page_offsets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/point_skin.h"
#include "libs/wire/contributions.h"
#include "libs/wire/message.h"

namespace posewire::renderer_sink {

absl::StatusOr<std::shared_ptr<const CharacterOffsets>> OffsetsFor(
    std::shared_ptr<const character::Character> character, const std::vector<OffsetsAt>& files,
    int first_node) {
  const character::Deformer deformer(character);
  const character::PointSkin skin(deformer);
  if (skin.points() > OffsetFrameWriter::kMostOfCharacter) return nullptr;
  auto of_mesh = OffsetsOf(character::MeshHash(skin, *character), skin.points(), files);
  if (!of_mesh.ok()) {
    if (character->after_skin.empty()) return nullptr;
    of_mesh = std::vector<OffsetsAt>();
  }
  auto own = WithShapes(character, skin.points(), *std::move(of_mesh));
  if (!own.ok()) return own.status();
  std::string meshes;
  for (const size_t m : skin.meshes()) {
    const character::Mesh& mesh = character->meshes[m];
    absl::StrAppend(&meshes, meshes.empty() ? "[" : ",", "[",
                    first_node < 0 ? mesh.node : first_node + static_cast<int>(m), ",",
                    mesh.points.size(), "]");
  }
  absl::StrAppend(&meshes, "]");
  return std::make_shared<const CharacterOffsets>(
      CharacterOffsets{*std::move(own), std::move(meshes)});
}

absl::StatusOr<std::unique_ptr<PageOffsets>> PageOffsets::Make(const CharacterOffsets& of,
                                                               size_t budget_bytes,
                                                               service::Logger log) {
  std::unique_ptr<PageOffsets> out(new PageOffsets(of.files.character));
  auto live = LiveOffsets::Make(of.files, budget_bytes, std::move(log));
  if (!live.ok()) return live.status();
  out->live_ = *std::move(live);
  auto points = character::OffsetPoints::Make(out->deformer_);
  if (!points.ok()) return points.status();
  out->points_ = *std::move(points);
  const size_t n = out->points_->skin().points();
  out->offsets_.resize(n);
  out->turns_.resize(n);
  out->before_.resize(n);
  return out;
}

PageOffsets::PageOffsets(std::shared_ptr<const character::Character> character)
    : deformer_(character), pose_(character->rig->joints(), character->rig->shapes()) {
  pose_.span().CopyFrom(character->rig->rest());
}

absl::Status PageOffsets::OnHeader(const wire::StreamHeader& header, const skel::RigCatalog& rigs) {
  auto binding = wire::SourceBinding::Make(header, deformer_.character().rig, rigs);
  if (!binding.ok()) return binding.status();
  binding_ = *std::move(binding);
  return absl::OkStatus();
}

absl::Status PageOffsets::Pose(const wire::DataChunk& data) {
  wire::SourceBinding::Sample sample;
  for (int track = 0; track < wire::kPoseTracks; ++track) {
    const wire::KeyBlock& keys = data.pose[track];
    if (!keys.empty()) sample.track[track] = keys.key(0);
  }
  binding_->Apply(sample, pose_.span());
  return deformer_.Pose(pose_.view());
}

absl::Status PageOffsets::Sum(absl::Span<const mesh::WeighedOffsets> offsets) {
  if (absl::Status s = points_->PoseSkinned(deformer_); !s.ok()) return s;
  if (absl::Status s = points_->UnskinnedNormals(absl::MakeSpan(before_)); !s.ok()) return s;
  if (deformer_.skinned().empty()) {
    std::fill(offsets_.begin(), offsets_.end(), skel::Vec3{});
  } else {
    points_->skin().Gather(deformer_, absl::MakeSpan(offsets_), {});
    const mesh::OffsetsJob after_skin{points_->transforms(), deformer_.skinned(), offsets_,
                                      absl::MakeSpan(offsets_)};
    if (absl::Status s = after_skin.Run(); !s.ok()) return s;
  }
  if (absl::Status s = points_->Pose(deformer_, offsets); !s.ok()) return s;
  if (absl::Status s = points_->UnskinnedNormals(absl::MakeSpan(turns_)); !s.ok()) return s;
  for (size_t i = 0; i < turns_.size(); ++i) turns_[i] = turns_[i] - before_[i];
  for (const mesh::WeighedOffsets& one : offsets) {
    for (size_t i = 0; i < offsets_.size(); ++i) {
      const float weight = one.shares.empty() ? one.weight : one.weight * one.shares[i];
      offsets_[i] = offsets_[i] + one.offsets[i] * weight;
    }
  }
  return absl::OkStatus();
}

std::shared_ptr<const std::string> PageOffsets::Write(const wire::DataChunk& data,
                                                      const ViewFrameTag& tag, double now_s) {
  if (!binding_ || !std::isfinite(data.earliest_time_code_s)) return nullptr;
  if (!wire::HasPose(data) && data.metadata.empty()) return nullptr;  // a voice by itself
  wire::Contributions seen;
  for (const wire::MetadataEntry& entry : data.metadata) {
    if (auto read = wire::ReadContributions(entry)) seen = *std::move(read);
  }
  if (!Pose(data).ok()) return nullptr;
  if (!Sum(live_->Of(pose_.view(), seen, now_s)).ok()) return nullptr;
  return writer_.Write({offsets_, turns_}, tag, data.earliest_time_code_s);
}

}  // namespace posewire::renderer_sink
