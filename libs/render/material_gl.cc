#include "libs/render/material_gl.h"

#include "absl/strings/str_cat.h"

namespace posewire::render {

using character::Material;

GLuint UploadTexture(const GlFunctions& gl, const image::Image& texture, bool is_color,
                     bool repeats) {
  GLuint out = 0;
  gl.GenTextures(1, &out);
  gl.BindTexture(GL_TEXTURE_2D, out);
  gl.PixelStorei(GL_UNPACK_ALIGNMENT, 1);
  gl.TexImage2D(GL_TEXTURE_2D, 0, is_color ? GL_SRGB8_ALPHA8 : GL_RGBA8, texture.width,
                texture.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texture.rgba.data());
  gl.GenerateMipmap(GL_TEXTURE_2D);
  const GLint wrap = repeats ? GL_REPEAT : GL_CLAMP_TO_EDGE;
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wrap);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wrap);
  return out;
}

std::string FeaturesOf(const Material& m) {
  std::string needs;
  if (m.texture >= 0) absl::StrAppend(&needs, "#define TEXTURED\n");
  if (m.normal_map >= 0) absl::StrAppend(&needs, "#define NORMAL_MAP\n");
  if (m.emissive_texture >= 0) absl::StrAppend(&needs, "#define EMISSIVE_MAP\n");
  if (m.mode == Material::Alpha::kMask) absl::StrAppend(&needs, "#define MASK\n");
  if (m.unlit) absl::StrAppend(&needs, "#define UNLIT\n");
  if (m.eye) absl::StrAppend(&needs, "#define EYE\n");
  if (m.hair) absl::StrAppend(&needs, "#define HAIR\n");
  if (m.mouth) absl::StrAppend(&needs, "#define MOUTH\n");
  return needs;
}

}  // namespace posewire::render
