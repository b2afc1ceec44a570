// Checks the contents of a gesture file. Internal to libs/gesture_loader.
#ifndef POSEWIRE_LIBS_GESTURE_LOADER_CHECK_H_
#define POSEWIRE_LIBS_GESTURE_LOADER_CHECK_H_

#include <google/protobuf/text_format.h>

#include <string>

#include "absl/status/status.h"
#include "posewire.choreography.v1.pb.h"

namespace posewire::gesture {

// INVALID_ARGUMENT lists the errors, with the lines from `tree`.
absl::Status Check(const choreography::v1::Choreography& file, const std::string& name,
                   const google::protobuf::TextFormat::ParseInfoTree& tree);

}  // namespace posewire::gesture

#endif  // POSEWIRE_LIBS_GESTURE_LOADER_CHECK_H_
