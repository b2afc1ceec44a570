// A further character of a picture: its pose, meshes, materials and textures in OpenGL.
#ifndef POSEWIRE_LIBS_RENDER_COMPANION_H_
#define POSEWIRE_LIBS_RENDER_COMPANION_H_

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/character/deformer.h"
#include "libs/mesh/extent.h"
#include "libs/render/gl.h"
#include "libs/render/matrix.h"
#include "libs/render/mesh_buffers.h"
#include "libs/skel/affine.h"
#include "libs/skel/pose.h"

namespace posewire::render {

// One thread, whose context is current. Pose and Show do not allocate after the first call.
class Companion {
 public:
  Companion(const GlFunctions& gl, std::shared_ptr<const character::Character> character)
      : gl_(gl), deformer_(std::move(character)) {}

  // `program_of` makes or finds the program for a material; `upload` makes a texture. Errors: those
  // of shaders and of MeshBuffers.
  absl::Status Prepare(
      absl::FunctionRef<absl::StatusOr<GLuint>(const character::Material&)> program_of,
      absl::FunctionRef<GLuint(const character::Texture&, bool is_color)> upload);

  absl::Status Choose(absl::string_view part, absl::string_view choice) {
    return deformer_.Choose(part, choice);
  }
  void SetTime(double at_s) { deformer_.SetTime(at_s); }
  // Only moves springs on.
  absl::Status Pass(const skel::PoseView& pose) { return deformer_.PoseJoints(pose); }
  // Poses its joints for the following pictures. `place`: from its space to that of the picture,
  // without a scale.
  absl::Status Pose(const skel::PoseView& pose, const skel::Affine& place);
  // Deforms the meshes for a picture, if the box around its joints, padded by how far its points
  // are from them, is in one of the views: matrices from the picture's space to OpenGL's clip
  // space.
  absl::Status Show(std::initializer_list<const Matrix*> views);

  // A mesh that is shown.
  struct Part {
    const character::Material* material = nullptr;
    GLuint program = 0;
    // Textures; 0: none.
    GLuint color = 0, normal = 0, emissive = 0;
  };
  // Passes the meshes that are translucent, or those that are not. Nothing before the first Show,
  // and after one of which it is out of view.
  void Draw(bool translucent,
            absl::FunctionRef<void(const Part&, const std::array<float, 4>& color, const Buffers&)>
                draw) const;

 private:
  void FindReach();
  absl::Status Deform();

  const GlFunctions& gl_;
  character::Deformer deformer_;
  std::vector<MeshBuffers> meshes_;
  std::vector<Part> parts_;  // by mesh
  std::vector<skel::Vec3> points_, normals_;
  skel::Pose pose_;
  skel::Affine place_;
  mesh::Extent extent_;             // of the pose, in the picture's space
  std::optional<float> reach_ = 0;  // of points from their joints; nothing: not known
  bool posed_ = false, deformed_ = false, in_view_ = false;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_COMPANION_H_
