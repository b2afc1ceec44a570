// Small clips for the tests of this room, and a console that keeps what is printed.
#ifndef POSEWIRE_TESTS_UNIT_ANIMCLIP_CLIP_FIXTURE_H_
#define POSEWIRE_TESTS_UNIT_ANIMCLIP_CLIP_FIXTURE_H_

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "nvidia_ace.animation_data.v1.pb.h"
#include "tools/animclip/console.h"

namespace posewire::animclip {

using Message = nvidia_ace::animation_data::v1::AnimationDataStream;
using Messages = std::vector<Message>;

struct ClipSpec {
  int frames = 31;
  double fps = 30;
  double start_s = 0;
  int audio_hz = 16000;  // 0: mute
  bool ids = true;
  unsigned seed = 1;
};
// A header, one message a frame (2 shapes, 3 joints with rotations, the root's translation, that
// frame's share of the audio) and a final status. Codes are start + n / fps.
Messages MakeTalk(const ClipSpec& spec = {});

// Samples of the voice that MakeTalk makes, in order.
std::vector<int16_t> VoiceOf(const Messages& messages);

// A path in a folder of this test alone.
std::string TempPath(const std::string& name);
void WriteClipFile(const std::string& path, const Messages& messages);
Messages ReadClipFile(const std::string& path);

std::string Slurp(const std::string& path);
void Spill(const std::string& path, const std::string& bytes);

// What a command returned and printed.
struct Outcome {
  int code;
  std::string out, err;
};

struct TestConsole {
  std::ostringstream out, err;
  Console console{out, err, false};
};

}  // namespace posewire::animclip

#endif  // POSEWIRE_TESTS_UNIT_ANIMCLIP_CLIP_FIXTURE_H_
