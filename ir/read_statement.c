/* read_statement.c -- reads the line of each kind of statement in the text form, without bodies. */
#include "ir/extern.h"
#include "ir/printer.h"
#include "ir/reader.h"

/* ---- pieces of statements ---- */

static bool read_interval(TextReader *reader, Extent *interval) {
    return reader_expect(reader, "(") && (interval->minimum = read_expr_of(reader, INDEX)) &&
           reader_expect(reader, ",") && (interval->length = read_expr_of(reader, INDEX)) &&
           reader_expect(reader, ")");
}

/* Reads `[(m, n), ..]`. */
static bool read_box(TextReader *reader, Extent *box, int dimensions) {
    if (!reader_expect(reader, "["))
        return false;
    for (int k = 0; k < dimensions; k++)
        if ((k && !reader_expect(reader, ",")) || !read_interval(reader, &box[k]))
            return false;
    return reader_expect(reader, "]");
}

/* Reads a box into new memory; null after reporting. */
static Extent *read_intervals(TextReader *reader, int dimensions) {
    Extent *intervals = arena_array(reader->arena, Extent, dimensions);
    return read_box(reader, intervals, dimensions) ? intervals : NULL;
}

/* Reads `[i, j, ..]`; null after reporting. */
static Expr *read_indices(TextReader *reader, int dimensions) {
    Expr *indices = arena_array(reader->arena, Expr, dimensions + 1);
    if (!reader_expect(reader, "["))
        return NULL;
    for (int k = 0; k < dimensions; k++)
        if ((k && !reader_expect(reader, ",")) || !(indices[k] = read_expr_of(reader, INDEX)))
            return NULL;
    return reader_expect(reader, "]") ? indices : NULL;
}

/* Reads the name of a func or an image, and finds its number of dimensions. */
static bool read_fetched(TextReader *reader, Symbol *name, int *dimensions) {
    Place place = reader_peek(reader)->place;
    if (!read_name(reader, "a func or an image", name))
        return false;
    const ImageParameter *image = signature_image(reader->signature, *name);
    const FuncShape *func = signature_func(reader->signature, *name);
    *dimensions = image ? image->dimensions : func ? func->dimensions : 0;
    if (!image && !func)
        diag(reader->context, DIAG_TEXT_UNKNOWN_FUNC, place, (*name)->text);
    return image || func;
}

/* Reads `input [(m, n), ..]` after the word `needs`. */
bool read_need(TextReader *reader, Need *need) {
    Place place = reader_peek(reader)->place;
    Symbol name;
    if (!read_name(reader, "an image", &name))
        return false;
    need->image = signature_image(reader->signature, name);
    if (!need->image)
        return diag(reader->context, DIAG_TEXT_UNKNOWN_FUNC, place, name->text);
    return read_box(reader, need->box, need->image->dimensions);
}

/* Reads `out [(m, n), ..] if fits, ..` after the word `proposes`. */
bool read_proposal(TextReader *reader, ProposedWindow *proposal) {
    Place place = reader_peek(reader)->place;
    Symbol name;
    if (!read_name(reader, "an output", &name))
        return false;
    *proposal = (ProposedWindow){.func = signature_func(reader->signature, name)};
    if (!proposal->func || !proposal->func->is_output)
        return diag(reader->context, DIAG_TEXT_UNKNOWN_FUNC, place, name->text);
    if (!read_box(reader, proposal->box, proposal->func->dimensions))
        return false;
    for (bool more = reader_accept(reader, "if"); more; more = reader_accept(reader, ",")) {
        Expr fits = read_expr(reader);
        if (!fits)
            return false;
        vec_push(reader->arena, &proposal->fits, fits);
    }
    return true;
}

static FuncShape *read_func_name(TextReader *reader) {
    Place place = reader_peek(reader)->place;
    Symbol name;
    if (!read_name(reader, "a func", &name))
        return NULL;
    FuncShape *func = signature_func(reader->signature, name);
    if (!func)
        diag(reader->context, DIAG_TEXT_UNKNOWN_FUNC, place, name->text);
    return func;
}

/* Reads the numbers of a name such as `s3` (letters "s") or `z1'2` (letters "z'"). The first part
 * is required; a missing later part is 0. */
