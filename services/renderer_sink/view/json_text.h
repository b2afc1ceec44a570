// Helpers for the JSON sent to viewers.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_JSON_TEXT_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_JSON_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/service/logger.h"

namespace posewire::renderer_sink {

// ["a","b"]
inline std::string JsonTexts(const std::vector<std::string>& texts) {
  const auto quote = [](std::string* out, const std::string& text) {
    absl::StrAppend(out, service::QuoteText(text));
  };
  return absl::StrCat("[", absl::StrJoin(texts, ",", quote), "]");
}

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_JSON_TEXT_H_
