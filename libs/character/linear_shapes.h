// Blend shapes for formats that only add weighted offsets: one shape of each shape at full
// strength, and one of each in-between.
#ifndef POSEWIRE_LIBS_CHARACTER_LINEAR_SHAPES_H_
#define POSEWIRE_LIBS_CHARACTER_LINEAR_SHAPES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/mesh/blend_shapes.h"

namespace posewire::character {

// Those of a mesh. The first ones are its shapes in their order. Refers to the character.
class LinearShapes {
 public:
  LinearShapes(const Character& character, size_t mesh);

  // See ShapeNamesOf.
  const std::vector<std::string>& names() const { return names_; }
  // An in-between: `target` is what `shape` looks like at weight `at`, from 0.001 to 0.999. Others
  // are dropped.
  struct Inbetween {
    std::string target, shape;
    float at = 0.5f;
  };
  const std::vector<Inbetween>& inbetweens() const { return inbetweens_; }
  bool has_normals() const;

  // Returns the offsets of a shape, one for each point of the mesh.
  std::vector<skel::Vec3> Offsets(size_t shape) const;
  std::vector<skel::Vec3> NormalOffsets(size_t shape) const;
  // Returns the weights of all these that amount to those of the mesh's own.
  std::vector<float> WeightsOf(absl::Span<const float> of_shapes) const;

 private:
  struct Target {
    const mesh::BlendShape* shape = nullptr;
    const mesh::ShapeKey* key = nullptr;  // null: moves nothing
  };
  void AddInbetween(size_t shape, const mesh::ShapeKey& key);
  // Returns the shape that has the key's offsets at full strength; -1: none.
  int ShapeLike(const mesh::BlendShape& shape, const mesh::ShapeKey& key) const;
  int PlaceOf(const mesh::ShapeKey* key, size_t own) const;

  const Mesh& mesh_;
  std::vector<Target> targets_;
  std::vector<std::string> names_;
  std::vector<Inbetween> inbetweens_;
  std::vector<std::pair<const mesh::ShapeKey*, int>> place_of_;  // of in-betweens
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_LINEAR_SHAPES_H_
