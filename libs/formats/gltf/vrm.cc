#include "libs/formats/gltf/vrm.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"

namespace posewire::gltf {
namespace {

constexpr size_t kMostBinds = 4096;

character::TargetOfFile BindOf(const Json& from, Document& document, absl::string_view where,
                               float whole) {
  character::TargetOfFile out;
  const int index = from[where].Index(document.root()[where == "node" ? "nodes" : "meshes"].size());
  (where == "node" ? out.node : out.mesh) = index;
  out.index = static_cast<int>(from["index"].Whole(0, 0, 4096));
  out.gain =
      static_cast<float>(from["weight"].Number(static_cast<double>(whole), -1000, 1000)) / whole;
  return out;
}

}  // namespace

std::optional<character::BoneNodes> VrmBones(Document& document) {
  const Json extensions = document.root()["extensions"];
  const size_t nodes = document.root()["nodes"].size();
  character::BoneNodes out;
  out.fill(-1);
  const auto put = [&](absl::string_view bone, const Json& node) {
    if (const auto known = skel::FindHumanBone(bone)) {
      out[static_cast<size_t>(*known)] = node.Index(nodes);
    }
  };
  if (const Json vrm = extensions["VRMC_vrm"]; vrm.exists()) {
    const Json bones = vrm["humanoid"]["humanBones"];
    for (const std::string& name : bones.Names()) {
      // VRM 1 calls the thumb's joints metacarpal, proximal and distal. Others call them proximal,
      // intermediate and distal.
      put(absl::StrReplaceAll(
              name, {{"ThumbProximal", "ThumbIntermediate"}, {"ThumbMetacarpal", "ThumbProximal"}}),
          bones[name]["node"]);
    }
    return out;
  }
  const Json vrm = extensions["VRM"];
  if (!vrm.exists()) return std::nullopt;
  const Json bones = vrm["humanoid"]["humanBones"];
  for (size_t i = 0; i < std::min<size_t>(bones.size(), 256); ++i) {
    put(bones.At(i)["bone"].Text(), bones.At(i)["node"]);
  }
  return out;
}

std::vector<character::ExpressionOfFile> VrmExpressions(Document& document) {
  const Json extensions = document.root()["extensions"];
  std::vector<character::ExpressionOfFile> out;
  size_t count = 0;
  const auto add = [&](character::ExpressionOfFile expression, const Json& binds,
                       absl::string_view where, float whole) {
    for (size_t k = 0; k < binds.size() && count < kMostBinds; ++k, ++count) {
      expression.binds.push_back(BindOf(binds.At(k), document, where, whole));
    }
    out.push_back(std::move(expression));
  };
  if (const Json vrm = extensions["VRMC_vrm"]; vrm.exists()) {
    for (const absl::string_view kind : {"preset", "custom"}) {
      const Json all = vrm["expressions"][kind];
      for (const std::string& name : all.Names()) {
        add({name, absl::AsciiStrToLower(name), {}}, all[name]["morphTargetBinds"], "node", 1);
      }
    }
  } else {
    const Json groups = extensions["VRM"]["blendShapeMaster"]["blendShapeGroups"];
    for (size_t i = 0; i < std::min<size_t>(groups.size(), 1024); ++i) {
      const std::string preset = absl::AsciiStrToLower(groups.At(i)["presetName"].Text());
      add({groups.At(i)["name"].Text(preset), preset, {}}, groups.At(i)["binds"], "mesh", 100);
    }
  }
  const bool sided = std::any_of(out.begin(), out.end(), [](const character::ExpressionOfFile& e) {
    return !e.binds.empty() && (e.preset == "blink_l" || e.preset == "blinkleft");
  });
  if (sided) {
    out.erase(
        std::remove_if(out.begin(), out.end(),
                       [](const character::ExpressionOfFile& e) { return e.preset == "blink"; }),
        out.end());
  }
  return out;
}

}  // namespace posewire::gltf
