"""Rotations, as matrices (3, 3) that turn columns."""
import numpy as np


def turn(axis, angle):
    """By radians about an axis of length one."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def rotation_between(a, b):
    """The shortest turn of direction a to direction b."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    v, c = np.cross(a, b), float(a @ b)
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + k + k @ k / (1 + c)


def share_of(rotation, share, axis=None):
    """A share of a rotation about its own axis, or about an `axis` that it nearly has."""
    sine = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0],
                     rotation[1, 0] - rotation[0, 1]]) / 2
    axis = sine if axis is None else axis
    length = np.linalg.norm(axis)
    if length < 1e-9:
        return np.eye(3)
    axis = axis / length
    return turn(axis, share * np.arctan2(sine @ axis, (np.trace(rotation) - 1) / 2))


def look(yaw, pitch):
    """To the left by yaw, then down by pitch, radians."""
    cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
    return (np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
            @ np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]]))
