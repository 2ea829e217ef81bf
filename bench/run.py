#!/usr/bin/env python3
"""Runs Tandem and the peers that are installed on the same mechanisms, prints ratios and writes bench/RESULTS.md.

The engines take turns in every round, so that whatever disturbs the machine disturbs all of them alike; the best of
the rounds counts. An answer that is wrong gets no ratio.
"""
import argparse
import datetime
import json
import math
import os
import platform
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PEERS = os.path.join(ROOT, "build", "peers")
PYTHON = os.path.join(PEERS, "venv", "bin", "python")

TREES = ["chain-7", "chain-30", "chain-100", "chain-1000", "tree-63", "humanoid"]
LOOPS = ["a02-2", "a02-10", "a02-40", "a02-160", "stewart"]
LOADED_TREES = ["loaded-chain-7", "loaded-chain-30", "loaded-chain-100", "loaded-tree-63", "loaded-humanoid"]
LOADED_LOOPS = ["loaded-a02-10", "loaded-a02-40", "loaded-squeezer", "loaded-suspension", "loaded-stewart",
                "driven-stewart"]
LOADED = LOADED_TREES + LOADED_LOOPS
ROPES = ["rope-10", "rope-100", "rope-1000"]
LOADED_SHIPPED = "shipped"  # Tandem as make build builds it, for any processor
DRIVERS = ["pinocchio", "mujoco"]  # whose programs know forces and drives
SHIPPED = "shipped"  # Tandem as make build builds it, for any processor
DRIVERS = ["pinocchio", "mujoco", "simbody", "dart", "bullet"]
TITLES = {"forward": "Forward dynamics of trees", "inverse": "Inverse dynamics", "mass": "Mass matrix",
          "loops": "Closed loops", "step": "A step of 1 ms with forces and a drive, by rk4", "impulses": "Ropes by impulses, a step of 1/240 s", "bicycle": "Bicycle, a step of 1 ms",
          "ride": "Bicycle, a ride of 5 s with at most the peer's energy error"}
# How many times faster Tandem is to be; of which family of the peer's functions.
TARGETS = {("forward", "pinocchio", "aba"): 1.8, ("inverse", "pinocchio", "rnea"): 1.5,
           ("mass", "pinocchio", "crba"): 1.0, ("impulses", "bullet", "sequential impulses"): 1.0,
           ("step", "mujoco", "mj_step"): 1.5, ("step", "pinocchio", "aba"): 1.6,
           ("step", "pinocchio", "constraintDynamics"): 3.0, ("step", "pinocchio", "lcaba"): 1.5,
           ("ride", "exudyn", "trapezoidal"): 30.0}
LOOP_TARGETS = {"a02-2": 3.0, "a02-10": 5.0, "a02-40": 12.0, "stewart": 2.0}


class Results:
    """The least time of each job by each way of each engine, over all rounds."""

    def __init__(self):
        self.best = {}

    def add(self, line):
        key = line["job"], line["mechanism"], line["engine"], line["how"]
        known = self.best.get(key)
        if known is None:
            self.best[key] = line
        else:
            known["seconds"] = min(known["seconds"], line["seconds"])
            known["right"] = known["right"] and line["right"]
            known["error"] = max(known["error"], line["error"])

    def ways(self, job, mechanism, engine):
        """Per family of functions: its fastest right way, or its fastest wrong one."""
        families = {}
        for (of_job, of_mechanism, of_engine, how), line in self.best.items():
            if (of_job, of_mechanism, of_engine) != (job, mechanism, engine):
                continue
            family = how.split(",")[0]
            rank = (not line["right"], line["seconds"])
            if family not in families or rank < families[family][0]:
                families[family] = (rank, line)
        return {family: line for family, (_, line) in families.items()}

    def tandem(self, job, mechanism, build="tandem"):
        ways = [line for line in self.ways(job, mechanism, build).values() if line["right"]]
        return min(ways, key=lambda line: line["seconds"], default=None)


def run(command, results, versions=None, engine=None):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        print("too slow, left out: " + " ".join(command), file=sys.stderr)
        return
    text = done.stdout
    if "--json" in command:
        if not text.strip():
            print(done.stderr, file=sys.stderr)
            return
        document = json.loads(text)
        if versions is not None:
            versions.update(compiler=document["compiler"], flags=document["flags"].strip(), tandem=document["version"])
        for line in document["results"]:
            if engine:
                line["engine"] = engine
            results.add(line)
        return
    for line in text.splitlines():
        if line.startswith("{"):
            results.add(json.loads(line))
    if done.returncode:
        print(f"{command[0]} failed on {command[1]}: {done.stderr.strip()}", file=sys.stderr)


