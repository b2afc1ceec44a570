// The messages of a pushed stream, made once and patched for each frame.
#ifndef POSEWIRE_TOOLS_LOADGEN_PUSH_MESSAGE_H_
#define POSEWIRE_TOOLS_LOADGEN_PUSH_MESSAGE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::loadgen {

// Full poses of the standard rig (94 joints, 52 shapes) and the numbered voice at 16 kHz: what the
// source of a speaking avatar sends, one frame a message. One thread.
class PushMessage {
 public:
  static absl::StatusOr<PushMessage> Make();

  std::string Header(const std::string& stream_id, double epoch_s) const;
  // Frame k of a 30 fps stream: 533 or 534 samples. Valid until the next call.
  const std::string& Frame(int64_t k);

 private:
  // One of the two lengths that a frame may have, with the places of its codes and its samples.
  struct Form {
    std::string bytes;
    std::vector<size_t> codes;
    size_t samples_at = 0;
    int64_t samples = 0;
  };
  explicit PushMessage(std::shared_ptr<const skel::Rig> rig);
  static Form MakeForm(const skel::Rig& rig, size_t samples);

  std::shared_ptr<const skel::Rig> rig_;
  Form forms_[2];
};

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_PUSH_MESSAGE_H_
