"""Pipelines as Python objects: loaded, called with arrays, asked about.

A Pipeline owns a handle of the library (include/hlc.h). A lock guards the handle, which serves one thread at a time.
Calls need no handle: each thread has a frame (calls.Frame), and any number of threads run one pipeline at once. The
C call releases Python's global lock. Ctrl-C ends what the main thread does, also in the compiler.
"""

import collections
import ctypes
import inspect
import json
import keyword
import os
import re
import threading
import weakref

import numpy as np

from . import _native, arrays, calls, display, errors, tuning
from ._native import lib
from .errors import ProgramError, RunError
from .handle import open_file
from .values import FuncValues

GUESS = "E0866"
MOST_PLANS = 64  # of a thread: for so many combinations of arguments


class Cancelled(RunError):
    """`Pipeline.cancel` ended the call."""


def is_shape(given):
    return all(isinstance(n, (int, np.integer)) for n in given)


def is_python_name(name):
    """Other names, such as `lambda`, are given in a dict: `p(**{"lambda": 2})`."""
    return name.isidentifier() and not keyword.iskeyword(name)


def check_output(func, given, components):
    """Refuses what is none. An output is given as an array, a Window, a shape, or a sequence of these for its components."""
    if isinstance(given, (int, float, np.number)):
        raise ProgramError(f"{func}: {given!r} is no shape: write ({given!r},)")
    if isinstance(given, (tuple, list)) and any(isinstance(n, (float, np.floating)) for n in given):
        raise ProgramError(f"{func}: {given!r} is no shape: its extents are integers")
    if isinstance(given, (tuple, list)) and not is_shape(given) and len(given) != components:
        raise ProgramError(f"{func}: {len(given)} given for {components} components")


def names(count, name, handle):
    return [name(handle.pointer, i).decode() for i in range(count(handle.pointer))]


def check_options(optimize):
    if optimize not in range(4):
        raise ProgramError(f"optimize is 0, 1, 2 or 3, not {optimize!r}")


def load(path, /, *, pipeline=None, schedule=None, axes=None, windows=False, interruptible=True, optimize=2, **constants):
    """Loads a pipeline from a .hl file.

    `pipeline` is its name, if the file has several. `schedule` is the name of a schedule of the file, perhaps with
    arguments, `"fast(v = 8)"`; None is the empty schedule. `axes` maps names of images and outputs to the order of
    their axes (arrays.py). With `windows`, arrays can be windows of larger wholes: hlc.Window. With `interruptible`, Ctrl-C and `cancel` end a call within 0.1 s; without, a loop that is
    not parallel runs to its end. `optimize` is LLVM's level, 0 to 3. All other keywords are const parameters.

    Raises ProgramError if the program is not acceptable, and WorldError if a file cannot be read.
    """
    path = os.fspath(path)
    check_options(optimize)
    return Pipeline(lambda handle: lib.hlc_load(handle, os.fsencode(path)), pipeline=pipeline, schedule=schedule,
                    axes=axes, windows=windows, interruptible=interruptible, optimize=optimize, constants=constants)


