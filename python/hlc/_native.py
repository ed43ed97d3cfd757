"""The C library: finds libhlc.so, and declares the functions of include/hlc.h and runtime/hlc_runtime.h.

The library is, in this order: the file that the environment variable HLC_LIBRARY names; the one beside this file, which
a wheel holds; the one that the dynamic linker finds.
"""

import ctypes
import os
import pathlib
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char, c_char_p, c_double, c_int, c_int16, c_int32,
                    c_int64, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

#: The part of the library's name that changes with its interface: HLC_ABI of runtime/hlc_runtime.h.
ABI = "0.2"

YES, NO, USER, WORLD, FAULT = range(5)
BOOL, INT, UINT, FLOAT, BFLOAT = range(5)
PLANAR, INTERLEAVED, STRIDED = range(3)
COMPILED, REFERENCE, TARGET, SEMANTICS = range(4)


class Value(Structure):
    """hlc_value."""

    class Number(Union):
        _fields_ = [("boolean", c_bool), ("integer", c_int64), ("natural", c_uint64), ("real", c_double)]

    _fields_ = [("kind", c_int), ("number", Number)]

    def get(self):
        number = self.number
        return (number.boolean, number.integer, number.natural, number.real)[min(self.kind, FLOAT)]


class Input(Structure):
    """hlc_input."""

    _fields_ = [("name", c_char_p), ("is_image", c_bool), ("kind", c_int), ("bits", c_int), ("dimensions", c_int),
                ("layout", c_int), ("has_default", c_bool), ("has_range", c_bool), ("default", Value),
                ("lower", Value), ("upper", Value)]


class Output(Structure):
    """hlc_output."""

    _fields_ = [("func", c_char_p), ("component", c_int), ("kind", c_int), ("bits", c_int), ("dimensions", c_int),
                ("layout", c_int), ("shares", c_char_p)]


class Diagnostic(Structure):
    """hlc_diagnostic."""

    _fields_ = [("code", c_char_p), ("severity", c_int), ("file", c_char_p), ("line", c_uint), ("column", c_uint),
                ("length", c_uint), ("message", c_char_p), ("help", c_char_p)]


class Type(Structure):
    """halide_type_t."""

    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Dimension(Structure):
    """halide_dimension_t."""

    _fields_ = [("min", c_int32), ("extent", c_int32), ("stride", c_int32), ("flags", c_uint32)]


class Buffer(Structure):
    """halide_buffer_t."""

    _fields_ = [("device", c_uint64), ("device_interface", c_void_p), ("host", c_void_p), ("flags", c_uint64),
                ("type", Type), ("dimensions", c_int32), ("dim", POINTER(Dimension)), ("padding", c_void_p)]


class Report(Structure):
    """hlc_report."""

    _fields_ = [("error", c_int), ("message", c_char * 512)]


class Interval(Structure):
    """hlc_interval."""

    _fields_ = [("min", c_int32), ("extent", c_int32)]


RUN, QUERY, CHECK = range(3)  # HLC_CALL_..


class Call(Structure):
    """hlc_call."""

    _fields_ = [("size", c_uint32), ("what", c_uint32), ("domains", c_void_p), ("threads", c_int32),
                ("cancel", c_void_p)]


class Python(Structure):
    """hlc_python of include/hlc_python.h: functions of Python's stable ABI."""

    NAMES = ("PyTuple_GetItem", "PyObject_GetBuffer", "PyBuffer_Release", "PyErr_Clear", "PyErr_CheckSignals",
             "PyEval_SaveThread", "PyEval_RestoreThread")
    _fields_ = [(name, c_void_p) for name in NAMES]


class PythonArray(Structure):
    """hlc_python_array."""

    _fields_ = [("buffer", c_void_p), ("formats", c_char_p), ("object", c_int32), ("layout", c_int32),
                ("is_output", c_int32), ("bytes", c_int32), ("axes", c_int32 * 4)]


class PythonCall(Structure):
    """hlc_python_call."""

    _fields_ = [("python", c_void_p), ("function", c_void_p), ("call", c_void_p), ("report", c_void_p),
                ("arguments", c_void_p), ("arrays", c_void_p), ("count", c_int32), ("is_main", c_int32)]


