#include "libs/formats/x3d/vocabulary.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace posewire::x3d {
namespace {

using Kind = Field::Kind;

constexpr std::pair<absl::string_view, absl::string_view> kContainers[] = {
    {"Appearance", "appearance"},
    {"Material", "material"},
    {"PhysicalMaterial", "material"},
    {"UnlitMaterial", "material"},
    {"TwoSidedMaterial", "material"},
    {"ImageTexture", "texture"},
    {"PixelTexture", "texture"},
    {"MovieTexture", "texture"},
    {"MultiTexture", "texture"},
    {"TextureTransform", "textureTransform"},
    {"LineProperties", "lineProperties"},
    {"FillProperties", "fillProperties"},
    {"Coordinate", "coord"},
    {"CoordinateDouble", "coord"},
    {"Normal", "normal"},
    {"Color", "color"},
    {"ColorRGBA", "color"},
    {"TextureCoordinate", "texCoord"},
    {"TextureCoordinateGenerator", "texCoord"},
    {"FontStyle", "fontStyle"},
    {"Arc2D", "geometry"},
    {"Box", "geometry"},
    {"Cone", "geometry"},
    {"Cylinder", "geometry"},
    {"ElevationGrid", "geometry"},
    {"Extrusion", "geometry"},
    {"IndexedFaceSet", "geometry"},
    {"IndexedLineSet", "geometry"},
    {"IndexedTriangleSet", "geometry"},
    {"IndexedTriangleFanSet", "geometry"},
    {"IndexedTriangleStripSet", "geometry"},
    {"IndexedQuadSet", "geometry"},
    {"LineSet", "geometry"},
    {"PointSet", "geometry"},
    {"QuadSet", "geometry"},
    {"Sphere", "geometry"},
    {"Text", "geometry"},
    {"TriangleSet", "geometry"},
    {"TriangleFanSet", "geometry"},
    {"TriangleStripSet", "geometry"},
    {"HAnimDisplacer", "displacers"},
    {"HAnimMotion", "motions"},
    {"AudioClip", "source"},
    {"MetadataString", "metadata"},
    {"MetadataFloat", "metadata"},
    {"MetadataDouble", "metadata"},
    {"MetadataInteger", "metadata"},
    {"MetadataBoolean", "metadata"},
    {"MetadataSet", "metadata"},
};

constexpr absl::string_view kNodeLists[] = {"children", "skin",       "skeleton", "joints",
                                            "segments", "sites",      "motions",  "displacers",
                                            "level",    "viewpoints", "value",    "humanoidBody"};

constexpr absl::string_view kLists[] = {"channelsEnabled",
                                        "color",
                                        "colorIndex",
                                        "coordIndex",
                                        "displacements",
                                        "index",
                                        "key",
                                        "keyValue",
                                        "llimit",
                                        "normalIndex",
                                        "point",
                                        "range",
                                        "skinCoordIndex",
                                        "stiffness",
                                        "skinCoordWeight",
                                        "texCoordIndex",
                                        "ulimit",
                                        "vector",
                                        "momentsOfInertia",
                                        "values",
                                        "vertexCount",
                                        "jointBindingPositions",
                                        "jointBindingRotations",
                                        "jointBindingScales"};

constexpr absl::string_view kOnes[] = {"attenuation",
                                       "bboxCenter",
                                       "bboxSize",
                                       "center",
                                       "centerOfMass",
                                       "centerOfRotation",
                                       "axisOfRotation",
                                       "diffuseColor",
                                       "emissiveColor",
                                       "direction",
                                       "location",
                                       "limitOrientation",
                                       "orientation",
                                       "position",
                                       "rotation",
                                       "scale",
                                       "scaleOrientation",
                                       "size",
                                       "specularColor",
                                       "translation",
                                       "baseColor",
                                       "enabled",
                                       "loop"};

constexpr absl::string_view kStrings[] = {
    "name",      "version", "description", "title", "channels", "joints", "skeletalConfiguration",
    "reference", "language"};

constexpr absl::string_view kStringLists[] = {
    "url", "info", "string", "family", "parameter", "motionsEnabledNames", "type"};

// Fields of H-Anim's nodes that hold nodes (ISO/IEC 19775-1, 26.3).
constexpr absl::string_view kHumanoidFields[] = {
    "joints",    "motions",    "segments",          "sites",
    "skeleton",  "skin",       "skinBindingCoords", "skinBindingNormals",
    "skinCoord", "skinNormal", "viewpoints",        "metadata"};
constexpr absl::string_view kBodyFields[] = {"children", "coord", "displacers", "metadata"};

// Nodes that are part of the body and drawn there.
constexpr absl::string_view kDrawn[] = {"Shape", "Group", "Transform", "Switch", "LOD"};
constexpr absl::string_view kBody[] = {"HAnimJoint", "HAnimSegment", "HAnimSite"};

template <size_t n>
bool Has(const absl::string_view (&names)[n], absl::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

absl::string_view DefaultContainer(absl::string_view type) {
  for (const auto& [of, field] : kContainers) {
    if (of == type) return field;
  }
  return absl::EndsWith(type, "Texture") ? "texture" : "children";
}

absl::string_view MeantContainer(absl::string_view parent, absl::string_view type, bool use,
                                 absl::string_view field) {
  if (parent == "HAnimHumanoid") {
    if (Has(kHumanoidFields, field)) return "";
    if (type == "HAnimJoint") return use ? "joints" : "skeleton";
    if (type == "HAnimSegment") return use ? "segments" : "";
    if (type == "HAnimSite") return use ? "sites" : "";
    if (type == "HAnimMotion") return "motions";
    if (type == "Coordinate" || type == "CoordinateDouble") return "skinCoord";
    if (type == "Normal") return "skinNormal";
    if (type == "Viewpoint") return "viewpoints";
    return Has(kDrawn, type) ? "skin" : "";
  }
  if (!Has(kBody, parent) || Has(kBodyFields, field)) return "";
  if (type == "HAnimDisplacer") return "displacers";
  return Has(kBody, type) || (Has(kDrawn, type) && parent != "HAnimJoint") ? "children" : "";
}

absl::string_view HAnimNodeOf(absl::string_view prototype) {
  constexpr absl::string_view kPrefix = "HAnim";
  constexpr absl::string_view kNodes[] = {"HAnimHumanoid", "HAnimJoint", "HAnimSegment",
                                          "HAnimSite", "HAnimDisplacer"};
  for (const absl::string_view node : kNodes) {
    if (prototype == node || prototype == node.substr(kPrefix.size())) return node;
  }
  return {};
}

bool HoldsNodes(absl::string_view field) { return Has(kNodeLists, field); }

std::optional<Field::Kind> KnownKind(absl::string_view field) {
  if (Has(kStrings, field)) return Kind::kString;
  if (Has(kStringLists, field)) return Kind::kStrings;
  if (Has(kLists, field)) return Kind::kList;
  if (Has(kOnes, field)) return Kind::kOne;
  return std::nullopt;
}

Field::Kind KindOf(absl::string_view field, absl::string_view text) {
  if (const auto known = KnownKind(field)) return *known;
  const absl::string_view bare = absl::StripAsciiWhitespace(text);
  if (absl::StartsWith(bare, "\"")) return Kind::kStrings;
  size_t numbers = 0;
  bool booleans = false;
  for (const absl::string_view word :
       absl::StrSplit(bare, absl::ByAnyChar(", \t\r\n"), absl::SkipEmpty())) {
    double value;
    const bool boolean = word == "true" || word == "false";
    if (!boolean && !absl::SimpleAtod(word, &value)) return Kind::kString;
    booleans = booleans || boolean;
    ++numbers;
  }
  if (numbers == 0) return Kind::kString;
  // The longest single values have four numbers: rotations, and colours with alpha. A boolean is
  // always alone.
  return numbers > 4 || (booleans && numbers > 1) ? Kind::kList : Kind::kOne;
}

}  // namespace posewire::x3d
