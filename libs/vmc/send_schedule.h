// Determines which kinds of messages a performer sends with which frame.
#ifndef POSEWIRE_LIBS_VMC_SEND_SCHEDULE_H_
#define POSEWIRE_LIBS_VMC_SEND_SCHEDULE_H_

#include <cstdint>

#include "libs/vmc/messages.h"

namespace posewire::vmc {

// Follows Set/Period (every n-th frame of each kind; values below 1 count as 1) and Set/Req (sends
// the rare messages with the next frame). One thread at a time.
class SendSchedule {
 public:
  // Rare messages are sent with the first frame and every `seldom_frames`-th after it.
  explicit SendSchedule(int seldom_frames = 90) : seldom_frames_(seldom_frames) {}

  struct Due {
    bool status = true, root = true, bones = true, shapes = true, camera = true, devices = true;
    bool seldom = false;
  };
  // Returns what to send with the next frame, and advances the count.
  Due Next();

  // Ignores all messages but these two.
  void Take(const Message& message);

 private:
  int seldom_frames_;
  SetPeriod period_;
  int64_t frame_ = 0;
  bool asked_ = false;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_SEND_SCHEDULE_H_
