#include "libs/skel/naming.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/skel/bone_chains.h"
#include "libs/skel/builtin_data.h"
#include "libs/skel/lines_of_words.h"
#include "libs/skel/path_index.h"
#include "libs/skel/rig.h"

namespace posewire::skel {
namespace {

// Maximum number of prefix and suffix pairs of the hips or head to try for a convention.
constexpr size_t kMostAffixes = 8;
// Longer names are not bones.
constexpr size_t kMostNameBytes = 96;
// A prefix that yields fewer bones is probably a coincidence.
constexpr int kLeastAffixed = 6;
// Hips, spine, head, and the three bones of each arm and leg, and a few more.
constexpr int kWholeBody = 17;

struct Sides {
  absl::string_view left, right;
};

class NamingParser {
 public:
  absl::StatusOr<std::vector<NamingConvention>> Parse(absl::string_view text) {
    const absl::Status read = EachLineOfWords(text, [this](Words words) {
      return words[0] == "convention" ? Begin(words) : AddLine(words);
    });
    if (!read.ok()) return read;
    return std::move(all_);
  }

 private:
  absl::Status Begin(Words words) {
    if (words.size() < 3) {
      return absl::InvalidArgumentError(
          "a convention has an identifier and its sides: convention mixamo Left/Right");
    }
    sides_.clear();
    for (size_t i = 2; i < words.size(); ++i) {
      const size_t slash = words[i].find('/');
      if (slash == 0 || slash >= words[i].size() - 1 || slash == absl::string_view::npos) {
        return absl::InvalidArgumentError(
            absl::StrCat("sides \"", words[i], "\": write left and right with a / between them"));
      }
      sides_.push_back({words[i].substr(0, slash), words[i].substr(slash + 1)});
    }
    for (const NamingConvention& other : all_) {
      if (other.id == words[1]) {
        return absl::InvalidArgumentError(
            absl::StrCat("the convention ", words[1], " is there twice"));
      }
    }
    all_.emplace_back().id = std::string(words[1]);
    return absl::OkStatus();
  }

  absl::Status AddLine(Words words) {
    if (all_.empty()) return absl::InvalidArgumentError("begin with: convention NAME LEFT/RIGHT");
    for (const BoneChain& line : BoneChains()) {
      if (line.name != words[0] || line.side == "Right") continue;
      if (words.size() - 1 > line.bones.size()) {
        return absl::InvalidArgumentError(absl::StrCat(words[0], " has at most ", line.bones.size(),
                                                       " bones, and ", words.size() - 1,
                                                       " names are given"));
      }
      for (size_t i = 1; i < words.size(); ++i) {
        if (absl::Status s = AddBone(line.bones[i - 1], words[i]); !s.ok()) return s;
      }
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", words[0],
        "\": use convention, trunk, arm, leg, face, thumb, index, middle, ring or little"));
  }

  // `bone` is the left one of two.
  absl::Status AddBone(HumanBone bone, absl::string_view spellings) {
    if (spellings == "-") return absl::OkStatus();
    absl::string_view name = skel::NameOf(bone);
    const bool sided = absl::ConsumePrefix(&name, "Left");
    for (const absl::string_view spelling : absl::StrSplit(spellings, '|')) {
      if (KeyOfName(spelling).empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("\"", spellings, "\" has a name without a letter; - is for no name"));
      }
      if (sided != (spelling.find("{}") != absl::string_view::npos)) {
        return absl::InvalidArgumentError(
            absl::StrCat("\"", spelling, "\": ", name,
                         sided ? " has two sides; write {} for them" : " has one side, so no {}"));
      }
      if (!sided) {
        Add(bone, std::string(spelling));
        continue;
      }
      for (const Sides& side : sides_) {
        Add(bone, absl::StrReplaceAll(spelling, {{"{}", side.left}}));
        Add(*FindHumanBone(absl::StrCat("Right", name)),
            absl::StrReplaceAll(spelling, {{"{}", side.right}}));
      }
    }
    return absl::OkStatus();
  }

