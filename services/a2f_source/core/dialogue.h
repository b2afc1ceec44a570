// What several avatars say to each other, written down.
//
//   # Two people meet.
//   anna [slt]: Good morning, Ben!
//   ben [rms]: Good morning. How are you?
//   anna: Very well, thank you.
//
// One line a turn: who speaks, by target object id, in brackets the voice from here on, and what is
// said. Empty lines, and what begins with a "#", are left out.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_DIALOGUE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_DIALOGUE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::a2f_source {

struct Turn {
  int line;  // from 1
  std::string who;
  std::string voice;
  std::string text;
};

// Those who name no voice get one of `voices` each, in the order in which they first speak. With
// `others`, all names are voices.
// INVALID_ARGUMENT names the line, and what would be right: an id and a text in each, a voice that
// there is, at least one turn and at most 10,000.
absl::StatusOr<std::vector<Turn>> ReadDialogue(absl::string_view text,
                                               absl::Span<const std::string> voices,
                                               bool others = false);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_DIALOGUE_H_
