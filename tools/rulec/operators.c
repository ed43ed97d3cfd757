/* operators.c -- reads the operator sections of the rule language into prefix code; operators.h
 * describes the language.
 *
 * The terms determine which components must have one type: an operator that computes unites the
 * classes of its operands, a select those of its arms. A class without computation is structural:
 * any type.
 */
#include "tools/rulec/operators.h"

#include "base/hash.h"
#include "ir/read.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS_K = OPERATOR_ELEMENTS, CLASSES };

typedef struct OperatorLine {
    OperatorSet *set;
    const char *file, *at;
    int line;
    bool failed;
    unsigned types[OPERATOR_ELEMENTS]; /* of the section, by element */
    OperatorEntry entry;
    Vec(RuleTerm) code;
    int united[CLASSES]; /* by class: a class that equals it, or itself */
    bool computed[CLASSES];
} OperatorLine;

__attribute__((format(printf, 2, 3))) static bool fail(OperatorLine *line, const char *format,
                                                       ...) {
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!line->failed)
        vec_push(line->set->arena, &line->set->errors,
                 arena_format(line->set->arena, "%s:%d: %s", line->file, line->line, message));
    line->failed = true;
    return false;
}

static bool accept(OperatorLine *line, const char *text) {
    line->at += strspn(line->at, " \t");
    size_t length = strlen(text);
    if (strncmp(line->at, text, length) != 0)
        return false;
    line->at += length;
    return true;
}

/* ---- sections ---- */

static unsigned types_named(OperatorLine *line, const char *name) {
    static const struct {
        const char *name;
        unsigned types;
    } kinds[] = {{"machine", OPERATOR_MACHINE},
                 {"float", OPERATOR_FLOAT},
                 {"number", OPERATOR_MACHINE | OPERATOR_FLOAT},
                 {"any", OPERATOR_ANY}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name))
            return kinds[i].types;
    Type type;
    if (type_from_name(name, &type) && !type_is_index(type))
        return 1u << type_number(type);
    fail(line,
         "`%s` names no types: machine, float, number, bool, any, i8 to u64, f16, bf16, f32, f64",
         name);
    return 0;
}

/* `machine u8 u16`: the first word, or the types that follow it. */
static unsigned read_types(OperatorLine *line) {
    unsigned all = 0, some = 0;
    while (!line->failed && *line->at && *line->at != ',') {
        const char *start = line->at;
        while (isalnum((unsigned char)*line->at))
            line->at++;
        if (line->at == start) {
            fail(line, "types are words");
            return 0;
        }
        unsigned types =
            types_named(line, arena_text(line->set->arena, start, (size_t)(line->at - start)));
        *(all ? &some : &all) |= types;
        line->at += strspn(line->at, " \t");
    }
    return some ? all & some : all;
}

static void read_section(OperatorLine *line) {
    int element = 0;
    do {
        line->at += strspn(line->at, " \t");
        unsigned types = read_types(line);
        for (int i = element; i < OPERATOR_ELEMENTS; i++)
            line->types[i] = types;
        element++;
    } while (!line->failed && element < OPERATOR_ELEMENTS && accept(line, ","));
    if (!line->failed && (*line->at || !line->types[0]))
        fail(line, "a section is `over` and types, one for all elements or one each");
}

/* ---- terms ---- */

/* The variable's code: x, x.3, y, k, lowest; -1 for none. */
static int variable_code(const char *name) {
    static const char *const words[] = {"k", "lowest", "highest"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, words[i]))
            return OPERATOR_K + i;
    if (name[0] != 'x' && name[0] != 'y')
        return -1;
    char *end;
    long element = name[1] == '.' && isdigit((unsigned char)name[2]) ? strtol(name + 2, &end, 10)
                                                                     : (end = (char *)name + 1, 0);
    if (*end || element >= OPERATOR_ELEMENTS)
        return -1;
    return (name[0] == 'y' ? OPERATOR_Y : 0) + (int)element;
}

