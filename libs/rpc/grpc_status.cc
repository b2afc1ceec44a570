#include "libs/rpc/grpc_status.h"

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace posewire::rpc {
namespace {

// Counted as sent: gRPC writes each byte that is not printable ASCII as three bytes.
constexpr size_t kMostMessageBytes = 6000;

std::string Fitting(absl::string_view message) {
  size_t sent = 0, end = 0;  // `end`: end of the last whole character that fits
  for (size_t i = 0; i < message.size(); ++i) {
    const auto c = static_cast<unsigned char>(message[i]);
    if ((c & 0xC0) != 0x80) end = i;
    sent += c >= 0x20 && c < 0x7F && c != '%' ? 1 : 3;
    if (sent > kMostMessageBytes) return std::string(message.substr(0, end)) + "...";
  }
  return std::string(message);
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code()), Fitting(status.message())};
}

}  // namespace posewire::rpc
