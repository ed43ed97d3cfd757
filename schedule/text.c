/* text.c -- prints directives in the syntax of schedules. */
#include "schedule/schedule.h"

#include "ir/print.h"

const char *traversal_text(Traversal traversal) {
    static const char *const texts[] = {[TRAVERSE_SERIAL] = "serial",
                                        [TRAVERSE_PARALLEL] = "parallel",
                                        [TRAVERSE_VECTORIZED] = "vectorized",
                                        [TRAVERSE_UNROLLED] = "unrolled"};
    return texts[traversal];
}

const char *tail_text(Tail tail) {
    static const char *const texts[] = {[TAILS_GUARD] = "guard",
                                        [TAILS_PREDICATE] = "predicate",
                                        [TAILS_ROUND_UP] = "round-up",
                                        [TAILS_SHIFT_INWARDS] = "shift-inwards",
                                        [TAILS_ROUND_UP_AND_BLEND] = "round-up-and-blend",
                                        [TAILS_SHIFT_INWARDS_AND_BLEND] =
                                            "shift-inwards-and-blend"};
    return texts[tail];
}

const char *alignment_text(Alignment alignment) {
    static const char *const texts[ALIGNMENT_COUNT] = {
        [ALIGN_START] = "align-start", [ALIGN_END] = "align-end"};
    return texts[alignment];
}

const char *loop_reference_text(Arena *arena, const LoopReference *loop) {
    char specialization[16] = "", stage[16] = "";
    if (loop->specialization)
        snprintf(specialization, sizeof specialization, ".z%d", loop->specialization);
    if (loop->stage >= 0)
        snprintf(stage, sizeof stage, ".s%d", loop->stage);
    return arena_format(arena, "%s%s%s.%s", loop->func->text, specialization, stage,
                        loop->variable->text);
}

static const char *stage_text(Arena *arena, const LoopReference *stage) {
    return arena_format(arena, "%s.s%d", stage->func->text, stage->stage);
}

static const char *argument_text(Arena *arena, const DirectiveArgument *argument) {
    switch (argument->kind) {
    case ARGUMENT_FUNC:
    case ARGUMENT_NAME:
        return argument->name->text;
    case ARGUMENT_LOOP:
        return loop_reference_text(arena, &argument->loop);
    case ARGUMENT_EXPR:
        return argument->text ? argument->text : expr_text(arena, argument->expr);
    case ARGUMENT_TRAVERSAL:
        return traversal_text(argument->traversal);
    case ARGUMENT_TAIL:
        return tail_text(argument->tail);
    case ARGUMENT_MEMORY:
        return memory_text(argument->memory);
    case ARGUMENT_ALIGNMENT:
        return alignment_text(argument->alignment);
    case ARGUMENT_STAGE:
        return stage_text(arena, &argument->loop);
    }
    return "";
}

char *directive_text(Arena *arena, const Directive *directive) {
    char *text = arena_format(arena, "%s(", directive_info(directive->kind)->text);
    for (size_t i = 0; i < directive->arguments.length; i++)
        text = arena_format(arena, "%s%s%s", text, i ? ", " : "",
                            argument_text(arena, &directive->arguments.data[i]));
    return arena_format(arena, "%s)", text);
}
