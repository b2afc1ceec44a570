// Layers as .usda text, to compare what was read.
#ifndef POSEWIRE_TESTS_SUPPORT_WRITE_LAYER_H_
#define POSEWIRE_TESTS_SUPPORT_WRITE_LAYER_H_

#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/formats/usd/layer.h"

namespace posewire::usd {

class LayerWriter {
 public:
  std::string Write(const Layer& layer) {
    out_ = "#usda 1.0\n";
    Metadata(layer.metadata, 0);
    for (const Prim& prim : layer.prims) {
      out_ += '\n';
      WritePrim(prim, 0);
    }
    return std::move(out_);
  }

 private:
  void Indent(int level) { out_.append(static_cast<size_t>(level) * 4, ' '); }

  void Number(double number) {
    if (std::isnan(number)) {
      out_ += "nan";  // to_chars would write the sign, which USD does not know.
      return;
    }
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number);
    out_.append(digits, end.ptr);
  }

  void Text(absl::string_view text) { out_ += Quoted(text); }

  void WriteReference(const Reference& reference, int level) {
    if (reference.has_asset) {
      const absl::string_view mark = reference.asset.find('@') == std::string::npos ? "@" : "@@@";
      absl::StrAppend(&out_, mark, reference.asset, mark);
    }
    if (reference.has_path) absl::StrAppend(&out_, "<", reference.path, ">");
    if (reference.options.empty()) return;
    out_ += " (\n";
    Entries(reference.options, level + 1);
    Indent(level);
    out_ += ')';
  }

  void Element(const Value& value, size_t first) {
    const int rows = value.rows;
    if (rows == 0) return Number(value.numbers[first]);
    out_ += '(';
    for (int row = 0; row < rows; ++row) {
      if (row > 0) out_ += ", ";
      if (value.columns == 0) {
        Number(value.numbers[first++]);
        continue;
      }
      out_ += '(';
      for (int column = 0; column < value.columns; ++column) {
        if (column > 0) out_ += ", ";
        Number(value.numbers[first++]);
      }
      out_ += ')';
    }
    out_ += ')';
  }

  void WriteValue(const Value& value, int level) {
    if (value.kind == Value::Kind::kNone) {
      out_ += "None";
      return;
    }
    if (value.kind == Value::Kind::kDictionary) {
      out_ += "{\n";
      Entries(value.dictionary, level + 1);
      Indent(level);
      out_ += '}';
      return;
    }
    if (value.kind == Value::Kind::kWord) {
      out_ += value.texts[0];
      return;
    }
    if (value.array) out_ += '[';
    const auto width = static_cast<size_t>(value.width());
    for (size_t i = 0; i < value.numbers.size(); i += width) {
      if (i > 0) out_ += ", ";
      Element(value, i);
    }
    for (size_t i = 0; i < value.texts.size(); ++i) {
      if (i > 0) out_ += ", ";
      Text(value.texts[i]);
    }
    for (size_t i = 0; i < value.references.size(); ++i) {
      if (i > 0) out_ += ", ";
      WriteReference(value.references[i], level);
    }
    if (value.array) out_ += ']';
  }

  void Entries(const std::vector<Entry>& entries, int level) {
    for (const Entry& entry : entries) {
      Indent(level);
      if (!entry.edit.empty()) absl::StrAppend(&out_, entry.edit, " ");
      if (!entry.type.empty()) {
        absl::StrAppend(&out_, entry.type, " ");
        Text(entry.name);
        out_ += " = ";
      } else if (!entry.name.empty()) {
        absl::StrAppend(&out_, entry.name, " = ");
      }
      WriteValue(entry.value, level);
      out_ += '\n';
    }
  }

  void Metadata(const std::vector<Entry>& entries, int level) {
    if (!entries.empty()) {
      out_ += level == 0 ? "(\n" : " (\n";
      Entries(entries, level + 1);
      Indent(level);
      out_ += ')';
    }
    if (level > 0 || !entries.empty()) out_ += '\n';
  }

  void WriteProperty(const Property& property, int level) {
    Indent(level);
    if (!property.edit.empty()) absl::StrAppend(&out_, property.edit, " ");
    if (property.custom) out_ += "custom ";
    if (!property.variability.empty()) absl::StrAppend(&out_, property.variability, " ");
    if (!property.type.empty()) absl::StrAppend(&out_, property.type, " ");
    out_ += property.name;
    if (property.part == Property::Part::kTimeSamples) {
      out_ += ".timeSamples = {\n";
      for (const TimeSample& sample : property.samples) {
        Indent(level + 1);
        Number(sample.time_code);
        out_ += ": ";
        WriteValue(sample.value, level + 1);
        out_ += ",\n";
      }
      Indent(level);
      out_ += '}';
    } else if (property.part != Property::Part::kDeclared) {
      out_ += property.part == Property::Part::kConnection ? ".connect = " : " = ";
      WriteValue(property.value, level);
    }
    Metadata(property.metadata, level);
  }

  void WritePrim(const Prim& prim, int level) {
    Indent(level);
    absl::StrAppend(&out_, prim.specifier, " ", prim.type, prim.type.empty() ? "" : " ");
    WriteBody(prim, level);
  }

  // From the name on.
  void WriteBody(const Prim& prim, int level) {
    Text(prim.name);
    if (!prim.metadata.empty()) {
      out_ += " (\n";
      Entries(prim.metadata, level + 1);
      Indent(level);
      out_ += ')';
    }
    out_ += '\n';
    Indent(level);
    out_ += "{\n";
    for (const Property& property : prim.properties) WriteProperty(property, level + 1);
    for (const Prim& child : prim.children) WritePrim(child, level + 1);
    for (const VariantSet& set : prim.variant_sets) {
      Indent(level + 1);
      absl::StrAppend(&out_, "variantSet ", Quoted(set.name), " = {\n");
      for (const Prim& variant : set.variants) {
        Indent(level + 2);
        WriteBody(variant, level + 2);
      }
      Indent(level + 1);
      out_ += "}\n";
    }
    Indent(level);
    out_ += "}\n";
  }

  std::string out_;
};

// Reading the text gives the layer again, each number with the same bits. Names are written as
// they are.
inline std::string WriteLayer(const Layer& layer) { return LayerWriter().Write(layer); }

}  // namespace posewire::usd

#endif  // POSEWIRE_TESTS_SUPPORT_WRITE_LAYER_H_
