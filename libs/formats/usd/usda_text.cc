#include "libs/formats/usd/usda_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

std::string Identifier(absl::string_view name) {
  std::string out;
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) out += '_';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    out += absl::ascii_isalnum(byte) || c == '_' ? c : '_';
  }
  return out;
}

std::string AssetOf(absl::string_view file) {
  const absl::string_view mark = absl::StrContains(file, '@') ? "@@@" : "@";
  return absl::StrCat(mark, "./", file, mark);
}

void UsdaText::Tuple(std::initializer_list<float> parts) {
  out_ += '(';
  for (const float& part : parts) {
    if (&part != parts.begin()) out_ += ", ";
    Number(part);
  }
  out_ += ')';
}

void UsdaText::Tokens(absl::string_view begin, const std::vector<std::string>& names) {
  out_.append(begin.data(), begin.size());
  List(names.size(), [&](size_t i) { out_ += Quoted(names[i]); });
  out_ += '\n';
}

void UsdaText::Matrix(const skel::Affine& m) {
  out_ += '(';
  for (size_t r = 0; r < 4; ++r) {
    const skel::Vec3 row = m.row[r];
    if (r > 0) out_ += ", ";
    Tuple({row.x, row.y, row.z, r == 3 ? 1.0f : 0.0f});
  }
  out_ += ')';
}

void UsdaText::Matrices(absl::string_view begin, const std::vector<skel::Affine>& all) {
  out_.append(begin.data(), begin.size());
  List(all.size(), [&](size_t i) { Matrix(all[i]); });
  out_ += '\n';
}

void PrimText::Vectors(int deep, absl::string_view name, absl::Span<const skel::Vec3> all,
                       absl::string_view metadata) {
  Array(
      deep, name, all.size(), [&](size_t i) { Tuple(all[i]); }, metadata);
}

void PrimText::Tuple1(int deep, absl::string_view name, std::initializer_list<float> parts) {
  absl::StrAppend(&out_, In(deep), name, " = ");
  Tuple(parts);
  out_ += '\n';
}

void PrimText::Number1(int deep, absl::string_view name, float value) {
  absl::StrAppend(&out_, In(deep), name, " = ");
  Number(value);
  out_ += '\n';
}

std::string PrimNames::Take(absl::string_view wanted) {
  const std::string first = Identifier(wanted);
  std::string name = first;
  for (int i = 1; !taken_.insert(name).second; ++i) name = absl::StrCat(first, "_", i);
  return name;
}

}  // namespace posewire::usd
