// Collects all errors of one graph.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_ERRORS_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_ERRORS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/graph_loader/source_map.h"

namespace posewire::graph {

class Errors {
 public:
  // Maximum number of listed errors; further ones may be dropped.
  static constexpr size_t kMost = 100;

  // `places` has the source locations of the graph's parts. It must outlive this.
  explicit Errors(const SourceMap& places) : places_(places) {}

  // Adds `node "a", field clip: TEXT`, with its source location in front. `field` may be empty.
  void Add(absl::string_view part, absl::string_view name, absl::string_view field,
           absl::string_view text);
  // Adds an error that belongs to no part of a graph.
  void Add(absl::string_view text);

  bool empty() const { return list_.empty(); }
  // INVALID_ARGUMENT lists the errors, one per line.
  absl::Status status() const;

 private:
  const SourceMap& places_;
  std::vector<std::string> list_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_ERRORS_H_
