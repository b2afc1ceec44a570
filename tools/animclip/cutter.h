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

  // Notes how far the clip goes, as Cut does: for who takes something out of a message before that.
  void See(const nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // Keys of tracks that ended before `from_s` and are held from there; false when there are none.
  // To be written after the last data.
  bool Rest(nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // Counts of what was kept.
  int64_t keys() const;
  int64_t samples() const;

  // Of the clip that was cut: where it ends, and how long its last frame is. The last key stands
  // for a frame, so that a second of 30 keys ends at its last key or a frame later.
  double end_s() const;
  double frame_s() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CUTTER_H_
