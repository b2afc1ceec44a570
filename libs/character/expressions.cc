#include "libs/character/expressions.h"

#include "absl/strings/match.h"

namespace posewire::character {
namespace {

constexpr Expression kExpressions[] = {
    {"aa", "a", {"jawOpen", ""}, 1.6f, true},
    {"ih", "i", {"mouthStretchLeft", "mouthStretchRight"}, 0.5f},
    {"ou", "u", {"mouthPucker", ""}, 1},
    {"ee", "e", {"mouthSmileLeft", "mouthSmileRight"}, 0.3f},
    {"oh", "o", {"mouthFunnel", ""}, 1},
    {"blinkleft", "blink_l", {"eyeBlinkLeft", ""}, 1},
    {"blinkright", "blink_r", {"eyeBlinkRight", ""}, 1},
    {"blink", "blink", {"eyeBlinkLeft", "eyeBlinkRight"}, 0.5f},
    {"lookup", "lookup", {"eyeLookUpLeft", "eyeLookUpRight"}, 0.5f},
    {"lookdown", "lookdown", {"eyeLookDownLeft", "eyeLookDownRight"}, 0.5f},
    {"lookleft", "lookleft", {"eyeLookOutLeft", "eyeLookInRight"}, 0.5f},
    {"lookright", "lookright", {"eyeLookInLeft", "eyeLookOutRight"}, 0.5f},
};

}  // namespace

absl::Span<const Expression> Expressions() { return kExpressions; }

int FindExpression(absl::string_view preset) {
  for (size_t i = 0; i < std::size(kExpressions); ++i) {
    if (absl::EqualsIgnoreCase(preset, kExpressions[i].name) ||
        absl::EqualsIgnoreCase(preset, kExpressions[i].old_name)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace posewire::character
