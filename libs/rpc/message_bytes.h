// Moves serialized messages between gRPC's memory and ours.
#ifndef POSEWIRE_LIBS_RPC_MESSAGE_BYTES_H_
#define POSEWIRE_LIBS_RPC_MESSAGE_BYTES_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace posewire::rpc {

// Makes the only copy out of gRPC's memory. Returns an empty result if the buffer cannot be read.
// `slices` is reused for its memory. Any thread.
std::shared_ptr<const std::string> CopyOut(const grpc::ByteBuffer& buffer,
                                           std::vector<grpc::Slice>* slices);

// Returns `size` bytes for gRPC to send without a copy. They must not change. `owner` is released
// when they have been sent. Any thread.
grpc::Slice Wrap(const void* data, size_t size, std::shared_ptr<const void> owner);

}  // namespace posewire::rpc

#endif  // POSEWIRE_LIBS_RPC_MESSAGE_BYTES_H_
