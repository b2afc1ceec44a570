// Draws props from files: their meshes, materials and textures in OpenGL.
#ifndef POSEWIRE_LIBS_RENDER_PROP_PAINTER_H_
#define POSEWIRE_LIBS_RENDER_PROP_PAINTER_H_

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/prop_model.h"
#include "libs/character/prop_shapes.h"
#include "libs/render/gl.h"
#include "libs/render/mesh_buffers.h"
#include "libs/skel/math.h"

namespace posewire::render {

// A mesh of a model, ready to be drawn.
struct PropPart {
  const character::Material* material = nullptr;
  GLuint program = 0;
  // Textures; 0: none.
  GLuint color = 0, normal = 0, emissive = 0;
  MeshBuffers mesh = {};
};

// One thread, whose context is current.
class PropPainter {
 public:
  // `program_of` makes or finds the program for a material; `upload` makes a texture. Both must
  // outlive this.
  PropPainter(const GlFunctions& gl,
              std::function<absl::StatusOr<GLuint>(const character::Material&)> program_of,
              std::function<GLuint(const character::Texture&, bool is_color)> upload)
      : gl_(gl), program_of_(std::move(program_of)), upload_(std::move(upload)) {}

  // Sets the props that Draw draws; those without a model are ignored. Keeps textures and buffers
  // of models that were drawn before. Errors: those of shaders and of MeshBuffers.
  absl::Status Set(absl::Span<const character::PropShape> props);
  // Passes the parts of the props that are translucent, or of those that are not.
  void Draw(bool translucent, absl::FunctionRef<void(const PropPart&)> draw) const;

 private:
  // The GPU's objects for one prop. Several props of one model have the same textures.
  struct Thing {
    std::shared_ptr<const character::PropModel> model;
    std::vector<PropPart> parts;
    bool shown = false;
  };
  absl::Status Make(const std::shared_ptr<const character::PropModel>& model, Thing& out);
  GLuint TextureOf(const character::PropModel& model, int texture, bool is_color);

  const GlFunctions& gl_;
  std::function<absl::StatusOr<GLuint>(const character::Material&)> program_of_;
  std::function<GLuint(const character::Texture&, bool is_color)> upload_;
  std::vector<std::unique_ptr<Thing>> things_;
  std::map<std::pair<const character::Texture*, bool>, GLuint> textures_;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_PROP_PAINTER_H_
