// The characters that can be drawn: the command line's avatar, or the one that the stream requests.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_SET_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_SET_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/render/painter.h"
#include "libs/service/logger.h"
#include "libs/skel/rig.h"
#include "libs/wire/appearance.h"
#include "services/renderer_sink/core/avatar_choice.h"
#include "services/renderer_sink/core/staging.h"
#include "services/renderer_sink/draw/prop_models.h"

namespace posewire::renderer_sink {

// In the form of their flags.
struct CharacterSetOptions {
  AvatarChoice avatars = {};       // characters that may be requested
  std::string who = "";            // default character; as for character_file::OpenCharacter
  bool outside_skel_root = false;  // likewise
  std::string look = "";           // choices of parts: "hair=long,skin=dark"
  std::string camera = "bust";
  double turn_deg = 0;
  std::string background = "#dbe0e6";
  bool keep_background = false;  // whatever a stream asks for
  int width = 640, height = 360;
  render::Edges edges = render::Edges::kFine;
  int subdivide = 0;       // draws surfaces so many levels finer, at most two
  std::string props = "";  // folder of their models; empty: none
  bool one_rig = false;    // poses are on the rig of `who`; characters on others are not drawn
};

class CharacterSet {
 public:
  struct Actor {
    std::shared_ptr<const character::Character> character;
    render::Camera camera;
    std::unique_ptr<render::Painter> painter = nullptr;  // set by Show
    std::string not_subdivided = "";                     // the reason, as logged
    double edge = 0;  // mean length of its edges at rest, in its own units

    // Returns the mean length in pixels of its edges in a picture of this height, of a camera that
    // sees so many metres.
    double EdgeInPicture(int height_px, double height_m) const {
      return edge * height_px / height_m;
    }

    // Returns a camera that follows a walking character.
    render::Camera CameraFor(const skel::PoseView& pose) const {
      return render::Follow(camera, *character, pose);
    }
  };

  // Errors: those of the file of `who`, the camera, the background, and a malformed look. `catalog`
  // must outlive this.
  static absl::StatusOr<std::unique_ptr<CharacterSet>> Make(CharacterSetOptions options,
                                                            const skel::RigCatalog* catalog,
                                                            service::Logger log);

  // The default character.
  const character::Character& lead() const { return *actors_.at(options_.who).character; }
  std::shared_ptr<const character::Character> shared_lead() const {
    return actors_.at(options_.who).character;
  }
  // The models of the props among which they are drawn.
  const PropModels& props() const { return *props_; }
  bool has_background() const { return !background_.none; }

  // Returns the character that `asked` requests, with the look that it requests, completed by the
  // command line's. Unknown characters and parts are logged and ignored. Call when something
  // changes, always on the thread that draws. Errors: those of Painter::Make, and of a look that
  // `who` does not have.
  absl::StatusOr<Actor*> Show(const wire::Appearance& asked) { return Show(asked, options_.who); }
  // Likewise, for another avatar, whose default character is `who`.
  absl::StatusOr<Actor*> Show(const wire::Appearance& asked, const std::string& who);
  // Likewise, but returns only the character, to be drawn next to another one, with the look.
  struct Companion {
    std::shared_ptr<const character::Character> character;
    std::map<std::string, std::string> look;
  };
  absl::StatusOr<Companion> ShowNextTo(const wire::Appearance& asked, const std::string& who);
  // Makes a character known that was read elsewhere. On the thread that draws. Errors: those of the
  // camera.
  absl::Status Add(const std::string& who, std::shared_ptr<const character::Character> character);
  // Draws this actor, and those that Show returns, so many levels finer, instead of the options'
  // number. On the thread that draws.
  void SetSubdivide(int levels, Actor& actor);
  // Lights all characters as asked from now on, and sets their background. On the thread that
  // draws.
  void Stage(const Staging& asked);

 private:
  CharacterSet(CharacterSetOptions options, const skel::RigCatalog* catalog, service::Logger log)
      : options_(std::move(options)),
        catalog_(catalog),
        log_(std::move(log)),
        subdivide_(options_.subdivide) {}
  absl::StatusOr<Actor*> Open(const std::string& who);
  // Returns the one that is asked for, or the default one.
  absl::StatusOr<Actor*> Find(const wire::Appearance& asked, const std::string& who);
  Actor* Named(const std::string& name, const skel::Rig* rig);
  void Subdivide(Actor& actor);
  void Light(render::Painter& painter) const;
  absl::Status Wear(Actor& actor, const std::map<std::string, std::string>& asked);

  const CharacterSetOptions options_;
  const skel::RigCatalog* const catalog_;
  const service::Logger log_;
  render::Background background_;
  std::shared_ptr<const PropModels> props_;
  std::map<std::string, std::string> look_;
  std::map<std::string, Actor> actors_;  // by name
  Staging staging_;
  int subdivide_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_CHARACTER_SET_H_
