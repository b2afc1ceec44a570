#include "libs/formats/x3d/fields.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace posewire::x3d {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr float kAnyAxis = 1e-6f;
// Limit on the joints and channels of an HAnimMotion. A word takes more memory than its text.
constexpr size_t kMostWords = size_t{1} << 16;

}  // namespace

absl::Status AtNode(const X3dNode& node, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", node.line, ": ", node.type, what));
}

std::string NameOf(const X3dNode& node) {
  std::string name = String(node, "name");
  return name.empty() ? node.def : name;
}

absl::string_view BareField(absl::string_view field) {
  absl::ConsumePrefix(&field, "set_");
  absl::ConsumeSuffix(&field, "_changed");
  return field;
}

absl::StatusOr<double> Number(const X3dNode& node, absl::string_view field, double otherwise) {
  const Field* const found = node.Find(field);
  double value = otherwise;
  if (found != nullptr && (!absl::SimpleAtod(found->text, &value) || !std::isfinite(value))) {
    return absl::InvalidArgumentError(absl::StrCat("line ", found->line, ": ", node.type, ".",
                                                   field, " is \"", found->text.substr(0, 40),
                                                   "\", no finite number"));
  }
  return value;
}

absl::StatusOr<std::vector<std::string>> Words(const X3dNode& node, absl::string_view field) {
  std::vector<std::string> out;
  for (const std::string& part : Strings(node, field)) {
    for (const absl::string_view word :
         absl::StrSplit(part, absl::ByAnyChar(", \t\r\n"), absl::SkipEmpty())) {
      if (out.size() == kMostWords) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "line ", node.line, ": ", node.type, ".", field, " has over ", kMostWords, " words"));
      }
      out.emplace_back(word);
    }
  }
  return out;
}

Quat TurnOf(const float* axis_angle) {
  const Vec3 axis{axis_angle[0], axis_angle[1], axis_angle[2]};
  const float length = skel::Length(axis);
  if (!(length > kAnyAxis) || !std::isfinite(length)) return {};
  return skel::Normalized(skel::FromAxisAngle(axis * (1 / length), axis_angle[3]));
}

}  // namespace posewire::x3d
