// Arrays of a mesh in OpenGL, and its pose.
#ifndef POSEWIRE_LIBS_RENDER_MESH_BUFFERS_H_
#define POSEWIRE_LIBS_RENDER_MESH_BUFFERS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/refined_surface.h"
#include "libs/mesh/tangent_frames.h"
#include "libs/render/gl.h"
#include "libs/skel/math.h"

namespace posewire::render {

// A mesh of a character, or a part of its refined surface, at rest. Arrays may be empty, except
// points and triangles.
struct MeshSurface {
  absl::Span<const skel::Vec3> points, normals = {};
  absl::Span<const std::array<uint8_t, 4>> colors = {};
  absl::Span<const std::array<float, 2>> uv = {};
  absl::Span<const uint32_t> triangles;
  absl::Span<const std::array<float, 4>> tangents = {};
};
MeshSurface SurfaceOf(const character::Mesh& mesh);
MeshSurface SurfaceOf(const character::RefinedSurface::Part& part);  // its tangents are computed

// 0: none.
struct Buffers {
  GLuint array = 0, points = 0, normals = 0, colors = 0, coordinates = 0, tangents = 0, signs = 0,
         triangles = 0;
  GLsizei count = 0;
};

// Uploads a surface without tangents. Replaces the contents of earlier buffers.
void UploadStatic(const GlFunctions& gl, const MeshSurface& surface, Buffers& out);

// One thread, whose context is current.
class MeshBuffers {
 public:
  // `bumpy`: has a normal map; then tangents are uploaded too, and points on mirrored seams twice
  // (mesh::TangentFrames). Without texture coordinates or normals there are no tangents. Replaces
  // earlier arrays. Errors: those of mesh::TangentFrames::Make.
  absl::Status Upload(const GlFunctions& gl, const MeshSurface& surface, bool bumpy);
  // Uploads a pose of the surface.
  absl::Status Pose(const GlFunctions& gl, absl::Span<const skel::Vec3> points,
                    absl::Span<const skel::Vec3> normals);
  const Buffers& buffers() const { return buffers_; }

 private:
  struct Bumps {
    mesh::TangentFrames frames;
    std::vector<skel::Vec3> points, normals, tangents;
  };
  absl::Status PoseBumps(absl::Span<const skel::Vec3> points, absl::Span<const skel::Vec3> normals);

  Buffers buffers_;
  std::optional<Bumps> bumps_;
};

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_MESH_BUFFERS_H_
