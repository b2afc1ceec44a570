#include "libs/service/connection_log.h"

#include <utility>

namespace posewire::service {

std::function<void(const client::ConnectionEvent&)> ConnectionLog(Logger log) {
  return [log = std::move(log)](const client::ConnectionEvent& event) {
    const bool good = event.kind == client::ConnectionEvent::kConnected ||
                      (event.kind == client::ConnectionEvent::kResumed && event.lost_s == 0);
    const LogLevel level = event.minor ? LogLevel::kDebug
                           : good      ? LogLevel::kInfo
                                       : LogLevel::kWarning;
    log.Write(level, "connection",
              {{"stream_id", event.stream_id},
               {"address", event.address},
               {"what", client::Describe(event)}});
  };
}

}  // namespace posewire::service