static bool read_numbered(TextReader *reader, const char *letters, const char *what, int *numbers) {
    const Token *token = reader_peek(reader);
    size_t at = 0;
    for (int i = 0; letters[i]; i++) {
        numbers[i] = 0;
        if (token->kind != TOKEN_NAME || (i == 0 && token->text[0] != letters[0]))
            return reader_unexpected(reader, what);
        if (at == token->length)
            continue;
        size_t first = ++at;
        while (at < token->length && token->text[at] >= '0' && token->text[at] <= '9' &&
               at - first < 6)
            numbers[i] = numbers[i] * 10 + (token->text[at++] - '0');
        if (token->text[first - 1] != letters[i] || at == first)
            return reader_unexpected(reader, what);
    }
    if (at != token->length)
        return reader_unexpected(reader, what);
    reader_advance(reader);
    return true;
}

/* Reads the variable that the statement binds in its body; null after reporting. */
static ReaderBinding *read_binder(TextReader *reader, Symbol *name) {
    Place place = reader_peek(reader)->place;
    if (!read_name(reader, "a variable", name))
        return NULL;
    ReaderBinding *binding = reader_bind(reader, *name, INDEX, place);
    if (binding)
        binding->in_scope = false; /* until the body begins */
    return binding;
}

/* ---- statements: each reads its line after the leading word ---- */

static bool error_by_name(const Token *token, hlc_error *error) {
#define HLC_ERROR(NAME, TEXT, NUMBER, MESSAGE)                                                     \
    if (token_is_name(token, TEXT)) {                                                              \
        *error = HLC_ERROR_##NAME;                                                                 \
        return true;                                                                               \
    }
#include "runtime/hlc_errors.def"
#undef HLC_ERROR
    return false;
}

/* Reads `assert c else parameter_too_small("w", index(w), 0, 64)`. */
static bool read_assert(TextReader *reader, Stmt *stmt) {
    Exprs operands = {0};
    stmt->assertion.condition = read_expr_of(reader, BOOL);
    if (!stmt->assertion.condition || !reader_expect(reader, "else"))
        return false;
    if (!error_by_name(reader_peek(reader), &stmt->assertion.error))
        return diag(reader->context, DIAG_TEXT_ERROR_NAME, reader_peek(reader)->place,
                    reader_token_text(reader, reader_peek(reader)));
    reader_advance(reader);
    if (!reader_expect(reader, "("))
        return false;
    Token subject = *reader_peek(reader);
    if (subject.kind != TOKEN_STRING)
        return reader_unexpected(reader, "the subject in quotes");
    stmt->assertion.subject = arena_text(reader->arena, subject.text, subject.length);
    reader_advance(reader);
    while (reader_accept(reader, ",")) {
        Expr operand = read_expr_of(reader, INDEX);
        if (!operand)
            return false;
        vec_push(reader->arena, &operands, operand);
    }
    stmt->assertion.operands = operands.data;
    stmt->assertion.operand_count = (int)operands.length;
    return reader_expect(reader, ")");
}

/* Reads the name of a dimension of the func; -1 after reporting. */
static int read_dimension(TextReader *reader, const FuncShape *func) {
    Place place = reader_peek(reader)->place;
    Symbol variable;
    if (!read_name(reader, "a dimension", &variable))
        return -1;
    for (int k = 0; k < func->dimensions; k++)
        if (func->variables[k] == variable)
            return k;
    diag(reader->context, DIAG_TEXT_UNKNOWN_NAME, place,
         arena_format(reader->arena, "the dimension %s of %s", variable->text, func->name->text));
    return -1;
}

/* Reads `folding y by 4, z by 2`, or nothing. */
static bool read_folds(TextReader *reader, Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    if (!reader_accept(reader, "folding"))
        return true;
    stmt->allocate.folds = arena_array(reader->arena, Expr, func->dimensions + 1);
    do {
        int k = read_dimension(reader, func);
        if (k < 0 || !reader_expect(reader, "by") ||
            !(stmt->allocate.folds[k] = read_expr_of(reader, INDEX)))
            return false;
    } while (reader_accept(reader, ","));
    return true;
}

/* Reads `folded y, z`, or nothing. */
static bool read_places(TextReader *reader, Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    if (!reader_accept(reader, "folded"))
        return true;
    stmt->allocate.places = arena_array(reader->arena, bool, func->dimensions + 1);
    do {
        int k = read_dimension(reader, func);
        if (k < 0)
            return false;
        stmt->allocate.places[k] = true;
    } while (reader_accept(reader, ","));
    return true;
}

