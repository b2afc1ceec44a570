#include "libs/skel/rig_map_table.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/skel/builtin_data.h"

namespace posewire::skel {
namespace {

constexpr size_t kWords = 2 + kRigNamings;

absl::Status Fault(int line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("rig map line ", line, ": ", what));
}

}  // namespace

absl::StatusOr<std::vector<RigMapRow>> ParseRigMap(absl::string_view text) {
  std::vector<RigMapRow> rows;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    if (words.size() != kWords || words[0] != "map") {
      return Fault(number, "write map BONE REST HANIM_V1 HANIM_V2 ACE VRM1 MIXAMO VROID SMPLX");
    }
    RigMapRow row;
    const std::optional<HumanBone> bone = FindHumanBone(words[1]);
    if (!bone) return Fault(number, absl::StrCat("\"", words[1], "\" is no bone of a human"));
    row.bone = *bone;
    if (words[2] == "left") {
      row.rest = RigMapRow::Rest::kLeft;
    } else if (words[2] == "right") {
      row.rest = RigMapRow::Rest::kRight;
    } else if (words[2] != "none") {
      return Fault(number, absl::StrCat("rest \"", words[2], "\": use none, left or right"));
    }
    row.names = {words[3], words[4], words[5], words[1], words[6], words[7], words[8], words[9]};
    for (absl::string_view& name : row.names) {
      if (name == "-") name = {};
    }
    rows.push_back(row);
  }
  return rows;
}

absl::StatusOr<std::vector<RigMapRow>> BuiltinRigMap() {
  absl::StatusOr<std::vector<RigMapRow>> rows = ParseRigMap(BuiltinData("rig_map.map"));
  if (!rows.ok()) return absl::InternalError(rows.status().message());
  return rows;
}

}  // namespace posewire::skel
