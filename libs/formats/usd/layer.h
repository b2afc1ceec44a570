// One parsed .usda file: prims, their statements and their metadata, in order.
//
// A layer represents only the text; composition (references, inherited bindings, UsdSkel's rules)
// is up to its users. Values keep the text's contents: numbers as doubles in one flat array with
// the shape of their tuples, so that a mesh of a million points takes a small multiple of its text.
#ifndef POSEWIRE_LIBS_FORMATS_USD_LAYER_H_
#define POSEWIRE_LIBS_FORMATS_USD_LAYER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace posewire::usd {

struct Entry;

// An asset (`@a.wav@`), a path (`</Root/Skel>`), or both, with the offset that may follow a layer.
struct Reference {
  std::string asset;
  std::string path;  // without < and >
  bool has_path = false;
  bool has_asset = false;
  std::vector<Entry> options;  // offset, scale, customData
};

struct Value {
  enum class Kind { kNone, kNumbers, kTexts, kWord, kReferences, kDictionary };

  Kind kind = Kind::kNone;  // kNone blocks the values of weaker layers.
  bool array = false;       // An empty array is kNumbers whatever its type is.
  // The shape of each element: 0, 0 for a scalar, 3, 0 for a vector, 4, 4 for a matrix.
  int rows = 0;
  int columns = 0;
  std::vector<double> numbers;     // The elements in sequence; true and false are 1 and 0.
  std::vector<std::string> texts;  // kTexts, and the one word of kWord.
  std::vector<Reference> references;
  std::vector<Entry> dictionary;

  // Numbers per element, at least 1.
  int width() const { return (rows > 0 ? rows : 1) * (columns > 0 ? columns : 1); }
};

// `NAME = VALUE` of metadata and `TYPE NAME = VALUE` of a dictionary. A comment has no name.
struct Entry {
  std::string edit;  // "", or prepend, append, add, delete, reorder
  std::string type;
  std::string name;
  Value value;
};

struct TimeSample {
  double time_code = 0;
  Value value;
};

// One statement of a prim. An attribute with a default and time samples has two of them.
struct Property {
  enum class Part { kDeclared, kDefault, kTimeSamples, kConnection };

  bool custom = false;
  std::string variability;  // "", uniform, varying, config
  std::string edit;
  std::string type;  // "rel", "float3[]"; empty for reorder
  std::string name;
  Part part = Part::kDeclared;
  Value value;                      // of kDefault and kConnection
  std::vector<TimeSample> samples;  // of kTimeSamples, ascending
  std::vector<Entry> metadata;
  int line = 0;
};

struct Prim;

// The variants of one set, by name.
struct VariantSet {
  std::string name;
  std::vector<Prim> variants;
};

struct Prim {
  std::string specifier;  // def, over, class
  std::string type;       // may be empty
  std::string name;
  std::vector<Entry> metadata;
  std::vector<Property> properties;
  std::vector<Prim> children;
  std::vector<VariantSet> variant_sets;
  int line = 0;

  // Returns the last of several; nullptr if there is none.
  const Property* Find(absl::string_view property, Property::Part part) const;
};

struct Layer {
  std::vector<Entry> metadata;
  std::vector<Prim> prims;

  // The prim at "/Root/Skel"; nullptr if there is none.
  const Prim* Find(absl::string_view path) const;
};

// Returns a text quoted as in a layer.
std::string Quoted(absl::string_view text);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_LAYER_H_