/* To read: a bool, or any number. */
static bool name_type(void *data, Symbol name, Type *type) {
    const OperatorLine *line = data;
    int code = variable_code(name->text);
    *type = code >= 0 && code < OPERATOR_K && line->types[code % OPERATOR_ELEMENTS] == OPERATOR_BOOL
                ? BOOL
                : I32;
    return code >= 0;
}

static int class_root(const OperatorLine *line, int class) {
    while (line->united[class] != class)
        class = line->united[class];
    return class;
}

static int unite(OperatorLine *line, int a, int b) {
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    int least = class_root(line, a), other = class_root(line, b);
    if (least > other) {
        int swapped = least;
        least = other;
        other = swapped;
    }
    line->united[other] = least;
    line->computed[least] |= line->computed[other];
    return least;
}

/* Returns the class of a term's type; -1 for a literal, and for a term that its operator makes a
 * bool. */
static int classify(OperatorLine *line, Expr expr) {
    if (expr->op == OP_VARIABLE) {
        int code = variable_code(expr->name->text);
        return code == OPERATOR_K ? CLASS_K : code > OPERATOR_K ? -1 : code % OPERATOR_ELEMENTS;
    }
    int class = -1, first = expr->op == OP_SELECT;
    if (first)
        classify(line, expr->arguments[0]);
    for (int i = first; i < expr->arity; i++)
        class = unite(line, class, classify(line, expr->arguments[i]));
    if (class >= 0 && expr->op != OP_SELECT)
        line->computed[class_root(line, class)] = true;
    return expr->op < OP_COUNT && op_info((Op)expr->op)->types == TYPES_COMPARE ? -1 : class;
}

static void append(OperatorLine *line, Expr expr) {
    RuleTerm term = {expr->op, 0, 0};
    if (expr->op == OP_VARIABLE)
        term = (RuleTerm){TERM_WILDCARD, 0, variable_code(expr->name->text)};
    if (expr_is_constant(expr))
        term = (RuleTerm){type_is_bool(expr->type) ? TERM_TRUTH : TERM_LITERAL, 0,
                          (int32_t)expr->bits};
    vec_push(line->set->arena, &line->code, term);
    for (int i = 0; i < expr->arity; i++)
        append(line, expr->arguments[i]);
}

/* The length of the term that begins the text: up to a comma, an end, or `->`. */
static size_t term_length(const char *text) {
    int open = 0;
    size_t i = 0;
    for (; text[i]; i++) {
        if (open == 0 && (text[i] == ',' || text[i] == '}' || !strncmp(text + i, "->", 2) ||
                          !strncmp(text + i, " commutes", 9) || !strncmp(text + i, " where", 6)))
            break;
        open += (text[i] == '(') - (text[i] == ')');
    }
    return i;
}

static void read_term(OperatorLine *line, int element, bool is_operator) {
    OperatorSet *set = line->set;
    size_t length = term_length(line->at);
    Expr expr = expr_read(set->pool, line->at, length, name_type, line, NOWHERE);
    if (!expr) {
        fail(line, "`%.*s` is no term", (int)length, line->at);
        return;
    }
    Type wanted = line->types[element] == OPERATOR_BOOL ? BOOL : I32;
    Expr adapted = expr_adapt(set->pool, expr, wanted);
    expr = adapted ? adapted : expr;
    if (!type_equal(expr->type, wanted))
        fail(line, "`%.*s` has another type than its element", (int)length, line->at);
    line->at += length;
    append(line, expr);
    if (!is_operator)
        return;
    int class = classify(line, expr);
    if (class >= 0)
        unite(line, class, element);
    else
        line->computed[class_root(line, element)] = true;
}

/* `e` or `{e, ..}`; how many. */
static int read_tuple(OperatorLine *line, bool is_operator) {
    int count = 0;
    bool braces = accept(line, "{");
    line->code = (typeof(line->code)){0};
    do {
        if (count == OPERATOR_ELEMENTS)
            fail(line, "a tuple has at most %d elements", OPERATOR_ELEMENTS);
        if (!line->failed)
            read_term(line, count++, is_operator);
    } while (!line->failed && braces && accept(line, ","));
    if (!line->failed && braces && !accept(line, "}"))
        fail(line, "`}` is missing");
    return count;
}

