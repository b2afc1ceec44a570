// What the pictures of a clip have in common: the span that is drawn, and the line of facts.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_VIEW_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_VIEW_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/skel/rig.h"
#include "libs/wire/source_binding.h"
#include "tools/animclip/clip_facts.h"

namespace posewire::animclip {

struct ClipSpan {
  double start_s, end_s;
};

// The clip's own ends where none is given. INVALID_ARGUMENT for an end before the start.
absl::StatusOr<ClipSpan> ChooseSpan(std::optional<double> from_s, std::optional<double> to_s,
                                    const ClipFacts& facts);

// Length, keys, names, rig and voice.
std::string SubtitleOf(const ClipFacts& facts, const skel::Rig& rig,
                       const wire::SourceBinding& binding);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_VIEW_H_
