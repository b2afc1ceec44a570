// Adjusts an avatar's speaking speed to how lively it is.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_GRPC_ACTIVITY_TEMPO_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_GRPC_ACTIVITY_TEMPO_H_

#include <memory>
#include <string>

#include "libs/client/connection.h"

namespace posewire::a2f_source {

// Asks the compositor for the variable `activity`, which controls how often and how far hands move
// in the default graph. At the variable's default the tempo is 1. Each tenth more or less changes
// it by 3 %, so that the default graph's 0 is 0.79 and its 1 is 1.09: excited people speak up to a
// third faster than sad ones (Murray and Arnott, "Toward the simulation of emotion in synthetic
// speech", JASA 93, 1993). Thread-safe.
class ActivityTempo {
 public:
  // Makes no call yet.
  explicit ActivityTempo(const client::ConnectionOptions& options);
  ~ActivityTempo();
  ActivityTempo(const ActivityTempo&) = delete;
  ActivityTempo& operator=(const ActivityTempo&) = delete;

  // Returns `speed` times the tempo, within the 0.5 to 2 that voices support. Returns `speed` if
  // the compositor has no such number, is not reachable, or does not answer within a second. Blocks
  // for up to that long.
  double Of(const std::string& stream_id, const std::string& target_id, double speed) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_GRPC_ACTIVITY_TEMPO_H_
