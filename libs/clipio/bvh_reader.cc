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
#include "libs/clipio/bvh.h"
#include "libs/clipio/bvh_limits.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/clipio/text_scanner.h"
#include "libs/wire/text_check.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::clipio {
namespace {

constexpr size_t kMostChannels = 9;  // of a joint
constexpr size_t kJointsToAChannel = 8;
// Fewer decimals say too little of the rate that is meant.
constexpr size_t kLeastDecimals = 5;

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

class BvhReader : public ClipReader {
 public:
  explicit BvhReader(std::unique_ptr<ByteSource> source) : text_(std::move(source)) {}

  std::string place_of_last() const override { return absl::StrCat("line ", place_); }
  int64_t size() const override { return text_.size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override {
    skel::RigParts parts;
    for (const BvhJoint& joint : joints_) {
      const auto part = [&](size_t axis) {
        return static_cast<float>(joint.offset[axis] * unit_m_);
      };
      parts.joint_paths.push_back(joint.path);
      parts.rest_translations.push_back({part(0), part(1), part(2)});
    }
    return RestRig(std::move(parts));
  }

 private:
  enum class Next { kHeader, kFrame, kStatus, kEnd };

  absl::StatusOr<std::optional<Message>> DoNext() override {
    absl::StatusOr<std::optional<Message>> message = Make();
    end_of_last_ = text_.offset();
    return message;
  }

  absl::StatusOr<std::optional<Message>> Make() {
    if (next_ == Next::kHeader) {
      if (absl::Status s = ReadSkeleton(); !s.ok()) return s;
      if (absl::Status s = ReadTimes(); !s.ok()) return s;
      next_ = frames_ > 0 ? Next::kFrame : Next::kStatus;
      Message message;
      auto& header = *message.mutable_animation_data_stream_header();
      for (const BvhJoint& joint : joints_) {
        header.mutable_skel_animation_header()->add_joints(joint.path);
      }
      return message;
    }
    if (next_ == Next::kFrame) return ReadFrame();
    if (next_ == Next::kEnd) return std::nullopt;
    next_ = Next::kEnd;
    const absl::StatusOr<absl::string_view> more = text_.Word();
    if (!more.ok()) return more.status();
    if (!more->empty()) {
      return text_.Fault(absl::StrCat(wire::Quoted(*more), " stands behind the last of ", frames_,
                                      " frames of ", channels_, " numbers"));
    }
    Message message;
    message.mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
    return message;
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

  // What the box around the skeleton is told by.
  void Place(const std::array<double, 3>& at) {
    for (size_t i = 0; i < 3; ++i) {
      low_[i] = std::min(low_[i], at[i]);
      high_[i] = std::max(high_[i], at[i]);
    }
  }

  absl::Status BeginJoint() {
    absl::StatusOr<absl::string_view> name = text_.RestOfLine();
    if (!name.ok()) return name.status();
    const bool brace = absl::ConsumeSuffix(&*name, "{");
    *name = absl::StripTrailingAsciiWhitespace(*name);
    if (name->empty()) return text_.Fault("a joint has no name");
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
    if (joints_.size() == kMostBvhJoints) return text_.Fault("over 1024 joints");
    if (open_.size() == kMostBvhLevels) return text_.Fault("over 256 joints within each other");
    if (path_bytes_ > kMostBvhPathBytes) return text_.Fault("the joints' paths are over 1 MiB");
    if (!brace) {
      if (absl::Status s = text_.Expect("{"); !s.ok()) return s;
    }
    open_.push_back(static_cast<int>(joints_.size()));
    joints_.push_back(std::move(joint));
    return absl::OkStatus();
  }

  absl::Status ReadEndSite() {
    for (const char* word : {"Site", "{", "OFFSET"}) {
      if (absl::Status s = text_.Expect(word); !s.ok()) return s;
    }
    const absl::StatusOr<std::array<double, 3>> offset = ReadOffset();
    if (!offset.ok()) return offset.status();
    std::array<double, 3> at = joints_[static_cast<size_t>(open_.back())].at;
    for (size_t i = 0; i < 3; ++i) at[i] += (*offset)[i];
    Place(at);
    return text_.Expect("}");
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
      } else if (joint != nullptr && absl::EqualsIgnoreCase(*word, "End")) {
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
    // A root's place is no part of the body's size.
    if (open_.size() > 1) {
      const BvhJoint& parent = joints_[static_cast<size_t>(open_[open_.size() - 2])];
      for (size_t i = 0; i < 3; ++i) joint->at[i] = parent.at[i] + (*offset)[i];
    }
    Place(joint->at);
    return absl::OkStatus();
  }

  absl::Status ReadTimes() {
    if (absl::Status s = text_.Expect("Frames:"); !s.ok()) return s;
    const absl::StatusOr<absl::string_view> frames = text_.Word();
    if (!frames.ok()) return frames.status();
    if (!absl::SimpleAtoi(*frames, &frames_) || frames_ < 0) {
      return text_.Fault(
          absl::StrCat("Frames: ", wire::Quoted(*frames), "; must be a whole number from 0"));
    }
    for (const char* word : {"Frame", "Time:"}) {
      if (absl::Status s = text_.Expect(word); !s.ok()) return s;
    }
    const absl::StatusOr<absl::string_view> word = text_.Word();
    if (!word.ok()) return word.status();
    double frame_s = 0;
    if (!absl::SimpleAtod(*word, &frame_s) || !(frame_s > 0) || frame_s > kLongestBvhFrame_s) {
      return text_.Fault(absl::StrCat("Frame Time: ", wire::Quoted(*word),
                                      "; must be seconds, over 0 and at most 300"));
    }
    // What is written as 0.0333333 means a thirtieth: the last digit may be off by one.
    const size_t point = word->find('.');
    const size_t decimals = point == absl::string_view::npos ? 0 : word->size() - point - 1;
    const bool plain = word->find_first_not_of("0123456789.") == absl::string_view::npos;
    clock_ = FrameClock(frame_s, plain && decimals >= kLeastDecimals
                                     ? std::pow(10.0, -static_cast<double>(decimals))
                                     : 0);
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<Message>> ReadFrame() {
    Message message;
    auto& data = *message.mutable_animation_data()->mutable_skel_animation();
    auto& translations = *data.add_translations();
    auto& rotations = *data.add_rotations();
    translations.set_time_code(clock_.Seconds(frame_));
    rotations.set_time_code(clock_.Seconds(frame_));
    bool first = true;
    for (const BvhJoint& joint : joints_) {
      std::array<double, 3> at = joint.offset;
      DoubleQuat turn;
      for (const Channel& channel : joint.channels) {
        const absl::StatusOr<double> value = text_.Number("a channel");
        if (!value.ok()) {
          if (!absl::IsDataLoss(value.status())) return value.status();
          return text_.Torn(absl::StrCat("the file ends within frame ", frame_, " of ", frames_,
                                         ", which has ", channels_, " numbers"));
        }
        if (std::exchange(first, false)) place_ = text_.line();
        if (channel.position) {
          at[static_cast<size_t>(channel.axis)] = *value;
        } else {
          turn = Mul(turn, About(channel.axis, *value));
        }
      }
      auto& t = *translations.add_values();
      t.set_x(static_cast<float>(at[0] * unit_m_));
      t.set_y(static_cast<float>(at[1] * unit_m_));
      t.set_z(static_cast<float>(at[2] * unit_m_));
      auto& q = *rotations.add_values();
      q.set_real(static_cast<float>(turn.w));
      q.set_i(static_cast<float>(turn.x));
      q.set_j(static_cast<float>(turn.y));
      q.set_k(static_cast<float>(turn.z));
    }
    if (++frame_ == frames_) next_ = Next::kStatus;
    return message;
  }

  TextScanner text_;
  Next next_ = Next::kHeader;
  std::vector<BvhJoint> joints_;
  std::vector<int> open_;  // the joints that are read, the root first
  absl::flat_hash_set<std::string> paths_;
  size_t path_bytes_ = 0;
  size_t channels_ = 0;
  std::array<double, 3> low_ = {0, 0, 0}, high_ = {0, 0, 0};
  double unit_m_ = 1;
  int64_t frames_ = 0, frame_ = 0;
  FrameClock clock_{1, 0};
  int64_t place_ = 1;
};

}  // namespace

double BvhUnit(double extent) {
  constexpr double kCentimetre = 0.01, kMillimetre = 0.001;
  constexpr double kCmu = 0.0254 / 0.45;
  if (extent == 0) return kCentimetre;  // a thing, of which only its way is known
  return extent <= 5 ? 1 : extent <= 50 ? kCmu : extent <= 1000 ? kCentimetre : kMillimetre;
}

std::unique_ptr<ClipReader> OpenBvh(std::unique_ptr<ByteSource> source, const ReadOptions&) {
  return std::make_unique<BvhReader>(std::move(source));
}

}  // namespace posewire::clipio
