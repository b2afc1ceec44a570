// Logs what happens to the connections of push and pull clients.
#ifndef POSEWIRE_LIBS_SERVICE_CONNECTION_LOG_H_
#define POSEWIRE_LIBS_SERVICE_CONNECTION_LOG_H_

#include <functional>

#include "libs/client/connection.h"
#include "libs/service/logger.h"

namespace posewire::service {

// Returns a function for client::ConnectionOptions::on_event. A connection, and a push that resumes
// without a loss, are information, minor events are for debugging, and all others are warnings.
std::function<void(const client::ConnectionEvent&)> ConnectionLog(Logger log);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_CONNECTION_LOG_H_
