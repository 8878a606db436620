"""msprof-analyze accepts what npuscope writes, and finds in a converted profile what it finds in the original.

Run by `make test-peer`, which sets NPUSCOPE to the binary under test and puts msprof-analyze beside the interpreter.
"""

import contextlib
import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NPUSCOPE = os.environ["NPUSCOPE"]
PEER = Path(sys.executable).parent / "msprof-analyze"
SHARED = Path(__file__).parents[3] / "shared"
JOB = [
    "--tp", "2", "--pp", "1", "--dp", "2", "--layers", "2", "--steps", "2", "--micro-batches", "2", "--fault",
    "slow-rank@1:1.3",
]  # fmt: skip


MOE_JOB = [
    "--preset", "deepseek-moe", "--tp", "1", "--pp", "2", "--dp", "4", "--ep", "2", "--layers", "4", "--steps", "4",
    "--micro-batches", "2", "--fault", "slow-rank@1:1.3", "--fault", "experts@2:3", "--fault", "frequency@3:1200",
    "--fault", "slow-link@4-5:8,steps=11..11",
]  # fmt: skip
# Each with a table that it writes.
RECIPES = {
    "cann_api_sum": "CannApiSum",
    "compute_op_sum": "ComputeOpAllRankStats",
    "hccl_sum": "HcclAllRankStats",
    "mstx_sum": "MSTXAllCannStats",
    "slow_link": "SlowLinkSum",
    "slow_rank": "SlowRank",
    "free_analysis": "FreeAnalysis",
    "ep_load_balance": "EPTokensSummary",
    "communication_group_map": "CommunicationGroupMapping",
    "communication_time_sum": "ClusterCommunicationTime",
    "communication_matrix_sum": "ClusterCommunicationMatrix",
    "freq_analysis": "AbnormalFrequencyRanks",
    "module_statistic": "ModuleStatistic",
    "computational_op_masking": "ComputationalOperatorMaskingLinearity",
    "communication_bottleneck": "CommunicationBottleneck",
}
# Those that write into the profile: a column or table of the database, or files.
WRITING_RECIPES = {"p2p_pairing": "opConnectionId", "pp_chart": "StepTaskInfo", "export_summary": None}


def run(*command):
    """Runs a command that has to succeed; the errors it logs all the same."""
    done = subprocess.run([str(part) for part in command], check=False, capture_output=True, text=True, timeout=600)
    output = done.stdout + done.stderr
    if done.returncode != 0 or "Traceback" in output:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{output}")
    return re.findall(r"\[ERROR\]\[(.*?):", output)


def synth(directory, form, *options):
    run(NPUSCOPE, "synth", "-o", directory, "--format", form, *JOB, *options)
    return directory


def convert(source, form, directory):
    run(NPUSCOPE, "convert", source, "--to", form, "-o", directory)
    return directory


def cluster(profile):
    """What `msprof-analyze cluster -m all` finds in a profile: its result files as values, and its errors."""
    with tempfile.TemporaryDirectory() as out:
        errors = run(PEER, "cluster", "-m", "all", "-d", profile, "-o", out)
        output = Path(out) / "cluster_analysis_output"
        return {file.name: values(file, profile) for file in sorted(output.rglob("*")) if file.is_file()}, errors


