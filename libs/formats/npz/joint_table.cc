#include "libs/formats/npz/joint_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "libs/asset/table_cells.h"
#include "libs/asset/whole_file_reader.h"
#include "libs/formats/npz/column_map.h"
#include "libs/formats/npz/npz.h"
#include "libs/formats/npz/smpl.h"
#include "libs/skel/math.h"
#include "libs/skel/rig_limits.h"

namespace posewire::npz {
namespace {

using skel::Quat;
using skel::Vec3;

constexpr double kMostFrameRate_hz = 10000;
constexpr double kLeastFrameRate_hz = 0.01;
constexpr double kSameRate_s = 1e-9;
constexpr float kRadians = 3.14159265358979323846f / 180;
constexpr float kShortest = 1e-6f;
constexpr const char* kRates[] = {"mocap_framerate", "mocap_frame_rate", "fps"};

// The contents of either kind of file.
struct JointTable {
  std::vector<std::string> joints;
  size_t parts = 3;  // numbers per rotation
  std::vector<float> rotations;
  std::vector<float> places;  // of the root, 3 per frame; empty: none
  std::vector<double> times_s;

  size_t frames() const { return times_s.size(); }
};

absl::Status BadTable(absl::string_view what) { return absl::InvalidArgumentError(what); }

// Returns a number's position in an array, for error messages.
std::string Index(const std::string& array, const NpyArray& of, size_t number) {
  std::string out = absl::StrCat("array ", array);
  size_t width = of.numbers.size();
  for (const size_t size : of.shape) {
    width /= std::max<size_t>(size, 1);
    absl::StrAppend(&out, "[", number / std::max<size_t>(width, 1), "]");
    number %= std::max<size_t>(width, 1);
  }
  return out;
}

absl::Status CheckFinite(const std::string& name, const NpyArray& array) {
  for (size_t i = 0; i < array.numbers.size(); ++i) {
    if (!std::isfinite(array.numbers[i])) {
      return BadTable(absl::StrCat(Index(name, array, i), " is no finite number"));
    }
  }
  return absl::OkStatus();
}

std::string ShapeOf(const NpyArray& array) {
  std::string out;
  for (const size_t size : array.shape) absl::StrAppend(&out, out.empty() ? "" : " x ", size);
  return out;
}

size_t PartsOf(const ColumnMap& map) {
  const bool four = map.rotations == ColumnMap::Rotations::kQuaternionWxyz ||
                    map.rotations == ColumnMap::Rotations::kQuaternionXyzw;
  return four ? 4 : 3;
}

absl::StatusOr<std::vector<double>> TimesAt(std::optional<double> rate_hz, size_t frames) {
  if (!rate_hz) return BadTable("its rate is not known; a map can say it: rate 60");
  if (!(*rate_hz >= kLeastFrameRate_hz && *rate_hz <= kMostFrameRate_hz)) {
    return BadTable(absl::StrCat("its rate is ", *rate_hz, " frames a second; must be ",
                                 kLeastFrameRate_hz, " to ", kMostFrameRate_hz));
  }
  const asset::FrameClock clock(1 / *rate_hz, kSameRate_s);
  std::vector<double> out;
  for (size_t i = 0; i < frames; ++i) out.push_back(clock.Seconds(static_cast<int64_t>(i)));
  return out;
}

absl::StatusOr<JointTable> FromArrays(absl::string_view archive, ColumnMap& map, size_t most) {
  const std::string root = map.root.empty() ? "trans" : map.root;
  std::vector<std::string> wanted = {map.array, root};
  wanted.insert(wanted.end(), std::begin(kRates), std::end(kRates));
  auto arrays = ReadNpz(archive, wanted, most);
  if (!arrays.ok()) return arrays.status();
  const auto found = arrays->find(map.array);
  if (found == arrays->end()) {
    return BadTable(
        absl::StrCat("it has no array ", map.array, "; a map can name another: array NAME"));
  }
  NpyArray& poses = found->second;
  if (absl::Status s = CheckFinite(map.array, poses); !s.ok()) return s;
  JointTable out;
  const bool flat = poses.shape.size() == 2;
  if (poses.shape.size() != 2 && poses.shape.size() != 3) {
    return BadTable(absl::StrCat("array ", map.array, " is ", ShapeOf(poses),
                                 "; must be frames x joints x 3 or 4, or frames x numbers"));
  }
  const size_t frames = poses.shape[0];
  if (!flat && poses.shape[2] == 4 && !map.rotations) {
    return BadTable("it has quaternions; a map must say their order: rotations quaternion_xyzw");
  }
  if (!map.rotations) map.rotations = ColumnMap::Rotations::kAxisAngle;
  out.parts = PartsOf(map);
  const size_t width = flat ? poses.shape[1] : poses.shape[1] * poses.shape[2];
  const size_t joints = width / out.parts;
  const bool fits = flat ? width % out.parts == 0 : poses.shape[2] == out.parts;
  if (frames == 0 || !fits || joints == 0 || joints > skel::kMostJoints) {
    return BadTable(absl::StrCat("array ", map.array, " is ", ShapeOf(poses),
                                 "; must be frames x 1 to ", skel::kMostJoints, " joints x ",
                                 out.parts, ", all together or in rows"));
  }
  for (const ColumnMap::Joint& joint : map.joints) out.joints.push_back(joint.name);
  if (out.joints.empty()) out.joints = SmplJoints(joints);
  if (out.joints.size() != joints) {
    return BadTable(absl::StrCat("array ", map.array, " has ", joints,
                                 " joints, and the map names ", map.joints.size(),
                                 "; without one they are SMPL's 22, 24, 52 or 55"));
  }
  out.rotations = std::move(poses.numbers);
  if (const auto places = arrays->find(root); places != arrays->end()) {
    if (places->second.shape != std::vector<size_t>{frames, 3}) {
      return BadTable(absl::StrCat("array ", root, " is ", ShapeOf(places->second), "; must be ",
                                   frames, " x 3"));
    }
    if (absl::Status s = CheckFinite(root, places->second); !s.ok()) return s;
    out.places = std::move(places->second.numbers);
  } else if (!map.root.empty()) {
    return BadTable(absl::StrCat("it has no array ", root));
  }
  std::optional<double> rate = map.rate_hz;
  for (const char* const name : kRates) {
    const auto array = arrays->find(name);
    if (!rate && array != arrays->end() && array->second.numbers.size() == 1) {
      rate = array->second.scalar;
    }
  }
  absl::StatusOr<std::vector<double>> times = TimesAt(rate, frames);
  if (!times.ok()) return times.status();
  out.times_s = *std::move(times);
  return out;
}

// Reads the columns of a table's text.
class TextTable {
 public:
  TextTable(absl::string_view text, const ColumnMap& map) : text_(text), map_(map) {}

