#include "libs/wire/appearance.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/wire/any_entry.h"
#include "libs/wire/text_check.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

constexpr absl::string_view kAppearanceType = "posewire.character.v1.Appearance";
constexpr size_t kMostParts = 32;

enum : uint32_t { kCharacter = 1, kLook = 2, kMapKey = 1, kMapValue = 2 };

bool TakeChoice(Bytes bytes, std::map<std::string, std::string>& look) {
  std::string part, choice;
  FieldReader fields(bytes);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kMapKey, kLength) && !TakeText(f.bytes, part)) return false;
    if (f.Is(kMapValue, kLength) && !TakeText(f.bytes, choice)) return false;
  }
  if (!fields.ok() || part.empty() || choice.empty()) return false;
  look[std::move(part)] = std::move(choice);
  return look.size() <= kMostParts;
}

}  // namespace

absl::Status CheckCharacter(absl::string_view name) {
  if (name.size() <= kMostTextBytes && IsUtf8(name) && !HasControlCharacter(name)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(Quoted(name), " is no name of at most ",
                                                 kMostTextBytes,
                                                 " bytes of UTF-8 without control characters"));
}

absl::StatusOr<std::map<std::string, std::string>> ParseLook(absl::string_view text) {
  std::map<std::string, std::string> look;
  for (const absl::string_view choice : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(choice, absl::MaxSplits('=', 1));
    sides.first = absl::StripAsciiWhitespace(sides.first);
    sides.second = absl::StripAsciiWhitespace(sides.second);
    if (sides.first.empty() || sides.second.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quoted(choice), " chooses nothing, expected PART=CHOICE such as hair=long"));
    }
    for (const absl::string_view name : {sides.first, sides.second}) {
      if (absl::Status s = CheckCharacter(name); !s.ok()) return s;
    }
    look[std::string(sides.first)] = std::string(sides.second);
  }
  if (look.size() <= kMostParts) return look;
  return absl::InvalidArgumentError(
      absl::StrCat(look.size(), " parts are chosen; at most ", kMostParts, " may be"));
}

MetadataEntry ToMetadata(const Appearance& appearance) {
  const auto size_of = [](const auto& choice) {
    return LengthFieldSize(choice.first.size()) + LengthFieldSize(choice.second.size());
  };
  size_t size = LengthFieldSize(appearance.character.size());
  for (const auto& choice : appearance.look) size += LengthFieldSize(size_of(choice));
  std::string message(size, '\0');
  auto* const begin = reinterpret_cast<uint8_t*>(message.data());
  WireWriter out(begin);
  if (!appearance.character.empty()) out.TextField(kCharacter, appearance.character);
  for (const auto& choice : appearance.look) {
    out.Open(kLook, size_of(choice));
    out.TextField(kMapKey, choice.first);
    out.TextField(kMapValue, choice.second);
  }
  message.resize(static_cast<size_t>(out.position() - begin));
  return PackEntry(kAppearanceKey, kAppearanceType, message);
}

std::optional<Appearance> ReadAppearance(const MetadataEntry& entry) {
  const std::optional<Bytes> message = UnpackEntry(entry, kAppearanceKey, kAppearanceType);
  if (!message) return std::nullopt;
  Appearance out;
  FieldReader fields(*message);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kCharacter, kLength) && !TakeText(f.bytes, out.character)) return std::nullopt;
    if (f.Is(kLook, kLength) && !TakeChoice(f.bytes, out.look)) return std::nullopt;
  }
  if (!fields.ok()) return std::nullopt;
  return out;
}

std::optional<Appearance> AppearanceIn(const std::vector<MetadataEntry>& entries) {
  std::optional<Appearance> out;
  for (const MetadataEntry& entry : entries) {
    if (auto read = ReadAppearance(entry)) out = std::move(read);
  }
  return out;
}

}  // namespace posewire::wire
