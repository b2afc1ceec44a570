#include "libs/diagram/view.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace posewire::diagram {

ViewAxes AxesOf(View view) {
  // The viewer's angle about Y, from the avatar's front towards its right.
  float angle = 0;
  if (view == View::kSide) angle = 1.57079632679f;
  if (view == View::kThreeQuarter) angle = 0.69813170080f;
  const float c = std::cos(angle), s = std::sin(angle);
  return {{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
}

absl::string_view NameOf(View view) {
  switch (view) {
    case View::kFront:
      return "front";
    case View::kSide:
      return "side";
    case View::kThreeQuarter:
      return "3/4";
  }
  return "";
}

absl::StatusOr<std::vector<View>> ParseViews(absl::string_view text) {
  std::vector<View> views;
  for (absl::string_view word : absl::StrSplit(text, ',')) {
    View view = View::kFront;
    if (word == "side") {
      view = View::kSide;
    } else if (word == "3/4") {
      view = View::kThreeQuarter;
    } else if (word != "front") {
      return absl::InvalidArgumentError(
          absl::StrCat("view \"", word, "\": known views are front, side and 3/4"));
    }
    if (std::find(views.begin(), views.end(), view) != views.end()) {
      return absl::InvalidArgumentError(absl::StrCat("view \"", word, "\" is named twice"));
    }
    views.push_back(view);
  }
  return views;
}

}  // namespace posewire::diagram
