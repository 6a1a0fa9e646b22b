"""The two cursors with threads: prefetch and parallel map. In: the cursor before. Out: its elements, in order, made ahead.

A thread's start, its lock and its end stand here. Elements made ahead are part of the state, so a checkpoint loses none.
Not here: what is computed.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from milepost.tf.data.cursor import Cursor, Element, State
from milepost.tf.data.transform import MapCursor, Over

__all__ = ["ParallelMapCursor", "PrefetchCursor"]

# Handing an element from one Python thread to another costs tens of microseconds and makes both wait for the GIL: making ahead
# pays only when making one takes longer than this.
WORTH_A_THREAD_SECONDS = 0.001
WORTH_THREADS_SECONDS = 0.0001
TRIALS = 3


class PrefetchCursor(Over):
    """Makes up to `size` elements ahead in a thread, once elements have shown to be worth it."""

    PASSES = True

    def __init__(self, before: Cursor, size: int):
        super().__init__(before)
        self.size = size
        self.ready: deque[tuple[Element, Exception | None]] = deque()
        self.ended = False
        self.change = threading.Condition()
        self.thread: threading.Thread | None = None
        self.closed = False
        self.slow = 0

    def next(self) -> Element:
        if self.thread is None:
            if self.ready:  # restored from a checkpoint
                return self.ready.popleft()[0]
            if self.slow < TRIALS:
                begin = time.perf_counter()
                element = self.before.next()
                self.slow = self.slow + 1 if time.perf_counter() - begin > WORTH_A_THREAD_SECONDS else 0
                return element
            self.thread = threading.Thread(target=self._run, name="tf.data prefetch", daemon=True)
            self.thread.start()
        with self.change:
            while not self.ready and not self.ended:
                self.change.wait()
            if not self.ready:
                raise StopIteration
            element, error = self.ready.popleft()
            self.change.notify_all()
        if error is not None:
            raise error
        return element

    def _run(self) -> None:
        while True:
            with self.change:
                while len(self.ready) >= self.size and not self.closed:
                    self.change.wait()
                if self.closed:
                    return
                # made under the lock: a checkpoint taken meanwhile sees the element either in `before` or in `ready`
                try:
                    self.ready.append((self.before.next(), None))
                except StopIteration:
                    self.ended = True
                except Exception as error:  # handed to the consumer
                    self.ready.append((None, error))
                self.change.notify_all()
                if self.ended:
                    return

    def own_state(self) -> State:
        return {"ready": [element for element, error in self.ready if error is None]}

    def state(self) -> State:
        with self.change:
            return super().state()

    def own_restore(self, state: State) -> None:
        self.ready = deque((element, None) for element in state["ready"])

    def close(self) -> None:
        with self.change:
            self.closed = True
            self.change.notify_all()
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join(timeout=5)
        super().close()


class ParallelMapCursor(MapCursor):
    """Applies the function to several elements at a time; results come in order.

    Threads help a function that waits or computes outside Python, and cost one that does not. So it is tried: a few elements here, a few
    in threads, then the faster way.
    """

    def __init__(self, before: Cursor, function: Callable[[Element], Element], workers: int, batches: Any):
        super().__init__(before, function, batches)
        self.workers = workers if workers > 0 else max(2, os.cpu_count() or 1)
        self.pool: ThreadPoolExecutor | None = None
        self.running: deque[tuple[Element, Future[Any]]] = deque()
        self.ended = False
        self.here = float("inf")  # seconds an element takes here
        self.trials = TRIALS
        self.threaded: bool | None = None if self.workers > 1 else False  # None: not known yet
        self.began = self.done = 0.0

    def next(self) -> Element:
        if not self.threaded and not self.running and (self.trials or self.threaded is False):
            return self._here()
        while len(self.running) < self.workers and not self.ended and self.threaded is not False:
            try:
                element = self.before.next()
            except StopIteration:
                self.ended = True
                break
            self._submit(element)
        if not self.running:
            raise StopIteration
        made = self.running.popleft()[1].result()
        if self.threaded is None:
            self._judge()
        return made

    def _judge(self) -> None:
        now = time.perf_counter()
        self.done += 1
        if self.done == 1:
            self.began = now  # the first one waited for the threads to start
        elif self.done > 2 * self.workers + 2:
            self.threaded = (now - self.began) / (self.done - 1) < 0.9 * self.here

    def _here(self) -> Element:
        element = self.before.next()
        if not self.trials:
            return self.function(element)
        begin = time.perf_counter()
        made = self.function(element)
        self.here = min(self.here, time.perf_counter() - begin)
        self.trials -= 1
        if not self.trials and self.here < WORTH_THREADS_SECONDS:
            self.threaded = False
        return made

    def _alone(self) -> bool:
        return not self.running

    def _submit(self, element: Element) -> None:
        self.pool = self.pool or ThreadPoolExecutor(self.workers, "tf.data map")
        self.running.append((element, self.pool.submit(self.function, element)))

    def own_state(self) -> State:
        # what is under way is kept as it came in: the function runs again after a restore
        return {"running": [element for element, _ in self.running], "ended": self.ended}

    def own_restore(self, state: State) -> None:
        self.running, self.ended = deque(), bool(state["ended"])
        for element in state["running"]:
            self._submit(element)

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=False, cancel_futures=True)
        super().close()
