"""What `npuscope convert --to perfetto` writes is, read with Perfetto's own schema, what the tables say.

Run by `make test-peer`, which sets NPUSCOPE to the binary under test.
"""

import collections
import collections.abc
import csv
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackDescriptor, TrackEvent

NPUSCOPE = os.environ["NPUSCOPE"]
SHARED = Path(__file__).parents[3] / "shared"
JOB = ["--tp", "2", "--pp", "1", "--dp", "2", "--layers", "2", "--steps", "2", "--micro-batches", "2"]
TABLES = ["host_op", "task", "comm_op", "comm_task", "overlap"]


def npuscope(*arguments):
    done = subprocess.run([NPUSCOPE, *map(str, arguments)], check=False, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"npuscope {arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def sql(profile, query):
    """The rows of a query, as tuples of text."""
    return [tuple(row) for row in csv.reader(npuscope("sql", profile, query, "--format", "csv").splitlines()[1:])]


def parse(path):
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    return trace


class Summary:
    """Slices and samples of a trace, counted; fails where begins and ends do not match."""

    def __init__(self, trace):
        tracks = {p.track_descriptor.uuid: p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")}
        texts, open_slices = {}, collections.defaultdict(list)
        self.root = tracks[0]
        self.processes = {t.process.pid: t.process.process_name for t in tracks.values() if t.HasField("process")}
        self.slices, self.samples, self.names = collections.Counter(), collections.Counter(), collections.Counter()
        self.sources, self.targets = collections.Counter(), collections.Counter()
        for packet in trace.packet:
            assert not has_unknown_fields(packet), packet
            sequence = packet.trusted_packet_sequence_id
            for kind in ("event_names", "event_categories"):
                for entry in getattr(packet.interned_data, kind):
                    texts[sequence, kind, entry.iid] = entry.name
            if not packet.HasField("track_event"):
                continue
            event = packet.track_event
            track = tracks[event.track_uuid]
            while not (track.HasField("thread") or track.HasField("counter")):
                track = tracks[track.parent_uuid]
            rank = tracks[track.parent_uuid].process.process_name.split(" · ")[0].removeprefix("rank ")
            if event.type == TrackEvent.TYPE_COUNTER:
                self.samples[rank] += 1
            elif event.type == TrackEvent.TYPE_SLICE_BEGIN:
                open_slices[event.track_uuid].append(packet.timestamp)
                self.slices[rank, texts[sequence, "event_categories", event.category_iids[0]]] += 1
                self.names[texts[sequence, "event_names", event.name_iid]] += 1
                self.sources.update(event.flow_ids)
                self.targets.update(event.terminating_flow_ids)
            else:
                assert open_slices[event.track_uuid].pop() <= packet.timestamp
        assert not any(open_slices.values())


def has_unknown_fields(message):
    """Whether the message, or one in it, has a field that the schema lacks."""
    inner = [value for field, value in message.ListFields() if field.message_type]
    inner = [part for value in inner for part in (value if isinstance(value, collections.abc.Sequence) else [value])]
    return len(UnknownFieldSet(message)) > 0 or any(map(has_unknown_fields, inner))


class Perfetto(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def export(self, profile, *options):
        path = self.scratch / f"{len(list(self.scratch.iterdir()))}.perfetto-trace"
        npuscope("convert", profile, "--to", "perfetto", "-o", path, *options)
        return Summary(parse(path))

    def check(self, profile):
        found = self.export(profile)
        expected = {
            (rank, table): int(count)
            for table in TABLES
            for rank, count in sql(profile, f"SELECT rank, count(*) FROM {table} GROUP BY rank")
        }
        slices = {key: count for key, count in found.slices.items() if key[1] != "step"}
        self.assertEqual(slices, expected)
        samples = {rank: int(count) for rank, count in sql(profile, "SELECT rank, count(*) FROM counter GROUP BY rank")}
        self.assertEqual(dict(found.samples), samples)
        self.assertEqual(found.sources, found.targets)
        self.assertEqual(set(found.sources.values()), {1})
        self.assertEqual(found.root.process_ordering, TrackDescriptor.PROCESS_ORDERING_EXPLICIT)
        self.assertTrue(all(name.startswith("rank ") for name in found.processes.values()))
        return found

    def test_simulated(self):
        for options in ([], ["--framework", "mindspore"], ["--format", "db"]):
            with self.subTest(options=options):
                profile = self.scratch / ("job " + " ".join(options))
                npuscope("synth", "-o", profile, *JOB, *options)
                found = self.check(profile)
                flows = sql(profile, "SELECT count(*) FROM flow")
                self.assertEqual([(str(len(found.sources)),)], flows)
                names = sql(profile, "SELECT name, count(*) FROM task GROUP BY name")
                self.assertEqual([name for name, count in names if found.names[name] < int(count)], [])

    def test_window(self):
        profile = self.scratch / "job"
        npuscope("synth", "-o", profile, *JOB)
        [(start, end)] = sql(profile, 'SELECT min(start), max("end") FROM step WHERE id = 11 AND rank = 1')
        found = self.export(profile, "--ranks", "1", "--range", "step:11")
        for table in TABLES:
            inside = f"start < {end} AND (start + duration > {start} OR duration = 0 AND start = {start})"
            [(count,)] = sql(profile, f"SELECT count(*) FROM {table} WHERE rank = 1 AND {inside}")
            self.assertEqual(found.slices["1", table], int(count), table)

    def test_real_captures(self):
        captures = sorted(SHARED.glob("data/npu/*/level*"))
        if not captures:
            self.skipTest(f"no {SHARED}")
        for capture in captures:
            with self.subTest(capture=f"{capture.parent.name}/{capture.name}"):
                self.check(capture)


if __name__ == "__main__":
    unittest.main(verbosity=2)
