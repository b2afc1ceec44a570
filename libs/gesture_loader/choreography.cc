#include "libs/gesture_loader/choreography.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/files/read.h"
#include "libs/gesture/cycle.h"
#include "libs/gesture/script.h"
#include "libs/gesture_loader/check.h"
#include "libs/prototext/read_text.h"

namespace posewire::gesture {
namespace {

namespace v1 = choreography::v1;
using skel::Vec3;

constexpr size_t kMostBytes = 1 << 20;
constexpr float kOvershoot = 0.06f, kStayOvershoot = 0.03f;

template <typename Numbers>
Vec3 Vector(const Numbers& numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

std::vector<Side> SidesOf(v1::Side side) {
  if (side == v1::LEFT) return {Side::kLeft};
  if (side == v1::RIGHT) return {Side::kRight};
  return {Side::kLeft, Side::kRight};
}

// The enums of the file have the order of those in libs/gesture.
HandShape HandOf(v1::HandShape hand) { return static_cast<HandShape>(hand); }
ArmControl ControlOf(v1::ArmJoint joint) { return static_cast<ArmControl>(joint); }

std::vector<Run> RunsOf(v1::Turn::Part part) {
  switch (part) {
    case v1::Turn::TRUNK:
      return {Run::kThorax, Run::kLumbar};
    case v1::Turn::THORAX:
      return {Run::kThorax};
    case v1::Turn::LUMBAR:
      return {Run::kLumbar};
    case v1::Turn::NECK:
      return {Run::kNeck};
    case v1::Turn::HEAD:
      return {Run::kHead};
    case v1::Turn::PELVIS:
      return {Run::kPelvis};
    case v1::Turn::PELVIS_SHIFT:
      return {Run::kPelvisShift};
    default:
      return {Run::kNeck, Run::kHead};
  }
}

Reach ReachOf(const v1::Gesture& gesture, const std::string& name) {
  Reach reach;
  for (const v1::Place& place : gesture.places()) {
    if (place.name() != name) continue;
    reach.wrist = Vector(place.wrist());
    reach.fingers = Vector(place.fingers());
    reach.palm = Vector(place.palm());
    if (place.elbow_size() > 0) reach.elbow = Vector(place.elbow());
    reach.clavicle_up = place.shoulder_up();
    reach.clavicle_front = place.shoulder_front();
  }
  return reach;
}

ArmAngles Bent(ArmAngles angles, const v1::Arm& arm) {
  for (const v1::Bend& bend : arm.bends()) {
    angles[static_cast<size_t>(bend.joint())] = bend.degrees() * skel::kDeg;
  }
  return angles;
}

// "mouthSmile*" means both sides.
std::vector<std::string> ShapesOf(const v1::Shape& shape) {
  std::vector<std::string> names;
  for (absl::string_view name : shape.names()) {
    if (!absl::ConsumeSuffix(&name, "*")) {
      names.emplace_back(name);
      continue;
    }
    for (const char* side : {"Left", "Right"}) names.push_back(absl::StrCat(name, side));
  }
  return names;
}

// Writes a gesture that plays once.
class ScriptWriter {
 public:
  ScriptWriter(const v1::Gesture& gesture, Script& script) : gesture_(gesture), script_(script) {}

  void Write() {
    for (const v1::Move& move : gesture_.moves()) Write(move);
  }

 private:
  void Write(const v1::Move& move) {
    const double from = move.at_s(0), to = move.at_s_size() > 1 ? move.at_s(1) : from;
    switch (move.what_case()) {
      case v1::Move::kArm:
        for (const Side side : SidesOf(move.arm().side())) Arm(side, from, to, move.arm());
        break;
      case v1::Move::kHome:
        for (const Side side : SidesOf(move.home().side())) script_.ArmHome(side, from, to);
        break;
      case v1::Move::kHand:
        for (const Side side : SidesOf(move.hand().side())) {
          script_.Hand(side, from, to, HandOf(move.hand().shape()));
        }
        break;
      case v1::Move::kKeys:
        for (const Side side : SidesOf(move.keys().side())) {
          for (int i = 0; i < move.at_s_size(); ++i) {
            script_.ArmAngle(side, ControlOf(move.keys().joint()), move.at_s(i),
                             move.keys().degrees(i) * skel::kDeg);
          }
        }
        break;
      case v1::Move::kTurn:
        Turn(move);
        break;
      case v1::Move::kShape:
        for (const std::string& name : ShapesOf(move.shape())) {
          script_.Shape(name, from, to, move.shape().weight());
          if (move.at_s_size() == 4) script_.Shape(name, move.at_s(2), move.at_s(3), 0);
        }
        break;
      default:
        break;  // already checked
    }
  }

  void Arm(Side side, double from, double to, const v1::Arm& arm) {
    const float vigour = arm.has_vigour() ? arm.vigour() : 1;
    if (arm.place().empty()) {
      script_.Arm(side, from, to, Bent(script_.ArmNow(side), arm), vigour);
    } else {
      script_.Arm(side, from, to, ReachOf(gesture_, arm.place()), HandOf(arm.hand()), vigour);
    }
  }

  void Turn(const v1::Move& move) {
    const v1::Turn& turn = move.turn();
    const bool comes_and_goes = move.at_s_size() == 4;
    const float overshoot = turn.has_overshoot() ? turn.overshoot()
                            : comes_and_goes     ? kStayOvershoot
                                                 : kOvershoot;
    const std::vector<Run> runs = RunsOf(turn.part());
    const Vec3 share = Vector(turn.to()) * (1.0f / static_cast<float>(runs.size()));
    for (const Run run : runs) {
      script_.Turn(run, move.at_s(0), move.at_s(1), share, overshoot);
      if (comes_and_goes) script_.Turn(run, move.at_s(2), move.at_s(3), {0, 0, 0}, overshoot);
    }
  }

  const v1::Gesture& gesture_;
  Script& script_;
};

// Writes a looping motion.
class CycleWriter {
 public:
  CycleWriter(const v1::Gesture& gesture, Cycle& cycle) : gesture_(gesture), cycle_(cycle) {}

  void Write() {
    for (const v1::Move& move : gesture_.moves()) Write(move);
  }

 private:
  static Visit VisitOf(const v1::Move& move) {
    return {move.at_s(0), move.at_s(1), move.at_s(2), move.at_s(3)};
  }

  void Write(const v1::Move& move) {
    const int times = static_cast<int>(move.swing().times());
    const double phase = move.swing().phase();
    switch (move.what_case()) {
      case v1::Move::kArm:
        for (const Side side : SidesOf(move.arm().side())) Arm(side, move);
        break;
      case v1::Move::kKeys:
        for (const Side side : SidesOf(move.keys().side())) {
          cycle_.SwingArm(side, ControlOf(move.keys().joint()), move.keys().degrees(0), times,
                          phase);
        }
        break;
      case v1::Move::kTurn: {
        const std::vector<Run> runs = RunsOf(move.turn().part());
        const Vec3 share = Vector(move.turn().to()) * (1.0f / static_cast<float>(runs.size()));
        for (const Run run : runs) {
          if (move.has_swing()) {
            cycle_.Swing(run, share, times, phase);
          } else if (move.at_s_size() == 4) {
            cycle_.Go(run, share, VisitOf(move));
          } else {
            cycle_.Hold(run, share);
          }
        }
        break;
      }
      case v1::Move::kShape:
        for (const std::string& name : ShapesOf(move.shape())) {
          const float weight = move.shape().weight();
          if (move.has_swing()) {
            cycle_.SwingShape(name, weight, times, phase);
          } else if (move.at_s_size() == 4) {
            cycle_.GoShape(name, weight, VisitOf(move));
          } else {
            cycle_.HoldShape(name, weight);
          }
        }
        break;
      case v1::Move::kBreath:
        Breathe(cycle_, static_cast<int>(move.breath().times()), move.breath().depth());
        break;
      case v1::Move::kLife:
        Live(cycle_, move.life().amount());
        break;
      default:
        break;  // already checked
    }
  }

  void Arm(Side side, const v1::Move& move) {
    const v1::Arm& arm = move.arm();
    const bool goes = move.at_s_size() == 4;
    if (arm.place().empty()) {
      const ArmAngles angles = Bent(cycle_.HeldArm(side), arm);
      if (goes) {
        cycle_.GoArm(side, angles, VisitOf(move));
      } else {
        cycle_.HoldArm(side, angles);
      }
      return;
    }
    const Reach reach = ReachOf(gesture_, arm.place());
    if (goes) {
      cycle_.GoArm(side, reach, HandOf(arm.hand()), VisitOf(move));
    } else {
      cycle_.HoldArm(side, reach, HandOf(arm.hand()));
    }
  }

  const v1::Gesture& gesture_;
  Cycle& cycle_;
};

}  // namespace

absl::StatusOr<v1::Choreography> ParseChoreography(absl::string_view text,
                                                   const std::string& file) {
  if (text.size() > kMostBytes) {
    return absl::InvalidArgumentError(absl::StrCat(file, file.empty() ? "" : ": ", "more than ",
                                                   kMostBytes,
                                                   " bytes, which is the most for gestures"));
  }
  v1::Choreography out;
  google::protobuf::TextFormat::ParseInfoTree tree;
  if (absl::Status s = prototext::ReadText(text, file, &out, &tree); !s.ok()) return s;
  if (absl::Status s = Check(out, file, tree); !s.ok()) return s;
  return out;
}

std::shared_ptr<const clip::Clip> MakeClip(const v1::Gesture& gesture, const Body& body,
                                           const std::shared_ptr<const skel::Rig>& rig) {
  const bool layer = gesture.kind() == v1::Gesture::LAYER;
  if (layer || gesture.kind() == v1::Gesture::POSTURE) {
    Cycle cycle(body, rig, layer ? CycleBase::kDifference : CycleBase::kStance);
    CycleWriter(gesture, cycle).Write();
    return cycle.Render(gesture.name(), gesture.length_s());
  }
  Script script(body, rig);
  ScriptWriter(gesture, script).Write();
  return script.Render(gesture.name(), gesture.length_s(),
                       gesture.kind() == v1::Gesture::FACIAL ? clip::ClipKind::kFacialGesture
                                                             : clip::ClipKind::kGesture);
}

absl::StatusOr<std::vector<std::shared_ptr<const clip::Clip>>> ReadGestures(
    const std::string& path, const std::shared_ptr<const skel::Rig>& rig) {
  const auto text = files::ReadWhole(path, kMostBytes);
  if (!text.ok()) return text.status();
  const auto file = ParseChoreography(*text, path);
  if (!file.ok()) return file.status();
  const auto body = Body::Make(*rig);
  if (!body.ok()) return body.status();
  std::vector<std::shared_ptr<const clip::Clip>> clips;
  for (const v1::Gesture& gesture : file->gestures()) {
    clips.push_back(MakeClip(gesture, *body, rig));
  }
  return clips;
}

}  // namespace posewire::gesture
