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
#include "libs/formats/x3d/prototypes.h"
#include "libs/formats/x3d/readers.h"
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
  enum class Place {
    kX3d,
    kHead,
    kScene,
    kNode,
    kEmpty,
    kDeclaration,  // of a prototype
    kInterface,
    kDefault,  // of a field of the interface
    kBody,
    kExternal,
    kValue,  // of an instance's field
    kIs,
    kDropped,
  };

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
    field_.clear();
    auto place = Element(name, attributes);
    if (!place.ok()) return Stop(place.status());
    places_.push_back(*place);
    fields_.push_back(std::move(field_));
  }

  void End() {
    if (!status_.ok()) return;
    absl::Status s = absl::OkStatus();
    switch (places_.back()) {
      case Place::kNode:
        s = builder_.Close();
        break;
      case Place::kDefault:
        builder_.EndDefault();
        break;
      case Place::kBody:
        builder_.EndBody();
        break;
      case Place::kDeclaration:
      case Place::kExternal:
        builder_.EndDeclaration();
        break;
      default:
        break;
    }
    places_.pop_back();
    fields_.pop_back();
    if (!s.ok()) Stop(std::move(s));
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
      case Place::kBody:
      case Place::kValue:
      case Place::kDefault:
        return InScene(name, attributes);
      case Place::kDeclaration:
        if (name == "ProtoInterface") return Place::kInterface;
        if (name != "ProtoBody") return Place::kDropped;
        builder_.BeginBody();
        return Place::kBody;
      case Place::kInterface:
        return Interface(attributes);
      case Place::kIs: {
        absl::Status s = name == "connect" ? builder_.Is(Get(attributes, "nodeField"),
                                                         Get(attributes, "protoField"), line())
                                           : absl::OkStatus();
        if (!s.ok()) return s;
        return Place::kDropped;
      }
      case Place::kExternal:
      case Place::kDropped:
        return Place::kDropped;
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
    if (name == "ProtoDeclare" || name == "ExternProtoDeclare") {
      absl::Status s = builder_.BeginDeclaration(Get(attributes, "name"), line());
      if (!s.ok()) return s;
      return name == "ProtoDeclare" ? Place::kDeclaration : Place::kExternal;
    }
    if (name == "IMPORT") {
      const std::string as = Get(attributes, "AS");
      builder_.Import(as.empty() ? Get(attributes, "importedDEF") : as);
    }
    // Fields that a script declares.
    if (name == "IMPORT" || name == "EXPORT" || name == "field") return Place::kDropped;
    if (name == "IS") return Place::kIs;
    if (name == "fieldValue") return InstanceValue(attributes);
    const bool instance = name == "ProtoInstance";
    const std::string prototype = instance ? Get(attributes, "name") : "";
    const absl::string_view type = instance ? absl::string_view(prototype) : name;
    const std::string use = Get(attributes, "USE"), container = ContainerOf(attributes);
    if (!use.empty()) {
      if (absl::Status s = builder_.Use(type, use, container, line()); !s.ok()) return s;
      return Place::kEmpty;
    }
    absl::Status s = builder_.Open(type, Get(attributes, "DEF"), container, line());
    for (; s.ok() && *attributes; attributes += 2) {
      const absl::string_view field = attributes[0], text = attributes[1];
      if (field == "DEF" || field == "USE" || field == "containerField" || field == "class" ||
          field == "id" || field == "style" || (instance && field == "name")) {
        continue;
      }
      s = builder_.Add({std::string(field), KindOf(field, text), std::string(text), line()});
    }
    if (!s.ok()) return s;
    return Place::kNode;
  }

  // Nodes in a value of a field are that field's.
  std::string ContainerOf(const XML_Char** attributes) const {
    return fields_.back().empty() ? Get(attributes, "containerField") : fields_.back();
  }

  absl::StatusOr<Place> InstanceValue(const XML_Char** attributes) {
    const std::string name = Get(attributes, "name"), text = Get(attributes, "value");
    if (!text.empty()) {
      if (absl::Status s = builder_.Add({name, KindOf(name, text), text, line()}); !s.ok()) {
        return s;
      }
    }
    field_ = name;
    return Place::kValue;
  }

  absl::StatusOr<Place> Interface(const XML_Char** attributes) {
    const std::string name = Get(attributes, "name"), text = Get(attributes, "value");
    if (!text.empty()) builder_.DeclareValue({name, KindOf(name, text), text, line()});
    builder_.BeginDefault(name);
    field_ = name;
    return Place::kDefault;
  }

  struct Free {
    void operator()(XML_Parser p) const { XML_ParserFree(p); }
  };

  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  PrototypeBuilder builder_;
  std::vector<Place> places_;
  std::vector<std::string> fields_;  // of each open element, the field that its nodes are for
  std::string field_;                // of the element that begins
  bool scene_ = false;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Scene> ReadXml(absl::string_view bytes, const Limits& limits) {
  return XmlReader(limits).Read(bytes);
}

}  // namespace posewire::x3d
