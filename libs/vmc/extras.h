// Extras: messages of a performer that a stream of poses has no field for, such as keys, MIDI,
// controllers, devices, lights, colours, models, calibration, and messages that an assistant passes
// through. A stream carries them as OSC bundles in its metadata, so that the next marionette
// receives them unchanged.
#ifndef POSEWIRE_LIBS_VMC_EXTRAS_H_
#define POSEWIRE_LIBS_VMC_EXTRAS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {

// Returns the part of a path after the last slash or backslash.
absl::string_view NameInPath(absl::string_view path);

// Whether a message is an extra: the stream has no field for it, and it is not only for performers.
bool IsExtra(const Message& message);

// Collects extras between two frames. Events (a key, a note, a controller's input, a message that
// passes through) are kept in order for at most kLongest_s, and sent once. Of each state (a light,
// a colour, a device, the model ...) only the newest message is kept. Paths on the sender's machine
// lose their folders.
//
// Capacity: kMostEvents, where a new event replaces the oldest, and kMostStates, where a new state
// is dropped. Events that wait too long, and messages of more than half of kMostBytes, are dropped
// too. dropped() counts all of these. Times are seconds of one clock. One thread.
class Extras {
 public:
  static constexpr size_t kMostEvents = 256, kMostStates = 128;
  static constexpr size_t kMostBytes = 8000;       // in a bundle
  static constexpr size_t kMostBundlesAFrame = 8;  // the rest waits for the next frame
  static constexpr double kLongest_s = 0.5;        // an event waits for a frame

  // Ignores messages that are not extras.
  void Take(const Message& message, double now_s);
  // Returns bundles for the next frame: events, and states that changed since the last call. With
  // `all`, also unchanged states, except those of devices. Valid until the next call.
  absl::Span<const std::string> Next(bool all, double now_s);
  // Forgets the states of a performer who has gone.
  void Forget() { states_.clear(); }

  uint64_t dropped() const { return dropped_; }

 private:
  struct State {
    std::string encoded;
    bool is_new = false, repeats = true;
  };
  void Keep(const Message& message, std::string key, bool repeats);

  DatagramPacker packer_{kMostBytes};
  struct Event {
    double at_s = 0;
    std::string encoded;
  };
  void DropOld(double now_s);

  std::deque<Event> events_;
  std::map<std::string, State> states_;  // by address, and name or serial
  uint64_t dropped_ = 0;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_EXTRAS_H_