class ScheduleOptions(Structure):
    """hlc_schedule_options."""

    _fields_ = [("pipeline", c_char_p), ("name", c_char_p), ("extend", c_char_p), ("threads", c_int),
                ("seconds", c_double), ("finish", c_void_p), ("finish_data", c_void_p), ("scales", c_char_p)]


class CompileOptions(Structure):
    """hlc_compile_options."""

    _fields_ = [("emit", c_char_p), ("optimize", c_int), ("header", c_void_p), ("depfile", c_void_p),
                ("object", c_char_p), ("debug", c_bool), ("sanitize", c_char_p), ("trace", c_bool),
                ("stoppable", c_bool), ("profile", c_bool), ("assembly", c_void_p)]


class CheckOptions(Structure):
    """hlc_check_options."""

    _fields_ = [("pipeline", c_char_p), ("schedule", c_char_p), ("seed", c_uint64), ("rounds", c_int),
                ("json", c_bool)]


class CertifyOptions(Structure):
    """hlc_certify_options."""

    _fields_ = [("json", c_bool), ("solver", c_char_p), ("certificate", c_void_p)]


class ContractOptions(Structure):
    """hlc_contract_options."""

    _fields_ = [("against", c_char_p), ("arguments", c_void_p), ("json", c_bool), ("for_people", c_bool)]


class SplitOptions(Structure):
    """hlc_split_options of include/hlc_split.h."""

    _fields_ = [("pipeline", c_char_p), ("schedule", c_char_p), ("at", c_char_p), ("json", c_bool)]


class LowerOptions(Structure):
    """hlc_lower_options."""

    _fields_ = [("after", c_char_p), ("until", c_int64)]


class EvalOptions(Structure):
    """hlc_eval_options."""

    _fields_ = [("why", c_bool), ("formal", c_bool), ("strict", c_bool), ("semantics", c_bool)]


Progress = CFUNCTYPE(None, c_void_p, c_char_p, c_double)
Importer = CFUNCTYPE(c_void_p, c_void_p, c_char_p, POINTER(c_size_t))

TEXT, HANDLE, ARGUMENTS, FUNCTION, FILE = c_char_p, c_void_p, c_void_p, c_void_p, c_void_p

