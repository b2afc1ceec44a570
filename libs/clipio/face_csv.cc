#include "libs/clipio/face_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
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
#include "libs/clipio/text_scanner.h"
#include "libs/wire/text_check.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

constexpr absl::string_view kShapePrefix = "blendShapes.";
constexpr double kPhoneRate_hz = 60;
constexpr double kDay_s = 86400;

std::vector<absl::string_view> Columns(absl::string_view line) {
  std::vector<absl::string_view> columns = absl::StrSplit(line, ',');
  for (absl::string_view& column : columns) {
    column = absl::StripAsciiWhitespace(column);
    if (column.size() >= 2 && column.front() == '"' && column.back() == '"') {
      column = column.substr(1, column.size() - 2);
    }
  }
  return columns;
}

// An angle of the head or of an eye, in Live Link Face's table.
bool IsAngle(absl::string_view column) {
  return absl::EndsWithIgnoreCase(column, "yaw") || absl::EndsWithIgnoreCase(column, "pitch") ||
         absl::EndsWithIgnoreCase(column, "roll");
}

// "15:03:54:34.548", in seconds of the day.
std::optional<double> PhoneTime(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() != 4) return std::nullopt;
  constexpr std::array<int, 3> kEnds = {24, 60, 60};
  int seconds = 0;
  for (size_t i = 0; i < 3; ++i) {
    int part = 0;
    if (!absl::SimpleAtoi(parts[i], &part) || part < 0 || part >= kEnds[i]) return std::nullopt;
    seconds = seconds * kEnds[i] + part;
  }
  double frames = 0;
  if (!absl::SimpleAtod(parts[3], &frames) || !(frames >= 0 && frames < kPhoneRate_hz)) {
    return std::nullopt;
  }
  return (seconds * kPhoneRate_hz + frames) / kPhoneRate_hz;
}

class FaceCsvReader : public ClipReader {
 public:
  explicit FaceCsvReader(std::unique_ptr<ByteSource> source) : text_(std::move(source)) {}

  std::string place_of_last() const override { return absl::StrCat("line ", text_.line()); }
  int64_t size() const override { return text_.size(); }

 private:
  absl::StatusOr<std::optional<Message>> DoNext() override {
    absl::StatusOr<std::optional<Message>> message = Make();
    end_of_last_ = text_.offset();
    return message;
  }

  absl::StatusOr<std::optional<Message>> Make() {
    if (shapes_.empty()) return ReadHeader();
    while (!ended_) {
      const absl::StatusOr<absl::string_view> line = text_.Line();
      if (!line.ok()) return line.status();
      Message message;
      if (line->empty()) {
        ended_ = true;
        message.mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
        return message;
      }
      const absl::StatusOr<bool> read = ReadLine(*line, &message);
      if (!read.ok()) return read.status();
      if (*read) return message;
    }
    return std::nullopt;
  }

