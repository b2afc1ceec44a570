// Changes the speed of a clip, and the rate of its keys, message by message.
//
// A track with another rate has its keys at whole frames, from the one at or before its first key
// to the one at or after its last; between old keys they are interpolated, and old keys at a whole
// frame stay as they are. Each message gets the frames up to its last key, so that sound and
// metadata stay where they were.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_RETIMER_H_
#define POSEWIRE_TOOLS_ANIMCLIP_RETIMER_H_

#include <memory>
#include <optional>

#include "libs/timecode/frame_rate.h"
#include "tools/animclip/edit_clip.h"

namespace posewire::animclip {

struct Retiming {
  double speed = 1;  // 2: in half the time; above 0
  std::optional<timecode::FrameRate> rate = {};
  bool drop_audio = false;
};

class Retimer : public MessageEdit {
 public:
  explicit Retimer(const Retiming& how);
  ~Retimer() override;

  // FAILED_PRECONDITION for sound at another speed than 1, unless it is dropped.
  absl::StatusOr<bool> Apply(Message& message) override;
  bool Rest(Message& message) override;

  // Written so far, and where the last key of all stands.
  int64_t keys() const;
  double end_s() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_RETIMER_H_
