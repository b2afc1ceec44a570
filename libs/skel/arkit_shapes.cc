#include "libs/skel/arkit_shapes.h"

#include "libs/skel/arkit_mouth.h"

namespace posewire::skel {
namespace {

constexpr std::array<absl::string_view, kArkitShapes> kArkitNames = {
    "EyeBlinkLeft",      "EyeLookDownLeft",    "EyeLookInLeft",
    "EyeLookOutLeft",    "EyeLookUpLeft",      "EyeSquintLeft",
    "EyeWideLeft",       "EyeBlinkRight",      "EyeLookDownRight",
    "EyeLookInRight",    "EyeLookOutRight",    "EyeLookUpRight",
    "EyeSquintRight",    "EyeWideRight",       "JawForward",
    "JawLeft",           "JawRight",           "JawOpen",
    "MouthClose",        "MouthFunnel",        "MouthPucker",
    "MouthLeft",         "MouthRight",         "MouthSmileLeft",
    "MouthSmileRight",   "MouthFrownLeft",     "MouthFrownRight",
    "MouthDimpleLeft",   "MouthDimpleRight",   "MouthStretchLeft",
    "MouthStretchRight", "MouthRollLower",     "MouthRollUpper",
    "MouthShrugLower",   "MouthShrugUpper",    "MouthPressLeft",
    "MouthPressRight",   "MouthLowerDownLeft", "MouthLowerDownRight",
    "MouthUpperUpLeft",  "MouthUpperUpRight",  "BrowDownLeft",
    "BrowDownRight",     "BrowInnerUp",        "BrowOuterUpLeft",
    "BrowOuterUpRight",  "CheekPuff",          "CheekSquintLeft",
    "CheekSquintRight",  "NoseSneerLeft",      "NoseSneerRight",
    "TongueOut"};

}  // namespace

absl::Span<const absl::string_view> ArkitNames() { return kArkitNames; }

void ToAceMouth(float k, ArkitWeights& weights) {
  weights[kArkitJawOpen] = AceJawOpen(weights[kArkitJawOpen], weights[kArkitMouthClose], k);
}

void FromAceMouth(float k, ArkitWeights& weights) {
  weights[kArkitJawOpen] = ArkitJawOpen(weights[kArkitJawOpen], weights[kArkitMouthClose], k);
}

}  // namespace posewire::skel
