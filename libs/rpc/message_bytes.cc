#include "libs/rpc/message_bytes.h"

#include <utility>

namespace posewire::rpc {

std::shared_ptr<const std::string> CopyOut(const grpc::ByteBuffer& buffer,
                                           std::vector<grpc::Slice>* slices) {
  auto bytes = std::make_shared<std::string>();
  if (!buffer.Dump(slices).ok()) return bytes;
  bytes->reserve(buffer.Length());
  for (const grpc::Slice& slice : *slices) {
    bytes->append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  slices->clear();
  return bytes;
}

grpc::Slice Wrap(const void* data, size_t size, std::shared_ptr<const void> owner) {
  using Owner = std::shared_ptr<const void>;
  return {const_cast<void*>(data), size, [](void* p) { delete static_cast<Owner*>(p); },
          new Owner(std::move(owner))};
}

}  // namespace posewire::rpc
