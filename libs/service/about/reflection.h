// Implements grpc.reflection.v1alpha.ServerReflection.
#ifndef POSEWIRE_LIBS_SERVICE_ABOUT_REFLECTION_H_
#define POSEWIRE_LIBS_SERVICE_ABOUT_REFLECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace posewire::service {

inline constexpr char kReflectionMethod[] =
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

// Returns a serialized response to a serialized request, about the messages compiled into this
// program. If something is not found, the response reports it. INVALID_ARGUMENT for bytes that are
// not a request.
absl::StatusOr<std::string> AnswerReflection(const std::string& request,
                                             const std::vector<std::string>& services);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_ABOUT_REFLECTION_H_
