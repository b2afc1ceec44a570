// A renderable character: skeleton, skinned meshes, blend shapes and materials, read from a file or
// built in.
//
// Space and units: right-handed, metres, Y up, faces +Z, X to its left, whatever its file uses.
// Nodes are in the file's space; `root` has the rotation and the scale to ours. It is posed through
// `rig`, one of ours: either the file has the rig's own joints, or a humanoid skeleton with other
// bones, which rotate from their rest as the rig's joints do. Deformer computes its posed meshes.
#ifndef POSEWIRE_LIBS_CHARACTER_CHARACTER_H_
#define POSEWIRE_LIBS_CHARACTER_CHARACTER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "libs/character/springs.h"
#include "libs/image/image.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/mesh/extent.h"
#include "libs/mesh/skin_job.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::character {

class BodyContact;

struct Texture : image::Image {
  bool repeats = true;
};

// Surface material. Colours are linear, 0..1, and multiply texture and vertex colours.
struct Material {
  enum class Alpha { kOpaque, kMask, kBlend };

  std::string name;
  skel::Vec3 color{1, 1, 1};
  float alpha = 1;
  int texture = -1;
  int normal_map = -1;
  float normal_scale = 1;
  skel::Vec3 emissive;
  int emissive_texture = -1;
  float roughness = 1;
  Alpha mode = Alpha::kOpaque;
  float cutoff = 0.5f;
  bool double_sided = false;
  bool unlit = false;  // drawn in its own colours: KHR_materials_unlit, MToon
  // Set by its name: skin scatters light, eyes have a highlight, hair shines across its strands,
  // and teeth and tongues are lit through the mouth.
  bool skin = false, eye = false, hair = false, mouth = false;
};

struct CharacterNode {
  std::string name;
  int parent = -1;
  skel::Vec3 translation;
  skel::Quat rotation;
  skel::Vec3 scale{1, 1, 1};
};

// The nodes that move points, and the transforms from the bind pose to their spaces.
struct Skin {
  std::vector<int> nodes;
  std::vector<skel::Affine> inverse_bind;
};

// Triangles of one material on one node. Arrays have one entry per point; colors and uv may be
// empty. With a skin, each point has `per_point` influences; without one, all points move with the
// node.
struct Mesh {
  std::string name;
  int node = -1, material = 0, skin = -1;
  std::vector<skel::Vec3> points, normals;
  // If a reader split points of the file, for corners of faces that differ: the file's point of
  // each, and their number in the file. Empty: the points are the file's.
  std::vector<uint32_t> point_of;
  size_t file_points = 0;
  std::vector<std::array<uint8_t, 4>> colors;  // linear
  std::vector<std::array<float, 2>> uv;
  // Those of the file, for a normal map (mesh::TangentSurface::tangents). Empty: none.
  std::vector<std::array<float, 4>> tangents;
  std::vector<uint32_t> triangles;  // counter-clockwise seen from outside
  int per_point = 4;
  std::vector<int> joints;     // in the skin
  std::vector<float> weights;  // their sum is 1 for each point
  mesh::SkinningMethod method = mesh::SkinningMethod::kClassicLinear;
  std::vector<mesh::BlendShape> shapes;
  std::vector<float> shape_weights;  // initial weights in the file
  // Empty, or one for each shape: the place in the skin of the joint with which its offsets turn;
  // -1: they turn with each point's joints.
  std::vector<int> shape_joints;
};

// The effect of a pose on one shape of one mesh. Several drives of a shape are added.
struct Drive {
  enum class Kind {
    kMean,        // mean of the rig's shapes `sources`
    kExpression,  // one of VRM's expressions made of ARKit's shapes: `sources[0]` is its place in
                  // the table of expressions
    kProduct,     // product of the rig's shapes `sources`
    kTurn,        // rotation of `joint` of the rig about `axis` from `from_rad` (0) to `to_rad` (1)
  };
  int mesh = 0, shape = 0;
  Kind kind = Kind::kMean;
  std::vector<int> sources;
  float gain = 1;
  int joint = -1;
  skel::Vec3 axis{1, 0, 0};
  float from_rad = 0, to_rad = 1;
};

// A box of control points that pulls the points in it: see libs/character/lattice.h.
struct Lattice {
  static constexpr int kMostDivisions = 8;

