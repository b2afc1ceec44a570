#include "services/a2f_source/core/emotion_face.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/speech/face_track.h"

namespace posewire::a2f_source {
namespace {

struct EmotionMove {
  Emotion emotion;
  const char* shape;  // a name without a side means both sides
  float weight;
};

constexpr EmotionMove kEmotionMoves[] = {
    {kAmazement, "BrowInnerUp", 0.8f},
    {kAmazement, "BrowOuterUp", 0.7f},
    {kAmazement, "EyeWide", 0.7f},
    {kAnger, "BrowDown", 0.9f},
    {kAnger, "EyeSquint", 0.4f},
    {kAnger, "NoseSneer", 0.4f},
    {kAnger, "MouthFrown", 0.2f},
    {kCheekiness, "MouthSmileLeft", 0.5f},
    {kCheekiness, "MouthSmileRight", 0.2f},
    {kCheekiness, "CheekSquintLeft", 0.4f},
    {kCheekiness, "BrowOuterUpLeft", 0.5f},
    {kCheekiness, "EyeSquint", 0.2f},
    {kDisgust, "NoseSneer", 0.8f},
    {kDisgust, "BrowDown", 0.4f},
    {kDisgust, "EyeSquint", 0.4f},
    {kDisgust, "CheekSquint", 0.3f},
    {kDisgust, "MouthFrown", 0.3f},
    {kFear, "BrowInnerUp", 0.8f},
    {kFear, "BrowOuterUp", 0.4f},
    {kFear, "BrowDown", 0.3f},
    {kFear, "EyeWide", 0.7f},
    {kFear, "MouthStretch", 0.3f},
    {kGrief, "BrowInnerUp", 1.0f},
    {kGrief, "BrowDown", 0.3f},
    {kGrief, "EyeSquint", 0.4f},
    {kGrief, "MouthFrown", 0.7f},
    {kGrief, "MouthShrugLower", 0.3f},
    {kJoy, "MouthSmile", 0.6f},
    {kJoy, "CheekSquint", 0.6f},
    {kJoy, "EyeSquint", 0.3f},
    {kOutOfBreath, "BrowInnerUp", 0.4f},
    {kOutOfBreath, "EyeSquint", 0.2f},
    {kOutOfBreath, "NoseSneer", 0.2f},
    {kOutOfBreath, "MouthStretch", 0.2f},
    {kPain, "BrowDown", 0.7f},
    {kPain, "EyeSquint", 0.7f},
    {kPain, "CheekSquint", 0.6f},
    {kPain, "NoseSneer", 0.5f},
    {kPain, "MouthStretch", 0.3f},
    {kSadness, "BrowInnerUp", 0.8f},
    {kSadness, "EyeSquint", 0.1f},
    {kSadness, "MouthFrown", 0.5f},
    {kSadness, "MouthShrugLower", 0.2f},
};

struct Placed {
  Emotion emotion;
  size_t shape;
  float weight;
  bool upper;
};

std::vector<Placed> Place() {
  std::vector<Placed> placed;
  for (const EmotionMove& move : kEmotionMoves) {
    const bool upper =
        !absl::StartsWith(move.shape, "Mouth") && !absl::StartsWith(move.shape, "Nose");
    for (const char* side : {"", "Left", "Right"}) {
      const size_t at = AceShapeAt(absl::StrCat(move.shape, side));
      if (at < kAceShapes) placed.push_back({move.emotion, at, move.weight, upper});
    }
  }
  return placed;
}

// Returns the indices of FaceShapeNames() among ACE's shapes.
const std::vector<size_t>& OwnShapes() {
  static const std::vector<size_t> shapes = [] {
    std::vector<size_t> places;
    for (const absl::string_view name : speech::FaceShapeNames())
      places.push_back(AceShapeAt(name));
    return places;
  }();
  return shapes;
}

// Returns ARKit's other shapes.
const std::vector<size_t>& OtherShapes() {
  static const std::vector<size_t> shapes = [] {
    constexpr size_t kArkitShapes = 52;
    std::vector<size_t> places;
    for (size_t i = 0; i < kArkitShapes; ++i) {
      const auto& own = OwnShapes();
      if (std::find(own.begin(), own.end(), i) == own.end()) places.push_back(i);
    }
    return places;
  }();
  return shapes;
}

}  // namespace

void AddEmotions(const Emotions& emotions, float lower, float upper, AceWeights& face) {
  static const std::vector<Placed> moves = Place();
  for (const Placed& move : moves) {
    face[move.shape] += emotions[move.emotion] * move.weight * (move.upper ? upper : lower);
  }
}

std::vector<std::string> EmotionalShapeNames() {
  std::vector<std::string> names;
  for (const absl::string_view name : speech::FaceShapeNames()) names.emplace_back(name);
  for (const size_t shape : OtherShapes()) {
    const std::string& name = AceShapeNames()[shape];
    names.push_back(absl::AsciiStrToLower(name.substr(0, 1)) + name.substr(1));
  }
  return names;
}

std::vector<float> WithEmotions(absl::Span<const float> face, const Emotions& emotions) {
  AceWeights all{};
  for (size_t i = 0; i < face.size(); ++i) all[OwnShapes()[i]] = face[i];
  AddEmotions(emotions, 1, 1, all);
  std::vector<float> weights;
  weights.reserve(face.size() + OtherShapes().size());
  for (const auto* shapes : {&OwnShapes(), &OtherShapes()}) {
    for (const size_t shape : *shapes) weights.push_back(std::min(1.0F, all[shape]));
  }
  return weights;
}

}  // namespace posewire::a2f_source
