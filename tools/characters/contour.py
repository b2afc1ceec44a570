"""Narrows the lower face, more than the data's features can: by height, from the eyes to the chin."""
import numpy as np

from mesh import smoothstep

FRONT_Z = (-0.050, 0.030)       # metres: from the neck and the jaw's corners, which stay, to the front
DOWN = (0.0, 0.035, 0.066, 0.098, 0.122)        # heights below the eyes: eyes, nose, mouth, chin


def taper_face(fitted, shares):
    """Brings the face nearer to its middle, in place, with all that lies in it: by `shares` (5,) of
    the width at the heights `DOWN`. Offsets of the face units shrink along (`fitted.growth`), so call
    it after eyes.enlarge."""
    p = fitted.points
    eye_y = fitted.rig.at("l_eyeball_joint")[1]
    share = np.interp(eye_y - p[:, 1], DOWN, shares, left=0.0)
    share = share * smoothstep(*FRONT_Z, p[:, 2])
    share = np.where(p[:, 1] > eye_y - DOWN[-1] - 0.03, share, 0.0) * (np.abs(p[:, 0]) < 0.10)
    p[:, 0] *= 1 - share
    fitted.growth *= 1 - share