  struct Push {
    std::array<uint8_t, 3> at{};  // a control point: 0 to divisions, along each axis
    skel::Vec3 by;                // at a value of 1, in the node's space
  };
  struct Move {
    Drive drive;  // its value alone: it has no mesh and no shape
    std::vector<Push> pushes;
  };
  int node = -1;                          // the box follows it
  skel::Vec3 low, high;                   // corners of the box, in the node's space
  std::array<int, 3> divisions{1, 1, 1};  // 1 to kMostDivisions along each axis
  std::vector<int> meshes;                // those that it moves, ascending; empty: all
  std::vector<Move> moves;
};

// See libs/character/surface_smoothing.h.
struct Smoothing {
  static constexpr int kMostRounds = 64;

  int rounds = 6;      // how far it reaches, in edges: 1 to kMostRounds
  float strength = 1;  // where it is strongest: 0 to 1
  // Around points that meet those of another joint too, as hard weights need it. Otherwise only
  // points of several joints.
  bool around = true;
};

// What moves points after the skin, in this order.
struct SkinDeformers {
  bool empty() const { return lattices.empty() && !smoothing; }

  std::vector<Lattice> lattices;
  std::optional<Smoothing> smoothing;
};

// A node that follows a joint of the rig.
struct Link {
  int node = -1, joint = -1;
  // Applied before the joint's rotation, in character space: brings the limb into the rig's stance.
  // With `same_joints`: rotates the joint's translation into the space of the node's parent.
  skel::Quat stance;
  bool moves = false;  // takes the joint's translation too, not only its rotation
  float scale = 1;     // of that translation, with `same_joints`
};

// The mass of a part of the body that a node moves. Space and lengths are those of the nodes.
struct BodySegment {
  std::string name;
  int node = -1;
  float mass_kg = 0;  // 0: unknown
  skel::Vec3 center_of_mass;
  std::array<float, 9> moments_of_inertia{};  // kg m2 about the centre, row by row
};

// A part of the person with choices: "hair" with "short" and "long".
struct Variant {
  struct Choice {
    std::string name;
    std::vector<int> nodes;  // visible; those of other choices are not
    std::vector<std::pair<int, std::array<float, 4>>> colors;  // of materials: base colour, linear
  };
  std::string part;
  std::vector<Choice> choices;  // the first is the default
};

// Positions for cameras, at the rig's rest.
struct Framing {
  // Distance of the middle of the face below the eyes, in heights of the head.
  static constexpr float kBelowEyes = 0.07f;

  // Between the eyes.
  skel::Vec3 eyes() const { return face + skel::Vec3{0, kBelowEyes * head_m, 0}; }

  skel::Vec3 face;       // middle of the face
  float head_m = 0.24f;  // from chin to top, including hair
  mesh::Extent extent;
  // Vertical extent of pictures in these views; 0: by the size of the head and the body.
  float face_m = 0, bust_m = 0, body_m = 0;
};

// Immutable once read; shared by all threads.
struct Character {
  std::string name;
  std::shared_ptr<const skel::Rig> rig;  // rig of poses
  bool same_joints = false;              // its file has the rig's own joints, at the rig's rest
  CharacterNode root;                    // above the nodes without a parent
  float length_scale = 1;                // of joint translations: its size relative to the rig's
  std::vector<CharacterNode> nodes;
  std::vector<int> order;  // parents first
  std::vector<Skin> skins;
  std::vector<Texture> textures;
  std::vector<Material> materials;
  std::vector<Mesh> meshes;
  std::vector<Link> links;  // parents first
  std::vector<Drive> drives;
  SkinDeformers after_skin;
  bool ace_mouth = false;  // mouthClose opens the jaw too; otherwise it is Apple's
  std::vector<skel::Site> sites;
  std::vector<BodySegment> segments;  // of the file; empty: unknown
  SpringSet springs;
  std::vector<Variant> variants;
  Framing framing;
  // Pose of joints that a pose omits: arms down. Empty: the rig's rest.
  skel::Pose at_ease;
  // Preserves the contacts of its hands with the body; null: not needed.
  std::shared_ptr<const BodyContact> contact;
  std::vector<std::string> missing_joints, missing_shapes;  // of the rig: they have no effect
  std::vector<std::string> notes;                           // other notes for the log

  size_t points() const;
  size_t triangles() const;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_CHARACTER_H_
