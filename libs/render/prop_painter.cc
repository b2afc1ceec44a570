#include "libs/render/prop_painter.h"

#include <algorithm>
#include <utility>

namespace posewire::render {

using character::Material;
using skel::Vec3;

GLuint PropPainter::TextureOf(const character::PropModel& model, int texture, bool is_color) {
  if (texture < 0) return 0;
  const character::Texture& from = model.textures[static_cast<size_t>(texture)];
  GLuint& out = textures_[{&from, is_color}];
  if (out == 0) out = upload_(from, is_color);
  return out;
}

absl::Status PropPainter::Make(const std::shared_ptr<const character::PropModel>& model,
                               Thing& out) {
  out.model = model;
  for (const character::Mesh& mesh : model->meshes) {
    PropPart part;
    part.material = &model->materials[static_cast<size_t>(mesh.material)];
    const auto program = program_of_(*part.material);
    if (!program.ok()) return program.status();
    part.program = *program;
    part.color = TextureOf(*model, part.material->texture, true);
    part.emissive = TextureOf(*model, part.material->emissive_texture, true);
    part.normal = TextureOf(*model, part.material->normal_map, false);
    if (absl::Status s = part.mesh.Upload(gl_, SurfaceOf(mesh), part.normal != 0); !s.ok())
      return s;
    out.parts.push_back(std::move(part));
  }
  return absl::OkStatus();
}

absl::Status PropPainter::Set(absl::Span<const character::PropShape> props) {
  for (auto& thing : things_) thing->shown = false;
  std::vector<Vec3> points, normals;
  for (const character::PropShape& prop : props) {
    if (prop.model == nullptr) continue;
    auto at = std::find_if(things_.begin(), things_.end(), [&](const auto& thing) {
      return !thing->shown && thing->model == prop.model;
    });
    if (at == things_.end()) {
      auto thing = std::make_unique<Thing>();
      if (absl::Status s = Make(prop.model, *thing); !s.ok()) return s;
      at = things_.insert(things_.end(), std::move(thing));
    }
    (*at)->shown = true;
    const Vec3 scale = prop.model->ScaleTo(prop.size);
    for (size_t i = 0; i < prop.model->meshes.size(); ++i) {
      points.clear();
      normals.clear();
      character::ScaleMesh(prop.model->meshes[i], scale, points, normals);
      for (Vec3& p : points) p = prop.position + Rotate(prop.rotation, p);
      for (Vec3& n : normals) n = Rotate(prop.rotation, n);
      if (absl::Status s = (*at)->parts[i].mesh.Pose(gl_, points, normals); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

void PropPainter::Draw(bool translucent, absl::FunctionRef<void(const PropPart&)> draw) const {
  for (const auto& thing : things_) {
    if (!thing->shown) continue;
    for (const PropPart& part : thing->parts) {
      if ((part.material->mode == Material::Alpha::kBlend) == translucent) draw(part);
    }
  }
}

}  // namespace posewire::render
