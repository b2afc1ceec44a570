#include "libs/mesh/fit_skin.h"

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/mesh/influences.h"
#include "libs/mesh/simplex_fit.h"

namespace posewire::mesh {
namespace {

using skel::Affine;
using skel::Vec3;

// Number of frames used to choose candidates.
constexpr size_t kFramesToChoose = 24;
// With less than this total weight, in points, a joint's rotation is undetermined.
constexpr double kLeastWeight = 1e-3;

double Squared(Vec3 v) { return double{skel::Dot(v, v)}; }

Affine AffineOf(const Eigen::Matrix3d& turn, const Eigen::Vector3d& way) {
  // Columns of the rotation are rows here, because points are row vectors.
  Affine out;
  for (Eigen::Index r = 0; r < 3; ++r) {
    out.row[static_cast<size_t>(r)] = {static_cast<float>(turn(0, r)),
                                       static_cast<float>(turn(1, r)),
                                       static_cast<float>(turn(2, r))};
  }
  out.row[3] = {static_cast<float>(way(0)), static_cast<float>(way(1)), static_cast<float>(way(2))};
  return out;
}

Eigen::Vector3d Of(Vec3 v) { return {double{v.x}, double{v.y}, double{v.z}}; }

// Sums of weight w, point p at rest, and the target q, w times the joint's transform: Le and Deng
// 2012, equations 6 to 8.
struct JointMotion {
  double ww = 0;
  Eigen::Vector3d wwp = Eigen::Vector3d::Zero(), wq = Eigen::Vector3d::Zero();
  Eigen::Matrix3d wqp = Eigen::Matrix3d::Zero();

  void Add(double w, Vec3 at, Vec3 to) {
    const Eigen::Vector3d p = Of(at), q = Of(to);
    ww += w * w;
    wwp += w * w * p;
    wq += w * q;
    wqp += w * q * p.transpose();
  }
  // Returns the nearest rotation and translation.
  Affine Solve() const {
    const Eigen::Vector3d middle = wwp / ww, aim = wq / ww;
    const Eigen::Matrix3d cross = wqp - wq * middle.transpose();
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(cross, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Matrix3d turn = svd.matrixU() * svd.matrixV().transpose();
    if (turn.determinant() < 0) {
      Eigen::Matrix3d u = svd.matrixU();
      u.col(2) *= -1;
      turn = u * svd.matrixV().transpose();
    }
    return AffineOf(turn, aim - turn * middle);
  }
};

double DistanceToBone(Vec3 p, Vec3 a, Vec3 b) {
  const Vec3 way = b - a;
  const float length = skel::Dot(way, way);
  const float t = length > 0 ? std::clamp(skel::Dot(p - a, way) / length, 0.0f, 1.0f) : 0;
  return Squared(p - (a + way * t));
}

class Fitter {
 public:
  Fitter(const FitSkinInput& in, const FitSkinSettings& settings)
      : in_(in),
        settings_(settings),
        points_(in.rest.size()),
        frames_(in.frames.size() / in.rest.size()),
        joints_(in.joints.size()),
        per_(static_cast<size_t>(settings.influences)) {}

  absl::StatusOr<FittedSkin> Run(const std::function<bool(int)>& progress) {
    out_.per_point = settings_.influences;
    out_.indices.assign(points_ * per_, 0);
    out_.weights.assign(points_ * per_, 0);
    out_.transforms.assign(in_.transforms.begin(), in_.transforms.end());
    children_.resize(joints_);
    for (size_t j = 0; j < joints_; ++j) {
      if (in_.joints[j].parent >= 0) {
        children_[static_cast<size_t>(in_.joints[j].parent)].push_back(static_cast<int>(j));
      }
    }
    if (out_.transforms.empty()) Begin();
    ChooseCandidates();
    for (int round = 0; round < settings_.rounds; ++round) {
      FindWeights();
      if (settings_.move_joints) MoveJoints();
      const auto error = MeasureSkin({in_.rest, in_.frames, in_.joints, out_.transforms},
                                     out_.indices, out_.weights, out_.per_point);
      if (!error.ok()) return error.status();
      out_.rounds.push_back(*error);
      if (progress != nullptr && !progress(round + 1)) {
        return absl::CancelledError("the search for weights was ended");
      }
      // If joints stay fixed, the weights are found in one round.
      if (!settings_.move_joints) break;
    }
    return std::move(out_);
  }

