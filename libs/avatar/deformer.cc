#include "libs/avatar/deformer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/avatar/surface.h"
#include "libs/skel/local_to_model_job.h"

namespace posewire::avatar {

Deformer::Deformer(const Model& model, mesh::SkinningMethod method)
    : model_(model), method_(method), joints_(model.bind.size()), transforms_(model.bind.size()) {
  for (const Surface& surface : model.surfaces) {
    Part part;
    for (const Target& target : surface.targets) {
      mesh::BlendShapeParts shape;
      shape.name = model.rig->shape_names()[static_cast<size_t>(target.shape)];
      shape.indices = target.indices;
      shape.offsets = target.offsets;
      auto made = mesh::BlendShape::Make(std::move(shape));
      if (!made.ok()) continue;  // the model's own shapes are whole
      part.shapes.push_back(*std::move(made));
      part.shape_of_rig.push_back(target.shape);
    }
    part.shape_weights.resize(part.shapes.size());
    for (const Influences& point : surface.influences) {
      part.indices.insert(part.indices.end(), point.joint.begin(), point.joint.end());
      part.weights.insert(part.weights.end(), point.weight.begin(), point.weight.end());
    }
    part.points = surface.points;
    part.normals = surface.normals;
    parts_.push_back(std::move(part));
  }
}

absl::Status Deformer::Pose(const skel::PoseView& pose) {
  skel::LocalToModelJob walk;
  walk.rig = model_.rig.get();
  walk.local = pose;
  walk.matrices = absl::MakeSpan(joints_);
  if (absl::Status s = walk.Validate(); !s.ok()) return s;
  if (pose.shapes != model_.rig->shapes()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the pose has ", pose.shapes, " shapes, expected ", model_.rig->shapes()));
  }
  walk.Run();
  for (size_t j = 0; j < joints_.size(); ++j) {
    transforms_[j] = mesh::SkinningTransform(model_.bind[j], joints_[j]);
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const Surface& surface = model_.surfaces[i];
    part.points = surface.points;
    for (size_t s = 0; s < part.shapes.size(); ++s) {
      const int shape = part.shape_of_rig[s];
      part.shape_weights[s] = pose.has_w[shape] ? pose.weights[shape] : 0;
    }
    mesh::BlendShapesJob blend;
    blend.shapes = part.shapes;
    blend.weights = part.shape_weights;
    blend.points = absl::MakeSpan(part.points);
    if (absl::Status s = blend.Run(); !s.ok()) return s;
    mesh::SkinJob skin;
    skin.method = method_;
    skin.transforms = transforms_;
    skin.indices = part.indices;
    skin.weights = part.weights;
    skin.points = part.points;
    skin.out_points = absl::MakeSpan(part.points);
    const bool turned = part.shapes.empty();
    if (turned) {
      skin.normals = surface.normals;
      skin.out_normals = absl::MakeSpan(part.normals);
    }
    if (absl::Status s = skin.Run(); !s.ok()) return s;
    if (!turned) SmoothNormals(part.points, surface.triangles, absl::MakeSpan(part.normals));
  }
  return absl::OkStatus();
}

}  // namespace posewire::avatar
