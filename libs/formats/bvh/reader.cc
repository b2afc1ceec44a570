#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/asset/text_scanner.h"
#include "libs/formats/bvh/bvh.h"
#include "libs/formats/bvh/frame_time.h"
#include "libs/formats/bvh/limits.h"
#include "libs/skel/body.h"
#include "libs/skel/rig_limits.h"
#include "libs/timecode/frame_rate.h"
#include "libs/wire/text_check.h"

namespace posewire::bvh {
namespace {

constexpr size_t kMostChannels = 9;  // of a joint
constexpr size_t kJointsToAChannel = 8;
constexpr absl::string_view kFramesLabel = "frames", kTimeLabel = "frametime";

struct DoubleQuat {
  double w = 1, x = 0, y = 0, z = 0;
};

DoubleQuat Mul(const DoubleQuat& a, const DoubleQuat& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

DoubleQuat About(int axis, double degrees) {
  const double half = std::remainder(degrees, 720) * (std::numbers::pi / 180) / 2;
  DoubleQuat q{std::cos(half), 0, 0, 0};
  (axis == 0 ? q.x : axis == 1 ? q.y : q.z) = std::sin(half);
  return q;
}

skel::Quat Single(const DoubleQuat& q) {
  return {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
          static_cast<float>(q.z)};
}

struct Channel {
  bool position = false;
  int axis = 0;
};

std::optional<Channel> ChannelOf(absl::string_view word) {
  if (word.empty()) return std::nullopt;
  const int axis = absl::ascii_toupper(static_cast<unsigned char>(word.front())) - 'X';
  if (axis < 0 || axis > 2) return std::nullopt;
  word.remove_prefix(1);
  if (absl::EqualsIgnoreCase(word, "position")) return Channel{true, axis};
  if (absl::EqualsIgnoreCase(word, "rotation")) return Channel{false, axis};
  return std::nullopt;
}

struct BvhJoint {
  std::string path;
  std::array<double, 3> offset = {0, 0, 0};
  std::array<double, 3> at = {0, 0, 0};  // from the root
  std::vector<Channel> channels;
};

class BvhReader : public asset::MotionReader {
 public:
  BvhReader(std::unique_ptr<files::ByteSource> source, std::optional<timecode::FrameRate> fps)
      : text_(std::move(source), "{}"), fps_(fps) {}

  absl::StatusOr<asset::MotionNames> Start() override {
    if (absl::Status s = ReadSkeleton(); !s.ok()) return s;
    if (absl::Status s = ReadTimes(); !s.ok()) return s;
    asset::MotionNames names;
    for (const BvhJoint& joint : joints_) names.joints.push_back(joint.path);
    return names;
  }

  absl::StatusOr<bool> Next(wire::DataChunk* keys) override {
    const absl::StatusOr<bool> frame = ReadFrame(*keys);
    if (frame.ok() && !*frame) CompareCounts();
    return frame;
  }

  const std::string& name() const override { return text_.name(); }
  std::string place() const override { return absl::StrCat("line ", place_); }
  int64_t offset() const override { return text_.offset(); }
  int64_t size() const override { return text_.size(); }
  double unit_m() const override { return unit_m_; }
  std::shared_ptr<const skel::Rig> skeleton() const override {
    skel::RigParts parts;
    for (const BvhJoint& joint : joints_) {
      parts.joint_paths.push_back(joint.path);
      parts.rest_translations.push_back(InMetres(joint.offset));
    }
    return skel::RestRig(std::move(parts));
  }

 private:
  skel::Vec3 InMetres(const std::array<double, 3>& at) const {
    return {static_cast<float>(at[0] * unit_m_), static_cast<float>(at[1] * unit_m_),
            static_cast<float>(at[2] * unit_m_)};
  }

  absl::StatusOr<std::array<double, 3>> ReadOffset() {
    std::array<double, 3> offset = {0, 0, 0};
    for (double& v : offset) {
      const absl::StatusOr<double> number = text_.Number("a part of OFFSET");
      if (!number.ok()) return number.status();
      v = *number;
    }
    return offset;
  }

  // Extends the bounding box of the skeleton.
  void Place(const std::array<double, 3>& at) {
    for (size_t i = 0; i < 3; ++i) {
      low_[i] = std::min(low_[i], at[i]);
      high_[i] = std::max(high_[i], at[i]);
    }
  }

  absl::Status BeginJoint() {
    absl::StatusOr<absl::string_view> name = text_.RestOfLine();
    if (!name.ok()) return name.status();
    if (name->empty()) {  // it may be on the next line
      name = text_.Word();
      if (!name.ok()) return name.status();
    }
    if (name->empty() || *name == "{") return text_.Fault("a joint has no name");
    if (!wire::IsUtf8(*name) || wire::HasControlCharacter(*name) ||
        name->size() > kMostBvhNameBytes) {
      return text_.Fault(absl::StrCat("the joint's name ", wire::Quoted(*name),
                                      " must be UTF-8 of at most 1024 bytes, without control "
                                      "characters"));
    }
    if (absl::StrContains(*name, '/')) {
      return text_.Fault(absl::StrCat("the joint's name ", wire::Quoted(*name),
                                      " holds a \"/\", which parts the joints of a path"));
    }
    BvhJoint joint;
    if (!open_.empty()) {
      const BvhJoint& parent = joints_[static_cast<size_t>(open_.back())];
      joint.path = absl::StrCat(parent.path, "/");
      joint.at = parent.at;
    }
    absl::StrAppend(&joint.path, *name);
    path_bytes_ += joint.path.size();
    if (!paths_.insert(joint.path).second) {
      return text_.Fault(
          absl::StrCat("there are two joints ", wire::Quoted(*name), " below the same one"));
    }
    if (joints_.size() == skel::kMostJoints) return text_.Fault("over 1024 joints");
    if (open_.size() == kMostBvhLevels) return text_.Fault("over 256 joints within each other");
    if (path_bytes_ > asset::kMostPathBytes) return text_.Fault("the joints' paths are over 1 MiB");
    if (absl::Status s = text_.Expect("{"); !s.ok()) return s;
    open_.push_back(static_cast<int>(joints_.size()));
    joints_.push_back(std::move(joint));
    return absl::OkStatus();
  }

  // After "End", reads "Site", which some programs follow by a name.
  absl::Status ReadEndSite() {
    if (const auto name = text_.RestOfLine(); !name.ok()) return name.status();
    if (absl::Status s = text_.Expect("{"); !s.ok()) return s;
    BvhJoint site;
    while (true) {
      const absl::StatusOr<absl::string_view> word = text_.Word();
      if (!word.ok()) return word.status();
      if (*word == "}") break;
      if (absl::EqualsIgnoreCase(*word, "OFFSET")) {
        const absl::StatusOr<std::array<double, 3>> offset = ReadOffset();
        if (!offset.ok()) return offset.status();
        site.offset = *offset;
      } else if (absl::EqualsIgnoreCase(*word, "CHANNELS")) {
        if (absl::Status s = ReadChannels(&site); !s.ok()) return s;
        if (!site.channels.empty()) return text_.Fault("an End Site with channels; it has none");
      } else {
        return text_.Fault(absl::StrCat(wire::Quoted(*word),
                                        " stands where the OFFSET or } of an End Site should"));
      }
    }
    std::array<double, 3> at = joints_[static_cast<size_t>(open_.back())].at;
    for (size_t i = 0; i < 3; ++i) at[i] += site.offset[i];
    Place(at);
    return absl::OkStatus();
  }

  absl::Status ReadChannels(BvhJoint* joint) {
    const absl::StatusOr<double> count = text_.Number("the number of CHANNELS");
    if (!count.ok()) return count.status();
    if (*count < 0 || *count > kMostChannels || *count != std::floor(*count)) {
      return text_.Fault(absl::StrCat("CHANNELS ", *count, "; must be 0 to ", kMostChannels));
    }
    joint->channels.clear();
    for (int i = 0; i < static_cast<int>(*count); ++i) {
      const absl::StatusOr<absl::string_view> word = text_.Word();
      if (!word.ok()) return word.status();
      const std::optional<Channel> channel = ChannelOf(*word);
      if (!channel) {
        return text_.Fault(absl::StrCat("channel ", i, " is ", wire::Quoted(*word),
                                        "; must be Xposition, Yposition, Zposition, Xrotation, "
                                        "Yrotation or Zrotation"));
      }
      joint->channels.push_back(*channel);
    }
    return absl::OkStatus();
  }

  absl::Status ReadSkeleton() {
    if (absl::Status s = text_.Expect("HIERARCHY"); !s.ok()) return s;
    while (true) {
      const absl::StatusOr<absl::string_view> word = text_.Word();
      if (!word.ok()) return word.status();
      if (word->empty()) return text_.Torn("the file ends before MOTION");
      BvhJoint* const joint = open_.empty() ? nullptr : &joints_[static_cast<size_t>(open_.back())];
      absl::Status s;
      if (absl::EqualsIgnoreCase(*word, joint == nullptr ? "ROOT" : "JOINT")) {
        s = BeginJoint();
      } else if (joint == nullptr && absl::EqualsIgnoreCase(*word, "MOTION")) {
        break;
      } else if (joint != nullptr && (absl::EqualsIgnoreCase(*word, "End") ||
                                      absl::EqualsIgnoreCase(*word, "EndSite"))) {
        s = ReadEndSite();
      } else if (joint != nullptr && absl::EqualsIgnoreCase(*word, "OFFSET")) {
        s = PlaceJoint(joint);
      } else if (joint != nullptr && absl::EqualsIgnoreCase(*word, "CHANNELS")) {
        s = ReadChannels(joint);
      } else if (joint != nullptr && *word == "}") {
        open_.pop_back();
      } else {
        s = text_.Fault(absl::StrCat(
            wire::Quoted(*word), " stands where ",
            joint == nullptr ? "ROOT or MOTION" : "OFFSET, CHANNELS, JOINT, End Site or }",
            " should"));
      }
      if (!s.ok()) return s;
    }
    paths_.clear();
    for (const BvhJoint& joint : joints_) channels_ += joint.channels.size();
    if (channels_ * kJointsToAChannel < joints_.size() || channels_ == 0) {
      return text_.Fault(absl::StrCat(joints_.size(), " joints have ", channels_,
                                      " channels; there must be one to ", kJointsToAChannel,
                                      " joints at least"));
    }
    double extent = 0;
    for (size_t i = 0; i < 3; ++i) extent = std::max(extent, high_[i] - low_[i]);
    unit_m_ = BvhUnit(extent);
    return absl::OkStatus();
  }

  absl::Status PlaceJoint(BvhJoint* joint) {
    const absl::StatusOr<std::array<double, 3>> offset = ReadOffset();
    if (!offset.ok()) return offset.status();
    joint->offset = *offset;
    // A root's position is not part of the body's size.
    if (open_.size() > 1) {
      const BvhJoint& parent = joints_[static_cast<size_t>(open_[open_.size() - 2])];
      for (size_t i = 0; i < 3; ++i) joint->at[i] = parent.at[i] + (*offset)[i];
    }
    Place(joint->at);
    return absl::OkStatus();
  }

  // Reads "Frames: N" and "Frame Time: S", in any order.
  absl::Status ReadTimes() {
    bool has_frames = false, has_time = false;
    while (!has_frames || !has_time) {
      std::string label;
      const absl::StatusOr<std::string> value = ReadLabel(!has_frames, !has_time, &label);
      if (!value.ok()) return value.status();
      if (label == kFramesLabel) {
        has_frames = true;
        if (!absl::SimpleAtoi(*value, &announced_)) {
          return text_.Fault(
              absl::StrCat("Frames: ", wire::Quoted(*value), "; must be a whole number from 0"));
        }
        continue;
      }
      has_time = true;
      const absl::StatusOr<BvhFrameTime> time = ReadBvhFrameTime(*value, fps_);
      if (!time.ok()) return text_.Fault(time.status().message());
      if (!time->doubt.empty()) Doubt(time->doubt);
      clock_ = time->clock;
    }
    return absl::OkStatus();
  }

  // Reads a label, whose blanks and colon may be missing, and the word after it.
  absl::StatusOr<std::string> ReadLabel(bool frames, bool time, std::string* label) {
    std::string seen;
    while (true) {
      const absl::StatusOr<absl::string_view> word = text_.Word();
      if (!word.ok()) return word.status();
      const char* const wanted = frames ? "Frames:" : "Frame Time:";
      if (word->empty()) return text_.Torn(absl::StrCat("the file ends before ", wanted));
      absl::StrAppend(&seen, absl::AsciiStrToLower(*word));
      bool begins = false;
      for (const absl::string_view one : {kFramesLabel, kTimeLabel}) {
        if (one == kFramesLabel ? !frames : !time) continue;
        begins = begins || absl::StartsWith(one, seen);
        absl::string_view rest = seen;
        if (!absl::ConsumePrefix(&rest, one)) continue;
        begins = true;
        absl::ConsumePrefix(&rest, ":");
        *label = std::string(one);
        if (!rest.empty()) return std::string(rest);
      }
      if (!begins) {
        return text_.Fault(absl::StrCat(wire::Quoted(*word), " stands where ", wanted, " should"));
      }
    }
  }

  // Returns false at the end of the file.
  absl::StatusOr<bool> ReadFrame(wire::DataChunk& keys) {
    wire::KeyBlock& translations = keys.pose[wire::kTranslations];
    wire::KeyBlock& rotations = keys.pose[wire::kRotations];
    translations.time_codes_s.push_back(clock_.Seconds(frame_));
    rotations.time_codes_s.push_back(clock_.Seconds(frame_));
    size_t read = 0;
    size_t in_first_line = 0;
    for (const BvhJoint& joint : joints_) {
      std::array<double, 3> at = joint.offset;
      DoubleQuat turn;
      for (const Channel& channel : joint.channels) {
        const absl::StatusOr<absl::string_view> word = text_.Word();
        if (!word.ok()) return word.status();
        if (word->empty()) return EndWithin(read);
        const absl::StatusOr<double> value = text_.NumberIn(*word, "a channel");
        if (!value.ok()) return value.status();
        if (read++ == 0) place_ = text_.line();
        if (text_.line() == place_) in_first_line = read;
        if (channel.position) {
          at[static_cast<size_t>(channel.axis)] = *value;
        } else {
          turn = Mul(turn, About(channel.axis, *value));
        }
      }
      asset::Put(InMetres(at), translations);
      asset::Put(Single(turn), rotations);
    }
    if (absl::Status s = CheckLines(in_first_line); !s.ok()) return s;
    ++frame_;
    return true;
  }

  // Checks a file that ends after `read` numbers of a frame.
  absl::StatusOr<bool> EndWithin(size_t read) {
    if (read == 0) return false;
    if (frame_ < announced_) {
      return text_.Torn(absl::StrCat("the file ends within frame ", frame_, " of ", announced_,
                                     ", which has ", channels_, " numbers"));
    }
    Doubt(absl::StrCat("line ", place_, ": ", read,
                       " numbers after the last frame are no frame of ", channels_,
                       ", and are left out"));
    return false;
  }

  // One number too few or too many would shift all numbers after it. So each frame must begin on a
  // new line, unless all frames are on one line. If the first frame is on one line, each of them
  // must be.
  absl::Status CheckLines(size_t in_first_line) {
    const bool new_line = frame_ == 0 || place_ != last_line_;
    const bool one_line = text_.line() == place_;
    if (frame_ == 0) {
      first_place_ = place_;
      first_in_line_ = in_first_line;
      frames_on_lines_ = one_line;
    }
    const auto fault = [&](int64_t line, const auto&... what) {
      return absl::InvalidArgumentError(absl::StrCat(text_.name(), ": line ", line, ": ", what...,
                                                     " the skeleton has ", channels_,
                                                     " channels, and each line must have as many"));
    };
    if (!new_line && place_ != first_place_) {
      return frames_on_lines_ ? fault(place_, "there are more numbers than channels;")
                              : fault(first_place_, first_in_line_, " numbers;");
    }
    if (frames_on_lines_ && !one_line) {
      return new_line ? fault(place_, in_first_line, " numbers;")
                      : fault(place_, "there are more numbers than channels;");
    }
    last_line_ = text_.line();
    return absl::OkStatus();
  }

  void CompareCounts() {
    if (frame_ == announced_) return;
    Doubt(absl::StrCat("Frames: says ", announced_, ", but the file has ", frame_,
                       frame_ > announced_ ? "; all of them are played" : "; those are played"));
  }

  asset::TextScanner text_;
  std::vector<BvhJoint> joints_;
  std::vector<int> open_;  // the joints whose blocks are open, the root first
  absl::flat_hash_set<std::string> paths_;
  size_t path_bytes_ = 0;
  size_t channels_ = 0;
  std::array<double, 3> low_ = {0, 0, 0}, high_ = {0, 0, 0};
  double unit_m_ = 1;
  const std::optional<timecode::FrameRate> fps_;
  int64_t announced_ = 0;  // frames; the number of frames in the file takes precedence
  int64_t frame_ = 0;
  asset::FrameClock clock_{1, 0};
  int64_t place_ = 1;  // the line where the current frame begins
  // The line of the previous frame. Of the first frame: its line, how many of its numbers are on
  // that line, and whether all are.
  int64_t last_line_ = 0, first_place_ = 0;
  size_t first_in_line_ = 0;
  bool frames_on_lines_ = false;
};

}  // namespace

double BvhUnit(double extent) {
  constexpr double kCentimetre = 0.01, kMillimetre = 0.001;
  constexpr double kCmu = 0.0254 / 0.45;
  if (extent == 0) return kCentimetre;  // an object, of which only the motion is known
  return extent <= 5 ? 1 : extent <= 50 ? kCmu : extent <= 1000 ? kCentimetre : kMillimetre;
}

std::unique_ptr<asset::MotionReader> OpenBvh(std::unique_ptr<files::ByteSource> source,
                                             const asset::ReadOptions& options) {
  return std::make_unique<BvhReader>(std::move(source), options.fps);
}

}  // namespace posewire::bvh
