#include "services/anim_graph/runtime/clip_intake.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/catch_exceptions.h"

namespace posewire::anim_graph {
namespace {

// Gets a tenth of the CPU time of a ticking thread if both need a CPU.
constexpr int kNice = 10;

absl::Status Closed() {
  return absl::UnavailableError("the server is shutting down; put the clip again");
}

}  // namespace

ClipIntake::ClipIntake(GraphStore* graphs, service::Logger log)
    : graphs_(graphs),
      log_(std::move(log)),
      thread_(log_, {.what = "answer to a clip", .most_waiting = kMostWaiting, .nice = kNice}) {}

ClipIntake::~ClipIntake() { Close(); }

void ClipIntake::Put(const posewire::control::v1::PutClipRequest& request,
                     posewire::control::v1::PutClipResponse* response, Done done) {
  if (closed_) return done(Closed());
  const auto task = std::make_shared<Task>(Task{&request, response, std::move(done)});
  if (thread_.Post([this, task] { Do(*task); })) return;
  task->done(absl::ResourceExhaustedError(absl::StrCat(
      kMostWaiting, " clips already wait to be read, which is the limit; try again later")));
}

void ClipIntake::Do(Task& task) {
  if (closed_) return task.done(Closed());
  absl::Status status;
  const absl::Status thrown = service::CatchExceptions(
      log_, "put clip", [&] { status = Take(*task.request, task.response); });
  task.done(thrown.ok() ? status : thrown);
}

absl::Status ClipIntake::Take(const posewire::control::v1::PutClipRequest& request,
                              posewire::control::v1::PutClipResponse* response) {
  const absl::StatusOr<bool> put =
      graphs_->PutClip(request.name(), request.data(), request.kind(), request.loop(), &closed_);
  if (absl::IsCancelled(put.status())) return Closed();
  if (!put.ok()) {
    // A truncated recording is the client's fault here, not a data loss of the server.
    return absl::IsDataLoss(put.status()) ? absl::InvalidArgumentError(put.status().message())
                                          : put.status();
  }
  response->set_replaced(*put);
  for (auto& info : graphs_->clips()) {
    if (info.name() == request.name()) *response->mutable_clip() = std::move(info);
  }
  return absl::OkStatus();
}

}  // namespace posewire::anim_graph
