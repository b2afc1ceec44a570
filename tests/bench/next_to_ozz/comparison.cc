#include "tests/bench/next_to_ozz/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/skel/blend_job.h"
#include "libs/skel/local_to_model_job.h"
#include "ozz/animation/offline/raw_skeleton.h"
#include "ozz/animation/offline/skeleton_builder.h"
#include "ozz/animation/runtime/blending_job.h"
#include "ozz/animation/runtime/local_to_model_job.h"
#include "ozz/animation/runtime/skeleton.h"
#include "ozz/base/maths/simd_math.h"
#include "ozz/base/maths/soa_transform.h"
#include "ozz/base/memory/unique_ptr.h"
#include "tests/bench/micro/poses.h"

namespace posewire::bench {
namespace {

constexpr int kInputs = 4;
constexpr int kCalls = 200;
constexpr float kMostApart = 2e-3f;  // ozz normalises by an estimate

using SoaPose = std::vector<ozz::math::SoaTransform>;
using SoaWeights = std::vector<ozz::math::SimdFloat4>;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "next_to_ozz: %s\n", why.c_str());
  std::exit(1);
}

// ---- Our rig and poses in ozz's form.

ozz::animation::offline::RawSkeleton::Joint JointOf(const skel::Rig& rig, int joint) {
  ozz::animation::offline::RawSkeleton::Joint out;
  out.name = rig.joint_names()[static_cast<size_t>(joint)].c_str();
  out.transform = ozz::math::Transform::identity();
  for (int j = joint + 1; j < rig.joints(); ++j) {
    if (rig.topology().parent(j) == joint) out.children.push_back(JointOf(rig, j));
  }
  return out;
}

ozz::unique_ptr<ozz::animation::Skeleton> SkeletonOf(const skel::Rig& rig) {
  ozz::animation::offline::RawSkeleton raw;
  for (int j = 0; j < rig.joints(); ++j) {
    if (rig.topology().parent(j) < 0) raw.roots.push_back(JointOf(rig, j));
  }
  auto skeleton = ozz::animation::offline::SkeletonBuilder()(raw);
  if (skeleton == nullptr) Fail("ozz refused the skeleton");
  return skeleton;
}

