#include "libs/formats/gltf/extras.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::gltf {
namespace {

using skel::Vec3;

constexpr size_t kMostEntries = 1024;  // of each list
constexpr size_t kMostPushes = 729;    // of one move: all control points of the largest lattice
constexpr float kRadians = 3.14159265f / 180;

constexpr double kMostAt = 100;  // of an in-between

Json ExtrasOf(Document& document) {
  const Json extras = document.root()["extras"];
  if (!extras.IsObject()) return {};
  Json ours = extras["posewire"];
  if (ours.exists() && ours["version"].Whole(1, 1, 1000) > 1) {
    ours["version"].Wrong("is newer than what is read here, which is 1");
  }
  return ours;
}

size_t CountOf(const Json& list) {
  if (list.size() <= kMostEntries) return list.size();
  list.Wrong(
      absl::StrCat("has ", list.size(), " entries, and at most ", kMostEntries, " are read"));
  return 0;
}

class ExtrasReader {
 public:
  ExtrasReader(Document& document, character::Character& out) : document_(document), out_(out) {}

  absl::Status Run() {
    const Json ours = ExtrasOf(document_);
    if (!ours.exists()) return document_.status();
    const std::string mouth = ours["mouthClose"].Text("apple");
    if (mouth != "ace" && mouth != "apple") {
      ours["mouthClose"].Wrong(absl::StrCat("is \"", mouth, "\", expected ace or apple"));
    }
    out_.ace_mouth = mouth == "ace";
    ReadCorrectives(ours["correctives"]);
    ReadVariants(ours["variants"]);
    ReadDeformers(ours["deformers"]);
    ReadSites(ours["sites"]);
    const Json cameras = ours["cameras"];
    for (const auto& [name, value] :
         {std::pair{"face", &out_.framing.face_m}, std::pair{"bust", &out_.framing.bust_m},
          std::pair{"body", &out_.framing.body_m}}) {
      *value = static_cast<float>(cameras[name]["height_m"].Number(0, 0.01, 100));
    }
    return document_.status();
  }

 private:
  int JointOf(const Json& at) {
    if (!at.exists()) return -1;
    const int joint = out_.rig->FindJoint(at.Text());
    if (joint < 0) {
      at.Wrong(absl::StrCat("is \"", at.Text(), "\", which is no joint of ", out_.rig->name()));
    }
    return joint;
  }

  Vec3 VectorOf(const Json& at, Vec3 fallback) {
    const std::vector<float> v = at.Floats(3);
    return v.empty() ? fallback : Vec3{v[0], v[1], v[2]};
  }

  void ReadCorrectives(const Json& list) {
    const size_t count = CountOf(list);
    for (size_t i = 0; i < count && document_.status().ok(); ++i) {
      const Json from = list.At(i);
      if (const auto drive = DriveOf(from)) AddDrives(from["target"], *drive);
    }
  }

  // Returns what a pose does to `from`; nothing for a joint that the file does not have.
  std::optional<character::Drive> DriveOf(const Json& from) {
    character::Drive drive;
    if (const Json shapes = from["shapes"]; shapes.exists()) {
      drive.kind = character::Drive::Kind::kProduct;
      for (size_t k = 0; k < CountOf(shapes); ++k) {
        const int shape = out_.rig->FindShape(shapes.At(k).Text());
        if (shape < 0) {
          shapes.At(k).Wrong(absl::StrCat("is \"", shapes.At(k).Text(), "\", which is no shape of ",
                                          out_.rig->name()));
        }
        drive.sources.push_back(shape);
      }
      if (drive.sources.empty()) from.Wrong("has no shapes");
    } else {
      drive.kind = character::Drive::Kind::kTurn;
      // A humanoid with other bones lacks the rig's joints.
      if (!out_.same_joints) return std::nullopt;
      drive.joint = JointOf(from["joint"]);
      if (!from["joint"].exists()) from.Wrong("has neither joint nor shapes");
      drive.axis = skel::Normalized(VectorOf(from["axis"], {1, 0, 0}));
      if (skel::Length(drive.axis) == 0) from["axis"].Wrong("has no length");
      drive.from_rad = static_cast<float>(from["from_deg"].Number(0, -180, 180)) * kRadians;
      drive.to_rad = static_cast<float>(from["to_deg"].Number(90, -180, 180)) * kRadians;
      if (std::fabs(drive.to_rad - drive.from_rad) < 1e-3f) {
        from.Wrong("goes from from_deg to the same to_deg");
      }
    }
    return drive;
  }

