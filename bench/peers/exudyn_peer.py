"""Exudyn: the bicycle, the pendulum A01, the four-bar linkages A02 and the squeezer by its implicit solvers.

    exudyn_peer.py bicycle                  lines of JSON: the manoeuvre at 1 ms
    exudyn_peer.py accuracy PROBLEM         a line for each step size: CPU time and error
"""
import json
import math
import sys
import time

sys.exudynFast = True  # its build without range checks
import exudyn as exu  # noqa: E402
from exudyn.utilities import (  # noqa: E402
    MarkerBodyPosition, ObjectJointRevolute2D, RigidBodyInertia, SensorBody)

import numpy as np  # noqa: E402

REFERENCE = {  # at the end
    "a01": (-0.2750874625761169, -0.961419205099125),
    "a02-2": (0.3284581115408154, 0.944518538178601),
    "a02-40": (0.1805122266867284, 0.9835727405823116),
    "squeezer": (1.0, -0.5347301163420796 / 15.810771195153707),  # beta, phi as parts of beta
    "bicycle": (4.6224523890, 0.0103424406),  # hub speed, lean
}
END = {"a01": 10.0, "a02-2": 10.0, "a02-40": 10.0, "squeezer": 0.03, "bicycle": 5.0}
STEPS = {"a01": (1e-2, 3e-3, 1e-3, 3e-4, 1e-4), "a02-2": (1e-2, 3e-3, 1e-3, 3e-4), "a02-40": (1e-2, 3e-3, 1e-3),
         "squeezer": (1e-4, 3e-5, 1e-5, 3e-6, 1e-6), "bicycle": (2e-2, 1e-2, 5e-3, 2e-3, 1e-3)}


def pendulum(mbs):
    ground = mbs.CreateGround()
    mass = mbs.CreateMassPoint(referencePosition=[-1, 0, 0], mass=1.0, gravity=[0, -9.81, 0], create2D=True)
    mbs.CreateDistanceConstraint(itemNumbers=[ground, mass], distance=1.0)
    return lambda: mbs.GetObjectOutputBody(mass, exu.OutputVariableType.Position, [0, 0, 0])[:2], {mass: 1.0}


def four_bars(mbs, loops):
    inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.diag([1 / 12, 1 / 12, 1 / 12]))
    gravity = [0, -9.81, 0]
    ground = mbs.CreateGround()
    cranks = [mbs.CreateRigidBody(referencePosition=[i, 0.5, 0], inertia=inertia, gravity=gravity, create2D=True,
                                  initialVelocity=[0.5, 0, 0], initialAngularVelocity=[0, 0, -1])
              for i in range(loops + 1)]
    couplers = [mbs.CreateRigidBody(referencePosition=[i + 0.5, 1, 0], inertia=inertia, gravity=gravity,
                                    create2D=True, initialVelocity=[1, 0, 0]) for i in range(loops)]

    def hinge(a, at_a, b, at_b):
        markers = [mbs.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[*at, 0]))
                   for body, at in ((a, at_a), (b, at_b))]
        mbs.AddObject(ObjectJointRevolute2D(markerNumbers=markers))

    for i, crank in enumerate(cranks):
        hinge(ground, (i, 0), crank, (0, -0.5))
    for i, coupler in enumerate(couplers):
        hinge(cranks[i], (0, 0.5), coupler, (-0.5, 0))
        hinge(cranks[i + 1], (0, 0.5), coupler, (0.5, 0))
    tip = lambda: mbs.GetObjectOutputBody(cranks[0], exu.OutputVariableType.Position, [0, 0.5, 0])[:2]
    return tip, dict.fromkeys(cranks + couplers, 1.0)


