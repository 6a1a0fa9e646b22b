"""The two cursors with threads: prefetch and parallel map. In: the cursor before. Out: its elements, in order, made ahead.

A thread's start, its lock and its end stand here. Elements made ahead are part of the state, so a checkpoint loses none.
Not here: what is computed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.structure import flatten, pack_like
from milepost.tf.data.transform import Over

__all__ = ["ParallelMapCursor", "PrefetchCursor"]

# Handing an element from one Python thread to another costs tens of microseconds and makes both wait for the GIL: making ahead
# pays only when making one takes longer than this.
WORTH_A_THREAD_SECONDS = 0.001
TRIALS = 3


class PrefetchCursor(Over):
    """Makes up to `size` elements ahead in a thread, once an element has shown to be worth it."""

    def __init__(self, before: Cursor, size: int):
        super().__init__(before)
        self.size = size
        self.ready: deque[Element] = deque()
        self.error: BaseException | None = None
        self.change = threading.Condition()
        self.thread: threading.Thread | None = None
        self.closed = False
        self.trial_seconds: list[float] = []

    def next(self) -> Element:
        if self.thread is None:
            if self.ready:  # restored from a checkpoint
                return self.ready.popleft()
            if len(self.trial_seconds) < TRIALS or min(self.trial_seconds) < WORTH_A_THREAD_SECONDS:
                begin = time.perf_counter()
                element = self.before.next()
                if len(self.trial_seconds) < TRIALS:
                    self.trial_seconds.append(time.perf_counter() - begin)
                return element
            self.thread = threading.Thread(target=self._run, name="tf.data prefetch", daemon=True)
            self.thread.start()
        with self.change:
            while not self.ready and self.error is None:
                self.change.wait()
            if self.ready:
                element = self.ready.popleft()
                self.change.notify_all()
                return element
            assert self.error is not None
            raise self.error

    def _run(self) -> None:
        while True:
            with self.change:
                while len(self.ready) >= self.size and not self.closed:
                    self.change.wait()
                if self.closed:
                    return
                # made under the lock: a checkpoint taken meanwhile sees the element either in `before` or in `ready`
                try:
                    self.ready.append(self.before.next())
                except BaseException as error:  # handed to the consumer, StopIteration too
                    self.error = error
                self.change.notify_all()
                if self.error is not None:
                    return

    def own_state(self) -> State:
        return {
            "ready": {str(i): list(flatten(element)) for i, element in enumerate(self.ready)},
            "sample": self.ready[0] if self.ready else None,
        }

    def state(self) -> State:
        with self.change:
            return super().state()

    def own_restore(self, state: State) -> None:
        kept = state["ready"]
        self.ready = deque(pack_like(state["sample"], iter(kept[str(i)])) for i in range(len(kept)))

    def close(self) -> None:
        with self.change:
            self.closed = True
            self.change.notify_all()
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join(timeout=5)
        super().close()


class ParallelMapCursor(Over):
    """Applies the function to `workers` elements at a time; results come in order."""

    def __init__(self, before: Cursor, function: Callable[[Element], Element], workers: int):
        super().__init__(before)
        self.function, self.workers = function, workers
        self.pool: ThreadPoolExecutor | None = None
        self.running: deque[tuple[Element, Future[Any]]] = deque()

    def next(self) -> Element:
        if self.pool is None:
            self.pool = ThreadPoolExecutor(self.workers, "tf.data map")
        while len(self.running) < self.workers:
            try:
                element = self.before.next()
            except StopIteration:
                break
            self.running.append((element, self.pool.submit(self.function, element)))
        if not self.running:
            raise StopIteration
        return self.running.popleft()[1].result()

    def own_state(self) -> State:
        # what is under way is kept as it came in: the function runs again after a restore
        return {
            "running": {str(i): list(flatten(element)) for i, (element, _) in enumerate(self.running)},
            "sample": self.running[0][0] if self.running else None,
        }

    def own_restore(self, state: State) -> None:
        kept = state["running"]
        self.pool = self.pool or ThreadPoolExecutor(self.workers, "tf.data map")
        elements = [pack_like(state["sample"], iter(kept[str(i)])) for i in range(len(kept))]
        self.running = deque((element, self.pool.submit(self.function, element)) for element in elements)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=False, cancel_futures=True)
        super().close()
