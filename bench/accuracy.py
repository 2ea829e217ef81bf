#!/usr/bin/env python3
"""CPU time against error: Tandem and every installed peer that can run the problem. Writes bench/accuracy.svg and .csv.

    bench/accuracy.py [--programs build/native]

Every run goes from start to end without recording. The error is that of a place, a speed or an angle at the end, against
a closed form or a reference of more digits. A motion that lost its way (error above 0.1) is not drawn.
"""
import argparse
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PEERS = os.path.join(ROOT, "build", "peers")
PYTHON = os.path.join(PEERS, "venv", "bin", "python")
MECHANISMS = os.path.join(ROOT, "build", "bench", "mechanisms")

PROBLEMS = {"a01": "Pendulum (A01), 10 s", "a02-2": "2 four-bars (A02), 10 s", "a02-40": "40 four-bars (A02), 10 s",
            "squeezer": "Andrews' squeezer, 0.03 s", "bicycle": "Bicycle, 4.6 m/s, 5 s"}
COLOURS = {"tandem": "#c1121f", "exudyn": "#2a6f97", "mujoco": "#6a994e", "simbody": "#8338ec"}


def commands(programs, problem):
    yield [os.path.join(programs, "tandem_accuracy"), problem]
    yield [PYTHON, os.path.join(HERE, "peers", "exudyn_peer.py"), "accuracy", problem]
    if problem.startswith("a0"):
        for engine in ("mujoco", "simbody"):
            yield [os.path.join(PEERS, engine), "accuracy", os.path.join(MECHANISMS, problem + ".mech")]


def measure(programs):
    lines = []
    subprocess.run([os.path.join(programs, "tandem"), "bench", "--write", MECHANISMS], check=True)
    for problem in PROBLEMS:
        for command in commands(programs, problem):
            if not os.path.exists(command[0]):
                print(f"not installed: {command[0]} (make bench-peers)", file=sys.stderr)
                continue
            print(f"{problem} by {os.path.basename(command[1 if 'python' in command[0] else 0])} ...", file=sys.stderr)
            try:
                text = subprocess.run(command, capture_output=True, text=True, timeout=400).stdout
            except subprocess.TimeoutExpired as late:  # what was done until then counts
                text = (late.stdout or b"").decode()
            lines += [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]
    return lines


def draw(lines, path):
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib comes with make bench-peers", file=sys.stderr)
        return
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams["svg.hashsalt"] = "tandem"
    figure, panels = plt.subplots(2, 3, figsize=(12, 7))
    for panel, (problem, title) in zip(panels.flat, PROBLEMS.items()):
        curves = {}
        for line in lines:
            if line["problem"] == problem and line["error"] < 0.1:
                curves.setdefault((line["engine"], line["how"]), []).append((line["seconds"], line["error"]))
        for (engine, how), points in curves.items():
            points.sort()
            panel.loglog(*zip(*points), marker="o", markersize=3, color=COLOURS[engine],
                         linestyle="--" if "853" in how or "alpha" in how else "-", label=f"{engine}: {how}")
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("CPU time [s]", fontsize=8)
        panel.set_ylabel("error at the end", fontsize=8)
        panel.grid(True, which="major", linewidth=0.3)
        panel.legend(fontsize=6)
    panels.flat[-1].axis("off")
    panels.flat[-1].text(0.0, 0.6, "Lower and further left is better.\nA curve that is missing lost its way\nor did not converge.")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(ROOT, "build", "native"), help="where tandem was built")
    lines = measure(parser.parse_args().programs)
    with open(os.path.join(HERE, "accuracy.csv"), "w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, ["problem", "engine", "how", "step", "seconds", "error"], lineterminator="\n")
        table.writeheader()
        table.writerows(lines)
    draw(lines, os.path.join(HERE, "accuracy.svg"))
    print("Written: bench/accuracy.csv, bench/accuracy.svg")


main()
