#include "libs/skel/bone_words.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace posewire::skel {
namespace {

// Names of bones after prefixes, sides and separators are removed.
constexpr std::pair<absl::string_view, absl::string_view> kBones[] = {
    {"hip", "Hips"},          {"hips", "Hips"},
    {"pelvis", "Hips"},       {"roothips", "Hips"},
    {"spine", "Spine"},       {"spine1", "Spine"},
    {"abdomen", "Spine"},     {"chest", "Chest"},
    {"spine2", "Chest"},      {"upperchest", "UpperChest"},
    {"spine3", "UpperChest"}, {"neck", "Neck"},
    {"neck1", "Neck"},        {"head", "Head"},
    {"jaw", "Jaw"},           {"eye", "Eye"},
    {"shoulder", "Shoulder"}, {"clavicle", "Shoulder"},
    {"collar", "Shoulder"},   {"upperarm", "UpperArm"},
    {"arm", "UpperArm"},      {"lowerarm", "LowerArm"},
    {"forearm", "LowerArm"},  {"elbow", "LowerArm"},
    {"hand", "Hand"},         {"wrist", "Hand"},
    {"upperleg", "UpperLeg"}, {"upleg", "UpperLeg"},
    {"thigh", "UpperLeg"},    {"lowerleg", "LowerLeg"},
    {"leg", "LowerLeg"},      {"calf", "LowerLeg"},
    {"shin", "LowerLeg"},     {"knee", "LowerLeg"},
    {"foot", "Foot"},         {"ankle", "Foot"},
    {"toe", "Toes"},          {"toes", "Toes"},
    {"toebase", "Toes"},      {"ball", "Toes"},
};
constexpr std::pair<absl::string_view, absl::string_view> kFingers[] = {
    {"thumb", "Thumb"}, {"index", "Index"},  {"middle", "Middle"},
    {"ring", "Ring"},   {"pinky", "Little"}, {"little", "Little"},
};
constexpr std::pair<absl::string_view, absl::string_view> kPhalanges[] = {
    {"1", "Proximal"},     {"proximal", "Proximal"},
    {"2", "Intermediate"}, {"intermediate", "Intermediate"},
    {"3", "Distal"},       {"distal", "Distal"},
};
constexpr absl::string_view kPrefixes[] = {"j_bip", "valvebiped", "bip", "def"};

bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }
bool IsMark(char c) { return c == '_' || c == '.' || c == '-' || c == ' '; }

// Removes a name space ("mixamorig:") and prefixes of tools.
absl::string_view Bare(absl::string_view name, bool& mixamo) {
  if (const size_t at = name.find_last_of(":|"); at != absl::string_view::npos) {
    mixamo = absl::StartsWithIgnoreCase(name, "mixamorig");
    name.remove_prefix(at + 1);
  }
  const auto skip = [&name](absl::string_view prefix) {
    if (!absl::StartsWithIgnoreCase(name, prefix)) return false;
    absl::string_view rest = name.substr(prefix.size());
    const bool numbers = prefix == "bip" || prefix == "mixamorig";
    while (numbers && !rest.empty() && IsDigit(rest[0])) rest.remove_prefix(1);
    // "Defender" and "bipod" have no such prefix.
    if (prefix != "mixamorig" && (rest.empty() || !IsMark(rest[0]))) return false;
    while (!rest.empty() && IsMark(rest[0])) rest.remove_prefix(1);
    if (rest.empty()) return false;
    name = rest;
    return true;
  };
  if (skip("mixamorig")) mixamo = true;
  for (const absl::string_view prefix : kPrefixes) {
    if (skip(prefix)) break;
  }
  return name;
}

// Returns lower-case words: "LeftForeArm_01" becomes left, fore, arm, 01.
std::vector<std::string> WordsOf(absl::string_view name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool starts = i > 0 && absl::ascii_isupper(c) &&
                        absl::ascii_islower(static_cast<unsigned char>(name[i - 1]));
    if (starts) text.push_back(' ');
    text.push_back(IsMark(name[i]) ? ' ' : static_cast<char>(absl::ascii_tolower(c)));
  }
  return absl::StrSplit(text, ' ', absl::SkipEmpty());
}

std::string WithoutZeros(absl::string_view word) {
  size_t digits = word.size();
  while (digits > 0 && IsDigit(word[digits - 1])) --digits;
  absl::string_view number = word.substr(digits);
  while (!number.empty() && number[0] == '0') number.remove_prefix(1);
  return absl::StrCat(word.substr(0, digits), number);
}

template <size_t n>
absl::string_view Look(const std::pair<absl::string_view, absl::string_view> (&table)[n],
                       absl::string_view word) {
  for (const auto& [from, to] : table) {
    if (from == word) return to;
  }
  return {};
}

}  // namespace

std::optional<HumanBone> BoneOfWords(absl::string_view name) {
  bool mixamo = false;
  std::vector<std::string> words = WordsOf(Bare(name, mixamo));
  absl::string_view side;
  constexpr std::pair<absl::string_view, absl::string_view> kSides[] = {
      {"left", "Left"}, {"right", "Right"}, {"l", "Left"}, {"r", "Right"}};
  for (const auto& [word, is] : kSides) {
    const auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end()) continue;
    side = is;
    words.erase(at);
    break;
  }
  // VRoid's centre, and Rigify's fingers.
  if (words.size() > 1 && (words[0] == "c" || words[0] == "f")) words.erase(words.begin());
  const std::string key = WithoutZeros(absl::StrJoin(words, ""));
  absl::string_view finger = key;
  if (finger.size() > 4) absl::ConsumePrefix(&finger, "hand");
  for (const auto& [from, to] : kFingers) {
    absl::string_view rest = finger;
    if (!absl::ConsumePrefix(&rest, from)) continue;
    absl::ConsumePrefix(&rest, "finger");
    const absl::string_view phalanx = Look(kPhalanges, rest);
    if (phalanx.empty() || side.empty()) return std::nullopt;
    return FindHumanBone(absl::StrCat(side, to, phalanx));
  }
  // Mixamo's spine counts from 0: Spine, Spine1, Spine2.
  if (mixamo && key == "spine1") return HumanBone::kChest;
  if (mixamo && key == "spine2") return HumanBone::kUpperChest;
  const absl::string_view bone = Look(kBones, key);
  if (bone.empty()) return std::nullopt;
  // A sided hip is a thigh in some rigs and half a pelvis in others.
  if (key == "hip" && !side.empty()) return std::nullopt;
  return FindHumanBone(absl::StrCat(side, bone));
}

}  // namespace posewire::skel
