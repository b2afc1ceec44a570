// Messages of a performer that a stream of poses has no field for: keys, MIDI, controllers,
// devices, lights, colours, models, calibration, and whatever an assistant passes through. A stream
// carries them as OSC bundles in its metadata, so that the next marionette receives them as they
// were sent.
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

// Returns what follows the last slash or backslash.
absl::string_view NameInPath(absl::string_view path);

// Collects extras between two frames. Events (a key, a note, a controller's input, a message that
// passes through) are kept in order, each once. Of a state (a light, a colour, a device, the model
// ...), the newest is kept. Paths on the sender's machine lose their folders.
//
// Keeps at most kMostEvents and kMostStates; further ones are dropped and counted, and so are
// messages of more than kMostBytes. One thread.
class Extras {
 public:
  static constexpr size_t kMostEvents = 256, kMostStates = 128;
  static constexpr size_t kMostBytes = 8000;       // of a bundle
  static constexpr size_t kMostBundlesAFrame = 8;  // the rest waits for the next frame

  // Ignores messages whose content is in the stream itself, or only for a performer.
  void Take(const Message& message);
  // Returns bundles for the next frame: events, and states that are new since the last call. With
  // `all`, also other states but devices. Valid until the next call.
  absl::Span<const std::string> Next(bool all);

  uint64_t dropped() const { return dropped_; }

 private:
  struct State {
    std::string encoded;
    bool is_new = false, repeats = true;
  };
  void Keep(const Message& message, std::string key, bool repeats);

  DatagramPacker packer_{kMostBytes};
  std::deque<std::string> events_;
  std::map<std::string, State> states_;  // by address, and name or serial
  uint64_t dropped_ = 0;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_EXTRAS_H_
