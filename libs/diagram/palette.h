// The colours of every figure: the left side blue, the right side orange, the middle slate.
#ifndef POSEWIRE_LIBS_DIAGRAM_PALETTE_H_
#define POSEWIRE_LIBS_DIAGRAM_PALETTE_H_

#include "libs/diagram/body_plan.h"
#include "libs/diagram/canvas.h"

namespace posewire::diagram {

inline constexpr Color kPaper = Hex(0xFFFFFF);
inline constexpr Color kPanel = Hex(0xF6F7F9);
inline constexpr Color kRule = Hex(0xD9DEE5);
inline constexpr Color kFaintRule = Hex(0xE9ECF0);
inline constexpr Color kInk = Hex(0x1F2933);
inline constexpr Color kMutedInk = Hex(0x6B7785);
inline constexpr Color kFloor = Hex(0x9AA5B1);
inline constexpr Color kLeft = Hex(0x1F6FC4);
inline constexpr Color kRight = Hex(0xE3771B);
inline constexpr Color kMiddle = Hex(0x47535F);
inline constexpr Color kSkin = Hex(0xFBFCFD);
// Curves about X, Y and Z.
inline constexpr Color kAxis[3] = {Hex(0xC8324A), Hex(0x2E9E5B), Hex(0x6A4FC0)};

constexpr Color SideColor(Side side) {
  return side == Side::kLeft ? kLeft : side == Side::kRight ? kRight : kMiddle;
}

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_PALETTE_H_
