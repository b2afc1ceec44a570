// The sender's side of one push, for whoever takes it.
#ifndef POSEWIRE_LIBS_STREAM_PUSH_PEER_H_
#define POSEWIRE_LIBS_STREAM_PUSH_PEER_H_

#include "absl/status/status.h"
#include "libs/wire/chunk.h"

namespace posewire::stream {

enum class PushEnd { kHalfClosed, kCancelled, kFault };

struct PushAnswer {
  absl::Status status;       // of the call
  wire::StatusChunk answer;  // the message, when the status is OK
};

// Called by whoever takes the push, on its thread.
class PushPeer {
 public:
  virtual ~PushPeer() = default;
  // Read the next message: after a pause.
  virtual void ReadOn() = 0;
  // The last call: the push is ended.
  virtual void Finish(const PushAnswer& answer) = 0;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_PUSH_PEER_H_
