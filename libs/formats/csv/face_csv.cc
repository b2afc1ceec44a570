#include "libs/formats/csv/face_csv.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "libs/asset/table_cells.h"
#include "libs/asset/text_scanner.h"
#include "libs/formats/csv/face_time.h"
#include "libs/timecode/frame_rate.h"
#include "libs/wire/text_check.h"

namespace posewire::csv {
namespace {

constexpr absl::string_view kShapePrefix = "blendShapes.";
// Limit on the lines that are kept to find their rate.
constexpr size_t kMostAheadBytes = 4 << 20;

// Returns true for an angle of the head or an eye in Live Link Face's table.
bool IsAngle(absl::string_view column) {
  return absl::EndsWithIgnoreCase(column, "yaw") || absl::EndsWithIgnoreCase(column, "pitch") ||
         absl::EndsWithIgnoreCase(column, "roll");
}

class FaceCsvReader : public asset::MotionReader {
 public:
  FaceCsvReader(std::unique_ptr<files::ByteSource> source, std::optional<timecode::FrameRate> fps)
      : text_(std::move(source)), fps_(fps) {}

  absl::StatusOr<asset::MotionNames> Start() override {
    asset::MotionNames names;
    if (absl::Status s = ReadHeader(names.shapes); !s.ok()) return s;
    return names;
  }

  absl::StatusOr<bool> Next(wire::DataChunk* keys) override {
    while (true) {
      if (absl::Status s = NextLine(); !s.ok()) return s;
      if (line_.text.empty()) return false;
      const absl::StatusOr<bool> read = ReadLine(line_.text, keys->pose[wire::kWeights]);
      if (!read.ok() || *read) return read;
    }
  }

  const std::string& name() const override { return text_.name(); }
  std::string place() const override { return absl::StrCat("line ", line_.number); }
  int64_t offset() const override { return line_.end; }
  int64_t size() const override { return text_.size(); }

 private:
  // Moves to the next line of the file; empty at its end.
  absl::Status NextLine() {
    if (!ahead_.empty()) {
      line_ = std::move(ahead_.front());
      ahead_.pop_front();
      return absl::OkStatus();
    }
    const absl::StatusOr<absl::string_view> line = text_.Line();
    if (!line.ok()) return line.status();
    line_ = {text_.line(), text_.offset(), std::string(*line)};
    return absl::OkStatus();
  }

  absl::Status Fault(absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(text_.name(), ": line ", line_.number, ": ", what));
  }

  absl::Status ReadHeader(std::vector<std::string>& names) {
    if (absl::Status s = NextLine(); !s.ok()) return s;
    if (!wire::IsUtf8(line_.text)) return Fault("the columns' names are not UTF-8");
    const std::vector<absl::string_view> columns = asset::TableCells(line_.text);
    columns_ = columns.size();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (absl::EqualsIgnoreCase(columns[i], "BlendShapeCount")) count_ = i;
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      absl::string_view name = columns[i];
      if (!time_ && absl::EqualsIgnoreCase(name, "timecode")) {
        time_ = i;
      } else if (count_ ? i != *count_ && !name.empty() && !IsAngle(name)
                        : absl::StartsWithIgnoreCase(name, kShapePrefix)) {
        if (!count_) name.remove_prefix(kShapePrefix.size());
        names.emplace_back(name);
        if (absl::EqualsIgnoreCase(name, "jawOpen")) jaw_open_ = shapes_.size();
        if (absl::EqualsIgnoreCase(name, "mouthClose")) mouth_close_ = shapes_.size();
        shapes_.push_back(i);
      }
    }
    if (!time_ || shapes_.empty()) {
      return Fault(
          "the first line must name the columns: timeCode and blendShapes.NAME for each shape, as "
          "Audio2Face-3D has them, or Timecode, BlendShapeCount and the shapes, as Live Link Face");
    }
    if (!count_ && fps_) {
      Doubt("timeCode counts seconds; --fps is ignored");
    }
    return count_ && !fps_ ? FindRate() : absl::OkStatus();
  }

  // Uses the lines of several seconds, which are read again later.
  absl::Status FindRate() {
    FaceRateGuess guess;
    for (size_t bytes = 0; bytes < kMostAheadBytes && !guess.done();) {
      const absl::StatusOr<absl::string_view> line = text_.Line();
      if (!line.ok()) return line.status();
      ahead_.push_back({text_.line(), text_.offset(), std::string(*line)});
      if (line->empty()) break;
      bytes += line->size();
      const std::vector<absl::string_view> columns = asset::TableCells(*line);
      if (columns.size() != columns_ || columns[*count_] == "0") continue;
      if (const auto code = FaceTimeCode::Parse(columns[*time_])) guess.Add(*code);
    }
    const FaceRateGuess::Result found = guess.Make();
    fps_ = found.rate;
    if (!found.doubt.empty()) Doubt(found.doubt);
    return absl::OkStatus();
  }

