// The graph of one avatar, and the plan from which it is made.
#ifndef POSEWIRE_LIBS_GRAPH_GRAPH_INSTANCE_H_
#define POSEWIRE_LIBS_GRAPH_GRAPH_INSTANCE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/clip/clip_library.h"
#include "libs/graph/contributions.h"
#include "libs/graph/node.h"
#include "libs/graph/output_node.h"
#include "libs/graph/variables.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

class GraphInstance;

// What happens to a prop of the scene when an event fires; see PropAction in the .proto file.
struct PropAction {
  int event = 0;
  std::string prop, at, site, target;
  bool at_once = false;
};

// A checked graph with everything that it plays, for one rig. Immutable, shared by all threads.
class GraphAsset {
 public:
  virtual ~GraphAsset() = default;

  virtual const std::string& name() const = 0;
  virtual const std::shared_ptr<const skel::Rig>& rig() const = 0;
  virtual const std::shared_ptr<const VariableSet>& variables() const = 0;
  // Names of the events that can be fired; at most 64.
  virtual absl::Span<const std::string> events() const = 0;
  virtual absl::Span<const PropAction> prop_actions() const { return {}; }
  // Every clip, on the plan's rig.
  virtual const std::shared_ptr<const clip::ClipLibrary>& clips() const = 0;
  // Whether pushed poses are shown unchanged, with all translations.
  virtual bool passthrough() const = 0;
  // Returns a note for the caller who sets the variable to this (valid) text, if another clip plays
  // than the named one. Usually empty.
  virtual std::string NoteOn(int variable, absl::string_view text) const = 0;

  // Makes the graph of one avatar. Allocates; takes well under a millisecond. `self` is this plan.
  virtual std::unique_ptr<GraphInstance> Instantiate(std::shared_ptr<const GraphAsset> self,
                                                     uint64_t seed) const = 0;
};

// The graph of one avatar. One thread. Tick does not allocate, lock or log.
class GraphInstance {
 public:
  // `plan` keeps everything alive that the nodes refer to. `nodes` are the named nodes below `top`.
  GraphInstance(std::shared_ptr<const GraphAsset> asset, std::unique_ptr<Node> top,
                absl::flat_hash_map<std::string, Node*> nodes, uint64_t seed);

  const GraphAsset& asset() const { return *asset_; }
  const std::shared_ptr<const GraphAsset>& shared_asset() const { return asset_; }

  // Evaluates tick k. `out` gets every element of the rig, all present. dt is the time since the
  // previous tick (several periods if ticks were missed).
  void Tick(int64_t tick, double time_s, double dt_s, const Inputs& inputs,
            const skel::PoseSpan& out);
  // Outputs of the last tick.
  const TickOutputs& outputs() const { return outputs_; }

  // Whether ticks report the contributing clips, from the next tick on. Allocates if it changes.
  void TellContributions(bool tell);
  // Contributions of the last tick, heaviest first, at most ContributionStore::kMost. Null if they
  // are not reported.
  const ContributionList* contributions() const {
    return contributions_ == nullptr ? nullptr : &contributions_->list();
  }

  Variables& variables() { return variables_; }
  const Variables& variables() const { return variables_; }
  // The next tick will see the event.
  void Fire(int event) { fired_ |= uint64_t{1} << event; }

  // Replaces `old`: takes its variables, and the state of its nodes by name. Eases from `shown`,
  // the last pose of the old graph. Allocates.
  void TakeOver(GraphInstance& old, const skel::PoseView& shown);

 private:
  std::shared_ptr<const GraphAsset> asset_;
  OutputNode output_;
  absl::flat_hash_map<std::string, Node*> nodes_;
  Random rng_;
  Variables variables_;
  uint64_t fired_ = 0;
  TickOutputs outputs_;
  std::unique_ptr<ContributionStore> contributions_;
  // Replaced plans, whose clips may still be easing out.
  std::vector<std::shared_ptr<const GraphAsset>> before_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_GRAPH_INSTANCE_H_
