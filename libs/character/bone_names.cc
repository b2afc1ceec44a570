#include "libs/character/bone_names.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/skel/rig.h"

namespace posewire::character {
namespace {

using skel::HumanBone;

// So few bones are not a naming.
constexpr int kLeastBones = 8;

// What bones are called once prefixes, sides and separators are taken away.
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

// Without a name space ("mixamorig:") and the marks of a tool.
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

// Lower-case words: "LeftForeArm_01" is left, fore, arm, 01.
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

std::optional<HumanBone> BoneOf(absl::string_view name) {
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
  if (words.size() > 1 && words[0] == "c") words.erase(words.begin());
  const std::string key = WithoutZeros(absl::StrJoin(words, ""));
  absl::string_view finger = key;
  if (finger.size() > 4) absl::ConsumePrefix(&finger, "hand");
  for (const auto& [from, to] : kFingers) {
    absl::string_view rest = finger;
    if (!absl::ConsumePrefix(&rest, from)) continue;
    absl::ConsumePrefix(&rest, "finger");
    const absl::string_view phalanx = Look(kPhalanges, rest);
    if (phalanx.empty() || side.empty()) return std::nullopt;
    return skel::FindHumanBone(absl::StrCat(side, to, phalanx));
  }
  // Names of Mixamo's spine count from 0: Spine, Spine1, Spine2.
  if (mixamo && key == "spine1") return HumanBone::kChest;
  if (mixamo && key == "spine2") return HumanBone::kUpperChest;
  const absl::string_view bone = Look(kBones, key);
  if (bone.empty()) return std::nullopt;
  // A sided hip is a thigh in some rigs and half a pelvis in others.
  if (key == "hip" && !side.empty()) return std::nullopt;
  return skel::FindHumanBone(absl::StrCat(side, bone));
}

BoneNodes FindBones(absl::Span<const std::string> names) {
  BoneNodes out;
  out.fill(-1);
  std::vector<bool> used(names.size(), false);
  // As a flat rig of these names, so that the one table of namings decides.
  skel::RigParts parts;
  std::vector<int> node_of;
  absl::flat_hash_set<std::string> taken;
  for (size_t i = 0; i < names.size() && parts.joint_paths.size() < 1024; ++i) {
    bool mixamo = false;
    std::string name(Bare(names[i], mixamo));
    if (absl::StartsWithIgnoreCase(names[i], "j_bip")) name = names[i];
    std::replace(name.begin(), name.end(), '/', '_');
    if (name.empty() || !taken.insert(name).second) continue;
    parts.joint_paths.push_back(std::move(name));
    parts.rest_translations.emplace_back();
    node_of.push_back(static_cast<int>(i));
  }
  parts.name = "file";
  if (auto rig = skel::Rig::Make(std::move(parts)); rig.ok()) {
    BoneNodes found;
    int count = 0;
    for (int b = 0; b < skel::kHumanBones; ++b) {
      const int joint = (*rig)->humanoid().joint(static_cast<HumanBone>(b));
      found[static_cast<size_t>(b)] = joint < 0 ? -1 : node_of[static_cast<size_t>(joint)];
      count += joint >= 0 ? 1 : 0;
    }
    if (count >= kLeastBones) {
      out = found;
      for (const int node : out) {
        if (node >= 0) used[static_cast<size_t>(node)] = true;
      }
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    const std::optional<HumanBone> bone = used[i] ? std::nullopt : BoneOf(names[i]);
    if (bone && out[static_cast<size_t>(*bone)] < 0) {
      out[static_cast<size_t>(*bone)] = static_cast<int>(i);
    }
  }
  return out;
}

std::string ShapeKeyOf(absl::string_view name) {
  if (const size_t at = name.find_last_of(".:"); at != absl::string_view::npos) {
    name.remove_prefix(at + 1);
  }
  std::string text(name);
  for (const auto& [end, side] : {std::pair{"_L", "Left"}, std::pair{" L", "Left"},
                                  std::pair{"_R", "Right"}, std::pair{" R", "Right"}}) {
    if (absl::EndsWith(text, end)) {
      text = absl::StrCat(text.substr(0, text.size() - 2), side);
      break;
    }
  }
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '_' || c == ' '; }),
             text.end());
  return absl::AsciiStrToLower(text);
}

std::vector<int> SourcesOf(absl::string_view target, absl::Span<const std::string> keys) {
  const auto find = [&](absl::string_view key) {
    const auto at = std::find(keys.begin(), keys.end(), key);
    return at == keys.end() ? -1 : static_cast<int>(at - keys.begin());
  };
  const std::string wanted = ShapeKeyOf(target);
  if (const int own = find(wanted); own >= 0) return {own};
  for (const absl::string_view side : {"left", "right"}) {
    if (!absl::EndsWith(wanted, side)) continue;
    const int whole = find(absl::string_view(wanted).substr(0, wanted.size() - side.size()));
    if (whole >= 0) return {whole};
  }
  const int left = find(absl::StrCat(wanted, "left")), right = find(absl::StrCat(wanted, "right"));
  if (left >= 0 && right >= 0) return {left, right};
  return {};
}

}  // namespace posewire::character
