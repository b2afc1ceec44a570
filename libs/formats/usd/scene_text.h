// Parts of a scene of clips as text: times, props. Internal to libs/formats/usd.
#ifndef POSEWIRE_LIBS_FORMATS_USD_SCENE_TEXT_H_
#define POSEWIRE_LIBS_FORMATS_USD_SCENE_TEXT_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/asset/scene.h"

namespace posewire::usd {

// Returns the time code that gives exactly these seconds when divided by the rate.
std::optional<double> TimeCode(double time_code_s, double rate);
// The same, or the nearest one.
double CodeOf(double time_code_s, double rate);

// Returns the fewest digits that read back as the same number.
std::string NumberText(double number);

// Returns the attributes of a prop's prim: its shape and size, and where it is over time. Lines are
// indented by one level.
std::string PropAttributes(const asset::SceneProp& prop, double rate);
// Returns the prim of a prop, with a solid of its size for programs that do not know its shape.
std::string PropText(const asset::SceneProp& prop, const std::string& prim, double rate);

// Returns the prim of a clip's camera; "" if it has none. Lines are indented by one level.
std::string CameraText(const asset::Motion& motion, double rate);
inline constexpr char kVoicePrim[] = "Voice";
// Returns the prim of a sound that plays once. Lines are indented by one level.
std::string VoiceText(const asset::VoiceFile& voice, double rate);
// Returns the frame with which a sound ends: a frame lasts until the next one.
double LastFrameOf(const asset::VoiceFile& voice, double rate);

// Writes text with all lines indented further, by one level. `at_start`: whether a line begins.
absl::Status PutIndented(absl::string_view text, bool& at_start, asset::PutBytes put,
                         absl::string_view by = "    ");

// Returns the metadata of a SkelAnimation "/Animation" of value clips, of which each is active from
// its start on. Files are in the form of AssetOf, times are time codes.
std::string ClipsMetadata(absl::Span<const double> starts, absl::Span<const std::string> files,
                          absl::string_view manifest, double first, double last);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_SCENE_TEXT_H_
