"""The house's order: which room may include what, file sizes, and words that no file may hold."""
import os
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Libraries that each room may include, besides itself. A new room gets its line here.
BASE = {"timecode", "skel"}
FORMATS = {f"formats/{name}" for name in ("a2f_json", "bvh", "csv", "gltf", "npz", "obj", "usd", "x3d")}
# What those include that can be a character's.
CHARACTERS = {"asset", "character", "image", "mesh"}
MAY_INCLUDE = {
    "names": set(),
    "program": set(),
    "files": set(),
    "image": set(),
    "random": set(),
    "simd": set(),
    "timecode": set(),
    "skel": {"names"},
    "clip": BASE,
    "wire": BASE,
    "speech": BASE | {"random"},
    "stream": {"wire"},
    "gesture": BASE | {"clip"},
    "prototext": {"names"},
    "gesture_loader": BASE | {"clip", "files", "gesture", "names", "prototext"},
    "graph": BASE | {"clip", "gesture", "names", "random"},
    "graph_loader": BASE | {"clip", "files", "gesture_loader", "graph", "names", "prototext"},
    "diagram": BASE | {"files", "names"},
    "ifacialmocap": BASE | {"wire"},
    "livelink": BASE | {"wire"},
    "shapes": {"names", "skel"},
    "vmc": BASE | {"shapes"},
    "asset": BASE | {"clip", "files", "wire"},
    "formats/a2f_json": BASE | {"asset", "files", "wire"},
    "formats/bvh": BASE | {"asset", "files", "wire"},
    "formats/csv": BASE | {"asset", "files", "wire"},
    "formats/gltf": BASE | CHARACTERS | {"files", "vmc", "wire"},
    "formats/npz": BASE | {"asset", "files", "wire"},
    "formats/obj": {"asset", "character", "image", "skel"},
    "formats/usd": BASE | CHARACTERS | {"files", "program", "wire"},
    "formats/x3d": BASE | CHARACTERS | {"files", "wire"},
    "mesh": {"skel"},
    "disk_cache": {"files"},
    "ffmpeg": {"program"},
    "offsets": {"ffmpeg", "files", "image", "skel"},
    "character": {"asset", "image", "mesh", "offsets", "skel"},
    "character_file": {"asset", "character", "files", "formats/gltf", "formats/obj", "formats/usd", "formats/x3d", "mesh", "skel"},
    "prop_file": {"character", "files", "formats/gltf", "image", "names"},
    "render": BASE | {"character", "image", "mesh"},
    "recording": BASE | {"asset", "files", "wire"},
    "retarget": BASE | {"asset", "files", "names", "recording", "shapes", "wire"},
    "clipio": BASE | FORMATS - {"formats/obj"} | {"asset", "clip", "files", "recording", "retarget", "wire"},
    "rpc": {"files"},
    "client": BASE | {"wire", "rpc"},
    "http_client": {"files"},
    "voice_http": {"http_client", "speech"},
    "service": {"client", "files", "names", "program", "wire", "stream", "rpc"},
}
PURE = BASE | {"clip", "wire", "stream", "gesture", "graph", "ifacialmocap", "livelink", "names", "random",
               "shapes", "vmc"}
# Speech makes the next piece of a voice on a thread of its own, and offsets decode on theirs; else
# they are as these are.
NO_CLOCK = PURE | {"speech", "offsets"}
SHELLS = {("libs", "rpc"), ("libs", "client"), ("libs", "service")}
HEADERS_OF_GRPC = re.compile(r"^(grpc|grpcpp|grpc\+\+)/|\.grpc\.pb\.h$")
HEADERS_OF_PROTOBUF = re.compile(r"^google/|\.pb\.h$")
HEADERS_OF_TIME = {"chrono", "ctime", "time.h", "sys/time.h"}
HEADERS_OF_THREADS = {"thread", "mutex", "condition_variable", "future"}
HEADERS_OF_THE_SYSTEM = {"atomic", "cstdio", "fcntl.h", "filesystem", "stdio.h", "unistd.h"}
# What opens a file by its path: only libs/files does, since a pipe there would be waited for.
OPENS = re.compile(r"""\b(?:[io]?fstream|freopen|fopen(?:64)?|openat2?|creat|sf_open|BIO_new_file|
    stbi_load|stbi_info|cairo_\w+_(?:from|to)_png|gzopen|SSL_CTX_\w+_file|load_verify_file|
    use_\w+_file)\b|(?<!\w)::open\(""", re.X)
