#include "libs/wire/any_entry.h"

#include "absl/strings/strip.h"
#include "libs/wire/text_check.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
MetadataEntry PackEntry(absl::string_view key, absl::string_view type, absl::string_view message) {
  MetadataEntry entry{std::string(key), {}};
  RepackEntry(type, message, entry);
  return entry;
}

void RepackEntry(absl::string_view type, absl::string_view message, MetadataEntry& entry) {
  const size_t url = kAnyPrefix.size() + type.size();
  entry.any.resize(LengthFieldSize(url) + LengthFieldSize(message.size()));
  WireWriter out(reinterpret_cast<uint8_t*>(entry.any.data()));
  out.Open(field::kTypeUrl, url);
  out.Raw(kAnyPrefix.data(), kAnyPrefix.size());
  out.Raw(type.data(), type.size());
  out.TextField(field::kAnyValue, message);
}

std::optional<Bytes> UnpackEntry(const MetadataEntry& entry, absl::string_view key,
                                 absl::string_view type) {
  if (entry.key != key) return std::nullopt;
  FieldReader any({reinterpret_cast<const uint8_t*>(entry.any.data()), entry.any.size()});
  Bytes message;
  bool ours = false;
  for (Field f; any.Next(&f);) {
    if (f.Is(field::kTypeUrl, kLength)) {
      absl::string_view url = AsText(f.bytes);
      ours = absl::ConsumePrefix(&url, kAnyPrefix) && url == type;
    }
    if (f.Is(field::kAnyValue, kLength)) message = f.bytes;
  }
  if (!any.ok() || !ours) return std::nullopt;
  return message;
}

bool TakeText(Bytes bytes, std::string& out) {
  if (bytes.size() > kMostTextBytes || !IsUtf8(AsText(bytes))) return false;
  out = std::string(AsText(bytes));
  return true;
}

}  // namespace posewire::wire
