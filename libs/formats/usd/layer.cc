#include "libs/formats/usd/layer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace posewire::usd {

const Property* Prim::Find(absl::string_view property, Property::Part part) const {
  for (auto it = properties.rbegin(); it != properties.rend(); ++it)
    if (it->part == part && it->name == property) return &*it;
  return nullptr;
}

const Prim* Layer::Find(absl::string_view path) const {
  if (path.empty() || path[0] != '/') return nullptr;
  const std::vector<Prim>* among = &prims;
  const Prim* found = nullptr;
  for (absl::string_view name : absl::StrSplit(path.substr(1), '/')) {
    found = nullptr;
    for (const Prim& prim : *among)
      if (prim.name == name) found = &prim;
    if (found == nullptr) return nullptr;
    among = &found->children;
  }
  return found;
}

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      absl::StrAppend(&out, "\\", absl::string_view(&c, 1));
    else if (c == '\n')
      out += "\\n";
    else if (code < 0x20 || code == 0x7f)
      absl::StrAppend(&out, "\\x", absl::Hex(code, absl::kZeroPad2));
    else
      out += c;
  }
  return out + '"';
}

}  // namespace posewire::usd
