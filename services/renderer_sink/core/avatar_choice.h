// Maps streams and avatars to the characters that show them, from the flag --avatar.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_AVATAR_CHOICE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_AVATAR_CHOICE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace posewire::renderer_sink {

// Characters are named as for character_file::OpenCharacter: "woman", "man" or a file; "" is the
// woman.
class AvatarChoice {
 public:
  AvatarChoice() = default;

  // Each text is WHO, the default, or ID=WHO. ID is a stream, or an avatar's target object id,
  // which takes precedence over its stream's, or a name by which a stream requests a character. A
  // text with a slash before its first "=" is a file: "./a=b.glb". INVALID_ARGUMENT for an id or a
  // default given twice, an invalid id, or an empty WHO.
  static absl::StatusOr<AvatarChoice> Parse(const std::vector<std::string>& texts);

  const std::string& Of(const std::string& stream_id, const std::string& target = "") const;
  // Returns the character for a name requested by a stream: one of these ids, "woman" or "man".
  // Nothing for others.
  std::optional<std::string> Named(const std::string& character) const;
  // Returns all characters that Of and Named may return; there may be duplicates.
  std::vector<std::string> All() const;

 private:
  std::string others_;
  std::map<std::string, std::string> by_id_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_AVATAR_CHOICE_H_
