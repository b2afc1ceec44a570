"""The npm package: packed, installed in a fresh folder, its types checked, run by Node against real
services, and in headless Chromium with the page of its README."""

import http.server
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tests" / "service"))
from browser import Browser  # noqa: E402
from posewire_test import Client, Server, until  # noqa: E402
from running import run  # noqa: E402
from source_test import STREAM, Pulled, serve  # noqa: E402
from token_test import line, token_of  # noqa: E402
from view_test import View  # noqa: E402

README = (ROOT / "clients" / "typescript" / "README.md").read_text()
# What npm says of a package that was not to be had, and not of a fault of ours.
OFFLINE = re.compile(r"code (E?NOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|"
                     r"EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|E40[134]|E5\d\d)|self.signed")
# Programs of users, to be accepted by tsc --strict; each line with an error says so.
USER = """
import { Avatar, PosewireError, type Sound, type SpeechEvent, type Spoken, type Word } from "posewire";
const avatar = new Avatar("http://127.0.0.1:8080", { stream: "demo", speed: 1.5 });
new Avatar("http://127.0.0.1:8080", { streams: "demo" }); // error
async function* words() { yield "a"; yield "b"; }
const said: Spoken = await avatar.speak(words(), { signal: AbortSignal.timeout(1000) });
const seconds: number = said.seconds;
const wrong: number = said.text; // error
if (said.reason === "complete") console.log(seconds); // error
await avatar.speak([Uint8Array.of(1)]); // error
await avatar.speak("a", { policy: "now" }); // error
await avatar.play([new Int16Array(10), new Float32Array(10)], { rate: 24000 });
await avatar.play([new Int16Array(10)]); // error
const sound: Sound = { samples: new Uint8Array(4), words: [{ text: "a", start_s: 0, end_s: 1 }] };
await avatar.play(sound, { rate: 24000, channels: 2 });
const speech = avatar.say();
await speech.write("Hello");
await speech.write(1); // error
await speech.mark({ emotion: "joy", strength: 0.5 });
await speech.mark({ emotion: 1 }); // error
await speech.mark({ smile: true }); // error
for await (const event of speech) {
  if (event.type === "word") console.log(event.text, event.start_s);
  if (event.type === "started") console.log(event.text); // error
  if (event.type === "wort") console.log(event); // error
}
const last = (event: SpeechEvent): string => (event.type === "ended" ? event.spokenText : "");
const heard: Word[] = said.words;
const stopped: Spoken | null = await avatar.interrupt();
(await avatar.interrupt()).text; // error
const understood: string = await avatar.set("gaze", [0, 1.6, 1]);
await avatar.set("gaze", { x: 1 }); // error
for await (const event of avatar.events()) console.log(event.type, event.missed + 1);
for await (const word of avatar.words()) console.log(word.end_s);
try { avatar.close(); } catch (error) {
  if (error instanceof PosewireError && error.code === "UNAVAILABLE") console.log(error.message);
  if (error instanceof PosewireError && error.code === "GONE") console.log(last, heard); // error
}
console.log(stopped, understood);
"""
PAGE_USER = """
import { type AvatarAttributes, type AvatarElement } from "posewire/element";
import { Link, Pose, Ring, StreamClock, avatarOf, decode, type Frame, type Layout } from "posewire/link";
const shown = document.querySelector("posewire-avatar")!;
const same: AvatarElement = document.createElement("posewire-avatar");
const attributes: AvatarAttributes = { src: "http://127.0.0.1:8080", camera: "bust" };
attributes.camera = "feet"; // error
const { ended, ahead } = await shown.say("Hello.", { now: true });
const why: string = (await ended).why;
await shown.say("Hello.", { soon: true }); // error
await shown.says("Hello."); // error
await shown.ready;
shown.sound();
shown.addEventListener("requestend", ({ detail }) => console.log(detail.interrupted, detail.requestId));
shown.addEventListener("sound", ({ detail }) => console.log(detail.of)); // error
shown.addEventListener("spoken", () => {}); // error
shown.addEventListener("click", (event) => console.log(event.clientX));
let layout: Layout | undefined;
const ring = new Ring(), clock = new StreamClock();
const link = new Link({
  address: "http://127.0.0.1:8080",
  onText: (message) => { if (message.type === "layout") layout = message as unknown as Layout; },
  onFrame: (bytes) => {
    const frame: Frame | null = layout && avatarOf(bytes) === 0 ? decode(bytes, layout) : null;
    if (frame && layout && ring.push(frame)) new Pose(layout).sample(ring, frame.at + ahead);
    frame.number; // error
    clock.arrived(frame?.at ?? 0, performance.now() / 1000);
  },
  onFrames: () => {}, // error
});
link.socket; // error
await link.call("SetGesture", { stream_id: "demo", gesture: "wave" });
console.log(why, same);
"""
COUNTED = "one two three four five six seven eight nine ten eleven twelve".split()
# What a user's program does: prints a line of JSON for each thing that a test looks at.
PRELUDE = """
import { Avatar, PosewireError } from "posewire";
const [address, stream, token] = process.argv.slice(2);
const tell = (value) => console.log(JSON.stringify(value));
const failure = (promise) => promise.then((value) => ({ value }),
  (error) => ({ name: error.name, code: error.code, message: error.message }));
const avatar = new Avatar(address, { stream, token });
"""


