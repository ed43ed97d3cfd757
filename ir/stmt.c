/* stmt.c -- the statement tree: links blocks in both directions, visits them, and copies them with
 * fresh binders. */
#include "ir/stmt.h"

#include "ir/walk.h"

#include <string.h>

Program *program_create(Pool *pool, Arena *arena, const Signature *signature) {
    Program *program = arena_new(arena, Program);
    program->pool = pool;
    program->arena = arena;
    program->signature = signature;
    program->by_name = map_create(arena);
    for (size_t i = 0; i < signature->funcs.length; i++) {
        FuncSites *sites = arena_new(arena, FuncSites);
        sites->func = signature->funcs.data[i];
        vec_push(arena, &program->funcs, sites);
        map_put(&program->by_name, sites->func->name, sites);
    }
    return program;
}

FuncSites *program_func(const Program *program, Symbol name) {
    return map_get(&program->by_name, name);
}

Stmt *stmt_create(Program *program, StmtKind kind, Place place) {
    Stmt *stmt = arena_new(program->arena, Stmt);
    stmt->kind = kind;
    stmt->place = place;
    Block *body = stmt_body(stmt);
    if (body)
        body->owner = stmt;
    if (kind == STMT_IF)
        stmt->branch.otherwise.owner = stmt;
    if (kind == STMT_ALLOCATE)
        stmt->allocate.storage = storage_plain();
    return stmt;
}

/* Inserts `stmt` between two neighbours in `block`. Either neighbour may be null. */
static void link_between(Block *block, Stmt *previous, Stmt *stmt, Stmt *next) {
    hlc_assert(!stmt->block, "a statement stands in one place only");
    stmt->block = block;
    stmt->previous = previous;
    stmt->next = next;
    if (previous)
        previous->next = stmt;
    else
        block->first = stmt;
    if (next)
        next->previous = stmt;
    else
        block->last = stmt;
}

void block_append(Block *block, Stmt *stmt) {
    link_between(block, block->last, stmt, NULL);
}
void block_prepend(Block *block, Stmt *stmt) {
    link_between(block, NULL, stmt, block->first);
}

void stmt_insert_before(Stmt *position, Stmt *stmt) {
    link_between(position->block, position->previous, stmt, position);
}

void stmt_insert_after(Stmt *position, Stmt *stmt) {
    link_between(position->block, position, stmt, position->next);
}

void stmt_unlink(Stmt *stmt) {
    Block *block = stmt->block;
    if (stmt->previous)
        stmt->previous->next = stmt->next;
    else
        block->first = stmt->next;
    if (stmt->next)
        stmt->next->previous = stmt->previous;
    else
        block->last = stmt->previous;
    stmt->block = NULL;
    stmt->previous = stmt->next = NULL;
}

void block_move_all(Block *to, Block *from) {
    for (Stmt *stmt = from->first, *next; stmt; stmt = next) {
        next = stmt->next;
        stmt_unlink(stmt);
        block_append(to, stmt);
    }
}

bool stmt_holds(const Stmt *let) {
    const Stmt *inside = let;
    while (inside && inside->kind == STMT_LET && inside->let.tail == TAIL_NONE &&
           !type_is_index(inside->let.value->type) && expr_has_access(inside->let.value))
        inside = inside->let.body.first;
    if (inside == let || !inside || inside->kind != STMT_STORE)
        return false;
    while (inside && inside->kind == STMT_STORE)
        inside = inside->next;
    return !inside;
}

Expr stmt_stored_value(Pool *pool, Arena *arena, const Stmt *store, int component) {
    Expr value = store->store.values[component];
    for (const Stmt *stmt = stmt_parent(store); stmt && stmt->kind == STMT_LET && stmt_holds(stmt);
         stmt = stmt_parent(stmt))
        value = expr_substitute(pool, arena, value, stmt->let.binder, stmt->let.value);
    return value;
}

