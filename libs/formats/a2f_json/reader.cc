#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "libs/asset/whole_file_reader.h"
#include "libs/formats/a2f_json/a2f_json.h"
#include "libs/formats/a2f_json/document.h"
#include "libs/skel/path_index.h"
#include "libs/skel/rig_parser.h"
#include "libs/skel/shape_names.h"
#include "libs/wire/text_check.h"

namespace posewire::a2f_json {
namespace {

constexpr double kAssumedA2fRate_hz = 30, kLeastA2fRate_hz = 1 / 300.0, kMostA2fRate_hz = 1e5;
constexpr double kLeastUsualRate_hz = 1, kMostUsualRate_hz = 1000;
// 29.97 means 30000 / 1001.
constexpr double kSameA2fRate = 2e-6;
constexpr float kShortestTurn = 1e-6f;

struct RateSaid {
  asset::FrameClock clock;
  std::string doubt;  // "": nothing was assumed
};

RateSaid RateOf(const A2fDocument& document, const std::optional<timecode::FrameRate>& fps) {
  if (fps) return {asset::FrameClock(fps->period_s(), 1e-12), ""};
  const bool has_export = !document.export_fps.said.empty();
  const A2fNumber& said = has_export ? document.export_fps : document.fps;
  const double rate_hz = said.value.value_or(0);
  const std::string field =
      absl::StrCat(has_export                  ? "exportFps"
                   : document.fps.said.empty() ? "exportFps"
                                               : "fps",
                   said.said.empty() ? " is missing" : absl::StrCat(" is ", said.said));
  if (!(rate_hz >= kLeastA2fRate_hz && rate_hz <= kMostA2fRate_hz)) {
    return {asset::FrameClock(1 / kAssumedA2fRate_hz, 1e-12),
            absl::StrCat(field, "; taken for ", kAssumedA2fRate_hz, " frames a second",
                         asset::kChangesRate)};
  }
  const bool usual = rate_hz >= kLeastUsualRate_hz && rate_hz <= kMostUsualRate_hz;
  return {asset::FrameClock(1 / rate_hz, kSameA2fRate / rate_hz),
          usual ? "" : absl::StrCat(field, ", an unusual rate; played so", asset::kChangesRate)};
}

// Gives a shape ARKit's name if only the spelling differs and no other shape has that name.
void SpellAsArkit(std::vector<std::string>& shapes) {
  const auto arkit = skel::BuiltinShapes("arkit68");
  if (!arkit.ok()) return;
  absl::flat_hash_map<std::string, std::string> by_key;
  for (const std::string& name : *arkit) by_key[skel::ShapeKeyOf(name)] = name;
  for (const std::string& shape : shapes) {
    by_key.erase(absl::AsciiStrToLower(skel::LastPathElement(shape)));
  }
  for (std::string& shape : shapes) {
    const auto found = by_key.find(skel::ShapeKeyOf(skel::LastPathElement(shape)));
    if (found == by_key.end()) continue;
    shape = std::move(found->second);
    by_key.erase(found);
  }
}

// Returns the text after the last slash of either kind.
std::string FileName(absl::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return std::string(slash == absl::string_view::npos ? path : path.substr(slash + 1));
}

class A2fJsonReader : public asset::WholeFileReader {
 public:
  using WholeFileReader::WholeFileReader;

  absl::StatusOr<asset::MotionNames> Start() override {
    if (absl::Status s = Read(); !s.ok()) return s;
    if (absl::Status s = CheckForms(); !s.ok()) return s;
    if (absl::Status s = TakeTurns(); !s.ok()) return s;
    const A2fDocument& d = document_;
    DoubtCount("numPoses", d.num_poses, "facsNames has", d.shapes.size(), "names");
    if (d.weights.frames > 0 && d.turns.frames > 0 && d.weights.frames != d.turns.frames) {
      return absl::InvalidArgumentError(absl::StrCat("rotations has ", d.turns.frames,
                                                     " frames; must have ", d.weights.frames,
                                                     ", as weightMat has"));
    }
    DoubtCount("numFrames", d.num_frames, d.weights.frames > 0 ? "weightMat has" : "rotations has",
               frames(), "frames");
    RateSaid rate = RateOf(d, options_.fps);
    clock_ = rate.clock;
    if (!rate.doubt.empty()) Doubt(std::move(rate.doubt));
    asset::MotionNames names{document_.joints, document_.shapes};
    SpellAsArkit(names.shapes);
    return names;
  }