def compile(text, /, *, name="pipeline.hl", pipeline=None, schedule=None, axes=None, windows=False, interruptible=True,
            optimize=2, **constants):
    """Makes a pipeline from the text of a .hl file, which `name` names in messages. It imports only the packages of the
    library. All other arguments are those of `load`."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"hlc.compile takes the text of a program, not {text!r}; hlc.load takes a path")
    check_options(optimize)
    data = text if isinstance(text, bytes) else text.encode()
    return Pipeline(
        lambda handle: lib.hlc_load_text(handle, name.encode(), data, len(data), _native.Importer(0), None),
        pipeline=pipeline, schedule=schedule, axes=axes, windows=windows, interruptible=interruptible,
        optimize=optimize, constants=constants)


class Pipeline:
    """A pipeline under a schedule. Call it with arrays and numbers, by the names of its inputs.

    An output that is not given is allocated: its window is the one that the pipeline declares, or else follows from
    the inputs. `NAME=array` (or `out=`, if there is one output) computes into the array; `NAME=(480, 640)` states the
    shape. The result is the array of the output, or a named tuple of several.
    """

    def __init__(self, load, *, pipeline, schedule, axes, windows, interruptible, optimize, constants):
        self._load, self._axes, self._constants = load, dict(axes or {}), constants
        self._options = _native.CompileOptions(optimize=optimize, stoppable=interruptible)
        #: Can arrays be windows of larger wholes?
        self.windows = bool(windows)
        self._handle = open_file(load, constants, schedule, windows)
        self._find(pipeline, schedule)
        self._list_slots()
        self._function = None
        self._frames = threading.local()
        self._all_frames = weakref.WeakSet()

    #: The text of the schedule that `tune` has made.
    schedule_text = None

    # ---- what it is ----

    def _find(self, pipeline, schedule):
        handle = self._handle
        known = names(lib.hlc_pipeline_count, lib.hlc_pipeline_name, handle)
        if not known:
            raise ProgramError("the file has no pipeline")
        if pipeline is None and len(known) != 1:
            raise ProgramError(f"the file has the pipelines {', '.join(known)}: name one, pipeline=..")
        self.name = known[0] if pipeline is None else pipeline
        if self.name not in known:
            raise ProgramError(f"the file has no pipeline {pipeline}, but {', '.join(known)}")
        self._index = known.index(self.name)
        self.schedule = schedule or ""
        every = names(lib.hlc_schedule_count, lib.hlc_schedule_name, handle)
        #: The names of the schedules that the file has for it.
        self.schedules = [s for i, s in enumerate(every)
                          if lib.hlc_schedule_pipeline(handle.pointer, i).decode() == self.name]
        if self.schedule and self.schedule not in self.schedules:
            raise ProgramError(f"{self.name} has no schedule {schedule}" +
                               (f", but {', '.join(self.schedules)}" if self.schedules else ": the file has none for it"))

    def _list_slots(self):
        pointer, at = self._handle.pointer, self._index
        self.inputs, outputs = [], []
        for i in range(lib.hlc_input_count(pointer, at)):
            given = lib.hlc_input_at(pointer, at, i)
            name = given.name.decode()
            self.inputs.append(
                arrays.ImageSlot(name, given.kind, given.bits, given.dimensions, given.layout, False,
                                 self._axes.get(name)) if given.is_image else
                arrays.ScalarSlot(name, given.kind, given.bits, given.default.get() if given.has_default else None))
        funcs = collections.Counter()
        for i in range(lib.hlc_output_count(pointer, at)):
            given = lib.hlc_output_at(pointer, at, i)
            func = given.func.decode()
            funcs[func] += 1
            name = func if given.component < 0 else f"{func}.{given.component}"
            outputs.append((func, arrays.ImageSlot(name, given.kind, given.bits, given.dimensions, given.layout, True,
                                                   self._axes.get(name, self._axes.get(func)))))
        self.outputs = [slot for _, slot in outputs]
        self._funcs = [func for func, _ in outputs]
        self._slots = self.inputs + self.outputs
        self._inputs = {slot.name: slot for slot in self.inputs}
        calls.place_slots(self._slots)
        unknown = set(self._axes) - set(self._inputs) - set(self._funcs) - {slot.name for slot in self.outputs}
        if unknown:
            raise ProgramError(f"axes of {', '.join(sorted(unknown))}: {self.name} has no such image or output")
        fields = [re.sub(r"\W", "_", slot.name) for slot in self.outputs]
        self._result = collections.namedtuple("Outputs", fields, rename=True) if len(fields) > 1 else None
        self._make_signature()

    def _make_signature(self):
        """What `help` and `inspect.signature` show."""
        kind, parameters = inspect.Parameter.KEYWORD_ONLY, []
        for slot in self.inputs:
            default = inspect.Parameter.empty if slot.is_image or slot.default is None else slot.default
            if is_python_name(slot.name):
                parameters.append(inspect.Parameter(slot.name, kind, default=default))
        for func in dict.fromkeys(self._funcs):
            if is_python_name(func) and func not in self._inputs:
                parameters.append(inspect.Parameter(func, kind, default=None))
        self.__signature__ = inspect.Signature(parameters)

    def __repr__(self):
        inputs, outputs = (", ".join(map(repr, slots)) for slots in (self.inputs, self.outputs))
        return f"<hlc pipeline {self.name}({inputs}) -> ({outputs}), schedule {self.schedule or 'empty'}" \
            f"{', in windows' if self.windows else ''}>"

    def _repr_html_(self):
        return display.pipeline_html(self)

    def with_schedule(self, schedule):
        """The same pipeline under another schedule; None is the empty one."""
        return Pipeline(self._load, pipeline=self.name, schedule=schedule, axes=self._axes, windows=self.windows,
                        interruptible=self._options.stoppable, optimize=self._options.optimize,
                        constants=self._constants)

    def __reduce__(self):
        raise TypeError("a pipeline cannot be pickled: load it in each process")

    # ---- calls ----

    def _compiled(self):
        with self._handle.lock:
            if self._function is None:
                pointer = self._handle.pointer
                function = self._handle.run(lambda: lib.hlc_compile_function(
                    pointer, self.name.encode(), self.schedule.encode(), ctypes.byref(self._options)))
                self._handle.settle(_native.YES if function else _native.USER)
                lib.hlc_take_function(function)
                weakref.finalize(self, lib.hlc_function_destroy, function)
                self._function = function
            return self._function

    def _frame(self):
        frame = calls.Frame(self._slots)
        self._frames.frame = frame
        self._all_frames.add(frame)
        return frame

    def _pack_scalar(self, frame, slot, given):
        value = given.get(slot.name)
        if value is None:
            value = slot.default
        if value is None:
            raise TypeError(f"{self.name}() misses the argument {slot.name}")
        slot.pack(frame, value)

    def _outputs_of(self, given):
        """{func: what was given for it}; the rest of the arguments is checked."""
        found = {}
        for name, value in given.items():
            if name in self._inputs:
                continue
            func = name
            if name == "out" and "out" not in self._funcs and len(set(self._funcs)) == 1:
                func = self._funcs[0]
            if func not in self._funcs:
                known = [*self._inputs, *dict.fromkeys(self._funcs)]
                raise TypeError(f"{self.name}() has no argument {name}, but {', '.join(known)}")
            if value is not None:
                check_output(func, value, self._funcs.count(func))
                found[func] = value
        return found

    def __call__(self, /, *unnamed, **given):
        if unnamed:
            raise TypeError(f"{self.name}() takes its arguments by name: {', '.join(self._inputs)}")
        frame = getattr(self._frames, "frame", None)
        plan = frame.plans.get(tuple(given)) if frame is not None and not frame.is_running else None
        if plan is None:
            return self._call(given)
        values = tuple(given.values())
        frame.cancel.value = 0
        frame.is_running = True
        try:
            error = plan.run(values, frame)
        finally:
            frame.is_running = False
        if error == calls.NOT_PLAIN:
            return self._call(given)
        if error:
            raise self._failure(frame, error)
        if self._result is None:
            return values[plan.results[0]]
        return self._result(*[values[i] for i in plan.results])

    def using(self, *, threads=None, cancel=None):
        """The same pipeline for calls of their own kind: `edges.using(threads=1)(input=photo)`. `threads` is how many
        threads the parallel loops of one call use; `cancel` is an hlc.Cancel that ends it."""
        return calls.Using(self, threads, cancel)

    def _call(self, given, using=None):
        function = self._function or self._compiled()
        frame = getattr(self._frames, "frame", None)
        if frame is None or frame.is_running:  # a handler of a signal may call what is being called
            frame = self._frame()
        frame.cancel.value = 0
        frame.is_running = True
        try:
            results = self._pack_and_run(function, frame, given, using)
        finally:
            frame.is_running = False
        self._plan(function, frame, given)
        return results[0] if self._result is None else self._result(*results)

    def _pack_and_run(self, function, frame, given, using):
        outputs = self._outputs_of(given)
        keep = []
        for slot in self.inputs:
            if slot.is_image:
                value = given.get(slot.name)
                if value is None:
                    raise TypeError(f"{self.name}() misses the argument {slot.name}")
                keep.append(slot.pack(frame, value))
                self._take_domain(frame, slot, value, keep[-1])
            else:
                self._pack_scalar(frame, slot, given)
        results = self._pack_outputs(frame, outputs, given)
        frame.call.domains = ctypes.addressof(frame.domains) if self.windows else None
        frame.call.threads = using.threads if using else 0
        if using and using.cancel:
            using.cancel.enter(frame)
        try:
            error = frame.run(function)
        finally:
            if using and using.cancel:
                using.cancel.leave(frame)
            frame.call.domains, frame.call.threads = None, 0
        if error:
            raise self._failure(frame, error)
        return results

    def _plan(self, function, frame, given):
        """The next calls with arguments of these names are quick, if they can be."""
        names = tuple(given)
        if names not in frame.plans and len(frame.plans) < MOST_PLANS and not any(v is None for v in given.values()):
            plan = calls.Plan.find(self, function, frame, given)
            if plan is not None:
                frame.plans[names] = plan

    def _take_domain(self, frame, slot, given, array):
        self._check_domain(frame, slot, given, ((0,) * slot.dimensions, array.shape))

    def _pack_outputs(self, frame, given, arguments):
        results = []
        for func, slot in zip(self._funcs, self.outputs):
            component = given.get(func)
            if isinstance(component, (tuple, list)) and not is_shape(component):
                component = component[self._component(slot)]
            if component is None:
                origin, shape = self._proposed(func, slot, arguments, given, frame)
                component = arrays.Window(slot.empty(shape), origin, (origin, shape) if self.windows else None)
            elif isinstance(component, (tuple, list)):
                component = slot.empty(slot.shape_of(component))
            elif isinstance(component, arrays.Window) and isinstance(component.array, tuple):
                component = arrays.Window(slot.empty(slot.shape_of(component.array)), component.origin,
                                          component.domain)
            results.append(slot.pack(frame, component))
            self._take_domain(frame, slot, component, results[-1])
        return results

    @staticmethod
    def _component(slot):
        return int(slot.name.rsplit(".", 1)[1]) if "." in slot.name else 0

    def _failure(self, frame, error):
        message = frame.report.message.decode(errors="replace")
        found = errors.of_report(error, message, self.name)
        return Cancelled(*found.args, found.code) if getattr(found, "code", "") == "stopped" else found

    def cancel(self):
        """Ends the calls that other threads are in: they raise Cancelled, and their outputs are unspecified."""
        while True:
            try:
                frames = list(self._all_frames)
                break
            except RuntimeError:  # a thread has added its own meanwhile
                pass
        for frame in frames:
            if frame.is_running:
                frame.cancel.value = 1

    # ---- sizes ----

    def _bound(self, given, outputs=None, packed=None):
        """The arguments object with what was given, and what must be kept while it lives. Under the handle's lock.
        `packed` is a frame that has the images already."""
        self._handle.check()
        pointer, keep = self._handle.pointer, []
        bound = lib.hlc_arguments_create(pointer, self.name.encode())
        self._handle.settle(_native.YES if bound else _native.USER)
        try:
            for slot in self.inputs:
                value = given.get(slot.name)
                if value is None:
                    continue
                if not slot.is_image:
                    text = slot.text(value).encode()
                    self._handle.settle(lib.hlc_arguments_set(bound, slot.name.encode(), text))
                    continue
                frame = packed or calls.Frame(self._slots)
                if not packed:
                    keep += [frame, slot.pack(frame, value)]
                    self._take_domain(frame, slot, value, keep[-1])
                self._set_domain(bound, frame, slot, slot.name)
                status = lib.hlc_arguments_set_buffer(bound, slot.name.encode(), frame.base + slot.offset)
                self._handle.settle(status)
            for func, value in (outputs or {}).items():
                slot = self.outputs[self._funcs.index(func)]
                if not isinstance(value, arrays.Window):
                    value = arrays.Window(value)
                shape, origin = value.shape, value.origin
                size = "x".join(str(int(shape[k])) for k in slot.axis_of)
                begin = "".join(f"{int(origin[k]):+d}" for k in slot.axis_of) if origin else ""
                self._handle.settle(lib.hlc_arguments_set(bound, func.encode(), (size + begin).encode()))
        except BaseException:
            lib.hlc_arguments_destroy(bound)
            raise
        return bound, keep

    def _set_domain(self, bound, frame, slot, name):
        if self.windows:
            domain = ctypes.addressof(frame.domains) + slot.first * ctypes.sizeof(_native.Interval)
            self._handle.settle(lib.hlc_arguments_set_domain(bound, name.encode(), domain, slot.dimensions))

    def _proposed(self, func, slot, given, outputs, frame=None):
        """The origin and the shape of an output that was not given. A frame has the images already."""
        with self._handle.lock:
            shapes = {f: v for f, v in outputs.items() if not isinstance(v, (tuple, list)) or is_shape(v)}
            bound, _ = self._bound(given, shapes, frame)
            try:
                dims = (_native.Dimension * max(slot.dimensions, 1))()
                buffer = _native.Buffer(dimensions=slot.dimensions, dim=dims)
                status = lib.hlc_arguments_propose(bound, func.encode(), ctypes.byref(buffer))
                is_guess = self._handle.settle(status, (GUESS,))
            finally:
                lib.hlc_arguments_destroy(bound)
        shape = tuple(dims[d].extent for d in slot.axes)
        if is_guess:
            errors.warn(f"note[{GUESS}]: {self.name} declares no size of {func}, and the call gives none: it is guessed from the "
                        f"images; {func}={shape} says it", errors.Warning)
        return tuple(dims[d].min for d in slot.axes), shape

    def needs(self, /, **given):
        """What each image must hold for outputs of these shapes: {name: (origin, shape)}.

        Outputs are shapes, arrays or Windows. Parameters without a value have their defaults, or are 0. Images may be
        given where the need depends on their boxes. With `windows`, each output has its domain, and each image, too:
        `input=hlc.Window(domain=photo.shape)`.
        """
        function, frame = self._compiled(), calls.Frame(self._slots)
        keep, asked = self._pack_question(frame, given, "needs")
        error = frame.ask(function, _native.QUERY if self.windows else _native.RUN, self.windows)
        if error:
            raise self._failure(frame, error)
        del keep
        return {slot.name: slot.box(frame) for slot in asked}

    def accepts(self, /, **given):
        """Would a call with these windows and parameters be accepted? False has the reason: `print(answer)`. Nothing is
        computed. Images and outputs are shapes, arrays or Windows. Checked with the whole of each, it decides for all
        windows. For pipelines that are made with `windows=True`."""
        if not self.windows:
            raise TypeError(f"{self.name}.accepts(): load the pipeline with windows=True")
        function, frame = self._compiled(), calls.Frame(self._slots)
        _, asked = self._pack_question(frame, given, "accepts", True)
        if asked:
            raise TypeError(f"{self.name}.accepts() misses the window of {asked[0].name}")
        error = frame.ask(function, _native.CHECK, True)
        if error:
            return display.Answer(False, str(self._failure(frame, error)))
        return display.Answer(True, f"{self.name}: accepted")

    def _pack_question(self, frame, given, question, has_windows=False):
        """Returns arrays to keep, and the images that are asked for."""
        wanted, keep, asked = self._outputs_of(given), [], []
        for slot in self.inputs:
            value = given.get(slot.name)
            if not slot.is_image:
                slot.pack(frame, (slot.default or 0) if value is None else value)
                continue
            if value is None and self.windows:
                raise TypeError(f"{self.name}.{question}() misses the domain of {slot.name}: "
                                f"{slot.name}=hlc.Window(domain=SHAPE)")
            is_asked = value is None or (isinstance(value, arrays.Window) and value.array is None)
            if is_asked:
                slot.pack_query(frame)
                asked.append(slot)
            elif has_windows or isinstance(value, (tuple, list)):
                self._check_window(frame, slot, value)
            else:
                keep.append(slot.pack(frame, value))
                self._take_domain(frame, slot, value, keep[-1])
            if is_asked and value is not None:
                self._check_domain(frame, slot, value, None)
        for func, slot in zip(self._funcs, self.outputs):
            value = wanted.get(func)
            if isinstance(value, (tuple, list)) and not is_shape(value):
                value = value[self._component(slot)]
            if value is None or (isinstance(value, arrays.Window) and value.array is None):
                raise TypeError(f"{self.name}.{question}() misses the shape of {func}")
            self._check_window(frame, slot, value)
        return keep, asked

    def _check_window(self, frame, slot, value):
        self._check_domain(frame, slot, value, slot.pack_window(frame, value))

    def _check_domain(self, frame, slot, value, window):
        if self.windows:
            slot.pack_domain(frame, value, window)
        elif isinstance(value, arrays.Window) and value.domain is not None:
            raise ProgramError(f"{slot.name}: {self.name} takes no domains: load it with windows=True")

    # ---- what the compiler knows ----

    def _ask(self, call):
        name, schedule = self.name.encode(), self.schedule.encode()
        return self._handle.text(lambda file: call(self._handle.pointer, name, schedule, file))

    def explain(self):
        """The directives of the schedule, and the loop nest that they make: `hlc explain`."""
        return display.Text(self._ask(lambda h, p, s, file: lib.hlc_explain(h, p, s, None, file))[1])

    def bounds(self):
        """The region of each func and image: `hlc bounds`."""
        return display.Text(self._ask(lib.hlc_bounds)[1])

    def contract(self, all=False):
        """The condition on sizes and parameters under which the pipeline runs: `hlc contract`. `all`: also the conditions
        that fail only near 2^31, and each in the source's operators."""
        options = _native.ContractOptions(for_people=not all)
        text = self._ask(lambda h, p, s, file: lib.hlc_contract(h, p, s, ctypes.byref(options), file))[1]
        return display.Text(text.replace("; --all prints them", "; all=True prints them"))

    def moves(self):
        """The directives that could be appended to the schedule, as a list: `hlc moves`."""
        return self._ask(lambda h, p, s, file: lib.hlc_moves(h, p, s, False, file))[1].splitlines()

    def lower(self, after=None):
        """The target program, after a pass or after all: `hlc lower`."""
        options = _native.LowerOptions(after.encode() if after else None, -1)
        return display.Text(self._ask(lambda h, p, s, file: lib.hlc_lower(h, p, s, ctypes.byref(options), file))[1])

    def assembly(self):
        """The machine code, as text."""
        options = _native.CompileOptions(emit=b"asm", optimize=self._options.optimize,
                                         stoppable=self._options.stoppable)
        return display.Text(self._ask(lambda h, p, s, file: lib.hlc_compile(h, p, s, ctypes.byref(options), file))[1])

    def certify(self, solver=None):
        """Proves for all inputs that the program is memory safe and computes all that it needs: `hlc certify`. The
        answer is true if every obligation is proved or becomes a check at run time. `solver` is Z3's command."""
        options = _native.CertifyOptions(solver=solver.encode() if solver else None)
        answer, text = self._ask(
            lambda h, p, s, file: lib.hlc_certify(h, p, s, ctypes.byref(options), None, file))
        return display.Answer(answer, text)

    def check(self, seed=1, rounds=0):
        """Compares compiled code with the reference on random arguments, bit for bit: `hlc check`. True: equal."""
        options = _native.CheckOptions(self.name.encode(), self.schedule.encode(), seed, rounds, False)
        answer, text = self._handle.text(
            lambda file: lib.hlc_check(self._handle.pointer, ctypes.byref(options), None, file))
        return display.Answer(answer, text)

    def split(self, at="auto"):
        """The plan of `hlc split`, as a dict (docs/large-split.md): parts that can be computed in windows, and how to run
        them. `at`: the funcs to cut, "f,g"; "auto": each of which an update needs the whole."""
        options = _native.SplitOptions(self.name.encode(), self.schedule.encode(), at.encode(), True)
        _, text = self._handle.text(
            lambda file: lib.hlc_split(self._handle.pointer, ctypes.byref(options), file))
        return json.loads(text)

    def tune(self, /, *, seconds=10.0, name="tuned", extend=None, threads=0, progress=None, **given):
        """The pipeline under a schedule that is chosen for these arguments: `hlc schedule --seconds`.

        Candidates are measured for so many seconds on the arrays, and their results compared with the empty schedule's.
        0: nothing is run, and the model alone chooses; then arguments may be left out. `extend` is a schedule whose
        directives are kept. `threads`: the schedule is for so many. `progress(what, share)` is called a few times a
        second; True prints it. Ctrl-C ends the measuring, with the best so far.

        The result's `schedule_text` can be pasted into the file.
        """
        return tuning.tune(self, seconds, name, extend, threads, progress, given)

    def func(self, name, /, **given):
        """Any func of the pipeline as values, by the reference: `edges.func("blurred", input=photo)[10:20, 30:40]`.

        Slices are coordinates: they may begin below 0, and have both ends. The axes are those of an output.
        """
        return FuncValues(self, name, given)

