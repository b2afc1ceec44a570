// The built-in graphs: one per avatar, made of nodes.
#ifndef POSEWIRE_LIBS_GRAPH_COMPOSITE_H_
#define POSEWIRE_LIBS_GRAPH_COMPOSITE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip_library.h"
#include "libs/graph/node.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

enum class GraphKind {
  kPassthrough,  // the providers alone over rest: no idle, no transitions
  kDefault,      // procedural idle + body gestures + face and body providers, eased at every switch
};

// The whole graph of one avatar. One thread; Tick does not allocate, lock or log.
class Composite {
 public:
  static std::unique_ptr<Composite> Make(GraphKind kind, std::shared_ptr<const skel::Rig> rig,
                                         std::shared_ptr<const clip::ClipLibrary> clips,
                                         uint64_t seed);
  virtual ~Composite() = default;

  // Evaluates tick k. `out` gets every element of the rig, all present. dt is the time since the
  // tick before (several periods when ticks were missed).
  virtual void Tick(int64_t tick, double time_s, double dt_s, const Inputs& inputs,
                    const skel::PoseSpan& out) = 0;
  // The clips behind the last pose.
  virtual const Contributions& contributions() const = 0;

  // Starts a gesture at the next tick; "none" ends the one that plays. NOT_FOUND lists the known
  // names; FAILED_PRECONDITION where the graph has no gestures (pass-through).
  virtual absl::Status SetGesture(absl::string_view name) = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_COMPOSITE_H_
