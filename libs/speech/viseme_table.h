// What the mouth does for each phoneme: its viseme, as weights of ARKit's shapes.
//
// Phonemes that look alike share a viseme (p and b; s and z), a diphthong glides between two. The
// weights are a table of our own. Left and right of a pair of ARKit's shapes are one group here,
// since speech moves them together.
#ifndef POSEWIRE_LIBS_SPEECH_VISEME_TABLE_H_
#define POSEWIRE_LIBS_SPEECH_VISEME_TABLE_H_

#include <array>
#include <cstddef>

#include "absl/strings/string_view.h"

namespace posewire::speech {

// A shape of the mouth, or a left and right pair of them that speech moves together.
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

// Lips (and for f and v the lower lip and the teeth) that must meet whatever stands around them.
enum class LipContact { kNone, kBothLips, kLipToTeeth };

// A target of the articulators, 0..1 each. The strengths say how far it holds its own against its
// neighbours: a k leaves the lips to the vowels beside it, a w does not.
struct Viseme {
  MouthPose pose{};
  float jaw_strength = 1;
  float lip_strength = 1;
  float round_strength =
      1;  // of the lips' rounding, on its own: a b is said with round lips before w
  LipContact contact = LipContact::kNone;
};

// A phoneme is one viseme, or glides from one to another.
struct PhoneVisemes {
  absl::string_view phone;
  const Viseme* first;
  const Viseme* second;  // null unless it glides
  float split = 1;       // part of the duration that belongs to the first
  bool vowel = false;
};

// How phones are written. The two share letters that mean different sounds: ARPAbet's y and r are
// IPA's j and ɹ.
enum class PhoneSet { kArpabet, kIpa };

// The visemes of a phone: ARPAbet ("aa", "AA1") or IPA ("eɪ", see phones.h), and in both sets
// "viseme:0" to "viseme:21", the ids of Azure's speech service. Only a pause ("pau", "sil", "sp",
// punctuation, nothing) is silence: an unknown vowel is a schwa, any other unknown phone leaves the
// lips free. What it points to lives as long as the program. Allocates nothing.
PhoneVisemes FindVisemes(absl::string_view phone, PhoneSet set);

bool IsPause(absl::string_view phone, PhoneSet set);

}  // namespace posewire::speech

#endif  // POSEWIRE_LIBS_SPEECH_VISEME_TABLE_H_
