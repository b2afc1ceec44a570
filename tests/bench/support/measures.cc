#include "tests/bench/support/measures.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::bench {

void Measures::Add(absl::string_view name, double value, absl::string_view unit) {
  measures_.push_back({std::string(name), value, std::string(unit)});
}

std::string Measures::ToText() const {
  std::string text;
  for (const Measure& m : measures_) {
    absl::StrAppendFormat(&text, "  %-32s %12.3f %s\n", m.name, m.value, m.unit);
  }
  return text;
}

absl::Status Measures::WriteJson(const std::string& path) const {
  std::ofstream out(path);
  out << "{\n";
  for (size_t i = 0; i < measures_.size(); ++i) {
    const Measure& m = measures_[i];
    out << absl::StrFormat("  \"%s\": {\"value\": %.9g, \"unit\": \"%s\"}%s\n", m.name, m.value,
                           m.unit, i + 1 < measures_.size() ? "," : "");
  }
  out << "}\n";
  out.close();
  if (!out) return absl::InternalError(absl::StrCat("could not write ", path));
  return absl::OkStatus();
}

}  // namespace posewire::bench