def measure(arguments, drivers):
    results, versions = Results(), {}
    folder = os.path.join(ROOT, "build", "bench", "mechanisms")
    subprocess.run([arguments.tandem, "bench", "--write", folder], check=True)
    only_tandem = ["chain-10", "chain-10000"]
    for mechanism in TREES + LOOPS + LOADED + ROPES + only_tandem + ["bicycle"]:
        if arguments.only and mechanism not in arguments.only:
            continue
        print(f"{mechanism} ...", file=sys.stderr, flush=True)
        for _ in range(arguments.rounds):
            seconds = str(arguments.seconds)
            command = ["bench", mechanism, "--json", "--rounds", "1", "--seconds", seconds]
            run([arguments.tandem, *command], results, versions)
            if arguments.shipped:
                run([arguments.shipped, *command], results, engine=SHIPPED)
            if mechanism == "bicycle" and "exudyn" in drivers:
                run([PYTHON, os.path.join(HERE, "peers", "exudyn_peer.py"), "bicycle"], results)
            if mechanism in TREES + LOOPS + LOADED + ROPES:
                for engine in drivers:
                    if engine != "exudyn" and (mechanism not in LOADED or engine in LOADED_DRIVERS):
                        run([os.path.join(PEERS, engine), os.path.join(folder, mechanism + ".mech"), seconds], results)
    if not arguments.only:
        for mechanism in ("chain-100000", "chain-1000000"):
            run([arguments.tandem, "bench", mechanism, "--json", "--rounds", "1"], results)
    return results, versions


def time_text(seconds):
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale or unit == "µs":
            return f"{seconds / scale:.3g} {unit}"


def number(x):
    return f"{x:.2f}" if x < 10 else f"{x:.0f}"


def verdict(line):
    if "gap_m" in line:
        return "holds together" if line["right"] else "WRONG: it falls apart"
    return f"right to {line['error']:.0e}" if line["right"] else f"WRONG by {line['error']:.0e}"


def target_of(job, mechanism, engine, family, line):
    if job == "loops" and engine == "pinocchio" and family == "constraintDynamics":
        return LOOP_TARGETS.get(mechanism)
    if job == "step" and mechanism == "loaded-stewart":
        return LOOP_TARGETS["stewart"]
    if family == "lcaba" and line["error"] > 1e-8:
        return None
    return TARGETS.get((job, engine, family))


def rows(results, drivers):
    """(job, cells) of the large table, and (label, ratio, target) of the picture."""
    table, bars = [], []
    for job, mechanisms in (("forward", TREES), ("inverse", TREES), ("mass", TREES), ("loops", LOOPS),
                            ("step", LOADED), ("impulses", ROPES), ("bicycle", ["bicycle"]), ("ride", ["bicycle"])):
        for mechanism in mechanisms:
            ours = results.tandem(job, mechanism)
            if ours is None:
                continue
            mine = f"{time_text(ours['seconds'])} ({ours['how'].split(',')[0]})"
            shipped = results.tandem(job, mechanism, SHIPPED)
            shipped = time_text(shipped["seconds"]) if shipped else "-"
            cells = []
            for engine in drivers:
                for family, line in results.ways(job, mechanism, engine).items():
                    target = target_of(job, mechanism, engine, family, line)
                    fair = line["right"] and (job != "ride" or ours["energy_error"] <= line["energy_error"])
                    ratio = line["seconds"] / ours["seconds"] if fair else None
                    if ratio:
                        bars.append((f"{job} {mechanism}: {engine} {family}", ratio, target))
                    mark = "" if target is None or ratio is None else " ✓" if ratio >= target else " ✗"
                    cells.append([mechanism, mine, shipped, f"{engine} {line['how']}", time_text(line["seconds"]),
                                  f"{number(ratio)}{mark}" if ratio else "-", f"≥ {target:g}" if target else "",
                                  verdict(line) + extra(ours, line)])
            table += [(job, each) for each in cells or [[mechanism, mine, shipped, "-", "-", "-", "", verdict(ours)]]]
    return table, bars