/* Reads `hoisted 2 reserving [9, n]`, or nothing. */
static bool read_hoist(TextReader *reader, Stmt *stmt) {
    const FuncShape *func = stmt->allocate.func;
    if (!reader_accept(reader, "hoisted"))
        return true;
    if (!read_count(reader, 1000000, &stmt->allocate.hoisted))
        return false;
    return !reader_accept(reader, "reserving") ||
           (stmt->allocate.reserve = read_indices(reader, func->dimensions));
}

/* Reads a table such as `"00ff"`, two digits a byte. */
static bool read_table(TextReader *reader, Storage *storage) {
    Token text = *reader_peek(reader);
    static const char digits[] = "0123456789abcdef";
    uint8_t *table = arena_array(reader->arena, uint8_t, text.length / 2 + 1);
    bool sound = text.kind == TOKEN_STRING && text.length % 2 == 0;
    for (size_t i = 0; sound && i < text.length; i++) {
        const char *digit = memchr(digits, text.text[i], sizeof digits - 1);
        sound = digit;
        if (digit)
            table[i / 2] = (uint8_t)(table[i / 2] << 4 | (digit - digits));
    }
    if (!sound)
        return reader_unexpected(reader, "bytes as hexadecimal digits in quotes");
    reader_advance(reader);
    storage->table = table;
    storage->table_bytes = text.length / 2;
    return true;
}

/* Reads `in stack streaming traced order (y, x)`. Each part is optional. */
static bool read_storage(TextReader *reader, const FuncShape *func, Stmt *stmt) {
    Storage *storage = arena_new(reader->arena, Storage);
    *storage = *storage_plain();
    bool has_memory = reader_accept(reader, "in");
    for (int m = MEMORY_STACK; has_memory && m <= MEMORY_REGISTER; m++)
        if (reader_accept(reader, memory_text((MemoryKind)m)))
            storage->memory = (MemoryKind)m;
    if (has_memory && storage->memory == MEMORY_AUTOMATIC)
        return reader_unexpected(reader, "stack, heap or register");
    storage->streams = reader_accept(reader, "streaming");
    storage->traced = reader_accept(reader, "traced");
    if (reader_accept(reader, "table") && !read_table(reader, storage))
        return false;
    bool has_order = reader_accept(reader, "order");
    if (has_order && !reader_expect(reader, "("))
        return false;
    for (int n = 0; has_order && n < func->dimensions; n++) {
        int dimension = n && !reader_expect(reader, ",") ? -1 : read_dimension(reader, func);
        if (dimension < 0)
            return false;
        storage->order[n] = (uint8_t)dimension;
    }
    stmt->allocate.storage = storage;
    return !has_order || reader_expect(reader, ")");
}

static bool read_allocate(TextReader *reader, Stmt *stmt) {
    int most = (int)reader->context->limits.tuple_elements, count;
    Type *types = arena_array(reader->arena, Type, most);
    FuncShape *func = read_func_name(reader);
    if (!func || !reader_expect(reader, ":"))
        return false;
    Place place = reader_peek(reader)->place;
    if (!read_types(reader, types, most, &count))
        return false;
    bool same = count == func->components;
    for (int c = 0; same && c < count; c++)
        same = type_equal(types[c], func->types[c]);
    if (!same)
        return reader_wrong_count(reader, place, func->name->text, "other types in its declaration",
                                  "these");
    stmt->allocate.func = func;
    return (stmt->allocate.intervals = read_intervals(reader, func->dimensions)) &&
           read_storage(reader, func, stmt) && read_folds(reader, stmt) &&
           read_places(reader, stmt) && read_hoist(reader, stmt);
}

/* Reads `y down along out.s0.y`. */
static bool read_slide(TextReader *reader, const FuncShape *func, Slide *slide) {
    if ((slide->dimension = read_dimension(reader, func)) < 0)
        return false;
    slide->downward = reader_accept(reader, "down");
    return reader_expect(reader, "along") && (slide->loop = read_expr_of(reader, INDEX));
}