def values(file, profile):
    """What a result file says, wherever the profile was."""
    if file.suffix == ".json":
        return json.loads(file.read_text())
    if file.suffix == ".csv":
        return list(csv.reader(file.read_text().splitlines()))
    with contextlib.closing(sqlite3.connect(file)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    return {table: sorted(repr(row).replace(f"{profile.resolve()}/", "") for row in rows[table]) for table in tables}


def schema(database):
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return connection.execute("SELECT sql FROM sqlite_master").fetchall()


def ranks(profile):
    return sorted(entry for entry in profile.iterdir() if entry.name.endswith(("_ascend_pt", "_ascend_ms")))


class Accepted(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def check(self, form, *options):
        """The peer analyses a simulated profile, and the same profile written again, with the same result."""
        profile = synth(self.scratch / "profile", form, *options)
        found, errors = cluster(profile)
        self.assertEqual(errors, [])
        self.assertTrue(found)
        self.assertEqual([name for name, rows in found.items() if not rows], [])
        self.assertSame(found, cluster(convert(profile, form, self.scratch / "again"))[0])
        return profile, found

    def assertSame(self, one, other, path=""):
        """Equal; if not, says where."""
        if isinstance(one, dict) and isinstance(other, dict):
            self.assertEqual(sorted(one), sorted(other), path)
            for key in one:
                self.assertSame(one[key], other[key], f"{path}/{key}")
        else:
            self.assertEqual(one, other, path)

    def compare_and_advise(self, profile):
        first, second = ranks(profile)[:2]
        out = self.scratch / f"{profile.name} results"
        self.assertEqual(run(PEER, "compare", "-d", first, "-bp", second, "-o", out / "compare"), [])
        self.assertTrue(list((out / "compare").glob("*.xlsx")))
        errors = run(PEER, "advisor", "all", "-d", profile, "-o", out / "advice")
        if sqlite3.sqlite_version_info < (3, 44):
            # Its query for call stacks orders inside GROUP_CONCAT, which an older SQLite does not know.
            errors = [error for error in errors if error != "db_stack_finder.py"]
        self.assertEqual(errors, [])
        self.assertTrue(list((out / "advice").rglob("*.html")))

    def check_form(self, form, other):
        profile, found = self.check(form)
        converted = convert(synth(self.scratch / other, other), form, self.scratch / "crossed")
        crossed, errors = cluster(converted)
        self.assertEqual(errors, [])
        self.assertEqual(sorted(found), sorted(crossed))
        self.compare_and_advise(profile)
        self.compare_and_advise(converted)

    def test_text(self):
        self.check_form("text", "db")

    def test_db(self):
        self.check_form("db", "text")

    def test_mindspore_text(self):
        profile, _ = self.check("text", "--framework", "mindspore")
        self.compare_and_advise(profile)

    def test_mindspore_db(self):
        profile, _ = self.check("db", "--framework", "mindspore")
        self.compare_and_advise(profile)

    def recipe(self, mode, profile, *options):
        """Runs a recipe on a copy of the profile, since some write into it."""
        copy, out = self.scratch / mode / "profile", self.scratch / mode / "out"
        shutil.copytree(profile, copy)
        with self.subTest(recipe=mode):
            self.assertEqual(run(PEER, "cluster", "-m", mode, "-d", copy, "-o", out, *options), [])
        return copy, out

    def test_recipes(self):
        """Every recipe that level1 feeds. The others want what no profile of that level has: operator_mfu the
        device's own info file, calibrate_npu_gpu an Nsight profile, mstx2commop a profile without operations."""
        profile = self.scratch / "moe"
        run(NPUSCOPE, "synth", "-o", profile, "--format", "db", *MOE_JOB)
        for mode, table in RECIPES.items():
            _, out = self.recipe(mode, profile)
            with self.subTest(recipe=mode):
                self.assertIn(table, values(out / "cluster_analysis_output" / "cluster_analysis.db", profile))
        for mode, table in WRITING_RECIPES.items():
            copy, _ = self.recipe(mode, profile)
            with self.subTest(recipe=mode):
                written = [path for path in copy.rglob("*") if path.is_file()]
                if table is None:
                    self.assertGreater(len(written), len([path for path in profile.rglob("*") if path.is_file()]))
                else:
                    databases = [path for path in written if path.name.startswith("ascend_pytorch_profiler")]
                    self.assertTrue(all(table in str(schema(path)) for path in databases))
        first, _ = self.recipe("cluster_time_summary", profile)
        for copy in (first, profile):
            run(PEER, "cluster", "-m", "cluster_time_summary", "-d", copy)
        self.assertEqual(run(PEER, "cluster", "-m", "cluster_time_compare_summary", "-d", first, "--bp", profile), [])

    def test_user_ranges_alone(self):
        """At the level that records user ranges alone, the peer finds the communications in them."""
        profile = self.scratch / "ranges"
        run(NPUSCOPE, "synth", "-o", profile, "--format", "db", "--level", "none", *JOB)
        self.recipe("mstx_sum", profile)
        _, out = self.recipe("mstx2commop", profile)
        found = list(out.rglob("*.db"))
        self.assertTrue(found and all("COMMUNICATION_OP" in str(schema(path)) for path in found))

    def test_level0(self):
        for form in ("text", "db"):
            profile = synth(self.scratch / form, form, "--level", "level0")
            found, errors = cluster(profile)
            with self.subTest(form=form):
                self.assertEqual(errors, [])
                self.assertTrue(found)

    def test_real_captures(self):
        for form in ("text", "db"):
            for capture in sorted(SHARED.glob(f"data/npu/{form}/level1")):
                with self.subTest(capture=capture.parent.name + "/" + capture.name):
                    again = convert(capture, form, self.scratch / form / capture.name)
                    (found, errors), (found_again, errors_again) = cluster(capture), cluster(again)
                    self.assertEqual(errors, errors_again)
                    self.assertSame(found, found_again)
        if not SHARED.exists():
            self.skipTest(f"no {SHARED}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
