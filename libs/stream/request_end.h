// How a request ends, what its pulls are told of it, and how long it is waited for and remembered.
#ifndef POSEWIRE_LIBS_STREAM_REQUEST_END_H_
#define POSEWIRE_LIBS_STREAM_REQUEST_END_H_

#include <cstddef>

#include "libs/wire/frame_writer.h"

namespace posewire::stream {

enum class Ending { kNone, kEnded, kStopped, kInterrupted, kLost };

// The last status of a pull with a request id, by how the request ended.
wire::EncodedFrame FinalStatus(Ending ending);

// Requests that are over are remembered for so long, and so many of them a stream.
inline constexpr double kRemember_s = 600;
inline constexpr int kMaxRememberedRequests = 1024;
// A pull waits so long for a request that is not known.
inline constexpr double kPullWait_s = 30;
// A push that broke off may go on for so long.
inline constexpr double kResume_s = 30;
// A push that is read, and brings nothing for so long, is given up.
inline constexpr double kSilence_s = 30;
// Pushes that wait for their turn.
inline constexpr int kMaxQueuedRequests = 8;
// A push that has so much waiting to be played is not read.
inline constexpr double kBuffer_s = 30;
inline constexpr size_t kBufferBytes = 8u << 20;

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_REQUEST_END_H_
