"""engines: what an object is. In: any object of a run. Out: the adapter that knows its children and values. See README.md."""

from __future__ import annotations

from milepost.engines.adapter import WAIT, Adapter, Leaf, Misfit, Sketch, Slot, Spec, Value, detect, pulse, register

__all__ = ["WAIT", "Adapter", "Leaf", "Misfit", "Sketch", "Slot", "Spec", "Value", "detect", "pulse", "register"]
