#include "services/renderer_sink/view/view_server.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/files/read.h"
#include "libs/rpc/protocol_probe.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/metrics/process_metrics.h"
#include "libs/stream/busy.h"
#include "services/renderer_sink/draw/background.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/view/page.h"
#include "services/renderer_sink/view/prop_route.h"
#include "services/renderer_sink/view/source_routes.h"

namespace posewire::renderer_sink {
namespace {

namespace pb = google::protobuf;
using service::HttpReply;
using service::HttpRequest;

constexpr std::chrono::seconds kPollPeriod{1};
constexpr char kBackgroundPath[] = "/background";
constexpr char kHtml[] = "text/html; charset=utf-8";
constexpr char kScript[] = "text/javascript; charset=utf-8";
constexpr char kStyle[] = "text/css; charset=utf-8";
constexpr char kText[] = "text/plain; charset=utf-8";

// What the page may ask of the graph; none of it ends a stream or writes clips.
constexpr const char* kCalls[] = {
    "SetGesture",    "ListGestures", "StopRequest", "ListStreams",     "ListGraphs",
    "ListVariables", "SetVariable",  "FireEvent",   "PlayArrangement", "ListArrangements",
    "ListClips",     "SetUser",      "RemoveUser"};

bool MayCall(absl::string_view method) {
  for (const char* call : kCalls) {
    if (method == call) return true;
  }
  return false;
}

// Pages of `origins` may show ours in a frame. A `form` is sent to this server, and by browsers
// with its Origin, which they leave out without a referrer.
service::HttpFields PageHeaders(const std::vector<std::string>& origins, bool form = false) {
  const std::string ancestors = origins.empty() ? "'none'" : absl::StrJoin(origins, " ");
  return {
      {"Content-Security-Policy",
       // Compressed avatars are unpacked by WebAssembly and by workers made of the page's own
       // scripts.
       absl::StrCat("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; "
                    "style-src 'self'; connect-src 'self' blob:; img-src 'self' blob: data:; "
                    "base-uri 'none'; form-action ",
                    form ? "'self'" : "'none'", "; frame-ancestors ", ancestors)},
      {"Referrer-Policy", form ? "same-origin" : "no-referrer"},
      {"X-Content-Type-Options", "nosniff"},
      {"Cache-Control", "no-cache"}};
}

std::unique_ptr<Login> LoginOf(const ViewOptions& options, const service::Logger& log) {
  if (options.login.authorizer == nullptr) return nullptr;
  return std::make_unique<Login>(options.login, PageHeaders(options.login.origins, /*form=*/true),
                                 log);
}

std::string Json(const pb::Value& value) {
  // An unset value, which protobuf writes as nothing, and which is not valid JSON.
  if (value.kind_case() == pb::Value::KIND_NOT_SET) return "null";
  std::string text;
  return pb::util::MessageToJsonString(value, &text).ok() ? text : "null";
}

std::string AnswerJson(const std::string& id, const absl::StatusOr<std::string>& answer) {
  const std::string outcome =
      answer.ok()
          ? absl::StrCat("\"result\":", *answer)
          : absl::StrCat("\"error\":", service::QuoteText(answer.status().message()),
                         ",\"status\":\"", absl::StatusCodeToString(answer.status().code()), "\"");
  return absl::StrCat("{\"type\":\"answer\",\"id\":", id, ",", outcome, "}");
}

// Returns the type of a picture that was decoded before.
const char* PictureType(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "\x89PNG")) return "image/png";
  return absl::StartsWith(bytes, "RIFF") ? "image/webp" : "image/jpeg";
}

absl::StatusOr<double> Time(const HttpRequest& request, const char* name, double absent) {
  if (!request.HasQuery(name)) return absent;
  double value = 0;
  if (!absl::SimpleAtod(request.Query(name), &value) || !std::isfinite(value)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " must be Unix time in seconds, not ", request.Query(name)));
  }
  return value;
}

}  // namespace

bool ViewServer::HasPage() { return !PageFile("app.js").empty(); }