def squeezer(mbs):
    """Andrews' squeezing mechanism, as in the Test Set for IVP Solvers."""
    beta, theta, gamma, phi = -0.06171389001427645, 0.0, 0.45527981916307037, 0.22266839016588588
    delta, omega, epsilon = 0.48736497954384256, -0.22266839016588588, 1.2305474445498212
    A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
    origin = np.zeros(2)
    F = 0.007 * np.array([math.cos(beta), math.sin(beta)])
    E = F - 0.028 * np.array([math.cos(beta + theta), math.sin(beta + theta)])
    G = A + 0.04 * np.array([math.cos(delta), math.sin(delta)])
    H = A + 0.04 * np.array([math.sin(epsilon), -math.cos(epsilon)])
    D = B + np.array([0.02 * math.cos(gamma) + 0.018 * math.sin(gamma), 0.02 * math.sin(gamma) - 0.018 * math.cos(gamma)])
    ground = mbs.CreateGround()
    places = {ground: (np.eye(2), origin)}

    def body(mass, inertia, joint, angle, center):
        R = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        at = joint + R @ center
        turned = np.eye(3)
        turned[:2, :2] = R
        made = mbs.CreateRigidBody(referencePosition=[*at, 0], referenceRotationMatrix=turned, create2D=True,
                                   inertia=RigidBodyInertia(mass=mass, inertiaTensor=np.diag([inertia] * 3)))
        places[made] = R, at
        return made

    def local(of, point):
        R, at = places[of]
        return [*(R.T @ (point - at)), 0]

    crank = body(0.04325, 2.194e-6, origin, beta, [0.00092, 0])
    rod = body(0.00365, 4.41e-7, F, beta + theta, [-0.0115, 0])
    plate = body(0.02373, 5.255e-6, B, gamma, [0.01043, -0.01874])
    upper_link = body(0.00706, 5.667e-7, G, phi + delta, [0, -(0.02 - 0.01421)])
    upper_jaw = body(0.0705, 1.169e-5, A, delta, [0.02308, 0.00916])
    lower_link = body(0.00706, 5.667e-7, H, omega + epsilon, [0.02 - 0.01421, 0])
    lower_jaw = body(0.05498, 1.912e-5, A, epsilon, [0.00449, -0.01228])
    for a, b, at in ((ground, crank, origin), (crank, rod, F), (ground, plate, B), (ground, upper_jaw, A),
                     (upper_jaw, upper_link, G), (ground, lower_jaw, A), (lower_jaw, lower_link, H), (rod, plate, E),
                     (rod, upper_link, E), (rod, lower_link, E)):
        markers = [mbs.AddMarker(MarkerBodyPosition(bodyNumber=of, localPosition=local(of, at))) for of in (a, b)]
        mbs.AddObject(ObjectJointRevolute2D(markerNumbers=markers))
    mbs.CreateSpringDamper(itemNumbers=[plate, ground], localPosition0=local(plate, D), localPosition1=[*C, 0],
                           referenceLength=0.07785, stiffness=4530.0)
    mbs.CreateTorque(itemNumber=crank, loadVector=[0, 0, 0.033])

    def angles():
        def turned(of):
            return mbs.GetNodeOutput(mbs.GetObject(of)["nodeNumber"], exu.OutputVariableType.Coordinates)[2]
        end = 15.810771195153707
        return (beta + turned(crank)) / end, (phi + turned(upper_link) - turned(upper_jaw)) / end

    return angles, {}