  absl::StatusOr<JointTable> Read() {
    if (!map_.rotations) {
      return BadTable(
          "a table of joints needs a map that says what rotations are: rotations euler_ZXY");
    }
    out_.parts = PartsOf(map_);
    if (!NextLine()) return BadTable("it has no line of names");
    if (absl::Status s = FindColumns(); !s.ok()) return s;
    while (NextLine()) {
      if (absl::Status s = ReadLine(); !s.ok()) return s;
    }
    if (frames_ == 0) return BadTable("it has no frames");
    if (time_ < 0) {
      absl::StatusOr<std::vector<double>> times = TimesAt(map_.rate_hz, frames_);
      if (!times.ok()) return times.status();
      out_.times_s = *std::move(times);
    }
    return std::move(out_);
  }

 private:
  bool NextLine() {
    while (!text_.empty()) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      const absl::string_view line = absl::StripAsciiWhitespace(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      if (line.empty()) continue;
      cells_ = asset::TableCells(line);
      return true;
    }
    return false;
  }

  absl::Status FindColumns() {
    for (size_t i = 0; i < cells_.size(); ++i) {
      const std::string name(cells_[i]);
      if (!names_.emplace(name, i).second) {
        return BadTable(absl::StrCat("line ", line_, ": two columns are ", name));
      }
      order_.push_back(name);
    }
    const auto add = [&](const std::string& stem, size_t parts, std::vector<size_t>& to) {
      const bool real_first = parts == 4 && map_.rotations == ColumnMap::Rotations::kQuaternionWxyz;
      const std::string letters = parts == 3 ? "xyz" : real_first ? "wxyz" : "xyzw";
      for (const char letter : letters) {
        const auto it = names_.find(absl::StrCat(stem, ".", std::string(1, letter)));
        if (it == names_.end()) {
          return BadTable(absl::StrCat("line ", line_, ": there is no column ", stem, ".",
                                       std::string(1, letter)));
        }
        to.push_back(it->second);
      }
      return absl::OkStatus();
    };
    if (!map_.root.empty()) {
      if (absl::Status s = add(map_.root, 3, places_); !s.ok()) return s;
    }
    std::vector<ColumnMap::Joint> joints = map_.joints;
    if (joints.empty()) {
      for (const std::string& name : order_) {
        if (!absl::EndsWith(name, ".x") || name == absl::StrCat(map_.root, ".x")) continue;
        const std::string stem = name.substr(0, name.size() - 2);
        joints.push_back({stem, stem});
      }
    }
    if (joints.empty() || joints.size() > skel::kMostJoints) {
      return BadTable(absl::StrCat("line ", line_, ": it has ", joints.size(),
                                   " joints; must be 1 to ", skel::kMostJoints,
                                   ", with columns NAME.x, NAME.y, NAME.z"));
    }
    for (const ColumnMap::Joint& joint : joints) {
      out_.joints.push_back(joint.name);
      if (absl::Status s = add(joint.column, out_.parts, rotations_); !s.ok()) return s;
    }
    if (!map_.time_column.empty()) {
      const auto it = names_.find(map_.time_column);
      if (it == names_.end()) {
        return BadTable(absl::StrCat("line ", line_, ": there is no column ", map_.time_column));
      }
      time_ = static_cast<int>(it->second);
    }
    return absl::OkStatus();
  }