bool stmt_copies(const Stmt *stmt, Symbol image) {
    if (stmt->kind != STMT_STORE || stmt->store.lasts || stmt->store.func->components != 1)
        return false;
    Expr value = stmt->store.values[0];
    bool is_same = value->op == OP_ACCESS && value->name == image;
    for (int k = 0; is_same && k < stmt->store.func->dimensions; k++)
        is_same = value->arguments[k] == stmt->store.indices[k];
    return is_same;
}

Stmt *stmt_parent(const Stmt *stmt) {
    return stmt->block ? stmt->block->owner : NULL;
}

Block *stmt_body(Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_ASSERT:
    case STMT_ALLOCATE:
    case STMT_STORE:
    case STMT_PREFETCH:
        return NULL;
    case STMT_IF:
        return &stmt->branch.body;
    case STMT_FOR:
        return &stmt->loop.body;
    case STMT_LET:
        return &stmt->let.body;
    case STMT_COMPUTE:
        return &stmt->compute.body;
    case STMT_LABEL:
        return &stmt->label.body;
    }
    return NULL;
}

bool stmt_is_inside(const Stmt *stmt, const Stmt *ancestor) {
    for (; stmt; stmt = stmt_parent(stmt))
        if (stmt == ancestor)
            return true;
    return false;
}

bool block_is_outermost(const Block *block) {
    for (const Stmt *owner = block->owner; owner; owner = stmt_parent(owner)) {
        bool plain = owner->kind == STMT_IF && owner->branch.role == IF_PLAIN;
        if (owner->kind != STMT_LET && !plain)
            return false;
    }
    return true;
}

/* ---- funcs that share loops ---- */

static bool is_label(const Stmt *stmt) {
    return stmt && stmt->kind == STMT_LABEL;
}

/* Is it `label f`? The labels of stages are its children. */
static bool is_func_label(const Stmt *stmt) {
    return is_label(stmt) && !is_label(stmt_parent(stmt));
}

bool stmt_is_grouped(const Stmt *compute) {
    return compute->kind == STMT_COMPUTE && is_label(stmt_parent(compute));
}

bool stmt_is_part(const Stmt *stmt) {
    const Stmt *compute = stmt;
    while (compute && compute->kind != STMT_COMPUTE)
        compute = stmt_parent(compute);
    return is_func_label(stmt) && compute && compute->compute.func->name != stmt->label.name;
}

Stmt *stmt_group(Stmt *compute) {
    while (stmt_is_grouped(compute))
        do
            compute = stmt_parent(compute);
        while (compute->kind != STMT_COMPUTE);
    return compute;
}

Symbol stmt_func(const Stmt *stmt) {
    while (stmt && stmt->kind != STMT_COMPUTE && !is_func_label(stmt))
        stmt = stmt_parent(stmt);
    return !stmt ? NULL : stmt->kind == STMT_COMPUTE ? stmt->compute.func->name : stmt->label.name;
}

const Stmt *stmt_stage(const Stmt *stmt) {
    Symbol func = NULL;
    for (; stmt; stmt = stmt_parent(stmt)) {
        if (!is_label(stmt))
            continue;
        const Stmt *outer = stmt_parent(stmt);
        if (is_label(outer) && (!func || outer->label.name == func))
            return stmt;
        if (!is_label(outer) && !func)
            func = stmt->label.name;
    }
    return NULL;
}

/* Returns the next block of the same owner, or null. */
static Block *next_block(const Block *block) {
    Stmt *owner = block->owner;
    if (owner->kind == STMT_IF && block == &owner->branch.body)
        return &owner->branch.otherwise;
    return NULL;
}

/* Walks in program order without recursion: into the first body, along its statements, and up
 * through the owners. */
void block_visit(Block *block, const StmtVisitor *visitor) {
    Stmt *stmt = block->first;
    Block *current = block;
    for (;;) {
        if (stmt) {
            bool inside = !visitor->enter || visitor->enter(visitor->data, stmt);
            Block *body = inside ? stmt_body(stmt) : NULL;
            if (body) {
                current = body;
                stmt = body->first;
                continue;
            }
            if (visitor->leave)
                visitor->leave(visitor->data, stmt);
            stmt = stmt->next;
            continue;
        }
        if (current == block)
            return;
        Block *sibling = next_block(current);
        if (sibling) {
            current = sibling;
            stmt = sibling->first;
            continue;
        }
        Stmt *owner = current->owner;
        current = owner->block;
        if (visitor->leave)
            visitor->leave(visitor->data, owner);
        stmt = owner->next;
    }
}