ViewServer::ViewServer(ViewOptions options, service::Logger log)
    : options_(std::move(options)),
      log_(std::move(log)),
      login_(LoginOf(options_, log_)),
      viewers_([this](const std::shared_ptr<service::WebSocket>& socket,
                      const std::string& text) { OnText(socket, text); },
               login_.get()) {}

absl::StatusOr<std::unique_ptr<ViewServer>> ViewServer::Start(ViewOptions options,
                                                              service::Logger log) {
  std::unique_ptr<ViewServer> server(new ViewServer(std::move(options), std::move(log)));
  auto rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  server->rigs_ = *std::move(rigs);
  const ViewOptions& view = server->options_;
  std::vector<OffsetsAt> offsets;
  if (!view.offsets.empty()) {
    auto found = FindOffsets(view.offsets, view.offsets_cache);
    if (!found.ok()) return found.status();
    offsets = *std::move(found);
  }
  const CharacterFilesOptions files{view.avatars, view.pull.rig, offsets, view.subdivide,
                                    view.outside_skel_root};
  if (absl::Status s = server->characters_.Load(files, server->log_); !s.ok()) return s;
  auto props = PropModels::Open(view.props, server->log_);
  if (!props.ok()) return props.status();
  server->props_ = *std::move(props);
  auto background = server->LoadBackground();
  if (!background.ok()) return background.status();
  Viewers::Text hello{absl::StrFormat(
      "{\"type\":\"hello\",\"version\":%s,\"from\":%s,\"keep_s\":%g,\"say_to\":%s,\"films\":%s,"
      "\"login\":%s,\"background\":%s,\"streams\":[",
      service::QuoteText(view.version), service::QuoteText(view.pull.connection.address),
      view.history.seconds, service::QuoteText(view.say_to),
      FilmMaker::CanMake() ? "true" : "false", server->login_ == nullptr ? "false" : "true",
      service::QuoteText(*background))};
  for (const std::string& id : view.stream_ids) hello.parts.push_back({id, service::QuoteText(id)});
  hello.tail = "]}";
  server->viewers_.Post("0 hello", std::move(hello));
  if (!view.pushes) {
    server->control_ = std::make_unique<GraphControl>(view.pull.connection, server->log_);
  }
  if (!view.say_to.empty()) {
    server->source_ = CallSource({.address = view.say_to,
                                  .tls = view.pull.connection.tls,
                                  .token_file = view.pull.connection.token_file},
                                 server->log_);
    server->say_sockets_ =
        std::make_unique<SaySockets>(server->source_.get(), server->login_.get());
  }
  // A film is the largest response.
  service::HttpOptions http = view.http;
  http.handler_timeout_s = FilmMaker::kMost_s + 30;
  auto host = service::HttpHost::Start(http, server->Routes(), server->log_);
  if (!host.ok()) return host.status();
  server->host_ = *std::move(host);
  auto probes = service::StartProbes(http, server->Reports(), server->log_);
  if (!probes.ok()) return probes.status();
  server->probes_ = *std::move(probes);
  {
    std::lock_guard lock(server->mutex_);
    for (const std::string& id : view.stream_ids) {
      server->feeds_.push_back(
          server->MakeFeed({"", id, view.pull.ids.target_object_id}, server->feeds_.size()));
    }
  }
  if (server->control_ != nullptr) {
    server->control_->Watch(
        [viewers = &server->viewers_](const std::string& stream_id, const std::string& event) {
          viewers->PostEvent(absl::StrCat("{\"type\":\"event\",\"event\":", event, "}"), stream_id);
        });
  } else if (server->login_ == nullptr) {
    return server;
  }
  server->poll_ = std::thread([s = server.get()] {
    service::CatchExceptionsInLoop(s->log_, "list of streams", [s] { s->RunPoll(); });
  });
  return server;
}

ViewServer::~ViewServer() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  films_.Stop();
  wake_.notify_all();
  if (poll_.joinable()) poll_.join();
}

