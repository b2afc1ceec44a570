// The identity of a caller, and the directory that maps streams to servers. Checked before any
// state changes.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_

#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"

namespace posewire::anim_graph {

struct CallContext {
  std::string identity;  // stream::Authorizer's name for the caller
  wire::StreamIds ids;
  std::string peer;
  std::string traceparent = {};
};

struct Here {};
struct At {
  std::string address;
};
struct Nowhere {};
using Location = std::variant<Here, At, Nowhere>;

class StreamDirectory {
 public:
  virtual ~StreamDirectory() = default;
  // Callable from any thread.
  virtual Location Locate(absl::string_view stream_id) const = 0;
};

// A directory for a single process that holds all streams.
class AllHere : public StreamDirectory {
 public:
  Location Locate(absl::string_view) const override { return Here{}; }
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
