#include "tools/animclip/whole_file.h"

#include <utility>

#include "libs/files/file.h"

namespace posewire::animclip {

absl::Status WriteWhole(const std::string& path, absl::string_view bytes,
                        std::shared_ptr<PartFiles> parts) {
  auto part = PartFile::Of(path, PartFile::kBefore, std::move(parts));
  if (!part.ok()) return part.status();
  auto file = files::File::Open(part->path(), files::File::Mode::kReplace);
  if (!file.ok()) return file.status();
  if (absl::Status s = (*file)->Write(bytes); !s.ok()) return s;
  if (absl::Status s = (*file)->Close(); !s.ok()) return s;
  return part->MoveToPlace();
}

}  // namespace posewire::animclip
