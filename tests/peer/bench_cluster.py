"""CPU seconds, wall time and memory of `npuscope cluster` next to msprof-analyze, in one run.

A job of 32 ranks x 50 steps is simulated once as databases and once as text. Every mode, and `diagnose`, is asked of
both; modes about experts, marked operations and GPUs are asked of a second job of that size, which has them. npuscope
answers with four states of the cache and of the directory of results:

- cold: with an empty cache;
- with columns: with the columns of all ranks in the cache, as `npuscope info` leaves them, and no extracts;
- with extracts: with what the cold run left, into a new directory ("new -o");
- again: the same command once more, into the directory that has its results ("same -o").

The last two must take a tenth of the CPU seconds of the first. msprof-analyze answers once, for at most LIMIT seconds,
unless it has no such mode for that form. CPU seconds are those of a program and all processes it started. Then `all`
on 8 to 64 ranks shows how cost grows.

NPUSCOPE names the binary; arguments choose modes. PEER_LIMIT changes the limit, 0 leaves msprof-analyze out; DP and
STEPS change the jobs (DP x 4 ranks).
"""

import itertools
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from functools import partial

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
WITH_GPUS = {"calibrate_npu_gpu"}
# Asked of a job that has experts and marked operations.
MARKED = {"ep_load_balance", "operator_mfu"} | WITH_GPUS
SCENARIOS = {
    "plain": "",
    "marked": "ep = 2\nexperts = 4\ntop_k = 2\nexpert_ffn = 1024\nmfu_ranges = true\n",
}
LAYERS = 8


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
    output = str(work / "ours")
    command = [NPUSCOPE, "cluster", "-q", "-d", profile, "-m", mode, "-o", output, "--cache-dir", str(cache)]
    if mode in WITH_BASELINE:
        command += ["--bp", profile]
    if mode in WITH_GPUS:
        command += ["--baseline_profiling_path", str(work / "gpu.sqlite")]
    return command


def ours(mode, work, profile, cache, prepare, times):
    """Of some runs the one with the least CPU time. Noise only adds: on a virtual machine, the same write to new pages
    was seen to cost up to ten times as much."""
    runs = []
    for _ in range(times):
        prepare()
        runs.append(run(command(mode, work, profile, cache)))
    return min(runs)


def remove(*directories):
    for directory in directories:
        shutil.rmtree(directory, ignore_errors=True)


def four_states(mode, work, profile, columns, times):
    """Cold, with columns, with extracts, and again."""
    cache, output = work / "cache", work / "ours"
    with_columns = ours(mode, work, profile, columns, lambda: remove(output, *columns.glob("extracts-*")), times)
    cold = ours(mode, work, profile, cache, lambda: remove(output, cache), times)
    with_extracts = ours(mode, work, profile, cache, lambda: remove(output), 3)
    again = ours(mode, work, profile, cache, lambda: None, 3)
    remove(output)
    return cold, with_columns, with_extracts, again


def compare(work, chosen):
    print(
        f"{'mode':<30} {'form':<5} {'cold s':>8} {'columns':>8} {'new -o':>8} {'':>7} {'same -o':>8} {'':>7} "
        f"{'wall s':>8} {'MB':>6}   {'peer CPU s':>10} {'wall s':>8}  ratio  bar"
    )
    slow = []
    for form, (job, scenario) in itertools.product(("db", "text"), SCENARIOS.items()):
        asked = [mode for mode in chosen if (mode in MARKED) == (job == "marked")]
        if not asked:
            continue
        profile, columns, file = str(work / "profile"), work / "columns", work / "job.toml"
        # One job at a time: as text they take gigabytes.
        remove(profile, columns)
        file.write_text(f"dp = {DP}\nsteps = {STEPS}\n{scenario}")
        subprocess.run([NPUSCOPE, "synth", "-q", "-o", profile, "--scenario", str(file), "--format", form], check=True)
        run([NPUSCOPE, "info", "-q", profile, "--cache-dir", str(columns)])
        for mode in asked:
            has_peer_form = form == "db" or mode in BUILT_IN
            # To read text takes long, and many modes read the same.
            times = 3 if has_peer_form else 1
            cold, with_columns, *second = four_states(mode, work, profile, columns, times)
            line = f"{mode:<30} {form:<5} {cold[0]:>8.2f} {with_columns[0]:>8.2f} "
            for where, again in zip(("new -o", "same -o"), second):
                ratio = cold[0] / max(again[0], 1e-3)
                line += f"{again[0]:>8.3f} {ratio:>6.1f}x "
                if ratio < AGAIN and cold[3] == 0:
                    slow.append(f"{mode} ({form}, {where}): {ratio:.1f}x")
            line += f"{cold[1]:>8.2f} {cold[2]:>6.0f}   "
            if cold[3] != 0 or mode in NOT_COMPARED or not has_peer_form or LIMIT == 0:
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
            command = [NPUSCOPE, "synth", "-q", "-o", profile, "--dp", str(dp), "--steps", "20", "--format", form]
            subprocess.run(command, check=True)
            cache = work / "cache"
            cpu, _, mb, _, _ = ours("all", work, profile, cache, partial(remove, work / "ours", cache), 3)
            print(f"{4 * dp:>5} {form:<5} {cpu:>8.2f} {1000 * cpu / (4 * dp):>12.1f} {mb:>6.0f}", flush=True)
            shutil.rmtree(profile)


def gpu_baseline(path):
    """An export of Nsight Systems with modules of the same names as in the jobs, a device for each rank."""
    ranges, calls, kernels = [], [], []

    def mark(name, device, start, end):
        ranges.append((start, end, 59, name, device))

    for device in range(4 * int(DP)):
        now = 0
        for layer in list(range(LAYERS)) * int(STEPS):
            first = now
            for module in ("SelfAttention", "MLP", "MoELayer"):
                start = now
                for operator in ("aten::mm", "aten::mul", "aten::add"):
                    now += 10
                    mark(f"{operator}, seq = {now}", device, now, now + 8)
                    calls.append((now + 2, device, len(calls)))
                    kernels.append((now + 4, now + 9, device, len(kernels), 1))
                now += 20
                mark(f"{module}_{layer}", device, start, now - 1)
            mark(f"TransformerLayer_{layer}", device, first, now - 1)
    tables = {
        "StringIds": ("id, value", [(1, "gemm")]),
        "NVTX_EVENTS": ('start, "end", eventType, text, globalTid', ranges),
        "CUPTI_ACTIVITY_KIND_RUNTIME": ("start, globalTid, correlationId", calls),
        "CUPTI_ACTIVITY_KIND_KERNEL": ('start, "end", deviceId, correlationId, demangledName', kernels),
    }
    with sqlite3.connect(path) as database:
        for name, (columns, rows) in tables.items():
            database.execute(f"CREATE TABLE {name}({columns})")
            database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def main():
    chosen = sys.argv[1:] or [DIAGNOSE, *modes()]
    with tempfile.TemporaryDirectory(prefix="npuscope-bench-") as directory:
        work = pathlib.Path(directory)
        gpu_baseline(work / "gpu.sqlite")
        compare(work, chosen)
        if not sys.argv[1:]:
            growth(work)


if __name__ == "__main__":
    main()
