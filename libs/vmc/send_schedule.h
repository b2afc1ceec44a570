// Which kinds of messages a performer sends with which frame.
#ifndef POSEWIRE_LIBS_VMC_SEND_SCHEDULE_H_
#define POSEWIRE_LIBS_VMC_SEND_SCHEDULE_H_

#include <cstdint>

#include "libs/vmc/messages.h"

namespace posewire::vmc {

// Obeys Set/Period (every n-th frame of each kind; what is below 1 counts as 1) and Set/Req (what
// is sent seldom goes with the next frame). One thread at a time.
class SendSchedule {
 public:
  // What is sent seldom goes with the first frame and every `seldom_frames`-th from there.
  explicit SendSchedule(int seldom_frames = 90) : seldom_frames_(seldom_frames) {}

  struct Due {
    bool status = true, root = true, bones = true, shapes = true, camera = true, devices = true;
    bool seldom = false;
  };
  // Of the next frame; counts on.
  Due Next();

  // Messages but these two are passed over.
  void Take(const Message& message);

 private:
  int seldom_frames_;
  SetPeriod period_;
  int64_t frame_ = 0;
  bool asked_ = false;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_SEND_SCHEDULE_H_
