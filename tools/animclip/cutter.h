// Cuts a stream of messages to a span of time, message by message.
//
// Keeps the keys between the two times, with time codes counted from the first time. A track
// without a key at one of the two times, but with keys on both sides of it, gets an interpolated
// one there, so that the cut plays exactly like the original. Audio is cut to the sample. Unknown
// fields of a message are kept.
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

  // Cuts a message in place; call in the order of the stream. Returns false if nothing of it is
  // left.
  bool Cut(nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // Records how far the clip goes, as Cut does: for callers who remove parts of a message before
  // that.
  void See(const nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // Returns keys of tracks that ended before `from_s` and are held from there; false if there are
  // none. Write them after the last data.
  bool Rest(nvidia_ace::animation_data::v1::AnimationDataStream& message);

  // Counts of what was kept.
  int64_t keys() const;
  int64_t samples() const;

  // The end of the original clip, and the duration of its last frame. The last key represents a
  // frame, so that a second of 30 keys ends at its last key or a frame later.
  double end_s() const;
  double frame_s() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CUTTER_H_
