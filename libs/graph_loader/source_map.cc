#include "libs/graph_loader/source_map.h"

#include "absl/strings/str_cat.h"

namespace posewire::graph {
namespace {

// Names cannot contain a zero byte.
std::string Key(absl::string_view part, absl::string_view name, absl::string_view field) {
  constexpr absl::string_view kZero("\0", 1);
  return absl::StrCat(part, kZero, name, kZero, field);
}

}  // namespace

void SourceMap::Note(absl::string_view part, absl::string_view name, absl::string_view field,
                     int line) {
  places_[Key(part, name, field)] = absl::StrCat(file_, ":", line, ": ");
}

std::string SourceMap::Where(absl::string_view part, absl::string_view name,
                             absl::string_view field) const {
  while (true) {
    const auto found = places_.find(Key(part, name, field));
    if (found != places_.end()) return found->second;
    if (field.empty()) return file_.empty() ? "" : absl::StrCat(file_, ": ");
    const size_t end = field.find_last_of(".[");
    field = field.substr(0, end == absl::string_view::npos ? 0 : end);
  }
}

void SourceMap::Add(const SourceMap& other) {
  for (const auto& [key, place] : other.places_) places_[key] = place;
}

}  // namespace posewire::graph
