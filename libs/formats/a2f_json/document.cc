#include "libs/formats/a2f_json/document.h"

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "libs/formats/a2f_json/a2f_json.h"
#include "libs/skel/path_index.h"
#include "libs/skel/rig_limits.h"
#include "libs/wire/text_check.h"

namespace posewire::a2f_json {
namespace {

constexpr size_t kMostA2fLevels = 64;
constexpr size_t kA2fTurnParts = 4;

// Receives the parser's events. Each function returns false after an error, which ends the parsing.
class A2fHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, A2fHandler> {
 public:
  explicit A2fHandler(A2fDocument* out) : out_(*out) {}

  const absl::Status& error() const { return error_; }

  bool Null() { return Scalar("null", std::nullopt); }
  bool Bool(bool v) { return Scalar(v ? "true" : "false", std::nullopt); }
  bool Int(int v) { return Double(v); }
  bool Uint(unsigned v) { return Double(v); }
  bool Int64(int64_t v) { return Double(static_cast<double>(v)); }
  bool Uint64(uint64_t v) { return Double(static_cast<double>(v)); }
  bool Double(double v) {
    return member_ == Member::kWeights || member_ == Member::kTurns ? Number(v)
                                                                    : Scalar(wire::Number(v), v);
  }

  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    const absl::string_view view(text, size);
    if (member_ == Member::kTrack && depth_ == 1) {
      out_.track_path = std::string(view);
      return true;
    }
    if ((member_ == Member::kShapes || member_ == Member::kJoints) && depth_ == 2)
      return Name(view);
    return Scalar(wire::Quoted(view), std::nullopt);
  }

  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    if (depth_ != 1) return true;
    member_ = Find({text, size});
    if (member_ == Member::kOther || seen_.insert(member_).second) return true;
    return Wrong(absl::StrCat(NameOf(member_), " is there twice"));
  }

  bool StartObject() {
    if (depth_ == 0) {
      depth_ = 1;
      return true;
    }
    return Open("an object") && Deeper();
  }
  bool EndObject(rapidjson::SizeType /*members*/) { return Shallower(); }

  bool StartArray() {
    if (depth_ == 0) return Wrong("it is an array; must be an object");
    const bool belongs = depth_ < FormsOf(member_).size();
    return (belongs || Open("an array")) && Deeper();
  }
  bool EndArray(rapidjson::SizeType count) {
    if (member_ == Member::kTurns && depth_ == 4 && count != kA2fTurnParts) {
      return Wrong(absl::StrCat(Where(3), " has ", count, " numbers; a turn has 4"));
    }
    if (member_ == Member::kWeights && depth_ == 3) return Frame(out_.weights, count, 1);
    if (member_ == Member::kTurns && depth_ == 3) return Frame(out_.turns, count, kA2fTurnParts);
    return Shallower();
  }

 private:
  enum class Member {
    kOther,
    kExportFps,
    kFps,
    kPoses,
    kFrames,
    kTrack,
    kShapes,
    kWeights,
    kJoints,
    kTurns,
    kEmotions
  };
  static constexpr std::pair<absl::string_view, Member> kMembers[] = {
      {"exportFps", Member::kExportFps}, {"fps", Member::kFps},
      {"numPoses", Member::kPoses},      {"numFrames", Member::kFrames},
      {"trackPath", Member::kTrack},     {"facsNames", Member::kShapes},
      {"weightMat", Member::kWeights},   {"joints", Member::kJoints},
      {"rotations", Member::kTurns},     {"emotionKeys", Member::kEmotions},
  };

  static Member Find(absl::string_view name) {
    for (const auto& [known, member] : kMembers) {
      if (known == name) return member;
    }
    return Member::kOther;
  }
  static absl::string_view NameOf(Member member) {
    for (const auto& [name, known] : kMembers) {
      if (known == member) return name;
    }
    return "";
  }

  // Returns the position of the current value, up to this depth: "rotations[3][1]".
  std::string Where(size_t depth) const {
    std::string out(NameOf(member_));
    for (size_t d = 2; d <= depth; ++d) absl::StrAppend(&out, "[", at_[d], "]");
    return out;
  }

  bool Fail(absl::Status error) {
    error_ = std::move(error);
    return false;
  }
  bool Wrong(absl::string_view what) { return Fail(absl::InvalidArgumentError(what)); }

  // Returns what is expected at each depth of an array: first the array itself, last a name or a
  // number. Empty for members that are not arrays.
  static absl::Span<const char* const> FormsOf(Member member) {
    static constexpr const char* kNames[] = {"an array of names", "a name"};
    static constexpr const char* kWeights[] = {"an array of frames", "an array of numbers",
                                               "a finite number"};
    static constexpr const char* kTurns[] = {"an array of frames", "an array of turns",
                                             "an array of 4 numbers", "a finite number"};
    if (member == Member::kShapes || member == Member::kJoints) return kNames;
    if (member == Member::kWeights) return kWeights;
    if (member == Member::kTurns) return kTurns;
    return {};
  }

  // Rejects a value that does not belong in such an array.
  bool Misplaced(absl::string_view value) {
    return Wrong(
        absl::StrCat(Where(depth_), " is ", value, "; must be ", FormsOf(member_)[depth_ - 1]));
  }

