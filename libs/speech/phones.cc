#include "libs/speech/phones.h"

#include <array>
#include <cstddef>
#include <optional>

#include "absl/strings/match.h"
#include "libs/speech/unicode_text.h"
#include "libs/speech/viseme_shapes.h"

namespace posewire::speech {
namespace shapes {
namespace {

// The longest match is used; the order does not matter.
constexpr PhoneVisemes kIpaVowels[] = {
    Vowel("a", kAa), Vowel("ɑ", kAa), Vowel("ɒ", kAo), Vowel("æ", kAe), Vowel("ɐ", kAh),
    Vowel("ʌ", kAh), Vowel("ɔ", kAo), Vowel("o", kOh), Vowel("ɤ", kAh), Vowel("u", kUw),
    Vowel("ʊ", kUh), Vowel("ᵿ", kUh), Vowel("ʉ", kUw), Vowel("ɯ", kSpread), Vowel("ɨ", kSpread),
    Vowel("ᵻ", kIh), Vowel("i", kIy), Vowel("ɪ", kIh), Vowel("e", kEh), Vowel("ɛ", kEh),
    Vowel("ə", kSchwa), Vowel("ᵊ", kSchwa), Vowel("ɘ", kSchwa), Vowel("ɜ", kAh), Vowel("ɚ", kEr),
    Vowel("ɝ", kEr), Vowel("y", kYu), Vowel("ʏ", kYu), Vowel("ø", kOe), Vowel("ɵ", kOe),
    Vowel("œ", kOeOpen), Vowel("ɞ", kOeOpen), Vowel("ɶ", kOeOpen),
    // Obsolete and nonstandard letters, whose vowel is ambiguous.
    Vowel("ᴀ", kSchwa), Vowel("ᴇ", kSchwa), Vowel("ᴏ", kSchwa), Vowel("ᴜ", kSchwa),
    Vowel("ɩ", kSchwa), Vowel("ɷ", kSchwa)};

// Any two successive vowels glide. These are the diphthongs that English and related languages time
// differently. Capitals are Kokoro's notation.
constexpr PhoneVisemes kIpaGlides[] = {
    Glide("aɪ", kAa, kIh, 0.62f), Glide("I", kAa, kIh, 0.62f),    Glide("aʊ", kAa, kUw, 0.6f),
    Glide("W", kAa, kUw, 0.6f),   Glide("eɪ", kEh, kIy, 0.5f),    Glide("A", kEh, kIy, 0.5f),
    Glide("oʊ", kOh, kUw, 0.52f), Glide("O", kOh, kUw, 0.52f),    Glide("ɔɪ", kAo, kIy, 0.55f),
    Glide("Y", kAo, kIy, 0.55f),  Glide("əʊ", kSchwa, kUw, 0.5f), Glide("Q", kSchwa, kUw, 0.5f)};

constexpr PhoneVisemes kIpaConsonants[] = {
    // Lips. The nasal of f, and a v that is barely audible, touch the teeth.
    Consonant("p", kB), Consonant("b", kB), Consonant("m", kM), Consonant("ɓ", kB),
    Consonant("ʙ", kB), Consonant("ʘ", kB), Consonant("β", kBeta), Consonant("ɸ", kBlow),
    Consonant("f", kF), Consonant("v", kF), Consonant("ʋ", kF), Consonant("ɱ", kF),
    Consonant("ⱱ", kF), Consonant("w", kW), Consonant("ʍ", kW), Consonant("ɥ", kW),
    // The tip of the tongue.
    Consonant("θ", kTh), Consonant("ð", kTh), Consonant("t", kT), Consonant("d", kT),
    Consonant("ʈ", kT), Consonant("ɖ", kT), Consonant("ɗ", kT), Consonant("ɾ", kT),
    Consonant("T", kT), Consonant("ɽ", kT), Consonant("r", kT), Consonant("ǀ", kT),
    Consonant("ǃ", kT), Consonant("ǂ", kT), Consonant("ǁ", kT), Consonant("n", kN),
    Consonant("ɳ", kN), Consonant("l", kL), Consonant("ɫ", kL), Consonant("ɭ", kL),
    Consonant("ɬ", kL), Consonant("ɮ", kL), Consonant("ɺ", kL), Consonant("ɹ", kR),
    Consonant("ɻ", kR), Consonant("s", kS), Consonant("z", kS), Consonant("ts", kS),
    Consonant("ʦ", kS), Consonant("dz", kS), Consonant("ʣ", kS), Consonant("ʃ", kSh),
    Consonant("S", kSh), Consonant("ʒ", kSh), Consonant("ʂ", kSh), Consonant("ʐ", kSh),
    Consonant("tʃ", kSh), Consonant("ʧ", kSh), Consonant("dʒ", kSh), Consonant("ʤ", kSh),
    Consonant("tʂ", kSh), Consonant("ʈʂ", kSh), Consonant("ꭧ", kSh), Consonant("dʐ", kSh),
    Consonant("ɖʐ", kSh), Consonant("ɧ", kSh), Consonant("ɕ", kAlveoPalatal),
    Consonant("ʑ", kAlveoPalatal), Consonant("tɕ", kAlveoPalatal), Consonant("ʨ", kAlveoPalatal),
    Consonant("dʑ", kAlveoPalatal), Consonant("ʥ", kAlveoPalatal),
    // The middle and the back of the tongue, and the throat.
    Consonant("j", kY), Consonant("ç", kPalatal), Consonant("c\u0327", kPalatal),
    Consonant("ʝ", kPalatal), Consonant("c", kPalatal), Consonant("ɟ", kPalatal),
    Consonant("ʄ", kPalatal), Consonant("ɲ", kPalatal), Consonant("ʎ", kPalatal),
    Consonant("k", kK), Consonant("g", kK), Consonant("ɡ", kK), Consonant("ɠ", kK),
    Consonant("ŋ", kK), Consonant("x", kK), Consonant("ɣ", kK), Consonant("ɰ", kK),
    Consonant("ʟ", kK), Consonant("q", kK), Consonant("ɢ", kK), Consonant("ʛ", kK),
    Consonant("ɴ", kK), Consonant("χ", kK), Consonant("ʁ", kK), Consonant("ʀ", kK),
    Consonant("ħ", kHh), Consonant("ʕ", kHh), Consonant("ʜ", kHh), Consonant("ʢ", kHh),
    Consonant("ʡ", kHh), Consonant("h", kHh), Consonant("ɦ", kHh), Consonant("ʔ", kHh)};

}  // namespace
}  // namespace shapes

namespace {

constexpr size_t kMostBytes = 64;

// Accents, superscript letters, and the signs of stress, length and tone.
bool IsPhoneMark(char32_t c) {
  return IsMark(c) || (c >= 0x2B0 && c <= 0x2FF) || (c >= 0x1D2C && c <= 0x1D6A) ||
         (c >= 0x1D9B && c <= 0x1DBF) || (c >= 0xA700 && c <= 0xA721) || (c >= '0' && c <= '9') ||
         c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0x2070 && c <= 0x2089) ||
         (c >= 0x2190 && c <= 0x21FF) || c == 0x203F;
}

// A phone's letters without its diacritics.
struct Letters {
  std::array<char, kMostBytes> bytes;
  size_t size = 0;
  bool marks = false;

