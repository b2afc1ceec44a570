// Random identifiers.
#ifndef POSEWIRE_LIBS_CLIENT_UUID_H_
#define POSEWIRE_LIBS_CLIENT_UUID_H_

#include <string>

namespace posewire::client {

// Returns a random UUID (RFC 9562, version 4), "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx".
std::string MakeUuid();

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_UUID_H_