  absl::Status ReadLine() {
    if (cells_.size() != order_.size()) {
      return BadTable(
          absl::StrCat("line ", line_, ": has ", cells_.size(), " columns, not ", order_.size()));
    }
    double number = 0;
    const auto read = [&](size_t column) {
      const bool good = absl::SimpleAtod(cells_[column], &number) && std::isfinite(number) &&
                        std::abs(number) < 1e30;
      return good ? absl::OkStatus()
                  : BadTable(absl::StrCat("line ", line_, ", column ", order_[column],
                                          ": expected a number"));
    };
    if (time_ >= 0) {
      if (absl::Status s = read(static_cast<size_t>(time_)); !s.ok()) return s;
      const double time_s = number * map_.time_unit_s;
      if (frames_ == 0) first_s_ = time_s;
      if (frames_ > 0 && time_s - first_s_ <= out_.times_s.back()) {
        return BadTable(
            absl::StrCat("line ", line_, ", column ", map_.time_column, ": times do not rise"));
      }
      out_.times_s.push_back(time_s - first_s_);
    }
    for (const size_t column : rotations_) {
      if (absl::Status s = read(column); !s.ok()) return s;
      out_.rotations.push_back(static_cast<float>(number));
    }
    for (const size_t column : places_) {
      if (absl::Status s = read(column); !s.ok()) return s;
      out_.places.push_back(static_cast<float>(number));
    }
    ++frames_;
    return absl::OkStatus();
  }

