#include "services/a2f_source/live/face_config.h"

namespace posewire::a2f_source {
namespace {

absl::Status CheckHead(absl::string_view text) { return livelink::ParseFactors(text).status(); }

}  // namespace

void FaceConfig::Declare(service::Flags& flags) {
  flags.OnlyFor({"ifacialmocap", "livelink"});
  flags.Group("Faces of phones");
  flags.Add("head", &head,
            "Factors of the head's angles: -1 turns the other way, 0 leaves one out.",
            {.value_name = "YAW,PITCH,ROLL", .check = CheckHead});
}

}  // namespace posewire::a2f_source
