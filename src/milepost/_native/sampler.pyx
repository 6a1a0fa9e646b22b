# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The hot half of the host sampler. In: the frames of all threads, every few milliseconds. Out: spans in columns.

A sample costs a walk over the frames; runs of equal frames become one span while sampling, so memory follows the number
of changes and not the length of the capture. The time between a wake-up and having the GIL tells whether a thread was in
Python code: running Python always holds the GIL, so a GIL that was free means native code or sleep.
Not here: the thread itself, names of functions, files (`profiler.sampler`).
"""

from array import array

from libc.stdint cimport int64_t

cdef extern from "hostclock.h" nogil:
    int64_t mp_mono_ns()
    void mp_sleep_until(int64_t deadline)
    int64_t mp_kernel_id(unsigned long thread)
    int64_t mp_thread_cpu_ns(int64_t kernel_id)
    int mp_open_schedstat(int64_t kernel_id)
    int64_t mp_waited_ns(int fd)
    int64_t mp_others_cpu_ns()
    int64_t mp_blocked()
    void mp_close(int fd)

IDLE, PYTHON, NATIVE, WAITING = 0, 1, 2, 3
cdef enum:
    S_IDLE = 0
    S_PYTHON = 1
    S_NATIVE = 2
    S_WAITING = 3

# A free GIL is taken in a few microseconds; one that is held is given up after the switch interval, milliseconds.
DEF GIL_WAS_FREE_NS = 50_000
DEF MAX_FRAMES = 256
WAITING_FILES = ("threading.py", "queue.py", "selectors.py", "socket.py", "connection.py", "subprocess.py", "ssl.py")


def monotonic_ns() -> int:
    return mp_mono_ns()


def kernel_thread_id(unsigned long ident) -> int:
    """The kernel's id of a thread of this process, by its Python ident."""
    return mp_kernel_id(ident)


cdef class _Thread:
    """One thread's open spans."""
    cdef int64_t tid
    cdef int64_t cpu, waited, seen, ran      # ran: CPU time since the last sample
    cdef int schedstat
    cdef list codes          # open frames, root first
    cdef list starts
    cdef int state           # of the last interval, -1 before the first
    cdef int64_t state_start
    cdef int64_t round

    def __cinit__(self):
        self.schedstat = -1

    def __dealloc__(self):
        mp_close(self.schedstat)


