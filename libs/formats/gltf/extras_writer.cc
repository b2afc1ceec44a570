#include "libs/formats/gltf/extras_writer.h"

#include <array>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "libs/skel/rig.h"

namespace posewire::gltf {
namespace {

using character::Character;
using character::Drive;
using character::LinearShapes;
using skel::Vec3;

constexpr float kDegrees = 180 / 3.14159265f;

void WriteNumber(JsonWriter& json, const char* name, float value) {
  json.Key(name), json.Double(static_cast<double>(value));
}

void WriteVector(JsonWriter& json, const char* name, Vec3 v) {
  WriteNumbers(json, name, {v.x, v.y, v.z});
}

// Meshes that share a shape repeat its in-betweens.
std::vector<LinearShapes::Inbetween> DistinctInbetweens(absl::Span<const LinearShapes> targets) {
  std::vector<LinearShapes::Inbetween> out;
  std::set<std::tuple<std::string, std::string, float>> seen;
  for (const LinearShapes& of : targets) {
    for (const LinearShapes::Inbetween& one : of.inbetweens()) {
      if (seen.insert({one.target, one.shape, one.at}).second) out.push_back(one);
    }
  }
  return out;
}

// Correctives, each once with the name of its target: a reader finds the meshes that have it.
std::vector<std::pair<std::string, const Drive*>> DistinctCorrectives(
    const Character& c, absl::Span<const LinearShapes> targets) {
  std::vector<std::pair<std::string, const Drive*>> out;
  std::set<std::tuple<std::string, std::vector<int>, int, float, float, std::array<float, 3>>> seen;
  for (const Drive& drive : c.drives) {
    if (drive.kind != Drive::Kind::kProduct && drive.kind != Drive::Kind::kTurn) continue;
    const std::string& name =
        targets[static_cast<size_t>(drive.mesh)].names()[static_cast<size_t>(drive.shape)];
    const std::array<float, 3> axis = {drive.axis.x, drive.axis.y, drive.axis.z};
    if (seen.insert({name, drive.sources, drive.joint, drive.from_rad, drive.to_rad, axis})
            .second) {
      out.emplace_back(name, &drive);
    }
  }
  return out;
}

void WriteDrive(JsonWriter& json, const skel::Rig& rig, const Drive& drive) {
  if (drive.kind == Drive::Kind::kProduct) {
    std::vector<std::string> shapes;
    for (const int s : drive.sources) shapes.push_back(rig.shape_names()[static_cast<size_t>(s)]);
    return WriteTexts(json, "shapes", shapes);
  }
  WriteText(json, "joint", rig.joint_names()[static_cast<size_t>(drive.joint)]);
  WriteVector(json, "axis", drive.axis);
  WriteNumber(json, "from_deg", drive.from_rad * kDegrees);
  WriteNumber(json, "to_deg", drive.to_rad * kDegrees);
}

void WriteCorrective(JsonWriter& json, const skel::Rig& rig, const std::string& target,
                     const Drive& drive) {
  WriteText(json, "target", target);
  WriteDrive(json, rig, drive);
}

void WritePush(JsonWriter& json, const character::Lattice::Push& push) {
  json.StartArray();
  for (const uint8_t at : push.at) json.Int(at);
  json.StartArray();
  for (const float way : {push.by.x, push.by.y, push.by.z}) json.Double(static_cast<double>(way));
  json.EndArray();
  json.EndArray();
}

void WriteLattice(JsonWriter& json, const Character& c, absl::Span<const std::string> mesh_names,
                  const character::Lattice& lattice) {
  WriteText(json, "type", "lattice");
  WriteText(json, "node", c.nodes[static_cast<size_t>(lattice.node)].name);
  WriteVector(json, "min", lattice.low);
  WriteVector(json, "max", lattice.high);
  WriteArray(json, "divisions", [&] {
    for (const int n : lattice.divisions) json.Int(n);
  });
  std::vector<std::string> meshes;
  for (const int m : lattice.meshes) meshes.push_back(mesh_names[static_cast<size_t>(m)]);
  if (!meshes.empty()) WriteTexts(json, "meshes", meshes);
  WriteObjects(json, "moves", lattice.moves, [&](const character::Lattice::Move& move) {
    WriteDrive(json, *c.rig, move.drive);
    WriteArray(json, "points", [&] {
      for (const auto& push : move.pushes) WritePush(json, push);
    });
  });
}

void WriteDeformers(JsonWriter& json, const Character& c,
                    absl::Span<const std::string> mesh_names) {
  if (c.after_skin.empty()) return;
  WriteArray(json, "deformers", [&] {
    for (const character::Lattice& lattice : c.after_skin.lattices) {
      json.StartObject();
      WriteLattice(json, c, mesh_names, lattice);
      json.EndObject();
    }
    if (!c.after_skin.smoothing) return;
    json.StartObject();
    WriteText(json, "type", "smoothing");
    json.Key("rounds"), json.Int(c.after_skin.smoothing->rounds);
    WriteNumber(json, "strength", c.after_skin.smoothing->strength);
    json.EndObject();
  });
}

}  // namespace

void WriteCharacterExtras(JsonWriter& json, const Character& c,
                          absl::Span<const LinearShapes> targets,
                          absl::Span<const std::string> mesh_names) {
  const std::vector<LinearShapes::Inbetween> inbetweens = DistinctInbetweens(targets);
  const auto correctives = DistinctCorrectives(c, targets);
  const std::pair<const char*, float> cameras[] = {
      {"face", c.framing.face_m}, {"bust", c.framing.bust_m}, {"body", c.framing.body_m}};
  bool framed = false;
  for (const auto& [name, height_m] : cameras) framed = framed || height_m > 0;
  if (!c.ace_mouth && inbetweens.empty() && correctives.empty() && c.after_skin.empty() &&
      c.sites.empty() && !framed) {
    return;
  }
  WriteObject(json, "extras", [&] {
    WriteObject(json, "posewire", [&] {
      json.Key("version"), json.Int(1);
      if (c.ace_mouth) json.Key("mouthClose"), json.String("ace");
      WriteObjects(json, "inbetweens", inbetweens, [&](const LinearShapes::Inbetween& one) {
        WriteText(json, "target", one.target);
        WriteText(json, "shape", one.shape);
        WriteNumber(json, "at", one.at);
      });
      WriteObjects(json, "correctives", correctives,
                   [&](const auto& one) { WriteCorrective(json, *c.rig, one.first, *one.second); });
      WriteDeformers(json, c, mesh_names);
      WriteObjects(json, "sites", c.sites, [&](const skel::Site& site) {
        WriteText(json, "name", site.name);
        WriteText(json, "joint", c.rig->joint_names()[static_cast<size_t>(site.joint)]);
        WriteVector(json, "translation", site.offset);
        if (!site.rotation) return;
        const skel::Quat q = *site.rotation;
        WriteNumbers(json, "rotation", {q.x, q.y, q.z, q.w});
      });
      if (!framed) return;
      WriteObject(json, "cameras", [&] {
        for (const auto& [name, height_m] : cameras) {
          if (!(height_m > 0)) continue;
          const float shown_m = height_m;  // clang 14 captures no structured binding
          WriteObject(json, name, [&] { WriteNumber(json, "height_m", shown_m); });
        }
      });
    });
  });
}

}  // namespace posewire::gltf