  // Adds the drive to each mesh that has the target.
  void AddDrives(const Json& target, character::Drive drive) {
    const std::string name = target.Text();
    bool found = false;
    for (size_t m = 0; m < out_.meshes.size(); ++m) {
      const auto& shapes = out_.meshes[m].shapes;
      for (size_t s = 0; s < shapes.size(); ++s) {
        if (shapes[s].name() != name) continue;
        found = true;
        drive.mesh = static_cast<int>(m);
        drive.shape = static_cast<int>(s);
        out_.drives.push_back(drive);
      }
    }
    if (!found && target.exists()) {
      target.Wrong(absl::StrCat("is \"", name, "\", and no mesh has such a target"));
    }
  }

  void ReadDeformers(const Json& list) {
    const size_t count = CountOf(list);
    for (size_t i = 0; i < count && document_.status().ok(); ++i) {
      const Json from = list.At(i);
      const std::string type = from["type"].Text();
      if (type == "smoothing") {
        character::Smoothing rule;
        if (out_.after_skin.smoothing) from["type"].Wrong("is a second smoothing, expected one");
        rule.rounds = static_cast<int>(
            from["rounds"].Whole(rule.rounds, 1, character::Smoothing::kMostRounds));
        rule.strength = static_cast<float>(from["strength"].Number(rule.strength, 0, 1));
        out_.after_skin.smoothing = rule;
      } else if (type == "lattice") {
        out_.after_skin.lattices.push_back(LatticeOf(from));
      } else {
        from["type"].Wrong(absl::StrCat("is \"", type, "\", expected lattice or smoothing"));
      }
    }
  }

  character::Lattice LatticeOf(const Json& from) {
    character::Lattice out;
    out.node = NodeOf(from["node"]);
    out.low = VectorOf(from["min"], {});
    out.high = VectorOf(from["max"], {});
    const Vec3 size = out.high - out.low;
    if (!(size.x > 0 && size.y > 0 && size.z > 0)) {
      from["max"].Wrong("is not above min along each axis");
    }
    if (from["divisions"].exists() && from["divisions"].size() != 3) {
      from["divisions"].Wrong("is not three numbers");
    }
    for (size_t axis = 0; axis < 3 && from["divisions"].exists(); ++axis) {
      out.divisions[axis] = static_cast<int>(
          from["divisions"].At(axis).Whole(1, 1, character::Lattice::kMostDivisions));
    }
    const Json meshes = from["meshes"];
    std::set<std::string> named;
    for (size_t i = 0; i < CountOf(meshes); ++i) {
      if (named.insert(meshes.At(i).Text()).second) AddMeshes(meshes.At(i), out.meshes);
    }
    std::sort(out.meshes.begin(), out.meshes.end());
    const Json moves = from["moves"];
    for (size_t i = 0; i < CountOf(moves); ++i) {
      const auto drive = DriveOf(moves.At(i));
      if (!drive) continue;
      character::Lattice::Move& move = out.moves.emplace_back();
      move.drive = *drive;
      const Json points = moves.At(i)["points"];
      if (points.size() > kMostPushes) {
        points.Wrong(absl::StrCat("has ", points.size(), " entries, and at most ", kMostPushes,
                                  " are read"));
        continue;
      }
      for (size_t k = 0; k < points.size(); ++k) move.pushes.push_back(PushOf(points.At(k), out));
      if (points.size() == 0) moves.At(i).Wrong("has no points");
    }
    return out;
  }

  // A control point and its way: [x, y, z, [dx, dy, dz]].
  character::Lattice::Push PushOf(const Json& from, const character::Lattice& lattice) {
    character::Lattice::Push push;
    for (size_t axis = 0; axis < 3; ++axis) {
      push.at[axis] = static_cast<uint8_t>(from.At(axis).Whole(0, 0, lattice.divisions[axis]));
    }
    if (from.size() != 4) from.Wrong("is no control point, expected [x, y, z, [dx, dy, dz]]");
    push.by = VectorOf(from.At(3), {});
    return push;
  }

