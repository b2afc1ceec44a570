// Writes JSON piece by piece, in the order of the calls. Written by hand because calls of
// rapidjson::Writer cannot be chained, which would make its users longer than this file.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_JSON_WRITER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_JSON_WRITER_H_

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/service/logger.h"

namespace posewire::anim_graph {

// Adds commas automatically. The caller is responsible for matching brackets and for keys.
class JsonWriter {
 public:
  JsonWriter& Open(char bracket) {
    Comma();
    text_.push_back(bracket);
    fresh_ = true;
    return *this;
  }
  JsonWriter& Close(char bracket) {
    text_.push_back(bracket);
    fresh_ = false;
    return *this;
  }
  JsonWriter& Key(absl::string_view name) {
    Comma();
    absl::StrAppend(&text_, service::QuoteText(name), ":");
    fresh_ = true;
    return *this;
  }
  JsonWriter& Text(absl::string_view text) { return Raw(service::QuoteText(text)); }
  // Writes a value that is already JSON.
  JsonWriter& Raw(absl::string_view json) {
    Comma();
    absl::StrAppend(&text_, json);
    return *this;
  }
  JsonWriter& Pair(absl::string_view name, absl::string_view text) { return Key(name).Text(text); }
  std::string Take() { return std::move(text_); }

 private:
  void Comma() {
    if (!fresh_) text_.push_back(',');
    fresh_ = false;
  }

  std::string text_;
  bool fresh_ = true;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_JSON_WRITER_H_
