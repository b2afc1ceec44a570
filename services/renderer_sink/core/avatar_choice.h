// Who is shown for which stream, as --avatar says it.
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

  // Each text is WHO, for all that have nobody of their own, or ID=WHO for a stream, or for an
  // avatar by its target object id, which goes before its stream's, or for a name by which a stream
  // asks for a character. What has a slash before its first "=" is a file: "./a=b.glb".
  // INVALID_ARGUMENT for an id, or all, said twice, an id that none can be, or nobody after the
  // "=".
  static absl::StatusOr<AvatarChoice> Parse(const std::vector<std::string>& texts);

  const std::string& Of(const std::string& stream_id, const std::string& target = "") const;
  // Who is meant when a stream names its character: one of these ids, "woman" or "man". Others are
  // not known.
  std::optional<std::string> Named(const std::string& character) const;
  // All that Of and Named may give; some may be the same.
  std::vector<std::string> All() const;

 private:
  std::string others_;
  std::map<std::string, std::string> by_id_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_AVATAR_CHOICE_H_