typedef struct Mapping {
    ExprMap *map;
    void *data;
} Mapping;

static void map_interval(const Mapping *m, Extent *interval) {
    interval->minimum = m->map(m->data, interval->minimum);
    interval->length = m->map(m->data, interval->length);
}

static void map_array(const Mapping *m, Expr *exprs, int count) {
    for (int i = 0; i < count; i++)
        exprs[i] = m->map(m->data, exprs[i]);
}

static void map_intervals(const Mapping *m, Extent *intervals, int count) {
    for (int i = 0; i < count; i++)
        map_interval(m, &intervals[i]);
}

static bool map_statement(void *data, Stmt *stmt) {
    const Mapping *m = data;
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_LABEL:
        break;
    case STMT_ASSERT:
        stmt->assertion.condition = m->map(m->data, stmt->assertion.condition);
        map_array(m, stmt->assertion.operands, stmt->assertion.operand_count);
        break;
    case STMT_ALLOCATE:
        map_intervals(m, stmt->allocate.intervals, stmt->allocate.func->dimensions);
        if (stmt->allocate.reserve)
            map_array(m, stmt->allocate.reserve, stmt->allocate.func->dimensions);
        for (int k = 0; stmt->allocate.folds && k < stmt->allocate.func->dimensions; k++)
            if (stmt->allocate.folds[k])
                stmt->allocate.folds[k] = m->map(m->data, stmt->allocate.folds[k]);
        break;
    case STMT_COMPUTE:
        map_intervals(m, stmt->compute.intervals, stmt->compute.func->dimensions);
        if (stmt->compute.held)
            map_intervals(m, stmt->compute.held, stmt->compute.func->dimensions);
        for (int i = 0; i < stmt->compute.slide_count; i++)
            stmt->compute.slides[i].loop = m->map(m->data, stmt->compute.slides[i].loop);
        break;
    case STMT_STORE:
        map_array(m, stmt->store.indices, stmt->store.func->dimensions);
        map_array(m, stmt->store.values, stmt->store.func->components);
        if (stmt->store.lasts)
            map_array(m, stmt->store.lasts, stmt->store.func->dimensions);
        break;
    case STMT_IF:
        stmt->branch.condition = m->map(m->data, stmt->branch.condition);
        break;
    case STMT_FOR:
        map_interval(m, &stmt->loop.interval);
        if (stmt->loop.predicate.minimum)
            map_interval(m, &stmt->loop.predicate);
        break;
    case STMT_LET:
        stmt->let.value = m->map(m->data, stmt->let.value);
        if (stmt->let.tail != TAIL_NONE)
            map_interval(m, &stmt->let.domain);
        break;
    case STMT_PREFETCH:
        map_intervals(m, stmt->prefetch.intervals, stmt->prefetch.dimensions);
        break;
    }
    return true;
}

void block_map_exprs(Block *block, ExprMap *map, void *data) {
    Mapping mapping = {map, data};
    block_visit(block, &(StmtVisitor){&mapping, map_statement, NULL});
}

void stmt_map_own_exprs(Stmt *stmt, ExprMap *map, void *data) {
    Mapping mapping = {map, data};
    map_statement(&mapping, stmt);
}

void stmt_map_exprs(Stmt *stmt, ExprMap *map, void *data) {
    stmt_map_own_exprs(stmt, map, data);
    Block *body = stmt_body(stmt);
    if (body)
        block_map_exprs(body, map, data);
    if (stmt->kind == STMT_IF)
        block_map_exprs(&stmt->branch.otherwise, map, data);
}

typedef struct StmtVisiting {
    StmtExprVisit *visit;
    void *data;
} StmtVisiting;

static Expr visit_unchanged(void *data, Expr expr) {
    const StmtVisiting *visiting = data;
    visiting->visit(visiting->data, expr);
    return expr;
}

