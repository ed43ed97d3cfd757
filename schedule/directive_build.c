/* directive_build.c -- makes the arguments of directives that no user wrote. */
#include "schedule/directive_build.h"

DirectiveArgument argument_func_named(Symbol func) {
    return (DirectiveArgument){.kind = ARGUMENT_FUNC, .name = func};
}

DirectiveArgument argument_name(Symbol name) {
    return (DirectiveArgument){.kind = ARGUMENT_NAME, .name = name};
}

DirectiveArgument argument_loop(const LoopName *loop) {
    LoopReference reference = {loop->func, loop->variable, loop->specialization, loop->stage};
    return (DirectiveArgument){.kind = ARGUMENT_LOOP, .loop = reference};
}

DirectiveArgument argument_of_nest(const LoopNest *nest, size_t position) {
    LoopName name = nest_loop_name(nest, nest->loops.data[position].variable);
    return argument_loop(&name);
}

DirectiveArgument argument_number(const NumberChoice *number) {
    return (DirectiveArgument){.kind = ARGUMENT_EXPR, .expr = number->expr, .text = number->text};
}

DirectiveArgument argument_traversal(Traversal traversal) {
    return (DirectiveArgument){.kind = ARGUMENT_TRAVERSAL, .traversal = traversal};
}

DirectiveArgument argument_at(DirectiveArgument argument, Place place) {
    argument.place = place;
    return argument;
}
