// Pulls all avatars of a stream, each with a call of its own, and follows those that come and go.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PULL_CAST_PULL_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PULL_CAST_PULL_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/client/pull_client.h"
#include "libs/service/logger.h"
#include "services/renderer_sink/grpc/request_probe.h"
#include "services/renderer_sink/pull/cast.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

// Asks the server once a second which avatars there are. A server that does not say has one, which
// is pulled without a name, as is the first one of a stream that does not exist yet. One thread,
// and one for each avatar.
class CastPull {
 public:
  struct Options {
    client::PullOptions pull;  // of a stream, without a target
    SessionOptions session;    // of each avatar; with `until_end`
    bool until_end = false;    // ends when all pulls have ended
    std::function<bool()> stopped;
  };
  CastPull(Options options, service::Logger log);
  ~CastPull();

  // Returns the name of the stream's first avatar; "" if there is none, or the server does not say.
  std::string FirstTarget();
  // Runs until an avatar has had enough, or it is stopped, or, with `until_end`, all pulls have
  // ended. Errors: those of the cast, and of the server if it rejects the only pull. Closes the
  // cast.
  absl::Status Run(Cast& cast);

  // After Run: whether a pull has begun, and a line for each avatar.
  bool began() const;
  std::vector<std::string> Summaries(double late_s) const;

 private:
  class NotingEnd;
  struct Pull;
  void Look(Cast& cast, double now_s);
  absl::Status Open(Cast& cast, const AvatarThere& avatar);
  // Removes pulls that have ended. Returns whether one had enough.
  absl::StatusOr<bool> TakeEnded();
  absl::Status Stop();
  absl::Status Follow(Cast& cast);

  const Options options_;
  const service::Logger log_;
  RequestProbe probe_;
  std::vector<AvatarThere> listed_;
  bool lists_ = true;  // the server says which avatars there are
  double next_look_s_ = 0;
  std::vector<std::unique_ptr<Pull>> pulls_, ended_;
  std::set<std::string> refused_;  // logged
  bool too_many_ = false;          // logged
  absl::Status failure_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_CAST_PULL_H_
