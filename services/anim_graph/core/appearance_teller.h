// Who an avatar is shown as, and when its pulls are told.
//
// An appearance is a state, and metadata are sent once: a pull that comes later would never hear of
// it. So it is kept here, and told again to all pulls of the avatar when one of them begins, since
// all share one frame.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_APPEARANCE_TELLER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_APPEARANCE_TELLER_H_

#include <vector>

#include "libs/graph/variables.h"
#include "libs/wire/appearance.h"
#include "libs/wire/chunk.h"

namespace posewire::anim_graph {

// What sources sent last, and over it, part by part, the graph's variables that choose parts
// (ChoiceType.appearance). One thread. Allocates when something has changed or is to be told, at no
// other time.
class AppearanceTeller {
 public:
  // With the next Tick.
  void TellAgain() { again_ = true; }

  // Once a tick. Keeps what `metadata` has of it, and adds what is to be told.
  void Tick(const graph::Variables& variables, std::vector<wire::MetadataEntry>& metadata);

 private:
  bool Take(std::vector<wire::MetadataEntry>& metadata);
  bool ReadChoices(const graph::Variables& variables);

  wire::Appearance pushed_, told_;
  std::vector<int> chosen_;  // value of each variable that chooses a part
  bool again_ = false;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_APPEARANCE_TELLER_H_
