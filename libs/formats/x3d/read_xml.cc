// Reads the XML form with expat, which holds one element at a time. The builder limits depth and
// counts. Entities that a file declares are refused, because a short text can expand to a very long
// one.
#include <expat.h>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/readers.h"
#include "libs/formats/x3d/scene_builder.h"
#include "libs/formats/x3d/vocabulary.h"

namespace posewire::x3d {
namespace {

class XmlReader {
 public:
  explicit XmlReader(const Limits& limits) : parser_(XML_ParserCreate(nullptr)), builder_(limits) {}

  absl::StatusOr<Scene> Read(absl::string_view bytes) {
    if (!parser_) return absl::ResourceExhaustedError("there is no memory for the XML parser");
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          static_cast<XmlReader*>(self)->Start(name, attributes);
        },
        [](void* self, const XML_Char*) { static_cast<XmlReader*>(self)->End(); });
    XML_SetEntityDeclHandler(parser_.get(), [](void* self, auto...) {
      auto* const reader = static_cast<XmlReader*>(self);
      reader->Stop(AtLine(reader->line(), "the file declares an entity: write its text instead"));
    });
    const XML_Status status =
        XML_Parse(parser_.get(), bytes.data(), static_cast<int>(bytes.size()), XML_TRUE);
    if (!status_.ok()) return status_;
    if (status != XML_STATUS_OK) {
      return AtLine(line(), absl::StrCat("the XML is broken: ",
                                         XML_ErrorString(XML_GetErrorCode(parser_.get()))));
    }
    if (!scene_) return AtLine(line(), "there is no Scene in an X3D element");
    return builder_.Finish();
  }

 private:
  // The role of an open element for its children.
  enum class Place { kX3d, kHead, kScene, kNode, kEmpty };

  int line() const { return static_cast<int>(XML_GetCurrentLineNumber(parser_.get())); }

  void Stop(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  static std::string Get(const XML_Char** attributes, absl::string_view name) {
    for (; *attributes; attributes += 2) {
      if (attributes[0] == name) return attributes[1];
    }
    return "";
  }

  void Start(absl::string_view name, const XML_Char** attributes) {
    if (!status_.ok()) return;
    auto place = Element(name, attributes);
    if (!place.ok()) return Stop(place.status());
    places_.push_back(*place);
  }

  void End() {
    if (!status_.ok()) return;
    if (places_.back() == Place::kNode) builder_.Close();
    places_.pop_back();
  }

  absl::StatusOr<Place> Element(absl::string_view name, const XML_Char** attributes) {
    if (places_.empty()) {
      if (name != "X3D") return AtLine(line(), absl::StrCat("starts with ", name, ", not X3D"));
      std::string profile = Get(attributes, "profile"), version = Get(attributes, "version");
      absl::Status s = absl::OkStatus();
      if (!profile.empty()) s = builder_.SetProfile(std::move(profile), line());
      if (s.ok() && !version.empty()) s = builder_.SetVersion(std::move(version), line());
      if (!s.ok()) return s;
      return Place::kX3d;
    }
    switch (places_.back()) {
      case Place::kX3d:
        if (name == "head") return Place::kHead;
        if (name == "Scene" && !scene_) {
          scene_ = true;
          return Place::kScene;
        }
        return AtLine(line(), absl::StrCat(name, " stands where head or one Scene may"));
      case Place::kHead:
        return Head(name, attributes);
      case Place::kEmpty:
        return AtLine(line(), absl::StrCat(name, " stands in an element that holds none"));
      case Place::kScene:
      case Place::kNode:
        return InScene(name, attributes);
    }
    return Place::kEmpty;
  }

  absl::StatusOr<Place> Head(absl::string_view name, const XML_Char** attributes) {
    absl::Status s = absl::OkStatus();
    if (name == "component") {
      s = builder_.AddComponent({Get(attributes, "name"), Get(attributes, "level")}, line());
    } else if (name == "unit") {
      s = builder_.AddUnit({Get(attributes, "category"), Get(attributes, "name"),
                            Get(attributes, "conversionFactor")},
                           line());
    } else if (name == "meta") {
      builder_.AddMeta({Get(attributes, "name"), Get(attributes, "content")});
    }
    if (!s.ok()) return s;
    return Place::kEmpty;
  }

  absl::StatusOr<Place> InScene(absl::string_view name, const XML_Char** attributes) {
    if (name == "ROUTE") {
      builder_.AddRoute(Get(attributes, "fromNode"), Get(attributes, "fromField"),
                        Get(attributes, "toNode"), Get(attributes, "toField"), line());
      return Place::kEmpty;
    }
    for (const absl::string_view no : {"ProtoDeclare", "ExternProtoDeclare", "ProtoInstance",
                                       "IMPORT", "EXPORT", "field", "IS", "fieldValue"}) {
      if (name == no) return NoPrototypes(line(), name);
    }
    const std::string use = Get(attributes, "USE"), container = Get(attributes, "containerField");
    if (!use.empty()) {
      if (absl::Status s = builder_.Use(name, use, container, line()); !s.ok()) return s;
      return Place::kEmpty;
    }
    absl::Status s = builder_.Open(name, Get(attributes, "DEF"), container, line());
    for (; s.ok() && *attributes; attributes += 2) {
      const absl::string_view field = attributes[0], text = attributes[1];
      if (field == "DEF" || field == "USE" || field == "containerField" || field == "class" ||
          field == "id" || field == "style") {
        continue;
      }
      s = builder_.Add({std::string(field), KindOf(field, text), std::string(text), line()});
    }
    if (!s.ok()) return s;
    return Place::kNode;
  }

  struct Free {
    void operator()(XML_Parser p) const { XML_ParserFree(p); }
  };

  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  SceneBuilder builder_;
  std::vector<Place> places_;
  bool scene_ = false;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Scene> ReadXml(absl::string_view bytes, const Limits& limits) {
  return XmlReader(limits).Read(bytes);
}

}  // namespace posewire::x3d
