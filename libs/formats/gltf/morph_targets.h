// Blend shapes as glTF's morph targets: one of each shape at full strength, and one of each
// in-between.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_MORPH_TARGETS_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_MORPH_TARGETS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/formats/gltf/document_writer.h"
#include "libs/formats/gltf/scene.h"
#include "libs/mesh/blend_shapes.h"

namespace posewire::gltf {

// The targets of a mesh. The first ones are its shapes in their order. Refers to the character.
class MorphTargets {
 public:
  MorphTargets(const character::Character& character, size_t mesh);

  // A shape that one shape of the rig drives has that shape's name.
  const std::vector<std::string>& names() const { return names_; }
  // Those that ReadCharacter reads. glTF has only targets, so these are what makes them one shape.
  const std::vector<Inbetween>& inbetweens() const { return inbetweens_; }
  // Adds the targets to `out`: only the points that they move.
  void AddTo(DocumentWriter& document, DocumentWriter::Mesh& out) const;
  // Returns the weights of the targets that amount to those of the shapes.
  std::vector<float> WeightsOf(absl::Span<const float> of_shapes) const;

 private:
  struct Target {
    const mesh::BlendShape* shape = nullptr;
    const mesh::ShapeKey* key = nullptr;
  };
  void AddInbetween(size_t shape, const mesh::ShapeKey& key);
  // Returns the shape that has the key's offsets at full strength; -1: none.
  int ShapeLike(const mesh::BlendShape& shape, const mesh::ShapeKey& key) const;
  int PlaceOf(const mesh::ShapeKey* key, size_t own) const;

  const character::Mesh& mesh_;
  std::vector<Target> targets_;
  std::vector<std::string> names_;
  std::vector<Inbetween> inbetweens_;
  std::vector<std::pair<const mesh::ShapeKey*, int>> place_of_;  // of in-betweens
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_MORPH_TARGETS_H_
