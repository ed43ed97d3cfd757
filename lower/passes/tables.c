/* tables.c -- PASS_TABLES: a choice among constants by an index becomes a read of a table.
 *
 *     out[x] <- select(i <= 1, select(i <= 0, 7, 9), select(i <= 2, 4, 8))
 *
 *     allocate out.table: i32 [(0, 4)] table "07000000090000000400000008000000"
 *     compute out.table on [(0, 4)]
 *       nop
 *     ..
 *     out[x] <- out.table[max(min(i, 3), 0)]
 *
 * The front end makes such choices of `t[i]`, where t is a list of constants (frontend/expand.c).
 * As a table, code and time of compiling do not grow with the list, and the element is found in one
 * step.  Only values of stores are rewritten: the oracle and the entry look at conditions and bounds
 * as they are.  A choice by the variables of unrolled loops alone stays, as each copy of the body has
 * a constant in its place.
 *
 * A choice is a select whose condition compares the index with a constant, and whose arms are
 * constants or choices by the same index.  It is constant below its least and above its greatest
 * constant.  Between them its values are found by taking the interval of the index apart.  Equal
 * contents are one table.
 */
#include "lower/lower.h"
#include "ir/extern.h"
#include "ir/value.h"
#include "lower/passes/splice.h"

#include <string.h>

/* A choice of fewer selects stays.  A table has at most SPARSE elements for each select. */
enum { FEWEST_SELECTS = 31, SPARSE = 4, MOST_ELEMENTS = 1 << 20 };

typedef struct TableChoice {
    Expr index;                       /* null: the expression is no choice */
    int64_t selects, least, greatest; /* the constants that the index is compared with */
} TableChoice;

typedef struct Table {
    const struct Table *next; /* of the same hash */
    FuncShape *shape;
    uint8_t *bytes;
    size_t count;
} Table;

typedef struct TableMaking {
    Program *program;
    Arena *arena;
    Map choices; /* Expr -> TableChoice */
    ExprMemo memo;
    Map tables;           /* hash of the contents -> Table */
    Map unrolled;         /* binders of unrolled loops, and of lets of them alone */
    Stmt *first;          /* tables are allocated before it */
    Signature *signature; /* the program's own copy, with the tables; null before the first */
    Stmt *store;
} TableMaking;

/* ---- choices ---- */

/* Returns which of the operands is a constant, and the constant; -1: none. */
static int constant_operand(Expr condition, int64_t *constant) {
    for (int i = 0; i < 2; i++)
        if (expr_constant_integer(condition->arguments[i], constant))
            return i;
    return -1;
}

static bool is_index(Type type) {
    return type_is_index(type) ||
           (type_is_machine_integer(type) && !(type.kind == TYPE_UINT && type.bits == 64));
}

static TableChoice choice_of(const TableMaking *making, Expr node) {
    TableChoice none = {0}, choice = {.selects = 1};
    Expr condition = node->arguments[0];
    if ((condition->op != OP_LT && condition->op != OP_LE && condition->op != OP_EQ) ||
        !is_index(condition->arguments[0]->type))
        return none;
    int constant = constant_operand(condition, &choice.least);
    if (constant < 0)
        return none;
    choice.index = condition->arguments[!constant];
    choice.greatest = choice.least;
    for (int i = 1; i <= 2; i++) {
        const TableChoice *arm = map_get(&making->choices, node->arguments[i]);
        if (node->arguments[i]->op == OP_CONSTANT)
            continue;
        if (!arm || arm->index != choice.index)
            return none;
        choice.selects += arm->selects;
        choice.least = arm->least < choice.least ? arm->least : choice.least;
        choice.greatest = arm->greatest > choice.greatest ? arm->greatest : choice.greatest;
        if (choice.selects > MOST_ELEMENTS)
            return none;
    }
    return choice;
}

static const TableChoice *choice_at(const TableMaking *making, Expr node) {
    return node->op == OP_SELECT ? map_get(&making->choices, node) : NULL;
}

/* ---- contents ---- */

/* The values of `node` where the index lies in the interval. */
typedef struct Piece {
    Expr node;
    int64_t low, high;
} Piece;

typedef struct TableFilling {
    Arena *arena;
    Vec(Piece) pieces;
    uint8_t *bytes;
    int64_t first;
    int width;
} TableFilling;

static void add_piece(TableFilling *filling, Expr node, int64_t low, int64_t high) {
    if (low <= high)
        vec_push(filling->arena, &filling->pieces, (Piece){node, low, high});
}

