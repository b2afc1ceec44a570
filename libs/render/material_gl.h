// A material in OpenGL: its textures, and the features of shaders that it needs.
#ifndef POSEWIRE_LIBS_RENDER_MATERIAL_GL_H_
#define POSEWIRE_LIBS_RENDER_MATERIAL_GL_H_

#include <string>

#include "libs/character/character.h"
#include "libs/image/image.h"
#include "libs/render/gl.h"

namespace posewire::render {

// Makes a texture with mipmaps. The context must be current.
GLuint UploadTexture(const GlFunctions& gl, const image::Image& texture, bool is_color,
                     bool repeats);

// Returns the definitions that the shaders of a material begin with.
std::string FeaturesOf(const character::Material& material);

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_MATERIAL_GL_H_