  // The first node of that name.
  int NodeOf(const Json& at) {
    const std::string name = at.Text();
    for (size_t n = 0; n < out_.nodes.size(); ++n) {
      if (out_.nodes[n].name == name) return static_cast<int>(n);
    }
    at.Wrong(absl::StrCat("is \"", name, "\", and no node is called so"));
    return 0;
  }

  void AddMeshes(const Json& at, std::vector<int>& to) {
    const std::string name = at.Text();
    const size_t before = to.size();
    for (size_t m = 0; m < out_.meshes.size(); ++m) {
      if (out_.meshes[m].name == name) to.push_back(static_cast<int>(m));
    }
    if (to.size() == before) {
      at.Wrong(absl::StrCat("is \"", name, "\", and no mesh is called so"));
    }
  }

  void ReadVariants(const Json& list) {
    const size_t count = CountOf(list);
    for (size_t i = 0; i < count && document_.status().ok(); ++i) {
      character::Variant variant;
      variant.part = list.At(i)["part"].Text();
      const Json choices = list.At(i)["choices"];
      for (size_t k = 0; k < CountOf(choices); ++k) {
        variant.choices.push_back(ChoiceOf(choices.At(k)));
      }
      if (variant.part.empty() || variant.choices.empty()) {
        list.At(i).Wrong("has no part, or no choices");
        return;
      }
      out_.variants.push_back(std::move(variant));
    }
  }

  character::Variant::Choice ChoiceOf(const Json& from) {
    character::Variant::Choice out;
    out.name = from["name"].Text();
    const Json nodes = from["nodes"];
    for (size_t i = 0; i < CountOf(nodes); ++i) {
      const std::string name = nodes.At(i).Text();
      const size_t before = out.nodes.size();
      for (size_t n = 0; n < out_.nodes.size(); ++n) {
        if (out_.nodes[n].name == name) out.nodes.push_back(static_cast<int>(n));
      }
      if (out.nodes.size() == before) {
        nodes.At(i).Wrong(absl::StrCat("is \"", name, "\", and no node is called so"));
      }
    }
    const Json materials = from["materials"];
    if (!materials.exists()) return out;
    for (const std::string& name : materials.Names()) {
      const std::vector<float> f = materials[name]["baseColorFactor"].Floats(4);
      bool found = false;
      for (size_t m = 0; m < out_.materials.size(); ++m) {
        if (out_.materials[m].name != name) continue;
        found = true;
        if (!f.empty()) out.colors.push_back({static_cast<int>(m), {f[0], f[1], f[2], f[3]}});
      }
      if (!found) materials[name].Wrong("is no material of the file");
    }
    return out;
  }

  void ReadSites(const Json& list) {
    const size_t count = CountOf(list);
    for (size_t i = 0; i < count && document_.status().ok(); ++i) {
      const Json from = list.At(i);
      skel::Site site;
      site.name = from["name"].Text();
      if (out_.same_joints) site.joint = JointOf(from["joint"]);
      site.offset = VectorOf(from["translation"], {});
      if (const std::vector<float> q = from["rotation"].Floats(4); !q.empty()) {
        site.rotation = skel::Normalized(skel::Quat{q[3], q[0], q[1], q[2]});
      }
      if (site.joint >= 0) out_.sites.push_back(std::move(site));
    }
  }

  Document& document_;
  character::Character& out_;
};

}  // namespace

std::vector<Inbetween> ReadInbetweens(Document& document) {
  std::vector<Inbetween> out;
  const Json list = ExtrasOf(document)["inbetweens"];
  const size_t count = CountOf(list);
  for (size_t i = 0; i < count; ++i) {
    const Json from = list.At(i);
    out.push_back({from["target"].Text(), from["shape"].Text(),
                   static_cast<float>(from["at"].Number(0.5, -kMostAt, kMostAt))});
    if (!from["target"].exists() || !from["shape"].exists())
      from.Wrong("has no target, or no shape");
  }
  return out;
}

absl::Status ReadExtras(Document& document, character::Character& out) {
  return ExtrasReader(document, out).Run();
}

}  // namespace posewire::gltf
