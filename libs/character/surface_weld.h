// Merges the split meshes of a character into a whole surface, for shape and lighting.
#ifndef POSEWIRE_LIBS_CHARACTER_SURFACE_WELD_H_
#define POSEWIRE_LIBS_CHARACTER_SURFACE_WELD_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "libs/character/deformer.h"
#include "libs/mesh/faces.h"

namespace posewire::character {

// Index value for no point.
inline constexpr uint32_t kNoPoint = std::numeric_limits<uint32_t>::max();

// Merges points of all visible meshes if they have the same position at rest and move alike. A mesh
// that then cannot be part of a surface, for example because two faces pass an edge in the same
// direction, is used by itself, with its file's points; if that is not a surface either, it is
// skipped.
class SurfaceWeld {
 public:
  // `deformer` must outlive this.
  explicit SurfaceWeld(const Deformer& deformer);

  // Quads and triangles over the welded points.
  const mesh::Faces& welded() const { return welded_; }
  // The mesh and its point that represent each of these points.
  struct Source {
    uint32_t mesh, point;
  };
  const std::vector<Source>& sources() const { return sources_; }
  // The same faces with the points of their mesh; those of one mesh are contiguous.
  struct Face {
    size_t mesh;
    std::vector<uint32_t> corners;
  };
  const std::vector<Face>& faces() const { return faces_; }
  // Skipped meshes.
  std::vector<size_t> left_out() const;

 private:
  enum class How { kTogether, kAlone, kOut };
  struct Own {
    size_t mesh;
    How how;
    mesh::Faces faces;  // of the mesh's points
    std::vector<size_t> motions;
  };

  void Join();
  void AddFace(size_t own, absl::Span<const int> corners,
               absl::FunctionRef<uint32_t(uint32_t point)> id_of);
  void LeaveOutUnused();
  std::vector<bool> Unsound() const;

  const Character& character_;
  std::vector<Own> meshes_;
  std::vector<Face> faces_;
  std::vector<size_t> owner_;  // of each face, in meshes_
  mesh::Faces welded_;
  std::vector<Source> sources_;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SURFACE_WELD_H_