  absl::string_view text() const { return {bytes.data(), size}; }
  void Append(absl::string_view s) {
    for (const char c : s) bytes[size++] = c;
  }
};

Letters TakeOffMarks(absl::string_view phone) {
  Letters out;
  phone = phone.substr(0, kMostBytes);
  for (size_t at = 0; at < phone.size();) {
    const size_t from = at;
    const std::optional<char32_t> c = DecodeUtf8(phone, at);
    if (!c) break;
    const bool cedilla = *c == 0x327 && absl::EndsWith(out.text(), "c");
    if (*c == U'ʷ' || *c == U'ᶣ') {
      out.Append("w");  // lip rounding is visible
    } else if (*c == U'˞') {
      out.Append("ɹ");
    } else if (IsPhoneMark(*c) && *c != U'ᵊ' && !cedilla) {
      out.marks = true;
    } else if (IsWordChar(*c)) {
      out.Append(phone.substr(from, at - from));
    }
  }
  return out;
}

const PhoneVisemes* LongestSign(absl::string_view text) {
  const PhoneVisemes* best = nullptr;
  const auto look = [&](const auto& table) {
    for (const PhoneVisemes& p : table) {
      if ((!best || p.phone.size() > best->phone.size()) && absl::StartsWith(text, p.phone)) {
        best = &p;
      }
    }
  };
  look(shapes::kIpaVowels);
  look(shapes::kIpaGlides);
  look(shapes::kIpaConsonants);
  return best;
}

// Returns the sound at the start of the text and removes it from the text.
PhoneVisemes TakeSign(absl::string_view& text) {
  if (const PhoneVisemes* sign = LongestSign(text)) {
    text.remove_prefix(sign->phone.size());
    return *sign;
  }
  size_t at = 0;
  const char32_t c = DecodeUtf8(text, at).value_or(0);
  text.remove_prefix(at);
  const char base = static_cast<char>(ToLowerCase(static_cast<unsigned char>(LatinBase(c))));
  const PhoneVisemes* sign = base == '\0' ? nullptr : LongestSign(absl::string_view(&base, 1));
  return sign ? *sign : shapes::UnknownConsonant();
}

}  // namespace

PhoneVisemes FindIpaVisemes(absl::string_view phone) {
  const Letters letters = TakeOffMarks(phone);
  absl::string_view rest = letters.text();
  if (rest.empty()) return letters.marks ? shapes::Consonant("mark", shapes::kK) : shapes::Pause();
  PhoneVisemes whole = TakeSign(rest);
  while (!rest.empty()) {
    const PhoneVisemes next = TakeSign(rest);
    whole.second = next.second ? next.second : next.first;
    whole.split = 0.55f;
    whole.vowel |= next.vowel;
  }
  if (whole.second == whole.first) whole.second = nullptr;
  return whole;
}

}  // namespace posewire::speech
