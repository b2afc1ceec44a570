// Targets and places on the body, shared by the build functions of looks, reach and camera.
#ifndef POSEWIRE_LIBS_GRAPH_LOADER_BUILD_TARGET_H_
#define POSEWIRE_LIBS_GRAPH_LOADER_BUILD_TARGET_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/graph/body_parts.h"
#include "libs/graph/goal_choice.h"
#include "libs/graph/target.h"
#include "libs/graph_loader/builder.h"

namespace posewire::graph {

// A joint or a site attached to it, optionally with its own direction.
struct BodyPlace {
  int joint = -1;
  skel::Vec3 offset;
  std::optional<skel::Quat> rotation = std::nullopt;
};

// Finds the name of a site of the rig, "head", "mouth", "chest" (the upper one) or "hips", or the
// name of a joint. `joint` is -1 if the rig has none of these; that is an error, unless the graph
// is for any rig.
BodyPlace PlaceOnBody(absl::string_view field, const std::string& name, Builder& b);

// Returns kind kNone after an error, and if no target is given, which is an error unless
// `optional`. The name "*", for each user or avatar, is an error unless `takes_each`.
Target MakeTarget(absl::string_view field, const v1::Target& from, bool optional, Builder& b,
                  bool takes_each = false);

// Returns for each value of a choice its index in `names`, or -1 for "none". Any other value is an
// error. Empty for a variable below 0.
std::vector<int> IndicesOfChoice(absl::string_view field, int variable,
                                 absl::Span<const std::string> names, bool none_is_one, Builder& b);

// For a node with goals of these names, of which at least one is required: returns the choice in
// the field `variable`, if it is set, and checks the names in that case.
GoalChoice MakeGoalChoice(absl::Span<const std::string> goals, const std::string& variable,
                          Builder& b);

// Reports names that are missing or given twice.
void CheckItemNames(absl::string_view field, absl::Span<const std::string> names, Builder& b);

// Returns `value`, or `usual` if it is 0. A value outside min..max is an error.
double PlainOr(absl::string_view field, double value, double usual, double min, double max,
               Builder& b);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_BUILD_TARGET_H_