// Our number of each of ozz's joints.
std::vector<int> OrderOf(const skel::Rig& rig, const ozz::animation::Skeleton& skeleton) {
  std::vector<int> order;
  for (const char* name : skeleton.joint_names()) {
    const auto& names = rig.joint_names();
    order.push_back(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  return order;
}

// Four values of ozz's joints from 4 i on; those beyond the last joint repeat it.
template <typename Value>
ozz::math::SimdFloat4 Four(const std::vector<int>& order, size_t i, const Value& value) {
  const auto at = [&](size_t k) { return value(order[std::min(4 * i + k, order.size() - 1)]); };
  return ozz::math::simd_float4::Load(at(0), at(1), at(2), at(3));
}

SoaPose ToOzz(const skel::PoseView& p, const std::vector<int>& order) {
  SoaPose out((order.size() + 3) / 4);
  for (size_t i = 0; i < out.size(); ++i) {
    const auto row = [&](const float* r) { return Four(order, i, [r](int j) { return r[j]; }); };
    out[i].translation = {row(p.tx), row(p.ty), row(p.tz)};
    out[i].rotation = {row(p.qx), row(p.qy), row(p.qz), row(p.qw)};
    out[i].scale = {row(p.sx), row(p.sy), row(p.sz)};
  }
  return out;
}

float Lane(ozz::math::SimdFloat4 four, size_t lane) {
  float out[4];
  ozz::math::StorePtrU(four, out);
  return out[lane];
}

void ExpectSame(const char* job, float ours, float ozz) {
  if (std::fabs(ours - ozz) <= kMostApart) return;
  Fail(absl::StrCat(job, " says ", ours, " where ozz says ", ozz));
}

void ExpectSamePose(const char* job, const skel::PoseView& ours, const SoaPose& ozz,
                    const std::vector<int>& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    const ozz::math::SoaTransform& t = ozz[i / 4];
    const int j = order[i];
    ExpectSame(job, ours.tx[j], Lane(t.translation.x, i % 4));
    ExpectSame(job, ours.tz[j], Lane(t.translation.z, i % 4));
    ExpectSame(job, ours.qw[j], Lane(t.rotation.w, i % 4));
    ExpectSame(job, ours.qy[j], Lane(t.rotation.y, i % 4));
    ExpectSame(job, ours.sy[j], Lane(t.scale.y, i % 4));
  }
}

// ---- Time.

// Of this thread on a core: others may want it too.
double ThreadNs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

struct Pair {
  std::string name;
  std::function<void()> ours, ozz;
  std::vector<double> ours_ns, ozz_ns, ratio;

  void Round(bool ours_first) {
    const auto time = [](const std::function<void()>& calls) {
      const double start = ThreadNs();
      calls();
      return (ThreadNs() - start) / kCalls;
    };
    if (ours_first) ours_ns.push_back(time(ours));
    ozz_ns.push_back(time(ozz));
    if (!ours_first) ours_ns.push_back(time(ours));
    ratio.push_back(ours_ns.back() / ozz_ns.back());
  }
};

// A std::function is called once for many runs of the job.
template <typename Job>
std::function<void()> Calls(const Job& job) {
  return [&job] {
    for (int i = 0; i < kCalls; ++i) {
      if (!job.Run()) Fail("a job was refused");
      asm volatile("" : : : "memory");
    }
  };
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// ---- The jobs.

class Comparison {
 public:
  Comparison() {
    for (unsigned i = 0; i < kInputs; ++i) {
      poses_[i] = MovingPose(*rig_, i, 0.3);
      masks_[i] = skel::Mask(*rig_, 0.0f);
      for (int j = 0; j < rig_->joints(); ++j) {
        masks_[i].set_joint(j, 0.1f + 0.2f * static_cast<float>((j + static_cast<int>(i)) % 4));
      }
      masks_[i].SetAllShapes(0.5f);
      soa_poses_[i] = ToOzz(poses_[i].view(), order_);
      for (size_t k = 0; k < soa_poses_[i].size(); ++k) {
        soa_masks_[i].push_back(Four(order_, k, [&](int j) { return masks_[i].joint(j); }));
      }
    }
    soa_out_.resize(soa_rest_.size());
    model_.resize(static_cast<size_t>(rig_->joints()));
    soa_model_.resize(model_.size());
    MakeBlends();
    MakeWalk();
  }

  void Run(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      for (Pair& pair : pairs_) pair.Round(i % 2 == 0);
    }
    std::printf("%-28s %8s %8s %12s\n", "ns", "ozz", "ours", "ours / ozz");
    for (const Pair& p : pairs_) {
      std::printf("%-28s %8.0f %8.0f %12.2f\n", p.name.c_str(),
                  *std::min_element(p.ozz_ns.begin(), p.ozz_ns.end()),
                  *std::min_element(p.ours_ns.begin(), p.ours_ns.end()), Median(p.ratio));
    }
  }

 private:
  void MakeBlends() {
    const auto joints_alone = [](auto pose) {
      pose.shapes = 0;
      return pose;
    };
    for (const bool masked : {false, true}) {
      ozz::animation::BlendingJob& theirs = soa_blend_[masked];
      for (size_t i = 0; i < kInputs; ++i) {
        soa_layers_[masked][i].weight = 0.2f;
        soa_layers_[masked][i].transform = ozz::make_span(soa_poses_[i]);
        if (masked) soa_layers_[masked][i].joint_weights = ozz::make_span(soa_masks_[i]);
      }
      theirs.layers = soa_layers_[masked];
      theirs.rest_pose = ozz::make_span(soa_rest_);
      theirs.output = ozz::make_span(soa_out_);
      for (const bool shapes : {false, true}) {
        if (!shapes && masked) continue;  // a mask covers joints and shapes
        skel::BlendJob& job = blend_[masked][shapes];
        for (size_t i = 0; i < kInputs; ++i) {
          const skel::PoseView view = poses_[i].view();
          inputs_[masked][shapes][i] = {shapes ? view : joints_alone(view), 0.2f,
                                        masked ? &masks_[i] : nullptr};
        }
        job.inputs = inputs_[masked][shapes];
        job.below = shapes ? rig_->rest() : joints_alone(rig_->rest());
        job.out = shapes ? out_.span() : joints_alone(out_.span());
        const char* name = masked   ? "blend 4, masked, with shapes"
                           : shapes ? "blend 4, with shapes"
                                    : "blend 4";
        if (!job.Run() || !theirs.Run()) Fail("a blend was refused");
        ExpectSamePose(name, out_.view(), soa_out_, order_);
        pairs_.push_back({name, Calls(job), Calls(theirs), {}, {}, {}});
      }
    }
  }

  void MakeWalk() {
    walk_.rig = rig_.get();
    walk_.local = poses_[1].view();
    walk_.matrices = absl::MakeSpan(model_);
    soa_walk_.skeleton = skeleton_.get();
    soa_walk_.input = ozz::make_span(soa_poses_[1]);
    soa_walk_.output = ozz::make_span(soa_model_);
    if (!walk_.Run() || !soa_walk_.Run()) Fail("the walk was refused");
    for (size_t i = 0; i < order_.size(); ++i) {
      const skel::Affine& ours = model_[static_cast<size_t>(order_[i])];
      for (size_t r = 0; r < 4; ++r) {
        ExpectSame("local to model", ours.row[r].x, Lane(soa_model_[i].cols[r], 0));
        ExpectSame("local to model", ours.row[r].y, Lane(soa_model_[i].cols[r], 1));
        ExpectSame("local to model", ours.row[r].z, Lane(soa_model_[i].cols[r], 2));
      }
    }
    pairs_.push_back({"local to model", Calls(walk_), Calls(soa_walk_), {}, {}, {}});
  }

  std::shared_ptr<const skel::Rig> rig_ = StandardRig();
  skel::Pose poses_[kInputs], out_{rig_->joints(), rig_->shapes()};
  skel::Mask masks_[kInputs];
  skel::BlendJob::Input inputs_[2][2][kInputs];
  skel::BlendJob blend_[2][2];
  std::vector<skel::Affine> model_;
  skel::LocalToModelJob walk_;

  ozz::unique_ptr<ozz::animation::Skeleton> skeleton_ = SkeletonOf(*rig_);
  std::vector<int> order_ = OrderOf(*rig_, *skeleton_);
  SoaPose soa_poses_[kInputs], soa_rest_ = ToOzz(rig_->rest(), order_), soa_out_;
  SoaWeights soa_masks_[kInputs];
  ozz::animation::BlendingJob::Layer soa_layers_[2][kInputs];
  ozz::animation::BlendingJob soa_blend_[2];
  std::vector<ozz::math::Float4x4> soa_model_;
  ozz::animation::LocalToModelJob soa_walk_;

  std::vector<Pair> pairs_;
};

}  // namespace

void CompareWithOzz(int rounds) { Comparison().Run(rounds); }

}  // namespace posewire::bench