OPEN = re.compile(r"(?<![\w.>:])open\(")  # of fcntl.h
MAY_OPEN = {
    "libs/service/metrics/process_metrics.cc": "/proc/self/statm",
    "tools/loadgen/process_stats.cc": "/proc/PID/statm of the server that it loads",
    "libs/speech/make_builtin_network.cc": "runs while the project is built",
    "services/anim_graph/make_builtin_clips.cc": "runs while the project is built",
    "libs/program/prepare_process.cc": "/dev/null, before anything else runs",
}
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield path


def includes(path):
    return INCLUDE.findall(path.read_text())


def name(path):
    return str(path.relative_to(ROOT))


def room_of(parts):
    """Of a path's parts; None outside libraries."""
    if len(parts) < 3 or parts[0] != "libs":
        return None
    return "/".join(parts[1:3]) if parts[1] == "formats" else parts[1]


def is_core(path):
    parts = path.relative_to(ROOT).parts
    return parts[0] == "services" and len(parts) > 3 and parts[2] == "core"


def is_lib_of(path, rooms):
    return room_of(path.relative_to(ROOT).parts) in rooms


def layer_of(room):
    """0 for one that includes none, else one more than the highest that it may include."""
    return max((layer_of(lower) + 1 for lower in MAY_INCLUDE[room]), default=0)