  void Add(HumanBone bone, std::string text) {
    std::string key = KeyOfName(text);
    all_.back().names.push_back({bone, std::move(text), std::move(key)});
  }

  std::vector<NamingConvention> all_;
  std::vector<Sides> sides_;
};

// Returns the identifying part of a joint's name.
absl::string_view WithoutNameSpace(absl::string_view path) {
  const absl::string_view leaf = LastPathElement(path);
  const size_t at = leaf.find_last_of(":|");
  return at == absl::string_view::npos || at + 1 == leaf.size() ? leaf : leaf.substr(at + 1);
}

// Removes "_041", which exporters append to make names unique.
absl::string_view WithoutNumber(absl::string_view name) {
  size_t end = name.size();
  while (end > 0 && absl::ascii_isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
  if (end == name.size() || end < 2 || name[end - 1] != '_') return name;
  return name.substr(0, end - 1);
}

// Joints by the keys of their names. Keys with several joints are ignored, unless the names differ
// in case.
class KeyedJoints {
 public:
  KeyedJoints(const Rig& rig, bool numbered) {
    const auto add = [&](absl::string_view name, int joint) {
      name = WithoutNameSpace(name);
      if (numbered) name = WithoutNumber(name);
      for (const auto& [map, key] :
           {std::pair{&exact_, std::string(name)}, std::pair{&by_key_, KeyOfName(name)}}) {
        if (key.empty() || key.size() > kMostNameBytes) continue;
        const auto [it, first] = map->try_emplace(key, joint);
        if (!first && it->second != joint) it->second = -1;
      }
    };
    for (int j = 0; j < rig.joints(); ++j) add(rig.joint_paths()[static_cast<size_t>(j)], j);
    // A joint's own name takes precedence over another's alias.
    Map aliases;
    for (size_t j = 0; j < rig.joint_aliases().size(); ++j) {
      const std::string key = KeyOfName(rig.joint_aliases()[j]);
      if (!key.empty()) aliases.try_emplace(key, static_cast<int>(j));
    }
    by_key_.insert(aliases.begin(), aliases.end());
  }

  int Find(const NamingConvention::Name& name, absl::string_view prefix,
           absl::string_view suffix) const {
    if (prefix.empty() && suffix.empty()) {
      if (const int joint = At(exact_, name.text); joint >= 0) return joint;
      return At(by_key_, name.key);
    }
    return At(by_key_, absl::StrCat(prefix, name.key, suffix));
  }

  // Returns the text before and after the convention's hips or head in names of joints.
  std::vector<std::pair<std::string, std::string>> Affixes(const NamingConvention& by) const {
    absl::flat_hash_set<std::pair<std::string, std::string>> found = {{}};
    for (const NamingConvention::Name& name : by.names) {
      if (name.bone != HumanBone::kHips && name.bone != HumanBone::kHead) continue;
      for (const auto& [key, joint] : by_key_) {
        if (joint < 0) continue;
        const size_t at = key.rfind(name.key);
        if (at == std::string::npos) continue;
        found.emplace(key.substr(0, at), key.substr(at + name.key.size()));
      }
    }
    std::vector<std::pair<std::string, std::string>> out(found.begin(), found.end());
    // Hash maps have no order: the shortest are the most likely.
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      const size_t is = a.first.size() + a.second.size(), other = b.first.size() + b.second.size();
      return is != other ? is < other : a < b;
    });
    if (out.size() > kMostAffixes) out.resize(kMostAffixes);
    return out;
  }

 private:
  using Map = absl::flat_hash_map<std::string, int>;

  static int At(const Map& map, const std::string& key) {
    const auto it = map.find(key);
    return it == map.end() ? -1 : it->second;
  }

  Map exact_, by_key_;
};

