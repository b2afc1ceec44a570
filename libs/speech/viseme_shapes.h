// The visemes, for the tables that refer to them (viseme_table.cc, phones.cc).
#ifndef POSEWIRE_LIBS_SPEECH_VISEME_SHAPES_H_
#define POSEWIRE_LIBS_SPEECH_VISEME_SHAPES_H_

#include <initializer_list>
#include <utility>

#include "absl/strings/string_view.h"
#include "libs/speech/viseme_table.h"

namespace posewire::speech::shapes {

using Targets = std::initializer_list<std::pair<MouthGroup, float>>;

inline constexpr Viseme Make(float jaw_strength, float lip_strength, Targets targets,
                             LipContact contact = LipContact::kNone) {
  Viseme v;
  for (const auto& [group, value] : targets) v.pose[group] = value;
  v.jaw_strength = jaw_strength;
  v.lip_strength = lip_strength;
  const bool rounds = v.pose[kMouthPucker] + v.pose[kMouthFunnel] > 0;
  v.round_strength = contact != LipContact::kNone ? 0.25f
                     : rounds                     ? 1.25f * lip_strength
                                                  : lip_strength;
  v.contact = contact;
  return v;
}

inline constexpr Viseme kSilence = Make(0.7f, 0.6f, {});

// Vowels, from open to closed and from spread to round. An open vowel holds the jaw more strongly
// than consonants of the tongue do, or a short one would never be reached.
inline constexpr Viseme kAa = Make(
    1.25f, 1,
    {{kJawOpen, 0.65f}, {kMouthLowerDown, 0.36f}, {kMouthUpperUp, 0.14f}, {kMouthStretch, 0.06f}});
inline constexpr Viseme kAe = Make(1.25f, 1,
                                   {{kJawOpen, 0.58f},
                                    {kMouthLowerDown, 0.38f},
                                    {kMouthUpperUp, 0.22f},
                                    {kMouthStretch, 0.26f},
                                    {kMouthSmile, 0.14f}});
inline constexpr Viseme kAh =
    Make(1.1f, 0.85f, {{kJawOpen, 0.48f}, {kMouthLowerDown, 0.28f}, {kMouthUpperUp, 0.10f}});
inline constexpr Viseme kSchwa =
    Make(0.6f, 0.45f, {{kJawOpen, 0.26f}, {kMouthLowerDown, 0.20f}, {kMouthUpperUp, 0.07f}});
inline constexpr Viseme kAo = Make(
    1.25f, 1,
    {{kJawOpen, 0.56f}, {kMouthFunnel, 0.52f}, {kMouthPucker, 0.24f}, {kMouthLowerDown, 0.16f}});
inline constexpr Viseme kEh = Make(1.2f, 0.9f,
                                   {{kJawOpen, 0.46f},
                                    {kMouthLowerDown, 0.32f},
                                    {kMouthUpperUp, 0.16f},
                                    {kMouthStretch, 0.24f},
                                    {kMouthSmile, 0.14f}});
inline constexpr Viseme kIh = Make(1, 0.85f,
                                   {{kJawOpen, 0.29f},
                                    {kMouthLowerDown, 0.28f},
                                    {kMouthUpperUp, 0.12f},
                                    {kMouthStretch, 0.25f},
                                    {kMouthSmile, 0.16f}});
inline constexpr Viseme kIy = Make(1.1f, 1,
                                   {{kJawOpen, 0.20f},
                                    {kMouthLowerDown, 0.32f},
                                    {kMouthUpperUp, 0.18f},
                                    {kMouthStretch, 0.38f},
                                    {kMouthSmile, 0.30f},
                                    {kMouthDimple, 0.12f}});
inline constexpr Viseme kOh = Make(
    1.1f, 1,
    {{kJawOpen, 0.46f}, {kMouthFunnel, 0.56f}, {kMouthPucker, 0.44f}, {kMouthLowerDown, 0.06f}});
inline constexpr Viseme kUh = Make(
    0.95f, 0.95f,
    {{kJawOpen, 0.28f}, {kMouthFunnel, 0.36f}, {kMouthPucker, 0.46f}, {kMouthLowerDown, 0.08f}});
inline constexpr Viseme kUw =
    Make(1, 1, {{kJawOpen, 0.16f}, {kMouthFunnel, 0.36f}, {kMouthPucker, 0.82f}});
inline constexpr Viseme kEr = Make(1, 0.9f,
                                   {{kJawOpen, 0.27f},
                                    {kMouthFunnel, 0.36f},
                                    {kMouthPucker, 0.36f},
                                    {kMouthShrugLower, 0.10f},
                                    {kMouthLowerDown, 0.14f}});

// Front vowels with round lips: y, ø, œ.
inline constexpr Viseme kYu =
    Make(1, 1,
         {{kJawOpen, 0.17f}, {kMouthFunnel, 0.42f}, {kMouthPucker, 0.74f}, {kMouthUpperUp, 0.05f}});
inline constexpr Viseme kOe =
    Make(1.1f, 1, {{kJawOpen, 0.34f}, {kMouthFunnel, 0.50f}, {kMouthPucker, 0.50f}});
inline constexpr Viseme kOeOpen = Make(
    1.2f, 1,
    {{kJawOpen, 0.50f}, {kMouthFunnel, 0.50f}, {kMouthPucker, 0.30f}, {kMouthLowerDown, 0.14f}});
// Closed unrounded vowels, central and back: ɨ, ɯ.
inline constexpr Viseme kSpread = Make(
    1, 0.75f,
    {{kJawOpen, 0.20f}, {kMouthLowerDown, 0.26f}, {kMouthUpperUp, 0.10f}, {kMouthStretch, 0.16f}});

// Consonants, from the lips to the back of the mouth. The teeth are almost closed in s, z and
// similar ones and in t and d, while the lips are open enough to show them. mouthClose is ACE's
// (libs/skel/arkit_mouth.h): alone it lowers the jaw a little behind closed lips.
inline constexpr Viseme kM = Make(1, 1,
                                  {{kMouthClose, 0.08f},
                                   {kMouthPress, 0.34f},
                                   {kMouthRollLower, 0.12f},
                                   {kMouthRollUpper, 0.12f}},
                                  LipContact::kBothLips);
inline constexpr Viseme kB = Make(1, 1,
                                  {{kMouthClose, 0.08f},
                                   {kMouthPress, 0.46f},
                                   {kMouthRollLower, 0.18f},
                                   {kMouthRollUpper, 0.16f}},
                                  LipContact::kBothLips);
inline constexpr Viseme kF = Make(
    1, 1,
    {{kJawOpen, 0.05f}, {kMouthRollLower, 0.47f}, {kMouthUpperUp, 0.32f}, {kMouthSmile, 0.04f}},
    LipContact::kLipToTeeth);
inline constexpr Viseme kW =
    Make(0.9f, 1, {{kJawOpen, 0.08f}, {kMouthPucker, 0.86f}, {kMouthFunnel, 0.24f}});
inline constexpr Viseme kR = Make(
    0.6f, 0.8f,
    {{kJawOpen, 0.16f}, {kMouthPucker, 0.44f}, {kMouthFunnel, 0.38f}, {kMouthShrugLower, 0.08f}});
inline constexpr Viseme kTh = Make(
    0.8f, 0.5f,
    {{kJawOpen, 0.17f}, {kTongueOut, 0.34f}, {kMouthLowerDown, 0.26f}, {kMouthUpperUp, 0.14f}});
inline constexpr Viseme kT =
    Make(0.6f, 0.3f, {{kJawOpen, 0.08f}, {kMouthLowerDown, 0.24f}, {kMouthUpperUp, 0.10f}});
inline constexpr Viseme kN =
    Make(0.5f, 0.3f, {{kJawOpen, 0.11f}, {kMouthLowerDown, 0.22f}, {kMouthUpperUp, 0.08f}});
inline constexpr Viseme kL = Make(
    0.55f, 0.35f,
    {{kJawOpen, 0.22f}, {kTongueOut, 0.06f}, {kMouthLowerDown, 0.22f}, {kMouthUpperUp, 0.08f}});
inline constexpr Viseme kS = Make(0.9f, 0.55f,
                                  {{kJawOpen, 0.05f},
                                   {kMouthLowerDown, 0.34f},
                                   {kMouthUpperUp, 0.18f},
                                   {kMouthStretch, 0.26f},
                                   {kMouthSmile, 0.12f}});
inline constexpr Viseme kSh = Make(0.9f, 0.9f,
                                   {{kJawOpen, 0.07f},
                                    {kJawForward, 0.06f},
                                    {kMouthFunnel, 0.60f},
                                    {kMouthPucker, 0.30f},
                                    {kMouthLowerDown, 0.22f},
                                    {kMouthUpperUp, 0.16f}});
inline constexpr Viseme kY = Make(0.7f, 0.7f,
                                  {{kJawOpen, 0.15f},
                                   {kMouthLowerDown, 0.26f},
                                   {kMouthUpperUp, 0.13f},
                                   {kMouthStretch, 0.33f},
                                   {kMouthSmile, 0.22f}});
inline constexpr Viseme kK = Make(0.4f, 0.15f, {{kJawOpen, 0.20f}, {kMouthLowerDown, 0.20f}});
inline constexpr Viseme kHh = Make(0.3f, 0.15f, {{kJawOpen, 0.24f}, {kMouthLowerDown, 0.20f}});

// β: the lips touch more loosely than in b. ɸ: they only come close, as when blowing.
inline constexpr Viseme kBeta =
    Make(0.9f, 0.9f, {{kMouthClose, 0.06f}, {kMouthPress, 0.28f}, {kMouthRollLower, 0.10f}},
         LipContact::kBothLips);
inline constexpr Viseme kBlow =
    Make(0.9f, 0.8f, {{kJawOpen, 0.06f}, {kMouthPucker, 0.30f}, {kMouthFunnel, 0.24f}});
// ɕ: ʃ without round lips.
inline constexpr Viseme kAlveoPalatal = Make(1, 0.6f,
                                             {{kJawOpen, 0.06f},
                                              {kMouthFunnel, 0.14f},
                                              {kMouthLowerDown, 0.30f},
                                              {kMouthUpperUp, 0.17f},
                                              {kMouthStretch, 0.12f}});
// The middle of the tongue at the palate: ç, c, ɲ, ʎ.
inline constexpr Viseme kPalatal = Make(0.7f, 0.4f,
                                        {{kJawOpen, 0.15f},
                                         {kMouthLowerDown, 0.24f},
                                         {kMouthUpperUp, 0.10f},
                                         {kMouthStretch, 0.22f},
                                         {kMouthSmile, 0.12f}});

inline constexpr PhoneVisemes Vowel(absl::string_view phone, const Viseme& v) {
  return {phone, &v, nullptr, 1, true};
}
inline constexpr PhoneVisemes Glide(absl::string_view phone, const Viseme& from, const Viseme& to,
                                    float split) {
  return {phone, &from, &to, split, true};
}
inline constexpr PhoneVisemes Consonant(absl::string_view phone, const Viseme& v) {
  return {phone, &v, nullptr, 1, false};
}

inline constexpr PhoneVisemes Pause() { return Consonant("pau", kSilence); }
// An unknown sound must not close the mouth: the tongue makes it and the lips are free.
inline constexpr PhoneVisemes UnknownConsonant() { return Consonant("consonant", kK); }
inline constexpr PhoneVisemes UnknownVowel() { return Vowel("vowel", kSchwa); }

}  // namespace posewire::speech::shapes

#endif  // POSEWIRE_LIBS_SPEECH_VISEME_SHAPES_H_