  absl::StatusOr<bool> Next(wire::DataChunk* keys) override {
    if (next_ == frames()) return false;
    place_ = next_++;
    const double time_code_s = clock_.Seconds(static_cast<int64_t>(place_));
    PutRow(time_code_s, document_.weights, keys->pose[wire::kWeights]);
    PutRow(time_code_s, document_.turns, keys->pose[wire::kRotations]);
    return true;
  }

  absl::StatusOr<std::optional<asset::NamedVoice>> Voice() override {
    const std::string file = FileName(document_.track_path);
    if (file.empty() || options_.sidecar == nullptr) return std::optional<asset::NamedVoice>();
    absl::StatusOr<std::string> bytes = options_.sidecar(file);
    if (bytes.ok()) {
      asset::NamedVoice out;
      out.name = file;
      out.bytes = *std::move(bytes);
      out.needed = false;
      return out;
    }
    Doubt(absl::IsNotFound(bytes.status())
              ? absl::StrCat("trackPath names the voice ", wire::Quoted(file),
                             ", which is not next to this file")
              : absl::StrCat("trackPath: ", bytes.status().message()));
    return std::optional<asset::NamedVoice>();
  }

  std::string place() const override { return absl::StrCat("frame ", place_); }

 private:
  size_t frames() const { return std::max(document_.weights.frames, document_.turns.frames); }

  absl::Status Read() {
    const absl::StatusOr<std::string> text = ReadWhole(bytes_, options_.max_json_bytes);
    if (!text.ok()) return text.status();
    absl::StatusOr<A2fDocument> document = A2fDocument::Parse(*text);
    if (!document.ok()) return document.status();
    document_ = *std::move(document);
    return absl::OkStatus();
  }

  absl::Status CheckForms() {
    A2fDocument& d = document_;
    if (absl::Status s = CheckA2fNames("facsNames", d.shapes, true); !s.ok()) return s;
    if (absl::Status s = CheckA2fNames("joints", d.joints, false); !s.ok()) return s;
    if (absl::Status s = CheckWidth("weightMat", d.weights, 1, "weights", "facsNames", d.shapes);
        !s.ok()) {
      return s;
    }
    if (absl::Status s = CheckWidth("rotations", d.turns, 4, "turns", "joints", d.joints);
        !s.ok()) {
      return s;
    }
    if (!d.shapes.empty() || !d.joints.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        d.has_emotions
            ? "it has emotions (emotionKeys) and no motion; export the blend shapes from "
              "Audio2Face as JSON"
            : "it has no motion; must have facsNames and weightMat, or joints and rotations, as "
              "Audio2Face exports them");
  }

  // Removes names that have no rows. Rows must have one number, or `parts` numbers, for each name.
  absl::Status CheckWidth(const char* field, A2fRows& rows, size_t parts, const char* what,
                          const char* names_field, std::vector<std::string>& names) {
    if (rows.frames == 0 && !names.empty()) {
      Doubt(absl::StrCat(field, " has no frames, so the ", names.size(), " names in ", names_field,
                         " are left out"));
      names.clear();
    }
    if (rows.width != names.size() * parts) {
      return absl::InvalidArgumentError(absl::StrCat(field, "[0] has ", rows.width / parts, " ",
                                                     what, "; must have ", names.size(),
                                                     ", one for each name in ", names_field));
    }
    if (rows.width == 0) rows = {};
    return absl::OkStatus();
  }