static int64_t least_of(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t greatest_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void take_apart(TableFilling *filling, Piece piece) {
    Expr condition = piece.node->arguments[0];
    int64_t constant = 0, low = piece.low, high = piece.high; /* where the condition holds */
    bool is_upper = constant_operand(condition, &constant) == 1, is_strict = condition->op == OP_LT;
    if (condition->op == OP_EQ)
        low = high = constant;
    else if (is_upper)
        high = constant - is_strict;
    else
        low = constant + is_strict;
    add_piece(filling, piece.node->arguments[2], piece.low, least_of(piece.high, low - 1));
    add_piece(filling, piece.node->arguments[1], greatest_of(piece.low, low),
              least_of(piece.high, high));
    add_piece(filling, piece.node->arguments[2], greatest_of(piece.low, high + 1), piece.high);
}

/* Fills the elements for first .. last; false where that takes too many steps. */
static bool fill(TableFilling *filling, Expr choice, int64_t last) {
    int64_t steps = 0, most = SPARSE * (last - filling->first + 1) + 64;
    add_piece(filling, choice, filling->first, last);
    while (filling->pieces.length && steps++ < most) {
        Piece piece = filling->pieces.data[--filling->pieces.length];
        if (piece.node->op != OP_CONSTANT) {
            take_apart(filling, piece);
            continue;
        }
        for (int64_t i = piece.low; i <= piece.high; i++)
            bits_store(piece.node->type,
                       filling->bytes + (size_t)(i - filling->first) * (size_t)filling->width,
                       piece.node->bits);
    }
    return !filling->pieces.length;
}

/* ---- tables ---- */

static void add_shape(Signature *signature, Arena *arena, FuncShape *shape) {
    vec_push(arena, &signature->funcs, shape);
    map_put(&signature->by_name, shape->name, shape);
}

static void put_table(TableMaking *making, const Table *table) {
    Program *program = making->program;
    Extent *box = arena_new(program->arena, Extent);
    *box = (Extent){expr_index(program->pool, 0), expr_index(program->pool, (int64_t)table->count)};
    Storage *storage = arena_new(program->arena, Storage);
    *storage = *storage_plain();
    storage->table = table->bytes;
    storage->table_bytes = table->count * (size_t)shape_bytes(table->shape);
    Stmt *allocate = stmt_create(program, STMT_ALLOCATE, making->store->place);
    allocate->allocate.func = table->shape;
    allocate->allocate.intervals = box;
    allocate->allocate.storage = storage;
    Stmt *compute = stmt_create(program, STMT_COMPUTE, making->store->place);
    compute->compute.func = table->shape;
    compute->compute.intervals = box;
    block_append(&compute->compute.body, stmt_create(program, STMT_NOP, making->store->place));
    stmt_insert_before(making->first, allocate);
    stmt_insert_before(making->first, compute);
    program_register(program, allocate);
    program_register(program, compute);
}

/* Adds a func to the program, and not to the pipeline, whose signature it shares before. */
static void add_func(TableMaking *making, FuncShape *shape) {
    Program *program = making->program;
    Arena *arena = program->arena;
    if (!making->signature) {
        making->signature = arena_new(arena, Signature);
        *making->signature = *program->signature;
        making->signature->funcs = (FuncShapes){0};
        making->signature->by_name = map_create(arena);
        for (size_t i = 0; i < program->signature->funcs.length; i++)
            add_shape(making->signature, arena, program->signature->funcs.data[i]);
        program->signature = making->signature;
    }
    add_shape(making->signature, arena, shape);
    FuncSites *sites = arena_new(arena, FuncSites);
    sites->func = shape;
    vec_push(arena, &program->funcs, sites);
    map_put(&program->by_name, shape->name, sites);
}

static FuncShape *shape_of_table(TableMaking *making, Type type) {
    Program *program = making->program;
    SymbolTable *symbols = &program->pool->context->symbols;
    FuncShape *shape = arena_new(program->arena, FuncShape);
    const char *stem =
        arena_format(making->arena, "%s.table", making->store->store.func->name->text);
    *shape = (FuncShape){.name = symbol_fresh(symbols, stem), .dimensions = 1, .components = 1};
    shape->variables[0] = symbol_format(symbols, "i");
    shape->types = arena_new(program->arena, Type);
    shape->types[0] = type;
    add_func(making, shape);
    return shape;
}

/* FNV-1a. */
static uintptr_t hash_of(const TableFilling *filling, size_t bytes) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ filling->bytes[i]) * 1099511628211u;
    return (uintptr_t)(hash | 1);
}

static const Table *table_of(TableMaking *making, const TableFilling *filling, Type type,
                             size_t count) {
    size_t bytes = count * (size_t)filling->width;
    const void *key = (const void *)hash_of(filling, bytes); /* an address that nothing has */
    const Table *same = map_get(&making->tables, key);
    for (const Table *table = same; table; table = table->next)
        if (table->count == count && type_equal(table->shape->types[0], type) &&
            memcmp(table->bytes, filling->bytes, bytes) == 0)
            return table;
    Table *table = arena_new(making->arena, Table);
    *table = (Table){same, shape_of_table(making, type), filling->bytes, count};
    map_put(&making->tables, key, table);
    put_table(making, table);
    return table;
}

