#include "libs/formats/gltf/json.h"

#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <cmath>
#include <cstdint>

#include "absl/strings/charconv.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace posewire::gltf {
namespace {

constexpr int kMostLevels = 64;

// Counts brackets outside of strings, so that no recursive reader has to limit its depth.
bool IsTooDeep(absl::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMostLevels) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

// Converts numbers exactly, because they are also written back. RapidJSON's kParseFullPrecisionFlag
// would too, but is undefined behaviour for 0e-90.
struct ExactDocument : rapidjson::Document {
  bool RawNumber(const char* digits, rapidjson::SizeType size, bool /*copy*/) {
    const absl::string_view text(digits, size);
    int64_t whole = 0;
    if (absl::SimpleAtoi(text, &whole)) return Int64(whole);
    uint64_t large = 0;
    if (absl::SimpleAtoi(text, &large)) return Uint64(large);
    double number = 0;
    absl::from_chars(digits, digits + size, number);
    return Double(number);
  }
};

}  // namespace

absl::Status ParseJson(absl::string_view text, rapidjson::Document& out) {
  if (IsTooDeep(text)) {
    return absl::InvalidArgumentError(
        absl::StrCat("its JSON is nested in more than ", kMostLevels, " levels"));
  }
  rapidjson::MemoryStream bytes(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(bytes);
  rapidjson::Reader reader;
  rapidjson::ParseResult parsed;
  ExactDocument document;
  const auto parse = [&](rapidjson::Document&) {
    parsed = reader.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag |
                          rapidjson::kParseValidateEncodingFlag>(stream, document);
    return !parsed.IsError();
  };
  document.Populate(parse);
  if (parsed.IsError()) {
    return absl::InvalidArgumentError(absl::StrCat("its JSON is broken at byte ", parsed.Offset(),
                                                   ": ",
                                                   rapidjson::GetParseError_En(parsed.Code())));
  }
  out.Swap(document);
  if (!out.IsObject()) return absl::InvalidArgumentError("its JSON is no object");
  return absl::OkStatus();
}

std::string Json::Said() const {
  if (value_->IsInt64()) return absl::StrCat(value_->GetInt64());
  if (value_->IsNumber()) return absl::StrCat(value_->GetDouble());
  if (value_->IsString()) {
    const absl::string_view text(value_->GetString(), value_->GetStringLength());
    return absl::StrCat("\"", text.substr(0, 60), "\"");
  }
  if (value_->IsBool()) return value_->GetBool() ? "true" : "false";
  if (value_->IsArray()) return absl::StrCat("an array of ", value_->Size());
  return value_->IsObject() ? "an object" : "null";
}

void Json::Wrong(absl::string_view why) const {
  if (first_error_ == nullptr || !first_error_->ok()) return;
  *first_error_ = absl::InvalidArgumentError(absl::StrCat(path_, " ", why));
}

Json Json::operator[](absl::string_view member) const {
  if (!exists()) return {};
  if (!value_->IsObject()) {
    Wrong(absl::StrCat("is ", Said(), ", expected an object"));
    return {};
  }
  const rapidjson::Value name(
      rapidjson::StringRef(member.data(), static_cast<rapidjson::SizeType>(member.size())));
  const auto found = value_->FindMember(name);
  if (found == value_->MemberEnd()) return {};
  return {&found->value, path_.empty() ? std::string(member) : absl::StrCat(path_, ".", member),
          first_error_};
}

Json Json::At(size_t index) const {
  if (index >= size()) return {};
  return {&(*value_)[static_cast<rapidjson::SizeType>(index)], absl::StrCat(path_, "[", index, "]"),
          first_error_};
}

size_t Json::size() const {
  if (!exists()) return 0;
  if (value_->IsArray()) return value_->Size();
  Wrong(absl::StrCat("is ", Said(), ", expected an array"));
  return 0;
}

std::vector<std::string> Json::Names() const {
  std::vector<std::string> names;
  if (!exists()) return names;
  if (!value_->IsObject()) {
    Wrong(absl::StrCat("is ", Said(), ", expected an object"));
    return names;
  }
  for (auto m = value_->MemberBegin(); m != value_->MemberEnd(); ++m) {
    names.emplace_back(m->name.GetString(), m->name.GetStringLength());
  }
  return names;
}

double Json::Number(double fallback, double low, double high) const {
  if (!exists()) return fallback;
  if (value_->IsNumber()) {
    const double v = value_->GetDouble();
    if (v >= low && v <= high) return v;
  }
  Wrong(absl::StrCat("is ", Said(), ", expected a number from ", low, " to ", high));
  return fallback;
}

float Json::Float(float fallback) const {
  return static_cast<float>(Number(static_cast<double>(fallback), -1e9, 1e9));
}

int64_t Json::Whole(int64_t fallback, int64_t low, int64_t high) const {
  if (!exists()) return fallback;
  if (value_->IsInt64() && value_->GetInt64() >= low && value_->GetInt64() <= high) {
    return value_->GetInt64();
  }
  // Some writers write whole numbers as 3.0.
  if (value_->IsDouble()) {
    const double v = value_->GetDouble();
    if (v == std::floor(v) && v >= static_cast<double>(low) && v <= static_cast<double>(high)) {
      return static_cast<int64_t>(v);
    }
  }
  Wrong(absl::StrCat("is ", Said(), ", expected a whole number from ", low, " to ", high));
  return fallback;
}

int Json::Index(size_t count) const {
  if (!exists()) return -1;
  if (count == 0) {
    Wrong(absl::StrCat("is ", Said(), ", and the file has none of them"));
    return -1;
  }
  return static_cast<int>(Whole(-1, 0, static_cast<int64_t>(count) - 1));
}

bool Json::Bool(bool fallback) const {
  if (!exists()) return fallback;
  if (value_->IsBool()) return value_->GetBool();
  Wrong(absl::StrCat("is ", Said(), ", expected true or false"));
  return fallback;
}

std::string Json::Text(absl::string_view fallback) const {
  if (!exists()) return std::string(fallback);
  if (value_->IsString()) return {value_->GetString(), value_->GetStringLength()};
  Wrong(absl::StrCat("is ", Said(), ", expected a text"));
  return std::string(fallback);
}

std::vector<float> Json::Floats(size_t count) const {
  std::vector<float> out;
  if (!exists()) return out;
  if (size() != count) {
    Wrong(absl::StrCat("is ", Said(), ", expected an array of ", count, " numbers"));
    return out;
  }
  for (size_t i = 0; i < count; ++i) out.push_back(At(i).Float(0));
  return out;
}

}  // namespace posewire::gltf
