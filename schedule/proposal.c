#include "schedule/proposal.h"

Directive *proposal_begin(const Proposing *p, DirectiveKind kind) {
    Directive *directive = arena_new(p->arena, Directive);
    *directive = (Directive){.kind = kind};
    return directive;
}

void proposal_put(const Proposing *p, Directive *directive, DirectiveArgument argument) {
    vec_push(p->arena, &directive->arguments, argument);
}

void proposal_put_func(const Proposing *p, Directive *directive, Symbol func) {
    proposal_put(p, directive, (DirectiveArgument){.kind = ARGUMENT_FUNC, .name = func});
}

void proposal_put_name(const Proposing *p, Directive *directive, Symbol name) {
    proposal_put(p, directive, (DirectiveArgument){.kind = ARGUMENT_NAME, .name = name});
}

void proposal_put_loop(const Proposing *p, Directive *directive, const Nest *nest,
                       size_t position) {
    LoopName name = nest_loop_name(nest, nest->loops.data[position].variable);
    LoopReference loop = {name.func, name.variable, name.specialization, name.stage};
    proposal_put(p, directive, (DirectiveArgument){.kind = ARGUMENT_LOOP, .loop = loop});
}

void proposal_put_number(const Proposing *p, Directive *directive, const MoveNumber *number) {
    proposal_put(
        p, directive,
        (DirectiveArgument){.kind = ARGUMENT_EXPR, .expr = number->expr, .text = number->text});
}

bool proposal_put_tail(const Proposing *p, Directive *directive, int which) {
    if (which == 0)
        return true;
    if (!(p->choices->tails >> (which - 1) & 1))
        return false;
    proposal_put(p, directive,
                 (DirectiveArgument){.kind = ARGUMENT_TAIL, .tail = (Tail)(which - 1)});
    return true;
}

void proposal_offer(const Proposing *p, const Directive *directive, ProposalCheck *check) {
    if (!check || check(p->scheduler, directive))
        vec_push(p->arena, p->moves, *directive);
}

Symbol proposal_fresh_name(const Proposing *p, const Nest *nest, size_t position,
                           const char *ending) {
    SymbolTable *symbols = &p->scheduler->resolver.context->symbols;
    const char *variable = nest->loops.data[position].variable->text;
    DirectiveArgument argument = {.kind = ARGUMENT_NAME,
                                  .name = symbol_format(symbols, "%s%s", variable, ending)};
    for (int n = 1; !nest_accepts_name(&p->scheduler->resolver, nest, &argument, NULL); n++)
        argument.name = symbol_format(symbols, "%s%s%d", variable, ending, n);
    return argument.name;
}
