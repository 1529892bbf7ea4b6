"""What the tests expect of every configuration in configs/ at a small size: one row a file, a file without a row fails.

Overrides make the run small. `errors` are stored norms (against the file's exact solution, at the small size); `finals` are stored last values of
monitors, `constants` bound how far a monitor may move from its first value, relative to that value, and `zeros` bound its absolute values.

Stored values repeat to about 1e-9 on every device; a test accepts 10% more, for changes of the step size that a better limit brings, and down
to a fifth, for a better scheme. Below that the run no longer measures what it did.
"""

from dataclasses import dataclass, field

MORE, LESS = 1.1, 0.2


@dataclass(frozen=True)
class Row:
    overrides: tuple = ()
    errors: dict = field(default_factory=dict)  # component: stored L2
    finals: dict = field(default_factory=dict)  # column of monitors.csv: stored last value
    constants: dict = field(default_factory=dict)  # column: largest relative change
    zeros: dict = field(default_factory=dict)  # column: largest absolute value
    cells: int = 0
    times: int = 0
    vectors: tuple = ()  # arrays of the output that have three components


ROWS = {
    "acoustics-pulse-3d": Row(("mesh.box.cells=[3,3,3]", "order=2", "time.end=0.2"), {"p": 1.255e-02}, cells=162, times=3, vectors=("v",)),
    "acoustics-standing-wave": Row(("mesh.box.cells=[4,4]", "order=3", "time.end=0.5"), {"p": 1.044e-03, "v_y": 1.200e-03},
                                   constants={"energy": 1e-3}, cells=32, times=6, vectors=("v",)),
    "advection-many-turns": Row(("mesh.box.cells=[4,4]", "order=3", "time.end=0.5"), {"u": 2.852e-03}, cells=16, times=2),
    "advection-rotating-bump": Row(("mesh.box.cells=[8,8]", "order=3", "time.end=0.25"), {"u": 2.722e-03}, cells=64, times=3),
    "advection-diffusion-3d": Row(("mesh.box.cells=[3,3,3]", "order=2"), {"u": 9.513e-03}, constants={"content": 1e-13}, cells=162, times=3),
    "annulus-vortex": Row(("order=2", "time.end=0.2"), {"rho": 1.037e-02, "m_x": 1.694e-02}, cells=45, times=2, vectors=("velocity",)),
    "burgers-steepening": Row((), {"u": 5.410e-05}, cells=32, times=6),
    "cylinder2d-quad": Row(("order=2", "time.end=0.5"), finals={"enthalpy_mean_square": 1.075e-05}, cells=740, times=2, vectors=("velocity",)),
    "cylinder2d-tri": Row(("order=1", "time.end=0.5"), finals={"enthalpy_mean_square": 9.083e-06}, cells=1287, times=2, vectors=("velocity",)),
    "elasticity-plane-wave": Row(("order=2", "time.end=0.1"), {"v_x": 1.976e-02, "s_xy": 1.766e-02}, cells=723, times=3, vectors=("v",)),
    "elasticity-rayleigh-wave": Row(("mesh.box.cells=[4,4]", "order=3", "time.end=0.3"), {"v_x": 5.168e-04, "v_y": 6.922e-04, "s_xy": 1.302e-03},
                                    cells=32, times=4, vectors=("v",)),
    "euler-density-wave-gauss": Row(("mesh.box.cells=[4,4]", "order=3", "time.end=0.3"), {"rho": 2.332e-03, "E": 2.915e-04},
                                    constants={"mass": 1e-13}, cells=16, times=4, vectors=("velocity",)),
    "euler-simple-wave": Row((), {"rho": 2.345e-06, "m_x": 3.957e-06}, cells=40, times=7, vectors=("velocity",)),
    "euler-vortex": Row(("mesh.box.cells=[16,16]", "order=3", "time.end=0.5"), {"rho": 6.930e-04, "m_x": 1.467e-03},
                        constants={"mass": 1e-13}, cells=256, times=2, vectors=("velocity",)),
    "heat-plate": Row(("mesh.box.cells=[3,3]",), {"u": 4.510e-05}, finals={"hottest": 0.3728}, cells=18, times=6),
    "maxwell-cavity": Row(("mesh.box.cells=[3,3,3]", "order=3", "time.end=0.4"), {"E_z": 2.924e-04, "H_x": 2.565e-04},
                          constants={"energy": 1e-3}, cells=27, times=3, vectors=("E", "H", "poynting")),
    "maxwell-tm-pulse": Row(("mesh.box.cells=[8,4]", "order=3"), {"E_z": 1.556e-04, "H_y": 1.978e-04}, cells=64, times=11, vectors=("E", "H")),
    "navier-stokes-couette": Row(("mesh.box.cells=[2,4]", "order=3", "time.end=2"), {"rho": 3.604e-04, "m_x": 2.030e-04}, cells=8, times=2,
                                 vectors=("velocity",)),
    "navier-stokes-poiseuille": Row(("time.end=5",), {"rho": 2.608e-05, "m_x": 3.827e-06}, finals={"fastest": 0.25}, cells=18, times=2, vectors=("velocity",)),
    "shallow-water-basin": Row(("mesh.box.cells=[8,8]", "order=3", "time.end=0.2"), finals={"rise": 3.140e-02},
                               constants={"volume": 1e-13, "energy": 1e-5}, zeros={"asymmetry": 1e-9}, cells=64, times=5, vectors=("velocity",)),
    "sphere3d": Row(("order=1", "time.end=0.2"), finals={"enthalpy_mean_square": 7.683e-08}, cells=2169, times=2, vectors=("velocity",)),
    "three-wave-soliton": Row(("mesh.box.cells=[6,6]", "order=3", "time.end=0.5"), {"a1": 1.455e-03, "a2": 2.590e-03, "a3": 2.961e-03}, cells=72, times=3),
    "traffic-braking-wave": Row((), {"rho": 3.153e-06}, cells=24, times=9),
    "traffic-green-light": Row((), {"rho": 3.458e-07}, cells=16, times=9),
    "viscous-burgers-front": Row((), {"u": 6.853e-06}, cells=30, times=6),
    "viscous-shock": Row((), {"rho": 1.218e-06, "m_x": 6.090e-07}, cells=30, times=3, vectors=("velocity",)),
}