absl::StatusOr<std::string> ViewServer::LoadBackground() {
  const std::string& what = options_.background;
  if (what.empty()) return what;
  if (what == "none") {
    return absl::InvalidArgumentError(
        "--background none: not for view; open the page as /?background=none");
  }
  if (const auto read = ReadBackground(what); !read.ok()) return read.status();
  if (what[0] == '#') return what;
  auto picture = files::ReadWhole(what, kMostBackground_bytes);
  if (!picture.ok()) return picture.status();
  picture_ = *std::move(picture);
  return std::string(kBackgroundPath);
}

service::Reports ViewServer::Reports() const {
  return {.metrics = [log = log_, traffic = options_.pull.connection.traffic] {
    return service::ProcessMetricsText(log.counts(), service::TrafficMetrics("pull", *traffic));
  }};
}

std::vector<service::HttpRoute> ViewServer::Routes() {
  const service::HttpFields headers = PageHeaders(options_.http.allowed_origins);
  const auto page = [&headers](const char* file, const char* type) {
    return service::Fixed(type, std::string(PageFile(file)), headers);
  };
  std::vector<service::HttpRoute> routes = service::ProbeRoutes(options_.http, Reports());
  for (const char* script : {"app.js", "embed.js", "draco_decoder.js", "microphone_worklet.js"}) {
    routes.push_back({"GET", absl::StrCat("/", script), page(script, kScript)});
  }
  routes.push_back({"GET", "/style.css", page("style.css", kStyle)});
  routes.push_back({"GET", "/notices.txt", page("notices.txt", kText)});
  const auto add = [&routes](std::vector<service::HttpRoute> more) {
    for (service::HttpRoute& route : more) routes.push_back(std::move(route));
  };
  if (source_ != nullptr) {
    add(SourceRoutes(source_.get(), login_.get()));
    service::HttpRoute say{"GET", "/source/stream", nullptr, say_sockets_.get()};
    if (login_ != nullptr) {
      say.admit = [this](const HttpRequest& request) {
        return login_->Admit(request, "", stream::Permission::kControl);
      };
    }
    routes.push_back(std::move(say));
  }
  if (login_ != nullptr) add(login_->Routes());
  // Routes for visitors who may see avatars.
  std::vector<service::HttpRoute> shown;
  const auto post = [this](auto task) { return downloads_.Post(std::move(task)); };
  characters_.AddRoutes(headers, post, shown);
  shown.push_back(PropRoute(props_, post, headers));
  if (!picture_.bytes().empty()) {
    shown.push_back(
        {"GET", kBackgroundPath, service::Fixed(PictureType(picture_.bytes()), picture_, headers)});
  }
  shown.push_back({"GET", "/ws", nullptr, &viewers_});
  shown.push_back({"GET", "/avatars/{avatar}/{file}",
                   [this](const HttpRequest& request, const service::HttpReplier& reply) {
                     Download(request, reply);
                   }});
  if (login_ != nullptr) {
    for (service::HttpRoute& route : shown) {
      route.admit = [this](const HttpRequest& request) {
        return login_->Admit(request, "", stream::Permission::kPull);
      };
    }
  }
  add(std::move(shown));
  service::HttpHandler main = page(HasPage() ? "index.html" : "missing.html", kHtml);
  if (login_ != nullptr) main = login_->Before(std::move(main));
  routes.push_back({"GET", "/", std::move(main)});
  return routes;
}

size_t ViewServer::OffsetBytesOf(size_t avatar) const {
  const size_t places =
      std::max(static_cast<size_t>(options_.most_avatars), options_.stream_ids.size());
  return avatar < places ? options_.offsets_bytes / places : 0;
}

