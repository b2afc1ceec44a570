// Source locations of a graph's parts, so that errors can report the line.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_SOURCE_MAP_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_SOURCE_MAP_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace posewire::graph {

// A part is a named node, variable, arrangement, timeline, clip_alias or event, or "output", which
// has no name. Fields are as in errors: "below", "items[2].clip"; "" is the whole part.
class SourceMap {
 public:
  SourceMap() = default;
  // Parts without a location are somewhere in `file`.
  explicit SourceMap(std::string file) : file_(std::move(file)) {}

  // Lines count from 1.
  void Note(absl::string_view part, absl::string_view name, absl::string_view field, int line);
  // Returns "FILE:LINE: " of the field, or of its nearest enclosing part with a location; "FILE: "
  // if no line is known, "" if no file is known.
  std::string Where(absl::string_view part, absl::string_view name, absl::string_view field) const;
  // Adds locations from `other`, which override those here.
  void Add(const SourceMap& other);

 private:
  std::string file_;
  absl::flat_hash_map<std::string, std::string> places_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_SOURCE_MAP_H_
