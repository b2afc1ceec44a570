#include "libs/skel/rig_parser.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/skel/builtin_data.h"
#include "libs/skel/lines_of_words.h"
#include "libs/skel/path_index.h"

namespace posewire::skel {
namespace {

constexpr float kUnitSlack = 1e-2f;

// Parses the lines of a file; each keyword has one member that reads its words.
class Parser {
 public:
  absl::StatusOr<RigParts> Parse(absl::string_view text) {
    if (absl::Status s = EachLineOfWords(text, [this](Words words) { return Line(words); });
        !s.ok()) {
      return s;
    }
    if (absl::Status s = Finish(); !s.ok()) return s;
    return std::move(parts_);
  }

 private:
  absl::Status Line(Words words) {
    const absl::string_view key = words[0];
    words.remove_prefix(1);
    if (key == "rig") return Name(words);
    if (key == "stance") return StanceOf(words);
    if (key == "joint") return Joint(words);
    if (key == "shapes") return ShapeList(words);
    if (key == "shape") return Shape(words);
    if (key == "site") return SiteOf(words);
    if (key == "limit") return Limit(words);
    if (key == "stiffness") return Stiffness(words);
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", key,
        "\" is unknown: use rig, stance, joint, shapes, shape, site, limit or stiffness"));
  }

  static absl::Status Form(absl::string_view form) {
    return absl::InvalidArgumentError(absl::StrCat("wrong number of words: write ", form));
  }

  static absl::Status Numbers(Words words, float* out) {
    for (const absl::string_view word : words) {
      if (!absl::SimpleAtof(word, out) || !std::isfinite(*out)) {
        return absl::InvalidArgumentError(absl::StrCat("\"", word, "\" is not a finite number"));
      }
      ++out;
    }
    return absl::OkStatus();
  }

  // Parses X Y Z, or X Y Z QW QX QY QZ; the rotation defaults to identity.
  static absl::Status Placed(Words words, Vec3* t, Quat* q) {
    float v[7] = {0, 0, 0, 1, 0, 0, 0};
    if (absl::Status s = Numbers(words, v); !s.ok()) return s;
    *t = {v[0], v[1], v[2]};
    *q = {v[3], v[4], v[5], v[6]};
    if (std::fabs(std::sqrt(Dot(*q, *q)) - 1) > kUnitSlack) {
      return absl::InvalidArgumentError("the rotation is not of unit length");
    }
    *q = Normalized(*q);
    return absl::OkStatus();
  }

  absl::Status Name(Words words) {
    if (words.size() != 1) return Form("rig NAME");
    if (!parts_.name.empty()) return absl::InvalidArgumentError("a file names one rig");
    parts_.name = std::string(words[0]);
    return absl::OkStatus();
  }

  absl::Status StanceOf(Words words) {
    if (words.size() == 1 && words[0] == "arms_down") {
      parts_.stance = Stance::kArmsDown;
    } else if (words.size() == 1 && words[0] == "t_pose") {
      parts_.stance = Stance::kTPose;
    } else {
      return absl::InvalidArgumentError("write stance arms_down or stance t_pose");
    }
    return absl::OkStatus();
  }

  absl::Status Joint(Words words) {
    if (words.size() != 5 && words.size() != 9) return Form("joint PATH ALIAS X Y Z [QW QX QY QZ]");
    Vec3 t;
    Quat q;
    if (absl::Status s = Placed(words.subspan(2), &t, &q); !s.ok()) return s;
    joint_by_path_.Add(words[0]);
    parts_.joint_paths.emplace_back(words[0]);
    parts_.joint_aliases.emplace_back(words[1] == "-" ? absl::string_view() : words[1]);
    parts_.rest_translations.push_back(t);
    parts_.rest_rotations.push_back(q);
    return absl::OkStatus();
  }

  absl::Status ShapeList(Words words) {
    if (words.size() != 1) return Form("shapes LIST");
    absl::StatusOr<std::vector<std::string>> names = BuiltinShapes(words[0]);
    if (!names.ok()) return names.status();
    parts_.shapes.insert(parts_.shapes.end(), names->begin(), names->end());
    return absl::OkStatus();
  }

  absl::Status Shape(Words words) {
    if (words.size() != 1) return Form("shape NAME");
    parts_.shapes.emplace_back(words[0]);
    return absl::OkStatus();
  }