 private:
  const Affine& At(size_t frame, size_t joint) const {
    return out_.transforms[frame * joints_ + joint];
  }
  Vec3 Complex(size_t frame, size_t point) const { return in_.frames[frame * points_ + point]; }

  // Assigns each point to the nearest bone, and finds the transforms of these groups; a joint
  // without points moves with its parent.
  void Begin() {
    std::vector<size_t> of(points_, 0);
    for (size_t i = 0; i < points_; ++i) {
      double least = -1;
      for (size_t j = 0; j < joints_; ++j) {
        const Vec3 a = in_.joints[j].at;
        const auto consider = [&](Vec3 b) {
          const double d = DistanceToBone(in_.rest[i], a, b);
          if (least < 0 || d < least) {
            least = d;
            of[i] = j;
          }
        };
        if (children_[j].empty()) consider(a);
        for (const int c : children_[j]) consider(in_.joints[static_cast<size_t>(c)].at);
      }
    }
    std::vector<size_t> members(joints_, 0);
    for (const size_t j : of) ++members[j];
    out_.transforms.resize(frames_ * joints_);
    for (size_t f = 0; f < frames_; ++f) {
      std::vector<JointMotion> motions(joints_);
      JointMotion all;
      for (size_t i = 0; i < points_; ++i) {
        motions[of[i]].Add(1, in_.rest[i], Complex(f, i));
        all.Add(1, in_.rest[i], Complex(f, i));
      }
      for (size_t j = 0; j < joints_; ++j) {
        const int parent = in_.joints[j].parent;
        out_.transforms[f * joints_ + j] =
            members[j] >= 4 ? motions[j].Solve()
            : parent >= 0   ? out_.transforms[f * joints_ + static_cast<size_t>(parent)]
                            : all.Solve();
      }
    }
  }

  // Chooses the joints of the nearest mixture of all joints, on a few frames, and then the
  // neighbours of the heaviest. The individually nearest joints would often be the twenty of a
  // hand, which move alike.
  void ChooseCandidates() {
    const size_t step = std::max<size_t>(frames_ / kFramesToChoose, 1);
    const size_t most = std::min(static_cast<size_t>(settings_.candidates), joints_);
    candidates_.resize(points_);
    std::vector<size_t> frames;
    for (size_t f = 0; f < frames_; f += step) frames.push_back(f);
    Eigen::MatrixXd ways(static_cast<Eigen::Index>(3 * frames.size()),
                         static_cast<Eigen::Index>(joints_));
    std::vector<int> order(joints_);
    for (size_t i = 0; i < points_; ++i) {
      for (size_t j = 0; j < joints_; ++j) {
        for (size_t f = 0; f < frames.size(); ++f) {
          ways.block<3, 1>(static_cast<Eigen::Index>(3 * f), static_cast<Eigen::Index>(j)) =
              Of(skel::TransformPoint(At(frames[f], j), in_.rest[i]) - Complex(frames[f], i));
        }
      }
      Eigen::MatrixXd products = ways.transpose() * ways;
      // Prefers the nearer one of joints that move alike: since weights sum to 1, an amount added
      // by halves to a row and its column counts once for each weight.
      Eigen::VectorXd far(static_cast<Eigen::Index>(joints_));
      for (size_t j = 0; j < joints_; ++j) {
        far(static_cast<Eigen::Index>(j)) =
            0.5e-6 * static_cast<double>(frames.size()) * Squared(in_.rest[i] - in_.joints[j].at);
      }
      products.colwise() += far;
      products.rowwise() += far.transpose();
      const std::vector<double> weights = ShortestMixture(products);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return weights[static_cast<size_t>(a)] > weights[static_cast<size_t>(b)];
      });
      std::vector<int>& mine = candidates_[i];
      const auto add = [&](int joint) {
        if (joint >= 0 && mine.size() < most &&
            std::find(mine.begin(), mine.end(), joint) == mine.end()) {
          mine.push_back(joint);
        }
      };
      for (const int joint : order) {
        if (weights[static_cast<size_t>(joint)] > 0) add(joint);
      }
      add(in_.joints[static_cast<size_t>(order[0])].parent);
      for (const int c : children_[static_cast<size_t>(order[0])]) add(c);
    }
  }

