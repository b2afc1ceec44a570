// Puts the avatars of a stream where they belong, over the control API.
#ifndef POSEWIRE_LIBS_CLIENT_PLACE_AVATARS_H_
#define POSEWIRE_LIBS_CLIENT_PLACE_AVATARS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "libs/client/connection.h"

namespace posewire::client {

// Metres, and degrees counter-clockwise seen from above.
struct AvatarOnGround {
  std::string target;
  double x_m = 0, z_m = 0, turn_deg = 0;
};

// Calls PlaceAvatar for each. While the server does not have an avatar yet, or cannot be reached,
// tries again until `give_up_s` have passed; others are placed meanwhile. Blocks. `wait` sleeps for
// that many seconds, and returns false when the caller is to stop: then the result is CANCELLED.
// Other errors have the code of the first avatar that was not placed, and name all of them.
absl::Status PlaceAvatars(const ConnectionOptions& connection, const std::string& stream_id,
                          const std::vector<AvatarOnGround>& avatars, double give_up_s,
                          const std::function<bool(double seconds)>& wait);

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_PLACE_AVATARS_H_
