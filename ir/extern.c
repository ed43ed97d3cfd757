/* extern.c -- the arguments of extern stages, and calls of their functions by interpreters. */
#include "ir/extern.h"

#include "ir/argument.h"

#include <ctype.h>
#include <string.h>

const ExternEntry *extern_find(const Context *context, Symbol name) {
    return context->externs ? map_get(&context->externs->functions, name) : NULL;
}

/* Names of the run-time library, of the compiler's own calls and of the pipeline itself would get
 * two meanings in an object. */
static bool is_taken(const char *name, const char *pipeline) {
    static const char *const prefixes[] = {"hlc_", "halide_", "Sleef_", "_"};
    static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp", "bcmp"};
    size_t length = strlen(pipeline);
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, pipeline, length) && (!name[length] || name[length] == '_');
}

static bool is_identifier(const char *name) {
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_')
            return false;
    return *name && !isdigit((unsigned char)*name) && strlen(name) <= 200;
}

bool extern_may_be_named(const char *name, const char *pipeline) {
    return is_identifier(name) && !is_taken(name, pipeline);
}

ExternParts extern_parts(Arena *arena, Expr call) {
    ExternParts parts = {0};
    for (int i = 0; i < call->arity; i++) {
        ExternPart part = {.scalar = call->arguments[i]};
        if (part.scalar->op == OP_ACCESS) {
            part = (ExternPart){.first = call->arguments[i], .last = call->arguments[i + 1]};
            i++;
        }
        vec_push(arena, &parts, part);
    }
    return parts;
}

static hlc_extern_rule rule_of(int kind, int dimensions, Type type) {
    return (hlc_extern_rule){kind, dimensions, argument_type_code(type), type.bits};
}

hlc_extern_rule *extern_rules(Arena *arena, const ExternParts *parts, const FuncShape *func) {
    size_t count = parts->length;
    hlc_extern_rule *rules = arena_array(arena, hlc_extern_rule, count + (size_t)func->components);
    for (size_t i = 0; i < count; i++) {
        const ExternPart *part = &parts->data[i];
        rules[i] = part->scalar ? rule_of(HLC_EXTERN_SCALAR, 0, part->scalar->type)
                                : rule_of(HLC_EXTERN_INPUT, part->first->arity, part->first->type);
    }
    for (int c = 0; c < func->components; c++)
        rules[count + (size_t)c] = rule_of(HLC_EXTERN_OUTPUT, func->dimensions, func->types[c]);
    return rules;
}

typedef struct ExternListing {
    Arena *arena;
    ExternStores stores;
} ExternListing;

static bool list_store(void *data, Stmt *stmt) {
    ExternListing *listing = data;
    bool is_new = stmt_is_extern(stmt);
    for (size_t i = 0; is_new && i < listing->stores.length; i++) {
        const Stmt *other = listing->stores.data[i];
        is_new = other->store.func != stmt->store.func ||
                 other->store.values[0]->name != stmt->store.values[0]->name;
    }
    if (is_new)
        vec_push(listing->arena, &listing->stores, stmt);
    return true;
}

ExternStores extern_stores(const Program *program, Arena *arena) {
    ExternListing listing = {.arena = arena};
    StmtVisitor visitor = {.data = &listing, .enter = list_store};
    block_visit((Block *)&program->body, &visitor); /* nothing is changed in it */
    return listing.stores;
}

/* ---- stores of boxes as loops ---- */

static bool find_box(void *data, Stmt *stmt) {
    ExternListing *listing = data;
    if (stmt_is_extern(stmt) && stmt->store.lasts)
        vec_push(listing->arena, &listing->stores, stmt);
    return true;
}

static int specialization_of(const Stmt *stmt) {
    while (stmt && stmt->kind != STMT_COMPUTE)
        stmt = stmt_parent(stmt);
    return stmt ? stmt->compute.specialization : 0;
}

static void spread_store(Program *program, Arena *arena, Stmt *store) {
    const FuncShape *func = store->store.func;
    Pool *pool = program->pool;
    Expr *indices = arena_array(arena, Expr, func->dimensions + 1);
    Stmt *outermost = NULL;
    int specialization = specialization_of(store);
    for (int d = func->dimensions - 1; d >= 0; d--) {
        Stmt *loop = stmt_create(program, STMT_FOR, store->place);
        loop->loop.name = (LoopName){func->name, specialization, 0, func->variables[d]};
        loop->loop.binder = symbol_fresh(&pool->context->symbols,
                                         loop_symbol(pool->context, &loop->loop.name)->text);
        loop->loop.interval =
            (Extent){store->store.indices[d],
                     expr_add(pool, expr_sub(pool, store->store.lasts[d], store->store.indices[d]),
                              expr_index(pool, 1))};
        loop->loop.pure = true;
        indices[d] = expr_variable(pool, loop->loop.binder, INDEX);
        if (outermost)
            block_append(&stmt_parent(store)->loop.body, loop);
        else
            stmt_insert_before(store, outermost = loop);
        stmt_unlink(store);
        block_append(&loop->loop.body, store);
    }
    store->store.indices = indices;
    store->store.lasts = NULL;
}

SpreadStores extern_spread(Program *program, Arena *arena) {
    ExternListing listing = {.arena = arena};
    SpreadStores spread = {0};
    block_visit(&program->body, &(StmtVisitor){.data = &listing, .enter = find_box});
    for (size_t i = 0; i < listing.stores.length; i++) {
        Stmt *store = (Stmt *)listing.stores.data[i];
        vec_push(arena, &spread, ((SpreadStore){store, store->store.indices, store->store.lasts}));
        spread_store(program, arena, store);
    }
    return spread;
}

