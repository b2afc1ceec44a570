#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "libs/formats/a2f_json/a2f_json.h"
#include "libs/formats/a2f_json/document.h"
#include "libs/skel/path_index.h"
#include "libs/skel/rig_limits.h"

namespace posewire::a2f_json {
namespace {

using A2fWriter = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr const char* kNothing =
    "the clip has neither weights of face shapes nor turns of the joints jaw, eye_L and eye_R";
constexpr absl::string_view kFaceJoints[] = {"jaw", "eye_L", "eye_R"};
// A stream treats keys that are closer to each other as one.
constexpr double kShortestFrame_s = 1e-5;

struct FaceJoint {
  absl::string_view name;
  size_t place = 0;  // in the header
};

std::vector<FaceJoint> FaceJointsOf(const wire::StreamHeader& header) {
  std::vector<FaceJoint> out;
  for (const absl::string_view name : kFaceJoints) {
    const auto found =
        std::find_if(header.joints.begin(), header.joints.end(), [&](const std::string& joint) {
          return absl::EqualsIgnoreCase(skel::LastPathElement(joint), name);
        });
    if (found == header.joints.end()) continue;
    out.push_back({name, static_cast<size_t>(found - header.joints.begin())});
  }
  return out;
}

void PutText(absl::string_view text, A2fWriter& json) {
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void PutNumber(double number, int digits, A2fWriter& json) {
  const std::string text = absl::StrFormat("%.*g", digits, number);
  json.RawValue(text.data(), text.size(), rapidjson::kNumberType);
}

class A2fJsonWriter {
 public:
  A2fJsonWriter(const asset::Motion& motion, asset::PutBytes put)
      : motion_(motion),
        put_(put),
        joints_(FaceJointsOf(*motion.header)),
        weights_(motion.tracks[wire::kWeights]),
        turns_(motion.tracks[wire::kRotations]) {
    if (!weights_.empty()) shapes_ = motion.header->shapes.size();
    if (turns_.empty()) joints_.clear();
  }

  absl::Status Write() {
    if (shapes_ == 0 && joints_.empty()) return absl::InvalidArgumentError(kNothing);
    size_t name_bytes = 0;
    for (size_t i = 0; i < shapes_; ++i) name_bytes += motion_.header->shapes[i].size();
    if (shapes_ > skel::kMostShapes || name_bytes > asset::kMostPathBytes / 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("the clip has ", shapes_, " shapes, with names of ", name_bytes,
                       " bytes; written are at most ", skel::kMostShapes, ", with 512 KiB"));
    }
    if (shapes_ > 0) {
      absl::Status s = CheckA2fNames("shapes", motion_.header->shapes, true);
      if (!s.ok()) return s;
    }
    const std::vector<double>& weights_s = motion_.time_codes_s[wire::kWeights];
    const std::vector<double>& turns_s = motion_.time_codes_s[wire::kRotations];
    const bool by_turns = shapes_ == 0 || (!joints_.empty() && turns_s.size() > weights_s.size());
    const asset::EvenKeys keys = asset::EvenKeysOf(by_turns ? turns_s : weights_s);
    clock_ = keys.clock;
    first_s_ = keys.first_s;
    frames_ = keys.frames;
    if (clock_.frame_s() < kShortestFrame_s) {
      frames_ = static_cast<int64_t>(clock_.Seconds(frames_ - 1) / kShortestFrame_s) + 1;
      clock_ = asset::FrameClock(kShortestFrame_s, 0);
    }
    const size_t numbers = shapes_ + 7 * joints_.size();
    if (static_cast<uint64_t>(frames_) > kMostA2fNumbers / numbers) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "the clip would have ", frames_, " frames of ", numbers, " numbers; at most ",
          kMostA2fNumbers, " numbers are written, so cut it into parts"));
    }
    json_.StartObject();
    WriteNames();
    if (absl::Status s = WriteWeights(); !s.ok()) return s;
    if (absl::Status s = WriteTurns(); !s.ok()) return s;
    json_.EndObject();
    return Flush(0);
  }

 private:
  void WriteNames() {
    json_.Key("exportFps");
    PutNumber(1 / clock_.frame_s(), 17, json_);
    json_.Key("trackPath");
    PutText(motion_.voice ? motion_.voice->name : "", json_);
    json_.Key("numPoses");
    json_.Uint64(shapes_);
    json_.Key("numFrames");
    json_.Int64(frames_);
    json_.Key("facsNames");
    json_.StartArray();
    for (size_t i = 0; i < shapes_; ++i) PutText(motion_.header->shapes[i], json_);
    json_.EndArray();
  }

  double CodeOf(int64_t frame) const { return first_s_ + clock_.Seconds(frame); }

  absl::Status WriteWeights() {
    std::vector<float> between(static_cast<size_t>(weights_.width()));
    json_.Key("weightMat");
    json_.StartArray();
    for (int64_t k = 0; shapes_ > 0 && k < frames_; ++k) {
      json_.StartArray();
      for (const float weight : weights_.Sample(CodeOf(k), absl::MakeSpan(between))) {
        PutNumber(weight, 9, json_);
      }
      json_.EndArray();
      if (absl::Status s = Flush(asset::kPutBytes); !s.ok()) return s;
    }
    json_.EndArray();
    return absl::OkStatus();
  }

  absl::Status WriteTurns() {
    json_.Key("joints");
    json_.StartArray();
    for (const FaceJoint& joint : joints_) PutText(joint.name, json_);
    json_.EndArray();
    std::vector<float> between(static_cast<size_t>(turns_.width()));
    json_.Key("rotations");
    json_.StartArray();
    for (int64_t k = 0; !joints_.empty() && k < frames_; ++k) {
      json_.StartArray();
      const absl::Span<const float> pose = turns_.Sample(CodeOf(k), absl::MakeSpan(between));
      for (const FaceJoint& joint : joints_) {
        json_.StartArray();
        for (const float part : pose.subspan(4 * joint.place, 4)) PutNumber(part, 9, json_);
        json_.EndArray();
      }
      json_.EndArray();
      if (absl::Status s = Flush(asset::kPutBytes); !s.ok()) return s;
    }
    json_.EndArray();
    json_.Key("translations");
    json_.StartArray();
    for (int64_t k = 0; !joints_.empty() && k < frames_; ++k) {
      json_.StartArray();
      for (size_t j = 0; j < joints_.size(); ++j) {
        json_.StartArray();
        for (int i = 0; i < 3; ++i) json_.Int(0);
        json_.EndArray();
      }
      json_.EndArray();
      if (absl::Status s = Flush(asset::kPutBytes); !s.ok()) return s;
    }
    json_.EndArray();
    return absl::OkStatus();
  }

  absl::Status Flush(size_t least) {
    if (buffer_.GetSize() < least) return absl::OkStatus();
    const absl::Status s = put_({buffer_.GetString(), buffer_.GetSize()});
    buffer_.Clear();
    return s;
  }

  const asset::Motion& motion_;
  const asset::PutBytes put_;
  std::vector<FaceJoint> joints_;
  const skel::KeyTrack& weights_;
  const skel::KeyTrack& turns_;
  size_t shapes_ = 0;
  asset::FrameClock clock_{1, 0};
  double first_s_ = 0;
  int64_t frames_ = 0;
  rapidjson::StringBuffer buffer_;
  A2fWriter json_{buffer_};
};

}  // namespace

absl::Status WriteA2fJson(const asset::Motion& motion, asset::PutBytes put) {
  if (!motion.header) return absl::InvalidArgumentError(kNothing);
  return A2fJsonWriter(motion, put).Write();
}

}  // namespace posewire::a2f_json