std::unique_ptr<AvatarFeed> ViewServer::MakeFeed(const wire::StreamIds& ids, size_t avatar) {
  AvatarFeedOptions feed{
      .pull = options_.pull,
      .avatar = static_cast<uint8_t>(avatar),
      .character = characters_.Of(ids),
      .find = [this](const std::string& name) { return characters_.Named(name); },
      .props = props_,
      .offsets_bytes = OffsetBytesOf(avatar),
      .history = options_.history,
      .late_s = options_.late_s,
      .repull = !options_.stream_ids.empty()};
  // The page shows the fault, and continues when it is fixed.
  feed.pull.connection.ends_on_mismatch = false;
  feed.pull.ids.stream_id = ids.stream_id;
  feed.pull.ids.target_object_id = ids.target_object_id;
  if (options_.pushes) {
    PushInboxOptions pushes = *options_.pushes;
    pushes.ids.stream_id = ids.stream_id;
    feed.pushes = std::make_shared<PushInbox>(std::move(pushes));
  }
  return std::make_unique<AvatarFeed>(std::move(feed), &rigs_, &viewers_, log_);
}

AvatarFeed* ViewServer::PlaceFor(const wire::StreamIds& ids) {
  for (const auto& feed : feeds_) {
    if (feed->stream_id() == ids.stream_id && feed->target() == ids.target_object_id) {
      return feed.get();
    }
  }
  const int most = options_.stream_ids.empty() ? options_.most_avatars : kMostStreams;
  if (feeds_.size() < static_cast<size_t>(most)) {
    return feeds_.emplace_back(MakeFeed(ids, feeds_.size())).get();
  }
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  // A push that has just arrived may not play yet.
  const auto free_s = [](const AvatarFeed& feed) {
    const bool comes = feed.pushes() != nullptr && !feed.pushes()->IsIdle();
    return comes ? kNever : feed.ended_s().value_or(kNever);
  };
  const auto longest =
      std::min_element(feeds_.begin(), feeds_.end(),
                       [&](const auto& a, const auto& b) { return free_s(*a) < free_s(*b); });
  if (free_s(**longest) == kNever) return nullptr;
  longest->reset();  // It waits for its stream, and ends at once; only then may another post.
  *longest = MakeFeed(ids, static_cast<size_t>(longest - feeds_.begin()));
  return longest->get();
}

bool ViewServer::IsShown(const std::string& stream_id) const {
  const std::vector<std::string>& shown = options_.stream_ids;
  return shown.empty() || std::find(shown.begin(), shown.end(), stream_id) != shown.end();
}

void ViewServer::ShowStream(const std::string& stream_id, absl::Span<const std::string> targets) {
  std::lock_guard lock(mutex_);
  if (stop_) return;
  const auto place = [&](const std::string& target) {
    if (AvatarFeed* const feed = PlaceFor({"", stream_id, target})) feed->Resume();
  };
  const std::string& only = options_.pull.ids.target_object_id;
  if (!only.empty()) return place(only);
  for (size_t i = 0; i < targets.size() || i == 0; ++i) {
    const std::string target = targets.empty() ? "" : targets[i];
    // One alone is pulled without a name, as is right before there is any; of several each has one.
    const auto nameless = std::find_if(feeds_.begin(), feeds_.end(), [&](const auto& feed) {
      return feed->stream_id() == stream_id && feed->target().empty();
    });
    const bool alone = targets.size() < 2;
    if (i == 0 && nameless != feeds_.end()) {
      if (!alone) (*nameless)->SetTarget(target);
      (*nameless)->Resume();
      continue;
    }
    const bool known = std::any_of(feeds_.begin(), feeds_.end(), [&](const auto& feed) {
      return feed->stream_id() == stream_id && feed->target() == target;
    });
    place(alone && !known ? "" : target);
  }
}