void extern_gather(const SpreadStores *spread) {
    for (size_t i = 0; i < spread->length; i++) {
        const SpreadStore *box = &spread->data[i];
        Stmt *outermost = box->store;
        for (int d = 0; d < box->store->store.func->dimensions; d++)
            outermost = stmt_parent(outermost);
        if (outermost != box->store) {
            stmt_unlink(box->store);
            stmt_insert_before(outermost, box->store);
            stmt_unlink(outermost);
        }
        box->store->store.indices = box->indices;
        box->store->store.lasts = box->lasts;
    }
}

/* ---- calls ---- */

/* A dense box of elements. */
typedef struct ExternBox {
    Type type;
    int dimensions;
    const int64_t *first, *last;
    int64_t count; /* of elements */
    unsigned char *data;
} ExternBox;

enum { MOST_ELEMENTS = 1 << 28 };

/* Returns false if the box has too many elements for an interpreter. */
static bool measure(ExternBox *box) {
    box->count = 1;
    for (int d = 0; d < box->dimensions; d++) {
        int64_t length;
        if (__builtin_sub_overflow(box->last[d], box->first[d], &length) || length >= MOST_ELEMENTS)
            return false;
        box->count = length < 0 ? 0 : box->count * (length + 1);
        if (box->count > MOST_ELEMENTS)
            return false;
        if (box->count == 0)
            break;
    }
    return true;
}

/* Moves to the next point of a box; false after the last. */
static bool advance(const ExternBox *box, int64_t *point) {
    for (int d = 0; d < box->dimensions; d++) {
        if (++point[d] <= box->last[d])
            return true;
        point[d] = box->first[d];
    }
    return false;
}

static void begin(const ExternBox *box, int64_t *point) {
    for (int d = 0; d < box->dimensions; d++)
        point[d] = box->first[d];
}

/* Writes minimum, extent and stride of each dimension. */
static int64_t *put_box(const ExternBox *box, int64_t *numbers) {
    int64_t stride = 1;
    for (int d = 0; d < box->dimensions; d++) {
        int64_t length = box->last[d] - box->first[d] + 1;
        *numbers++ = box->first[d];
        *numbers++ = length < 0 ? 0 : length;
        *numbers++ = stride;
        stride *= length > 0 ? length : 1;
    }
    return numbers;
}

static bool read_box(const ExternRun *run, size_t part, ExternBox *box) {
    int64_t point[MAX_DIMENSIONS] = {0}, at = 0;
    begin(box, point);
    for (bool more = box->count > 0; more; more = advance(box, point), at++) {
        Bits bits;
        if (!run->read(run->data, part, point, &bits))
            return false;
        bits_store(box->type, box->data + at * type_bytes(box->type), bits);
    }
    return true;
}

static bool write_boxes(const ExternRun *run, const ExternBox *boxes) {
    int64_t point[MAX_DIMENSIONS] = {0}, at = 0;
    Bits values[run->func->components];
    begin(&boxes[0], point);
    for (bool more = boxes[0].count > 0; more; more = advance(&boxes[0], point), at++) {
        for (int c = 0; c < run->func->components; c++)
            values[c] = bits_load(boxes[c].type, boxes[c].data + at * type_bytes(boxes[c].type));
        if (!run->write(run->data, point, values))
            return false;
    }
    return true;
}

static int call(const ExternRun *run, Arena *arena, hlc_report *report) {
    size_t inputs = run->parts->length, count = inputs + (size_t)run->func->components;
    ExternBox *boxes = arena_array(arena, ExternBox, count);
    void **addresses = arena_array(arena, void *, count);
    int64_t *numbers = arena_array(arena, int64_t, 3 * MAX_DIMENSIONS * count), *end = numbers;
    for (size_t i = 0; i < count; i++) {
        const ExternPart *part = i < inputs ? &run->parts->data[i] : NULL;
        ExternBox *box = &boxes[i];
        if (part && part->scalar) {
            addresses[i] = arena_allocate(arena, sizeof(Bits));
            bits_store(part->scalar->type, addresses[i], run->scalars[i]);
            continue;
        }
        box->type = part ? part->first->type : run->func->types[i - inputs];
        box->dimensions = part ? part->first->arity : run->func->dimensions;
        box->first = run->boxes[part ? i : inputs][0];
        box->last = run->boxes[part ? i : inputs][1];
        if (!measure(box))
            return hlc_fail(report, HLC_ERROR_OUT_OF_MEMORY, run->function->text,
                            (int64_t[]){INT64_MAX}, 1);
        box->data = addresses[i] =
            arena_allocate(arena, (size_t)(box->count * type_bytes(box->type) + 1));
        end = put_box(box, end);
        if (part && !read_box(run, i, box))
            return EXTERN_LEFT;
    }
    ExternClosure closure = {extern_find(run->context, run->function)->function, run->rules,
                             (int)count};
    int error = hlc_extern(report, run->function->text, run->rules, (int)count,
                           run->context->externs->call, &closure, addresses, numbers);
    return error ? error : write_boxes(run, boxes + inputs) ? 0 : EXTERN_LEFT;
}

int extern_run(const ExternRun *run, hlc_report *report) {
    hlc_assert(extern_find(run->context, run->function),
               "a program runs when its extern functions are known");
    Arena *arena = arena_create(&run->context->memory);
    int error = call(run, arena, report);
    arena_destroy(arena);
    return error;
}