class Installed(unittest.TestCase):
    """`project` is a user's folder with the package from its tarball."""

    @classmethod
    def setUpClass(cls):
        if not (shutil.which("npm") and shutil.which("node")):
            raise unittest.SkipTest("npm or node is not installed")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        # Packed in a copy, since npm writes into its folder.
        cls.package = cls.folder / "tree" / "clients" / "typescript"
        shutil.copytree(ROOT / "clients" / "typescript", cls.package,
                        ignore=shutil.ignore_patterns("node_modules", "types", "LICENSE", "*.tgz"))
        shutil.copy(ROOT / "LICENSE", cls.folder / "tree")
        fetched = subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--prefer-offline", "--fetch-retries=1",
             "--fetch-timeout=60000"],
            cwd=cls.package, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        if fetched.returncode and OFFLINE.search(fetched.stdout):
            raise unittest.SkipTest(f"npm reaches no registry: {fetched.stdout.strip()[-500:]}")
        if fetched.returncode:
            raise AssertionError(fetched.stdout)
        run("npm", "pack", "--silent", "--pack-destination", cls.folder, cwd=cls.package)
        (cls.tarball,) = cls.folder.glob("*.tgz")
        cls.project = cls.folder / "project"
        cls.project.mkdir()
        (cls.project / "package.json").write_text('{"type": "module", "private": true}')
        run("npm", "install", "--silent", "--offline", cls.tarball, cwd=cls.project)
        cls.installed = cls.project / "node_modules" / "posewire"


    def check_stopped(self, said, after):
        """What was heard of COUNTED, which was interrupted as that many words had begun. A word that
        begins in that very moment may be missing."""
        self.assertEqual(said["reason"], "stopped")
        words = said["text"].split()
        self.assertEqual(words, COUNTED[:len(words)])
        self.assertIn(len(words), range(after - 1, after + 3))


