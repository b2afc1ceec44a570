#include "libs/wire/vmc_entry.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/wire/any_entry.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

constexpr absl::string_view kBytesValueType = "google.protobuf.BytesValue";
constexpr uint32_t kBytes = 1;
constexpr uint64_t kKeys = 64;

}  // namespace

MetadataEntry VmcEntry(absl::string_view source, uint64_t n, absl::string_view bundle) {
  std::string message(LengthFieldSize(bundle.size()), '\0');
  WireWriter(reinterpret_cast<uint8_t*>(message.data())).TextField(kBytes, bundle);
  return PackEntry(absl::StrCat(kVmcKeyPrefix, source, ".", n % kKeys), kBytesValueType, message);
}

std::optional<absl::string_view> VmcBundleIn(const MetadataEntry& entry) {
  if (!absl::StartsWith(entry.key, kVmcKeyPrefix)) return std::nullopt;
  const std::optional<Bytes> message = UnpackEntry(entry, entry.key, kBytesValueType);
  if (!message) return std::nullopt;
  absl::string_view bundle;
  FieldReader fields(*message);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kBytes, kLength)) bundle = AsText(f.bytes);
  }
  if (!fields.ok()) return std::nullopt;
  return bundle;
}

}  // namespace posewire::wire
