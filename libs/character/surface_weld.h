// The surface of a character as form and light know it: whole, where its file has cut it.
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

// Stands for no point where an index would stand.
inline constexpr uint32_t kNoPoint = std::numeric_limits<uint32_t>::max();

// Points of all meshes that are shown become one where they lie at one place at rest and move
// alike. A mesh that then is part of no surface, as at an edge that two faces pass in the same way,
// is taken by itself, with the points that its file has; if that is none either, it is left out.
class SurfaceWeld {
 public:
  // `deformer` outlives this.
  explicit SurfaceWeld(const Deformer& deformer);

  // Quads and triangles over the welded points.
  const mesh::Faces& welded() const { return welded_; }
  // Of each of these points: the mesh and its point that stand for it.
  struct Source {
    uint32_t mesh, point;
  };
  const std::vector<Source>& sources() const { return sources_; }
  // The same faces with the points of their mesh; those of one mesh stand together.
  struct Face {
    size_t mesh;
    std::vector<uint32_t> corners;
  };
  const std::vector<Face>& faces() const { return faces_; }
  // Meshes that make no surface.
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
