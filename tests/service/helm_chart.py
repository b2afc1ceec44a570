"""The Helm chart of deploy/helm, rendered without a cluster."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy/helm/posewire"
TOOLS = ROOT / "build/tools"
VALIDATE = TOOLS / "venv/bin/kubernetes-validate"
# `./test` puts it there, see need_helm of scripts/setup.sh; any Helm on the PATH will do.
HELM = shutil.which("helm", path=f"{TOOLS}/bin:{os.environ['PATH']}")
NAMESPACE = "avatars"
EXAMPLES = {path.stem: path for path in sorted((CHART / "examples").glob("*.yaml"))}

if HELM is None or not VALIDATE.exists():
    print("Helm or kubernetes-validate is not there; ./test fetches them", flush=True)
    raise SystemExit(0)


def helm(*args):
    """Exit code, standard output and standard error."""
    done = subprocess.run([HELM, *map(str, args)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def render_text(*args, chart=CHART):
    code, text, errors = helm("template", "posewire", chart, "--namespace", NAMESPACE, *args)
    if code != 0:
        raise AssertionError(errors)
    return text


class Release:
    """What `helm template` makes of values: the name of an example, or none for the defaults."""

    def __init__(self, example=None, *sets):
        args = ["--values", EXAMPLES[example]] if example else []
        for value in sets:
            args += ["--set", value]
        self.text = render_text(*args)
        self.objects = [o for o in yaml.safe_load_all(self.text) if o]

    def kind(self, *kinds):
        return [o for o in self.objects if o["kind"] in kinds]

    def named(self, kind, name):
        return next(o for o in self.kind(kind) if o["metadata"]["name"] == name)

    def workloads(self):
        return self.kind("StatefulSet", "Deployment")

    def pods(self):
        """{component: pod template}"""
        return {labels(w["spec"]["template"])["app.kubernetes.io/component"]: w["spec"]["template"]
                for w in self.workloads()}


def labels(thing):
    return thing["metadata"].get("labels", {})


def selects(selector, thing):
    return all(labels(thing).get(key) == value for key, value in selector.items())


def container(pod):
    (one,) = pod["spec"]["containers"]
    return one


class Secrets:
    """A folder in place of /etc/posewire and /etc/posewire-door, with the files of a pod's volumes.
    `content` is {(secret, key): bytes}; a ConfigMap's files are its own."""

    def __init__(self, release, pod, content):
        self.folder = tempfile.TemporaryDirectory()
        volumes = {v["name"]: v for v in pod["spec"].get("volumes") or []}
        for mount in container(pod).get("volumeMounts") or []:
            volume = volumes[mount["name"]]
            files = {}
            if "secret" in volume:
                name = volume["secret"]["secretName"]
                keys = [i["key"] for i in volume["secret"].get("items", [])]
                files = {key: data for (secret, key), data in content.items()
                         if secret == name and (not keys or key in keys)}
                assert files, f"the test has no secret {name}"
            elif "configMap" in volume:
                data = release.named("ConfigMap", volume["configMap"]["name"])["data"]
                files = {key: self.place(text).encode() for key, text in data.items()}
            target = pathlib.Path(self.place(mount["mountPath"]))
            if not target.is_relative_to(self.folder.name):
                continue
            target.mkdir(parents=True, exist_ok=True)
            for key, data in files.items():
                (target / key).write_bytes(data)

    def place(self, text):
        """With paths of the pod replaced by those on this machine."""
        for path in ("/etc/posewire", "/tmp/envoy-admin.sock", "/recordings"):
            text = text.replace(path, f"{self.folder.name}{path}")
        return text

    def close(self):
        self.folder.cleanup()
