"""Settings that are wrong: exit code 2, and words that say what would be right."""
import json
import os
import subprocess
import tempfile
import unittest

from http_client import Http
from posewire_test import BIN, Server

WRONG = [
    ("anim_graph --rig nope", "known are hanim_loa1"),
    ("anim_graph --graph nope", "No such file"),
    ("anim_graph --clips /nope", "not a folder"),
    ("anim_graph --source mocap:mode=often", "mode"),
    ("anim_graph --listen nowhere", "nowhere"),
    ("anim_graph --fsp 30", "did you mean --fps?"),
    ("anim_graph frob", "frob"),
    ("a2f_source frob", "known are"),
    ("a2f_source serve --listen 0.0.0.0:0", "allow-plaintext"),
    ("a2f_source play /nope.animdata", "/nope.animdata"),
    ("a2f_source wav /nope.wav", "/nope.wav"),
    ("a2f_source say hello --out /nope/x.animdata", "/nope/x.animdata"),
    ("a2f_source say hello --loop", "can be used only with play and talk"),
    ("a2f_source serve --out x.animdata", "--out: can be used only with"),
    ("a2f_source vmc --host 0.0.0.0 --port 0", "allow-plaintext"),
    ("a2f_source vmc --replay /nope.jsonl", "/nope.jsonl"),
    ("a2f_source vmc --port 0 --dump /nope/x.jsonl", "/nope/x.jsonl"),
    ("a2f_source vmc --port 70000", "no port from 0 to 65535"),
    ("a2f_source livelink --host 0.0.0.0 --port 0", "allow-plaintext"),
    ("a2f_source livelink --head 1,1", "YAW,PITCH,ROLL"),
    ("a2f_source ifacialmocap --port 0 --phone 192.168.1.7", "--host 0.0.0.0 --allow-plaintext"),
    ("a2f_source ifacialmocap --port 0 --phone 127.0.0.1:0", "1 to 65535"),
    ("a2f_source ifacialmocap --head 1,1", "YAW,PITCH,ROLL"),
    ("a2f_source livelink --phone 127.0.0.1", "can be used only with ifacialmocap"),
    ("a2f_source livelink --event key:B=bow", "can be used only with vmc"),
    ("renderer_sink frob", "known are"),
    ("renderer_sink record /nope/x.animdata --stream-id s", "/nope/x.animdata"),
    ("renderer_sink render /nope.animdata x.png", "/nope.animdata"),
    ("renderer_sink render x.animdata x.png --listen 127.0.0.1:0", "--listen: can be used only"),
    ("renderer_sink vmc --stream-id s --to a:b", "a:b"),
    ("renderer_sink vmc --stream-id s --missing-bone LeftThumb", "did you mean LeftThumb"),
    ("renderer_sink livelink --stream-id s --to a:b", "a:b"),
    ("renderer_sink livelink --stream-id s --head x", "YAW,PITCH,ROLL"),
    ("renderer_sink view --http 127.0.0.1:0 --avatar /nope.glb", "/nope.glb"),
]


def run(line, **settings):
    return subprocess.run([os.path.join(BIN, line.split()[0]), *line.split()[1:]],
                          capture_output=True, text=True, timeout=20,
                          env={**os.environ, **settings})


