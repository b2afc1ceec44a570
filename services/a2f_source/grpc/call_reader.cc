#include "services/a2f_source/grpc/call_reader.h"

namespace posewire::a2f_source {

namespace a2f = nvidia_ace::a2f::v1;
namespace ctl = nvidia_ace::controller::v1;

bool TakePart(a2f::AudioStream& message, a2f::AudioStream& part) {
  part.Swap(&message);
  return true;
}

bool TakePart(ctl::AudioStream& message, a2f::AudioStream& part) {
  part.Clear();
  if (message.has_end_of_audio()) return false;
  if (message.has_audio_with_emotion()) {
    part.mutable_audio_with_emotion()->Swap(message.mutable_audio_with_emotion());
  } else if (message.has_audio_stream_header()) {
    ctl::AudioStreamHeader& from = *message.mutable_audio_stream_header();
    a2f::AudioStreamHeader& to = *part.mutable_audio_stream_header();
    to.mutable_audio_header()->Swap(from.mutable_audio_header());
    to.mutable_face_params()->Swap(from.mutable_face_params());
    to.mutable_emotion_post_processing_params()->Swap(
        from.mutable_emotion_post_processing_params());
    to.mutable_blendshape_params()->Swap(from.mutable_blendshape_params());
    to.mutable_emotion_params()->Swap(from.mutable_emotion_params());
  }
  return true;
}

absl::Status OfWait(const absl::Status& status, absl::string_view what, double idle_s) {
  if (!absl::IsDeadlineExceeded(status)) return status;
  return absl::DeadlineExceededError(absl::StrCat(what, " for ", idle_s, " s"));
}

}  // namespace posewire::a2f_source