class PackageTest(Installed):
    def test_the_tarball_holds_the_package_alone(self):
        names = set(run("tar", "tf", self.tarball).split())
        for name in ("package.json", "README.md", "LICENSE", "src/index.js", "types/index.d.ts",
                     "src/element.js", "types/element.d.ts", "src/link/index.js",
                     "types/link/index.d.ts"):
            self.assertIn(f"package/{name}", names)
        others = {n for n in names if not re.fullmatch(
            r"package/(package\.json|README\.md|LICENSE|src/[\w/]+\.js|types/[\w/]+\.d\.ts)", n)}
        self.assertEqual(others, set())
        self.assertEqual([p.name for p in (self.project / "node_modules").iterdir()
                          if not p.name.startswith(".")], ["posewire"], "it needs no other package")

    def check_types(self, program, *options):
        user = self.project / "user.ts"
        user.write_text(program)
        tsc = self.package / "node_modules" / "typescript" / "bin" / "tsc"
        found = subprocess.run(
            ["node", str(tsc), "--noEmit", "--strict", "--target", "es2022", "--pretty", "false",
             *options, "user.ts"],
            stdout=subprocess.PIPE, text=True, cwd=self.project, timeout=120)
        wanted = {n for n, text in enumerate(program.splitlines(), 1) if text.endswith("// error")}
        self.assertGreater(len(wanted), 5)
        errors = {int(n) for n in re.findall(r"^user\.ts\((\d+),", found.stdout, re.M)}
        self.assertEqual(errors, wanted, found.stdout)
        self.assertNotRegex(found.stdout, r"(?m)^(?!user\.ts|  )\S", "the package's own types are faulty")

    def test_types_of_a_program_for_node(self):
        self.check_types(USER, "--module", "nodenext", "--lib", "es2022", "--types",
                         "node", "--typeRoots", str(self.package / "node_modules" / "@types"))

    def test_types_of_a_page(self):
        self.check_types(PAGE_USER, "--module", "esnext", "--moduleResolution", "bundler", "--lib",
                         "es2022,dom,dom.iterable")
        self.check_types(USER, "--module", "esnext", "--moduleResolution", "bundler", "--lib",
                         "es2022,dom,dom.iterable")

    def test_the_socket_for_node(self):
        run("node", "--test", HERE / "typescript_socket_test.mjs",
            env={**os.environ, "SOCKET_MODULE": (self.installed / "src/socket/node.js").as_uri()})

    def test_a_server_that_makes_pages_may_import_the_element(self):
        run("node", "--input-type=module", "-e",
            'import { AvatarElement } from "posewire/element"; '
            'if (typeof AvatarElement !== "function") process.exit(1)', cwd=self.project)


class Model(http.server.ThreadingHTTPServer):
    """Writes a text as Ollama does, a word at a time, cut anywhere; and serves files."""

    def __init__(self, text, files=None):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.text, self.files, self.asked = text, files or {}, None
        self.origin = f"http://localhost:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.server.asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            lines = "".join(json.dumps({"response": word + " "}) + "\n"
                            for word in self.server.text.split())
            for at in range(0, len(lines), 25):
                self.wfile.write(lines[at:at + 25].encode())
                self.wfile.flush()
                time.sleep(0.02)

        def do_GET(self):
            known = self.server.files.get(self.path)
            if isinstance(known, Path) and not known.is_file():
                known = None
            self.send_response(404 if known is None else 200)
            kind = "text/html" if self.path.endswith(".html") else "text/javascript"
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.end_headers()
            if known is not None:
                self.wfile.write(known.read_bytes() if isinstance(known, Path) else known.encode())

        def log_message(self, *_):
            pass


