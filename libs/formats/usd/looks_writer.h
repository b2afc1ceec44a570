// Writes the materials of a character as UsdPreviewSurface.
#ifndef POSEWIRE_LIBS_FORMATS_USD_LOOKS_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_USD_LOOKS_WRITER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/formats/usd/usda_text.h"

namespace posewire::usd {

// The Scope of a character's materials. Vertex colours are shown where no picture has the base
// colour.
class LooksText : public PrimText {
 public:
  // `path` is that of the scope; `in` its indentation; `stem` begins the names of pictures, which
  // are unique in `pictures`.
  LooksText(const character::Character& of, std::string path, std::string in,
            absl::string_view stem, PrimNames& pictures)
      : PrimText(std::move(in)),
        of_(of),
        path_(std::move(path)),
        stem_(stem),
        picture_names_(pictures) {}

  // Adds the PNGs to `pictures`. INTERNAL for one that cannot be encoded.
  absl::Status Write(std::vector<std::pair<std::string, std::string>>& pictures);
  // Of a material that a mesh has, after Write.
  std::string MaterialPath(size_t material) const;

 private:
  bool Painted(size_t material) const;
  void MaterialPrim(size_t material);
  void PlacesPrim();
  void PicturePrim(const std::string& path, absl::string_view name, int texture,
                   absl::string_view space, std::initializer_list<float> scale,
                   std::initializer_list<float> bias);

  const character::Character& of_;
  const std::string path_;
  const absl::string_view stem_;
  PrimNames& picture_names_;
  std::vector<std::string> material_names_, picture_files_;
};

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_LOOKS_WRITER_H_