def extra(ours, line):
    for key, text in (("gap_m", "gap {:.1f} mm, Tandem {:.1f} mm"), ("energy_error", "energy {:.0e}, Tandem {:.0e}")):
        if key in line and key in ours:
            scale = 1e3 if key == "gap_m" else 1.0
            return "; " + text.format(scale * line[key], scale * ours[key])
    return f"; Tandem {ours['error']:.0e}"


def growth_rows(results, whole=True):
    """What is to grow linearly, and what must stay within a factor: Tandem's figure, the shipped build's, the target."""
    shipped = {what: value for what, value, _ in growth_of(results, SHIPPED)}
    out = [(what, value, shipped.get(what, "-"), target) for what, value, target in growth_of(results, "tandem")]
    for (job, mechanism, _, _), line in results.best.items():
        if job == "memory":
            out.append((f"memory, {mechanism}", f"{line['peak_bytes'] / 2**20:.0f} MiB, {time_text(line['seconds'])}", "-",
                        "runs"))
    for n in ("100000", "1000000") if whole else ():
        if not any(key[:2] == ("memory", f"chain-{n}") for key in results.best):
            out.append((f"memory, chain-{n}", "does not run", "-", "runs"))
    return out


def growth_of(results, build):
    out = []

    def seconds(job, mechanism, how):
        line = results.best.get((job, mechanism, build, how))
        return line["seconds"] if line and line["right"] else None

    def ratio(what, above, below, target, unit=""):
        if above and below:
            out.append((what, f"{above / below:.2f}{unit}", target))

    small, large = seconds("loops", "a02-10", "TreeDynamics"), seconds("loops", "a02-160", "TreeDynamics")
    if small and large:
        out.append(("four-bars, N = 10 to 160", f"{large / small:.1f} times", "≤ 18"))
    small, large = seconds("lagrange", "chain-10", "lagrange"), seconds("lagrange", "chain-10000", "lagrange")
    if small and large:
        out.append(("lagrange, chain of 10 to 10 000", f"{large / small:.0f} times", "about 1000"))
    for n in (10, 100, 1000, 10000):
        slow, fast = (seconds("lagrange", f"chain-{n}", how) for how in ("lagrange", "articulated"))
        if slow and fast:
            out.append((f"lagrange over articulated, chain of {n}", f"{slow / fast:.1f} ({time_text(slow)})", "≤ 5"))
    for mechanism in LOADED:
        ours, bare = results.tandem("step", mechanism, build), results.tandem("bare step", mechanism, build)
        once = seconds("forward", mechanism.removeprefix("loaded-"), "TreeDynamics")
        if ours and once:
            ratio(f"a step of {mechanism} over 4 bare evaluations", ours["seconds"], 4 * once, "≤ 1.6")
        if ours and bare:
            ratio(f"loads of {mechanism}", ours["seconds"], bare["seconds"], "≤ 1.15 and their own evaluation",
                  " times a bare step")
        by_bodies = seconds("step", mechanism, "lagrange, rk4, projection")
        if by_bodies:
            out.append((f"a step of {mechanism} by lagrange on the cut all", time_text(by_bodies), ""))
    driven, pushed = (results.tandem("step", f"{what}-stewart", build) for what in ("driven", "loaded"))
    if driven and pushed:
        ratio("stewart: six drives over six efforts", driven["seconds"], pushed["seconds"], "≤ 1.2")
    bare = seconds("run", "loaded-chain-30", "bare steps")
    for how, target in (("a row every 10 steps", "≤ 1.3"), ("a row every step", "≤ 2")):
        ratio(f"a run of loaded-chain-30 with health and {how}", seconds("run", "loaded-chain-30", how), bare, target,
              " times bare stepping")
    rk4 = seconds("evaluation", "loaded-chain-30", "rk4")
    for integrator in ("dopri5", "dop853"):
        ratio(f"an evaluation of loaded-chain-30 by {integrator}", seconds("evaluation", "loaded-chain-30", integrator), rk4,
              "≤ 1.15", " times rk4's")
    for integrator in ("herk", "implicit"):
        line = results.best.get(("linear solve", "loaded-a02-10", build, integrator))
        if line and line["right"]:
            out.append((f"a linear solve of loaded-a02-10 by {integrator}",
                        f"{time_text(line['seconds'])}, {line['solves_a_step']:.1f} in a step", ""))
    if build == "tandem":
        out += gap_rows(results)
    ours = results.tandem("bicycle", "bicycle", build)
    if ours:
        out.append(("bicycle, rk4 with projection, 1 ms", f"{1 / ours['seconds']:.0f} steps/s", "≥ 150 000"))
    damped = results.tandem("bicycle, damped", "bicycle", build)
    if ours and damped:
        out.append(("the same with a damper in the steering head", f"{1 / damped['seconds']:.0f} steps/s, "
                    f"{100 * (1 - ours['seconds'] / damped['seconds']):.0f} % less", "at most 10 % less"))
    return out


