#include "libs/formats/x3d/surface_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::x3d {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

namespace {

constexpr float kMostIndex = 16777216;  // above it, floats skip whole numbers

absl::StatusOr<Quat> Turn(const X3dNode& node, absl::string_view field, float radians) {
  const absl::StatusOr<std::vector<float>> v = Numbers(node, field, 4);
  if (!v.ok()) return v.status();
  if (v->empty() || (*v)[3] == 0) return Quat{};
  const Vec3 axis{(*v)[0], (*v)[1], (*v)[2]};
  const float length = skel::Length(axis);
  if (!(length > 1e-6f) || !std::isfinite(length)) {
    return X3dFault(node, field, "has no axis: its first three numbers are 0");
  }
  return skel::Normalized(skel::FromAxisAngle(axis * (1 / length), (*v)[3] * radians));
}

}  // namespace

absl::Status X3dFault(const X3dNode& node, absl::string_view field, absl::string_view what) {
  const Field* const found = node.Find(field.substr(0, field.find('[')));
  return absl::InvalidArgumentError(
      absl::StrCat("line ", found != nullptr && found->line > 0 ? found->line : node.line, ": ",
                   node.type, ".", field, " ", what));
}

absl::Status X3dNumbers::Take(size_t numbers) {
  if (numbers > most_ - used_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("over ", most_, " numbers, where each use of a node counts"));
  }
  used_ += numbers;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<float>> X3dNumbers::Read(const X3dNode& node, absl::string_view field) {
  absl::StatusOr<std::vector<float>> out = Numbers(node, field);
  if (!out.ok()) return out;
  if (absl::Status s = Take(out->size()); !s.ok()) return s;
  for (size_t i = 0; i < out->size(); ++i) {
    if (std::fabs((*out)[i]) < 1e9f) continue;
    return X3dFault(node, absl::StrCat(field, "[", i, "]"),
                    absl::StrCat("is ", (*out)[i], ", expected less than 1e9"));
  }
  return out;
}

absl::StatusOr<std::vector<Vec3>> X3dNumbers::ReadPoints(const X3dNode& node,
                                                         absl::string_view field) {
  const absl::StatusOr<std::vector<float>> v = Read(node, field);
  if (!v.ok()) return v.status();
  if (v->size() % 3 != 0) {
    return X3dFault(node, field,
                    absl::StrCat("has ", v->size(), " numbers, expected three a point"));
  }
  std::vector<Vec3> out;
  out.reserve(v->size() / 3);
  for (size_t i = 0; i < v->size(); i += 3) out.push_back({(*v)[i], (*v)[i + 1], (*v)[i + 2]});
  return out;
}

absl::StatusOr<std::vector<int32_t>> X3dNumbers::ReadIndices(const X3dNode& node,
                                                             absl::string_view field,
                                                             int32_t least) {
  const absl::StatusOr<std::vector<float>> v = Numbers(node, field);
  if (!v.ok()) return v.status();
  if (absl::Status s = Take(v->size()); !s.ok()) return s;
  std::vector<int32_t> out;
  out.reserve(v->size());
  for (size_t i = 0; i < v->size(); ++i) {
    const float n = (*v)[i];
    if (!(n >= static_cast<float>(least)) || n > kMostIndex || n != std::floor(n)) {
      return X3dFault(
          node, absl::StrCat(field, "[", i, "]"),
          absl::StrCat("is ", n, ", expected a whole number from ", least, " to 16777216"));
    }
    out.push_back(static_cast<int32_t>(n));
  }
  return out;
}

absl::StatusOr<float> X3dNumber(const X3dNode& node, absl::string_view field, float otherwise) {
  const absl::StatusOr<std::vector<float>> v = Numbers(node, field, 1);
  if (!v.ok()) return v.status();
  return v->empty() ? otherwise : (*v)[0];
}

bool X3dFlag(const X3dNode& node, absl::string_view field, bool otherwise) {
  const Field* const found = node.Find(field);
  if (found == nullptr) return otherwise;
  return otherwise ? found->text != "false" && found->text != "FALSE"
                   : found->text == "true" || found->text == "TRUE";
}

const X3dNode* X3dChild(const Scene& scene, const X3dNode& node, absl::string_view field) {
  for (const Child& child : node.children) {
    if (child.field == field) return &scene.nodes[static_cast<size_t>(child.node)];
  }
  return nullptr;
}

absl::StatusOr<Affine> X3dTransform(const X3dNode& node, float radians) {
  const absl::StatusOr<Vec3> t = Vector(node, "translation", {}), c = Vector(node, "center", {}),
                             s = Vector(node, "scale", {1, 1, 1});
  const absl::StatusOr<Quat> r = Turn(node, "rotation", radians),
                             o = Turn(node, "scaleOrientation", radians);
  for (const absl::Status& each : {t.status(), c.status(), s.status(), r.status(), o.status()}) {
    if (!each.ok()) return each;
  }
  // Vectors are rows, so the first transform is applied first.
  Affine m = skel::FromTrs(*c * -1, {}, {1, 1, 1});
  for (const Affine& next :
       {skel::FromTrs({}, skel::Conjugate(*o), {1, 1, 1}), skel::FromTrs({}, {}, *s),
        skel::FromTrs({}, *o, {1, 1, 1}), skel::FromTrs(*c + *t, *r, {1, 1, 1})}) {
    m = skel::Mul(m, next);
  }
  return m;
}

}  // namespace posewire::x3d