  static Eigen::MatrixXd Part(const Eigen::MatrixXd& of, const std::vector<Eigen::Index>& places) {
    const auto n = static_cast<Eigen::Index>(places.size());
    Eigen::MatrixXd out(n, n);
    for (Eigen::Index r = 0; r < n; ++r) {
      for (Eigen::Index c = 0; c < n; ++c) {
        out(r, c) = of(places[static_cast<size_t>(r)], places[static_cast<size_t>(c)]);
      }
    }
    return out;
  }

  void FindWeights() {
    Eigen::MatrixXd ways;
    for (size_t i = 0; i < points_; ++i) {
      const std::vector<int>& mine = candidates_[i];
      const auto n = static_cast<Eigen::Index>(mine.size());
      // The residual of each joint alone for the point. Since the weights sum to 1, residuals mix
      // like the joints.
      ways.resize(static_cast<Eigen::Index>(3 * frames_), n);
      for (Eigen::Index k = 0; k < n; ++k) {
        const auto joint = static_cast<size_t>(mine[static_cast<size_t>(k)]);
        for (size_t f = 0; f < frames_; ++f) {
          const Vec3 off = skel::TransformPoint(At(f, joint), in_.rest[i]) - Complex(f, i);
          ways.block<3, 1>(static_cast<Eigen::Index>(3 * f), k) = Of(off);
        }
      }
      const Eigen::MatrixXd products = ways.transpose() * ways;
      std::vector<Eigen::Index> order(mine.size());
      std::iota(order.begin(), order.end(), Eigen::Index{0});
      std::vector<double> weights = ShortestMixture(products);
      // Remove the lightest joint, one at a time, and mix the rest again.
      while (order.size() > per_) {
        const auto least = std::min_element(weights.begin(), weights.end()) - weights.begin();
        const bool weighed = weights[static_cast<size_t>(least)] > 0;
        order.erase(order.begin() + least);
        weights.erase(weights.begin() + least);
        if (weighed) weights = ShortestMixture(Part(products, order));
      }
      for (size_t k = 0; k < per_; ++k) {
        const bool has = k < order.size();
        out_.indices[i * per_ + k] = has ? mine[static_cast<size_t>(order[k])] : mine[0];
        out_.weights[i * per_ + k] = has ? static_cast<float>(weights[k]) : 0;
      }
    }
    // Lengths match by construction.
    SortInfluences(absl::MakeSpan(out_.indices), absl::MakeSpan(out_.weights), out_.per_point)
        .IgnoreError();
  }

  void MoveJoints() {
    // The points of each joint.
    std::vector<std::vector<std::pair<size_t, float>>> of(joints_);
    for (size_t k = 0; k < out_.indices.size(); ++k) {
      if (out_.weights[k] > 0) {
        of[static_cast<size_t>(out_.indices[k])].emplace_back(k / per_, out_.weights[k]);
      }
    }
    std::vector<Vec3> left(points_);  // complex minus skinned
    for (size_t f = 0; f < frames_; ++f) {
      for (size_t i = 0; i < points_; ++i) {
        Vec3 skinned;
        for (size_t k = i * per_; k < (i + 1) * per_; ++k) {
          if (out_.weights[k] == 0) continue;
          skinned = skinned +
                    skel::TransformPoint(At(f, static_cast<size_t>(out_.indices[k])), in_.rest[i]) *
                        out_.weights[k];
        }
        left[i] = Complex(f, i) - skinned;
      }
      for (size_t j = 0; j < joints_; ++j) {
        Affine& now = out_.transforms[f * joints_ + j];
        JointMotion motion;
        for (const auto& [i, w] : of[j]) {
          motion.Add(double{w}, in_.rest[i], left[i] + skel::TransformPoint(now, in_.rest[i]) * w);
        }
        if (motion.ww < kLeastWeight || of[j].size() < 4) continue;
        const Affine next = motion.Solve();
        for (const auto& [i, w] : of[j]) {
          left[i] = left[i] + (skel::TransformPoint(now, in_.rest[i]) -
                               skel::TransformPoint(next, in_.rest[i])) *
                                  w;
        }
        now = next;
      }
    }
  }