void stmt_each_expr(const Stmt *stmt, StmtExprVisit *visit, void *data) {
    StmtVisiting visiting = {visit, data};
    Mapping mapping = {visit_unchanged, &visiting};
    map_statement(&mapping, (Stmt *)stmt);
}

/* ---- copying ---- */

typedef struct Copying {
    Program *program;
    Substitution renaming; /* maps old binders to new ones */
    Block *target;         /* the block that receives the next copied statement */
} Copying;

/* Returns null for null. */
static void *copy_bytes(Arena *arena, const void *from, size_t size) {
    return from ? memcpy(arena_allocate(arena, size), from, size) : NULL;
}
#define COPY(FROM, COUNT) copy_bytes(arena, FROM, sizeof *(FROM) * (size_t)(COUNT))

static Symbol fresh_binder(Copying *copying, Symbol binder, Type type) {
    SymbolTable *symbols = &copying->program->pool->context->symbols;
    /* `h.s1.x'2` copied again is `h.s1.x'3`, not `h.s1.x'2'2`. */
    size_t stem = strcspn(binder->text, "'");
    Symbol fresh = symbol_fresh(symbols, arena_text(copying->program->arena, binder->text, stem));
    substitution_add(&copying->renaming, binder,
                     expr_variable(copying->program->pool, fresh, type));
    return fresh;
}

void program_register(Program *program, Stmt *stmt) {
    if (stmt->kind == STMT_COMPUTE)
        vec_push(program->arena, &program_func(program, stmt->compute.func->name)->computes, stmt);
    if (stmt->kind == STMT_ALLOCATE)
        vec_push(program->arena, &program_func(program, stmt->allocate.func->name)->allocates,
                 stmt);
}

/* Copies one statement without its bodies: fresh arrays and binders, not linked. */
static Stmt *copy_alone(Copying *copying, const Stmt *stmt) {
    Arena *arena = copying->program->arena;
    Stmt *copy = stmt_create(copying->program, stmt->kind, stmt->place);
    *copy = *stmt;
    copy->block = NULL;
    copy->previous = copy->next = NULL;
    int dimensions;
    Block *body = stmt_body(copy);
    if (body)
        *body = (Block){.owner = copy};
    switch (stmt->kind) {
    case STMT_NOP:
    case STMT_LABEL:
        break;
    case STMT_IF:
        copy->branch.otherwise = (Block){.owner = copy};
        break;
    case STMT_ASSERT:
        copy->assertion.operands = COPY(stmt->assertion.operands, stmt->assertion.operand_count);
        break;
    case STMT_ALLOCATE:
        dimensions = stmt->allocate.func->dimensions;
        copy->allocate.intervals = COPY(stmt->allocate.intervals, dimensions);
        copy->allocate.reserve = COPY(stmt->allocate.reserve, dimensions);
        copy->allocate.folds = COPY(stmt->allocate.folds, dimensions);
        break;
    case STMT_COMPUTE:
        dimensions = stmt->compute.func->dimensions;
        copy->compute.intervals = COPY(stmt->compute.intervals, dimensions);
        copy->compute.held = COPY(stmt->compute.held, dimensions);
        copy->compute.slides = COPY(stmt->compute.slides, stmt->compute.slide_count);
        break;
    case STMT_STORE:
        copy->store.indices = COPY(stmt->store.indices, stmt->store.func->dimensions);
        copy->store.values = COPY(stmt->store.values, stmt->store.func->components);
        copy->store.lasts = COPY(stmt->store.lasts, stmt->store.func->dimensions);
        break;
    case STMT_PREFETCH:
        copy->prefetch.intervals = COPY(stmt->prefetch.intervals, stmt->prefetch.dimensions);
        break;
    case STMT_FOR:
        copy->loop.binder = fresh_binder(copying, stmt->loop.binder, INDEX);
        break;
    case STMT_LET:
        copy->let.binder = fresh_binder(copying, stmt->let.binder, stmt->let.value->type);
        break;
    }
    program_register(copying->program, copy);
    return copy;
}

