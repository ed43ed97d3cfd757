/* pattern.c -- sides of rules as expressions over slot variables; whole rules as text. */
#include "tools/synthesis/synthesis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char LETTERS[] = "xyzwuv";

Expr pattern_slot(Pool *pool, int slot, Type type) {
    char name[8];
    snprintf(name, sizeof name, slot < WILDCARDS ? "W%d" : "c%d",
             slot < WILDCARDS ? slot : slot - WILDCARDS);
    return expr_variable(pool, context_symbol(pool->context, name), type);
}

int pattern_slot_of(Expr expr) {
    if (expr->op != OP_VARIABLE)
        return -1;
    const char *name = expr->name->text;
    int number = name[1] - '0';
    return name[0] == 'W' ? number : name[0] == 'c' ? WILDCARDS + number : -1;
}

int pattern_operators(Expr expr) {
    int count = expr->arity > 0;
    for (int i = 0; i < expr->arity; i++)
        count += pattern_operators(expr->arguments[i]);
    return count;
}

unsigned pattern_slots(Expr expr) {
    int slot = pattern_slot_of(expr);
    unsigned slots = slot < 0 ? 0 : 1u << slot;
    for (int i = 0; i < expr->arity; i++)
        slots |= pattern_slots(expr->arguments[i]);
    return slots;
}

/* ---- text ---- */

static bool is_folded(Expr expr) {
    unsigned slots = pattern_slots(expr);
    return expr->arity && type_is_index(expr->type) && !(slots & ((1u << WILDCARDS) - 1));
}

static void print(FILE *out, Expr expr, int precedence, bool folds);

static void print_operator(FILE *out, Expr expr, int precedence, bool folds) {
    const OpInfo *info = op_info((Op)expr->op);
    bool infix = info->form == FORM_INFIX, prefix = info->form == FORM_PREFIX;
    bool open = (infix || prefix) && info->precedence <= precedence;
    fputs(open ? "(" : "", out);
    if (infix) {
        print(out, expr->arguments[0], info->precedence - 1, folds);
        fprintf(out, " %s ", info->text);
        bool chain = expr->op == OP_AND || expr->op == OP_OR; /* a && (b && c) needs none */
        print(out, expr->arguments[1], info->precedence - chain, folds);
    } else if (prefix) {
        fputs(info->text, out);
        print(out, expr->arguments[0], info->precedence, folds);
    } else {
        fprintf(out, "%s(", info->text);
        for (int i = 0; i < expr->arity; i++) {
            fputs(i ? ", " : "", out);
            print(out, expr->arguments[i], 0, folds);
        }
        fputc(')', out);
    }
    fputs(open ? ")" : "", out);
}

/* Prints parentheses if the operator binds no tighter than `precedence`. */
static void print(FILE *out, Expr expr, int precedence, bool folds) {
    int slot = pattern_slot_of(expr);
    if (slot >= WILDCARDS)
        fprintf(out, "c%d", slot - WILDCARDS);
    else if (slot >= 0)
        fputc(LETTERS[slot], out);
    else if (type_is_bool(expr->type) && expr->op == OP_CONSTANT)
        fputs(expr->bits ? "true" : "false", out);
    else if (expr->op == OP_CONSTANT)
        fprintf(out, "%lld", (long long)expr->bits);
    else if (folds && is_folded(expr)) {
        fputs("fold(", out);
        print(out, expr, 0, false);
        fputc(')', out);
    } else {
        print_operator(out, expr, precedence, folds);
    }
}

char *pattern_text(Arena *arena, Expr expr, bool folds) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    print(out, expr, 0, folds);
    fclose(out);
    char *kept = arena_text(arena, text, size);
    free(text);
    return kept;
}

/* ---- values ---- */

PatternPoints points_create(Arena *arena, size_t capacity) {
    PatternPoints points = {.capacity = capacity};
    for (int i = 0; i < SLOTS; i++)
        points.slots[i] = arena_array(arena, Bits, capacity);
    return points;
}

void points_add(PatternPoints *points, const Bits *slots) {
    if (points->count == points->capacity)
        return;
    for (int i = 0; i < SLOTS; i++)
        points->slots[i][points->count] = slots[i];
    points->count++;
}

/* The points `from` .. `from + count - 1`, at most BLOCK. */
static void block_values(Expr expr, const PatternPoints *points, size_t from, size_t count,
                         Bits *out) {
    int slot = pattern_slot_of(expr);
    if (slot >= 0) {
        memcpy(out, points->slots[slot] + from, count * sizeof *out);
        return;
    }
    if (!expr->arity) {
        for (size_t i = 0; i < count; i++)
            out[i] = expr->bits;
        return;
    }
    Bits buffers[OP_MAX_ARITY][BLOCK];
    const Bits *arguments[OP_MAX_ARITY] = {buffers[0], buffers[1], buffers[2]};
    Type operands[OP_MAX_ARITY];
    for (int i = 0; i < expr->arity; i++) {
        operands[i] = expr->arguments[i]->type;
        block_values(expr->arguments[i], points, from, count, buffers[i]);
    }
    value_apply_batch((Op)expr->op, expr->type, operands, count, out, arguments, NULL, NULL);
}

void pattern_values(Expr expr, const PatternPoints *points, Bits *out) {
    for (size_t from = 0; from < points->count; from += BLOCK) {
        size_t left = points->count - from;
        block_values(expr, points, from, left < BLOCK ? left : BLOCK, out + from);
    }
}

uint64_t random_next(SampleRandom *random) {
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    return random->state ^= random->state << 17;
}

int64_t random_between(SampleRandom *random, int64_t least, int64_t most) {
    return least + (int64_t)(random_next(random) % (uint64_t)(most - least + 1));
}

/* ---- rules ---- */

char *proposal_text(Arena *arena, Proposal p) {
    const char *left = pattern_text(arena, p.left, false),
               *right = pattern_text(arena, p.right, true);
    if (!p.guard)
        return arena_format(arena, "%s -> %s", left, right);
    return arena_format(arena, "%s -> %s if %s", left, right, pattern_text(arena, p.guard, false));
}

bool rule_from_text(Arena *arena, const char *name, const char *text, RuleSet *set) {
    *set = (RuleSet){.arena = arena};
    rule_read(set, "found", arena_format(arena, "over integers\n%s %s\n", name, text));
    rule_commute(set);
    rule_check(set);
    rule_order(set);
    return !set->errors.length && set->rules.length;
}
