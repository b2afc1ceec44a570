#include "libs/speech/viseme_table.h"

#include <initializer_list>
#include <utility>

namespace posewire::speech {
namespace {

using Targets = std::initializer_list<std::pair<MouthGroup, float>>;

constexpr Viseme Make(float jaw_strength, float lip_strength, Targets targets,
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

constexpr Viseme kSilence = Make(0.7f, 0.6f, {});

// Vowels, from open to closed and from spread to round.
constexpr Viseme kAa = Make(
    1, 1,
    {{kJawOpen, 0.58f}, {kMouthLowerDown, 0.26f}, {kMouthUpperUp, 0.12f}, {kMouthStretch, 0.05f}});
constexpr Viseme kAe = Make(1, 1,
                            {{kJawOpen, 0.50f},
                             {kMouthLowerDown, 0.28f},
                             {kMouthUpperUp, 0.20f},
                             {kMouthStretch, 0.22f},
                             {kMouthSmile, 0.10f}});
constexpr Viseme kAh =
    Make(0.9f, 0.8f, {{kJawOpen, 0.38f}, {kMouthLowerDown, 0.18f}, {kMouthUpperUp, 0.08f}});
constexpr Viseme kSchwa =
    Make(0.6f, 0.45f, {{kJawOpen, 0.24f}, {kMouthLowerDown, 0.13f}, {kMouthUpperUp, 0.06f}});
constexpr Viseme kAo = Make(
    1, 1,
    {{kJawOpen, 0.48f}, {kMouthFunnel, 0.40f}, {kMouthPucker, 0.12f}, {kMouthLowerDown, 0.12f}});
constexpr Viseme kEh = Make(1, 0.9f,
                            {{kJawOpen, 0.38f},
                             {kMouthLowerDown, 0.22f},
                             {kMouthUpperUp, 0.14f},
                             {kMouthStretch, 0.20f},
                             {kMouthSmile, 0.10f}});
constexpr Viseme kIh = Make(0.9f, 0.8f,
                            {{kJawOpen, 0.24f},
                             {kMouthLowerDown, 0.18f},
                             {kMouthUpperUp, 0.10f},
                             {kMouthStretch, 0.20f},
                             {kMouthSmile, 0.12f}});
constexpr Viseme kIy = Make(1, 1,
                            {{kJawOpen, 0.16f},
                             {kMouthLowerDown, 0.22f},
                             {kMouthUpperUp, 0.14f},
                             {kMouthStretch, 0.32f},
                             {kMouthSmile, 0.22f},
                             {kMouthDimple, 0.10f}});
constexpr Viseme kOh =
    Make(1, 1, {{kJawOpen, 0.38f}, {kMouthFunnel, 0.46f}, {kMouthPucker, 0.28f}});
constexpr Viseme kUh = Make(
    0.9f, 0.9f,
    {{kJawOpen, 0.24f}, {kMouthFunnel, 0.28f}, {kMouthPucker, 0.32f}, {kMouthLowerDown, 0.06f}});
constexpr Viseme kUw =
    Make(1, 1, {{kJawOpen, 0.13f}, {kMouthFunnel, 0.28f}, {kMouthPucker, 0.72f}});
constexpr Viseme kEr = Make(0.9f, 0.9f,
                            {{kJawOpen, 0.22f},
                             {kMouthFunnel, 0.30f},
                             {kMouthPucker, 0.28f},
                             {kMouthShrugLower, 0.10f},
                             {kMouthLowerDown, 0.08f}});

// Consonants, from the lips to the back of the mouth. mouthClose is ACE's
// (libs/skel/arkit_mouth.h): alone it lets the jaw down a little behind closed lips.
constexpr Viseme kM = Make(1, 1,
                           {{kMouthClose, 0.08f},
                            {kMouthPress, 0.34f},
                            {kMouthRollLower, 0.12f},
                            {kMouthRollUpper, 0.12f}},
                           LipContact::kBothLips);
constexpr Viseme kB = Make(1, 1,
                           {{kMouthClose, 0.08f},
                            {kMouthPress, 0.46f},
                            {kMouthRollLower, 0.18f},
                            {kMouthRollUpper, 0.16f}},
                           LipContact::kBothLips);
constexpr Viseme kF = Make(
    1, 1,
    {{kJawOpen, 0.05f}, {kMouthRollLower, 0.47f}, {kMouthUpperUp, 0.30f}, {kMouthSmile, 0.04f}},
    LipContact::kLipToTeeth);
constexpr Viseme kW =
    Make(0.9f, 1, {{kJawOpen, 0.07f}, {kMouthPucker, 0.78f}, {kMouthFunnel, 0.18f}});
constexpr Viseme kR = Make(
    0.7f, 0.8f,
    {{kJawOpen, 0.14f}, {kMouthPucker, 0.36f}, {kMouthFunnel, 0.32f}, {kMouthShrugLower, 0.08f}});
constexpr Viseme kTh = Make(
    0.9f, 0.5f,
    {{kJawOpen, 0.17f}, {kTongueOut, 0.34f}, {kMouthLowerDown, 0.18f}, {kMouthUpperUp, 0.12f}});
constexpr Viseme kT =
    Make(0.75f, 0.3f, {{kJawOpen, 0.09f}, {kMouthLowerDown, 0.16f}, {kMouthUpperUp, 0.08f}});
constexpr Viseme kN =
    Make(0.7f, 0.3f, {{kJawOpen, 0.11f}, {kMouthLowerDown, 0.14f}, {kMouthUpperUp, 0.06f}});
constexpr Viseme kL = Make(
    0.7f, 0.35f,
    {{kJawOpen, 0.20f}, {kTongueOut, 0.06f}, {kMouthLowerDown, 0.14f}, {kMouthUpperUp, 0.08f}});
constexpr Viseme kS = Make(1, 0.55f,
                           {{kJawOpen, 0.05f},
                            {kMouthLowerDown, 0.28f},
                            {kMouthUpperUp, 0.16f},
                            {kMouthStretch, 0.22f},
                            {kMouthSmile, 0.08f}});
constexpr Viseme kSh = Make(1, 0.9f,
                            {{kJawOpen, 0.07f},
                             {kJawForward, 0.06f},
                             {kMouthFunnel, 0.52f},
                             {kMouthPucker, 0.22f},
                             {kMouthLowerDown, 0.20f},
                             {kMouthUpperUp, 0.16f}});
constexpr Viseme kY = Make(0.8f, 0.7f,
                           {{kJawOpen, 0.13f},
                            {kMouthLowerDown, 0.18f},
                            {kMouthUpperUp, 0.10f},
                            {kMouthStretch, 0.28f},
                            {kMouthSmile, 0.16f}});
constexpr Viseme kK = Make(0.45f, 0.15f, {{kJawOpen, 0.18f}, {kMouthLowerDown, 0.12f}});
constexpr Viseme kHh = Make(0.3f, 0.15f, {{kJawOpen, 0.22f}, {kMouthLowerDown, 0.12f}});

constexpr PhoneVisemes Vowel(absl::string_view phone, const Viseme& v) {
  return {phone, &v, nullptr, 1, true};
}
constexpr PhoneVisemes Glide(absl::string_view phone, const Viseme& from, const Viseme& to,
                             float split) {
  return {phone, &from, &to, split, true};
}
constexpr PhoneVisemes Consonant(absl::string_view phone, const Viseme& v) {
  return {phone, &v, nullptr, 1, false};
}

constexpr PhoneVisemes kPhones[] = {Consonant("pau", kSilence),
                                    Vowel("aa", kAa),
                                    Vowel("ae", kAe),
                                    Vowel("ah", kAh),
                                    Vowel("ao", kAo),
                                    Vowel("ax", kSchwa),
                                    Vowel("axr", kEr),
                                    Vowel("eh", kEh),
                                    Vowel("er", kEr),
                                    Vowel("ih", kIh),
                                    Vowel("ix", kSchwa),
                                    Vowel("iy", kIy),
                                    Vowel("uh", kUh),
                                    Vowel("uw", kUw),
                                    Vowel("ux", kUw),
                                    Glide("aw", kAa, kUw, 0.6f),
                                    Glide("ay", kAa, kIh, 0.62f),
                                    Glide("ey", kEh, kIy, 0.5f),
                                    Glide("ow", kOh, kUw, 0.52f),
                                    Glide("oy", kAo, kIy, 0.55f),
                                    Consonant("p", kB),
                                    Consonant("b", kB),
                                    Consonant("m", kM),
                                    Consonant("em", kM),
                                    Consonant("f", kF),
                                    Consonant("v", kF),
                                    Consonant("w", kW),
                                    Consonant("wh", kW),
                                    Consonant("r", kR),
                                    Consonant("th", kTh),
                                    Consonant("dh", kTh),
                                    Consonant("t", kT),
                                    Consonant("d", kT),
                                    Consonant("dx", kT),
                                    Consonant("n", kN),
                                    Consonant("nx", kN),
                                    Consonant("en", kN),
                                    Consonant("l", kL),
                                    Consonant("el", kL),
                                    Consonant("s", kS),
                                    Consonant("z", kS),
                                    Consonant("sh", kSh),
                                    Consonant("zh", kSh),
                                    Consonant("ch", kSh),
                                    Consonant("jh", kSh),
                                    Consonant("y", kY),
                                    Consonant("k", kK),
                                    Consonant("g", kK),
                                    Consonant("ng", kK),
                                    Consonant("hh", kHh),
                                    Consonant("hv", kHh)};

}  // namespace

const PhoneVisemes& FindVisemes(absl::string_view phone) {
  for (const PhoneVisemes& p : kPhones) {
    if (p.phone == phone) return p;
  }
  return kPhones[0];
}

}  // namespace posewire::speech