  absl::string_view text_;
  const ColumnMap& map_;
  JointTable out_;
  size_t frames_ = 0;
  int line_ = 0;
  std::vector<absl::string_view> cells_;
  std::map<std::string, size_t> names_;
  std::vector<std::string> order_;
  std::vector<size_t> rotations_, places_;
  int time_ = -1;
  double first_s_ = 0;
};

class JointTableReader : public asset::WholeFileReader {
 public:
  JointTableReader(std::unique_ptr<files::ByteSource> source, const asset::ReadOptions& options,
                   const ColumnMap* columns)
      : WholeFileReader(std::move(source), options) {
    if (columns != nullptr) map_ = *columns;
  }

  absl::StatusOr<asset::MotionNames> Start() override {
    if (absl::Status s = Open(); !s.ok()) return s;
    return asset::MotionNames{paths_, {}};
  }

  absl::StatusOr<bool> Next(wire::DataChunk* keys) override {
    if (next_ == table_.frames()) return false;
    if (absl::Status s = Fill(next_++, *keys); !s.ok()) return s;
    return true;
  }

  std::string place() const override { return absl::StrCat("frame ", next_ - 1); }
  std::shared_ptr<const skel::Rig> skeleton() const override { return smpl_; }
  bool moves_nodes() const override { return true; }

 private:
  absl::Status Open() {
    const absl::StatusOr<std::string> bytes = ReadWhole(bytes_, options_.max_json_bytes);
    if (!bytes.ok()) return bytes.status();
    const bool archive = absl::StartsWith(*bytes, "PK");
    absl::StatusOr<JointTable> table = archive || absl::EndsWithIgnoreCase(bytes_.name(), ".npz")
                                           ? FromArrays(*bytes, map_, options_.max_json_bytes)
                                           : TextTable(*bytes, map_).Read();
    if (!table.ok()) return table.status();
    table_ = *std::move(table);
    paths_ = table_.joints;
    smpl_ = SmplRest(table_.joints);
    if (smpl_ != nullptr) {
      paths_.assign(smpl_->joint_paths().begin(), smpl_->joint_paths().end());
      for (int j = 0; j < smpl_->joints(); ++j) rest_.push_back(smpl_->rest().translation(j));
    } else if (!table_.places.empty()) {
      if (absl::Status s = FindRest(); !s.ok()) return s;
    }
    const absl::StatusOr<bool> z_up = ZUp();
    if (!z_up.ok()) return z_up.status();
    z_up_ = *z_up;
    return absl::OkStatus();
  }

  // Takes the rest pose from a built-in rig that has all the names.
  absl::Status FindRest() {
    const auto rigs = skel::RigCatalog::Builtin();
    if (!rigs.ok()) return rigs.status();
    for (const std::string& name : rigs->names()) {
      const auto rig = rigs->Find(name);
      if (!rig.ok()) continue;
      rest_.clear();
      for (const std::string& joint : table_.joints) {
        const int at = (*rig)->FindJoint(joint);
        if (at < 0) break;
        rest_.push_back((*rig)->rest().translation(at));
      }
      if (rest_.size() == table_.joints.size()) return absl::OkStatus();
    }
    return BadTable(
        "places need joints of a built-in rig or of SMPL, which say where the others lie");
  }

  // Uses the map's setting. Without one, SMPL's bodies are Z up if the Y axis of their root mostly
  // points along Z.
  absl::StatusOr<bool> ZUp() const {
    if (map_.z_up) return *map_.z_up;
    if (smpl_ == nullptr) return false;
    float y = 0, z = 0;
    for (size_t i = 0; i < table_.frames(); ++i) {
      const absl::StatusOr<Quat> turn = TurnAt(i, 0);
      if (!turn.ok()) return turn.status();
      const Vec3 up = skel::Rotate(*turn, {0, 1, 0});
      y += up.y, z += up.z;
    }
    return z > y;
  }

