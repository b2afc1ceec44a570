#include "libs/formats/x3d/inline.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/formats/x3d/quoted.h"
#include "libs/formats/x3d/readers.h"
#include "libs/formats/x3d/scene_parts.h"
#include "libs/formats/x3d/surface_fields.h"

namespace posewire::x3d {
namespace {

constexpr size_t kMostFiles = 64, kMostAddresses = 256, kMostInlineNotes = 16;
constexpr int kMostFilesDeep = 8;

// Returns true for a name that can only be that of a file in the same folder or below it.
bool IsBelow(absl::string_view address) {
  if (address.empty() || address[0] == '/' || absl::StrContains(address, ':') ||
      absl::StrContains(address, '\\')) {
    return false;
  }
  for (const absl::string_view part : absl::StrSplit(address, '/')) {
    if (part == "..") return false;
  }
  return true;
}

// Returns an address with %20 and the like as characters; "" for what no name of a file has.
std::string Decoded(absl::string_view address) {
  std::string out;
  for (size_t i = 0; i < address.size(); ++i) {
    if (address[i] != '%') {
      out += address[i];
      continue;
    }
    const absl::string_view digits = address.substr(i + 1, 2);
    int byte = 0;
    if (digits.size() < 2 || !absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(digits[1])) ||
        !absl::SimpleHexAtoi(digits, &byte) || byte == 0) {
      return "";
    }
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

// Returns true for an address that is looked up in the folder of its file.
bool IsRelative(absl::string_view address) {
  return !address.empty() && address[0] != '/' && address[0] != '#' &&
         !absl::StrContains(address, ':') && !absl::StrContains(address, '\\');
}

class InlineReader {
 public:
  InlineReader(const Limits& limits, const asset::ReadSidecar& read, Scene& scene)
      : limits_(limits), read_(read), scene_(scene) {
    for (const X3dNode& node : scene_.nodes) {
      if (!node.def.empty()) defs_.insert(node.def);
    }
  }

  absl::Status Follow(size_t bytes) {
    bytes_ = bytes;
    if (absl::Status s = FollowFrom(0, 1); !s.ok()) return s;
    if (files_ == 0) return absl::OkStatus();
    measures_.resize(scene_.nodes.size());
    size_t walked = 0;
    for (const Child& root : scene_.roots) {
      const absl::StatusOr<size_t> below = Measure(root.node, 1);
      if (!below.ok()) return below.status();
      walked += *below;
      if (walked > limits_.walked) return TooMany();
    }
    return absl::OkStatus();
  }

 private:
  absl::Status TooMany() const {
    return absl::ResourceExhaustedError(absl::StrCat("line 1: with its Inlines the scene has over ",
                                                     limits_.walked, " nodes, or ", limits_.depth,
                                                     " in each other"));
  }

  // Follows the Inlines of the nodes from `first` on.
  absl::Status FollowFrom(size_t first, int deep) {
    const size_t end = scene_.nodes.size();
    for (size_t n = first; n < end; ++n) {
      if (scene_.nodes[n].type != "Inline" || !X3dFlag(scene_.nodes[n], "load", true)) continue;
      if (absl::Status s = FollowOne(n, deep); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status FollowOne(size_t at, int deep) {
    const int line = scene_.nodes[at].line;
    std::string why = "it names no file in the folder of its own";
    for (const std::string& address : Strings(scene_.nodes[at], "url")) {
      if (read_ == nullptr || !IsBelow(address) || ++addresses_ > kMostAddresses) continue;
      if (files_ >= kMostFiles || deep > kMostFilesDeep) {
        return absl::ResourceExhaustedError(
            deep > kMostFilesDeep
                ? absl::StrCat("line ", line, ": Inlines are over ", kMostFilesDeep,
                               " in each other")
                : absl::StrCat("line ", line, ": Inlines are over ", kMostFiles, " files"));
      }
      std::string name = address;
      absl::StatusOr<std::string> text = read_(name);
      if (std::string other = Decoded(address); !text.ok() && other != address && IsBelow(other)) {
        name = std::move(other);
        text = read_(name);
      }
      if (!text.ok()) {
        why = std::string(text.status().message());
        continue;
      }
      ++files_;
      bytes_ += text->size();
      if (bytes_ > limits_.bytes) {
        return absl::ResourceExhaustedError(absl::StrCat(
            "line ", line, ": with its Inlines the scene has over ", limits_.bytes, " bytes"));
      }
      if (scene_.vrml97 && ClassicHead(*text).empty() && !absl::StartsWith(*text, "<")) {
        Note(line, absl::StrCat(name, " has no first line #VRML V2.0 utf8, and is read as VRML97"));
        text->insert(0, absl::StrCat(kVrml97, " utf8\n"));
      }
      Limits left = limits_;
      left.nodes = limits_.nodes - std::min(limits_.nodes, scene_.nodes.size());
      absl::StatusOr<Scene> inside = ReadScene(*text, left);
      if (!inside.ok()) {
        why = absl::StrCat(name, ": ", inside.status().message());
        if (inside.status().code() != absl::StatusCode::kResourceExhausted) continue;
        return absl::ResourceExhaustedError(absl::StrCat("line ", line, ": Inline of ", why));
      }
      const float turn = inside->UnitOf("angle") / scene_.UnitOf("angle");
      if (!(std::fabs(turn - 1) < 1e-6f)) {
        why = absl::StrCat(name, " has another UNIT of angles than the file that it is put into");
        continue;
      }
      const size_t first = scene_.nodes.size();
      scene_.inlined.emplace_back(first, name);
      PutInside(at, *std::move(inside), name.substr(0, name.rfind('/') + 1));
      return FollowFrom(first, deep + 1);
    }
    Note(line, absl::StrCat("an Inline is left out: ", why.substr(0, 200)));
    return absl::OkStatus();
  }

  void Note(int line, absl::string_view what) {
    if (notes_++ < kMostInlineNotes) {
      scene_.inline_notes.push_back(absl::StrCat("line ", line, ": ", what));
    }
  }

  // Addresses in the file are relative to its folder.
  static void Prefix(const std::string& folder, X3dNode& node) {
    for (Field& field : node.fields) {
      if (folder.empty() || field.name != "url") continue;
      std::string text;
      for (const std::string& address : Strings(node, "url")) {
        absl::StrAppend(&text, text.empty() ? "" : " ",
                        Quoted(IsRelative(address) ? folder + address : address));
      }
      field.kind = Field::Kind::kStrings;
      field.text = std::move(text);
    }
  }

  void PutInside(size_t at, Scene inside, const std::string& folder) {
    const int shift = static_cast<int>(scene_.nodes.size());
    for (X3dNode& node : inside.nodes) {
      if (!node.def.empty() && !defs_.insert(node.def).second) {
        std::string name = absl::StrCat("f", files_, "_", node.def);
        while (!defs_.insert(name).second) name += '_';
        node.def = std::move(name);
      }
      for (Child& child : node.children) child.node += shift;
      Prefix(folder, node);
      scene_.nodes.push_back(std::move(node));
    }
    X3dNode& group = scene_.nodes[at];
    std::erase_if(group.fields, [](const Field& field) { return field.name != "visible"; });
    group.type = "Group";
    const float scale = inside.UnitOf("length") / scene_.UnitOf("length");
    if (std::isfinite(scale) && std::fabs(scale - 1) > 1e-6f) {
      group.type = "Transform";
      group.fields.push_back(
          {"scale", Field::Kind::kOne, TextOf(skel::Vec3{scale, scale, scale}), group.line});
    }
    for (const Child& root : inside.roots)
      group.children.push_back({"children", root.node + shift});
    for (Route& route : inside.routes) {
      route.from += shift, route.to += shift;
      scene_.routes.push_back(std::move(route));
    }
    for (std::string& note : inside.notes) {
      if (notes_++ < kMostInlineNotes) scene_.notes.push_back(std::move(note));
    }
  }

  // Returns the nodes visited in a walk from a node.
  absl::StatusOr<size_t> Measure(int node, int depth) {
    auto& [walked, height] = measures_[static_cast<size_t>(node)];
    if (depth > limits_.depth) return TooMany();
    if (walked == 0) {
      size_t sum = 1;
      int most = 1;
      for (const Child& child : scene_.nodes[static_cast<size_t>(node)].children) {
        const absl::StatusOr<size_t> below = Measure(child.node, depth + 1);
        if (!below.ok()) return below;
        sum += *below;
        most = std::max(most, measures_[static_cast<size_t>(child.node)].second + 1);
        if (sum > limits_.walked) return TooMany();
      }
      walked = sum, height = most;
    }
    if (depth + height - 1 > limits_.depth) return TooMany();
    return walked;
  }

  const Limits& limits_;
  const asset::ReadSidecar& read_;
  Scene& scene_;
  absl::flat_hash_set<std::string> defs_;
  std::vector<std::pair<size_t, int>> measures_;  // of each node: nodes walked, and height
  size_t files_ = 0, bytes_ = 0, notes_ = 0, addresses_ = 0;
};

}  // namespace

absl::StatusOr<Scene> ReadSceneWithInlines(absl::string_view bytes, const Limits& limits,
                                           const asset::ReadSidecar& read) {
  absl::StatusOr<Scene> scene = ReadScene(bytes, limits);
  if (!scene.ok()) return scene;
  if (absl::Status s = InlineReader(limits, read, *scene).Follow(bytes.size()); !s.ok()) return s;
  return scene;
}

}  // namespace posewire::x3d
