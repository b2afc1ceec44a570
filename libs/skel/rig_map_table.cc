#include "libs/skel/rig_map_table.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace posewire::skel {
namespace {

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
    if (words.size() != 6 || words[0] != "map") {
      return Fault(number, "write map KIND HANIM ACE UNITY REST");
    }
    RigMapRow row;
    if (words[1] == "root") {
      row.kind = RigMapRow::Kind::kRoot;
    } else if (words[1] == "site") {
      row.kind = RigMapRow::Kind::kSite;
    } else if (words[1] != "joint") {
      return Fault(number, absl::StrCat("kind \"", words[1], "\": use joint, root or site"));
    }
    for (size_t i = 0; i < row.names.size(); ++i) {
      row.names[i] = words[2 + i] == "-" ? absl::string_view() : words[2 + i];
    }
    if (words[5] == "left") {
      row.rest = RigMapRow::Rest::kLeft;
    } else if (words[5] == "right") {
      row.rest = RigMapRow::Rest::kRight;
    } else if (words[5] != "none") {
      return Fault(number, absl::StrCat("rest \"", words[5], "\": use none, left or right"));
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace posewire::skel
