#include "libs/formats/x3d/scene.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/formats/x3d/quoted.h"

namespace posewire::x3d {

const Field* X3dNode::Find(absl::string_view field) const {
  for (const Field& f : fields) {
    if (f.name == field) return &f;
  }
  return nullptr;
}

absl::string_view Scene::FileOf(int node) const {
  absl::string_view file;
  for (const auto& [first, name] : inlined) {
    if (static_cast<size_t>(node) >= first) file = name;
  }
  return file;
}

float Scene::UnitOf(absl::string_view category) const {
  float factor = 1;
  for (const Unit& unit : units) {
    if (unit.category == category && !absl::SimpleAtof(unit.factor, &factor)) factor = 1;
  }
  return factor;
}

absl::StatusOr<std::vector<float>> Numbers(const X3dNode& node, absl::string_view field) {
  std::vector<float> out;
  const Field* const found = node.Find(field);
  if (!found) return out;
  for (const absl::string_view word :
       absl::StrSplit(found->text, absl::ByAnyChar(", \t\r\n"), absl::SkipEmpty())) {
    float value;
    if (!absl::SimpleAtof(word, &value) || !std::isfinite(value)) {
      return absl::InvalidArgumentError(absl::StrCat("line ", found->line, ": ", node.type, ".",
                                                     field, "[", out.size(), "] is \"",
                                                     word.substr(0, 40), "\", no finite number"));
    }
    out.push_back(value);
  }
  return out;
}

absl::StatusOr<std::vector<float>> Numbers(const X3dNode& node, absl::string_view field,
                                           size_t count) {
  auto out = Numbers(node, field);
  if (!out.ok() || out->empty() || out->size() == count) return out;
  return absl::InvalidArgumentError(absl::StrCat("line ", node.Find(field)->line, ": ", node.type,
                                                 ".", field, " has ", out->size(),
                                                 " numbers: write ", count));
}

absl::StatusOr<skel::Vec3> Vector(const X3dNode& node, absl::string_view field,
                                  skel::Vec3 otherwise) {
  const auto v = Numbers(node, field, 3);
  if (!v.ok()) return v.status();
  return v->empty() ? otherwise : skel::Vec3{(*v)[0], (*v)[1], (*v)[2]};
}

std::vector<std::string> Strings(const X3dNode& node, absl::string_view field) {
  const Field* const found = node.Find(field);
  if (!found) return {};
  if (found->kind == Field::Kind::kString) return {found->text};
  return Unquoted(found->text);
}

std::string String(const X3dNode& node, absl::string_view field) {
  std::vector<std::string> all = Strings(node, field);
  return all.empty() ? std::string() : std::move(all[0]);
}

}  // namespace posewire::x3d
