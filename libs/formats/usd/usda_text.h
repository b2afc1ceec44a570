// Parts of a .usda file as text, for the writers of clips and characters.
#ifndef POSEWIRE_LIBS_FORMATS_USD_USDA_TEXT_H_
#define POSEWIRE_LIBS_FORMATS_USD_USDA_TEXT_H_

#include <charconv>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::usd {

// Returns the name as a valid element of a prim's path.
std::string Identifier(absl::string_view name);
// Returns a reference to a file next to the stage.
std::string AssetOf(absl::string_view file);

// Collects text. One thread.
class UsdaText {
 public:
  // Writes the fewest digits that read back as the same number.
  template <typename T>
  void Number(T number) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number);
    out_.append(digits, end.ptr);
  }
  void Tuple(std::initializer_list<float> parts);
  void Tuple(skel::Vec3 v) { Tuple({v.x, v.y, v.z}); }
  template <typename WriteOne>
  void List(size_t count, WriteOne write_one) {
    out_ += '[';
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ", ";
      write_one(i);
    }
    out_ += ']';
  }
  // Writes `begin`, such as "    uniform token[] joints = ", and the rest of the line.
  void Tokens(absl::string_view begin, const std::vector<std::string>& names);
  void Matrix(const skel::Affine& m);
  void Matrices(absl::string_view begin, const std::vector<skel::Affine>& all);

 protected:
  std::string out_;
};

// The text of a prim and those in it. `in` is the indentation of the prim; attributes and prims in
// it are one level deeper, and so on.
class PrimText : public UsdaText {
 public:
  explicit PrimText(std::string in) : in_(std::move(in)) {}

  std::string Take() { return std::move(out_); }

 protected:
  std::string In(int deep) const {
    return absl::StrCat(in_, std::string(4 * static_cast<size_t>(deep), ' '));
  }
  void Line(int deep, absl::string_view text) { absl::StrAppend(&out_, In(deep), text, "\n"); }
  template <typename WriteOne>
  void Array(int deep, absl::string_view name, size_t count, WriteOne write_one,
             absl::string_view metadata = "") {
    absl::StrAppend(&out_, In(deep), name, " = ");
    List(count, write_one);
    if (!metadata.empty()) {
      absl::StrAppend(&out_, " (\n", In(deep + 1), metadata, "\n", In(deep), ")");
    }
    out_ += '\n';
  }
  void Vectors(int deep, absl::string_view name, absl::Span<const skel::Vec3> all,
               absl::string_view metadata = "");
  void Tuple1(int deep, absl::string_view name, std::initializer_list<float> parts);
  void Number1(int deep, absl::string_view name, float value);

  const std::string in_;
};

// Gives out names of prims, each once.
class PrimNames {
 public:
  std::string Take(absl::string_view wanted);

 private:
  absl::flat_hash_set<std::string> taken_;
};

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_USDA_TEXT_H_
