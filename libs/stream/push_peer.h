// Interface to the sender of one push, for its receiver.
#ifndef POSEWIRE_LIBS_STREAM_PUSH_PEER_H_
#define POSEWIRE_LIBS_STREAM_PUSH_PEER_H_

#include "absl/status/status.h"
#include "libs/wire/chunk.h"

namespace posewire::stream {

enum class PushEnd { kHalfClosed, kCancelled, kFault };

struct PushAnswer {
  absl::Status status;       // status of the call
  wire::StatusChunk answer;  // the response, if the status is OK
};

// Called by the receiver of the push, on its thread.
class PushPeer {
 public:
  virtual ~PushPeer() = default;
  // Continue reading after a pause.
  virtual void ReadOn() = 0;
  // The last call: the push has ended.
  virtual void Finish(const PushAnswer& answer) = 0;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_PUSH_PEER_H_
