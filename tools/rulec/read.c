/* read.c -- reads the rule language into prefix code.
 *
 *   # comment
 *   over integers                          section: integers, machine [types], float [types],
 *                                          bool, any, solve, vectors
 *   name   left -> right  [if guard]       one rule a line
 *
 * Terms use the expression language: its operators (ops.def), precedence and calls. Leaves are the
 * wildcards x y z w u v, the constants c0 .. c9, literals, `true` and `false`. The right side may
 * also contain `fold(e)`, a constant computed when the rule is applied. A wildcard is a bool if an
 * operator requires one, else a number. Over floats a literal is the float of that value, and a
 * guard may contain `power(c0)` (rule.h). In the section `bool` everything is a bool. `a > b` is
 * read as `b < a`. In the section `solve`, t0 .. t9 match only terms with the target variable, n0
 * .. n9 only terms without it, x y z w u v either.
 */
#include "tools/rulec/rule_set.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void rule_error(RuleSet *set, const char *file, int line, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    vec_push(set->arena, &set->errors, arena_format(set->arena, "%s:%d: %s", file, line, message));
}

/* The line being read. Slots are numbered in the order of first occurrence on the left. */
typedef struct RuleReader {
    RuleSet *set;
    const char *file, *at;
    int line;
    bool failed, may_fold, may_bind, in_guard;
    const char *slot_names[RULE_SLOTS]; /* "x", "c0" */
    int slot_count;
    unsigned bool_slots, number_slots, target_slots, free_slots;
    RuleClass rule_class;
    unsigned types;
} RuleReader;

typedef struct TermCode {
    RuleTerm terms[RULE_TERMS];
    int length;
    bool is_bool, is_open; /* open: a wildcard, or its broadcast, of undetermined sort */
} TermCode;

static void fail(RuleReader *r, const char *message) {
    if (!r->failed)
        rule_error(r->set, r->file, r->line, "%s, at `%.20s`", message, r->at);
    r->failed = true;
}

