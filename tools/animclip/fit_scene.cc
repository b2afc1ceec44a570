#include "tools/animclip/fit_scene.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/shown_parts.h"
#include "libs/mesh/fit_joints.h"
#include "libs/skel/pose.h"

namespace posewire::animclip {
namespace {

using character::Character;
using skel::Affine;
using skel::Vec3;

bool SameBind(const character::Skin& a, const character::Skin& b) {
  if (a.nodes != b.nodes) return false;
  for (size_t j = 0; j < a.nodes.size(); ++j) {
    for (size_t r = 0; r < 4; ++r) {
      const Vec3 x = a.inverse_bind[j].row[r], y = b.inverse_bind[j].row[r];
      if (skel::Length(x - y) > 1e-5f * (1 + skel::Length(x))) return false;
    }
  }
  return true;
}

// Adds joints, parents first, with their positions in the space of the points.
void AddJoints(const Character& c, const character::Skin& skin, SkinPoints& out) {
  std::vector<int> joint_at(c.nodes.size(), -1);
  for (size_t j = 0; j < skin.nodes.size(); ++j) {
    joint_at[static_cast<size_t>(skin.nodes[j])] = static_cast<int>(j);
  }
  out.place_of.assign(skin.nodes.size(), 0);
  std::vector<int> place_at(c.nodes.size(), -1);
  for (const int n : c.order) {
    const int joint = joint_at[static_cast<size_t>(n)];
    if (joint < 0) continue;
    int above = c.nodes[static_cast<size_t>(n)].parent;
    while (above >= 0 && place_at[static_cast<size_t>(above)] < 0) {
      above = c.nodes[static_cast<size_t>(above)].parent;
    }
    const Affine bind =
        skel::Inverse(skin.inverse_bind[static_cast<size_t>(joint)]).value_or(Affine{});
    place_at[static_cast<size_t>(n)] = static_cast<int>(out.joints.size());
    out.place_of[static_cast<size_t>(joint)] = static_cast<int>(out.joints.size());
    out.joints.push_back({bind.row[3], above < 0 ? -1 : place_at[static_cast<size_t>(above)]});
    out.bind.push_back(bind);
    out.nodes.push_back(n);
  }
}

void AddPoints(const Character& c, SkinPoints& out) {
  for (const size_t m : out.meshes) out.per_point = std::max(out.per_point, c.meshes[m].per_point);
  const auto per = static_cast<size_t>(out.per_point);
  for (const size_t m : out.meshes) {
    const character::Mesh& mesh = c.meshes[m];
    const auto own = static_cast<size_t>(mesh.per_point);
    out.rest.insert(out.rest.end(), mesh.points.begin(), mesh.points.end());
    for (size_t i = 0; i < mesh.points.size(); ++i) {
      for (size_t n = 0; n < per; ++n) {
        out.indices.push_back(n < own ? out.place_of[static_cast<size_t>(mesh.joints[i * own + n])]
                                      : 0);
        out.weights.push_back(n < own ? mesh.weights[i * own + n] : 0.0f);
      }
    }
  }
}

}  // namespace

float FitScene::unit_m() const {
  const Vec3 s = person.root.scale;
  return std::cbrt(std::fabs(s.x * s.y * s.z));
}

absl::StatusOr<FitScene> SceneOfCharacter(FilmBake& bake) {
  character::Deformer& deformer = bake.rig->deformer;
  FitScene out;
  out.person = deformer.character();
  out.rate = bake.clip->rate();
  const character::CharacterNode& root = out.person.root;
  const auto back = skel::Inverse(skel::FromTrs(root.translation, root.rotation, root.scale));
  if (!back) return absl::InvalidArgumentError("the character's root has no size");
  std::vector<bool> shown;
  for (size_t m = 0; m < out.person.meshes.size(); ++m) shown.push_back(deformer.shown(m));
  const auto hidden = std::count(shown.begin(), shown.end(), false);
  if (hidden > 0) {
    out.notes.push_back(absl::StrCat(
        "a .glb gets the hair and clothes that are shown; other meshes are left out: ", hidden));
  }
  if (!out.person.after_skin.empty()) {
    out.notes.push_back("lattices and smoothing are left out: the fitted skin has their effect");
    out.person.after_skin = {};
  }
  character::KeepMeshes(shown, out.person);
  for (const character::Mesh& mesh : out.person.meshes) {
    out.first.push_back(out.points);
    out.points += mesh.points.size();
  }
  const auto rig = bake.clip->rig();
  out.shape_names.assign(rig->shape_names().begin(), rig->shape_names().end());
  skel::Pose pose(rig->joints(), rig->shapes());
  for (int f = 0; f < bake.clip->frames(); ++f) {
    bake.clip->CopyFrame(f, pose.span());
    if (absl::Status s = deformer.Pose(pose.view()); !s.ok()) return s;
    std::vector<Affine>& now = out.nodes.emplace_back();
    for (const Affine& node : deformer.nodes()) now.push_back(skel::Mul(node, *back));
    for (int k = 0; k < rig->shapes(); ++k) {
      out.shapes.push_back(pose.view().has_w[k] ? pose.view().weights[k] : 0.0f);
    }
  }
  for (const Vec3 p : bake.complex) out.complex.push_back(skel::TransformPoint(*back, p));
  return out;
}

std::vector<SkinPoints> GatherSkins(const FitScene& scene, const std::vector<size_t>& frames) {
  const Character& c = scene.person;
  std::vector<SkinPoints> out;
  for (size_t s = 0; s < c.skins.size(); ++s) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const SkinPoints& other) {
      return SameBind(c.skins[other.skins[0]], c.skins[s]);
    });
    if (same != out.end()) {
      same->skins.push_back(s);
    } else {
      out.emplace_back().skins.push_back(s);
    }
  }
  for (SkinPoints& points : out) {
    points.frames = frames;
    const character::Skin& skin = c.skins[points.skins[0]];
    AddJoints(c, skin, points);
    for (size_t m = 0; m < c.meshes.size(); ++m) {
      for (const size_t s : points.skins) {
        if (c.meshes[m].skin == static_cast<int>(s)) points.meshes.push_back(m);
      }
    }
    AddPoints(c, points);
    for (const size_t f : frames) {
      std::vector<Affine> now(points.joints.size());
      for (size_t j = 0; j < skin.nodes.size(); ++j) {
        now[static_cast<size_t>(points.place_of[j])] =
            skel::Mul(skin.inverse_bind[j], scene.nodes[f][static_cast<size_t>(skin.nodes[j])]);
      }
      points.transforms.insert(points.transforms.end(), now.begin(), now.end());
      for (const size_t m : points.meshes) {
        const auto from = scene.Complex(f).subspan(scene.first[m], c.meshes[m].points.size());
        points.complex.insert(points.complex.end(), from.begin(), from.end());
      }
    }
  }
  std::erase_if(out, [](const SkinPoints& points) { return points.rest.empty(); });
  return out;
}