def gap_rows(results):
    """How far joints open when the engines get the same time a step: the other's gap on a line through its points."""
    out = []
    for mechanism in ROPES:
        ours = results.best.get(("impulses", mechanism, "tandem", "10 sweeps, 1 of positions"))
        theirs = sorted((line["seconds"], line["gap_m"]) for key, line in results.best.items()
                        if key[:3] == ("impulses", mechanism, "bullet") and line["right"])
        if not ours or len(theirs) < 2:
            continue
        (t0, gap0), (t1, gap1) = theirs[0], theirs[-1]
        power = math.log(gap1 / gap0) / math.log(t1 / t0)
        at_equal_time = gap0 * (ours["seconds"] / t0) ** power
        out.append((f"joint gap for equal time, {mechanism}",
                    f"{1e3 * ours['gap_m']:.1f} mm in {time_text(ours['seconds'])}; bullet {1e3 * at_equal_time:.1f} mm",
                    "less"))
    return out


def installed_versions():
    """Of the peers, as their packages say."""
    found = {}
    if os.path.exists(PYTHON):
        code = ("from importlib.metadata import version\n"
                "for name in ('pin', 'mujoco', 'exudyn', 'drake'):\n"
                "  try: print(name, version(name))\n"
                "  except Exception: pass")
        for line in subprocess.run([PYTHON, "-c", code], capture_output=True, text=True).stdout.splitlines():
            found.update([line.split()])
    for name, package in (("simbody", "libsimbody-dev"), ("bullet", "libbullet-dev"), ("dart", "libdart-dev")):
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout:
            found[name] = asked.stdout
    return found


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":")[1].strip()
                break
    with open("/etc/os-release", encoding="utf-8") as release:
        system = next(line.split("=")[1].strip().strip('"') for line in release if line.startswith("PRETTY_NAME"))
    return f"{model}, {os.cpu_count()} cores, {system}, Linux {platform.release()}"


QUOTED = """## Measured on another day, on another machine

Not in this run, and not to be set against its figures: quoted from measurements of 2026-11-15 on two virtual cores of an
Intel Xeon with AVX-512, about 3.6 GHz, shared with other jobs. Microseconds per evaluation.

| engine | forward 7 / 30 / 100 / 1000 joints | inverse 7 / 30 / 100 | four-bars N = 2 / 10 / 40 |
|---|---|---|---|
| RBDL d2ca0372, clang | 0.858 / 3.92 / 13.4 / 135 | 0.378 / 1.64 / 5.54 | 2.11 / 17.4 / 371 |
| Pinocchio 3.7.0, generated code | 0.443 / 3.17 / - / - | 0.177 / 1.22 / - | - |
| Pinocchio 3.7.0, clang | 0.909 / 4.16 / 14.1 / 141 | 0.435 / 1.85 / 6.26 | 2.74 / 14.9 / 164 |

Jolt 5.5.1 (development, float, 10 + 2 iterations), the falling rope of 10 / 100 / 1000 bodies at 1/60 s: 10.2 / 89 / 662 µs
per step; at 1/240 s its joints open by 6.2 / 45 / 5.9 mm.
"""


def cautions(versions, loads):
    """What makes the figures of this run worse than they could be."""
    out = []
    if "native" not in versions.get("flags", ""):
        out.append("Tandem was not built for this processor (preset `native`), Pinocchio was.")
    if max(loads) > 1.5:
        out.append(f"Other programs kept the machine busy: its load was {loads[0]:.1f} at the start and {loads[1]:.1f} at "
                   f"the end, on {os.cpu_count()} cores.")
    return ["**" + " ".join(out) + "**", ""] if out else []