/* ---- entries ---- */

static void classes_of_entry(OperatorLine *line) {
    int numbers[CLASSES], count = 0;
    memset(numbers, -1, sizeof numbers);
    for (int i = 0; i < line->entry.arity; i++) {
        int root = class_root(line, i);
        if (numbers[root] < 0) {
            numbers[root] = count++;
            line->entry.types[numbers[root]] =
                (uint16_t)(line->computed[root] ? line->types[root] : OPERATOR_ANY);
        }
        line->entry.class_of[i] = (uint8_t)numbers[root];
    }
    int constant = numbers[class_root(line, CLASS_K)];
    line->entry.constant_class = (uint8_t)(constant < 0 ? 0 : constant);
}

static bool code_has(const RuleTerm *code, int arity, int value) {
    const RuleTerm *end = code;
    for (int i = 0; i < arity; i++)
        end = rule_term_end(end);
    for (const RuleTerm *term = code; term < end; term++)
        if (term->op == TERM_WILDCARD && term->value == value)
            return true;
    return false;
}

/* Reads `where 0 <= x.2`: for floats only, because the proofs treat them as reals. */
static void read_where(OperatorLine *line) {
    char *end;
    if (!accept(line, "where"))
        return;
    long element = accept(line, "0 <= x.") ? strtol(line->at, &end, 10) : -1;
    if (element < 0 || element >= line->entry.arity) {
        fail(line, "`where` is followed by `0 <= x.N`, N the number of an element");
        return;
    }
    line->at = end;
    line->entry.not_negative = (uint16_t)(1u << element);
    for (int i = 0; i < line->entry.arity; i++)
        if (line->entry.types[line->entry.class_of[i]] & ~OPERATOR_FLOAT)
            fail(line, "`where` is said of floats alone");
}