class SettingsTest(unittest.TestCase):
    def test_wrong_ones_end_with_2(self):
        for line, words in WRONG:
            with self.subTest(line):
                done = run(line)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(words, done.stderr)

    def test_what_is_wrong_is_said_before_anything_begins(self):
        for line in ("a2f_source vmc --replay /nope.jsonl", "a2f_source play /nope.animdata",
                     "a2f_source vmc --host 0.0.0.0 --port 0"):
            self.assertNotIn("begins", run(line).stderr, line)

    def test_a_setting_that_the_server_refuses_ends_with_2_and_leaves_no_file(self):
        server = Server("anim_graph")
        self.addCleanup(server.stop)
        with tempfile.TemporaryDirectory() as folder:
            done = run(f"renderer_sink record {folder}/x.animdata --stream-id s --rig nope "
                       f"--from {server.address}")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertNotIn("wrote", done.stdout)
            self.assertEqual(os.listdir(folder), [])

    def test_one_file_serves_several_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "source.toml")
            with open(path, "w") as f:
                f.write('voice = "rms"\nport = 0\nloop = true\n')
            done = run(f"a2f_source say hello --config {path} --out {folder}/x.jsonl "
                       "--log-level debug")
        self.assertEqual(done.returncode, 0, done.stderr)
        line = done.stderr.splitlines()[0]
        self.assertIn('voice="rms"', line)
        self.assertIn('from_file=["voice"] passed_over=["loop","port"]', line)

    def test_help_begins_with_what_the_command_has(self):
        text = run("renderer_sink render --help").stdout
        self.assertLess(text.index("--sheet"), text.index("--log-level"))
        for setting in ("--listen", "--http", "--stream-id", "--memory-quota-mb"):
            self.assertNotIn(setting, text)
        text = run("renderer_sink record --help").stdout
        self.assertLess(text.index("--overwrite"), text.index("--listen"))
        self.assertNotIn("--memory-quota-mb", text)
        self.assertIn("--memory-quota-mb", run("renderer_sink record --help-all").stdout)
        self.assertIn("--memory-quota-mb", run("anim_graph --help-all").stdout)

    def test_probes_are_alike_in_every_program(self):
        server = Server("anim_graph", "--http", "127.0.0.1:0")
        self.addCleanup(server.stop)
        ports = [server.http_port]
        for line in (f"a2f_source serve --listen 127.0.0.1:0 --to {server.address}",
                     f"a2f_source vmc --port 0 --to {server.address}",
                     f"renderer_sink print --stream-id s --from {server.address}",
                     f"renderer_sink view --stream-id s --from {server.address}"):
            words = line.split()
            quiet = words[1] == "print"
            process = subprocess.Popen(
                [os.path.join(BIN, words[0]), *words[1:], "--http", "127.0.0.1:0"], text=True,
                stdout=subprocess.DEVNULL if quiet else subprocess.PIPE,
                stderr=subprocess.PIPE if quiet else subprocess.DEVNULL)
            out = process.stderr if quiet else process.stdout
            self.addCleanup(out.close)
            self.addCleanup(process.wait, 20)
            self.addCleanup(process.kill)
            ready = next(line for line in iter(out.readline, "") if "http_port" in line)
            ports.append(json.loads(ready)["http_port"])
        for port in ports:
            http = Http(port)
            for path in ("/healthz", "/health", "/liveness"):
                status, _, body = http.raw("GET", path)
                self.assertEqual((status, body), (200, b'{"status":"ok"}'), path)
            status, headers, body = http.raw("GET", "/metrics")
            self.assertEqual(status, 200)
            self.assertEqual(headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            for metric in ("process_resident_memory_bytes", "process_cpu_seconds_total",
                           "process_open_fds", "posewire_log_lines_left_out_total",
                           "posewire_http_replies_total"):
                self.assertRegex(body.decode(), rf"(?m)^{metric}\S* [0-9]")

    def test_what_ends_a_program_is_told_with_the_log_off(self):
        done = run("anim_graph --log-level off --rig nope")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("known are hanim_loa1", done.stderr)

    def test_a_variable_that_is_like_a_setting_is_told_of(self):
        done = run("anim_graph --version", POSEWIRE_FSP="30")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run("anim_graph --rig nope", POSEWIRE_FSP="30")
        self.assertIn("POSEWIRE_FSP matches no setting; did you mean POSEWIRE_FPS?", done.stderr)

    def test_a_wrong_key_of_a_file_names_file_and_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "posewire.toml")
            with open(path, "w") as f:
                f.write('# mine\nfps = 30\n\nfsp = 30\nlisten = "nowhere"\n')
            done = run(f"anim_graph --config {path}")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{path}:4: there is no setting fsp; did you mean fps?", done.stderr)
        self.assertIn(f"(from {path}:5): ", done.stderr)


if __name__ == "__main__":
    unittest.main()