static void skip_space(RuleReader *r) {
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

static bool accept(RuleReader *r, const char *text) {
    skip_space(r);
    size_t length = strlen(text);
    if (strncmp(r->at, text, length))
        return false;
    r->at += length;
    return true;
}

static void append(RuleReader *r, TermCode *code, RuleTerm term) {
    if (code->length == RULE_TERMS)
        fail(r, "the term is too long");
    else
        code->terms[code->length++] = term;
}

static void append_code(RuleReader *r, TermCode *code, const TermCode *more) {
    for (int i = 0; i < more->length; i++)
        append(r, code, more->terms[i]);
}

/* Gives an open operand the sort that its operator requires. */
static void want(RuleReader *r, TermCode *code, bool is_bool) {
    const RuleTerm *last = &code->terms[code->length - 1]; /* a wildcard, or that of a broadcast */
    if (code->is_open && code->length && last->op == TERM_WILDCARD) {
        unsigned bit = 1u << last->value;
        *(is_bool ? &r->bool_slots : &r->number_slots) |= bit;
        code->is_bool = is_bool;
        code->is_open = false;
        if (r->bool_slots & r->number_slots & bit)
            fail(r, "a wildcard is used as a bool and as a number");
    }
    if (code->is_bool != is_bool)
        fail(r, is_bool ? "a bool is asked for here" : "a number is asked for here");
}

static void expression(RuleReader *r, int precedence, TermCode *out);

static int slot_of(RuleReader *r, const char *name, size_t length) {
    for (int i = 0; i < r->slot_count; i++)
        if (strlen(r->slot_names[i]) == length && !strncmp(r->slot_names[i], name, length))
            return i;
    if (!r->may_bind) {
        fail(r, "unbound: the left side has no such wildcard");
        return 0;
    }
    if (r->slot_count == RULE_SLOTS) {
        fail(r, "too many wildcards");
        return 0;
    }
    r->slot_names[r->slot_count] = arena_text(r->set->arena, name, length);
    return r->slot_count++;
}

static void name(RuleReader *r, TermCode *out, const char *start, size_t length) {
    bool numbered = length == 2 && isdigit((unsigned char)start[1]);
    bool constant = numbered && start[0] == 'c', solve = r->rule_class == RULES_SOLVE;
    bool target = solve && numbered && start[0] == 't',
         without = solve && numbered && *start == 'n';
    bool wildcard = target || without || (length == 1 && strchr("xyzwuv", *start));
    if (!constant && !wildcard) {
        fail(r, solve
                    ? "not a wildcard (t0 .. t9, n0 .. n9, x y z w u v), a constant (c0 .. c9) or "
                      "an operator"
                    : "not a wildcard (x y z w u v), a constant (c0 .. c9) or an operator");
        return;
    }
    int slot = slot_of(r, start, length);
    r->target_slots |= (unsigned)target << slot;
    r->free_slots |= (unsigned)(without || constant) << slot;
    append(r, out, (RuleTerm){constant ? TERM_CONSTANT : TERM_WILDCARD, 0, slot});
    out->is_open = wildcard && !((r->bool_slots | r->number_slots) >> slot & 1);
    out->is_bool = wildcard && (r->bool_slots >> slot & 1);
    if (r->rule_class == RULES_BOOL && wildcard)
        want(r, out, true);
}

/* Combines the operands of one operator: sorts, then prefix code. */
static void combine(RuleReader *r, Op op, TermCode *operands, TermCode *out) {
    const OpInfo *info = op_info(op);
    bool compares = info->types == TYPES_COMPARE || info->types == TYPES_CLASS;
    bool logic = info->types == TYPES_LOGIC;
    if (info->types == TYPES_CHOOSE)
        want(r, &operands[0], true);
    int first = info->types == TYPES_CHOOSE;
    bool bools = logic;
    for (int i = first; i < info->arity && !logic; i++)
        bools |= !operands[i].is_open && operands[i].is_bool;
    for (int i = first; i < info->arity; i++)
        want(r, &operands[i], bools);
    if (bools && !(info->traits & ON_BOOL))
        fail(r, "the operator is not defined on bools");
    append(r, out, (RuleTerm){(uint16_t)op, 0, 0});
    for (int i = 0; i < info->arity; i++)
        append_code(r, out, &operands[i]);
    out->is_bool = compares || bools;
}

static void fold(RuleReader *r, TermCode *out) {
    if (!r->may_fold) {
        fail(r, "fold stands on the right side only");
        return;
    }
    TermCode inner = {0};
    expression(r, 0, &inner);
    for (int i = 0; i < inner.length; i++)
        if (inner.terms[i].op == TERM_WILDCARD || inner.terms[i].op == TERM_FOLD)
            fail(r, "fold is of constants only");
    if (!accept(r, ")"))
        fail(r, "`)` is missing");
    append(r, out, (RuleTerm){TERM_FOLD, 0, 0});
    append_code(r, out, &inner);
    out->is_bool = inner.is_bool;
}

/* `ramp(base, stride)` and `broadcast(x)`, over vectors; the lanes are those of the rule's vectors.
 */
static bool vector(RuleReader *r, TermCode *out, TermCode *operands, int count, const char *start,
                   size_t length) {
    bool is_ramp = length == 4 && !strncmp(start, "ramp", 4) && count == 2;
    bool is_broadcast = length == 9 && !strncmp(start, "broadcast", 9) && count == 1;
    if (r->rule_class != RULES_VECTORS || (!is_ramp && !is_broadcast))
        return false;
    append(r, out, (RuleTerm){is_ramp ? OP_RAMP : OP_BROADCAST, 0, 0});
    for (int i = 0; i < count; i++) {
        if (is_ramp)
            want(r, &operands[i], false);
        append_code(r, out, &operands[i]);
    }
    out->is_open = is_broadcast && operands[0].is_open;
    out->is_bool = is_broadcast && operands[0].is_bool;
    return true;
}

/* `power(c0)`. */
static void power(RuleReader *r, TermCode *out) {
    TermCode inner = {0};
    expression(r, 0, &inner);
    if (!accept(r, ")"))
        fail(r, "`)` is missing");
    if (!r->in_guard || r->rule_class != RULES_FLOAT || inner.length != 1 ||
        inner.terms[0].op != TERM_CONSTANT)
        fail(r, "power is of a constant, in a guard over floats");
    append(r, out, (RuleTerm){TERM_POWER, 0, 0});
    append_code(r, out, &inner);
    out->is_bool = true;
}

static void call(RuleReader *r, TermCode *out, const char *start, size_t length) {
    if (length == 4 && !strncmp(start, "fold", 4)) {
        fold(r, out);
        return;
    }
    if (length == 5 && !strncmp(start, "power", 5)) {
        power(r, out);
        return;
    }
    TermCode operands[OP_MAX_ARITY] = {0};
    int count = 0;
    do {
        if (count == OP_MAX_ARITY) {
            fail(r, "too many operands");
            return;
        }
        expression(r, 0, &operands[count++]);
    } while (accept(r, ","));
    if (!accept(r, ")"))
        fail(r, "`)` is missing");
    if (vector(r, out, operands, count, start, length))
        return;
    Op op = op_find(start, length, FORM_CALL, count);
    if (op == OP_COUNT)
        fail(r, "no operator has this name and number of operands");
    if (!r->failed)
        combine(r, op, operands, out);
}

static void number(RuleReader *r, TermCode *out) {
    char *end;
    long long value = strtoll(r->at, &end, 10);
    if (value < -1000000000 || value > 1000000000)
        fail(r, "the literal is too large");
    r->at = end;
    append(r, out, (RuleTerm){TERM_LITERAL, 0, (int32_t)value});
}

static void prefix(RuleReader *r, TermCode *out) {
    TermCode operand = {0};
    Op op = op_find(r->at, 1, FORM_PREFIX, 1);
    r->at++;
    expression(r, op_info(op)->precedence, &operand);
    if (!r->failed)
        combine(r, op, &operand, out);
}

static void primary(RuleReader *r, TermCode *out) {
    skip_space(r);
    const char *start = r->at;
    if (accept(r, "(")) {
        expression(r, 0, out);
        if (!accept(r, ")"))
            fail(r, "`)` is missing");
    } else if (isdigit((unsigned char)*start) ||
               (*start == '-' && isdigit((unsigned char)start[1]))) {
        number(r, out);
    } else if (*start && op_find(start, 1, FORM_PREFIX, 1) != OP_COUNT) {
        prefix(r, out);
    } else if (isalpha((unsigned char)*start)) {
        while (isalnum((unsigned char)*r->at) || *r->at == '_')
            r->at++;
        size_t length = (size_t)(r->at - start);
        if (length == 4 && !strncmp(start, "true", 4)) {
            append(r, out, (RuleTerm){TERM_TRUTH, 0, 1});
            out->is_bool = true;
        } else if (length == 5 && !strncmp(start, "false", 5)) {
            append(r, out, (RuleTerm){TERM_TRUTH, 0, 0});
            out->is_bool = true;
        } else if (r->rule_class == RULES_VECTORS && length == 5 && !strncmp(start, "lanes", 5)) {
            append(r, out, (RuleTerm){TERM_LANES, 0, 0});
        } else if (*r->at == '(') {
            r->at++;
            call(r, out, start, length);
        } else {
            name(r, out, start, length);
        }
    } else {
        fail(r, "a term is missing");
    }
}

/* The infix operator that begins here, longest text first. */
static Op infix(const RuleReader *r, size_t *length) {
    if (r->at[0] == '-' && r->at[1] == '>')
        return OP_COUNT;
    for (*length = 2; *length >= 1; --*length) {
        if (strlen(r->at) < *length)
            continue;
        Op op = op_find(r->at, *length, FORM_INFIX, 2);
        if (op != OP_COUNT)
            return op;
    }
    return OP_COUNT;
}

/* Left-associative operators that bind tighter than `precedence`. */
static void expression(RuleReader *r, int precedence, TermCode *out) {
    TermCode left = {0};
    primary(r, &left);
    while (!r->failed) {
        skip_space(r);
        size_t length = 0;
        Op op = infix(r, &length);
        if (op == OP_COUNT || op_info(op)->precedence <= precedence)
            break;
        r->at += length;
        TermCode operands[2] = {0}, result = {0};
        operands[0] = left;
        expression(r, op_info(op)->precedence, &operands[1]);
        if (op == OP_GT || op == OP_GE) {
            TermCode swapped = operands[0];
            operands[0] = operands[1];
            operands[1] = swapped;
            op = op == OP_GT ? OP_LT : OP_LE;
        }
        if (!r->failed)
            combine(r, op, operands, &result);
        left = result;
    }
    *out = left;
}

static const RuleTerm *keep(RuleReader *r, const TermCode *code) {
    RuleTerm *terms = arena_array(r->set->arena, RuleTerm, code->length);
    memcpy(terms, code->terms, sizeof *terms * (size_t)code->length);
    return terms;
}

static void read_rule(RuleReader *r, const char *text) {
    skip_space(r);
    const char *start = r->at;
    while (*r->at && *r->at != ' ' && *r->at != '\t')
        r->at++;
    Rule rule = {.name = arena_text(r->set->arena, start, (size_t)(r->at - start)),
                 .file = r->file,
                 .line = (uint16_t)r->line,
                 .rule_class = (uint8_t)r->rule_class,
                 .types = (uint16_t)r->types,
                 .proof = PROOF_BY_NONE,
                 .text = text};
    for (const char *c = rule.name; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_')
            fail(r, "a rule's name is made of small letters, digits and _");
    TermCode left = {0}, right = {0}, guard = {0};
    r->may_bind = true;
    expression(r, 0, &left);
    r->may_bind = false;
    if (!r->failed && !accept(r, "->"))
        fail(r, "`->` is missing");
    r->may_fold = true;
    if (!r->failed)
        expression(r, 0, &right);
    r->may_fold = false;
    r->in_guard = true;
    if (!r->failed && accept(r, "if ")) {
        expression(r, 0, &guard);
        if (!r->failed && !guard.is_bool)
            fail(r, "a guard is a condition");
    }
    skip_space(r);
    if (!r->failed && *r->at)
        fail(r, "the line does not end here");
    if (!r->failed && left.terms[0].op >= OP_COUNT)
        fail(r, "the left side is an operator over something");
    if (!r->failed)
        want(r, &right, left.is_bool);
    if (r->failed)
        return;
    rule.slot_count = (uint8_t)r->slot_count;
    rule.bool_slots = (uint16_t)r->bool_slots;
    if (r->rule_class == RULES_SOLVE) {
        rule.target_slots = (uint16_t)r->target_slots;
        rule.free_slots = (uint16_t)r->free_slots;
    }
    rule.left = keep(r, &left);
    rule.left_length = (uint16_t)left.length;
    rule.right = keep(r, &right);
    rule.right_length = (uint16_t)right.length;
    rule.guard = keep(r, &guard);
    rule.guard_length = (uint16_t)guard.length;
    vec_push(r->set->arena, &r->set->rules, rule);
}

/* The types to which a class may be restricted; 0 if it names no types. */
static unsigned types_of_class(RuleClass rule_class) {
    if (rule_class == RULES_FLOAT)
        return ALL_FLOAT_TYPES;
    return rule_class == RULES_MACHINE ? ALL_MACHINE_TYPES : 0;
}

static void read_section(RuleReader *r, RuleClass *rule_class, unsigned *types) {
    static const char *const names[] = {
        [RULES_INTEGERS] = "integers", [RULES_MACHINE] = "machine", [RULES_FLOAT] = "float",
        [RULES_BOOL] = "bool",         [RULES_ANY] = "any",         [RULES_SOLVE] = "solve",
        [RULES_VECTORS] = "vectors",
    };
    *rule_class = RULE_CLASS_COUNT;
    *types = 0;
    for (int i = 0; i < RULE_CLASS_COUNT; i++)
        if (accept(r, names[i])) {
            *rule_class = (RuleClass)i;
            break;
        }
    skip_space(r);
    unsigned all = types_of_class(*rule_class);
    while (all && *r->at && !r->failed) {
        const char *start = r->at;
        while (isalnum((unsigned char)*r->at))
            r->at++;
        Type type;
        if (!type_from_name(arena_text(r->set->arena, start, (size_t)(r->at - start)), &type) ||
            !(all >> type_number(type) & 1))
            fail(r, *rule_class == RULES_FLOAT ? "not a float type" : "not a machine integer type");
        else
            *types |= 1u << type_number(type);
        skip_space(r);
    }
    if (!*types)
        *types = all;
    if (*rule_class == RULE_CLASS_COUNT || *r->at)
        fail(r, "a section is `over integers`, `over machine [types]`, `over float [types]`, "
                "`over bool`, `over any`, `over solve` or `over vectors`");
}

void rule_read(RuleSet *set, const char *file, const char *text) {
    RuleClass rule_class = RULE_CLASS_COUNT;
    unsigned types = 0;
    int line = 0;
    while (*text) {
        size_t length = strcspn(text, "\n"), kept = strcspn(text, "#\n");
        while (kept && (text[kept - 1] == ' ' || text[kept - 1] == '\t'))
            kept--;
        char *content = arena_text(set->arena, text, kept);
        text += length + (text[length] == '\n');
        line++;
        RuleReader r = {.set = set,
                        .file = file,
                        .at = content,
                        .line = line,
                        .rule_class = rule_class,
                        .types = types};
        skip_space(&r);
        if (!*r.at)
            continue;
        if (accept(&r, "over "))
            read_section(&r, &rule_class, &types);
        else if (rule_class == RULE_CLASS_COUNT)
            fail(&r, "a rule stands before the first section");
        else
            read_rule(&r, content);
    }
}