  const FitSkinInput in_;
  const FitSkinSettings settings_;
  const size_t points_, frames_, joints_, per_;
  std::vector<std::vector<int>> children_, candidates_;
  FittedSkin out_;
};

absl::Status CheckLengths(const FitSkinInput& in) {
  if (in.rest.empty() || in.joints.empty() || in.frames.empty() ||
      in.frames.size() % in.rest.size() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "frames has ", in.frames.size(), " points, rest ", in.rest.size(), ", and there are ",
        in.joints.size(), " joints; expected some of each, and rest's points in each frame"));
  }
  const size_t frames = in.frames.size() / in.rest.size();
  if (!in.transforms.empty() && in.transforms.size() != frames * in.joints.size()) {
    return absl::InvalidArgumentError(absl::StrCat("transforms has ", in.transforms.size(),
                                                   " entries, expected ", frames * in.joints.size(),
                                                   " for ", frames, " frames"));
  }
  return absl::OkStatus();
}

absl::Status CheckInput(const FitSkinInput& in, const FitSkinSettings& s) {
  if (absl::Status status = CheckLengths(in); !status.ok()) return status;
  if (s.influences < 1 || s.influences > 8 || s.candidates < s.influences || s.rounds < 1 ||
      (!s.move_joints && in.transforms.empty())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "influences is ", s.influences, ", candidates ", s.candidates, ", rounds ", s.rounds,
        " and move_joints ", s.move_joints, " with ", in.transforms.size(),
        " transforms; expected 1 to 8, no fewer, at least 1, and joints that are given or move"));
  }
  const auto finite = [](Vec3 v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  for (size_t j = 0; j < in.joints.size(); ++j) {
    const JointAtRest& joint = in.joints[j];
    if (finite(joint.at) && joint.parent >= -1 && joint.parent < static_cast<int>(j)) continue;
    return absl::InvalidArgumentError(absl::StrCat("joints[", j, "] has parent ", joint.parent,
                                                   ", expected one before it, and a finite place"));
  }
  for (const auto& [name, list] :
       {std::pair<const char*, absl::Span<const Vec3>>{"rest", in.rest}, {"frames", in.frames}}) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (finite(list[i])) continue;
      return absl::InvalidArgumentError(absl::StrCat(name, "[", i, "] is not finite"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FittedSkin> FitSkin(const FitSkinInput& input, const FitSkinSettings& settings,
                                   const std::function<bool(int)>& progress) {
  if (absl::Status s = CheckInput(input, settings); !s.ok()) return s;
  return Fitter(input, settings).Run(progress);
}

absl::StatusOr<SkinError> MeasureSkin(const FitSkinInput& input, absl::Span<const int> indices,
                                      absl::Span<const float> weights, int per_point) {
  if (absl::Status s = CheckLengths(input); !s.ok()) return s;
  const size_t points = input.rest.size(), joints = input.joints.size();
  const auto per = static_cast<size_t>(std::max(per_point, 1));
  if (indices.size() != points * per || weights.size() != indices.size() ||
      input.transforms.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices has ", indices.size(), " entries and weights ", weights.size(),
                     ", expected ", points * per, ", and transforms to go with them"));
  }
  for (size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] >= 0 && static_cast<size_t>(indices[k]) < joints) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("indices[", k, "] is ", indices[k], ", expected 0 to ", joints, " - 1"));
  }
  SkinError out;
  double sum = 0, worst = 0;
  for (size_t f = 0; f * points < input.frames.size(); ++f) {
    for (size_t i = 0; i < points; ++i) {
      Vec3 off = input.frames[f * points + i] * -1;
      for (size_t k = i * per; k < (i + 1) * per; ++k) {
        if (weights[k] == 0) continue;
        off = off +
              skel::TransformPoint(input.transforms[f * joints + static_cast<size_t>(indices[k])],
                                   input.rest[i]) *
                  weights[k];
      }
      sum += Squared(off);
      worst = std::max(worst, Squared(off));
    }
  }
  out.rms_m = std::sqrt(sum / static_cast<double>(input.frames.size()));
  out.worst_m = std::sqrt(worst);
  return out;
}

}  // namespace posewire::mesh