  // Begins an array or object that is not expected.
  bool Open(const char* what) {
    if (!FormsOf(member_).empty()) return Misplaced(what);
    if (depth_ == 1) Say(what, std::nullopt);
    return true;
  }

  bool Deeper() {
    if (++depth_ > kMostA2fLevels) {
      return Wrong(absl::StrCat("its JSON is nested in more than ", kMostA2fLevels, " levels"));
    }
    if (depth_ < at_.size()) at_[depth_] = 0;
    return true;
  }
  bool Shallower() {
    --depth_;
    return Next();
  }
  // Must be called after each value.
  bool Next() {
    if (depth_ < at_.size()) ++at_[depth_];
    return true;
  }

  bool Scalar(std::string said, std::optional<double> value) {
    if (depth_ == 0) return Wrong(absl::StrCat("it is ", said, "; must be an object"));
    if (!FormsOf(member_).empty()) return Misplaced(said);
    if (depth_ == 1) Say(std::move(said), value);
    return Next();
  }

  void Say(std::string said, std::optional<double> value) {
    A2fNumber* const to = member_ == Member::kExportFps ? &out_.export_fps
                          : member_ == Member::kFps     ? &out_.fps
                          : member_ == Member::kPoses   ? &out_.num_poses
                          : member_ == Member::kFrames  ? &out_.num_frames
                                                        : nullptr;
    if (to != nullptr) *to = {std::move(said), value};
    if (member_ == Member::kEmotions) out_.has_emotions = true;
  }

  bool Number(double v) {
    const bool turns = member_ == Member::kTurns;
    if (depth_ != FormsOf(member_).size()) return Misplaced(wire::Number(v));
    if (!(std::abs(v) <= static_cast<double>(std::numeric_limits<float>::max()))) {
      return Misplaced(absl::StrCat(v));
    }
    if (out_.weights.numbers.size() + out_.turns.numbers.size() == kMostA2fNumbers) {
      return Fail(absl::ResourceExhaustedError(
          absl::StrCat("weightMat and rotations have over ", kMostA2fNumbers, " numbers")));
    }
    (turns ? out_.turns : out_.weights).numbers.push_back(static_cast<float>(v));
    return Next();
  }

  // Ends a frame of `count` elements.
  bool Frame(A2fRows& rows, size_t count, size_t parts) {
    if (rows.frames++ == 0) {
      rows.width = count * parts;
    } else if (count * parts != rows.width) {
      return Wrong(absl::StrCat(Where(2), " has ", count, parts > 1 ? " turns" : " weights",
                                "; must have ", rows.width / parts, ", as ", NameOf(member_),
                                "[0] has"));
    }
    return Shallower();
  }

  bool Name(absl::string_view name) {
    const bool shapes = member_ == Member::kShapes;
    std::vector<std::string>& to = shapes ? out_.shapes : out_.joints;
    const size_t most = shapes ? skel::kMostShapes : skel::kMostJoints;
    if (to.size() == most) {
      return Wrong(absl::StrCat(NameOf(member_), " has over ", most, " names"));
    }
    name_bytes_ += name.size();
    if (name_bytes_ > asset::kMostPathBytes) return Wrong("its names are over 1 MiB");
    to.emplace_back(name);
    return Next();
  }

  A2fDocument& out_;
  absl::Status error_;
  absl::flat_hash_set<Member> seen_;
  Member member_ = Member::kOther;  // the document's current member
  size_t depth_ = 0;                // number of open objects and arrays
  std::array<size_t, 5> at_ = {};   // by depth: number of values so far in the innermost array
  size_t name_bytes_ = 0;
};

}  // namespace

absl::StatusOr<A2fDocument> A2fDocument::Parse(absl::string_view json) {
  absl::ConsumePrefix(&json, "\xef\xbb\xbf");
  A2fDocument out;
  A2fHandler handler(&out);
  rapidjson::MemoryStream stream(json.data(), json.size());
  rapidjson::Reader reader;
  // Does not use kParseFullPrecisionFlag: the numbers become floats, and with it 0e-90 is undefined
  // behaviour.
  const rapidjson::ParseResult parsed =
      reader.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                   rapidjson::kParseNanAndInfFlag>(stream, handler);
  if (!handler.error().ok()) return handler.error();
  if (parsed.IsError()) {
    return absl::InvalidArgumentError(absl::StrCat("its JSON is broken at byte ", parsed.Offset(),
                                                   ": ",
                                                   rapidjson::GetParseError_En(parsed.Code())));
  }
  return out;
}

absl::Status CheckA2fNames(const char* field, const std::vector<std::string>& names, bool shapes) {
  absl::flat_hash_map<std::string, size_t> seen;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() || wire::HasControlCharacter(names[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat(field, "[", i, "] is ", wire::Quoted(names[i]),
                       "; must be a name, without control characters"));
    }
    const absl::string_view last = skel::LastPathElement(names[i]);
    if (last.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(field, "[", i, "] is ", wire::Quoted(names[i]),
                                                     "; must not end in a slash"));
    }
    const auto [at, is_new] = seen.emplace(shapes ? absl::AsciiStrToLower(last) : names[i], i);
    if (is_new) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        field, "[", i, "] is ", wire::Quoted(names[i]), ", which ", field, "[", at->second,
        "] is already", shapes ? " (ignoring case)" : "", "; must be unique"));
  }
  return absl::OkStatus();
}

}  // namespace posewire::a2f_json
