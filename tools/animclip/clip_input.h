// Reads a clip file message by message: the bytes, and the chunk that the border makes of them.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLIP_INPUT_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLIP_INPUT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"

namespace posewire::animclip {

// Looser than a server's: a file may hold hours in one message, and has no ids when it was pulled
// by stream.
wire::ReaderLimits FileLimits();

// Errors name the file and the message's place in it. DATA_LOSS: the file is torn there.
class ClipInput {
 public:
  static absl::StatusOr<ClipInput> Open(const std::string& path,
                                        const wire::ReaderLimits& limits = FileLimits());
  ~ClipInput();
  ClipInput(ClipInput&&) noexcept;
  ClipInput& operator=(ClipInput&&) noexcept;

  // The next message as protobuf bytes, unchecked; false at the end.
  absl::StatusOr<bool> NextBytes(std::string* bytes);
  // The next message, checked by the rules of the stream; false at the end.
  absl::StatusOr<bool> NextChunk(wire::Chunk* chunk);
  // Checks what NextBytes returned last.
  absl::StatusOr<wire::Chunk> Check(absl::string_view bytes);

  // End of the last message, and the file's size (0 when it has none), in bytes.
  int64_t position() const;
  int64_t size() const;
  // Messages read so far.
  int64_t messages() const;
  const std::string& path() const;

 private:
  struct Impl;
  explicit ClipInput(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLIP_INPUT_H_