/* Reads `holding [..] sliding y along out.s0.y, ..`, or nothing. */
static bool read_slides(TextReader *reader, Stmt *stmt) {
    Vec(Slide) slides = {0};
    if (!reader_accept(reader, "holding"))
        return true;
    if (!(stmt->compute.held = read_intervals(reader, stmt->compute.func->dimensions)) ||
        !reader_expect(reader, "sliding"))
        return false;
    do {
        Slide slide;
        if (!read_slide(reader, stmt->compute.func, &slide))
            return false;
        vec_push(reader->arena, &slides, slide);
    } while (reader_accept(reader, ","));
    stmt->compute.slides = slides.data;
    stmt->compute.slide_count = (int)slides.length;
    return true;
}

/* Reads `compute f z1'2 on [..]`. */
static bool read_compute(TextReader *reader, Stmt *stmt) {
    int numbers[2] = {0, 0};
    if (!(stmt->compute.func = read_func_name(reader)))
        return false;
    if (!reader_sees(reader, "on") && !read_numbered(reader, "z'", "`on`, or `z1'2 on`", numbers))
        return false;
    stmt->compute.specialization = numbers[0];
    stmt->compute.copy = numbers[1];
    return reader_expect(reader, "on") &&
           (stmt->compute.intervals = read_intervals(reader, stmt->compute.func->dimensions)) &&
           read_slides(reader, stmt);
}

static bool read_if(TextReader *reader, Stmt *stmt) {
    stmt->branch.condition = read_expr_of(reader, BOOL);
    if (!stmt->branch.condition || !reader_expect(reader, "then"))
        return false;
    stmt->branch.role = reader_accept(reader, "guard")        ? IF_GUARD
                        : reader_accept(reader, "predicate")  ? IF_PREDICATE
                        : reader_accept(reader, "specialize") ? IF_SPECIALIZE
                                                              : IF_PLAIN;
    return true;
}

/* Reads `named <f, z0, s1, x>`. Without it, the binder implies the loop name. */
static bool read_loop_name(TextReader *reader, Place binder_place, Stmt *stmt) {
    LoopName *name = &stmt->loop.name;
    if (!reader_accept(reader, "named")) {
        if (loop_name_parse(reader->context, stmt->loop.binder, name) &&
            signature_func(reader->signature, name->func))
            return true;
        return diag(reader->context, DIAG_TEXT_UNKNOWN_NAME, binder_place,
                    arena_format(reader->arena, "the loop that %s is a variable of",
                                 stmt->loop.binder->text));
    }
    FuncShape *func = NULL;
    if (!reader_expect(reader, "<") || !(func = read_func_name(reader)) ||
        !reader_expect(reader, ",") ||
        !read_numbered(reader, "z", "a specialization such as `z0`", &name->specialization) ||
        !reader_expect(reader, ",") ||
        !read_numbered(reader, "s", "a stage such as `s0`", &name->stage) ||
        !reader_expect(reader, ",") || !read_name(reader, "a variable", &name->variable))
        return false;
    name->func = func->name;
    return reader_expect(reader, ">");
}

enum { MOST_DISTANCE = 1024 };

/* Reads `prefetching input by 2, f by 1`, or nothing. */
static bool read_prefetches(TextReader *reader, const Prefetch **first) {
    const Prefetch **at = first;
    if (!reader_accept(reader, "prefetching"))
        return true;
    do {
        Prefetch *prefetch = arena_new(reader->arena, Prefetch);
        int dimensions;
        prefetch->place = reader_peek(reader)->place;
        if (!read_fetched(reader, &prefetch->name, &dimensions) || !reader_expect(reader, "by") ||
            !read_count(reader, MOST_DISTANCE, &prefetch->distance))
            return false;
        *at = prefetch;
        at = &prefetch->next;
    } while (reader_accept(reader, ","));
    return true;
}