def bicycle(mbs):
    """The benchmark bicycle of Meijaard and others, z up, as in examples/bicycle.toml."""
    tilt, speed, push = math.pi / 10, 4.6, 0.5
    ground = mbs.CreateGround()

    def body(mass, tensor, at, spin):
        return mbs.CreateRigidBody(referencePosition=at, inertia=RigidBodyInertia(mass=mass, inertiaTensor=tensor),
                                   gravity=[0, 0, -9.81], initialVelocity=[speed, -push * at[2], 0],
                                   initialAngularVelocity=[push, spin, 0],
                                   nodeType=exu.NodeType.RotationRotationVector)

    rear = body(2.0, np.diag([0.0603, 0.12, 0.0603]), [0, 0, 0.3], speed / 0.3)
    frame = body(85.0, np.array([[9.2, 0, -2.4], [0, 11.0, 0], [-2.4, 0, 2.8]]), [0.3, 0, 0.9], 0.0)
    fork = body(4.0, np.array([[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]), [0.9, 0, 0.7], 0.0)
    front = body(3.0, np.diag([0.1405, 0.28, 0.1405]), [1.02, 0, 0.35], speed / 0.35)
    mbs.CreateRevoluteJoint(itemNumbers=[frame, rear], position=[0, 0, 0.3], axis=[0, 1, 0])
    mbs.CreateRevoluteJoint(itemNumbers=[frame, fork], position=[1.1, 0, 0],
                            axis=[math.sin(tilt), 0, -math.cos(tilt)])
    mbs.CreateRevoluteJoint(itemNumbers=[fork, front], position=[1.02, 0, 0.35], axis=[0, 1, 0])
    for wheel, radius in ((rear, 0.3), (front, 0.35)):
        mbs.CreateRollingDisc(bodyNumbers=[ground, wheel], axisPosition=[0, 0, 0], axisVector=[0, 1, 0],
                              discRadius=radius)

    def hub_and_lean():
        v = mbs.GetObjectOutputBody(rear, exu.OutputVariableType.Velocity, [0, 0, 0])
        R = np.array(mbs.GetObjectOutputBody(frame, exu.OutputVariableType.RotationMatrix, [0, 0, 0])).reshape(3, 3)
        return float(np.linalg.norm(v)), math.asin(R[2, 1])

    return hub_and_lean, {rear: 2.0, frame: 85.0, fork: 4.0, front: 3.0}


def build(problem, mbs):
    if problem.startswith("a02-"):
        return four_bars(mbs, int(problem.split("-")[1]))
    return {"a01": pendulum, "squeezer": squeezer, "bicycle": bicycle}[problem](mbs)


SOLVERS = {"trapezoidal, index 2": exu.DynamicSolverType.TrapezoidalIndex2,
           "generalized alpha": exu.DynamicSolverType.GeneralizedAlpha}


def solve(problem, h, solver, with_energy=False):
    """CPU seconds, error at the end, and the largest change of energy as a part of the kinetic energy."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    measured, bodies = build(problem, mbs)
    variables = (exu.OutputVariableType.KineticEnergy, exu.OutputVariableType.Position)
    sensors = {variable: [mbs.AddSensor(SensorBody(bodyNumber=body, storeInternal=True, outputVariableType=variable))
                          for body in bodies if with_energy] for variable in variables}
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = END[problem]
    settings.timeIntegration.numberOfSteps = round(END[problem] / h)
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.95
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = 0.01 if with_energy else 1e9
    many = problem == "a02-40"
    settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse if many else exu.LinearSolverType.EXUdense
    settings.parallel.numberOfThreads = 1
    start = time.process_time()
    mbs.SolveDynamic(settings, solverType=SOLVERS[solver])
    seconds = time.process_time() - start
    error = max(abs(a - b) for a, b in zip(measured(), REFERENCE[problem]))
    drift = float("nan")
    if with_energy:
        kinetic, positions = ([np.array(mbs.GetSensorStoredData(sensor)) for sensor in sensors[variable]]
                              for variable in variables)
        up = 3 if problem == "bicycle" else 2  # after the time
        total = sum(each[:, 1] for each in kinetic)
        started = total[0]
        total = total + sum(9.81 * mass * each[:, up] for mass, each in zip(bodies.values(), positions))
        drift = float(np.max(np.abs(total - total[0])) / started)
    return seconds, error, drift


def bicycle_lines(solver):
    """A step of 1 ms, and the whole ride by such steps."""
    _, error, drift = solve("bicycle", 1e-3, solver, with_energy=True)
    seconds, _, _ = solve("bicycle", 1e-3, solver)
    about = {"engine": "exudyn", "mechanism": "bicycle", "how": solver + ", 1 ms", "error": error, "limit": 1e-4,
             "right": error <= 1e-4, "energy_error": drift}
    return [about | {"job": "bicycle", "seconds": seconds / 5000}, about | {"job": "ride", "seconds": seconds}]


def accuracy_line(problem, solver, h):
    seconds, error, _ = solve(problem, h, solver)
    return {"engine": "exudyn", "problem": problem, "how": solver, "step": h, "seconds": seconds, "error": error}


def main():
    if sys.argv[1] == "bicycle":
        for line in bicycle_lines("trapezoidal, index 2"):
            print(json.dumps(line))
        return
    problem = sys.argv[2]
    # With index 2 the linkages lose their branch at the singular positions.
    for solver in list(SOLVERS)[1 if problem.startswith("a02") else 0:]:
        for h in STEPS[problem]:
            try:
                print(json.dumps(accuracy_line(problem, solver, h)), flush=True)
            except exu.SolverError:
                print(f"exudyn: {problem}, {solver}, step {h}: no convergence", file=sys.stderr)


main()
