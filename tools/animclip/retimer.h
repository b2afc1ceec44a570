// Changes the speed of a clip, and the rate of its keys, message by message.
//
// With another rate, a track has keys at whole frames, from the one at or before its first key to
// the one at or after its last. They are interpolated between old keys; old keys at a whole frame
// are unchanged. Each message gets the frames up to its last key, so that audio and metadata keep
// their positions.
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

  // FAILED_PRECONDITION for audio at a speed other than 1, unless it is dropped.
  absl::StatusOr<bool> Apply(Message& message) override;
  bool Rest(Message& message) override;

  // Number of keys written so far, and the time of the last one.
  int64_t keys() const;
  double end_s() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_RETIMER_H_