/* Reads `for f.s1.x in (m, n) predicate (a, l) reduction parallel do`. */
static bool read_for(TextReader *reader, Stmt *stmt, ReaderBinding **binding) {
    Place place = reader_peek(reader)->place;
    if (!(*binding = read_binder(reader, &stmt->loop.binder)) || !reader_expect(reader, "in") ||
        !read_interval(reader, &stmt->loop.interval) ||
        (reader_accept(reader, "predicate") && !read_interval(reader, &stmt->loop.predicate)) ||
        !read_loop_name(reader, place, stmt))
        return false;
    stmt->loop.pure = !reader_accept(reader, "reduction");
    stmt->loop.independent = !stmt->loop.pure && reader_accept(reader, "independent");
    stmt->loop.traversal = reader_accept(reader, "parallel")     ? TRAVERSE_PARALLEL
                           : reader_accept(reader, "vectorized") ? TRAVERSE_VECTORIZED
                           : reader_accept(reader, "unrolled")   ? TRAVERSE_UNROLLED
                                                                 : TRAVERSE_SERIAL;
    return read_prefetches(reader, &stmt->loop.prefetches) &&
           ((stmt->loop.rare = reader_accept(reader, "rare")), true) && reader_expect(reader, "do");
}

/* Reads `let x in (m, n) = e in`, or with `below` at the end. */
static bool read_let(TextReader *reader, Stmt *stmt, ReaderBinding **binding, bool *is_below) {
    if (!(*binding = read_binder(reader, &stmt->let.binder)))
        return false;
    stmt->let.tail = reader_accept(reader, "in")       ? TAIL_INSIDE
                     : reader_accept(reader, "beyond") ? TAIL_BEYOND
                                                       : TAIL_NONE;
    if (stmt->let.tail != TAIL_NONE && !read_interval(reader, &stmt->let.domain))
        return false;
    if (!reader_expect(reader, "=") || !(stmt->let.value = read_expr(reader)))
        return false;
    (*binding)->type = stmt->let.value->type;
    *is_below = reader_accept(reader, "below");
    return *is_below || reader_expect(reader, "in");
}

/* Looks one token ahead, because a func may be named `atomic`. */
static bool sees_atomic(TextReader *reader) {
    Lexer ahead = reader->lexer;
    Token second = lex_next(&ahead);
    return reader_sees(reader, "atomic") && !token_is(&second, "[");
}

/* Looks one token ahead, because a func may be named `extern`. */
static bool sees_extern(TextReader *reader) {
    Lexer ahead = reader->lexer;
    return reader_sees(reader, "extern") && lex_next(&ahead).kind == TOKEN_STRING;
}

/* Reads `f[x, y]`, and after `..` another access of the same. */
static bool read_part(TextReader *reader, Exprs *arguments) {
    Place place = reader_peek(reader)->place;
    Expr first = read_expr(reader), last = NULL;
    if (!first)
        return false;
    vec_push(reader->arena, arguments, first);
    if (type_is_index(first->type))
        return diag(reader->context, DIAG_TEXT_EXTERN, place, "a scalar has a type of C");
    if (!reader_accept(reader, ".."))
        return first->op != OP_ACCESS || diag(reader->context, DIAG_TEXT_EXTERN, place,
                                              "a box has two points, `f[0] .. f[9]`");
    if (!(last = read_expr(reader)))
        return false;
    vec_push(reader->arena, arguments, last);
    return (first->op == OP_ACCESS && last->op == OP_ACCESS && first->name == last->name &&
            first->component == last->component) ||
           diag(reader->context, DIAG_TEXT_EXTERN, place, "both points of a box are of one func");
}

/* Reads `extern "name"(f[x] .. f[x + 1], n)`. */
static Expr read_extern(TextReader *reader, Type type, int component) {
    Exprs arguments = {0};
    Token name;
    reader_advance(reader);
    name = *reader_peek(reader);
    reader_advance(reader);
    if (!reader_expect(reader, "("))
        return NULL;
    while (!reader_accept(reader, ")"))
        if ((arguments.length && !reader_expect(reader, ",")) || !read_part(reader, &arguments))
            return NULL;
    if (arguments.length > 2 * HLC_MOST_EXTERN_ARGUMENTS) {
        diag(reader->context, DIAG_TEXT_EXTERN, name.place, "there are too many arguments");
        return NULL;
    }
    Symbol function = symbol_intern(&reader->context->symbols, name.text, name.length);
    if (!extern_may_be_named(function->text, reader->signature->name->text)) {
        diag(reader->context, DIAG_TEXT_EXTERN, name.place, "no C function can have this name");
        return NULL;
    }
    return expr_extern(reader->pool, function, component, type, arguments.data,
                       (int)arguments.length);
}