  void DoubtCount(const char* field, const A2fNumber& said, const char* has, size_t count,
                  const char* what) {
    if (said.said.empty() || said.value == static_cast<double>(count)) return;
    Doubt(absl::StrCat(field, " is ", said.said, ", and ", has, " ", count, " ", what,
                       ", which are played"));
  }

  // Normalizes the rotations and puts the real part first.
  absl::Status TakeTurns() {
    std::vector<float>& numbers = document_.turns.numbers;
    // The jaw and the eyes rotate by less than a right angle, so the real part is the largest.
    double first = 0, last = 0;
    for (size_t i = 0; i < numbers.size(); i += 4) {
      first += std::abs(numbers[i]), last += std::abs(numbers[i + 3]);
    }
    if (last > first) {
      Doubt("rotations have their largest part last; taken for x, y, z, w");
      for (size_t i = 0; i < numbers.size(); i += 4) {
        std::rotate(&numbers[i], &numbers[i] + 3, &numbers[i] + 4);
      }
    }
    for (size_t i = 0; i < numbers.size(); i += 4) {
      const skel::Quat q{numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]};
      const double length =
          std::hypot(std::hypot(double{q.w}, double{q.x}), std::hypot(double{q.y}, double{q.z}));
      if (!(length >= kShortestTurn)) {
        const size_t frame = i / document_.turns.width;
        return absl::InvalidArgumentError(
            absl::StrCat("rotations[", frame, "][", i % document_.turns.width / 4,
                         "] has the length ", length, "; must be a quaternion"));
      }
      for (size_t k = 0; k < 4; ++k) {
        numbers[i + k] = static_cast<float>(double{numbers[i + k]} / length);
      }
    }
    return absl::OkStatus();
  }

  void PutRow(double time_code_s, const A2fRows& rows, wire::KeyBlock& to) const {
    if (rows.frames == 0) return;
    to.time_codes_s.push_back(time_code_s);
    const auto row = absl::MakeConstSpan(rows.numbers).subspan(place_ * rows.width, rows.width);
    to.values.insert(to.values.end(), row.begin(), row.end());
  }

  A2fDocument document_;
  asset::FrameClock clock_{1 / kAssumedA2fRate_hz, 0};
  size_t next_ = 0, place_ = 0;
};

// Returns a JSON string up to its closing quote, which is skipped; nothing if there is none.
std::optional<absl::string_view> TakeText(absl::string_view& rest) {
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '\\') {
      ++i;
    } else if (rest[i] == '"') {
      const absl::string_view text = rest.substr(0, i);
      rest.remove_prefix(i + 1);
      return text;
    }
  }
  return std::nullopt;
}

}  // namespace

bool IsA2fJson(absl::string_view bytes) {
  absl::ConsumePrefix(&bytes, "\xef\xbb\xbf");
  int arrays = 0;
  bool opened = false, value = false;
  while (!bytes.empty()) {
    const char c = bytes.front();
    bytes.remove_prefix(1);
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) continue;
    if (!opened) {
      if (c != '{') return false;
      opened = true;
      continue;
    }
    if (c == '"') {
      const std::optional<absl::string_view> text = TakeText(bytes);
      if (!text) return false;
      if (value) continue;
      for (const absl::string_view name : {"exportFps", "facsNames", "weightMat", "numPoses"}) {
        if (*text == name) return true;
      }
      continue;
    }
    // Members of a message are objects, and those of an export are not.
    if (c == '{' || c == '}') return false;
    arrays += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (arrays == 0 && (c == ':' || c == ',')) value = c == ':';
  }
  return false;
}

std::unique_ptr<asset::MotionReader> OpenA2fJson(std::unique_ptr<files::ByteSource> source,
                                                 const asset::ReadOptions& options) {
  return std::make_unique<A2fJsonReader>(std::move(source), options);
}

}  // namespace posewire::a2f_json