absl::StatusOr<service::TakenPush> ViewServer::Pushes::OpenPush(
    const wire::StreamHeader& header, const wire::MessageBytes& bytes,
    const stream::PushCallOptions& options, std::shared_ptr<stream::PushPeer> peer) {
  const ViewOptions& view = server_->options_;
  const std::string& stream_id = header.ids.stream_id;
  if (absl::Status s = CheckTaken(view.pushes->ids, header.ids); !s.ok()) return s;
  if (!server_->IsShown(stream_id)) {
    return absl::NotFoundError(absl::StrCat("stream_id is \"", stream_id,
                                            "\", and this sink shows \"",
                                            absl::StrJoin(view.stream_ids, "\", \""), "\" alone"));
  }
  std::lock_guard lock(server_->mutex_);
  if (server_->stop_) return absl::UnavailableError("the sink is ending; connect again");
  AvatarFeed* const feed = server_->PlaceFor({"", stream_id, view.pull.ids.target_object_id});
  if (feed == nullptr) {
    return stream::BusyError(absl::StrCat(
        view.most_avatars,
        " streams are shown already, which is the limit (--most-avatars); push again later"));
  }
  return feed->pushes()->OpenPush(header, bytes, options, std::move(peer));
}

void ViewServer::Pushes::Close(const stream::PushAnswer& answer) {
  std::lock_guard lock(server_->mutex_);
  server_->stop_ = true;
  for (const auto& feed : server_->feeds_) feed->pushes()->Close(answer);
}

void ViewServer::RunPoll() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    lock.unlock();
    viewers_.CheckRights();
    if (say_sockets_ != nullptr) say_sockets_->CheckRights();
    if (control_ != nullptr && (!viewers_.empty() || options_.stream_ids.empty())) {
      control_->Call("ListStreams", "{}", [this](const absl::StatusOr<std::string>& json) {
        OnListed(json.status());
        if (json.ok()) OnStreams(*json);
      });
    }
    lock.lock();
    wake_.wait_for(lock, kPollPeriod, [this] { return stop_; });
  }
}

void ViewServer::OnListed(const absl::Status& status) {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(unlisted_, !status.ok()) || status.ok()) return;
  }
  // Finding the cause waits for the server.
  (void)downloads_.Post([this, status] {
    const client::ConnectionOptions& to = options_.pull.connection;
    const std::string mismatch = rpc::ProtocolMismatch(to.address, to.tls.any(), status);
    log_.Warning(
        "streams cannot be listed, trying again",
        {{"address", to.address}, {"why", mismatch.empty() ? status.ToString() : mismatch}});
  });
}

void ViewServer::OnStreams(const std::string& json) {
  pb::Struct reply;
  if (!pb::util::JsonStringToMessage(json, &reply).ok()) return;
  Viewers::Text told{"{\"type\":\"streams\",\"reply\":{\"streams\":["};
  told.permission = stream::Permission::kWatch;
  for (const pb::Value& stream : (*reply.mutable_fields())["streams"].list_value().values()) {
    const auto& fields = stream.struct_value().fields();
    const auto id = fields.find("stream_id");
    if (id != fields.end()) told.parts.push_back({id->second.string_value(), Json(stream)});
  }
  told.tail = "]}}";
  viewers_.Post("1 streams", std::move(told));
  // Only the named avatar is shown.
  if (!options_.pull.ids.target_object_id.empty() && !options_.stream_ids.empty()) return;
  for (const pb::Value& stream : (*reply.mutable_fields())["streams"].list_value().values()) {
    const auto& fields = stream.struct_value().fields();
    const auto id = fields.find("stream_id");
    if (id == fields.end() || !IsShown(id->second.string_value())) continue;
    std::vector<std::string> targets;
    const auto avatars = fields.find("avatars");
    if (avatars != fields.end()) {
      for (const pb::Value& avatar : avatars->second.list_value().values()) {
        const auto& parts = avatar.struct_value().fields();
        const auto target = parts.find("target_object_id");
        targets.push_back(target == parts.end() ? "" : target->second.string_value());
      }
    }
    ShowStream(id->second.string_value(), targets);
  }
}

