"""Machines of a test: network namespaces on one bridge, whose links are cut one direction at a time.

The test process enters a network namespace of its own first, so nothing of the host changes, and all of
it ends with the process. Where that is not permitted, machines are addresses of loopback: they run the
same programs, but have no links that can be cut.
"""

import contextlib
import os
import subprocess
import sys
import unittest

INSIDE = "POSEWIRE_CLUSTER_INSIDE"
PRIVATE = os.environ.get(INSIDE) == "1"
needs_links = unittest.skipUnless(
    PRIVATE, "network namespaces are not permitted here (CAP_SYS_ADMIN, or user namespaces)")

NOWHERE = "02:00:00:00:00:ff"  # a MAC address that no machine has


def enter():
    """Starts this program again inside a network namespace, if that is permitted. Call it first."""
    if INSIDE in os.environ:
        return
    for namespace in (["--net"], ["--user", "--map-root-user", "--net"]):
        probe = ["unshare", *namespace, "ip", "link", "add", "probe", "type", "bridge"]
        with contextlib.suppress(OSError):
            if subprocess.run(probe, capture_output=True).returncode == 0:
                os.environ[INSIDE] = "1"
                os.execvp("unshare", ["unshare", *namespace, sys.executable, "-B",
                                      *sys.argv])
    os.environ[INSIDE] = "0"


def ip(*commands, inside=()):
    subprocess.run([*inside, "ip", "-batch", "-"], input="\n".join(commands), check=True, text=True)


class Network:
    """The bridge. Its namespace is that of the test process, where clients run."""

    def __init__(self):
        self.machines = []
        if PRIVATE:
            ip("link set lo up", "link add cluster type bridge", "addr add 10.77.0.1/24 dev cluster",
               "addr add 10.78.0.1/24 dev cluster", "link set cluster up")

    def machine(self, name):
        self.machines.append(Machine(name, 11 + len(self.machines)))
        return self.machines[-1]

    def heal(self):
        for machine in self.machines:
            machine.heal()

    def close(self):
        for machine in self.machines:
            machine.close()
        if PRIVATE:
            ip("link del cluster")


class Machine:
    """`host` is its address on links that can be cut, `watched` on one that cannot."""

    def __init__(self, name, number):
        self.name = name
        self.cuts = set()  # hosts that get nothing from this machine
        self.holder = None
        if not PRIVATE:
            self.host = self.watched = f"127.0.1.{number}"
            return
        self.host, self.watched = f"10.77.0.{number}", f"10.78.0.{number}"
        # The namespace exists as long as a process is in it. This one ends with the test process.
        self.holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec cat"], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.holder.stdout.readline()
        self.link = f"m{number}"
        ip(f"link add {self.link} type veth peer name eth0 netns {self.holder.pid}",
           f"link set {self.link} master cluster up")
        ip("link set lo up", f"addr add {self.host}/24 dev eth0", f"addr add {self.watched}/24 dev eth0",
           "link set eth0 up", inside=self.command())

    def command(self):
        """What to put before a command so that it runs on this machine, and ends with the test."""
        inside = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"] if self.holder else []
        return [*inside, "setpriv", "--pdeathsig", "KILL"]

    def cut_to(self, *others):
        """Loses all that this machine sends to the others. What they send arrives."""
        self.cuts |= {other.host for other in others}
        ip(*(f"neigh replace {other.host} lladdr {NOWHERE} dev eth0 nud permanent" for other in others),
           inside=self.command())

    def heal(self):
        """Undoes all cuts of what this machine sends."""
        if self.cuts:
            ip(*(f"neigh del {host} dev eth0" for host in self.cuts), inside=self.command())
        self.cuts = set()

    def close(self):
        if self.holder:
            # The namespace ends some time after its last process, and the link with it.
            ip(f"link del {self.link}")
            self.holder.stdin.close()
            self.holder.wait()
            self.holder.stdout.close()


def cut_between(one, others):
    """Both directions."""
    one.cut_to(*others)
    for other in others:
        other.cut_to(one)
