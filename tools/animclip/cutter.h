// Cuts a stream of messages to a span of time, message by message.
//
// Keys between the two times stay, with codes counted from the first time. A track that has no key
// at either end but keys on both sides gets an interpolated one there, so that the cut plays just
// as the original did. Audio is cut to the sample. What is unknown in a message is kept.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CUTTER_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CUTTER_H_

#include <memory>

#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::animclip {

class Cutter {
 public:
  // `to_s` may be infinite.
  Cutter(double from_s, double to_s);
  ~Cutter();
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;

  // Cuts a message in place, in the order of the stream. False: nothing of it is left.
  bool Cut(nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // Keys of tracks that ended before `from_s` and are held from there; false when there are none.
  // To be written after the last data.
  bool Rest(nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // Counts of what was kept.
  int64_t keys() const;
  int64_t samples() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CUTTER_H_
