"""What is asked of a pipeline: its parameters, and the domains of its outputs."""

from ..arrays import Window
from ..errors import ProgramError
from .memory import contract_rows


def parameter(pipeline, slot, value):
    """The value of a parameter, a number."""
    if value is None:
        value = slot.default
    if value is None:
        raise TypeError(f"apply() misses the argument {slot.name} of {pipeline.name}")
    if hasattr(value, "__dask_graph__"):
        raise ProgramError(f"{slot.name}: a parameter is a number, which sizes may depend on: compute it first, "
                           f"{slot.name}=value.compute()")
    return value.item() if hasattr(value, "item") else value


def domains(pipeline, inputs):
    """{func: domain} of the outputs, as given or declared."""
    found = {}
    for func in dict.fromkeys(pipeline._funcs):
        slot = pipeline.outputs[pipeline._funcs.index(func)]
        given = inputs.outputs.get(func)
        if slot.dimensions == 0:
            found[func] = (), ()
        elif given is None:
            found[func] = proposed(pipeline, func, inputs.grids, inputs.parameters)
        else:
            found[func] = domain_given(slot, given)
    return found


def proposed(pipeline, func, grids, parameters):
    """The domain of an output that was not given: the one that the pipeline declares."""
    slot = pipeline.outputs[pipeline._funcs.index(func)]
    if slot.dimensions and not any(row["kind"] == "window" and row["name"] == func for row in contract_rows(pipeline)):
        raise ProgramError(f"{pipeline.name} declares no size of {func}: give {func}=SHAPE")
    images = {s.name: Window(s.empty((0,) * s.dimensions), grids[s.name].origin, grids[s.name].domain)
              for s in pipeline.inputs if s.is_image}
    return pipeline._proposed(func, slot, images | parameters, {})


def domain_given(slot, given):
    """Of an output: a shape, or hlc.Window(domain=..)."""
    if isinstance(given, Window):
        if given.domain is None:
            raise ProgramError(f"{slot.name}: the whole of an output is a shape, or hlc.Window(domain=..)")
        domain = given.domain
    else:
        if not isinstance(given, (tuple, list)):
            raise ProgramError(f"{slot.name}: an output is a shape, such as (480, 640), not a {type(given).__name__}; what "
                               "is computed is a Dask array")
        domain = (0,) * slot.dimensions, tuple(given)
    if len(domain[1]) != slot.dimensions:
        raise ProgramError(f"{slot.name}: {domain[1]} is no shape of {slot!r}")
    return domain[0], slot.shape_of(domain[1])
