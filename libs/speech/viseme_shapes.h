// The visemes themselves, for the tables that name them (viseme_table.cc, phones.cc).
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

// Vowels, from open to closed and from spread to round.
inline constexpr Viseme kAa = Make(
    1, 1,
    {{kJawOpen, 0.58f}, {kMouthLowerDown, 0.26f}, {kMouthUpperUp, 0.12f}, {kMouthStretch, 0.05f}});
inline constexpr Viseme kAe = Make(1, 1,
                                   {{kJawOpen, 0.50f},
                                    {kMouthLowerDown, 0.28f},
                                    {kMouthUpperUp, 0.20f},
                                    {kMouthStretch, 0.22f},
                                    {kMouthSmile, 0.10f}});
inline constexpr Viseme kAh =
    Make(0.9f, 0.8f, {{kJawOpen, 0.38f}, {kMouthLowerDown, 0.18f}, {kMouthUpperUp, 0.08f}});
inline constexpr Viseme kSchwa =
    Make(0.6f, 0.45f, {{kJawOpen, 0.24f}, {kMouthLowerDown, 0.13f}, {kMouthUpperUp, 0.06f}});
inline constexpr Viseme kAo = Make(
    1, 1,
    {{kJawOpen, 0.48f}, {kMouthFunnel, 0.40f}, {kMouthPucker, 0.12f}, {kMouthLowerDown, 0.12f}});
inline constexpr Viseme kEh = Make(1, 0.9f,
                                   {{kJawOpen, 0.38f},
                                    {kMouthLowerDown, 0.22f},
                                    {kMouthUpperUp, 0.14f},
                                    {kMouthStretch, 0.20f},
                                    {kMouthSmile, 0.10f}});
inline constexpr Viseme kIh = Make(0.9f, 0.8f,
                                   {{kJawOpen, 0.24f},
                                    {kMouthLowerDown, 0.18f},
                                    {kMouthUpperUp, 0.10f},
                                    {kMouthStretch, 0.20f},
                                    {kMouthSmile, 0.12f}});
inline constexpr Viseme kIy = Make(1, 1,
                                   {{kJawOpen, 0.16f},
                                    {kMouthLowerDown, 0.22f},
                                    {kMouthUpperUp, 0.14f},
                                    {kMouthStretch, 0.32f},
                                    {kMouthSmile, 0.22f},
                                    {kMouthDimple, 0.10f}});
inline constexpr Viseme kOh =
    Make(1, 1, {{kJawOpen, 0.38f}, {kMouthFunnel, 0.46f}, {kMouthPucker, 0.28f}});
inline constexpr Viseme kUh = Make(
    0.9f, 0.9f,
    {{kJawOpen, 0.24f}, {kMouthFunnel, 0.28f}, {kMouthPucker, 0.32f}, {kMouthLowerDown, 0.06f}});
inline constexpr Viseme kUw =
    Make(1, 1, {{kJawOpen, 0.13f}, {kMouthFunnel, 0.28f}, {kMouthPucker, 0.72f}});
inline constexpr Viseme kEr = Make(0.9f, 0.9f,
                                   {{kJawOpen, 0.22f},
                                    {kMouthFunnel, 0.30f},
                                    {kMouthPucker, 0.28f},
                                    {kMouthShrugLower, 0.10f},
                                    {kMouthLowerDown, 0.08f}});

// Front vowels with round lips: y, ø, œ.
inline constexpr Viseme kYu =
    Make(1, 1,
         {{kJawOpen, 0.14f}, {kMouthFunnel, 0.34f}, {kMouthPucker, 0.60f}, {kMouthUpperUp, 0.04f}});
inline constexpr Viseme kOe =
    Make(1, 1, {{kJawOpen, 0.28f}, {kMouthFunnel, 0.40f}, {kMouthPucker, 0.38f}});
inline constexpr Viseme kOeOpen = Make(
    1, 1,
    {{kJawOpen, 0.42f}, {kMouthFunnel, 0.40f}, {kMouthPucker, 0.20f}, {kMouthLowerDown, 0.10f}});
// Closed vowels without it, from the middle and the back: ɨ, ɯ.
inline constexpr Viseme kSpread = Make(
    0.9f, 0.7f,
    {{kJawOpen, 0.16f}, {kMouthLowerDown, 0.16f}, {kMouthUpperUp, 0.08f}, {kMouthStretch, 0.12f}});

// Consonants, from the lips to the back of the mouth. mouthClose is ACE's
// (libs/skel/arkit_mouth.h): alone it lets the jaw down a little behind closed lips.
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
    {{kJawOpen, 0.05f}, {kMouthRollLower, 0.47f}, {kMouthUpperUp, 0.30f}, {kMouthSmile, 0.04f}},
    LipContact::kLipToTeeth);
