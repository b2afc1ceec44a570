#include "libs/render/companion.h"

#include <map>
#include <utility>

namespace posewire::render {

using character::Material;

absl::Status Companion::Prepare(
    absl::FunctionRef<absl::StatusOr<GLuint>(const character::Material&)> program_of,
    absl::FunctionRef<GLuint(const character::Texture&, bool is_color)> upload) {
  const character::Character& c = deformer_.character();
  std::map<std::pair<int, bool>, GLuint> textures;
  const auto texture_of = [&](int index, bool is_color) -> GLuint {
    if (index < 0) return 0;
    GLuint& out = textures[{index, is_color}];
    if (out == 0) out = upload(c.textures[static_cast<size_t>(index)], is_color);
    return out;
  };
  meshes_.resize(c.meshes.size());
  for (size_t i = 0; i < c.meshes.size(); ++i) {
    Part part;
    part.material = &c.materials[static_cast<size_t>(c.meshes[i].material)];
    const absl::StatusOr<GLuint> program = program_of(*part.material);
    if (!program.ok()) return program.status();
    part.program = *program;
    part.color = texture_of(part.material->texture, true);
    part.emissive = texture_of(part.material->emissive_texture, true);
    part.normal = texture_of(part.material->normal_map, false);
    if (absl::Status s = meshes_[i].Upload(gl_, SurfaceOf(c.meshes[i]), part.normal != 0);
        !s.ok()) {
      return s;
    }
    parts_.push_back(part);
  }
  return absl::OkStatus();
}

absl::Status Companion::Pose(const skel::PoseView& pose, const skel::Affine& place) {
  if (absl::Status s = deformer_.Pose(pose); !s.ok()) return s;
  for (size_t i = 0; i < meshes_.size(); ++i) {
    if (!deformer_.shown(i)) continue;
    points_.clear();
    normals_.clear();
    for (const skel::Vec3 p : deformer_.points(i)) {
      points_.push_back(skel::TransformPoint(place, p));
    }
    for (const skel::Vec3 n : deformer_.normals(i)) {
      normals_.push_back(skel::TransformVector(place, n));
    }
    if (absl::Status s = meshes_[i].Pose(gl_, points_, normals_); !s.ok()) return s;
  }
  posed_ = true;
  return absl::OkStatus();
}

void Companion::Draw(
    bool translucent,
    absl::FunctionRef<void(const Part&, const std::array<float, 4>& color, const Buffers&)> draw)
    const {
  if (!posed_) return;
  const character::Character& c = deformer_.character();
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!deformer_.shown(i)) continue;
    if ((parts_[i].material->mode == Material::Alpha::kBlend) != translucent) continue;
    draw(parts_[i], deformer_.color(static_cast<size_t>(c.meshes[i].material)),
         meshes_[i].buffers());
  }
}

}  // namespace posewire::render