bool MostEndInNumbers(const Rig& rig) {
  int numbered = 0;
  for (const std::string& path : rig.joint_paths()) {
    const absl::string_view name = WithoutNameSpace(path);
    numbered += WithoutNumber(name).size() < name.size() ? 1 : 0;
  }
  return 4 * numbered >= 3 * rig.joints();
}

// A rig's names in the forms in which conventions may find them.
class NamesOfRig {
 public:
  explicit NamesOfRig(const Rig& rig) : rig_(rig), joints_(rig, false) {
    if (MostEndInNumbers(rig)) without_numbers_.emplace(rig, true);
  }

  NamedBones Best(absl::Span<const NamingConvention> conventions) const {
    NamedBones best;
    best.joints.fill(-1);
    Consider(joints_, conventions, best);
    if (best.count < kWholeBody && without_numbers_) {
      Consider(*without_numbers_, conventions, best);
    }
    return best;
  }

 private:
  void Consider(const KeyedJoints& joints, absl::Span<const NamingConvention> conventions,
                NamedBones& best) const {
    for (const NamingConvention& convention : conventions) {
      Consider(joints, convention, "", "", best);
    }
    // If plain names give a whole body, no prefix needs to be searched.
    if (best.count >= kWholeBody) return;
    for (const NamingConvention& convention : conventions) {
      for (const auto& [prefix, suffix] : joints.Affixes(convention)) {
        Consider(joints, convention, prefix, suffix, best);
      }
    }
  }

  void Consider(const KeyedJoints& joints, const NamingConvention& by, absl::string_view prefix,
                absl::string_view suffix, NamedBones& best) const {
    NamedBones found;
    found.convention = &by;
    found.joints.fill(-1);
    std::vector<bool> taken(static_cast<size_t>(rig_.joints()), false);
    for (const NamingConvention::Name& name : by.names) {
      int16_t& joint = found.joints[static_cast<size_t>(name.bone)];
      if (joint >= 0) continue;
      const int at = joints.Find(name, prefix, suffix);
      if (at < 0 || taken[static_cast<size_t>(at)]) continue;
      taken[static_cast<size_t>(at)] = true;
      joint = static_cast<int16_t>(at);
      ++found.count;
    }
    const bool bare = prefix.empty() && suffix.empty();
    if (found.count > best.count && (bare || found.count >= kLeastAffixed)) best = found;
  }

  const Rig& rig_;
  const KeyedJoints joints_;
  std::optional<KeyedJoints> without_numbers_;
};

}  // namespace

absl::string_view NamingConvention::NameOf(HumanBone bone) const {
  for (const Name& name : names) {
    if (name.bone == bone) return name.text;
  }
  return {};
}

std::string KeyOfName(absl::string_view name) {
  std::string key;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || absl::ascii_isalnum(byte)) key.push_back(absl::ascii_tolower(byte));
  }
  return key;
}

absl::StatusOr<std::vector<NamingConvention>> ParseNamings(absl::string_view text) {
  return NamingParser().Parse(text);
}

const absl::StatusOr<std::vector<NamingConvention>>& BuiltinNamings() {
  static const auto* const builtin = new absl::StatusOr<std::vector<NamingConvention>>([] {
    auto parsed = ParseNamings(BuiltinData("conventions.bones"));
    if (parsed.ok()) return parsed;
    return absl::StatusOr<std::vector<NamingConvention>>(
        absl::InternalError(absl::StrCat("conventions.bones: ", parsed.status().message())));
  }());
  return *builtin;
}

NamedBones NameBones(const Rig& rig, absl::Span<const NamingConvention> conventions) {
  return NamesOfRig(rig).Best(conventions);
}

std::vector<NamedBones> NameBonesByEach(const Rig& rig,
                                        absl::Span<const NamingConvention> conventions) {
  const NamesOfRig names(rig);
  std::vector<NamedBones> out;
  for (const NamingConvention& convention : conventions) {
    out.push_back(names.Best({&convention, 1}));
  }
  return out;
}

}  // namespace posewire::skel
