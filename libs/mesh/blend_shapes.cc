#include "libs/mesh/blend_shapes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::mesh {
namespace {

using skel::Vec3;

constexpr float kEpsilon = 1e-6f;

bool Finite(absl::Span<const Vec3> values) {
  return std::all_of(values.begin(), values.end(), [](const Vec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  });
}

absl::Status CheckKey(const BlendShapeParts& parts, const ShapeKey& key, const std::string& what) {
  const auto fail = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("shape ", parts.name, ": ", what, " ", why));
  };
  if (!parts.indices.empty() && key.offsets.size() != parts.indices.size()) {
    return fail(absl::StrCat("has ", key.offsets.size(), " offsets for ", parts.indices.size(),
                             " point indices"));
  }
  if (!key.normal_offsets.empty() && key.normal_offsets.size() != key.offsets.size()) {
    return fail(absl::StrCat("has ", key.normal_offsets.size(), " normal offsets for ",
                             key.offsets.size(), " offsets"));
  }
  if (!std::isfinite(key.weight)) return fail("has a weight that is no number");
  if (!Finite(key.offsets) || !Finite(key.normal_offsets)) {
    return fail("has an offset that is no number");
  }
  return absl::OkStatus();
}

// Omits in-betweens that the rules forbid.
std::vector<ShapeKey> Allowed(BlendShapeParts& parts, std::vector<std::string>* warnings) {
  const auto warn = [&](float weight, const char* why) {
    if (warnings == nullptr) return;
    warnings->push_back(
        absl::StrCat("shape ", parts.name, ": in-between of weight ", weight, " ", why));
  };
  std::vector<ShapeKey> out;
  for (size_t i = 0; i < parts.inbetweens.size(); ++i) {
    const float w = parts.inbetweens[i].weight;
    const auto same = [&](const ShapeKey& other) {
      return std::fabs(other.weight - w) <= kEpsilon;
    };
    if (std::fabs(w) <= kEpsilon || std::fabs(w - 1) <= kEpsilon) {
      warn(w, "left out: 0 is the mesh and 1 the shape itself");
    } else if (std::count_if(parts.inbetweens.begin(), parts.inbetweens.end(), same) > 1) {
      warn(w, "left out: more than one has this weight");
    } else {
      out.push_back(parts.inbetweens[i]);
    }
  }
  return out;
}

// Checks that each of the shape's offsets at this weight has a point.
absl::Status CheckPlaces(const BlendShape& shape, float weight, size_t points) {
  for (size_t i = 0; i < shape.indices().size(); ++i) {
    const int32_t index = shape.indices()[i];
    if (index >= 0 && static_cast<size_t>(index) < points) continue;
    return absl::InvalidArgumentError(absl::StrCat("shape ", shape.name(), ": index ", i, " is ",
                                                   index, ", expected 0 to ", points, " - 1"));
  }
  if (!shape.indices().empty() || std::fabs(weight) < kEpsilon) return absl::OkStatus();
  const BlendShape::Blend blend = shape.Find(weight);
  for (const ShapeKey* key : {blend.low, blend.high}) {
    if (key == nullptr || key->offsets.empty() || key->offsets.size() == points) continue;
    return absl::InvalidArgumentError(absl::StrCat("shape ", shape.name(), " has ",
                                                   key->offsets.size(), " offsets for ", points,
                                                   " points and no point indices"));
  }
  return absl::OkStatus();
}

void AddPart(const BlendShape& shape, const ShapeKey* key, float part, const BlendShapesJob& job) {
  if (key == nullptr) return;
  const auto at = [&](size_t i) {
    return shape.indices().empty() ? i : static_cast<size_t>(shape.indices()[i]);
  };
  for (size_t i = 0; i < key->offsets.size(); ++i) {
    Vec3& p = job.points[at(i)];
    p = p + key->offsets[i] * part;
  }
  if (job.normals.empty()) return;
  for (size_t i = 0; i < key->normal_offsets.size(); ++i) {
    Vec3& n = job.normals[at(i)];
    n = n + key->normal_offsets[i] * part;
  }
}

}  // namespace

absl::StatusOr<BlendShape> BlendShape::Make(BlendShapeParts parts,
                                            std::vector<std::string>* warnings) {
  ShapeKey primary{1, parts.offsets, parts.normal_offsets};
  if (!primary.offsets.empty()) {
    if (absl::Status s = CheckKey(parts, primary, "the shape itself"); !s.ok()) return s;
  }
  for (const ShapeKey& key : parts.inbetweens) {
    const std::string what = absl::StrCat("in-between of weight ", key.weight);
    if (absl::Status s = CheckKey(parts, key, what); !s.ok()) return s;
  }
  BlendShape out;
  out.keys_ = Allowed(parts, warnings);
  out.keys_.push_back(std::move(primary));
  out.keys_.push_back({0, {}, {}});
  std::sort(out.keys_.begin(), out.keys_.end(),
            [](const ShapeKey& a, const ShapeKey& b) { return a.weight < b.weight; });
  out.name_ = std::move(parts.name);
  out.indices_ = std::move(parts.indices);
  return out;
}

BlendShape::Blend BlendShape::Find(float weight) const {
  const auto up = std::upper_bound(keys_.begin(), keys_.end(), weight,
                                   [](float w, const ShapeKey& key) { return w < key.weight; });
  const auto last = static_cast<std::ptrdiff_t>(keys_.size()) - 1;
  const auto high = static_cast<size_t>(std::clamp<std::ptrdiff_t>(up - keys_.begin(), 1, last));
  const ShapeKey &a = keys_[high - 1], &b = keys_[high];
  const float t = (weight - a.weight) / (b.weight - a.weight);
  Blend out;
  if (std::fabs(t - 1) > kEpsilon) out.low = &a, out.low_part = 1 - t;
  if (std::fabs(t) > kEpsilon) out.high = &b, out.high_part = t;
  return out;
}

absl::Status BlendShapesJob::Validate() const {
  if (weights.size() != shapes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "weights has ", weights.size(), " entries, expected ", shapes.size(), ", one a shape"));
  }
  if (!normals.empty() && normals.size() != points.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "normals has ", normals.size(), " entries, expected ", points.size(), " or none"));
  }
  for (size_t s = 0; s < shapes.size(); ++s) {
    if (absl::Status status = CheckPlaces(shapes[s], weights[s], points.size()); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status BlendShapesJob::Run() const {
  if (absl::Status s = Validate(); !s.ok()) return s;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (std::fabs(weights[i]) < kEpsilon) continue;
    const BlendShape::Blend blend = shapes[i].Find(weights[i]);
    AddPart(shapes[i], blend.low, blend.low_part, *this);
    AddPart(shapes[i], blend.high, blend.high_part, *this);
  }
  for (Vec3& n : normals) n = skel::Normalized(n);
  return absl::OkStatus();
}

}  // namespace posewire::mesh
