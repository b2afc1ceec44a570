#include "libs/stream/request_end.h"

namespace posewire::stream {

wire::EncodedFrame FinalStatus(Ending ending) {
  switch (ending) {
    case Ending::kStopped:
      return wire::EncodeStatus(wire::StatusChunk::kInfo, "the request was stopped");
    case Ending::kInterrupted:
      return wire::EncodeStatus(wire::StatusChunk::kInfo,
                                "the request was interrupted by a newer one");
    case Ending::kLost:
      return wire::EncodeStatus(wire::StatusChunk::kError, "the source of the request was lost");
    case Ending::kNone:
    case Ending::kEnded:
      break;
  }
  return wire::EncodeStatus(wire::StatusChunk::kSuccess, "the request has ended");
}

}  // namespace posewire::stream
