// All that is wrong with one graph.
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
  // Errors that are listed at most; what is noted beyond may be left out.
  static constexpr size_t kMost = 100;

  // `places` says where the parts of the graph were written; it outlives this.
  explicit Errors(const SourceMap& places) : places_(places) {}

  // `node "a", field clip: TEXT`, after its place. `field` may be empty.
  void Add(absl::string_view part, absl::string_view name, absl::string_view field,
           absl::string_view text);
  // Of what is no part of a graph; `text` says what.
  void Add(absl::string_view text);

  bool empty() const { return list_.empty(); }
  // INVALID_ARGUMENT lists them, a line each.
  absl::Status status() const;

 private:
  const SourceMap& places_;
  std::vector<std::string> list_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_ERRORS_H_
