// How a request ends, which status its pulls get, and how long requests are waited for and
// remembered.
#ifndef POSEWIRE_LIBS_STREAM_REQUEST_END_H_
#define POSEWIRE_LIBS_STREAM_REQUEST_END_H_

#include <cstddef>

#include "libs/wire/frame_writer.h"

namespace posewire::stream {

enum class Ending { kNone, kEnded, kStopped, kInterrupted, kLost };

// Returns the final status for pulls with a request id.
wire::EncodedFrame FinalStatus(Ending ending);

// How long, and how many per stream, requests are remembered after they are over.
inline constexpr double kRemember_s = 600;
inline constexpr int kMaxRememberedRequests = 1024;
// How long a pull waits for an unknown request.
inline constexpr double kPullWait_s = 30;
// How long a broken-off push may be resumed.
inline constexpr double kResume_s = 30;
// A push that is being read and sends nothing for this long is dropped.
inline constexpr double kSilence_s = 30;
// Requests that wait for their turn.
inline constexpr int kMaxQueuedRequests = 8;
// A push is not read while this much of its data waits to be played.
inline constexpr double kBuffer_s = 30;
inline constexpr size_t kBufferBytes = 8u << 20;

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_REQUEST_END_H_
