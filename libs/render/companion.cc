#include "libs/render/companion.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/types/span.h"

namespace posewire::render {

using character::Material;

// Room for joints that are scaled, and shapes that move a point together.
constexpr float kSlack = 1.2f, kShapesAtOnce = 4;

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
  FindReach();
  return absl::OkStatus();
}

absl::StatusOr<std::string> Companion::Subdivide(int levels) {
  refined_ = nullptr;
  if (levels == 0) return "";
  auto made = character::RefinedSurface::Make(deformer_, levels);
  if (!made.ok()) return made.status();
  std::vector<MeshBuffers> buffers(meshes_.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!(*made)->has(i)) continue;
    const absl::Status s =
        buffers[i].Upload(gl_, SurfaceOf((*made)->part(i)), parts_[i].normal != 0);
    if (!s.ok()) return s;
  }
  refined_ = *std::move(made);
  refined_meshes_ = std::move(buffers);
  return refined_->left_out();
}

absl::Status Companion::Pose(const CompanionPose& to) {
  deformer_.SetTime(to.at_s);
  if (absl::Status s = deformer_.PoseJoints(to.pose); !s.ok() || !to.drawn) return s;
  pose_.Resize(to.pose.joints, to.pose.shapes);
  pose_.span().CopyFrom(to.pose);
  offsets_.assign(to.offsets.begin(), to.offsets.end());
  place_ = to.place;
  if (reach_) {
    extent_ =
        mesh::Transformed(mesh::Padded(mesh::JointExtent(deformer_.nodes()), *reach_), to.place);
  }
  posed_ = true;
  deformed_ = false;
  return absl::OkStatus();
}

// Points are between the places that their joints alone would bring them to, and those are as far
// from the joints as in the bind pose.
void Companion::FindReach() {
  const character::Character& c = deformer_.character();
  reach_.reset();
  if (!c.after_skin.empty() || !deformer_.PoseJoints(c.rig->rest()).ok()) return;
  float far = 0, shapes = 0;
  const auto size_of = [&](int node) {
    const skel::Affine& m = deformer_.nodes()[static_cast<size_t>(node)];
    return std::max({skel::Length(m.row[0]), skel::Length(m.row[1]), skel::Length(m.row[2])});
  };
  for (const character::Mesh& mesh : c.meshes) {
    const character::Skin* const skin =
        mesh.skin < 0 ? nullptr : &c.skins[static_cast<size_t>(mesh.skin)];
    const auto per = static_cast<size_t>(mesh.per_point);
    float size = skin == nullptr ? size_of(mesh.node) : 0;
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      if (skin == nullptr) far = std::max(far, skel::Length(mesh.points[i]) * size);
      for (size_t k = i * per; skin != nullptr && k < (i + 1) * per; ++k) {
        if (mesh.weights[k] == 0) continue;
        const auto joint = static_cast<size_t>(mesh.joints[k]);
        const skel::Vec3 at = skel::TransformPoint(skin->inverse_bind[joint], mesh.points[i]);
        const float own = size_of(skin->nodes[joint]);
        far = std::max(far, skel::Length(at) * own);
        size = std::max(size, own);
      }
    }
    for (const mesh::BlendShape& shape : mesh.shapes) {
      for (const mesh::ShapeKey& key : shape.keys()) {
        for (const skel::Vec3 v : key.offsets) shapes = std::max(shapes, skel::Length(v) * size);
      }
    }
  }
  reach_ = kSlack * far + kShapesAtOnce * shapes;
}

absl::Status Companion::Show(std::initializer_list<const Matrix*> views) {
  in_view_ = posed_ && (!reach_ || !offsets_.empty() ||
                        std::any_of(views.begin(), views.end(),
                                    [&](const Matrix* view) { return MayBeSeen(extent_, *view); }));
  if (!in_view_ || deformed_) return absl::OkStatus();
  deformed_ = true;
  return Deform();
}

absl::Status Companion::Deform() {
  if (absl::Status s = deformer_.Pose(pose_.view()); !s.ok()) return s;
  const bool offset = !offsets_.empty();
  if (offset) {
    if (offset_points_ == nullptr) {
      auto made = character::OffsetPoints::Make(deformer_);
      if (!made.ok()) return made.status();
      offset_points_ = *std::move(made);
    }
    if (absl::Status s = offset_points_->Pose(deformer_, offsets_); !s.ok()) return s;
  }
  const auto points = [&](size_t i) -> absl::Span<const skel::Vec3> {
    return offset ? offset_points_->points(i) : deformer_.points(i);
  };
  const auto normals = [&](size_t i) -> absl::Span<const skel::Vec3> {
    return offset ? offset_points_->normals(i) : deformer_.normals(i);
  };
  if (refined_ != nullptr) {
    if (absl::Status s = refined_->Pose(points); !s.ok()) return s;
  }
  for (size_t i = 0; i < meshes_.size(); ++i) {
    if (!deformer_.shown(i)) continue;
    const bool fine = IsRefined(i);
    points_.clear();
    normals_.clear();
    for (const skel::Vec3 p : fine ? absl::MakeConstSpan(refined_->part(i).points) : points(i)) {
      points_.push_back(skel::TransformPoint(place_, p));
    }
    for (const skel::Vec3 n : fine ? absl::MakeConstSpan(refined_->part(i).normals) : normals(i)) {
      normals_.push_back(skel::TransformVector(place_, n));
    }
    MeshBuffers& buffers = fine ? refined_meshes_[i] : meshes_[i];
    if (absl::Status s = buffers.Pose(gl_, points_, normals_); !s.ok()) return s;
  }
  return absl::OkStatus();
}

void Companion::Draw(
    bool translucent,
    absl::FunctionRef<void(const Part&, const std::array<float, 4>& color, const Buffers&)> draw)
    const {
  if (!in_view_) return;
  const character::Character& c = deformer_.character();
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!deformer_.shown(i)) continue;
    if ((parts_[i].material->mode == Material::Alpha::kBlend) != translucent) continue;
    draw(parts_[i], deformer_.color(static_cast<size_t>(c.meshes[i].material)),
         (IsRefined(i) ? refined_meshes_[i] : meshes_[i]).buffers());
  }
}

}  // namespace posewire::render