# Name: result, parameters.
FUNCTIONS = {
    "hlc_version": (TEXT, ()),
    "hlc_create": (HANDLE, ()),
    "hlc_destroy": (None, (HANDLE,)),
    "hlc_cancel": (None, (HANDLE,)),
    "hlc_resume": (None, (HANDLE,)),
    "hlc_set_constant": (c_int, (HANDLE, TEXT, TEXT)),
    "hlc_has_constant": (c_bool, (HANDLE, TEXT)),
    "hlc_add_schedule": (c_int, (HANDLE, TEXT)),
    "hlc_set_targets": (c_int, (HANDLE, TEXT)),
    "hlc_use_windows": (c_int, (HANDLE,)),
    "hlc_load": (c_int, (HANDLE, TEXT)),
    "hlc_load_text": (c_int, (HANDLE, TEXT, TEXT, c_size_t, Importer, c_void_p)),
    "hlc_pipeline_count": (c_size_t, (HANDLE,)),
    "hlc_pipeline_name": (TEXT, (HANDLE, c_size_t)),
    "hlc_input_count": (c_size_t, (HANDLE, c_size_t)),
    "hlc_input_at": (Input, (HANDLE, c_size_t, c_size_t)),
    "hlc_output_count": (c_size_t, (HANDLE, c_size_t)),
    "hlc_output_at": (Output, (HANDLE, c_size_t, c_size_t)),
    "hlc_schedule_count": (c_size_t, (HANDLE,)),
    "hlc_schedule_name": (TEXT, (HANDLE, c_size_t)),
    "hlc_schedule_pipeline": (TEXT, (HANDLE, c_size_t)),
    "hlc_diagnostic_count": (c_size_t, (HANDLE,)),
    "hlc_diagnostic_at": (Diagnostic, (HANDLE, c_size_t)),
    "hlc_clear_diagnostics": (None, (HANDLE,)),
    "hlc_print_diagnostics": (None, (HANDLE, FILE)),
    "hlc_lower": (c_int, (HANDLE, TEXT, TEXT, POINTER(LowerOptions), FILE)),
    "hlc_explain": (c_int, (HANDLE, TEXT, TEXT, ARGUMENTS, FILE)),
    "hlc_moves": (c_int, (HANDLE, TEXT, TEXT, c_bool, FILE)),
    "hlc_bounds": (c_int, (HANDLE, TEXT, TEXT, FILE)),
    "hlc_expand": (c_int, (HANDLE, FILE)),
    "hlc_certify": (c_int, (HANDLE, TEXT, TEXT, POINTER(CertifyOptions), ARGUMENTS, FILE)),
    "hlc_contract": (c_int, (HANDLE, TEXT, TEXT, POINTER(ContractOptions), FILE)),
    "hlc_check": (c_int, (HANDLE, POINTER(CheckOptions), ARGUMENTS, FILE)),
    "hlc_compile": (c_int, (HANDLE, TEXT, TEXT, POINTER(CompileOptions), FILE)),
    "hlc_compile_function": (FUNCTION, (HANDLE, TEXT, TEXT, POINTER(CompileOptions))),
    "hlc_take_function": (FUNCTION, (FUNCTION,)),
    "hlc_function_destroy": (None, (FUNCTION,)),
    "hlc_function_call_with": (c_int, (FUNCTION, c_void_p, c_void_p, c_void_p)),
    "hlc_arguments_create": (ARGUMENTS, (HANDLE, TEXT)),
    "hlc_arguments_destroy": (None, (ARGUMENTS,)),
    "hlc_arguments_set": (c_int, (ARGUMENTS, TEXT, TEXT)),
    "hlc_arguments_set_value": (c_int, (ARGUMENTS, TEXT, Value)),
    "hlc_arguments_set_buffer": (c_int, (ARGUMENTS, TEXT, c_void_p)),
    "hlc_arguments_set_domain": (c_int, (ARGUMENTS, TEXT, c_void_p, c_int)),
    "hlc_arguments_propose": (c_int, (ARGUMENTS, TEXT, c_void_p)),
    "hlc_on_progress": (None, (HANDLE, c_void_p, c_void_p)),
    "hlc_schedule": (c_int, (HANDLE, POINTER(ScheduleOptions), ARGUMENTS, FILE)),
    "hlc_split": (c_int, (HANDLE, POINTER(SplitOptions), FILE)),
    "hlc_eval": (c_int, (ARGUMENTS, TEXT, POINTER(EvalOptions), FILE)),
    "hlc_explain_code": (c_int, (HANDLE, TEXT, FILE)),
    "hlc_error_name": (TEXT, (c_int,)),
    "hlc_set_thread_count": (c_int, (c_int,)),
    "hlc_thread_count": (c_int, ()),
}


def find():
    """The path, or the name, of the library."""
    given = os.environ.get("HLC_LIBRARY")
    if given:
        return given
    name = f"libhlc.so.{ABI}"
    beside = pathlib.Path(__file__).with_name(name)
    return str(beside) if beside.exists() else name


def load():
    path = find()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"hlc: cannot load {path} ({error}); build hlc first and install the package again, which then holds "
                          f"the library; or set HLC_LIBRARY to the path of libhlc.so.{ABI}, or install hlc where the dynamic "
                          "linker looks") from error
    for name, (result, parameters) in FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"hlc: {path} has no {name}: it is another version than this package's")
        function.restype, function.argtypes = result, parameters
    return library


lib = load()

# The call that holds Python's lock, and the functions of Python that it calls.
python = Python(*(ctypes.cast(getattr(ctypes.pythonapi, name), c_void_p) for name in Python.NAMES))
python_run = ctypes.PYFUNCTYPE(c_int, c_void_p, ctypes.py_object)(("hlc_python_run", lib))

libc = ctypes.CDLL(None)
libc.open_memstream.restype, libc.open_memstream.argtypes = FILE, (POINTER(c_void_p), POINTER(c_size_t))
libc.fclose.argtypes = (FILE,)
libc.free.argtypes = (c_void_p,)


def text_of(write):
    """(result, bytes) of `write(file)`, a call that prints to a FILE."""
    address, length = c_void_p(), c_size_t()
    file = libc.open_memstream(ctypes.byref(address), ctypes.byref(length))
    if not file:
        raise MemoryError
    try:
        result = write(file)
    finally:
        libc.fclose(file)
        text = ctypes.string_at(address, length.value)
        libc.free(address)
    return result, text
