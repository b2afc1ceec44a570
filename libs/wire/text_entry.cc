#include "libs/wire/text_entry.h"

#include "libs/wire/any_entry.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

constexpr absl::string_view kStringValueType = "google.protobuf.StringValue";
constexpr uint32_t kValue = 1;

}  // namespace

MetadataEntry TextEntry(absl::string_view key, absl::string_view text) {
  std::string message(LengthFieldSize(text.size()), '\0');
  WireWriter(reinterpret_cast<uint8_t*>(message.data())).TextField(kValue, text);
  return PackEntry(key, kStringValueType, message);
}

std::optional<std::string> ReadTextEntry(const MetadataEntry& entry, absl::string_view key,
                                         size_t most_bytes) {
  const std::optional<Bytes> message = UnpackEntry(entry, key, kStringValueType);
  if (!message) return std::nullopt;
  absl::string_view text;
  FieldReader fields(*message);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kValue, kLength)) text = AsText(f.bytes);
  }
  if (!fields.ok() || text.size() > most_bytes) return std::nullopt;
  return std::string(text);
}

}  // namespace posewire::wire
