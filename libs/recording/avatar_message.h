// The messages of further avatars in an .animdata file.
//
// The first avatar's messages are in the file as they are. One of another avatar is in field 1002
// of a message without a part, which readers that do not know it take for a sign of life. So they
// read the recording of the first avatar. See docs/adr/0049-several-avatars-in-a-recording.md.
#ifndef POSEWIRE_LIBS_RECORDING_AVATAR_MESSAGE_H_
#define POSEWIRE_LIBS_RECORDING_AVATAR_MESSAGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/read_options.h"
#include "libs/asset/scene.h"
#include "libs/files/byte_source.h"

namespace posewire::recording {

struct AvatarMessage {
  uint32_t avatar = 0;       // 0: the first one
  std::string message = "";  // empty: only the place
  std::optional<asset::GroundPlace> place = {};
};

// Returns the message of the file that holds this one.
std::string WrapAvatarMessage(const AvatarMessage& message);
// Returns nothing for any other message of a file. A place over 1000 km away is left out.
std::optional<AvatarMessage> ReadAvatarMessage(absl::string_view message);

// Numbers the avatars of a file as characters of a scene: the first one, then the others in the
// order of their headers.
class AvatarOrder {
 public:
  // Adds a message of the file, in its order. Returns the character that it is of; nothing if that
  // has no header yet, or there are too many.
  std::optional<size_t> CharacterOf(const AvatarMessage& message);

 private:
  std::vector<uint32_t> avatars_ = {0};  // by character
};

// Returns the avatars of a recording, their places, and the props of the first one's messages. No
// characters: it is of one avatar, which is known from its beginning, and nothing more is read.
// Names are those of their targets. RESOURCE_EXHAUSTED if the props move too often; faults of the
// file end the list, and are reported by its readers.
absl::StatusOr<asset::Scene> ReadAnimDataScene(std::unique_ptr<files::ByteSource> source,
                                               const asset::ReadOptions& options);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_AVATAR_MESSAGE_H_
