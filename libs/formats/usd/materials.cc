#include "libs/formats/usd/materials.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/image/image.h"

namespace posewire::usd {
namespace {

skel::Vec3 ColorOf(const std::vector<double>& c) {
  return {static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2])};
}

}  // namespace

// Returns the prim that an input is connected to; -1 for none.
int StageLooks::PrimOf(int prim, absl::string_view connection) const {
  const Property* const p = stage_.prim(prim).Find(connection, Property::Part::kConnection);
  if (p == nullptr || p->value.references.empty()) return -1;
  const std::string& path = p->value.references[0].path;
  return stage_.Find(path.substr(0, path.find('.')));
}

int StageLooks::Texture(int shader, absl::string_view input) {
  const int from = PrimOf(shader, input);
  if (from < 0 || stage_.Text(from, "info:id") != "UsdUVTexture") return -1;
  const Property* const file = stage_.prim(from).Find("inputs:file", Property::Part::kDefault);
  if (file == nullptr || file->value.references.empty() || read_sidecar_ == nullptr) return -1;
  const std::string& name = file->value.references[0].asset;
  const auto [it, fresh] = pictures_.try_emplace(name, -1);
  if (!fresh) return it->second;
  if (out_.textures.size() >= limits_.pictures) {
    out_.notes.push_back(absl::StrCat("@", name, "@ is left out: the character has ",
                                      limits_.pictures, " pictures already"));
    return -1;
  }
  const absl::StatusOr<std::string> bytes = read_sidecar_(name);
  absl::StatusOr<image::Image> picture =
      bytes.ok() ? image::Decode(*bytes, limits_.picture) : bytes.status();
  if (!picture.ok()) {
    out_.notes.push_back(absl::StrCat("@", name, "@ is left out: ", picture.status().message()));
    return -1;
  }
  out_.textures.push_back({*std::move(picture)});
  return it->second = static_cast<int>(out_.textures.size()) - 1;
}

void StageLooks::ReadSurface(int material, character::Material& m) {
  m.name = stage_.prim(material).name;
  const int shader = PrimOf(material, "outputs:surface");
  if (shader < 0 || stage_.Text(shader, "info:id") != "UsdPreviewSurface") {
    out_.notes.push_back(absl::StrCat(stage_.path(material),
                                      " has no UsdPreviewSurface, and its looks are not known"));
    return;
  }
  const auto number = [&](const char* name, float otherwise) {
    const std::vector<double> value = stage_.Numbers(shader, name);
    return value.empty() ? otherwise : static_cast<float>(value[0]);
  };
  const std::vector<double> color = stage_.Numbers(shader, "inputs:diffuseColor");
  m.color = color.size() == 3 ? ColorOf(color) : skel::Vec3{.18f, .18f, .18f};
  m.texture = Texture(shader, "inputs:diffuseColor");
  if (m.texture >= 0) {
    const std::vector<double> scale =
        stage_.Numbers(PrimOf(shader, "inputs:diffuseColor"), "inputs:scale");
    m.color = scale.size() == 4 ? ColorOf(scale) : skel::Vec3{1, 1, 1};
  }
  if (const auto emissive = stage_.Numbers(shader, "inputs:emissiveColor"); emissive.size() == 3) {
    m.emissive = ColorOf(emissive);
  }
  m.normal_map = Texture(shader, "inputs:normal");
  m.roughness = std::clamp(number("inputs:roughness", .5f), 0.0f, 1.0f);
  m.alpha = std::clamp(number("inputs:opacity", 1), 0.0f, 1.0f);
  m.cutoff = number("inputs:opacityThreshold", 0);
  const bool seen_through = m.alpha < 1 || PrimOf(shader, "inputs:opacity") >= 0;
  if (m.cutoff > 0) {
    m.mode = character::Material::Alpha::kMask;
  } else if (seen_through) {
    m.mode = character::Material::Alpha::kBlend;
  }
}

int StageLooks::Of(int mesh, int bound) {
  const int site = stage_.Inherited(bound, "material:binding");
  const std::vector<int> targets =
      site < 0 ? std::vector<int>() : stage_.Targets(site, "material:binding");
  const int prim = targets.empty() ? -1 : targets[0];
  const std::vector<double> color = stage_.Numbers(mesh, "primvars:displayColor");
  const bool own_color = prim < 0 && color.size() == 3;
  const std::vector<double> sides = stage_.Numbers(mesh, "doubleSided");
  const bool double_sided = !sides.empty() && sides[0] != 0;
  const auto [it, fresh] = known_.try_emplace(
      {prim, absl::StrCat(double_sided, own_color ? absl::StrJoin(color, " ") : "")}, 0);
  if (!fresh) return it->second;
  character::Material m;
  m.double_sided = double_sided;
  if (prim >= 0) {
    ReadSurface(prim, m);
  } else if (own_color) {
    m.color = ColorOf(color);
  }
  out_.materials.push_back(std::move(m));
  return it->second = static_cast<int>(out_.materials.size()) - 1;
}

absl::flat_hash_map<uint32_t, int> StageLooks::OfFaces(int mesh) {
  absl::flat_hash_map<uint32_t, int> out;
  for (const Prim& child : stage_.prim(mesh).children) {
    if (child.type != "GeomSubset") continue;
    const int part = stage_.Find(absl::StrCat(stage_.path(mesh), "/", child.name));
    if (part < 0 || stage_.Targets(part, "material:binding").empty()) continue;
    const int material = Of(mesh, part);
    for (const double face : stage_.Numbers(part, "indices")) {
      if (face >= 0 && face < 4294967295.0) out[static_cast<uint32_t>(face)] = material;
    }
  }
  return out;
}

}  // namespace posewire::usd