static Expr keep_node(void *data, Pool *pool, Expr node) {
    (void)data, (void)pool;
    return node;
}

/* Is it a constant in each copy of an unrolled loop's body? */
static bool is_unrolled(const TableMaking *making, Expr expr) {
    Exprs variables = expr_variables_of(making->arena, expr);
    for (size_t i = 0; i < variables.length; i++)
        if (!map_get(&making->unrolled, variables.data[i]->name))
            return false;
    return !expr_has_access(expr);
}

/* Returns the read that replaces the choice; null if it stays. */
static Expr read_of(TableMaking *making, Expr node, const TableChoice *choice) {
    Pool *pool = making->program->pool;
    int64_t least, greatest, span;
    if (choice->selects < FEWEST_SELECTS || type_is_index(node->type) ||
        __builtin_sub_overflow(choice->least, 1, &least) ||
        __builtin_add_overflow(choice->greatest, 1, &greatest) ||
        __builtin_sub_overflow(greatest, least, &span) || span >= SPARSE * (choice->selects + 1) ||
        span >= MOST_ELEMENTS)
        return NULL;
    if (is_unrolled(making, choice->index))
        return NULL;
    size_t count = (size_t)span + 1;
    TableFilling filling = {.arena = making->arena,
                            .bytes = arena_array(making->program->arena, uint8_t,
                                                 count * (size_t)type_bytes(node->type)),
                            .first = least,
                            .width = type_bytes(node->type)};
    if (!fill(&filling, node, greatest))
        return NULL;
    Expr index = expr_rewrite(pool, &making->memo, choice->index, keep_node, making);
    if (!type_is_index(index->type))
        index = expr_cast(pool, INDEX, index);
    index =
        expr_max(pool, expr_min(pool, index, expr_index(pool, greatest)), expr_index(pool, least));
    if (least)
        index = expr_add(pool, index, expr_index(pool, -least));
    const Table *table = table_of(making, &filling, node->type, count);
    return expr_access(pool, table->shape->name, 0, node->type, &index, 1);
}

/* ---- the walk ---- */

static bool is_known(void *data, Expr node) {
    return map_get(&((TableMaking *)data)->choices, node);
}

/* Also replaces the choices among the arguments of a node that is none. */
static void look_at(void *data, Expr node) {
    TableMaking *making = data;
    TableChoice *choice = arena_new(making->arena, TableChoice);
    *choice = node->op == OP_SELECT ? choice_of(making, node) : (TableChoice){0};
    map_put(&making->choices, node, choice);
    for (int i = 0; i < node->arity && !choice->index; i++) {
        Expr argument = node->arguments[i], read = NULL;
        const TableChoice *inner = choice_at(making, argument);
        if (inner && inner->index && !expr_memo_get(&making->memo, argument))
            read = read_of(making, argument, inner);
        if (read)
            expr_memo_put(&making->memo, argument, read);
    }
}

static Expr with_tables(TableMaking *making, Expr value) {
    if (value->tree_size <= FEWEST_SELECTS)
        return value;
    expr_visit_rest(making->arena, value, is_known, look_at, making);
    const TableChoice *choice = choice_at(making, value);
    Expr read = choice && choice->index ? read_of(making, value, choice) : NULL;
    return read ? read
                : expr_rewrite(making->program->pool, &making->memo, value, keep_node, making);
}

static bool enter(void *data, Stmt *stmt) {
    TableMaking *making = data;
    making->store = stmt;
    if (stmt->kind == STMT_FOR && stmt->loop.traversal == TRAVERSE_UNROLLED)
        map_put(&making->unrolled, stmt->loop.binder, stmt);
    if (stmt->kind == STMT_LET && is_unrolled(making, stmt->let.value))
        map_put(&making->unrolled, stmt->let.binder, stmt);
    for (int c = 0;
         stmt->kind == STMT_STORE && !stmt_is_extern(stmt) && c < stmt->store.func->components; c++)
        stmt->store.values[c] = with_tables(making, stmt->store.values[c]);
    return true;
}

void lower_tables(Program *program, Arena *arena) {
    TableMaking making = {.program = program,
                          .arena = arena,
                          .choices = map_create(arena),
                          .memo = expr_memo(arena),
                          .tables = map_create(arena),
                          .unrolled = map_create(arena),
                          .first = program_rest(program)};
    StmtVisitor visitor = {.data = &making, .enter = enter};
    if (making.first)
        block_visit(&program->body, &visitor);
}