  absl::StatusOr<std::optional<Message>> ReadHeader() {
    const absl::StatusOr<absl::string_view> line = text_.Line();
    if (!line.ok()) return line.status();
    if (!wire::IsUtf8(*line)) return text_.Fault("the columns' names are not UTF-8");
    if (absl::StrContains(*line, '\r')) {
      return text_.Fault("a carriage return stands in the line; lines must end with a line feed");
    }
    const std::vector<absl::string_view> columns = Columns(*line);
    columns_ = columns.size();
    Message message;
    auto& names = *message.mutable_animation_data_stream_header()->mutable_skel_animation_header();
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
        names.add_blend_shapes(name.data(), name.size());
        if (absl::EqualsIgnoreCase(name, "jawOpen")) jaw_open_ = static_cast<int>(shapes_.size());
        if (absl::EqualsIgnoreCase(name, "mouthClose")) {
          mouth_close_ = static_cast<int>(shapes_.size());
        }
        shapes_.push_back(i);
      }
    }
    if (!time_ || shapes_.empty()) {
      return text_.Fault(
          "the first line must name the columns: timeCode and blendShapes.NAME for each shape, as "
          "Audio2Face-3D has them, or Timecode, BlendShapeCount and the shapes, as Live Link Face");
    }
    return message;
  }

  // False for a line that is left out.
  absl::StatusOr<bool> ReadLine(absl::string_view line, Message* message) {
    const std::vector<absl::string_view> columns = Columns(line);
    if (count_ && *count_ < columns.size() && columns[*count_] == "0") return false;
    if (columns.size() != columns_) {
      return text_.Fault(
          absl::StrCat("has ", columns.size(), " columns; the first line names ", columns_));
    }
    const absl::StatusOr<double> code_s =
        count_ ? ReadPhoneTime(columns[*time_]) : Number(columns[*time_], "timeCode");
    if (!code_s.ok()) return code_s.status();
    if (last_s_ && *code_s <= *last_s_) {
      if (count_ && *code_s == *last_s_) return false;
      return text_.Fault(absl::StrCat("the time ", wire::Quoted(columns[*time_]),
                                      " does not come after that of the line before"));
    }
    if (*code_s < 0) return text_.Fault(absl::StrCat("timeCode ", *code_s, "; must be at least 0"));
    last_s_ = *code_s;
    auto& key =
        *message->mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights();
    key.set_time_code(*code_s);
    for (const size_t i : shapes_) {
      const absl::StatusOr<double> weight = Number(columns[i], "a weight");
      if (!weight.ok()) return weight.status();
      key.add_values(static_cast<float>(*weight));
    }
    // Apple's mouthClose leaves the jaw to jawOpen; a stream's opens it.
    if (count_ && jaw_open_ && mouth_close_) {
      key.set_values(*jaw_open_, key.values(*jaw_open_) - key.values(*mouth_close_));
    }
    return true;
  }

  // From the first line on; over midnight, too.
  absl::StatusOr<double> ReadPhoneTime(absl::string_view text) {
    const std::optional<double> time_s = PhoneTime(text);
    if (!time_s) {
      return text_.Fault(absl::StrCat("Timecode ", wire::Quoted(text),
                                      "; must be HH:MM:SS:FF.fff at 60 frames a second"));
    }
    if (!first_s_) first_s_ = *time_s;
    double code_s = *time_s - *first_s_;
    if (last_s_ && code_s < *last_s_ - kDay_s / 2) code_s += kDay_s;
    return code_s;
  }

  absl::StatusOr<double> Number(absl::string_view text, absl::string_view what) const {
    double value = 0;
    if (absl::SimpleAtod(text, &value) &&
        std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())) {
      return value;
    }
    return text_.Fault(
        absl::StrCat(wire::Quoted(text), " stands for ", what, ", which must be a finite number"));
  }

  TextScanner text_;
  size_t columns_ = 0;
  std::optional<size_t> time_, count_;  // columns; the second is Live Link Face's alone
  std::vector<size_t> shapes_;
  std::optional<int> jaw_open_, mouth_close_;  // places in shapes_
  std::optional<double> first_s_, last_s_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ClipReader> OpenFaceCsv(std::unique_ptr<ByteSource> source, const ReadOptions&) {
  return std::make_unique<FaceCsvReader>(std::move(source));
}

absl::Status WriteFaceCsv(const Motion& motion, PutBytes put) {
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
  for (const double code_s : motion.codes_s[wire::kWeights]) {
    absl::StrAppendFormat(&out, "%.17g", code_s);
    for (const float weight : weights.Sample(code_s, absl::MakeSpan(between))) {
      absl::StrAppendFormat(&out, ",%.9g", weight);
    }
    out += '\n';
    if (out.size() < kPutBytes) continue;
    if (absl::Status s = put(out); !s.ok()) return s;
    out.clear();
  }
  return out.empty() ? absl::OkStatus() : put(out);
}

}  // namespace posewire::clipio
