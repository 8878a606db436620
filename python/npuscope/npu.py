"""So that `torch_npu.npu.mstx` has its counterpart: `npuscope.npu.mstx`."""

from npuscope import mstx

__all__ = ["mstx"]
