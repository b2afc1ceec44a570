// What the build functions of looks, reach and camera share: targets, and places on the body.
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

// A joint, or a site that hangs on it, perhaps with a direction of its own.
struct BodyPlace {
  int joint = -1;
  skel::Vec3 offset;
  std::optional<skel::Quat> rotation = std::nullopt;
};

// By the name of a site of the rig, "head", "mouth", "chest" (the upper one) or "hips", or the name
// of a joint. `joint` is -1 when the rig has none of it; that is an error, unless the graph is for
// any rig.
BodyPlace PlaceOnBody(absl::string_view field, const std::string& name, Builder& b);

// Of kind kNone after an error, and where nothing is given; that is an error unless `optional`. The
// name "*", for each user or avatar, is one unless the node takes it.
Target MakeTarget(absl::string_view field, const v1::Target& from, bool optional, Builder& b,
                  bool takes_each = false);

// Which of `names` each value of a choice means, -1 where it is "none". A value that is neither is
// an error. Empty for a variable below 0.
std::vector<int> IndicesOfChoice(absl::string_view field, int variable,
                                 absl::Span<const std::string> names, bool none_is_one, Builder& b);

// Of a node with goals of these names, where there must be one: the choice in the field `variable`,
// if one is named there. Their names are checked then.
GoalChoice MakeGoalChoice(absl::Span<const std::string> goals, const std::string& variable,
                          Builder& b);

// Notes names that are missing or given twice.
void CheckItemNames(absl::string_view field, absl::Span<const std::string> names, Builder& b);

// `value`, or `usual` where it is 0; outside min..max is an error.
double PlainOr(absl::string_view field, double value, double usual, double min, double max,
               Builder& b);

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_LOADER_BUILD_TARGET_H_