  absl::StatusOr<int> JointNamed(absl::string_view path) const {
    const PathIndex::Match match = joint_by_path_.Find(path);
    if (match.index >= 0) return match.index;
    return absl::InvalidArgumentError(
        absl::StrCat("joint \"", path,
                     match.several ? "\" means several joints: write more of the path"
                                   : "\" is not one of the joints above this line"));
  }

  absl::Status SiteOf(Words words) {
    if (words.size() != 5 && words.size() != 9) return Form("site NAME JOINT X Y Z [QW QX QY QZ]");
    const absl::StatusOr<int> joint = JointNamed(words[1]);
    if (!joint.ok()) return joint.status();
    Site site{std::string(words[0]), *joint, {}, std::nullopt};
    Quat q;
    if (absl::Status s = Placed(words.subspan(2), &site.offset, &q); !s.ok()) return s;
    if (words.size() == 9) site.rotation = q;
    parts_.sites.push_back(std::move(site));
    return absl::OkStatus();
  }

  absl::Status Limit(Words words) {
    if (words.size() != 7) return Form("limit JOINT MINX MINY MINZ MAXX MAXY MAXZ");
    const absl::StatusOr<int> joint = JointNamed(words[0]);
    if (!joint.ok()) return joint.status();
    float v[6];
    if (absl::Status s = Numbers(words.subspan(1), v); !s.ok()) return s;
    for (int i = 0; i < 3; ++i) {
      if (v[i] > v[i + 3]) {
        return absl::InvalidArgumentError(
            absl::StrCat("the smallest angle ", v[i], " is above the largest, ", v[i + 3]));
      }
    }
    limits_[*joint] = {Vec3{v[0], v[1], v[2]} * kDeg, Vec3{v[3], v[4], v[5]} * kDeg};
    return absl::OkStatus();
  }

  absl::Status Stiffness(Words words) {
    if (words.size() != 4) return Form("stiffness JOINT X Y Z");
    const absl::StatusOr<int> joint = JointNamed(words[0]);
    if (!joint.ok()) return joint.status();
    float v[3];
    if (absl::Status s = Numbers(words.subspan(1), v); !s.ok()) return s;
    for (const float share : v) {
      if (share >= 0 && share <= 1) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "the stiffness ", share, " is not within 0 (turns freely) and 1 (not at all)"));
    }
    stiffness_[*joint] = {v[0], v[1], v[2]};
    return absl::OkStatus();
  }

  absl::Status Finish() {
    if (parts_.name.empty()) return absl::InvalidArgumentError("the line \"rig NAME\" is missing");
    if (!stiffness_.empty()) parts_.stiffness.resize(parts_.joint_paths.size());
    for (const auto& [joint, of] : stiffness_) parts_.stiffness[static_cast<size_t>(joint)] = of;
    if (limits_.empty()) return absl::OkStatus();
    for (size_t i = 0; i < parts_.joint_paths.size(); ++i) {
      const auto it = limits_.find(static_cast<int>(i));
      if (it == limits_.end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("joint \"", parts_.joint_paths[i],
                         "\" has no limit: give one for every joint or for none"));
      }
      parts_.limits.push_back(it->second);
    }
    return absl::OkStatus();
  }

  RigParts parts_;
  PathIndex joint_by_path_;  // views into the text
  absl::flat_hash_map<int, JointLimit> limits_;
  absl::flat_hash_map<int, Vec3> stiffness_;  // of joints that have some
};

void AppendShapes(absl::string_view file, std::vector<std::string>& names) {
  for (absl::string_view line : absl::StrSplit(BuiltinData(file), '\n')) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() == 2 && words[0] == "shape") names.emplace_back(words[1]);
  }
}

}  // namespace

absl::StatusOr<RigParts> ParseRigParts(absl::string_view text) { return Parser().Parse(text); }

absl::StatusOr<std::vector<std::string>> BuiltinShapes(absl::string_view name) {
  std::vector<std::string> names;
  if (name != "arkit52" && name != "arkit68") {
    return absl::InvalidArgumentError(
        absl::StrCat("shape list \"", name, "\" is unknown: use arkit52 or arkit68"));
  }
  AppendShapes("arkit52.shapes", names);
  if (name == "arkit68") AppendShapes("tongue16.shapes", names);
  return names;
}

}  // namespace posewire::skel
