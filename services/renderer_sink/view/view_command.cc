// `renderer_sink view`: serves a page that shows the avatars live.
#include <arpa/inet.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/service/access/token_file.h"
#include "libs/service/address.h"
#include "libs/service/http/probes.h"
#include "libs/service/tls_flags.h"
#include "services/renderer_sink/commands.h"
#include "services/renderer_sink/pull/push_host.h"
#include "services/renderer_sink/view/view_server.h"

namespace posewire::renderer_sink {
namespace {

absl::Status CheckAddress(absl::string_view text) {
  unsigned char bytes[sizeof(in6_addr)];
  const std::string address(text);
  if (inet_pton(AF_INET, address.c_str(), bytes) == 1) return absl::OkStatus();
  if (inet_pton(AF_INET6, address.c_str(), bytes) == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no IP address, such as 10.0.0.5 or fd00::5"));
}

// Each field is a flag, an environment variable and a config key; see --help.
struct ViewCommand : service::Command {
  ViewCommand(const PullSettings& pull, const DrawSettings& draw)
      : Command("view", "Serves a page that shows the avatars live.",
                {"renderer_sink view --stream-id s1",
                 "renderer_sink view --from none --listen 127.0.0.1:51004"}),
        pull(pull),
        draw(draw) {}

  std::string say_to;
  int most_avatars = 4;
  double keep_s = 180;
  double login_hours = 12;
  std::vector<std::string> doors;
  const PullSettings& pull;
  const DrawSettings& draw;

  void Declare(service::Flags& flags) override;
  // Prints {"http_port": 8080} once it serves (with "grpc_port" if it listens), and the address for
  // users.
  int Run(service::Process& process, const service::Logger& log) override;

 private:
  ViewOptions View(const service::Logger& log) const;

  std::string version_;  // of the program, for the page
};

void ViewCommand::Declare(service::Flags& flags) {
  version_ = flags.info().version;
  flags.OnlyFor({name});
  flags.Group("What to view");
  flags.AddCheck([this, &flags] {
    const size_t streams = pull.stream_ids.size();
    if (flags.command() != name || streams <= size_t{kMostStreams}) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--stream-id: at most ", kMostStreams, " streams"));
  });
  flags.Add("say-to", &say_to,
            "Address of an a2f_source serve; with it, the page can have texts spoken.",
            {.value_name = "HOST:PORT", .check = service::CheckDialled});
  flags.Add("most-avatars", &most_avatars, "Most streams that are shown when none is named.",
            {.min = 1, .max = kMostStreams});
  flags.Add("keep-s", &keep_s, "Seconds of each avatar that are held for downloads.",
            {.min = 1, .max = 3600});
  flags.Add("login-hours", &login_hours,
            "With --tokens, hours that a browser stays logged in to the page.",
            {.min = 0.001, .max = 8760});
  flags.Add("front-door", &doors,
            "IP address of a proxy whose X-Forwarded-For is trusted; that of a proxy on this "
            "machine always is.",
            {.value_name = "ADDRESS", .check = CheckAddress});
  flags.AddCheck([this] {
    return service::CheckTokenGoes(pull.token_file, pull.tls, pull.grpc.allow_plaintext, say_to);
  });
}

ViewOptions ViewCommand::View(const service::Logger& log) const {
  ViewOptions view{.http = pull.http,
                   .pull = pull.Pull(log),
                   .stream_ids = pull.stream_ids,
                   .most_avatars = most_avatars,
                   .late_s = pull.late_ms / 1000,
                   .history = {.seconds = keep_s},
                   .say_to = say_to,
                   .avatars = draw.Avatars(),
                   .outside_skel_root = draw.outside_skel_root,
                   .props = draw.props,
                   .offsets = draw.offsets,
                   .offsets_bytes = draw.offsets_bytes(),
                   .offsets_cache = draw.OffsetsCache(log),
                   .subdivide = draw.subdivide > 0,
                   .background = draw.background,
                   .version = version_};
  view.http.websocket_queue.bytes = 1 << 20;
  view.http.send_buffer_bytes = 64 << 10;
  view.http.SpeakAs(pull.grpc);
  view.pull.contributions = !draw.offsets.empty();
  view.login = {.life = absl::Hours(login_hours),
                .doors = doors,
                .tls = view.http.tls.any(),
                .origins = view.http.allowed_origins};
  if (view.http.listen.empty()) view.http.listen = "127.0.0.1:8080";
  // For any stream: each avatar accepts those of its own.
  if (pull.pushed()) (view.pushes = pull.Pushes(/*paced=*/true))->ids.stream_id.clear();
  return view;
}

int ViewCommand::Run(service::Process& process, const service::Logger& log) {
  auto authorizer = service::OpenAuthorizer(pull.grpc, log);
  if (!authorizer.ok()) return service::FailToStart(log, authorizer.status());
  ViewOptions view = View(log);
  if (!pull.grpc.tokens.empty()) view.login.authorizer = *authorizer;
  auto server = ViewServer::Start(std::move(view), log);
  if (!server.ok()) return service::FailToStart(log, server.status());
  PushHost host(pull, (*server)->pushes(), log);
  if (absl::Status status = host.Start(*authorizer); !status.ok()) {
    return service::FailToStart(log, status);
  }
  if (!ViewServer::HasPage()) {
    log.Warning(
        "this build has no page: npm was missing, or could not reach its registry, during the "
        "build",
        {{"mend", "install npm and build again"}});
  }
  const int port = (*server)->port(), probes_port = (*server)->probes_port();
  if (host.grpc() != nullptr) {
    host.grpc()->AnnounceReady(stdout, port, probes_port);
  } else {
    service::AnnouncePorts(stdout, port, probes_port);
  }
  log.Info("the page is served", {{"url", (*server)->url()}});
  process.WaitForStop();
  host.Close(/*enough=*/false);
  (*server)->Drain(1.0);
  return 0;
}

}  // namespace

std::unique_ptr<service::Command> MakeView(const PullSettings& pull, const DrawSettings& draw) {
  return std::make_unique<ViewCommand>(pull, draw);
}

}  // namespace posewire::renderer_sink
