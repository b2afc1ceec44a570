#include "libs/formats/x3d/inline.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
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
    if (absl::Status s = FollowFrom(0, "", 1); !s.ok()) return s;
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

  // Follows the Inlines of the nodes from `first` on, which are of a file in `folder`.
  absl::Status FollowFrom(size_t first, const std::string& folder, int deep) {
    const size_t end = scene_.nodes.size();
    for (size_t n = first; n < end; ++n) {
      if (scene_.nodes[n].type != "Inline" || !X3dFlag(scene_.nodes[n], "load", true)) continue;
      if (absl::Status s = FollowOne(n, folder, deep); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status FollowOne(size_t at, const std::string& folder, int deep) {
    const int line = scene_.nodes[at].line;
    std::string why = "it names no file in the folder of its own";
    for (const std::string& address : Strings(scene_.nodes[at], "url")) {
      if (read_ == nullptr || !IsBelow(address) || ++addresses_ > kMostAddresses) continue;
      if (files_ >= kMostFiles || deep > kMostFilesDeep) {
        return absl::ResourceExhaustedError(absl::StrCat("line ", line, ": Inlines are over ",
                                                         kMostFiles, " files, or ", kMostFilesDeep,
                                                         " in each other"));
      }
      const std::string name = folder + address;
      absl::StatusOr<std::string> text = read_(name);
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
      const size_t first = scene_.nodes.size();
      PutInside(at, *std::move(inside));
      const size_t slash = name.rfind('/');
      return FollowFrom(first, slash == std::string::npos ? "" : name.substr(0, slash + 1),
                        deep + 1);
    }
    Note(line, absl::StrCat("an Inline is left out: ", why.substr(0, 200)));
    return absl::OkStatus();
  }

  void Note(int line, absl::string_view what) {
    if (notes_++ < kMostInlineNotes) {
      scene_.inline_notes.push_back(absl::StrCat("line ", line, ": ", what));
    }
  }

  void PutInside(size_t at, Scene inside) {
    const int shift = static_cast<int>(scene_.nodes.size());
    for (X3dNode& node : inside.nodes) {
      if (!node.def.empty() && !defs_.insert(node.def).second) {
        std::string name = absl::StrCat("f", files_, "_", node.def);
        while (!defs_.insert(name).second) name += '_';
        node.def = std::move(name);
      }
      for (Child& child : node.children) child.node += shift;
      scene_.nodes.push_back(std::move(node));
    }
    X3dNode& group = scene_.nodes[at];
    group.fields.clear();
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
