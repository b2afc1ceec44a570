#include "libs/avatar/model.h"

#include <utility>

#include "libs/avatar/bind_pose.h"
#include "libs/avatar/body.h"
#include "libs/avatar/head.h"

namespace posewire::avatar {
namespace {

std::vector<Material> Materials() {
  std::vector<Material> out(kMaterials);
  out[kSkin] = {"skin", {0.70f, 0.43f, 0.31f}, 0.55f, 0.5f};
  out[kJumper] = {"jumper", {0.055f, 0.17f, 0.21f}, 0.9f, 0};
  out[kTrousers] = {"trousers", {0.045f, 0.05f, 0.065f}, 0.9f, 0};
  out[kShoes] = {"shoes", {0.30f, 0.13f, 0.06f}, 0.6f, 0};
  out[kSoles] = {"soles", {0.75f, 0.72f, 0.66f}, 0.8f, 0};
  out[kHair] = {"hair", {0.045f, 0.024f, 0.014f}, 0.5f, 0};
  out[kEyes] = {"eye", {0.9f, 0.9f, 0.9f}, 0.12f, 0};
  out[kTeeth] = {"teeth", {0.85f, 0.82f, 0.75f}, 0.25f, 0.3f};
  out[kTongue] = {"tongue", {0.55f, 0.17f, 0.16f}, 0.4f, 0.5f};
  out[kMouth] = {"mouth", {0.20f, 0.04f, 0.04f}, 0.6f, 0.2f};
  return out;
}

}  // namespace

absl::StatusOr<Model> MakeModel(std::shared_ptr<const skel::Rig> rig) {
  absl::StatusOr<BindPose> bind = BindPose::Make(rig);
  if (!bind.ok()) return bind.status();
  Model model;
  model.rig = std::move(rig);
  model.bind = bind->matrices();
  model.materials = Materials();
  AddBody(*bind, model);
  AddHead(*bind, model);
  return model;
}

}  // namespace posewire::avatar
