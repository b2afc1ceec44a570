// Parses the text of a dialogue between several avatars.
//
//   # Two people meet.
//   anna [slt]: Good morning, Ben!
//   ben [rms]: Good morning. How are you?
//   anna: Very well, thank you.
//
// One line per turn: the speaker's target object id, optionally in brackets the voice from here on,
// and the text. Empty lines and lines that begin with "#" are ignored.
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

// Parses a dialogue. Speakers without a voice get one of `voices` each, in the order in which they
// first speak. With `others`, any voice name is accepted.
// INVALID_ARGUMENT names the line and what would be valid: an id and a text in each line, a known
// voice, at least one turn and at most 10,000.
absl::StatusOr<std::vector<Turn>> ReadDialogue(absl::string_view text,
                                               absl::Span<const std::string> voices,
                                               bool others = false);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_DIALOGUE_H_
