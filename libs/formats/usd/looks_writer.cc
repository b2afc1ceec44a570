#include "libs/formats/usd/looks_writer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "libs/image/image.h"

namespace posewire::usd {

using character::Material;
using skel::Vec3;

absl::Status LooksText::Write(std::vector<std::pair<std::string, std::string>>& pictures) {
  std::vector<bool> used(of_.materials.size(), false);
  for (const character::Mesh& mesh : of_.meshes) used[static_cast<size_t>(mesh.material)] = true;
  material_names_.resize(of_.materials.size());
  picture_files_.resize(of_.textures.size());
  absl::StrAppend(&out_, In(0), "def Scope \"", path_.substr(path_.rfind('/') + 1), "\"\n", In(0),
                  "{\n");
  PrimNames names;
  for (size_t m = 0; m < of_.materials.size(); ++m) {
    if (!used[m]) continue;
    const Material& material = of_.materials[m];
    material_names_[m] = names.Take(material.name.empty() ? "material" : material.name);
    for (const auto& [texture, what] :
         {std::pair{material.texture, ""}, std::pair{material.normal_map, "_normal"},
          std::pair{material.emissive_texture, "_emissive"}}) {
      if (texture < 0 || !picture_files_[static_cast<size_t>(texture)].empty()) continue;
      const character::Texture& picture = of_.textures[static_cast<size_t>(texture)];
      auto png = image::EncodePng(picture.width, picture.height, picture.rgba);
      if (!png.ok()) return png.status();
      const std::string name = absl::StrCat(
          stem_, ".", picture_names_.Take(absl::StrCat(material_names_[m], what)), ".png");
      picture_files_[static_cast<size_t>(texture)] = name;
      pictures.emplace_back(name, *std::move(png));
    }
    MaterialPrim(m);
  }
  Line(0, "}");
  return absl::OkStatus();
}

std::string LooksText::MaterialPath(size_t material) const {
  return absl::StrCat(path_, "/", material_names_[material]);
}

// Whether all meshes of a material have vertex colours, and no picture hides them.
bool LooksText::Painted(size_t material) const {
  bool any = false;
  for (const character::Mesh& mesh : of_.meshes) {
    if (mesh.material != static_cast<int>(material)) continue;
    if (mesh.colors.size() != mesh.points.size()) return false;
    any = true;
  }
  return any && of_.materials[material].texture < 0;
}

void LooksText::MaterialPrim(size_t m) {
  const Material& material = of_.materials[m];
  const std::string path = MaterialPath(m);
  const auto connect = [&](absl::string_view input, absl::string_view output) {
    Line(3, absl::StrCat(input, ".connect = <", path, "/", output, ">"));
  };
  absl::StrAppend(&out_, In(1), "def Material \"", material_names_[m], "\"\n", In(1), "{\n");
  Line(2, absl::StrCat("token outputs:surface.connect = <", path, "/Surface.outputs:surface>"));
  absl::StrAppend(&out_, "\n", In(2), "def Shader \"Surface\"\n", In(2), "{\n");
  Line(3, "uniform token info:id = \"UsdPreviewSurface\"");
  const Vec3 c = material.color, e = material.emissive;
  Tuple1(3, "color3f inputs:diffuseColor", {c.x, c.y, c.z});
  if (material.texture >= 0) connect("color3f inputs:diffuseColor", "Color.outputs:rgb");
  const bool painted = Painted(m);
  if (painted) connect("color3f inputs:diffuseColor", "Paint.outputs:result");
  Tuple1(3, "color3f inputs:emissiveColor", {e.x, e.y, e.z});
  if (material.emissive_texture >= 0) connect("color3f inputs:emissiveColor", "Glow.outputs:rgb");
  Number1(3, "float inputs:metallic", 0);
  if (material.normal_map >= 0) connect("normal3f inputs:normal", "Bumps.outputs:rgb");
  const bool see_through = material.mode != Material::Alpha::kOpaque;
  Number1(3, "float inputs:opacity", see_through ? material.alpha : 1);
  if (see_through && material.texture >= 0) connect("float inputs:opacity", "Color.outputs:a");
  if (material.mode == Material::Alpha::kMask) {
    Number1(3, "float inputs:opacityThreshold", material.cutoff);
  }
  Number1(3, "float inputs:roughness", std::clamp(material.roughness, 0.0f, 1.0f));
  Line(3, "token outputs:surface");
  Line(2, "}");
  if (painted) {
    absl::StrAppend(&out_, "\n", In(2), "def Shader \"Paint\"\n", In(2), "{\n");
    Line(3, "uniform token info:id = \"UsdPrimvarReader_float3\"");
    Line(3, "string inputs:varname = \"displayColor\"");
    Line(3, "float3 outputs:result");
    Line(2, "}");
  }
  const bool pictures =
      material.texture >= 0 || material.normal_map >= 0 || material.emissive_texture >= 0;
  if (pictures) PlacesPrim();
  PicturePrim(path, "Color", material.texture, "sRGB", {c.x, c.y, c.z, material.alpha}, {});
  const float s = 2 * material.normal_scale;
  PicturePrim(path, "Bumps", material.normal_map, "raw", {s, s, 2, 1},
              {-material.normal_scale, -material.normal_scale, -1, 0});
  PicturePrim(path, "Glow", material.emissive_texture, "sRGB", {e.x, e.y, e.z, 1}, {});
  Line(1, "}");
}

void LooksText::PlacesPrim() {
  absl::StrAppend(&out_, "\n", In(2), "def Shader \"Places\"\n", In(2), "{\n");
  Line(3, "uniform token info:id = \"UsdPrimvarReader_float2\"");
  Line(3, "string inputs:varname = \"st\"");
  Line(3, "float2 outputs:result");
  Line(2, "}");
}

void LooksText::PicturePrim(const std::string& path, absl::string_view name, int texture,
                            absl::string_view space, std::initializer_list<float> scale,
                            std::initializer_list<float> bias) {
  if (texture < 0) return;
  const auto t = static_cast<size_t>(texture);
  const char* const wrap = of_.textures[t].repeats ? "\"repeat\"" : "\"clamp\"";
  absl::StrAppend(&out_, "\n", In(2), "def Shader \"", name, "\"\n", In(2), "{\n");
  Line(3, "uniform token info:id = \"UsdUVTexture\"");
  if (bias.size() > 0) Tuple1(3, "float4 inputs:bias", bias);
  Line(3, absl::StrCat("asset inputs:file = ", AssetOf(picture_files_[t])));
  Tuple1(3, "float4 inputs:scale", scale);
  Line(3, absl::StrCat("token inputs:sourceColorSpace = \"", space, "\""));
  Line(3, absl::StrCat("float2 inputs:st.connect = <", path, "/Places.outputs:result>"));
  Line(3, absl::StrCat("token inputs:wrapS = ", wrap));
  Line(3, absl::StrCat("token inputs:wrapT = ", wrap));
  Line(3, "float outputs:a");
  Line(3, "float3 outputs:rgb");
  Line(2, "}");
}

}  // namespace posewire::usd
