// A further character of a picture: its pose, meshes, materials and textures in OpenGL.
#ifndef POSEWIRE_LIBS_RENDER_COMPANION_H_
#define POSEWIRE_LIBS_RENDER_COMPANION_H_

#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/character/deformer.h"
#include "libs/character/offset_points.h"
#include "libs/character/refined_surface.h"
#include "libs/mesh/extent.h"
#include "libs/mesh/offsets.h"
#include "libs/render/gl.h"
#include "libs/render/matrix.h"
#include "libs/render/mesh_buffers.h"
#include "libs/render/painter.h"
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
    offset_points_ = nullptr;
    return deformer_.Choose(part, choice);
  }
  // As Painter::Subdivide.
  absl::StatusOr<std::string> Subdivide(int levels);
  // Poses its joints for the following pictures.
  absl::Status Pose(const CompanionPose& to);
  // Deforms the meshes for a picture, if the box around its joints, padded by how far its points
  // are from them, is in one of the views: matrices from the picture's space to OpenGL's clip
  // space. With offsets, which are not bounded, always.
  absl::Status Show(std::initializer_list<const Matrix*> views);
  // Leaves it out until the next Pose.
  void Hide() { posed_ = false; }

  // A mesh that is shown.
  struct Part {
    const character::Material* material = nullptr;
    GLuint program = 0;
    // Textures; 0: none.
    GLuint color = 0, normal = 0, emissive = 0;
  };
  // Passes the meshes that are translucent, or those that are not. Nothing before the first Show,
  // and after one of which it is out of view or hidden.
  void Draw(bool translucent,
            absl::FunctionRef<void(const Part&, const std::array<float, 4>& color, const Buffers&)>
                draw) const;

 private:
  void FindReach();
  absl::Status Deform();
  bool IsRefined(size_t mesh) const { return refined_ != nullptr && refined_->has(mesh); }

  const GlFunctions& gl_;
  character::Deformer deformer_;
  std::vector<MeshBuffers> meshes_;
  std::unique_ptr<character::RefinedSurface> refined_;      // null: as it is
  std::vector<MeshBuffers> refined_meshes_;                 // empty for meshes that are not refined
  std::unique_ptr<character::OffsetPoints> offset_points_;  // created at the first use
  std::vector<Part> parts_;                                 // by mesh
  std::vector<skel::Vec3> points_, normals_;
  skel::Pose pose_;
  std::vector<mesh::WeighedOffsets> offsets_;
  skel::Affine place_;
  mesh::Extent extent_;             // of the pose, in the picture's space
  std::optional<float> reach_ = 0;  // of points from their joints; nothing: not known
  bool posed_ = false, deformed_ = false, in_view_ = false;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_COMPANION_H_