void SetWeights(const SkinPoints& points, const mesh::FittedSkin& fit, FitScene& scene) {
  // The reverse of place_of.
  std::vector<int> joint_of(points.joints.size(), 0);
  for (size_t j = 0; j < points.place_of.size(); ++j) {
    joint_of[static_cast<size_t>(points.place_of[j])] = static_cast<int>(j);
  }
  size_t at = 0;
  for (const size_t m : points.meshes) {
    character::Mesh& mesh = scene.person.meshes[m];
    const size_t n = mesh.points.size() * static_cast<size_t>(fit.per_point);
    mesh.per_point = fit.per_point;
    mesh.method = mesh::SkinningMethod::kClassicLinear;
    mesh.joints.clear();
    mesh.weights.assign(fit.weights.begin() + static_cast<std::ptrdiff_t>(at),
                        fit.weights.begin() + static_cast<std::ptrdiff_t>(at + n));
    for (size_t k = at; k < at + n; ++k) {
      mesh.joints.push_back(joint_of[static_cast<size_t>(fit.indices[k])]);
    }
    at += n;
  }
}

void ApplyTransforms(const SkinPoints& points, absl::Span<const Vec3> shifts,
                     absl::Span<const Affine> transforms, FitScene& scene) {
  Character& c = scene.person;
  const size_t joints = points.joints.size(), nodes = c.nodes.size();
  std::vector<int> joint_at(nodes, -1);
  for (size_t j = 0; j < joints; ++j)
    joint_at[static_cast<size_t>(points.nodes[j])] = static_cast<int>(j);
  std::vector<Affine> bind = points.bind;
  for (size_t j = 0; j < joints; ++j) bind[j].row[3] = bind[j].row[3] + shifts[j];
  const auto above = [&](const std::vector<Affine>& of, size_t node) {
    const int parent = c.nodes[node].parent;
    return parent < 0 ? Affine{} : of[static_cast<size_t>(parent)];
  };
  // Joints are where their transforms take them; other nodes follow those above them.
  const auto apply = [&](const Affine* now, std::vector<Affine>& places) {
    const std::vector<Affine> old = places;
    for (const int n : c.order) {
      const auto i = static_cast<size_t>(n);
      if (const int j = joint_at[i]; j >= 0) {
        places[i] = skel::Mul(bind[static_cast<size_t>(j)], now[j]);
      } else {
        const Affine own = skel::Mul(old[i], skel::Inverse(above(old, i)).value_or(Affine{}));
        places[i] = skel::Mul(own, above(places, i));
      }
    }
  };
  std::vector<Affine> rest(nodes), at_rest(joints);
  for (const int n : c.order) {
    const auto i = static_cast<size_t>(n);
    const character::CharacterNode& node = c.nodes[i];
    rest[i] = skel::Mul(skel::FromTrs(node.translation, node.rotation, node.scale), above(rest, i));
    if (const int j = joint_at[i]; j >= 0) {
      const auto at = static_cast<size_t>(j);
      at_rest[at] = skel::Mul(skel::Inverse(points.bind[at]).value_or(Affine{}), rest[i]);
    }
  }
  mesh::ShiftJoints(points.joints, shifts, absl::MakeSpan(at_rest)).IgnoreError();  // lengths match
  apply(at_rest.data(), rest);
  for (size_t i = 0; i < nodes; ++i) {
    const skel::Trs local =
        skel::Decompose(skel::Mul(rest[i], skel::Inverse(above(rest, i)).value_or(Affine{})));
    c.nodes[i].translation = local.translation;
    c.nodes[i].rotation = local.rotation;
    c.nodes[i].scale = local.scale;
  }
  for (size_t f = 0; f < scene.frames(); ++f) apply(transforms.data() + f * joints, scene.nodes[f]);
  for (const size_t s : points.skins) {
    for (size_t j = 0; j < points.place_of.size(); ++j) {
      c.skins[s].inverse_bind[j] =
          skel::Inverse(bind[static_cast<size_t>(points.place_of[j])]).value_or(Affine{});
    }
  }
}

}  // namespace posewire::animclip
