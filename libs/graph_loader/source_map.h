// Where the parts of a graph stand in the files that they were written in, so that an error can say
// the line.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_SOURCE_MAP_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_SOURCE_MAP_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace posewire::graph {

// A part is a node, variable, arrangement, timeline, clip_alias or event of some name, or "output",
// which has none. Fields are as in errors: "below", "items[2].clip"; "" is the part as a whole.
class SourceMap {
 public:
  SourceMap() = default;
  // What is not noted stands somewhere in `file`.
  explicit SourceMap(std::string file) : file_(std::move(file)) {}

  // Lines count from 1.
  void Note(absl::string_view part, absl::string_view name, absl::string_view field, int line);
  // "FILE:LINE: " of the field, or of the nearest thing round it that was noted; "FILE: " where no
  // line is known, "" where no file is.
  std::string Where(absl::string_view part, absl::string_view name, absl::string_view field) const;
  // What `other` says of its parts stands before what was said of them here.
  void Add(const SourceMap& other);

 private:
  std::string file_;
  absl::flat_hash_map<std::string, std::string> places_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_SOURCE_MAP_H_
