// The viseme of each phoneme, as weights of ARKit's shapes.
//
// Phonemes that look alike share a viseme (p and b; s and z), and a diphthong glides between two.
// The weights are our own. Left and right shapes of an ARKit pair are one group here, because
// speech moves them together.
#ifndef POSEWIRE_LIBS_SPEECH_VISEME_TABLE_H_
#define POSEWIRE_LIBS_SPEECH_VISEME_TABLE_H_

#include <array>
#include <cstddef>

#include "absl/strings/string_view.h"

namespace posewire::speech {

// A shape of the mouth, or a left and right pair that speech moves together.
enum MouthGroup : size_t {
  kJawOpen,
  kJawForward,
  kMouthClose,
  kMouthFunnel,
  kMouthPucker,
  kMouthSmile,
  kMouthDimple,
  kMouthStretch,
  kMouthRollLower,
  kMouthRollUpper,
  kMouthShrugLower,
  kMouthPress,
  kMouthLowerDown,
  kMouthUpperUp,
  kTongueOut,
  kMouthGroups
};

using MouthPose = std::array<float, kMouthGroups>;

inline constexpr bool IsRounding(size_t group) {
  return group == kMouthFunnel || group == kMouthPucker;
}

// Lips (for f and v the lower lip and the teeth) that must meet regardless of neighbouring
// phonemes.
enum class LipContact { kNone, kBothLips, kLipToTeeth };

// A target of the articulators, 0..1 each. The strengths state how well it resists its neighbours:
// a k leaves the lips to the adjacent vowels, a w does not.
struct Viseme {
  MouthPose pose{};
  float jaw_strength = 1;
  float lip_strength = 1;
  float round_strength = 1;  // of the lips' rounding alone: a b before w has round lips
  LipContact contact = LipContact::kNone;
};

// A phoneme is one viseme, or glides from one to another.
struct PhoneVisemes {
  absl::string_view phone;
  const Viseme* first;
  const Viseme* second;  // null unless it glides
  float split = 1;       // share of the duration of the first
  bool vowel = false;
};

// Notations of phones. They share letters for different sounds: ARPAbet's y and r are IPA's j and
// ɹ.
enum class PhoneSet { kArpabet, kIpa };

// Returns the visemes of a phone: ARPAbet ("aa", "AA1") or IPA ("eɪ", see phones.h), and in both
// sets "viseme:0" to "viseme:21", the ids of Azure's speech service. Only a pause ("pau", "sil",
// "sp", punctuation, nothing) is silence: an unknown vowel is a schwa, any other unknown phone
// leaves the lips free. The result's pointers are valid for the life of the program. Does not
// allocate.
PhoneVisemes FindVisemes(absl::string_view phone, PhoneSet set);

bool IsPause(absl::string_view phone, PhoneSet set);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VISEME_TABLE_H_
