// ACE's names of postures and gestures, and what of ours plays for each.
#ifndef POSEWIRE_LIBS_GESTURE_ACE_NAMES_H_
#define POSEWIRE_LIBS_GESTURE_ACE_NAMES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::gesture {

struct AceName {
  absl::string_view ace;   // as ACE's controller writes it: "Chefs_Kiss", "Talking"
  absl::string_view clip;  // the name of ours
  bool own;                // false: there is no clip of its own, this is the nearest one
};

// Every value of gesture_state that ACE's controller knows, in its order.
absl::Span<const AceName> AceGestures();
// Every value of posture_state.
absl::Span<const AceName> AcePostures();
// The values of facial_gesture_state that its defaults name.
absl::Span<const AceName> AceFacialGestures();

// By ACE's name, upper or lower case; null when it is none.
const AceName* FindAceGesture(absl::string_view name);
const AceName* FindAcePosture(absl::string_view name);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_ACE_NAMES_H_
