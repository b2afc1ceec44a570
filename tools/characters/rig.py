"""The standard rig, hanim_loa3, as data/rigs has it: names, parents, and where its joints rest."""
import numpy as np


class Rig:
    def __init__(self, path):
        self.names, self.parents, self.local = [], [], []
        paths = {}
        with open(path) as lines:
            for line in lines:
                words = line.split()
                if not words or words[0] != "joint":
                    continue
                parent, _, name = words[1].rpartition("/")
                paths[words[1]] = len(self.names)
                self.names.append(name)
                self.parents.append(paths[parent] if parent else -1)
                self.local.append([float(x) for x in words[3:6]])
        self.local = np.array(self.local)
        self.world = self.local.copy()
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                self.world[joint] += self.world[parent]
        self.index = {name: joint for joint, name in enumerate(self.names)}

    def at(self, name):
        """Where a joint rests, metres."""
        return self.world[self.index[name]]

    def is_below(self, joint, other):
        """Whether one joint is carried by another."""
        while joint >= 0:
            joint = self.parents[joint]
            if joint == other:
                return True
        return False

    def __len__(self):
        return len(self.names)
