#include "libs/rpc/message_bytes.h"

#include <gtest/gtest.h>

namespace posewire::rpc {
namespace {

TEST(MessageBytes, PiecesComeOutAsOneMessage) {
  const grpc::Slice pieces[] = {grpc::Slice("good "), grpc::Slice("morn"), grpc::Slice("ing")};
  const grpc::ByteBuffer buffer(pieces, 3);
  std::vector<grpc::Slice> slices;
  EXPECT_EQ(*CopyOut(buffer, &slices), "good morning");
  EXPECT_TRUE(slices.empty());
  EXPECT_EQ(*CopyOut(grpc::ByteBuffer(), &slices), "");
}

TEST(MessageBytes, WhatIsWrappedIsNotCopiedAndLivesAsLongAsTheSlice) {
  auto bytes = std::make_shared<const std::string>(1000, 'x');
  const std::weak_ptr<const std::string> alive = bytes;
  const char* const at = bytes->data();
  {
    const grpc::Slice slice = Wrap(at, 1000, std::move(bytes));
    EXPECT_EQ(reinterpret_cast<const char*>(slice.begin()), at);
    EXPECT_EQ(slice.size(), 1000u);
    EXPECT_FALSE(alive.expired());
  }
  EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace posewire::rpc
