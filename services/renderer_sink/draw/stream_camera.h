// The camera track of a clip, as a camera for pictures.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_STREAM_CAMERA_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_STREAM_CAMERA_H_

#include <vector>

#include "libs/render/camera.h"
#include "libs/skel/math.h"
#include "libs/wire/chunk.h"

namespace posewire::renderer_sink {

// One thread. Positions are in the avatar's space.
class StreamCamera {
 public:
  // Adds the keys of a message, `later_s` after their time codes. Call in the order of the
  // messages.
  void Add(const wire::DataChunk& data, double later_s = 0);
  // Makes `zero_s` the time 0.
  void MoveTo(double zero_s);
  // Removes the keys that no later At needs.
  void DiscardBefore(double t_s);
  bool empty() const { return places_.empty(); }
  // Returns the camera at a time: linear between keys, upright, focused on a point as far away as
  // `subject`. Call only if there are keys.
  render::Camera At(double t_s, skel::Vec3 subject) const;

 private:
  struct Place {
    double t_s = 0;
    skel::Vec3 at;
  };
  struct Turn {
    double t_s = 0;
    skel::Quat turn;
  };
  struct Lens {
    double t_s = 0;
    float focal_mm = 0;  // for a picture 24 mm high
  };
  std::vector<Place> places_;
  std::vector<Turn> turns_;
  std::vector<Lens> lenses_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_STREAM_CAMERA_H_