static bool copy_enter(void *data, Stmt *stmt) {
    Copying *copying = data;
    /* After the first block of an if, move the target to the second block of the copy. */
    if (stmt_parent(stmt) && stmt_parent(stmt)->kind == STMT_IF &&
        stmt->block == &stmt_parent(stmt)->branch.otherwise)
        copying->target = &copying->target->owner->branch.otherwise;
    Stmt *copy = copy_alone(copying, stmt);
    block_append(copying->target, copy);
    Block *body = stmt_body(copy);
    if (body)
        copying->target = body;
    return true;
}

static void copy_leave(void *data, Stmt *stmt) {
    Copying *copying = data;
    if (stmt_body(stmt))
        copying->target = copying->target->owner->block;
}

static Expr rename_expr(void *data, Expr expr) {
    Copying *copying = data;
    return substitution_apply(copying->program->pool, &copying->renaming, expr);
}

Stmt *stmt_copy(Program *program, const Stmt *stmt) {
    Copying copying = {program, substitution_create(program->arena), NULL};
    Block holder = {0};
    copying.target = &holder;
    /* Put the statement into a block of its own during the walk, so the walk visits nothing else.
     */
    Stmt *original = (Stmt *)stmt;
    Block *block = original->block;
    Stmt *previous = original->previous, *next = original->next;
    Block alone = {.owner = NULL, .first = original, .last = original};
    original->block = &alone;
    original->previous = original->next = NULL;
    block_visit(&alone, &(StmtVisitor){&copying, copy_enter, copy_leave});
    original->block = block;
    original->previous = previous;
    original->next = next;
    Stmt *copy = holder.first;
    stmt_unlink(copy);
    stmt_map_exprs(copy, rename_expr, &copying);
    return copy;
}

Symbol loop_symbol(Context *context, const LoopName *name) {
    if (name->specialization)
        return symbol_format(&context->symbols, "%s.z%d.s%d.%s", name->func->text,
                             name->specialization, name->stage, name->variable->text);
    return symbol_format(&context->symbols, "%s.s%d.%s", name->func->text, name->stage,
                         name->variable->text);
}

/* Returns the start of the author's name in the binder's text. */
static const char *variable_start(Symbol binder, size_t *length) {
    const char *dot = strrchr(binder->text, '.'), *start = dot ? dot + 1 : binder->text;
    *length = strcspn(start, "'");
    return start;
}

Symbol binder_variable(Context *context, Symbol binder) {
    size_t length;
    const char *start = variable_start(binder, &length);
    return symbol_intern(&context->symbols, start, length);
}

bool binder_is_of(Symbol binder, Symbol variable) {
    size_t length;
    const char *start = variable_start(binder, &length);
    return length == variable->length && strncmp(start, variable->text, length) == 0;
}

LoopOrigin *origin_of_variable(Arena *arena, size_t variable) {
    LoopOrigin *origin = arena_new(arena, LoopOrigin);
    *origin = (LoopOrigin){.kind = ORIGIN_VARIABLE, .variable = variable};
    return origin;
}

LoopOrigin *origin_part(Arena *arena, const LoopOrigin *of, OriginKind kind) {
    if (!of)
        return NULL;
    LoopOrigin *origin = arena_new(arena, LoopOrigin);
    *origin = (LoopOrigin){.kind = kind, .of = of};
    return origin;
}

const LoopOrigin *origin_fused(Arena *arena, const LoopOrigin *outer, const LoopOrigin *inner) {
    if (!outer || !inner)
        return outer ? outer : inner;
    LoopOrigin *origin = arena_new(arena, LoopOrigin);
    *origin = (LoopOrigin){.kind = ORIGIN_FUSED, .of = outer, .inner = inner};
    return origin;
}

Stmt *program_rest(const Program *program) {
    Stmt *stmt = program->body.first;
    while (stmt) {
        bool is_last = !stmt->next;
        bool opens =
            stmt->kind == STMT_LET || (stmt->kind == STMT_IF && !stmt->branch.otherwise.first);
        if (stmt->kind == STMT_ASSERT)
            stmt = stmt->next;
        else if (is_last && opens)
            stmt = stmt_body(stmt)->first;
        else
            break;
    }
    return stmt;
}
