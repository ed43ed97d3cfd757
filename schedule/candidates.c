/* candidates.c -- shared by the functions that build candidates (candidates.h): arguments, new
 * names, lists of candidates.  A new name is the old name with an ending, and a number if it is
 * taken: `x_o`, `x_o1`. */
#include "schedule/directive_record.h"

Directive *candidate_(const LegalSearch *search, DirectiveKind kind,
                      const DirectiveArgument *arguments, size_t count) {
    Directive *directive = arena_new(search->arena, Directive);
    *directive = (Directive){.kind = kind};
    for (size_t i = 0; i < count; i++)
        candidate_put(search, directive, arguments[i]);
    return directive;
}

void candidate_put(const LegalSearch *search, Directive *directive, DirectiveArgument argument) {
    vec_push(search->arena, &directive->arguments, argument);
}

bool candidate_put_tail(const LegalSearch *search, Directive *directive, int which) {
    if (which == 0)
        return true;
    if (!(search->choices->tails >> (which - 1) & 1))
        return false;
    candidate_put(search, directive,
                  (DirectiveArgument){.kind = ARGUMENT_TAIL, .tail = (Tail)(which - 1)});
    return true;
}

void candidate_accept(const LegalSearch *search, const Directive *directive) {
    vec_push(search->arena, search->legal, *directive);
}

void candidate_offer(const LegalSearch *search, const Directive *directive) {
    if (!search->check || search->check(search->scheduler, directive))
        candidate_accept(search, directive);
}

Symbol candidate_loop_name(const LegalSearch *search, const LoopNest *nest, size_t position,
                           const char *ending) {
    SymbolTable *symbols = &search->scheduler->resolver.context->symbols;
    const char *variable = nest->loops.data[position].variable->text;
    DirectiveArgument argument = argument_name(symbol_format(symbols, "%s%s", variable, ending));
    for (int n = 1; !nest_accepts_name(&search->scheduler->resolver, nest, &argument, NULL); n++)
        argument.name = symbol_format(symbols, "%s%s%d", variable, ending, n);
    return argument.name;
}

Symbol candidate_func_name(const LegalSearch *search, Symbol func, const char *ending) {
    const Resolver *resolver = &search->scheduler->resolver;
    SymbolTable *symbols = &resolver->context->symbols;
    Symbol name = symbol_format(symbols, "%s_%s", func->text, ending);
    for (int n = 1; pipeline_name_is_taken(resolver, name); n++)
        name = symbol_format(symbols, "%s_%s%d", func->text, ending, n);
    return name;
}

/* ---- shared by several directives ---- */

void candidates_of_dimensions(const LegalSearch *search, const FuncPlan *plan,
                              const NumberChoices *first, const NumberChoices *second,
                              bool needs_second) {
    const FuncShape *shape = plan->func->shape;
    size_t seconds = second ? second->length : 0;
    for (int d = 0; d < shape->dimensions; d++)
        for (size_t i = 0; i < first->length; i++)
            for (size_t j = needs_second; j <= seconds; j++) {
                Directive *directive =
                    candidate(search, argument_func_named(shape->name),
                              argument_name(shape->variables[d]), argument_number(&first->data[i]));
                if (j)
                    candidate_put(search, directive, argument_number(&second->data[j - 1]));
                candidate_offer(search, directive);
            }
}

/* Directives that have no argument but the func. */
void func_candidates(const LegalSearch *search, const FuncPlan *plan) {
    candidate_offer(search, candidate(search, argument_func_named(plan->func->shape->name)));
}

/* Directives about a func and a loop. */
void level_candidates(const LegalSearch *search, const FuncPlan *plan) {
    for (size_t i = 0; i < search->nests.length; i++)
        for (size_t l = 0; l < search->nests.data[i]->loops.length; l++)
            candidate_offer(search, candidate(search, argument_func_named(plan->func->shape->name),
                                              argument_of_nest(search->nests.data[i], l)));
}
