// Serialized messages between gRPC's memory and ours.
#ifndef POSEWIRE_LIBS_RPC_MESSAGE_BYTES_H_
#define POSEWIRE_LIBS_RPC_MESSAGE_BYTES_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace posewire::rpc {

// The one copy out of gRPC's memory; empty when it cannot be read. `slices` is kept for its memory.
// Any thread.
std::shared_ptr<const std::string> CopyOut(const grpc::ByteBuffer& buffer,
                                           std::vector<grpc::Slice>* slices);

// `size` bytes for gRPC to send, without a copy. They are not changed, and `owner` is let go when
// they have been sent. Any thread.
grpc::Slice Wrap(const void* data, size_t size, std::shared_ptr<const void> owner);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_MESSAGE_BYTES_H_