class RoomsTest(unittest.TestCase):
    def check_none(self, found):
        if found:
            self.fail("\n" + "\n".join(found))

    def test_finds_the_tree(self):
        self.assertGreater(len(list(sources("libs"))), 20)
        self.assertIn("libs/skel/pose.h", includes(ROOT / "libs/skel/pose.cc"))

    def test_every_library_has_its_line(self):
        rooms = {room_of(p.relative_to(ROOT).parts) for p in (ROOT / "libs").rglob("CMakeLists.txt")}
        rooms -= {None, "formats/CMakeLists.txt"}
        self.assertEqual(rooms - MAY_INCLUDE.keys(), set())

    def test_the_page_of_libraries_has_each_with_its_layer_and_what_it_includes(self):
        page = (ROOT / "libs/README.md").read_text()
        rows = re.findall(r"^## Layer (\d)$|^\| \[`([\w/]+)`\]\(([\w/]+)\) \| (.+) \| ([`\w/ ]*)\|$", page,
                          re.M)
        listed, found, layer = set(), [], None
        for number, room, link, says, may_include in rows:
            if number:
                layer = int(number)
                continue
            if room not in MAY_INCLUDE or room in listed:
                found.append(f"libs/README.md: {room} is no library, or comes twice")
                continue
            listed.add(room)
            if link != room or layer != layer_of(room):
                found.append(f"libs/README.md: {room} links to {link} in layer {layer}, "
                             f"expected {room} in layer {layer_of(room)}")
            if re.findall(r"[\w/]+", may_include) != sorted(MAY_INCLUDE[room]):
                found.append(f"libs/README.md: {room} may include {sorted(MAY_INCLUDE[room])}")
            if ("; pure" in says) != (room in PURE):
                found.append(f"libs/README.md: {room} is pure, or is not")
        found += [f"libs/README.md does not name {room}" for room in MAY_INCLUDE.keys() - listed]
        self.check_none(found)

    def test_the_map_of_folders_names_every_one(self):
        text = (ROOT / "docs/architecture.md").read_text().split("\n## Folders\n")[1]
        rooms = [p for folder in ("services", "tools") for p in (ROOT / folder).iterdir()]
        rooms += [p for p in ROOT.iterdir() if p.name not in ("build", "out")]
        rooms = [p for p in rooms if p.is_dir() and (p.name == ".ci" or p.name[0] not in "._")]
        self.assertGreater(len(rooms), 15)
        self.check_none([f"docs/architecture.md does not name {name(room)}" for room in rooms
                         if name(room) not in text])

    def test_libraries_include_only_what_lies_below(self):
        found = []
        for path in sources("libs"):
            room = room_of(path.relative_to(ROOT).parts)
            allowed = MAY_INCLUDE[room] | {room}
            for header in includes(path):
                parts = header.split("/")
                if parts[0] == "libs" and room_of(parts) not in allowed:
                    found.append(f"{name(path)} includes {header}")
                if parts[0] in ("services", "tools", "tests"):
                    found.append(f"{name(path)} includes {header}")
        self.check_none(found)

    def test_services_and_tools_do_not_include_each_other(self):
        found = []
        for path in sources("services", "tools"):
            home = path.relative_to(ROOT).parts[:2]
            for header in includes(path):
                parts = tuple(header.split("/"))
                if parts[0] in ("services", "tools", "tests") and parts[:2] != home:
                    found.append(f"{name(path)} includes {header}")
                if is_core(path) and parts[:2] == home and parts[2] in ("grpc", "http", "relay"):
                    found.append(f"{name(path)} includes {header}")
        self.check_none(found)

    def test_only_the_shells_include_grpc(self):
        found = []
        for path in sources("libs", "services", "tools"):
            parts = path.relative_to(ROOT).parts
            shell = parts[:2] in SHELLS or parts[2] in ("grpc", "relay")
            found += [f"{name(path)} includes {header}" for header in includes(path)
                      if HEADERS_OF_GRPC.search(header) and not shell]
        self.check_none(found)

    def test_only_the_service_room_knows_http_redis_and_metrics(self):
        found = [f"{name(path)} includes {header}"
                 for path in sources("libs", "services", "tools")
                 for header in includes(path)
                 if header.startswith(("boost/", "civetweb", "hiredis/", "prometheus/"))
                 and path.relative_to(ROOT).parts[:2] != ("libs", "service")]
        self.check_none(found)

    def test_only_the_room_of_vmc_knows_osc_and_it_knows_no_sockets(self):
        users = [(name(path), header) for path in sources("libs", "services", "tools")
                 for header in includes(path) if header.startswith("oscpack/")]
        self.assertTrue(users)
        self.check_none([f"{path} includes {header}" for path, header in users
                         if not path.startswith("libs/vmc/") or header.startswith("oscpack/ip/")])

    def test_only_the_room_of_speech_knows_flite(self):
        users = [name(path) for path in sources("libs", "services", "tools")
                 for header in includes(path) if header.startswith("flite/")]
        self.assertTrue(users)
        self.check_none([path for path in users if not path.startswith("libs/speech/")])

    def test_only_the_library_of_images_knows_png_jpeg_and_webp(self):
        users = [name(path) for path in sources("libs", "services", "tools")
                 for header in includes(path)
                 if header.startswith(("png.h", "turbojpeg.h", "webp/"))]
        self.assertTrue(users)
        self.check_none([path for path in users
                         if not path.startswith("libs/image/") or path.endswith(".h")])

    def test_only_the_http_client_knows_libcurl_and_no_header_does(self):
        users = [name(path) for path in sources("libs", "services", "tools")
                 for header in includes(path) if header.startswith("curl/")]
        self.assertTrue(users)
        self.check_none([path for path in users
                         if not path.startswith("libs/http_client/") or path.endswith(".h")])

    def test_poses_and_graphs_know_no_protobuf(self):
        paths = [path for path in sources("libs", "services/anim_graph/core")
                 if is_core(path) or path.relative_to(ROOT).parts[1] in NO_CLOCK - {"wire"}]
        self.assertGreater(len(paths), 100)
        self.check_none([f"{name(path)} includes {header}" for path in paths
                         for header in includes(path) if HEADERS_OF_PROTOBUF.search(header)])

    def test_cores_know_no_service_shell(self):
        self.check_none([f"{name(path)} includes {header}"
                         for path in sources("services") if is_core(path)
                         for header in includes(path) if header.startswith("libs/service/")])

    def test_the_lowest_rooms_know_nothing_of_the_system(self):
        paths = [path for path in sources("libs") if path.relative_to(ROOT).parts[1] in BASE]
        self.assertGreater(len(paths), 30)
        self.check_none([f"{name(path)} includes {header}" for path in paths
                         for header in includes(path) if header in HEADERS_OF_THE_SYSTEM])

    def test_the_core_has_no_clock_and_no_log(self):
        found = [f"{name(path)} includes {header}"
                 for path in sources("libs", "services")
                 if is_lib_of(path, NO_CLOCK) or is_core(path)
                 for header in includes(path)
                 if header in HEADERS_OF_TIME or header.startswith(("spdlog/", "absl/time/"))]
        self.check_none(found)

    def test_what_runs_per_tick_has_no_thread_and_no_file(self):
        found = [f"{name(path)} includes {header}"
                 for path in sources("libs", "services/anim_graph/core")
                 if is_lib_of(path, PURE) or is_core(path)
                 for header in includes(path)
                 if header in HEADERS_OF_THREADS | {"fstream", "iostream"}
                 or header.startswith("absl/synchronization/")]
        self.check_none(found)

    def test_only_the_room_of_files_opens_them(self):
        found, opened = [], set()
        for path in sources("libs", "services", "tools"):
            of_fcntl = "fcntl.h" in includes(path)
            for number, line in enumerate(path.read_text().splitlines(), 1):
                code = line.split("//")[0]
                opens = OPENS.search(code) or (of_fcntl and OPEN.search(code))
                if not opens or name(path).startswith("libs/files/"):
                    continue
                opened.add(name(path))
                if name(path) not in MAY_OPEN:
                    found.append(f"{name(path)}:{number} opens a file: {line.strip()}; "
                                 "use libs/files/open.h or read.h")
        found += [f"{path} opens no file and needs no exception" for path in MAY_OPEN.keys() - opened]
        self.check_none(found)

    def test_each_way_to_open_a_file_is_known(self):
        for line in ('std::ifstream in(path);', 'std::ofstream out(path);', 'fopen(path, "r")',
                     'fd = ::open(path.c_str(), flags);',
                     'openat(folder, name, 0)', 'sf_open(path, SFM_READ, &info)',
                     'BIO_new_file(path, "r")', 'stbi_load(path, &w, &h)'):
            self.assertTrue(OPENS.search(line), line)
        self.assertTrue(OPEN.search("int fd = open(path, 0);"))
        for line in ('acceptor.open(protocol);', 'return core.open();', 'sf_open_fd(fd)',
                     'sf_open_virtual(&io)', 'row->open(source)', 'stbi_load_from_memory(p, n)',
                     'Reopen(path)', 'memfd_create("x", 0)', 'std::istringstream in(text);'):
            self.assertFalse(OPENS.search(line) or OPEN.search(line), line)

    def test_the_slow_header_of_settings_is_in_one_source_of_a_room(self):
        users = [path for path in sources("libs", "services", "tools")
                 if any(header.startswith("CLI/") for header in includes(path))]
        self.assertTrue(users)
        self.check_none([name(path) for path in users if path.suffix == ".h"])
        rooms = [path.parent for path in users]
        self.check_none([name(room) for room in rooms if rooms.count(room) > 1])

    def test_files_stay_small(self):
        found = []
        for path in sources("libs", "services", "tools", "tests"):
            lines = len(path.read_text().splitlines())
            limit = 100 if path.name == "main.cc" else 600
            if lines > limit:
                found.append(f"{name(path)} has {lines} lines, over {limit}")
        self.check_none(found)

    def test_no_file_holds_paths_of_one_machine(self):
        found = []
        for path in sources("libs", "services", "tools", "tests"):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(r'(^|[\s"\'(=])/(work|home|root)/', line):
                    found.append(f"{name(path)}:{number}: {line.strip()}")
        self.check_none(found)


if __name__ == "__main__":
    os.chdir(ROOT)
    unittest.main(verbosity=2)