def markdown(results, versions, loads, table, arguments):
    lines = ["# Results", "",
             "Written by `scripts/bench`, which `make bench` calls. How it is measured: [README](README.md).", "",
             f"- date: {datetime.date.today().isoformat()}",
             f"- machine: {machine()}",
             f"- Tandem {versions.get('tandem')}: {versions.get('compiler')}, `{versions.get('flags')}`; \"shipped\": the "
             "program of `make build`, for any processor",
             "- peers: " + (", ".join(f"{name} {version}" for name, version in installed_versions().items()) or "none"),
             "- Pinocchio: its headers compiled here by clang 14, `-O3 -march=native`; MuJoCo and Exudyn: the wheels of "
             "PyPI; Simbody, Bullet and DART: the Debian packages, which are not built for this processor",
             f"- the best of {arguments.rounds} rounds, {arguments.seconds:g} s of CPU time per job and round; the engines "
             "take turns", "",
             *cautions(versions, loads),
             "A ratio is the peer's time over Tandem's: above 1 Tandem is faster. ✓ and ✗ compare it with the target. "
             "An answer that is not right to its limit (accelerations, efforts: 1e-8) has no ratio.", ""]
    if os.path.exists(os.path.join(HERE, "results.svg")):
        lines += ["![Ratios against their targets](results.svg)", ""]
    job = None
    for of_job, cells in table:
        if of_job != job:
            job = of_job
            lines += ["", f"## {TITLES[job]}", "",
                      "| mechanism | Tandem | shipped | peer | its time | ratio | target | checked |",
                      "|---|---|---|---|---|---|---|---|"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## Growth, steps and memory", "", "| what | Tandem | shipped | target |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in growth_rows(results)]
    lines += ["", QUOTED]
    return "\n".join(lines)


def picture(bars, path):
    try:
        import matplotlib
    except ImportError:
        return
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams["svg.hashsalt"] = "tandem"
    figure, axes = plt.subplots(figsize=(9, 0.17 * len(bars) + 1))
    for i, (label, ratio, target) in enumerate(bars):
        axes.barh(i, ratio, color="#2a6f97" if ratio >= (target or 1.0) else "#c1666b" if target else "#9aa5b1")
        if target:
            axes.plot([target, target], [i - 0.45, i + 0.45], color="black", linewidth=2)
    axes.set_yticks(range(len(bars)), [label for label, _, _ in bars], fontsize=7)
    axes.set_ylim(len(bars), -1)
    axes.set_xscale("log")
    axes.axvline(1.0, color="grey", linewidth=0.8)
    axes.set_xlabel("the peer's time over Tandem's; black: the target\nred: the target is missed; grey: no target, Tandem is slower")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tandem", default=os.path.join(ROOT, "build", "tandem"))
    parser.add_argument("--shipped", help="the program as it is shipped, to be shown beside --tandem")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--only", nargs="*", help="only these mechanisms; RESULTS.md stays as it is")
    arguments = parser.parse_args()
    drivers = [name for name in DRIVERS if os.path.exists(os.path.join(PEERS, name))]
    if os.path.exists(PYTHON):
        drivers.append("exudyn")
    loads = [os.getloadavg()[0]]
    results, versions = measure(arguments, drivers)
    loads.append(os.getloadavg()[0])
    table, bars = rows(results, drivers)
    heading = ["mechanism", "Tandem", "shipped", "peer", "its time", "ratio", "target", "checked"]
    width = [max(len(cells[i]) for cells in [heading] + [each for _, each in table]) for i in range(len(heading))]
    for job, cells in [("job", heading)] + table:
        print(f"{job:9}", "  ".join(cell.ljust(size) for cell, size in zip(cells, width)).rstrip())
    print()
    for row in growth_rows(results, not arguments.only):
        print("  ".join(cell.ljust(40) for cell in row).rstrip())
    if not drivers:
        print("\nThis is Tandem alone. For its peers: make bench-peers, then make bench again.")
    elif not arguments.only:
        picture(bars, os.path.join(HERE, "results.svg"))
        with open(os.path.join(HERE, "RESULTS.md"), "w", encoding="utf-8") as out:
            out.write(markdown(results, versions, loads, table, arguments))
        print("\nWritten: bench/RESULTS.md, bench/results.svg")
    wrong = [key for key, line in results.best.items() if key[2] in ("tandem", SHIPPED) and not line["right"]]
    if wrong:
        sys.exit("WRONG answers of Tandem: " + ", ".join(" ".join(key) for key in wrong))


main()