static void read_entry(OperatorLine *line, const char *text) {
    OperatorEntry *entry = &line->entry;
    line->at += strspn(line->at, " \t");
    size_t length = strspn(line->at, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (!length || !strchr(" \t", line->at[length])) {
        fail(line, "an operator's name is made of small letters, digits and _");
        return;
    }
    entry->name = arena_text(line->set->arena, line->at, length);
    for (size_t i = 0; i < line->set->entries.length; i++)
        if (!strcmp(line->set->entries.data[i].name, entry->name))
            fail(line, "another operator is called %s", entry->name);
    line->at += length;
    entry->text = text;
    for (int i = 0; i < CLASSES; i++)
        line->united[i] = i;
    entry->arity = (uint8_t)read_tuple(line, true);
    entry->code = line->code.data;
    if (!line->failed && !accept(line, "->"))
        fail(line, "`->` and the identity are missing");
    if (line->failed)
        return;
    classes_of_entry(line);
    entry->has_constant = code_has(entry->code, entry->arity, OPERATOR_K);
    entry->has_identity = !accept(line, "none");
    if (entry->has_identity && read_tuple(line, false) != entry->arity)
        fail(line, "the identity has another number of elements");
    entry->identity = line->code.data;
    entry->commutes = accept(line, "commutes");
    read_where(line);
    line->at += strspn(line->at, " \t");
    if (!line->failed && *line->at)
        fail(line, "the line does not end at `%.20s`", line->at);
    if (!line->failed)
        vec_push(line->set->arena, &line->set->entries, *entry);
}

void operators_read(OperatorSet *set, const char *file, const char *text) {
    unsigned types[OPERATOR_ELEMENTS] = {0};
    for (int number = 1; *text; number++) {
        size_t length = strcspn(text, "\n"), kept = strcspn(text, "#\n");
        while (kept && strchr(" \t", text[kept - 1]))
            kept--;
        char *content = arena_text(set->arena, text, kept);
        text += length + (text[length] == '\n');
        OperatorLine line = {.set = set, .file = file, .at = content, .line = number};
        line.entry = (OperatorEntry){.file = file, .line = (uint16_t)number};
        memcpy(line.types, types, sizeof types);
        line.at += strspn(line.at, " \t");
        if (!*line.at)
            continue;
        if (accept(&line, "over ")) {
            read_section(&line);
            memcpy(types, line.types, sizeof types);
        } else if (!types[0]) {
            fail(&line, "an operator stands before the first section");
        } else {
            read_entry(&line, content);
        }
    }
}

/* ---- proofs ---- */

uint64_t operator_hash(const OperatorEntry *entry) {
    uint64_t hash = hash_bytes(entry->text, strlen(entry->text));
    for (int i = 0; i < entry->arity; i++) {
        hash = hash_mix(hash, entry->class_of[i]);
        hash = hash_mix(hash, entry->types[entry->class_of[i]]);
    }
    return hash;
}

void operators_check_proofs(OperatorSet *set, const char *file, const char *text) {
    bool *is_proved = arena_array(set->arena, bool, set->entries.length + 1);
    for (int line = 1; *text; line++) {
        char name[100], word[40];
        unsigned long long hash;
        if (sscanf(text, "%99s %39s %llx", name, word, &hash) != 3)
            vec_push(set->arena, &set->errors,
                     arena_format(set->arena, "%s:%d: a line is NAME WORD HASH", file, line));
        for (size_t i = 0; i < set->entries.length; i++)
            if (!strcmp(set->entries.data[i].name, name) &&
                operator_hash(&set->entries.data[i]) == hash)
                is_proved[i] = true;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    for (size_t i = 0; i < set->entries.length; i++) {
        const OperatorEntry *entry = &set->entries.data[i];
        if (!is_proved[i])
            vec_push(set->arena, &set->errors,
                     arena_format(set->arena,
                                  "%s:%d: %s has no proof in %s; `make prove-operators` asks Z3",
                                  entry->file, entry->line, entry->name, file));
    }
}

/* ---- the table ---- */

static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

static size_t write_terms(FILE *out, const RuleTerm *terms, int count) {
    const RuleTerm *end = terms;
    for (int i = 0; i < count; i++)
        end = rule_term_end(end);
    for (const RuleTerm *term = terms; term < end; term++)
        fprintf(out, "{%d,0,%d},", term->op, term->value);
    return (size_t)(end - terms);
}

void operators_write(const OperatorSet *set, FILE *out) {
    fprintf(out,
            "/* Generated by rulec from associative/operators; do not edit. */\n"
            "#include \"associative/operator_table.h\"\n\nstatic const RuleTerm terms[] = {\n");
    size_t *starts = arena_array(set->arena, size_t, 2 * set->entries.length + 1), at = 0;
    for (size_t i = 0; i < set->entries.length; i++) {
        const OperatorEntry *entry = &set->entries.data[i];
        starts[2 * i] = at;
        at += write_terms(out, entry->code, entry->arity);
        starts[2 * i + 1] = at;
        at += entry->has_identity ? write_terms(out, entry->identity, entry->arity) : 0;
        fputc('\n', out);
    }
    fprintf(out, "{0,0,0}};\n\nconst OperatorEntry operator_table[] = {\n");
    for (size_t i = 0; i < set->entries.length; i++) {
        const OperatorEntry *entry = &set->entries.data[i];
        const char *slash = strrchr(entry->file, '/');
        fprintf(out, "{\"%s\", \"%s\", ", entry->name, slash ? slash + 1 : entry->file);
        write_string(out, entry->text);
        fprintf(out, ", %u, %u, %d, %d, %d, %u, %u, {", entry->line, entry->arity, entry->commutes,
                entry->has_identity, entry->has_constant, entry->not_negative,
                entry->constant_class);
        for (int j = 0; j < entry->arity; j++)
            fprintf(out, "%u,", entry->class_of[j]);
        fputs("}, {", out);
        for (int j = 0; j < entry->arity; j++)
            fprintf(out, "%u,", entry->types[j]);
        fprintf(out, "}, terms + %zu, terms + %zu},\n", starts[2 * i], starts[2 * i + 1]);
    }
    fprintf(out, "};\n\nconst int operator_table_count = %zu;\n", set->entries.length);
}
