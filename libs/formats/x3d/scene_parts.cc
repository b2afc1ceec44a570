#include "libs/formats/x3d/scene_parts.h"

#include <cmath>

#include "absl/strings/str_format.h"

namespace posewire::x3d {

std::string TextOf(float number) { return absl::StrFormat("%.9g", static_cast<double>(number)); }

std::string TextOf(skel::Vec3 v) {
  return absl::StrCat(TextOf(v.x), " ", TextOf(v.y), " ", TextOf(v.z));
}

std::string TextOf(skel::Quat q) {
  if (q.w < 0) q = -q;
  const double length = std::sqrt(double{q.x} * q.x + double{q.y} * q.y + double{q.z} * q.z);
  if (!(length > 1e-9)) return "0 0 1 0";
  return absl::StrFormat("%.9g %.9g %.9g %.9g", q.x / length, q.y / length, q.z / length,
                         2 * std::atan2(length, double{q.w}));
}

int SceneParts::Add(std::string type, std::string def) {
  scene_.nodes.push_back({std::move(type), std::move(def), 0, {}, {}});
  return static_cast<int>(scene_.nodes.size()) - 1;
}

void SceneParts::Set(int index, std::string name, Field::Kind kind, std::string text) {
  node(index).fields.push_back({std::move(name), kind, std::move(text), 0});
}

void SceneParts::Put(int parent, std::string field, int child) {
  node(parent).children.push_back({std::move(field), child});
}

void SceneParts::Route(int from, std::string from_field, int to, std::string to_field) {
  scene_.routes.push_back({from, std::move(from_field), to, std::move(to_field), 0});
}

void SceneParts::AddSceneHead() {
  scene_.profile = "Immersive";
  scene_.components.push_back({"HAnim", "1"});
  scene_.metas.push_back({"generator", "Posewire"});
  const int view = Add("Viewpoint");
  Set(view, "position", Field::Kind::kOne, "0 1 3");
  Set(view, "description", Field::Kind::kString, "Front");
  scene_.roots.push_back({"children", view});
}

void SceneParts::AddClock(double cycle_s) {
  clock_ = Add("TimeSensor", "Clock");
  Set(clock_, "cycleInterval", Field::Kind::kOne, absl::StrFormat("%.17g", cycle_s));
  Set(clock_, "loop", Field::Kind::kOne, "true");
}

int SceneParts::AddSegment(int joint, const std::string& name, const SegmentMass& mass) {
  const int segment = Add("HAnimSegment");
  Set(segment, "name", Field::Kind::kString, name);
  if (mass.kg > 0) {
    Set(segment, "mass", Field::Kind::kOne, TextOf(mass.kg));
    Set(segment, "centerOfMass", Field::Kind::kOne, TextOf(mass.center));
    Set(segment, "momentsOfInertia", Field::Kind::kList,
        Join(std::vector<float>(mass.moments.begin(), mass.moments.end())));
  }
  Put(joint, "children", segment);
  return segment;
}

void SceneParts::AddBodyParts(const WrittenBody& body, const std::vector<int>& joints,
                              const std::vector<std::string>& names, std::vector<int>& segments) {
  for (size_t j = 0; j < body.limits.size(); ++j) {
    if (!body.limits[j]) continue;
    Set(joints[j], "llimit", Field::Kind::kList, TextOf(body.limits[j]->min));
    Set(joints[j], "ulimit", Field::Kind::kList, TextOf(body.limits[j]->max));
  }
  for (size_t j = 0; j < body.stiffness.size(); ++j) {
    if (!(skel::Length(body.stiffness[j]) > 0)) continue;
    Set(joints[j], "stiffness", Field::Kind::kList, TextOf(body.stiffness[j]));
  }
  for (const WrittenSite& site : body.sites) {
    int& segment = segments[site.joint];
    if (segment < 0) {
      segment = AddSegment(joints[site.joint], absl::StrCat("x_segment_", names[site.joint]), {});
    }
    const int node = Add("HAnimSite");
    Set(node, "name", Field::Kind::kString, site.name);
    Set(node, "translation", Field::Kind::kOne, TextOf(site.place));
    if (site.rotation) Set(node, "rotation", Field::Kind::kOne, TextOf(*site.rotation));
    Put(segment, "children", node);
  }
}

void SceneParts::AddMotion(int humanoid, const std::string& def, MotionFrames frames) {
  const int motion = Add("HAnimMotion", def);
  Set(motion, "name", Field::Kind::kString, "take");
  Set(motion, "frameDuration", Field::Kind::kOne, absl::StrFormat("%.17g", frames.frame_s));
  Set(motion, "joints", Field::Kind::kString, std::move(frames.joints));
  Set(motion, "channels", Field::Kind::kString, std::move(frames.channels));
  Set(motion, "values", Field::Kind::kList, std::move(frames.values));
  Set(motion, "loop", Field::Kind::kOne, "true");
  Put(humanoid, "motions", motion);
}

int SceneParts::Drive(std::string type, std::string def, const std::string& keys,
                      std::string values, int target, const std::string& field) {
  const int mover = Add(std::move(type), std::move(def));
  Set(mover, "key", Field::Kind::kList, keys);
  Set(mover, "keyValue", Field::Kind::kList, std::move(values));
  scene_.roots.push_back({"children", mover});
  Route(clock_, "fraction_changed", mover, "set_fraction");
  Route(mover, "value_changed", target, absl::StrCat("set_", field));
  return mover;
}

}  // namespace posewire::x3d