inline constexpr Viseme kW =
    Make(0.9f, 1, {{kJawOpen, 0.07f}, {kMouthPucker, 0.78f}, {kMouthFunnel, 0.18f}});
inline constexpr Viseme kR = Make(
    0.7f, 0.8f,
    {{kJawOpen, 0.14f}, {kMouthPucker, 0.36f}, {kMouthFunnel, 0.32f}, {kMouthShrugLower, 0.08f}});
inline constexpr Viseme kTh = Make(
    0.9f, 0.5f,
    {{kJawOpen, 0.17f}, {kTongueOut, 0.34f}, {kMouthLowerDown, 0.18f}, {kMouthUpperUp, 0.12f}});
inline constexpr Viseme kT =
    Make(0.75f, 0.3f, {{kJawOpen, 0.09f}, {kMouthLowerDown, 0.16f}, {kMouthUpperUp, 0.08f}});
inline constexpr Viseme kN =
    Make(0.7f, 0.3f, {{kJawOpen, 0.11f}, {kMouthLowerDown, 0.14f}, {kMouthUpperUp, 0.06f}});
inline constexpr Viseme kL = Make(
    0.7f, 0.35f,
    {{kJawOpen, 0.20f}, {kTongueOut, 0.06f}, {kMouthLowerDown, 0.14f}, {kMouthUpperUp, 0.08f}});
inline constexpr Viseme kS = Make(1, 0.55f,
                                  {{kJawOpen, 0.05f},
                                   {kMouthLowerDown, 0.28f},
                                   {kMouthUpperUp, 0.16f},
                                   {kMouthStretch, 0.22f},
                                   {kMouthSmile, 0.08f}});
inline constexpr Viseme kSh = Make(1, 0.9f,
                                   {{kJawOpen, 0.07f},
                                    {kJawForward, 0.06f},
                                    {kMouthFunnel, 0.52f},
                                    {kMouthPucker, 0.22f},
                                    {kMouthLowerDown, 0.20f},
                                    {kMouthUpperUp, 0.16f}});
inline constexpr Viseme kY = Make(0.8f, 0.7f,
                                  {{kJawOpen, 0.13f},
                                   {kMouthLowerDown, 0.18f},
                                   {kMouthUpperUp, 0.10f},
                                   {kMouthStretch, 0.28f},
                                   {kMouthSmile, 0.16f}});
inline constexpr Viseme kK = Make(0.45f, 0.15f, {{kJawOpen, 0.18f}, {kMouthLowerDown, 0.12f}});
inline constexpr Viseme kHh = Make(0.3f, 0.15f, {{kJawOpen, 0.22f}, {kMouthLowerDown, 0.12f}});

// β: the lips touch more loosely than in b. ɸ: they only come close, as when blowing.
inline constexpr Viseme kBeta =
    Make(0.9f, 0.9f, {{kMouthClose, 0.06f}, {kMouthPress, 0.28f}, {kMouthRollLower, 0.10f}},
         LipContact::kBothLips);
inline constexpr Viseme kBlow =
    Make(0.9f, 0.8f, {{kJawOpen, 0.06f}, {kMouthPucker, 0.24f}, {kMouthFunnel, 0.20f}});
// ɕ: ʃ without round lips.
inline constexpr Viseme kAlveoPalatal = Make(1, 0.6f,
                                             {{kJawOpen, 0.06f},
                                              {kMouthFunnel, 0.14f},
                                              {kMouthLowerDown, 0.24f},
                                              {kMouthUpperUp, 0.15f},
                                              {kMouthStretch, 0.12f}});
// The middle of the tongue at the palate: ç, c, ɲ, ʎ.
inline constexpr Viseme kPalatal = Make(0.7f, 0.4f,
                                        {{kJawOpen, 0.13f},
                                         {kMouthLowerDown, 0.16f},
                                         {kMouthUpperUp, 0.08f},
                                         {kMouthStretch, 0.18f},
                                         {kMouthSmile, 0.08f}});

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
// A sound that no table knows must not close the mouth: the tongue makes it and the lips are free.
inline constexpr PhoneVisemes UnknownConsonant() { return Consonant("consonant", kK); }
inline constexpr PhoneVisemes UnknownVowel() { return Vowel("vowel", kSchwa); }

}  // namespace posewire::speech::shapes

#endif  // POSEWIRE_LIBS_SPEECH_VISEME_SHAPES_H_
