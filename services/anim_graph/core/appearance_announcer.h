// Announces the appearance of an avatar (character and look) to its pulls.
//
// An appearance is a state, but each metadata entry is sent only once, so a pull that opens later
// would never receive it. AppearanceAnnouncer therefore keeps the appearance, and sends it again to
// all pulls of the avatar whenever one of them begins, because all pulls share one frame.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_APPEARANCE_ANNOUNCER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_APPEARANCE_ANNOUNCER_H_

#include <utility>
#include <vector>

#include "libs/graph/variables.h"
#include "libs/wire/appearance.h"
#include "libs/wire/chunk.h"

namespace posewire::anim_graph {

// Combines the appearance that sources sent last with the graph's variables that choose parts
// (ChoiceType.appearance); the variables win, part by part. Allocates only when the appearance has
// changed or is sent. One thread.
class AppearanceAnnouncer {
 public:
  // The appearance that sources sent last.
  const wire::Appearance& pushed() const { return pushed_; }
  void SetPushed(wire::Appearance appearance) {
    pushed_ = std::move(appearance);
    again_ = true;
  }
  // Sends the appearance again at the next Tick.
  void TellAgain() { again_ = true; }

  // Call once per tick. Takes the appearance out of `metadata`, and adds the combined one if it has
  // to be sent.
  void Tick(const graph::Variables& variables, std::vector<wire::MetadataEntry>& metadata);

 private:
  bool Take(std::vector<wire::MetadataEntry>& metadata);
  bool ReadChoices(const graph::Variables& variables);

  wire::Appearance pushed_, told_;
  std::vector<int> chosen_;  // value of each variable that chooses a part
  bool again_ = false;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_APPEARANCE_ANNOUNCER_H_
