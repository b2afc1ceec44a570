#include "libs/graph_loader/errors.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/graph_loader/quoted.h"

namespace posewire::graph {

void Errors::Add(absl::string_view part, absl::string_view name, absl::string_view field,
                 absl::string_view text) {
  if (list_.size() > kMost) return;
  list_.push_back(absl::StrCat(places_.Where(part, name, field), part, " ", Quoted(name),
                               field.empty() ? "" : ", field ", field, ": ", text));
}

void Errors::Add(absl::string_view text) {
  if (list_.size() > kMost) return;
  const absl::string_view part = text.substr(0, text.find(':'));
  list_.push_back(absl::StrCat(places_.Where(part, "", ""), text));
}

absl::Status Errors::status() const {
  if (list_.empty()) return absl::OkStatus();
  if (list_.size() <= kMost) return absl::InvalidArgumentError(absl::StrJoin(list_, "\n"));
  return absl::InvalidArgumentError(
      absl::StrCat(absl::StrJoin(list_.begin(), list_.begin() + kMost, "\n"),
                   "\nand more: only the first ", kMost, " are listed"));
}

}  // namespace posewire::graph
