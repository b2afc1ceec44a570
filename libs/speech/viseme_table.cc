#include "libs/speech/viseme_table.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "libs/speech/phones.h"
#include "libs/speech/viseme_shapes.h"

namespace posewire::speech {
namespace shapes {
namespace {

constexpr PhoneVisemes kArpabet[] = {Consonant("pau", kSilence),
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

// Azure's viseme IDs, 0 to 21.
constexpr PhoneVisemes kAzure[] = {Consonant("0", kSilence),
                                   Vowel("1", kAh),
                                   Vowel("2", kAa),
                                   Vowel("3", kAo),
                                   Vowel("4", kEh),
                                   Vowel("5", kEr),
                                   Vowel("6", kIy),
                                   Vowel("7", kUw),
                                   Vowel("8", kOh),
                                   Glide("9", kAa, kUw, 0.6f),
                                   Glide("10", kAo, kIy, 0.55f),
                                   Glide("11", kAa, kIh, 0.62f),
                                   Consonant("12", kHh),
                                   Consonant("13", kR),
                                   Consonant("14", kL),
                                   Consonant("15", kS),
                                   Consonant("16", kSh),
                                   Consonant("17", kTh),
                                   Consonant("18", kF),
                                   Consonant("19", kT),
                                   Consonant("20", kK),
                                   Consonant("21", kB)};

}  // namespace
}  // namespace shapes

namespace {

PhoneVisemes FindAzure(absl::string_view id) {
  for (const PhoneVisemes& p : shapes::kAzure) {
    if (p.phone == id) return p;
  }
  return shapes::UnknownConsonant();
}

// "AH0" of the CMU dictionary is "ah".
PhoneVisemes FindArpabet(absl::string_view phone) {
  while (!phone.empty() && absl::ascii_isdigit(static_cast<unsigned char>(phone.back()))) {
    phone.remove_suffix(1);
  }
  for (const PhoneVisemes& p : shapes::kArpabet) {
    if (absl::EqualsIgnoreCase(p.phone, phone)) return p;
  }
  if (std::none_of(phone.begin(), phone.end(), [](char c) {
        return static_cast<unsigned char>(c) >= 0x80 ||
               absl::ascii_isalnum(static_cast<unsigned char>(c));
      })) {
    return shapes::Pause();
  }
  constexpr absl::string_view kVowels = "aeiouAEIOU";
  return absl::StrContains(kVowels, phone.substr(0, 1)) ? shapes::UnknownVowel()
                                                        : shapes::UnknownConsonant();
}

}  // namespace

PhoneVisemes FindVisemes(absl::string_view phone, PhoneSet set) {
  constexpr absl::string_view kId = "viseme:";
  if (absl::StartsWith(phone, kId)) return FindAzure(phone.substr(kId.size()));
  if (phone == "pau" || phone == "sil" || phone == "sp") return shapes::Pause();
  return set == PhoneSet::kIpa ? FindIpaVisemes(phone) : FindArpabet(phone);
}

bool IsPause(absl::string_view phone, PhoneSet set) {
  return FindVisemes(phone, set).first == &shapes::kSilence;
}

}  // namespace posewire::speech
