#include "libs/voice_http/json_splitter.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/voice_http/heard.h"

namespace posewire::voice_http {
namespace {

absl::Status ObjectTooLong() {
  return absl::DataLossError(
      absl::StrCat("one of its JSON objects is longer than ", kMostObjectBytes, " bytes"));
}

}  // namespace

absl::Status JsonSplitter::Add(absl::string_view bytes, OnObject on_object) {
  size_t begin = 0;  // offset of the current object in `bytes`
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (depth_ == 0) {
      begin = i;
      if (c == '{') {
        depth_ = 1;
      } else if (!absl::ascii_isspace(static_cast<unsigned char>(c)) && c != ',') {
        return absl::DataLossError(
            absl::StrCat("it is not a stream of JSON objects; an object was expected at \"",
                         absl::CEscape(bytes.substr(i, 20)), "\""));
      }
      continue;
    }
    if (quoted_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        quoted_ = false;
      }
    } else if (c == '"') {
      quoted_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      object_.append(bytes.data() + begin, i + 1 - begin);
      const std::string object = std::exchange(object_, {});
      if (object.size() > kMostObjectBytes) return ObjectTooLong();
      if (absl::Status s = on_object(object); !s.ok()) return s;
      begin = i + 1;
    }
  }
  if (depth_ > 0) object_.append(bytes.data() + begin, bytes.size() - begin);
  if (object_.size() > kMostObjectBytes) return ObjectTooLong();
  return absl::OkStatus();
}

absl::Status JsonSplitter::Finish() const {
  if (depth_ == 0) return absl::OkStatus();
  return absl::DataLossError("it ends within a JSON object");
}

}  // namespace posewire::voice_http
