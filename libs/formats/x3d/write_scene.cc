#include "libs/formats/x3d/write_scene.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/quoted.h"
#include "libs/formats/x3d/vocabulary.h"

namespace posewire::x3d {
namespace {

// Writes an attribute's value in XML. Line ends are written as numbers, because readers would turn
// them into spaces.
std::string Attribute(absl::string_view name, absl::string_view value) {
  return absl::StrCat(" ", name, "='",
                      absl::StrReplaceAll(value, {{"&", "&amp;"},
                                                  {"<", "&lt;"},
                                                  {"'", "&apos;"},
                                                  {"\n", "&#10;"},
                                                  {"\r", "&#13;"},
                                                  {"\t", "&#9;"}}),
                      "'");
}

// The nodes that have been written. If they have a name, later uses refer to it.
class Written {
 public:
  explicit Written(const Scene& scene) : scene_(scene), seen_(scene.nodes.size()) {}

  bool Again(int node) {
    const size_t i = static_cast<size_t>(node);
    const bool again = seen_[i] && !scene_.nodes[i].def.empty();
    seen_[i] = true;
    return again;
  }

 private:
  const Scene& scene_;
  std::vector<bool> seen_;
};

class XmlWriter {
 public:
  explicit XmlWriter(const Scene& scene) : scene_(scene) {}

  std::string Write() {
    out_ = absl::StrCat("<?xml version='1.0' encoding='UTF-8'?>\n<X3D",
                        Attribute("profile", scene_.profile), Attribute("version", scene_.version),
                        ">\n  <head>\n");
    for (const auto& c : scene_.components) {
      absl::StrAppend(&out_, "    <component", Attribute("name", c.name),
                      Attribute("level", c.level), "/>\n");
    }
    for (const auto& u : scene_.units) {
      absl::StrAppend(&out_, "    <unit", Attribute("category", u.category),
                      Attribute("name", u.name), Attribute("conversionFactor", u.factor), "/>\n");
    }
    for (const auto& m : scene_.metas) {
      absl::StrAppend(&out_, "    <meta", Attribute("name", m.name),
                      Attribute("content", m.content), "/>\n");
    }
    out_ += "  </head>\n  <Scene>\n";
    for (const Child& child : scene_.roots) Put(child, 4);
    for (const Route& r : scene_.routes) {
      absl::StrAppend(&out_, "    <ROUTE", Attribute("fromNode", Def(r.from)),
                      Attribute("fromField", r.from_field), Attribute("toNode", Def(r.to)),
                      Attribute("toField", r.to_field), "/>\n");
    }
    return out_ + "  </Scene>\n</X3D>\n";
  }

 private:
  const std::string& Def(int node) const { return scene_.nodes[static_cast<size_t>(node)].def; }

  void Put(const Child& child, size_t indent) {
    const X3dNode& node = scene_.nodes[static_cast<size_t>(child.node)];
    const bool use = written_.Again(child.node);
    absl::StrAppend(&out_, std::string(indent, ' '), "<", node.type);
    if (!node.def.empty()) out_ += Attribute(use ? "USE" : "DEF", node.def);
    if (child.field != DefaultContainer(node.type)) {
      out_ += Attribute("containerField", child.field);
    }
    if (!use) {
      for (const Field& f : node.fields) out_ += Attribute(f.name, f.text);
    }
    if (use || node.children.empty()) {
      out_ += "/>\n";
      return;
    }
    out_ += ">\n";
    for (const Child& below : node.children) Put(below, indent + 2);
    absl::StrAppend(&out_, std::string(indent, ' '), "</", node.type, ">\n");
  }

  const Scene& scene_;
  Written written_{scene_};
  std::string out_;
};

class ClassicWriter {
 public:
  explicit ClassicWriter(const Scene& scene) : scene_(scene) {}

  std::string Write() {
    out_ = absl::StrCat("#X3D V", scene_.version, " utf8\nPROFILE ", scene_.profile, "\n");
    for (const auto& c : scene_.components) {
      absl::StrAppend(&out_, "COMPONENT ", c.name, ":", c.level, "\n");
    }
    for (const auto& u : scene_.units) {
      absl::StrAppend(&out_, "UNIT ", u.category, " ", u.name, " ", u.factor, "\n");
    }
    for (const auto& m : scene_.metas) {
      absl::StrAppend(&out_, "META ", Quoted(m.name), " ", Quoted(m.content), "\n");
    }
    for (const Child& child : scene_.roots) Put(child, 0);
    for (const Route& r : scene_.routes) {
      absl::StrAppend(&out_, "ROUTE ", Def(r.from), ".", r.from_field, " TO ", Def(r.to), ".",
                      r.to_field, "\n");
    }
    return out_;
  }

 private:
  const std::string& Def(int node) const { return scene_.nodes[static_cast<size_t>(node)].def; }

  static std::string Value(const Field& field) {
    switch (field.kind) {
      case Field::Kind::kString:
        return Quoted(field.text);
      case Field::Kind::kStrings: {
        std::string out = "[";
        for (const std::string& s : Unquoted(field.text)) absl::StrAppend(&out, " ", Quoted(s));
        return out + " ]";
      }
      case Field::Kind::kOne:
      case Field::Kind::kList:
        break;
    }
    const std::string text =
        absl::StrReplaceAll(field.text, {{"true", "TRUE"}, {"false", "FALSE"}});
    return field.kind == Field::Kind::kOne ? text : absl::StrCat("[ ", text, " ]");
  }

  void Put(const Child& child, size_t indent) {
    const X3dNode& node = scene_.nodes[static_cast<size_t>(child.node)];
    if (written_.Again(child.node)) {
      absl::StrAppend(&out_, "USE ", node.def, "\n");
      return;
    }
    if (!node.def.empty()) absl::StrAppend(&out_, "DEF ", node.def, " ");
    absl::StrAppend(&out_, node.type, " {\n");
    const std::string in(indent + 2, ' ');
    for (const Field& f : node.fields) absl::StrAppend(&out_, in, f.name, " ", Value(f), "\n");
    // The classic form has all children of a field together. Fields are in the order of their first
    // child.
    std::vector<absl::string_view> order;
    absl::flat_hash_map<absl::string_view, std::vector<const Child*>> by_field;
    for (const Child& below : node.children) {
      std::vector<const Child*>& all = by_field[below.field];
      if (all.empty()) order.push_back(below.field);
      all.push_back(&below);
    }
    for (const absl::string_view field : order) {
      const std::vector<const Child*>& all = by_field[field];
      const bool several = all.size() > 1 || HoldsNodes(field);
      absl::StrAppend(&out_, in, field, several ? " [\n" : " ");
      for (const Child* below : all) {
        if (several) out_ += std::string(indent + 4, ' ');
        Put(*below, indent + (several ? 4 : 2));
      }
      if (several) absl::StrAppend(&out_, in, "]\n");
    }
    absl::StrAppend(&out_, std::string(indent, ' '), "}\n");
  }

  const Scene& scene_;
  Written written_{scene_};
  std::string out_;
};

}  // namespace

std::string WriteXml(const Scene& scene) { return XmlWriter(scene).Write(); }
std::string WriteClassic(const Scene& scene) { return ClassicWriter(scene).Write(); }

}  // namespace posewire::x3d