cdef class Spans:
    """Closed spans of all threads: which code, in which thread, how deep, from when to when (monotonic ns)."""
    cdef public object code, depth, tid, start, end
    cdef public object state_kind, state_tid, state_start, state_end
    cdef public dict code_ids
    cdef public list codes
    cdef public int64_t samples
    cdef dict threads
    cdef int64_t round
    cdef int64_t others_cpu      # of all threads but the sampler's, at the last sample

    def __init__(self):
        self.code, self.depth, self.tid = array("i"), array("i"), array("q")
        self.start, self.end = array("q"), array("q")
        self.state_kind, self.state_tid = array("b"), array("q")
        self.state_start, self.state_end = array("q"), array("q")
        self.code_ids, self.codes, self.threads = {}, [], {}
        self.samples = self.round = 0
        self.others_cpu = -1

    cdef int _close_frames(self, _Thread thread, Py_ssize_t keep, int64_t at) except -1:
        cdef Py_ssize_t depth = len(thread.codes)
        while depth > keep:
            depth -= 1
            code = thread.codes.pop()
            self.code.append(self._id(code))
            self.depth.append(depth)
            self.tid.append(thread.tid)
            self.start.append(thread.starts.pop())
            self.end.append(at)
        return 0

    cdef object _id(self, code):
        # Codes are told apart by identity (their == compares bytecode); the list keeps each alive, so ids stay unique.
        found = self.code_ids.get(id(code))
        if found is None:
            found = len(self.codes)
            self.code_ids[id(code)] = found
            self.codes.append(code)
        return found

    cdef int _state(self, _Thread thread, int kind, int64_t start, int64_t end) except -1:
        if end <= start:
            return 0
        if thread.state == kind:
            return 0
        self._end_state(thread, start)
        thread.state, thread.state_start = kind, start
        return 0

    cdef int _was_waiting(self, _Thread thread, int64_t length) except -1:
        cdef int64_t since = max(thread.seen - length, thread.state_start)
        if thread.state == S_IDLE:
            self._end_state(thread, since)
            thread.state, thread.state_start = S_WAITING, since
        return 0

    cdef int _end_state(self, _Thread thread, int64_t at) except -1:
        if thread.state >= 0 and at > thread.state_start:
            self.state_kind.append(thread.state)
            self.state_tid.append(thread.tid)
            self.state_start.append(thread.state_start)
            self.state_end.append(at)
        return 0

    cdef int _interval(self, _Thread thread, int64_t now, bint gil_was_free, int64_t held, int64_t workers) except -1:
        """Divide the time since the last sample into running, waiting for a core, and idle.

        `held` is how long the sampler itself kept the GIL or was on its way to it: a thread in Python code may not have run
        then (one that gives the GIL up waits until it is taken), and that is not its idleness. `workers`: how long threads that
        Python knows nothing of computed; this one waited for them, though never longer than they took.
        """
        cdef int64_t waited = mp_waited_ns(thread.schedstat)
        cdef int64_t span = now - thread.seen, ran = min(thread.ran, span), queued
        cdef int busy = S_NATIVE if gil_was_free else S_PYTHON
        if thread.cpu < 0:
            self._state(thread, S_PYTHON, thread.seen, now)
            return 0
        queued = max(waited - thread.waited, 0) if waited >= 0 else 0
        thread.waited = waited
        if queued > span - ran:
            # The kernel counts a wait when it is over, so a long one shows up late: what looked idle was part of it.
            self._was_waiting(thread, queued - (span - ran))
            queued = span - ran
        if thread.state == S_PYTHON or thread.state == S_WAITING:
            queued += min(held, span - ran - queued)
        # One sample's dust is not worth a span: below a tenth of the interval it belongs to its neighbour.
        if queued * 10 < span and ran:
            ran, queued = ran + queued, 0
        elif ran * 10 < span and queued:
            ran, queued = 0, ran + queued
        if (ran + queued) * 10 < span:
            ran = queued = 0
        if (ran + queued) * 10 > span * 9:
            ran = span - queued
        if workers and ran + queued < span:
            ran = min(ran + workers, span - queued)
            busy = S_NATIVE
        cdef int64_t at = thread.seen
        if thread.state == S_IDLE and span - ran - queued > 0:   # keep the order that makes fewer spans
            self._state(thread, S_IDLE, at, at + span - ran - queued)
            at += span - ran - queued
            self._state(thread, S_WAITING, at, at + queued)
            self._state(thread, busy, at + queued, now)
        else:
            self._state(thread, busy, at, at + ran)
            self._state(thread, S_WAITING, at + ran, at + ran + queued)
            self._state(thread, S_IDLE, at + ran + queued, now)
        return 0

    cdef int64_t _workers(self, dict frames, int64_t now) except -1:
        """Read every known thread's CPU time; how long native threads that Python does not know computed meanwhile."""
        cdef _Thread thread
        cdef int64_t others = mp_others_cpu_ns(), known = 0, span = 0, cpu
        for ident in frames:
            found = self.threads.get(ident)
            if found is not None:
                thread = <_Thread> found
                cpu = mp_thread_cpu_ns(thread.tid)
                thread.ran = max(cpu - thread.cpu, 0)
                thread.cpu = cpu
                known += thread.ran
                span = max(span, now - thread.seen)
        cdef int64_t foreign = others - self.others_cpu - known
        cdef bint working = others >= 0 and self.others_cpu >= 0 and foreign * 3 > span
        self.others_cpu = others
        return foreign if working else 0

    def take(self, dict frames, unsigned long self_ident, int64_t now, bint gil_was_free, int64_t held):
        """One sample: `frames` is sys._current_frames(), `held` how long the last sample kept the GIL."""
        cdef _Thread thread
        cdef int64_t workers = self._workers(frames, now)
        cdef Py_ssize_t same, limit
        cdef list stack
        self.samples += 1
        self.round += 1
        for ident, frame in frames.items():
            if <unsigned long> ident == self_ident:
                continue
            found = self.threads.get(ident)
            if found is None:
                thread = _Thread()
                thread.tid = mp_kernel_id(ident)
                thread.schedstat = mp_open_schedstat(thread.tid)
                thread.cpu = mp_thread_cpu_ns(thread.tid)
                thread.waited = mp_waited_ns(thread.schedstat)
                thread.codes, thread.starts, thread.state, thread.seen = [], [], -1, now
                self.threads[ident] = thread
            else:
                thread = <_Thread> found
                self._interval(thread, now, gil_was_free, held, 0 if waits(frame.f_code) else workers)
            stack = []
            while frame is not None and len(stack) < MAX_FRAMES:
                code = frame.f_code
                # the import system's own frames, a dozen for each import, say nothing and hide who imports whom
                if not code.co_filename.startswith("<frozen importlib"):
                    stack.append(code)
                frame = frame.f_back
            stack.reverse()
            same, limit = 0, min(len(stack), len(thread.codes))
            while same < limit and stack[same] is thread.codes[same]:
                same += 1
            # The change happened somewhere between the two samples; the middle errs least.
            middle = (thread.seen + now) // 2 if thread.codes else now
            self._close_frames(thread, same, middle)
            for code in stack[same:]:
                thread.codes.append(code)
                thread.starts.append(middle)
            thread.seen, thread.round = now, self.round
        if len(self.threads) > len(frames):
            self._drop_ended()

    cdef int _drop_ended(self) except -1:
        for ident in [i for i, t in self.threads.items() if (<_Thread> t).round != self.round]:
            self._finish(<_Thread> self.threads.pop(ident))
        return 0

    cdef int _finish(self, _Thread thread) except -1:
        self._end_state(thread, thread.seen)
        thread.state = -1
        self._close_frames(thread, 0, thread.seen)
        return 0

    def close(self):
        """End every open span at its thread's last sample."""
        for thread in self.threads.values():
            self._finish(<_Thread> thread)
        self.threads.clear()


cdef bint waits(code) except -1:
    """Whether a thread whose innermost function is this one waits on purpose, for a lock, a queue or the network."""
    return code.co_filename.endswith(WAITING_FILES)


def wait(int64_t deadline):
    """Sleep until `deadline` without the GIL.

    (now, whether the GIL was free when the sleep ended, when it began, how long the GIL was then waited for)
    """
    cdef int64_t woke, began, blocked
    with nogil:
        began = mp_mono_ns()
        mp_sleep_until(deadline)
        blocked = mp_blocked()
        woke = mp_mono_ns()
    # Waiting for a held GIL blocks this thread; being pushed off its core by others does not count as that.
    cdef bint free = mp_blocked() == blocked if blocked >= 0 else mp_mono_ns() - woke < GIL_WAS_FREE_NS
    cdef int64_t now = mp_mono_ns()
    return now, free, began, 0 if free else now - woke
