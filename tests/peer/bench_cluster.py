"""CPU seconds, wall time and memory of `npuscope cluster` next to msprof-analyze, in one run.

A job of 32 ranks x 50 steps is simulated once as text and once as databases. Every mode, and `diagnose`, is asked of
the databases, the built-in ones and `diagnose` of the text too. npuscope answers three times each

- cold: with an empty cache;
- with columns: with the columns of all ranks in the cache, as `npuscope info` leaves them, and no extracts;
- with extracts: with what the cold run left.

The last must take a tenth of the CPU seconds of the first (column "again"). msprof-analyze answers once, for at most
LIMIT seconds, unless it has no such mode. CPU seconds are those of a program and all processes it started. Then `all`
on 8 to 64 ranks shows how cost grows.

NPUSCOPE names the binary; arguments choose modes. PEER_LIMIT changes the limit, 0 leaves msprof-analyze out; DP and
STEPS change the job (DP x 4 ranks).
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NPUSCOPE = os.environ["NPUSCOPE"]
PEER = str(pathlib.Path(sys.executable).parent / "msprof-analyze")
LIMIT = int(os.environ.get("PEER_LIMIT", "300"))
DP = os.environ.get("DP", "8")
STEPS = os.environ.get("STEPS", "50")
BUILT_IN = {"all", "communication_time", "communication_matrix"}
BAR = {True: 50, False: 30}
# How much less the second run takes.
AGAIN = 10
DIAGNOSE = "diagnose"
# What the peer does not have, or cannot run, or needs other input for.
NOT_COMPARED = {
    "filter_db",
    "cluster_compare_baseline",
    "cluster_time_compare_summary",
    "calibrate_npu_gpu",
    "operator_mfu",
    DIAGNOSE,
}
# A job is its own baseline.
WITH_BASELINE = {"cluster_compare_baseline", "cluster_time_compare_summary"}


def run(command, limit=None):
    """CPU seconds, wall seconds, peak MB, exit code and whether it was ended for taking too long."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        late = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if limit and not late and time.monotonic() - start > limit:
                late = True
                os.killpg(process.pid, signal.SIGINT)
                time.sleep(2)
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.005)
        process.returncode = 0
        wall = time.monotonic() - start
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, 2) and not late:
            log.seek(0)
            sys.stderr.write(log.read().decode(errors="replace")[-2000:])
        return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, code, late


def modes():
    text = subprocess.run([NPUSCOPE, "cluster", "--help"], capture_output=True, text=True, check=True).stdout
    lines = text.split("Modes:\n")[1].splitlines()
    # What a line is broken for has no second column.
    return [line.split()[0] for line in lines if "  " in line.strip()]


def command(mode, work, profile, cache):
    if mode == DIAGNOSE:
        return [NPUSCOPE, DIAGNOSE, "-q", profile, "--cache-dir", str(cache)]
    command = [NPUSCOPE, "cluster", "-q", "-d", profile, "-m", mode, "-o", str(work / "ours"), "--cache-dir", str(cache)]
    if mode in WITH_BASELINE:
        command += ["--bp", profile]
    return command


def ours(mode, work, profile, cache, prepare):
    """Of three runs the one with the middle CPU time: single short runs differ by a fifth."""
    runs = []
    for _ in range(3):
        prepare()
        runs.append(run(command(mode, work, profile, cache)))
        shutil.rmtree(work / "ours", ignore_errors=True)
    return sorted(runs)[1]


def forget_extracts(cache):
    for directory in cache.glob("extracts-*"):
        shutil.rmtree(directory)


def cold_columns_extracts(mode, work, profile, columns):
    cache = work / "cache"
    cold = ours(mode, work, profile, cache, lambda: shutil.rmtree(cache, ignore_errors=True))
    with_extracts = ours(mode, work, profile, cache, lambda: None)
    with_columns = ours(mode, work, profile, columns, lambda: forget_extracts(columns))
    return cold, with_columns, with_extracts


def compare(work, chosen):
    print(
        f"{'mode':<30} {'form':<5} {'cold s':>8} {'columns':>8} {'extracts':>8} {'again':>6} {'wall s':>8} {'MB':>6}   "
        f"{'peer CPU s':>10} {'wall s':>8}  ratio  bar"
    )
    slow = []
    for form in ("text", "db"):
        profile, columns = str(work / form), work / f"columns-{form}"
        run([NPUSCOPE, "info", "-q", profile, "--cache-dir", str(columns)])
        for mode in chosen:
            if form == "text" and mode not in BUILT_IN | {DIAGNOSE}:
                continue
            cold, with_columns, with_extracts = cold_columns_extracts(mode, work, profile, columns)
            again = cold[0] / max(with_extracts[0], 1e-3)
            if again < AGAIN and cold[3] == 0:
                slow.append(f"{mode} ({form}): {again:.1f}x")
            line = (
                f"{mode:<30} {form:<5} {cold[0]:>8.2f} {with_columns[0]:>8.2f} {with_extracts[0]:>8.2f} {again:>5.1f}x "
                f"{cold[1]:>8.2f} {cold[2]:>6.0f}   "
            )
            if cold[3] != 0 or mode in NOT_COMPARED or LIMIT == 0:
                print(line + ("no answer" if cold[3] else "not compared"), flush=True)
                continue
            # Some modes of the peer write into their input.
            copy = work / "peer-input"
            subprocess.run(["cp", "-r", profile, str(copy)], check=True)
            peer = run([PEER, "cluster", "-d", str(copy), "-m", mode, "-o", str(work / "peer")], LIMIT)
            shutil.rmtree(copy)
            shutil.rmtree(work / "peer", ignore_errors=True)
            if peer[4] or peer[3] != 0:
                print(line + (f"not done in {LIMIT} s" if peer[4] else "the peer fails"), flush=True)
                continue
            ratio = peer[0] / cold[0]
            print(line + f"{peer[0]:>10.1f} {peer[1]:>8.1f} {ratio:>6.1f}x {BAR[mode in BUILT_IN]:>4}x", flush=True)
    print(f"\nsecond runs below {AGAIN}x: {', '.join(slow) if slow else 'none'}")


def growth(work):
    print(f"\n{'ranks':>5} {'form':<5} {'CPU s':>8} {'ms per rank':>12} {'MB':>6}   all")
    for form in ("text", "db"):
        for dp in (2, 4, 8, 16):
            profile = str(work / "growing")
            subprocess.run([NPUSCOPE, "synth", "-q", "-o", profile, "--dp", str(dp), "--steps", "20", "--form", form], check=True)
            cache = work / "cache"
            cpu, _, mb, _, _ = ours("all", work, profile, cache, lambda: shutil.rmtree(cache, ignore_errors=True))
            print(f"{4 * dp:>5} {form:<5} {cpu:>8.2f} {1000 * cpu / (4 * dp):>12.1f} {mb:>6.0f}", flush=True)
            shutil.rmtree(profile)


def main():
    chosen = sys.argv[1:] or [DIAGNOSE, *modes()]
    with tempfile.TemporaryDirectory(prefix="npuscope-bench-") as directory:
        work = pathlib.Path(directory)
        for form in ("text", "db"):
            command = [NPUSCOPE, "synth", "-q", "-o", str(work / form), "--dp", DP, "--steps", STEPS, "--form", form]
            subprocess.run(command, check=True)
        compare(work, chosen)
        if not sys.argv[1:]:
            growth(work)


if __name__ == "__main__":
    main()
