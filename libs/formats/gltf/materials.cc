#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/gltf/scene.h"
#include "libs/image/image.h"

namespace posewire::gltf {
namespace {

using skel::Vec3;

constexpr int kClampToEdge = 33071;

bool HasAny(absl::string_view name, std::initializer_list<absl::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](absl::string_view word) { return absl::StrContains(name, word); });
}

// The pictures that materials refer to, each decoded once.
class Textures {
 public:
  Textures(Document& document, const character::Limits& limits, character::Character& out)
      : document_(document), limits_(limits), out_(out) {}

  // Returns the index of a textureInfo's picture in the character; -1 for none. If a picture cannot
  // be read, its material gets none, and a note says why.
  int Find(const Json& info) {
    const Json textures = document_.root()["textures"];
    const int index = info["index"].Index(textures.size());
    if (index < 0) return -1;
    const auto [at, is_new] = known_.try_emplace(index, -1);
    if (is_new) at->second = Read(textures.At(static_cast<size_t>(index)));
    return at->second;
  }

 private:
  int Read(const Json& texture) {
    const size_t images = document_.root()["images"].size();
    int source = texture["extensions"]["EXT_texture_webp"]["source"].Index(images);
    if (source < 0) source = texture["source"].Index(images);
    if (source < 0) {
      if (texture["extensions"]["KHR_texture_basisu"].exists()) {
        out_.notes.push_back(absl::StrCat(texture.path(), " is left out: it is KTX2; PNG, JPEG ",
                                          "and WebP are read"));
      }
      return -1;
    }
    const Json sampler = document_.root()["samplers"].At(static_cast<size_t>(
        std::max(texture["sampler"].Index(document_.root()["samplers"].size()), 0)));
    const bool repeats =
        !texture["sampler"].exists() || sampler["wrapS"].Whole(0, 0, 1 << 20) != kClampToEdge;
    if (!document_.status().ok()) return -1;
    const auto [at, is_new] = decoded_.try_emplace({source, repeats}, -1);
    if (!is_new) return at->second;
    if (out_.textures.size() >= limits_.pictures) {
      out_.notes.push_back(absl::StrCat("images[", source, "] is left out: the character has ",
                                        limits_.pictures, " pictures already"));
      return -1;
    }
    absl::StatusOr<image::Image> picture = image::Decode(document_.Image(source), limits_.picture);
    if (!document_.status().ok()) return -1;
    if (!picture.ok()) {
      out_.notes.push_back(
          absl::StrCat("images[", source, "] is left out: ", picture.status().message()));
      return -1;
    }
    out_.textures.push_back({*std::move(picture), repeats});
    return at->second = static_cast<int>(out_.textures.size()) - 1;
  }

  Document& document_;
  const character::Limits& limits_;
  character::Character& out_;
  std::map<int, int> known_;
  std::map<std::pair<int, bool>, int> decoded_;
};

// Returns KHR_texture_transform: scale, then rotation, then offset.
skel::Affine LayOf(const Json& info) {
  const Json lay = info["extensions"]["KHR_texture_transform"];
  skel::Affine out;
  if (!lay.exists()) return out;
  const std::vector<float> offset = lay["offset"].Floats(2), scale = lay["scale"].Floats(2);
  const float turn = lay["rotation"].Float(0);
  const float c = std::cos(turn), s = std::sin(turn);
  const float sx = scale.empty() ? 1 : scale[0], sy = scale.empty() ? 1 : scale[1];
  out.row[0] = {c * sx, -s * sx, 0};
  out.row[1] = {s * sy, c * sy, 0};
  if (!offset.empty()) out.row[3] = {offset[0], offset[1], 0};
  return out;
}

character::Material MaterialOf(const Json& from, Textures& textures, skel::Affine& lay) {
  character::Material m;
  m.name = from["name"].Text();
  const std::string name = absl::AsciiStrToLower(m.name);
  m.eye = HasAny(name, {"eye", "cornea", "iris", "sclera"}) &&
          !HasAny(name, {"brow", "lash", "lid", "line", "glass", "shadow", "extra"});
  m.hair = HasAny(name, {"hair"}) && !m.eye;
  m.mouth = HasAny(name, {"teeth", "tooth", "tongue", "mouth"}) && !m.hair;
  m.skin = HasAny(name, {"skin", "face", "head"}) && !m.eye && !m.hair && !m.mouth &&
           !HasAny(name, {"brow"});
  const Json pbr = from["pbrMetallicRoughness"];
  const Json old = from["extensions"]["KHR_materials_pbrSpecularGlossiness"];
  const Json color = old.exists() ? old["diffuseFactor"] : pbr["baseColorFactor"];
  const Json picture = old.exists() ? old["diffuseTexture"] : pbr["baseColorTexture"];
  if (const std::vector<float> f = color.Floats(4); !f.empty()) {
    m.color = {f[0], f[1], f[2]};
    m.alpha = std::clamp(f[3], 0.0f, 1.0f);
  }
  m.texture = textures.Find(picture);
  lay = LayOf(picture);
  m.roughness = static_cast<float>(pbr["roughnessFactor"].Number(1, 0, 1));
  const Json normal = from["normalTexture"];
  m.normal_map = textures.Find(normal);
  m.normal_scale = normal["scale"].Float(1);
  if (const std::vector<float> f = from["emissiveFactor"].Floats(3); !f.empty()) {
    m.emissive = {f[0], f[1], f[2]};
  }
  if (m.emissive.x + m.emissive.y + m.emissive.z > 0) {
    m.emissive_texture = textures.Find(from["emissiveTexture"]);
  }
  const std::string mode = from["alphaMode"].Text("OPAQUE");
  if (mode == "MASK") m.mode = character::Material::Alpha::kMask;
  if (mode == "BLEND") m.mode = character::Material::Alpha::kBlend;
  m.cutoff = static_cast<float>(from["alphaCutoff"].Number(0.5, 0, 2));
  m.double_sided = from["doubleSided"].Bool(false);
  const Json extensions = from["extensions"];
  m.unlit =
      extensions["KHR_materials_unlit"].exists() || extensions["VRMC_materials_mtoon"].exists();
  return m;
}

}  // namespace

absl::Status ReadMaterials(Document& document, const character::Limits& limits,
                           character::Character& out, std::vector<skel::Affine>& uv_of) {
  Textures textures(document, limits, out);
  const Json materials = document.root()["materials"];
  const Json mtoon = document.root()["extensions"]["VRM"]["materialProperties"];
  for (size_t i = 0; i < materials.size() && document.status().ok(); ++i) {
    uv_of.emplace_back();
    character::Material m = MaterialOf(materials.At(i), textures, uv_of.back());
    if (mtoon.exists()) m.unlit = m.unlit || mtoon.At(i)["shader"].Text() == "VRM/MToon";
    out.materials.push_back(std::move(m));
  }
  // Meshes without a material are white.
  out.materials.emplace_back();
  uv_of.emplace_back();
  return document.status();
}

}  // namespace posewire::gltf