  absl::StatusOr<Quat> TurnAt(size_t frame, size_t joint) const {
    const float* const v =
        table_.rotations.data() + (frame * table_.joints.size() + joint) * table_.parts;
    using Rotations = ColumnMap::Rotations;
    const bool degrees = map_.degrees.value_or(map_.rotations == Rotations::kEuler);
    const float unit = degrees ? kRadians : 1;
    if (map_.rotations == Rotations::kAxisAngle) {
      const Vec3 turn = Vec3{v[0], v[1], v[2]} * unit;
      const float angle = skel::Length(turn);
      return angle < kShortest ? skel::Normalized(Quat{1, turn.x / 2, turn.y / 2, turn.z / 2})
                               : skel::FromAxisAngle(turn * (1 / angle), angle);
    }
    if (map_.rotations == Rotations::kEuler) {
      constexpr Vec3 kAxes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      Quat out;
      for (const char letter : map_.euler) {
        const int axis = letter - 'X';
        out = skel::Mul(out, skel::FromAxisAngle(kAxes[axis], v[axis] * unit));
      }
      return out;
    }
    const bool real_first = map_.rotations == Rotations::kQuaternionWxyz;
    const Quat q = real_first ? Quat{v[0], v[1], v[2], v[3]} : Quat{v[3], v[0], v[1], v[2]};
    const float length = std::sqrt(skel::Dot(q, q));
    if (!(length > kShortest) || !std::isfinite(length)) {
      return BadTable(absl::StrCat("frame ", frame, ", joint ", table_.joints[joint],
                                   ": its quaternion has no length"));
    }
    return skel::Normalized(q);
  }

  absl::Status Fill(size_t frame, wire::DataChunk& keys) const {
    // Rotates from Z up to Y up. SMPL's bodies are always Y up; only their world may be Z up.
    const Quat stand = skel::FromAxisAngle({1, 0, 0}, -90 * kRadians);
    const double time_code_s = table_.times_s[frame];
    wire::KeyBlock& turns = keys.pose[wire::kRotations];
    turns.time_codes_s.push_back(time_code_s);
    for (size_t j = 0; j < table_.joints.size(); ++j) {
      absl::StatusOr<Quat> turn = TurnAt(frame, j);
      if (!turn.ok()) return turn.status();
      Quat q = *turn;
      if (z_up_ && smpl_ == nullptr) {
        q = skel::Mul(skel::Mul(stand, q), skel::Conjugate(stand));
      } else if (z_up_ && smpl_->topology().parent(static_cast<int>(j)) < 0) {
        q = skel::Mul(stand, q);
      }
      asset::Put(q, turns);
    }
    if (rest_.empty() || (frame > 0 && table_.places.empty())) return absl::OkStatus();
    wire::KeyBlock& places = keys.pose[wire::kTranslations];
    places.time_codes_s.push_back(time_code_s);
    for (size_t j = 0; j < rest_.size(); ++j) {
      Vec3 at = rest_[j];
      if (j == 0 && !table_.places.empty()) {
        const float* const v = table_.places.data() + 3 * frame;
        at = Vec3{v[0], v[1], v[2]} * static_cast<float>(map_.unit_m);
        // SMPL's translation is that of a point above the pelvis, along the file's own Y axis even
        // in a world that is Z up.
        if (smpl_ != nullptr) at.y += SmplPelvis(table_.joints.size());
        if (z_up_) at = skel::Rotate(stand, at);
      }
      asset::Put(at, places);
    }
    return absl::OkStatus();
  }

  ColumnMap map_;
  JointTable table_;
  std::vector<std::string> paths_;
  std::shared_ptr<const skel::Rig> smpl_;  // null: another skeleton
  std::vector<Vec3> rest_;                 // of all joints; empty: not known
  bool z_up_ = false;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<asset::MotionReader> OpenJointTable(std::unique_ptr<files::ByteSource> source,
                                                    const asset::ReadOptions& options,
                                                    const ColumnMap* columns) {
  return std::make_unique<JointTableReader>(std::move(source), options, columns);
}

absl::Status RejectJointTable(const asset::Motion&, asset::PutBytes) {
  return absl::InvalidArgumentError("tables of joints are only read");
}

}  // namespace posewire::npz
