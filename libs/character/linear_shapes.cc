#include "libs/character/linear_shapes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/scene.h"

namespace posewire::character {
namespace {

using mesh::BlendShape;
using mesh::ShapeKey;
using skel::Vec3;

constexpr float kSameOffset = 1e-6f;
constexpr float kSameAt = 0.001f;

const ShapeKey* KeyOfFull(const BlendShape& shape) {
  for (const ShapeKey& key : shape.keys()) {
    if (key.weight == 1) return &key;
  }
  return nullptr;
}

std::vector<Vec3> Dense(const BlendShape& shape, absl::Span<const Vec3> offsets, size_t points) {
  std::vector<Vec3> out(points);
  for (size_t i = 0; i < offsets.size(); ++i) {
    const size_t p = shape.indices().empty() ? i : static_cast<size_t>(shape.indices()[i]);
    if (p < points) out[p] = out[p] + offsets[i];
  }
  return out;
}

}  // namespace

LinearShapes::LinearShapes(const Character& character, size_t mesh)
    : mesh_(character.meshes[mesh]), names_(ShapeNamesOf(character, mesh)) {
  const std::vector<BlendShape>& shapes = mesh_.shapes;
  for (const BlendShape& shape : shapes) {
    targets_.push_back({&shape, KeyOfFull(shape)});
  }
  for (size_t s = 0; s < shapes.size(); ++s) {
    for (const ShapeKey& key : shapes[s].keys()) {
      const bool implied = std::fabs(key.weight) < kSameAt || std::fabs(key.weight - 1) < kSameAt;
      if (!implied) AddInbetween(s, key);
    }
  }
}

int LinearShapes::ShapeLike(const BlendShape& shape, const ShapeKey& key) const {
  const std::vector<Vec3> wanted = Dense(shape, key.offsets, mesh_.points.size());
  for (size_t s = 0; s < mesh_.shapes.size(); ++s) {
    const BlendShape& other = mesh_.shapes[s];
    if (&other == &shape || targets_[s].key == nullptr) continue;
    const std::vector<Vec3> has = Dense(other, targets_[s].key->offsets, mesh_.points.size());
    const bool same = std::equal(has.begin(), has.end(), wanted.begin(),
                                 [](Vec3 a, Vec3 b) { return skel::Length(a - b) <= kSameOffset; });
    if (same) return static_cast<int>(s);
  }
  return -1;
}

void LinearShapes::AddInbetween(size_t shape, const ShapeKey& key) {
  const BlendShape& of = mesh_.shapes[shape];
  int place = ShapeLike(of, key);
  if (place < 0) {
    std::string name = absl::StrCat(names_[shape], "_", std::lround(key.weight * 100));
    while (std::find(names_.begin(), names_.end(), name) != names_.end()) name += '_';
    place = static_cast<int>(targets_.size());
    targets_.push_back({&of, &key});
    names_.push_back(std::move(name));
  }
  place_of_.emplace_back(&key, place);
  inbetweens_.push_back({names_[static_cast<size_t>(place)], names_[shape], key.weight});
}

bool LinearShapes::has_normals() const {
  return std::any_of(targets_.begin(), targets_.end(), [](const Target& target) {
    return target.key != nullptr && !target.key->normal_offsets.empty();
  });
}

std::vector<Vec3> LinearShapes::Offsets(size_t shape) const {
  const auto& [of, key] = targets_[shape];
  return Dense(*of, key == nullptr ? absl::Span<const Vec3>() : key->offsets, mesh_.points.size());
}

std::vector<Vec3> LinearShapes::NormalOffsets(size_t shape) const {
  const auto& [of, key] = targets_[shape];
  return Dense(*of, key == nullptr ? absl::Span<const Vec3>() : key->normal_offsets,
               mesh_.points.size());
}

int LinearShapes::PlaceOf(const ShapeKey* key, size_t own) const {
  if (key == nullptr || key->weight == 0) return -1;
  if (key->weight == 1) return static_cast<int>(own);
  for (const auto& [of, place] : place_of_) {
    if (of == key) return place;
  }
  return -1;
}

std::vector<float> LinearShapes::WeightsOf(absl::Span<const float> of_shapes) const {
  std::vector<float> out(targets_.size());
  for (size_t s = 0; s < mesh_.shapes.size() && s < of_shapes.size(); ++s) {
    const BlendShape& shape = mesh_.shapes[s];
    const BlendShape::Blend blend = shape.Find(of_shapes[s]);
    for (const auto& [key, share] :
         {std::pair{blend.low, blend.low_part}, std::pair{blend.high, blend.high_part}}) {
      const int place = PlaceOf(key, s);
      if (place >= 0) out[static_cast<size_t>(place)] += share;
    }
  }
  return out;
}

}  // namespace posewire::character
