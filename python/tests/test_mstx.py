"""Marks and ranges: what is recorded of them, and that they end however the code inside them does."""

from __future__ import annotations

import asyncio
import copy
import inspect
import struct
import threading
import unittest

import npuscope
from npuscope import _npuscope, mstx
from support import Case, ranges, records


class TestFunctions(unittest.TestCase):
    def test_the_functions_are_the_compiled_ones(self) -> None:
        for name in ("mark", "range_start", "range_end"):
            self.assertIs(getattr(mstx, name), getattr(_npuscope, name))
            self.assertTrue(inspect.isbuiltin(getattr(mstx, name)))
            self.assertIs(getattr(npuscope.npu.mstx, name), getattr(_npuscope, name))
            self.assertIs(getattr(npuscope.npu.mstx(), name), getattr(_npuscope, name))
        self.assertIs(npuscope.npu.mstx.annotate, mstx.annotate)
        self.assertIs(npuscope.profiler.mstx, mstx)

    def test_nothing_happens_when_nothing_is_recorded(self) -> None:
        self.assertEqual(mstx.range_start("forward", None, "net"), 0)
        mstx.range_end(0)
        mstx.range_end(12345, "net")
        mstx.mark("now", domain="net")

    def test_wrong_arguments_raise_nothing(self) -> None:
        mstx.range_end(None)  # type: ignore[arg-type]
        mstx.mark(3)  # type: ignore[arg-type]
        self.assertEqual(mstx.range_start(3), 0)  # type: ignore[arg-type]


class TestRanges(Case):
    def recorded(self, **named: object) -> npuscope.profile:
        prof = npuscope.profile(output=self.place, backend="native", **named)  # type: ignore[arg-type]
        prof.start()
        self.addCleanup(prof.stop)
        return prof

    def test_ranges_and_marks_have_their_domains(self) -> None:
        prof = self.recorded()
        outer = mstx.range_start("outer")
        inner = mstx.range_start("inner", domain="net")
        self.assertNotEqual(outer, 0)
        self.assertNotEqual(inner, outer)
        mstx.range_end(inner, "net")
        mstx.range_end(outer)
        mstx.mark("saved", domain="disk")
        prof.stop()
        self.assertEqual(ranges(prof.directories[0]), ["outer"])
        self.assertEqual(ranges(prof.directories[0], "net"), ["inner"])
        marks = [
            texts for kind, _, texts in records(prof.directories[0] / "FRAMEWORK" / "npuscope.events") if kind == 0x102
        ]
        self.assertEqual(marks, [{1: "saved", 2: "disk"}])

    def test_counters_are_recorded(self) -> None:
        prof = self.recorded()
        npuscope.counter("loss", 0.5)
        prof.stop()
        values = [
            struct.unpack_from("<d", fixed, 16)[0]
            for kind, fixed, texts in records(prof.directories[0] / "FRAMEWORK" / "npuscope.events")
            if kind == 0x103 and texts[1] == "loss"
        ]
        self.assertEqual(values, [0.5])

    def test_push_and_pop_count_the_ranges_of_a_thread_and_domain(self) -> None:
        prof = self.recorded()
        self.assertEqual(mstx.range_push("a"), 0)
        self.assertEqual(mstx.range_push("b"), 1)
        self.assertEqual(mstx.range_push("other", domain="net"), 0)
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(mstx.range_pop()))
        thread.start()
        thread.join()
        self.assertEqual(elsewhere, [-1])
        self.assertEqual((mstx.range_pop(), mstx.range_pop(), mstx.range_pop()), (1, 0, -1))
        self.assertEqual(mstx.range_pop("net"), 0)
        prof.stop()
        self.assertEqual(ranges(prof.directories[0]), ["b", "a"])

    def test_a_range_ends_when_the_block_or_the_call_raises(self) -> None:
        prof = self.recorded()

        @mstx.mstx_timer_decorator
        def fails() -> None:
            raise KeyError("inside")

        with self.assertRaises(KeyError), mstx.annotate("block"):
            fails()
        prof.stop()
        self.assertEqual(ranges(prof.directories[0]), [fails.__qualname__, "block"])

    def test_excluded_domains_are_left_out(self) -> None:
        prof = self.recorded(experimental_config=npuscope._ExperimentalConfig(mstx=True, mstx_domain_exclude=["noise"]))
        with mstx.annotate("kept"), mstx.annotate("left out", domain="noise"):
            pass
        prof.stop()
        self.assertEqual((ranges(prof.directories[0]), ranges(prof.directories[0], "noise")), (["kept"], []))

    def test_waits_for_data_are_ranges(self) -> None:
        prof = self.recorded()
        loader = npuscope.data_loader([1, 2, 3])
        self.assertEqual((list(loader), len(loader)), ([1, 2, 3], 3))
        self.assertEqual(loader.index(2), 1)
        with self.assertRaises(AttributeError):
            _ = loader.sampler
        self.assertEqual(list(copy.deepcopy(loader)), [1, 2, 3])
        prof.stop()
        # The last wait is for the end of the data.
        self.assertEqual(ranges(prof.directories[0]), ["dataloader"] * 8)


class TestDecorators(Case):
    def test_a_function_stays_the_kind_of_function_it_was(self) -> None:
        @mstx.mstx_timer_decorator
        def plain(number: int) -> int:
            """Documented."""
            return number + 1

        @mstx.mstx_range("named")
        async def coroutine() -> str:
            return "awaited"

        @mstx.annotate(domain="net")
        def generator():
            received = yield 1
            yield received
            return "returned"

        @mstx.annotate()
        async def asynchronous():
            received = yield 1
            try:
                yield received
            except ValueError:
                yield "caught"

        self.assertEqual((plain(1), plain.__name__, plain.__doc__), (2, "plain", "Documented."))
        self.assertTrue(inspect.iscoroutinefunction(coroutine))
        self.assertTrue(inspect.isgeneratorfunction(generator))
        self.assertTrue(inspect.isasyncgenfunction(asynchronous))
        self.assertEqual(asyncio.run(coroutine()), "awaited")
        running = generator()
        self.assertEqual((next(running), running.send("sent")), (1, "sent"))
        with self.assertRaises(StopIteration) as end:
            next(running)
        self.assertEqual(end.exception.value, "returned")

        async def talk() -> list[object]:
            talking = asynchronous()
            return [await talking.__anext__(), await talking.asend("sent"), await talking.athrow(ValueError())]

        self.assertEqual(asyncio.run(talk()), [1, "sent", "caught"])

    def test_a_range_of_a_generator_lasts_until_it_is_exhausted_or_closed(self) -> None:
        @mstx.annotate("generator")
        def generator():
            yield 1
            yield 2

        with npuscope.profile(output=self.place, backend="native") as prof:
            with mstx.annotate("consumer"):
                list(generator())
            abandoned = generator()
            next(abandoned)
            abandoned.close()
        self.assertEqual(ranges(prof.directories[0]), ["generator", "consumer", "generator"])


if __name__ == "__main__":
    unittest.main()