class ServicesTest(Installed):
    """Programs that Node runs against anim_graph, a2f_source and renderer_sink view."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.graph = Server("anim_graph", "--graph", "default")
        cls.addClassCleanup(cls.graph.stop)
        cls.source = serve(cls.graph)
        cls.addClassCleanup(cls.source.stop)
        cls.tokens = cls.folder / "tokens"
        cls.tokens.write_text(line("all", f"pull,watch,control {STREAM}") + line("eyes", "pull,watch *"))
        cls.view = cls.start_view()
        cls.guarded = cls.start_view("--tokens", str(cls.tokens))
        cls.client = Client(cls.graph.address)
        cls.addClassCleanup(cls.client.close)

    @classmethod
    def start_view(cls, *arguments):
        view = View(cls.graph.address, "--say-to", cls.source.address, *arguments)
        cls.addClassCleanup(view.stop)
        view.home = f"http://127.0.0.1:{view.http_port}"
        return view

    def node(self, program, *arguments, view=None, stream=STREAM):
        """What a program tells."""
        path = self.project / "program.mjs"
        path.write_text(PRELUDE + program)
        done = subprocess.run(["node", str(path), (view or self.view).home, stream, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return [json.loads(text) for text in done.stdout.splitlines()]

    def pulled(self):
        pulled = Pulled(self.client.pull(STREAM)).wait_started()
        self.addCleanup(pulled.call.cancel)
        return pulled

    def test_a_text_is_spoken_as_it_is_written_and_its_words_are_heard(self):
        *events, words, said = self.node("""
            async function* model() {
              for (const piece of "Hello there. I am \\u{1f600} here.".match(/.{1,4}/gs)) yield piece;
            }
            const heard = avatar.words();
            const speech = avatar.say(model(), { requestId: "mine" });
            for await (const event of speech) tell(event);
            avatar.close();
            const words = [];
            for await (const { text } of heard) words.push(text);
            tell(words);
            tell(await speech.done());
            """)
        kinds = [event["type"] for event in events]
        self.assertEqual((kinds[0], kinds[-1]), ("accepted", "ended"))
        self.assertEqual(kinds.count("started"), 1)
        self.assertEqual([e["text"] for e in events if e["type"] == "clause"],
                         ["Hello there.", "I am here."])
        self.assertEqual(words, ["Hello", "there.", "I", "am", "here."])
        self.assertEqual([w["text"] for w in said["words"]], words)
        self.assertLess(said["words"][0]["start_s"], said["words"][0]["end_s"])
        self.assertEqual((said["reason"], said["text"], said["requestId"]),
                         ("completed", "Hello there. I am here.", "mine"))
        self.assertIn("U+1F600", said["notes"][0])

    def test_marks_and_pieces_written_by_hand(self):
        said, error = self.node("""
            const speech = avatar.say();
            await speech.write("Well");
            await speech.flush();
            await speech.mark({ gesture: "nod" });
            await speech.mark({ emotion: "joy", strength: 0.5 });
            await speech.mark({ pause_s: 0.1 });
            await speech.mark({ gesture: "no_such" });
            await speech.write("hello.");
            await speech.end();
            tell(await speech.done());
            tell(await failure(speech.write("more")));
            """)
        self.assertEqual((said["reason"], said["text"]), ("completed", "Well hello."))
        self.assertTrue([note for note in said["notes"] if "no_such" in note], said["notes"])
        self.assertIn("nothing can be written after end()", error["message"])

    def test_an_interruption_tells_what_was_heard(self):
        pulled = self.pulled()
        heard, said, same, waited, nothing = self.node("""
            const long = avatar.speak("one two three four five six seven eight nine ten eleven twelve.");
            const waits = avatar.speak("This one waits.");
            const heard = [];
            for await (const { text } of avatar.words()) if (heard.push(text) === 4) break;
            const said = await avatar.interrupt();
            tell(heard);
            tell(said);
            tell(await long);
            tell(await waits);
            tell(await avatar.interrupt());
            """)
        self.assertEqual(heard, COUNTED[:4])
        self.check_stopped(said, 4)
        self.assertEqual(said, same)
        self.assertEqual((waited["reason"], waited["text"]), ("stopped", ""))
        self.assertIsNone(nothing)
        self.assertTrue(until(pulled.speaks))

    def test_a_new_text_takes_the_place_of_the_old_one(self):
        old, new = self.node("""
            const old = avatar.speak("one two three four five six seven eight nine ten eleven twelve.");
            for await (const { text } of avatar.words()) if (text === "four") break;
            tell(await avatar.speak("Stop.", { policy: "interrupt" }).then(async (said) => {
              tell(await old);
              return said;
            }));
            """)
        self.assertEqual((old["reason"], new["reason"], new["text"]),
                         ("interrupted", "completed", "Stop."))
        self.assertTrue(old["text"].startswith("one two"), old)

    def test_what_is_stopped_before_it_began_ends(self):
        told = self.node("""
            const speech = avatar.say("Hello.");
            tell(await speech.stop());
            tell(await avatar.say().stop());
            tell(await avatar.say("Hello.", { end: false }).stop());
            """)
        self.assertEqual([(said["reason"], said["text"]) for said in told], [("stopped", "")] * 3)

    def test_a_voice_is_played_sample_for_sample(self):
        voice = struct.pack("<16000h", *(int(8000 * math.sin(i / 20)) for i in range(16000)))
        (self.project / "voice.pcm").write_bytes(voice)
        pulled = self.pulled()
        said, known, cut = self.node("""
            import { readFileSync } from "node:fs";
            const bytes = readFileSync("voice.pcm".replace(/^/, import.meta.dirname + "/"));
            // Cut anywhere, also within a sample, and as each kind.
            const whole = new Int16Array(bytes.buffer.slice(bytes.byteOffset + 10000, bytes.byteOffset + 20000));
            tell(await avatar.play([bytes.subarray(0, 3001), bytes.subarray(3001, 10000), whole,
              Float32Array.from(whole.slice(0, 0)), bytes.subarray(20000)], { rate: 16000 }));
            tell(await avatar.play({ samples: bytes, text: "La la la.", endsClause: true }, { rate: 16000 }));
            tell(await failure(avatar.play(bytes.subarray(1), { rate: 16000 })));
            """)
        self.assertEqual(said["reason"], "completed")
        self.assertTrue(until(lambda: voice in pulled.audio()))
        self.assertEqual(known["text"], "La la la.")
        self.assertIn("ends 1 bytes into a sample", cut["message"])

    def test_a_voice_that_comes_faster_than_it_is_played_waits(self):
        seconds, ended, sent = self.node("""
            // Four minutes are 7.7 MB, of which the server keeps 4 MiB.
            let sent = 0;
            function* chunks() { for (; sent < 240; ++sent) yield new Int16Array(16000).fill(sent); }
            const speech = avatar.say(chunks(), { rate: 16000 });
            for await (const event of speech) if (event.type === "started") break;
            await new Promise((done) => setTimeout(done, 1500));
            tell(sent);
            tell(speech.ended);
            tell(await speech.stop());
            """)
        self.assertFalse(ended)
        self.assertGreater(seconds, 60)
        self.assertLess(seconds, 75)
        self.assertEqual(sent["reason"], "stopped")

    def test_it_gestures_sets_variables_and_tells_what_happens(self):
        events, value, shown = self.node("""
            const events = avatar.events();
            await avatar.gesture("nod");
            tell(await (async () => {
              const names = [];
              for await (const { type, name, stream } of events) {
                if (/^gesture/.test(type)) names.push([type, name, stream]);
                if (type === "gesture_ended") return names;
              }
            })());
            tell(await avatar.set("posture_state", "Listening"));
            tell(await failure(avatar.expression("no_such")));
            """)
        self.assertEqual(events, [["gesture_started", "nod", STREAM], ["gesture_ended", "nod", STREAM]])
        self.assertEqual(value, "Listening")
        self.assertEqual((shown["name"], shown["code"]), ("PosewireError", "INVALID_ARGUMENT"))
        self.assertIn("no_such", shown["message"])
        values = {v.name: v.value
                  for v in self.client.control("ListVariables", stream_id=STREAM).variables}
        self.assertEqual(values["posture_state"], "Listening")

    def test_errors_say_what_would_be_right(self):
        speed, nobody, gone, mine, text, stream, aborted, early, lost = self.node("""
            tell(await failure(avatar.speak("Hello.", { speed: 7 })));
            tell(await failure(new Avatar("http://127.0.0.1:1").speak("Hello.")));
            tell(await failure(new Avatar("http://127.0.0.1:1", { stream }).gesture("nod")));
            async function* breaks() { yield "Hello "; throw new RangeError("the model broke"); }
            tell(await failure(avatar.speak(breaks())));
            tell(await failure(avatar.speak([1])));
            tell(await failure((async () => new Avatar(address).gesture("nod"))()));
            const late = new AbortController();
            const long = avatar.speak("one two three four five six seven eight.", { signal: late.signal });
            for await (const word of avatar.words()) break;
            late.abort();
            tell(await failure(long));
            tell(await failure(avatar.gesture("nod", { signal: AbortSignal.abort() })));
            tell(await failure((async () => new Avatar("127.0.0.1:8080"))()));
            """)
        self.assertEqual((speed["code"], speed["message"]),
                         ("INVALID_ARGUMENT", "speed: 7, 0.5 to 2 is right"))
        for error in (nobody, gone):
            self.assertEqual(error["code"], "UNAVAILABLE")
            self.assertIn("cannot reach renderer_sink view at http://127.0.0.1:1", error["message"])
        self.assertEqual((mine["name"], mine["message"]), ("RangeError", "the model broke"))
        self.assertIn("a Number was written to a text", text["message"])
        self.assertIn("stream is empty", stream["message"])
        self.assertEqual((aborted["name"], early["name"]), ("AbortError", "AbortError"))
        self.assertIn("such as http://127.0.0.1:8080", lost["message"])
        # The avatar is silent: the aborted speech and the broken one were stopped.
        self.assertTrue(until(lambda: not [
            r for s in self.client.control("ListStreams").streams for a in s.avatars for r in a.requests]))

    def test_what_fails_while_nobody_waits_goes_to_the_console(self):
        path = self.project / "unheard.mjs"
        path.write_text(PRELUDE + 'avatar.say("Hello.", { speed: 7, requestId: "lost" });')
        done = subprocess.run(["node", str(path), self.view.home, STREAM], stderr=subprocess.PIPE,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (0, "posewire: speech lost: speed: 7, 0.5 to 2 is right\n"))

    def test_a_view_without_a_source_says_so(self):
        view = View(self.graph.address)
        self.addCleanup(view.stop)
        view.home = f"http://127.0.0.1:{view.http_port}"
        (error, voices) = self.node("""
            tell(await failure(avatar.speak("Hello.")));
            tell(await failure(avatar.voices()));
            """, view=view)
        self.assertEqual(error["code"], "UNIMPLEMENTED")
        self.assertIn("started without --say-to", error["message"])
        self.assertEqual(error, voices)

    def test_a_server_that_goes_is_told(self):
        view = self.start_view()
        path = self.project / "goes.mjs"
        path.write_text(PRELUDE + """
            const events = failure((async () => { for await (const event of avatar.events()); })());
            const speech = avatar.say("one two three four five six seven eight nine ten.");
            for await (const event of speech) if (event.type === "word") break;
            tell("speaking");
            tell(await failure(speech.done()));
            tell(await events);
            """)
        with subprocess.Popen(["node", str(path), view.home, STREAM], stdout=subprocess.PIPE,
                              text=True) as process:
            self.assertEqual(process.stdout.readline(), '"speaking"\n')
            view.process.kill()
            for said in process.stdout:
                error = json.loads(said)
                self.assertEqual((error["name"], error["code"]), ("PosewireError", "UNAVAILABLE"))
                self.assertEqual(error["message"], f"the connection to {view.home} was lost")
            self.assertEqual(process.wait(20), 0)
        view.stop()

    def test_a_token_may_do_what_it_may(self):
        program = """
            tell(await failure(avatar.speak("Hello.").then(({ reason }) => reason)));
            tell(await failure(avatar.set("posture_state", "Attentive")));
            tell(await failure(avatar.voices().then((voices) => voices.map(({ name }) => name))));
            """
        said, value, voices = self.node(program, token_of("all"), view=self.guarded)
        self.assertEqual((said, value), ({"value": "completed"}, {"value": "Attentive"}))
        self.assertIn("slt", voices["value"])
        for name in ("eyes", "unknown"):
            said, value, voices = self.node(program, token_of(name), view=self.guarded)
            wanted = "PERMISSION_DENIED" if name == "eyes" else "UNAUTHENTICATED"
            self.assertEqual((said["code"], value["code"]), (wanted, wanted))
            self.assertEqual("value" in voices, name == "eyes")
        said, _, _ = self.node(program, view=self.guarded)
        self.assertEqual(said["code"], "UNAUTHENTICATED")
        self.assertIn("send a token", said["message"])

    def test_the_agent_of_the_examples_says_what_its_model_writes(self):
        model = Model("The sky is blue, because air scatters blue light more than red light.")
        self.addCleanup(model.server_close)
        self.addCleanup(model.shutdown)
        code = (self.package / "examples" / "ollama_agent.mjs").read_text()
        for address, ours in (("http://127.0.0.1:11434", f"http://127.0.0.1:{model.server_port}"),
                              ("http://127.0.0.1:8080", self.view.home),
                              ('stream: "demo"', f'stream: "{STREAM}"')):
            self.assertIn(address, code)
            code = code.replace(address, ours)
        (self.project / "agent.mjs").write_text(code)
        printed = run("node", self.project / "agent.mjs", "Why is the sky blue?")
        self.assertEqual(model.asked["prompt"], "Why is the sky blue?")
        self.assertEqual(printed, f"completed {model.text}\n")

    def test_a_page_may_draw_avatars_its_own_way(self):
        code = re.findall(r"```js\n(.*?)```", README, re.S)[1]
        self.assertIn('from "posewire/link"', code)
        code = code.replace("http://127.0.0.1:8080", self.view.home)
        (self.project / "link.mjs").write_text(code.replace("console.log(pose.weights)", """{
            console.log(JSON.stringify([frame.at, layout.shapes.length, pose.weights.length,
              layout.joints.length, [...pose.rotations.slice(0, 4)].map((v) => v * v)]));
            if (ring.length === 30) process.exit(0);
          }"""))
        pulled = self.pulled()  # there is an avatar
        told = [json.loads(text) for text in
                run("node", self.project / "link.mjs", timeout=30).splitlines()]
        self.assertEqual(len(told), 30)
        self.assertEqual([row[0] for row in told], sorted(row[0] for row in told))
        self.assertAlmostEqual(told[-1][0], time.time(), delta=5)
        for _, shapes, weights, joints, squares in told:
            self.assertEqual((shapes, weights), (weights, 52))
            self.assertGreater(joints, 50)
            self.assertAlmostEqual(sum(squares), 1, places=5)
        self.assertTrue(pulled.data())

    def test_the_kiosk_of_the_examples_answers_people(self):
        graph = Server("anim_graph", "--graph",
                       str(ROOT / "data/graphs/examples/user_acts.graph.txtpb"))
        self.addCleanup(graph.stop)
        client = Client(graph.address)
        self.addCleanup(client.close)
        client.control("RegisterStream", stream_id=STREAM)
        source = serve(graph)
        self.addCleanup(source.stop)
        view = View(graph.address, "--say-to", source.address)
        self.addCleanup(view.stop)
        code = (self.package / "examples" / "kiosk.mjs").read_text()
        home = f"http://127.0.0.1:{view.http_port}"
        code = code.replace("http://127.0.0.1:8080", home).replace('"demo"', f'"{STREAM}"')
        self.assertIn(home, code)
        (self.project / "kiosk.mjs").write_text(code)
        kiosk = subprocess.Popen(["node", str(self.project / "kiosk.mjs")])
        self.addCleanup(kiosk.wait, 10)
        self.addCleanup(kiosk.kill)
        pulled = Pulled(client.pull(STREAM)).wait_started()
        self.addCleanup(pulled.call.cancel)

        def greeted():
            # Nothing tells that the kiosk listens: somebody comes and goes until it answers.
            someone = {"name": "ann", "hold_s": 30, "head": {"y": 1.6, "z": 2}}
            client.control("SetUser", stream_id=STREAM, user=someone)
            if until(pulled.speaks, 1.5):
                return True
            client.control("RemoveUser", stream_id=STREAM, name="ann")
            return until(pulled.speaks, 1.5)
        self.assertTrue(until(greeted, 40))


class PageTest(Installed):
    """The page of the README, in Chromium, with an import map in place of a bundler."""

    def setUp(self):
        graph = Server("anim_graph", "--graph", "default")
        self.addCleanup(graph.stop)
        source = Server("a2f_source", "serve", "--to", graph.address, "--stream-id", "demo")
        self.addCleanup(source.stop)
        self.files = {f"/{p.relative_to(self.project)}": p for p in self.installed.rglob("*.js")}
        self.site = Model("", self.files)
        self.addCleanup(self.site.server_close)
        self.addCleanup(self.site.shutdown)
        self.tokens = self.folder / "page_tokens"
        self.tokens.write_text(line("all", "pull,watch,control *"))
        self.source, self.graph = source, graph
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def open(self, *arguments, token=""):
        view = View(self.graph.address, "--say-to", self.source.address, "--stream-id", "demo", *arguments)
        self.addCleanup(view.stop)
        # Of the same site as the page, as cookies want it.
        home = f"http://localhost:{view.http_port}"
        html, script = (re.search(rf"```{kind}\n(.*?)```", README, re.S)[1] for kind in ("html", "js"))
        self.assertLessEqual(len(script.strip().splitlines()), 12)
        at = "/node_modules/posewire/src/"
        imports = {"posewire": f"{at}index.js", "posewire/element": f"{at}element.js",
                   "#socket": f"{at}socket/browser.js"}
        self.files["/index.html"] = (
            "<!doctype html><title>x</title><link rel=icon href=data:,>"
            f'<script type="importmap">{json.dumps({"imports": imports})}</script>'
            + html.replace("http://127.0.0.1:8080", home)
                  .replace("<posewire-avatar ", f'<posewire-avatar token="{token}" '))
        self.files["/main.js"] = script.replace("http://127.0.0.1:8080", home) + """
            const log = console.log;
            console.log = (...told) => { (window.told ??= []).push(told); log(...told); };
            window.avatar = avatar;
            window.shown = document.querySelector("posewire-avatar");
            window.stoppedAt = async (count) => {
              let heard = 0;
              for await (const word of avatar.words()) if (++heard === count) return avatar.interrupt();
            };
            window.wrong = (text) => avatar.speak(text, { speed: 9 }).catch((e) => [e.code, e.message]);
            """
        self.files["/answer"] = "Hello from the model. It writes, and I speak."
        tab = self.browser.open(f"{self.site.origin}/index.html")
        tab.size(500, 500)
        tab.until("Boolean(window.shown?.ready)")
        tab.evaluate("shown.ready")
        return tab

    def ask(self, tab):
        """As a person does; the words of the answer are heard."""
        tab.evaluate("window.told = []; window.sounds = []; "
                     "shown.addEventListener('sound', ({ detail }) => sounds.push(detail.on))")
        tab.evaluate("document.querySelector('button').click()", gesture=True)
        tab.until("told.length === 1", 30)
        self.assertEqual(tab.evaluate("told"), [["completed", self.files["/answer"]]])
        self.assertIn(True, tab.evaluate("sounds"))

    def test_it_speaks_what_a_model_writes(self):
        tab = self.open("--http-allow-origin", self.site.origin)
        self.ask(tab)
        self.assertEqual(tab.evaluate("wrong('Hello.')"),
                         ["INVALID_ARGUMENT", "speed: 9, 0.5 to 2 is right"])
        tab.evaluate("void avatar.speak('one two three four five six seven eight nine ten.')")
        said = tab.evaluate("stoppedAt(3)")
        self.check_stopped(said, 3)
        self.assertEqual(tab.evaluate("avatar.set('posture_state', 'Listening')"), "Listening")
        tab.evaluate("avatar.gesture('nod')")

    def test_it_shares_the_session_of_the_element(self):
        tab = self.open("--http-allow-origin", self.site.origin, "--tokens", str(self.tokens),
                        token=token_of("all"))
        self.ask(tab)
        tab.evaluate("void avatar.speak('one two three four five six seven eight nine ten.')")
        said = tab.evaluate("stoppedAt(3)")
        self.check_stopped(said, 3)

    def bare(self):
        """A page of the site with `avatarOf(address, options)` and nothing else."""
        at = "/node_modules/posewire/src/"
        imports = {"#socket": f"{at}socket/browser.js"}
        self.files["/bare.html"] = (
            "<!doctype html><title>x</title>"
            f'<script type="importmap">{json.dumps({"imports": imports})}</script>'
            f'<script type="module">import {{ Avatar }} from "{at}index.js"; window.speak = (address, token) => '
            'new Avatar(address, { stream: "demo", token }).speak("Hi.").then(({ text }) => text, '
            "(e) => [e.code, e.message]);</script>")
        tab = self.browser.open(f"{self.site.origin}/bare.html")
        tab.until("Boolean(window.speak)")
        return tab

    def test_a_page_that_may_not_is_told(self):
        view = View(self.graph.address, "--say-to", self.source.address)
        self.addCleanup(view.stop)
        tab = self.bare()
        code, message = tab.evaluate(f"speak('http://127.0.0.1:{view.http_port}')")
        self.assertEqual(code, "PERMISSION_DENIED")
        self.assertIn(f"--http-allow-origin {self.site.origin}", message)
        code, message = tab.evaluate("speak('http://127.0.0.1:1')")
        self.assertEqual(code, "UNAVAILABLE")
        self.assertIn("nothing answers at http://127.0.0.1:1", message)

    def test_a_page_logs_in_by_its_token(self):
        view = View(self.graph.address, "--say-to", self.source.address, "--http-allow-origin",
                    self.site.origin, "--tokens", str(self.tokens))
        self.addCleanup(view.stop)
        home = f"http://localhost:{view.http_port}"
        tab = self.bare()
        for wrong in ("''", "'wrong'"):
            code, message = tab.evaluate(f"speak('{home}', {wrong})")
            self.assertEqual(code, "UNAUTHENTICATED")
            self.assertIn("log in", message)
        self.assertEqual(tab.evaluate(f"speak('{home}', '{token_of('all')}')"), "Hi.")


if __name__ == "__main__":
    unittest.main(verbosity=2)
