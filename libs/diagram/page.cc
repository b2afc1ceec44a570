#include "libs/diagram/page.h"

#include "libs/diagram/palette.h"

namespace posewire::diagram {

void DrawPageHeader(Canvas& canvas, absl::string_view title, absl::string_view subtitle) {
  canvas.Text({kPageMargin, kPageMargin + 16}, title, {21, kInk, Align::kLeft, true});
  canvas.Text({kPageMargin, kPageMargin + 36}, subtitle, {11.5, kMutedInk, Align::kLeft, false});
  double x = kPageWidth - kPageMargin;
  const auto key = [&](absl::string_view text, Color color) {
    const TextStyle style{11.5, kInk, Align::kRight, false};
    canvas.Text({x, kPageMargin + 14}, text, style);
    x -= canvas.TextWidth(text, style) + 12;
    canvas.Capsule({x - 10, kPageMargin + 10}, 3.5, {x, kPageMargin + 10}, 3.5, color);
    x -= 34;
  };
  key("avatar's left", kLeft);
  key("avatar's right", kRight);
  canvas.Line({kPageMargin, kPageHeader + 8}, {kPageWidth - kPageMargin, kPageHeader + 8}, 1,
              kRule);
}

}  // namespace posewire::diagram