void ViewServer::OnText(const std::shared_ptr<service::WebSocket>& socket,
                        const std::string& text) {
  pb::Struct message;
  if (!pb::util::JsonStringToMessage(text, &message).ok()) {
    return socket->Close(1007, "a message must be a JSON object");
  }
  auto& fields = *message.mutable_fields();
  // {"offsets": 0}: send those of the first avatar; null: stop.
  if (const auto asked = fields.find("offsets"); asked != fields.end()) {
    const double avatar =
        asked->second.kind_case() == pb::Value::kNumberValue ? asked->second.number_value() : -1;
    return viewers_.WantOffsets(
        *socket, avatar >= 0 && avatar < kMostStreams ? static_cast<int>(avatar) : -1);
  }
  const std::string id = Json(fields["id"]);
  const std::string& call = fields["call"].string_value();
  if (!MayCall(call)) {
    socket->Send(
        AnswerJson(id, absl::PermissionDeniedError(absl::StrCat("the page may not call ", call))));
    return;
  }
  if (control_ == nullptr) {
    socket->Send(AnswerJson(
        id,
        absl::UnimplementedError(
            "this sink shows what is pushed to it (--from none): there is no anim_graph to call")));
    return;
  }
  JsonCalls::MayCall may_call;
  if (login_ != nullptr) {
    auto visitor = viewers_.VisitorOf(*socket);
    if (!visitor) return;
    may_call = login_->MayCall(*std::move(visitor), call);
  }
  const std::string params =
      fields["params"].kind_case() == pb::Value::kStructValue ? Json(fields["params"]) : "{}";
  control_->Call(
      call, params,
      [socket, id](const absl::StatusOr<std::string>& answer) {
        socket->Send(AnswerJson(id, answer));
      },
      may_call);
}

namespace {

const char* TypeOfDownload(absl::string_view extension) {
  if (extension == "wav") return "audio/wav";
  if (extension == "mp4") return "video/mp4";
  if (extension == "glb" || extension == "vrma") return "model/gltf-binary";
  return extension == "jsonl" ? "application/x-ndjson" : "application/octet-stream";
}

}  // namespace

// "/avatars/0/clip.animdata?from=&to=", Unix times.
void ViewServer::Download(const HttpRequest& request, const service::HttpReplier& reply) {
  const absl::string_view file = request.Path("file");
  int avatar = -1;
  std::shared_ptr<const History> history;
  std::string who, stream_id;
  if (absl::SimpleAtoi(request.Path("avatar"), &avatar) && avatar >= 0) {
    std::lock_guard lock(mutex_);
    if (static_cast<size_t>(avatar) < feeds_.size()) {
      const AvatarFeed& feed = *feeds_[static_cast<size_t>(avatar)];
      history = feed.history();
      who = options_.avatars.Of(feed.stream_id(), feed.target());
      stream_id = feed.stream_id();
    }
  }
  if (login_ != nullptr && !stream_id.empty()) {
    const absl::Status may = login_->Admit(request, stream_id, stream::Permission::kPull);
    if (!may.ok()) return reply(HttpReply::Error(may));
  }
  const auto from = Time(request, "from", 0);
  const auto to = Time(request, "to", 1e12);
  if (history == nullptr || !absl::StartsWith(file, "clip.")) {
    return reply(HttpReply::Error(404, "there is no such avatar or file"));
  }
  if (!from.ok()) return reply(HttpReply::Error(from.status()));
  if (!to.ok()) return reply(HttpReply::Error(to.status()));
  const std::string extension(file.substr(5));
  service::TaskThread& thread = extension == "mp4" ? drawings_ : downloads_;
  const bool taken = thread.Post([this, history, who, reply, extension, from = *from, to = *to] {
    auto clip = history->Clip(extension == "mp4" ? "animdata" : extension, from, to);
    if (clip.ok() && extension == "mp4")
      clip = films_.Make(*clip, who, options_.props, options_.subdivide);
    if (!clip.ok()) return reply(HttpReply::Error(clip.status()));
    reply({.content_type = TypeOfDownload(extension),
           .body = *std::move(clip),
           .headers = {{"Content-Disposition",
                        absl::StrCat("attachment; filename=\"posewire.", extension, "\"")}}});
  });
  if (!taken) reply(HttpReply::Error(503, "too many downloads at once"));
}

}  // namespace posewire::renderer_sink
