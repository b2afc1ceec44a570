// Reads the points and objects of a Wavefront OBJ file: its `v` and `o` lines.
#include "libs/formats/obj/obj_sequence.h"

#include <charconv>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace posewire::obj {
namespace {

using skel::Vec3;

struct ObjPoints {
  std::vector<character::PointPart> parts;
  std::vector<Vec3> points;
};

absl::StatusOr<ObjPoints> ReadObj(absl::string_view text, size_t most) {
  ObjPoints out;
  size_t line = 0;
  while (!text.empty()) {
    ++line;
    const size_t end = std::min(text.find('\n'), text.size());
    absl::string_view words = absl::StripAsciiWhitespace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.size() < 2 || !absl::ascii_isspace(static_cast<unsigned char>(words[1]))) continue;
    const char kind = words[0];
    words = absl::StripLeadingAsciiWhitespace(words.substr(1));
    if (kind == 'o') {
      if (!out.parts.empty() && out.parts.back().points == 0) out.parts.pop_back();
      out.parts.push_back({std::string(words), 0});
    }
    if (kind != 'v') continue;
    float xyz[3] = {};
    for (float& value : xyz) {
      const auto got = std::from_chars(words.data(), words.data() + words.size(), value);
      if (got.ec != std::errc()) {
        return absl::InvalidArgumentError(
            absl::StrCat("line ", line, ": \"v ", words.substr(0, 40), "\" is no number"));
      }
      words = absl::StripLeadingAsciiWhitespace(
          words.substr(static_cast<size_t>(got.ptr - words.data())));
    }
    if (out.parts.empty()) out.parts.push_back({"", 0});
    ++out.parts.back().points;
    out.points.push_back({xyz[0], xyz[1], xyz[2]});
    if (out.points.size() > most) {
      return absl::ResourceExhaustedError(absl::StrCat("line ", line, ": over ", most, " points"));
    }
  }
  if (!out.parts.empty() && out.parts.back().points == 0) out.parts.pop_back();
  return out;
}

class ObjSequence : public character::PointAnimation {
 public:
  ObjSequence(std::vector<std::string> names,
              std::function<absl::StatusOr<std::string>(size_t)> read,
              const character::Limits& limits)
      : names_(std::move(names)), read_(std::move(read)), limits_(limits) {}

  absl::Status ReadFirst() {
    auto first = Read(0);
    if (!first.ok()) return first.status();
    if (first->points.empty()) return Named(0, absl::InvalidArgumentError("it has no points"));
    parts_ = std::move(first->parts);
    return absl::OkStatus();
  }

  double natural_hz() const override { return 0; }
  size_t frames(double) const override { return names_.size(); }

  absl::Status Frame(size_t frame, double, absl::Span<Vec3> out) override {
    if (frame >= names_.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("frame ", frame, " of ", names_.size(), " .obj files"));
    }
    const auto got = Read(frame);
    if (!got.ok()) return got.status();
    for (size_t k = 0; k < std::max(parts_.size(), got->parts.size()); ++k) {
      const size_t has = k < got->parts.size() ? got->parts[k].points : 0;
      const size_t expected = k < parts_.size() ? parts_[k].points : 0;
      if (has == expected) continue;
      return Named(
          frame, absl::InvalidArgumentError(absl::StrCat(
                     "object \"", (k < parts_.size() ? parts_ : got->parts)[k].name, "\" has ", has,
                     " points, expected ", expected, ", as in ", names_[0])));
    }
    std::copy(got->points.begin(), got->points.end(), out.begin());
    return absl::OkStatus();
  }

 private:
  absl::Status Named(size_t frame, const absl::Status& status) const {
    return absl::Status(status.code(), absl::StrCat(names_[frame], ": ", status.message()));
  }
  absl::StatusOr<ObjPoints> Read(size_t frame) const {
    const auto text = read_(frame);
    if (!text.ok()) return text.status();
    auto out = ReadObj(*text, limits_.points);
    if (!out.ok()) return Named(frame, out.status());
    if (absl::Status s = character::CheckPoints(out->points, ""); !s.ok()) return Named(frame, s);
    return out;
  }

  const std::vector<std::string> names_;
  const std::function<absl::StatusOr<std::string>(size_t)> read_;
  const character::Limits limits_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<character::PointAnimation>> ReadObjSequence(
    std::vector<std::string> names, std::function<absl::StatusOr<std::string>(size_t)> read,
    const character::Limits& limits) {
  if (names.empty()) return absl::InvalidArgumentError("there is no frame");
  auto out = std::make_unique<ObjSequence>(std::move(names), std::move(read), limits);
  if (absl::Status s = out->ReadFirst(); !s.ok()) return s;
  return out;
}

}  // namespace posewire::obj
