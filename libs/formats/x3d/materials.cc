#include "libs/formats/x3d/materials.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/formats/x3d/surface_fields.h"

namespace posewire::x3d {
namespace {

using skel::Vec3;

Vec3 LinearColor(Vec3 c) { return {LinearOf(c.x), LinearOf(c.y), LinearOf(c.z)}; }

// Returns the pixels of a PixelTexture, which has width, height and components, and then numbers
// row by row from below.
absl::StatusOr<image::Image> ReadPixels(const X3dNode& node, const character::Limits& limits) {
  const Field* const field = node.Find("image");
  std::vector<uint32_t> words;
  if (field != nullptr) {
    for (const absl::string_view word :
         absl::StrSplit(field->text, absl::ByAnyChar(", \t\r\n"), absl::SkipEmpty())) {
      uint32_t value = 0;
      const bool hex = absl::StartsWithIgnoreCase(word, "0x");
      if (!(hex ? absl::SimpleHexAtoi(word, &value) : absl::SimpleAtoi(word, &value))) {
        return X3dFault(node, absl::StrCat("image[", words.size(), "]"),
                        absl::StrCat("is \"", word.substr(0, 40), "\", no whole number"));
      }
      words.push_back(value);
    }
  }
  if (words.size() < 3) return X3dFault(node, "image", "has no width, height and components");
  const size_t width = words[0], height = words[1], parts = words[2];
  const auto side = static_cast<size_t>(limits.picture.kept_side);
  if (width < 1 || height < 1 || width > side || height > side || parts < 1 || parts > 4 ||
      words.size() - 3 != width * height) {
    return X3dFault(node, "image",
                    absl::StrCat("says ", width, " x ", height, " of ", parts, " components, and ",
                                 words.size() - 3, " pixels follow"));
  }
  image::Image out;
  out.width = static_cast<int>(width);
  out.height = static_cast<int>(height);
  for (size_t y = height; y-- > 0;) {
    for (size_t x = 0; x < width; ++x) {
      const uint32_t p = words[3 + y * width + x];
      const auto byte = [p](size_t shift) { return static_cast<uint8_t>(p >> shift & 255); };
      const bool grey = parts < 3, alpha = parts % 2 == 0;
      const size_t low = alpha ? 8 : 0;
      out.rgba.push_back(byte(grey ? low : low + 16));
      out.rgba.push_back(byte(grey ? low : low + 8));
      out.rgba.push_back(byte(low));
      out.rgba.push_back(alpha ? byte(0) : 255);
    }
  }
  return out;
}

}  // namespace

float LinearOf(float srgb) {
  const float c = std::clamp(srgb, 0.0f, 1.0f);
  return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

float SrgbOf(float linear) {
  const float c = std::clamp(linear, 0.0f, 1.0f);
  return c <= 0.0031308f ? c * 12.92f : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
}

absl::StatusOr<image::Image> X3dLooks::Load(const X3dNode& texture) {
  if (texture.type == "PixelTexture") return ReadPixels(texture, limits_);
  if (texture.type != "ImageTexture") {
    return absl::UnimplementedError("ImageTexture and PixelTexture are read");
  }
  absl::Status why = absl::NotFoundError("it names no file");
  for (const std::string& url : Strings(texture, "url")) {
    const absl::StatusOr<std::string> bytes =
        read_sidecar_ != nullptr
            ? read_sidecar_(url)
            : absl::InvalidArgumentError(absl::StrCat("\"", url.substr(0, 80),
                                                      "\" is another file, and this one must "
                                                      "stand alone"));
    absl::StatusOr<image::Image> picture =
        bytes.ok() ? image::Decode(*bytes, limits_.picture) : bytes.status();
    if (picture.ok()) return picture;
    why = picture.status();
  }
  return why;
}

int X3dLooks::Picture(const X3dNode* texture) {
  if (texture != nullptr && texture->type == "MultiTexture") {
    texture = X3dChild(scene_, *texture, "texture");
  }
  if (texture == nullptr) return -1;
  const auto [it, fresh] = pictures_.try_emplace(texture, -1);
  if (!fresh) return it->second;
  absl::StatusOr<image::Image> picture =
      out_.textures.size() < limits_.pictures
          ? Load(*texture)
          : absl::ResourceExhaustedError(
                absl::StrCat("the character has ", limits_.pictures, " pictures already"));
  if (!picture.ok()) {
    if (out_.notes.size() < 64) {
      out_.notes.push_back(absl::StrCat("line ", texture->line, ": the ", texture->type,
                                        " is left out: ", picture.status().message()));
    }
    return -1;
  }
  out_.textures.push_back({*std::move(picture), X3dFlag(*texture, "repeatS", true)});
  return it->second = static_cast<int>(out_.textures.size()) - 1;
}

absl::Status X3dLooks::ReadMaterial(const X3dNode& node, character::Material& m) {
  const bool physical = node.type == "PhysicalMaterial", bare = node.type == "UnlitMaterial";
  const absl::StatusOr<Vec3> color = physical ? Vector(node, "baseColor", {1, 1, 1})
                                     : bare   ? Vector(node, "emissiveColor", {1, 1, 1})
                                              : Vector(node, "diffuseColor", {0.8f, 0.8f, 0.8f});
  const absl::StatusOr<Vec3> emissive = Vector(node, "emissiveColor", {}),
                             specular = Vector(node, "specularColor", {});
  const absl::StatusOr<float> clear = X3dNumber(node, "transparency", 0),
                              rough = X3dNumber(node, "roughness", 1),
                              shine = X3dNumber(node, "shininess", 0.2f),
                              bump = X3dNumber(node, "normalScale", 1);
  for (const absl::Status& s : {color.status(), emissive.status(), specular.status(),
                                clear.status(), rough.status(), shine.status(), bump.status()}) {
    if (!s.ok()) return s;
  }
  m.name = node.def;
  m.alpha = 1 - std::clamp(*clear, 0.0f, 1.0f);
  m.unlit = bare;
  const auto inside = [](Vec3 c) {
    return Vec3{std::clamp(c.x, 0.0f, 1.0f), std::clamp(c.y, 0.0f, 1.0f),
                std::clamp(c.z, 0.0f, 1.0f)};
  };
  m.color = physical ? inside(*color) : LinearColor(*color);
  if (!bare) m.emissive = physical ? inside(*emissive) : LinearColor(*emissive);
  if (physical) {
    m.roughness = std::clamp(*rough, 0.0f, 1.0f);
  } else if (specular->x + specular->y + specular->z > 0) {
    // Converts Blinn's exponent to a roughness of microfacets (Karis 2013).
    m.roughness = std::pow(2 / (std::clamp(*shine, 0.0f, 1.0f) * 128 + 2), 0.25f);
  }
  m.texture = Picture(X3dChild(scene_, node,
                               physical ? "baseTexture"
                               : bare   ? "emissiveTexture"
                                        : "diffuseTexture"));
  m.normal_map = Picture(X3dChild(scene_, node, "normalTexture"));
  m.normal_scale = *bump;
  if (!bare) m.emissive_texture = Picture(X3dChild(scene_, node, "emissiveTexture"));
  return absl::OkStatus();
}

absl::Status X3dLooks::Read(const X3dNode& appearance, character::Material& m) {
  const X3dNode* const material = X3dChild(scene_, appearance, "material");
  if (material != nullptr) {
    if (absl::Status s = ReadMaterial(*material, m); !s.ok()) return s;
    m.name = m.name.empty() ? appearance.def : m.name;
  }
  if (const X3dNode* const texture = X3dChild(scene_, appearance, "texture");
      texture != nullptr && m.texture < 0) {
    m.texture = Picture(texture);
    // Up to version 3, a texture replaces the colour. Later it multiplies the colour.
    if (m.texture >= 0 && absl::StartsWith(scene_.version, "3")) m.color = {1, 1, 1};
  }
  bool clear = m.alpha < 1;
  if (m.texture >= 0) {
    const std::vector<uint8_t>& rgba = out_.textures[static_cast<size_t>(m.texture)].rgba;
    for (size_t i = 3; !clear && i < rgba.size(); i += 4) clear = rgba[i] < 255;
  }
  const std::string mode = String(appearance, "alphaMode");
  const absl::StatusOr<float> cutoff = X3dNumber(appearance, "alphaCutoff", 0.5f);
  if (!cutoff.ok()) return cutoff.status();
  m.cutoff = *cutoff;
  if (mode == "MASK") {
    m.mode = character::Material::Alpha::kMask;
  } else if (mode == "BLEND" || (mode != "OPAQUE" && clear)) {
    m.mode = character::Material::Alpha::kBlend;
  }
  return absl::OkStatus();
}

absl::StatusOr<int> X3dLooks::Of(const X3dNode& shape, const X3dNode& geometry) {
  const X3dNode* const appearance = X3dChild(scene_, shape, "appearance");
  const bool solid = X3dFlag(geometry, "solid", true);
  const bool colored = X3dChild(scene_, geometry, "color") != nullptr;
  const auto [it, fresh] = known_.try_emplace({appearance, solid, colored}, 0);
  if (!fresh) return it->second;
  character::Material m;
  m.unlit = true;  // without a material, the mesh is drawn in its own colours
  if (appearance != nullptr) {
    if (absl::Status s = Read(*appearance, m); !s.ok()) return s;
  }
  if (colored) m.color = {1, 1, 1};
  m.double_sided = !solid;
  out_.materials.push_back(std::move(m));
  return it->second = static_cast<int>(out_.materials.size()) - 1;
}

absl::Status X3dLooks::MovePicture(const X3dNode& shape,
                                   std::vector<std::array<float, 2>>& uv) const {
  const X3dNode* const appearance = X3dChild(scene_, shape, "appearance");
  const X3dNode* const node =
      appearance == nullptr ? nullptr : X3dChild(scene_, *appearance, "textureTransform");
  if (node == nullptr || node->type != "TextureTransform") return absl::OkStatus();
  const auto pair = [&](const char* field,
                        std::array<float, 2> otherwise) -> absl::StatusOr<std::array<float, 2>> {
    const absl::StatusOr<std::vector<float>> v = Numbers(*node, field, 2);
    if (!v.ok()) return v.status();
    return v->empty() ? otherwise : std::array<float, 2>{(*v)[0], (*v)[1]};
  };
  const auto center = pair("center", {0, 0}), scale = pair("scale", {1, 1}),
             move = pair("translation", {0, 0});
  const absl::StatusOr<float> turn = X3dNumber(*node, "rotation", 0);
  for (const absl::Status& s : {center.status(), scale.status(), move.status(), turn.status()}) {
    if (!s.ok()) return s;
  }
  const float c = std::cos(*turn), s = std::sin(*turn);
  for (std::array<float, 2>& at : uv) {
    const float x = at[0] + (*move)[0] + (*center)[0];
    const float y = 1 - at[1] + (*move)[1] + (*center)[1];
    at[0] = (x * c - y * s) * (*scale)[0] - (*center)[0];
    at[1] = 1 - ((x * s + y * c) * (*scale)[1] - (*center)[1]);
  }
  return absl::OkStatus();
}

}  // namespace posewire::x3d
