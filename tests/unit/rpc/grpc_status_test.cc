#include "libs/rpc/grpc_status.h"

#include <gtest/gtest.h>

#include <string>

#include "libs/wire/text_check.h"

namespace posewire::rpc {
namespace {

// As gRPC writes a message into the trailer.
size_t Sent(const std::string& message) {
  size_t bytes = 0;
  for (const char c : message) bytes += c >= 0x20 && c < 0x7F && c != '%' ? 1 : 3;
  return bytes;
}

TEST(ToGrpc, CodeAndMessageStay) {
  const grpc::Status status = ToGrpc(absl::NotFoundError("no stream \"s\""));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no stream \"s\"");
  EXPECT_EQ(FromGrpc(status), absl::NotFoundError("no stream \"s\""));
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
  EXPECT_EQ(ToGrpc(absl::InternalError(std::string(6000, 'a'))).error_message().size(), 6000u);
}

TEST(ToGrpc, ALongMessageIsCutToWhatATrailerHoldsBetweenCharacters) {
  for (const std::string& part : {std::string("a"), std::string("\n"), std::string("%"),
                                  std::string("\xC3\xA9"), std::string("\xF0\x9F\x98\x80")}) {
    for (size_t before = 0; before < 6; ++before) {
      std::string text(before, 'x');
      while (text.size() < 20000) text += part;
      const std::string message = ToGrpc(absl::InternalError(text)).error_message();
      EXPECT_LE(Sent(message), 6010u);
      EXPECT_GE(Sent(message), 5980u);
      EXPECT_TRUE(wire::IsUtf8(message)) << before;
      EXPECT_EQ(message.substr(message.size() - 3), "...");
      EXPECT_EQ(text.substr(0, message.size() - 3), message.substr(0, message.size() - 3));
    }
  }
}

}  // namespace
}  // namespace posewire::rpc