  // Returns false for a line that is left out.
  absl::StatusOr<bool> ReadLine(absl::string_view line, wire::KeyBlock& key) {
    const std::vector<absl::string_view> columns = asset::TableCells(line);
    if (count_ && *count_ < columns.size() && columns[*count_] == "0") return false;
    if (columns.size() != columns_) {
      return Fault(
          absl::StrCat("has ", columns.size(), " columns; the first line names ", columns_));
    }
    const absl::StatusOr<double> time_code_s =
        count_ ? ReadPhoneTime(columns[*time_]) : Number(columns[*time_], "timeCode");
    if (!time_code_s.ok()) return time_code_s.status();
    if (last_s_ && *time_code_s <= *last_s_) {
      if (count_ && *time_code_s == *last_s_) return false;
      return Fault(absl::StrCat("the time ", wire::Quoted(columns[*time_]),
                                " does not come after that of the line before"));
    }
    if (*time_code_s < 0)
      return Fault(absl::StrCat("timeCode ", *time_code_s, "; must be at least 0"));
    last_s_ = *time_code_s;
    key.time_codes_s.push_back(*time_code_s);
    for (const size_t i : shapes_) {
      const absl::StatusOr<double> weight = Number(columns[i], "a weight");
      if (!weight.ok()) return weight.status();
      key.values.push_back(static_cast<float>(*weight));
    }
    // Apple's mouthClose does not open the jaw, but a stream's does.
    if (count_ && jaw_open_ && mouth_close_) {
      key.values[*jaw_open_] -= key.values[*mouth_close_];
    }
    return true;
  }

  // Returns the time since the first line, also across midnight.
  absl::StatusOr<double> ReadPhoneTime(absl::string_view text) {
    const std::optional<FaceTimeCode> code = FaceTimeCode::Parse(text);
    const int64_t labels = LabelsASecond(*fps_);
    if (!code || (code->counts_frames && code->frames >= static_cast<double>(labels))) {
      return Fault(absl::StrCat(
          "Timecode ", wire::Quoted(text), "; must be HH:MM:SS:FF.fff, with FF below ", labels,
          " at ", timecode::ToString(*fps_), " frames a second", asset::kChangesRate));
    }
    const double time_s = SecondsOf(*code, *fps_);
    if (!first_s_) first_s_ = time_s;
    const double day_s = DayOf(*code, *fps_);
    double time_code_s = time_s - *first_s_;
    if (last_s_ && time_code_s < *last_s_ - day_s / 2) time_code_s += day_s;
    return time_code_s;
  }

  absl::StatusOr<double> Number(absl::string_view text, absl::string_view what) const {
    double value = 0;
    if (absl::SimpleAtod(text, &value) &&
        std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())) {
      return value;
    }
    return Fault(
        absl::StrCat(wire::Quoted(text), " stands for ", what, ", which must be a finite number"));
  }

  struct TableLine {
    int64_t number = 1;
    int64_t end = 0;  // in bytes of the file
    std::string text;
  };

  asset::TextScanner text_;
  std::optional<timecode::FrameRate> fps_;  // of Live Link Face's time codes, after the header
  TableLine line_;                          // the current one
  std::deque<TableLine> ahead_;             // the lines after it
  size_t columns_ = 0;
  std::optional<size_t> time_, count_;  // columns; only Live Link Face has the second
  std::vector<size_t> shapes_;
  std::optional<size_t> jaw_open_, mouth_close_;  // indices in shapes_
  std::optional<double> first_s_, last_s_;
};

}  // namespace

std::unique_ptr<asset::MotionReader> OpenFaceCsv(std::unique_ptr<files::ByteSource> source,
                                                 const asset::ReadOptions& options) {
  return std::make_unique<FaceCsvReader>(std::move(source), options.fps);
}

absl::Status WriteFaceCsv(const asset::Motion& motion, asset::PutBytes put) {
  if (!motion.header || motion.header->shapes.empty()) {
    return absl::InvalidArgumentError("the clip has no face shapes");
  }
  std::string out = "timeCode";
  for (const std::string& name : motion.header->shapes) {
    if (name.find_first_of(",\"\r\n") != std::string::npos ||
        absl::StripAsciiWhitespace(name) != name) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape ", wire::Quoted(name), " cannot be the name of a column"));
    }
    absl::StrAppend(&out, ",", kShapePrefix, name);
  }
  out += '\n';
  const skel::KeyTrack& weights = motion.tracks[wire::kWeights];
  std::vector<float> between(static_cast<size_t>(weights.width()));
  for (const double time_code_s : motion.time_codes_s[wire::kWeights]) {
    absl::StrAppendFormat(&out, "%.17g", time_code_s);
    for (const float weight : weights.Sample(time_code_s, absl::MakeSpan(between))) {
      absl::StrAppendFormat(&out, ",%.9g", weight);
    }
    out += '\n';
    if (out.size() < asset::kPutBytes) continue;
    if (absl::Status s = put(out); !s.ok()) return s;
    out.clear();
  }
  return out.empty() ? absl::OkStatus() : put(out);
}

}  // namespace posewire::csv