/* Are there no more arguments than a call can have? */
static bool fits_call(TextReader *reader, const Stmt *stmt, Place place) {
    ExternParts parts = extern_parts(reader->arena, stmt->store.values[0]);
    return parts.length + (size_t)stmt->store.func->components <= HLC_MOST_EXTERN_ARGUMENTS ||
           diag(reader->context, DIAG_TEXT_EXTERN, place, "there are too many arguments");
}

static bool read_lasts(TextReader *reader, Stmt *stmt) {
    const FuncShape *func = read_func_name(reader);
    Place place = reader_peek(reader)->place;
    if (!func || !(stmt->store.lasts = read_indices(reader, func->dimensions)))
        return false;
    return func == stmt->store.func ||
           diag(reader->context, DIAG_TEXT_EXTERN, place, "both points of a box are of one func");
}

/* Reads `f[i, j] <- {a, b} stage 1`, with an optional leading `atomic`. An extern stage may write a
 * box: `f[i, j] .. f[k, l] <- extern "name"(..)`. */
static bool read_store(TextReader *reader, Stmt *stmt, const Stmt *parent) {
    stmt->store.is_atomic = sees_atomic(reader) && reader_accept(reader, "atomic");
    Place place = reader_peek(reader)->place;
    FuncShape *func = stmt->store.func = read_func_name(reader);
    if (!func || !(stmt->store.indices = read_indices(reader, func->dimensions)) ||
        (reader_accept(reader, "..") && !read_lasts(reader, stmt)) ||
        !reader_expect(reader, "<-") || (func->components > 1 && !reader_expect(reader, "{")))
        return false;
    stmt->store.values = arena_array(reader->arena, Expr, func->components);
    for (int c = 0; c < func->components; c++)
        if ((c && !reader_expect(reader, ",")) ||
            !(stmt->store.values[c] = sees_extern(reader) ? read_extern(reader, func->types[c], c)
                                                          : read_expr_of(reader, func->types[c])))
            return false;
    if (func->components > 1 && !reader_expect(reader, "}"))
        return false;
    if (stmt_is_extern(stmt) && !fits_call(reader, stmt, place))
        return false;
    stmt->store.stage = store_default_stage(parent);
    return !reader_accept(reader, "stage") || read_count(reader, 1000000, &stmt->store.stage);
}

/* Reads `prefetch input [(m, n), ..]`. */
static bool read_prefetch(TextReader *reader, Stmt *stmt) {
    if (!read_fetched(reader, &stmt->prefetch.name, &stmt->prefetch.dimensions))
        return false;
    return (stmt->prefetch.intervals = read_intervals(reader, stmt->prefetch.dimensions));
}

bool read_kind(TextReader *reader, StmtKind *kind) {
    static const struct {
        const char *word;
        StmtKind kind;
    } words[] = {{"nop", STMT_NOP},         {"assert", STMT_ASSERT}, {"allocate", STMT_ALLOCATE},
                 {"compute", STMT_COMPUTE}, {"if", STMT_IF},         {"for", STMT_FOR},
                 {"let", STMT_LET},         {"label", STMT_LABEL},   {"prefetch", STMT_PREFETCH}};
    Lexer ahead = reader->lexer;
    Token second = lex_next(&ahead);
    *kind = STMT_STORE;
    if (token_is(&second, "[") || sees_atomic(reader))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (reader_sees(reader, words[i].word)) {
            *kind = words[i].kind;
            reader_advance(reader);
            return true;
        }
    }
    return reader_unexpected(reader, "a statement");
}

bool read_line(TextReader *reader, StmtKind kind, Stmt *stmt, const Stmt *parent,
               ReaderBinding **binding, bool *is_below) {
    *binding = NULL;
    *is_below = false;
    switch (kind) {
    case STMT_NOP:
        return true;
    case STMT_ASSERT:
        return read_assert(reader, stmt);
    case STMT_ALLOCATE:
        return read_allocate(reader, stmt);
    case STMT_STORE:
        return read_store(reader, stmt, parent);
    case STMT_IF:
        return read_if(reader, stmt);
    case STMT_FOR:
        return read_for(reader, stmt, binding);
    case STMT_LET:
        return read_let(reader, stmt, binding, is_below);
    case STMT_COMPUTE:
        return read_compute(reader, stmt);
    case STMT_LABEL:
        return read_name(reader, "a label", &stmt->label.name);
    case STMT_PREFETCH:
        return read_prefetch(reader, stmt);
    }
    return false;
}
