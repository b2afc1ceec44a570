// Who calls, whether they may, and where the stream lives: asked before any state is touched.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_

#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"

namespace posewire::anim_graph {

struct CallContext {
  std::string identity;  // "" without authentication: then all callers are one
  wire::StreamIds ids;
  std::string peer;
};

enum class Verb { kPush, kPull, kControl };

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // OK, UNAUTHENTICATED or PERMISSION_DENIED. Any thread.
  virtual absl::Status Check(const CallContext& context, Verb verb) const = 0;
};

// Lets everyone do everything.
class AllowAll : public Authorizer {
 public:
  absl::Status Check(const CallContext&, Verb) const override { return absl::OkStatus(); }
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
  // Any thread.
  virtual Location Locate(absl::string_view stream_id) const = 0;
};

// One process holds all streams.
class AllHere : public StreamDirectory {
 public:
  Location Locate(absl::string_view) const override { return Here{}; }
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_CALL_CONTEXT_H_
