/* format_roles.c -- finds the role of each token from the tokens before it and the brackets around
 * it.
 *
 * The grammar makes this easy.  Blocks are the braces behind `pipeline ..`, `schedule ..`,
 * `template ..`, `directive ..`,
 * `recurrence ..`, `for ..`, `if ..`, `else` and `fun .. =`; behind `=` a comma before the first
 * semicolon makes a tuple.  An
 * angle bracket stands behind `image` or a conversion, or at the start of a directive's argument.
 * A sign stands where an operand is wanted.
 */
#include "frontend/format.h"

#include <string.h>

typedef enum BlockKind { BLOCK_FILE, BLOCK_PIPELINE, BLOCK_SCHEDULE, BLOCK_STAGES } BlockKind;

typedef struct Open {
    char bracket; /* ( [ { < */
    size_t piece;
    bool is_block;
    BlockKind block;
    bool is_compound; /* of `for`, `if`, `else`: it holds what the block around holds */
    int questions;    /* ? without its : inside */
} Open;

typedef struct Roles {
    Arena *arena;
    FormatPieces *pieces;
    Vec(Open) open;
    size_t statement; /* the first token of the current statement; SIZE_MAX between statements */
} Roles;

const FormatPiece *format_before(const FormatPieces *pieces, size_t i) {
    while (i-- > 0)
        if (pieces->data[i].kind == PIECE_TOKEN)
            return &pieces->data[i];
    return NULL;
}

static bool is(const FormatPiece *piece, const char *punctuation) {
    return piece && format_is(piece, punctuation);
}

static bool is_word(const FormatPiece *piece, const char *word) {
    return piece && format_is_name(piece, word);
}

static bool is_one_of(const FormatPiece *piece, const char *const *words) {
    for (; *words; words++)
        if (is_word(piece, *words))
            return true;
    return false;
}

static BlockKind block_around(const Roles *roles) {
    for (size_t i = roles->open.length; i-- > 0;)
        if (roles->open.data[i].is_block)
            return roles->open.data[i].block;
    return BLOCK_FILE;
}

static int nesting(const Roles *roles) {
    int count = 0;
    for (size_t i = roles->open.length; i-- > 0 && !roles->open.data[i].is_block;)
        count++;
    return count;
}

static int depth(const Roles *roles) {
    int count = 0;
    for (size_t i = 1; i < roles->open.length; i++) /* the file itself is not a block */
        count += roles->open.data[i].is_block;
    return count;
}

/* Do the braces that open at `i` hold stages?  A tuple has a comma before any semicolon. */
static bool holds_stages(const FormatPieces *pieces, size_t i) {
    int level = 0;
    size_t first = i + 1;
    while (first < pieces->length && pieces->data[first].kind != PIECE_TOKEN)
        first++;
    if (first < pieces->length && is(&pieces->data[first], ".."))
        return false;
    for (size_t j = i; j < pieces->length; j++) {
        const FormatPiece *piece = &pieces->data[j];
        if (piece->kind != PIECE_TOKEN)
            continue;
        if (is(piece, "(") || is(piece, "[") || is(piece, "{"))
            level++;
        else if (is(piece, ")") || is(piece, "]") || is(piece, "}"))
            level--;
        if (level == 0)
            return true;
        if (level == 1 && (is(piece, ",") || is(piece, ";")))
            return is(piece, ";");
    }
    return true;
}

/* Does the statement begin with `for`, `if` or `else`? */
static bool is_compound(const FormatPiece *statement) {
    static const char *const WORDS[] = {"for", "if", "else", NULL};
    return is_one_of(statement, WORDS);
}

static bool opens_block(const Roles *roles, size_t i, BlockKind *block, bool *compound) {
    const FormatPiece *statement =
        roles->statement == SIZE_MAX ? NULL : &roles->pieces->data[roles->statement];
    if (nesting(roles) > 0 || !is(&roles->pieces->data[i], "{"))
        return false;
    *block = is_word(statement, "pipeline")     ? BLOCK_PIPELINE
             : is_word(statement, "template")   ? BLOCK_PIPELINE
             : is_word(statement, "recurrence") ? BLOCK_PIPELINE
             : is_word(statement, "schedule")   ? BLOCK_SCHEDULE
             : is_word(statement, "directive")  ? BLOCK_SCHEDULE
                                                : BLOCK_STAGES;
    BlockKind around = block_around(roles);
    *compound = is_compound(statement) && around != BLOCK_FILE;
    if (*compound) {
        *block = around;
        return true;
    }
    if (is_word(statement, "recurrence"))
        return around == BLOCK_PIPELINE;
    if (is_word(statement, "template"))
        return around == BLOCK_FILE || around == BLOCK_PIPELINE;
    if (*block != BLOCK_STAGES)
        return around == BLOCK_FILE;
    return around == BLOCK_PIPELINE && is_word(statement, "fun") &&
           is(format_before(roles->pieces, i), "=") && holds_stages(roles->pieces, i);
}

/* Can an operand end with this token? */
static bool ends_operand(const FormatPiece *piece) {
    if (!piece || piece->begins)
        return piece && piece->token != TOKEN_PUNCTUATION;
    return piece->role == ROLE_CLOSE || piece->role == ROLE_CLOSE_ANGLE ||
           (piece->role == ROLE_PLAIN && !piece->is_keyword);
}

static bool opens_angle(const Roles *roles, size_t i) {
    static const char *const BEFORE[] = {"image", "cast", "saturating_cast", "reinterpret", NULL};
    const FormatPiece *before = format_before(roles->pieces, i);
    if (!is(&roles->pieces->data[i], "<"))
        return false;
    return is_one_of(before, BEFORE) ||
           (block_around(roles) == BLOCK_SCHEDULE && nesting(roles) > 0 && !ends_operand(before));
}

/* Is piece `i` a hyphen as in `compute-at` and `round-up`? */
static bool is_hyphen(const Roles *roles, size_t i) {
    const FormatPieces *pieces = roles->pieces;
    const FormatPiece *statement =
        roles->statement == SIZE_MAX ? NULL : &pieces->data[roles->statement];
    bool is_name =
        is_word(statement, "directive") && nesting(roles) == 0; /* `directive each-row` */
    if (!is(&pieces->data[i], "-") || (block_around(roles) != BLOCK_SCHEDULE && !is_name))
        return false;
    if (nesting(roles) == 0)
        return !is_compound(statement) && !is_word(statement, "const");
    bool names = i > 0 && i + 1 < pieces->length && pieces->data[i - 1].token == TOKEN_NAME &&
                 pieces->data[i + 1].token == TOKEN_NAME;
    return names && !pieces->data[i].space && !pieces->data[i + 1].space;
}

static Open *innermost(Roles *roles) {
    return &roles->open.data[roles->open.length - 1];
}

static Role colon(Roles *roles) {
    Open *open = innermost(roles);
    if (open->questions == 0)
        return ROLE_TYPE;
    open->questions--;
    return ROLE_INFIX;
}

static Role close_bracket(Roles *roles, size_t i) {
    Open open = roles->open.data[--roles->open.length];
    if (!open.is_block)
        return open.bracket == '<' ? ROLE_CLOSE_ANGLE : ROLE_CLOSE;
    roles->pieces->data[i].partner = (uint32_t)open.piece;
    roles->pieces->data[open.piece].partner = (uint32_t)i;
    return ROLE_CLOSE_BLOCK;
}

static Role open_bracket(Roles *roles, size_t i, char bracket) {
    Open open = {.bracket = bracket, .piece = i};
    open.is_block = opens_block(roles, i, &open.block, &open.is_compound);
    roles->pieces->data[i].shares_lines = open.is_block && open.block != BLOCK_STAGES;
    roles->pieces->data[i].is_broken =
        open.is_block && open.block == BLOCK_PIPELINE && !open.is_compound;
    vec_push(roles->arena, &roles->open, open);
    return open.is_block ? ROLE_OPEN_BLOCK : bracket == '<' ? ROLE_OPEN_ANGLE : ROLE_OPEN;
}

static Role role_of(Roles *roles, size_t i) {
    FormatPiece *piece = &roles->pieces->data[i];
    Open *open = innermost(roles);
    char c = piece->text[0];
    if (piece->token != TOKEN_PUNCTUATION)
        return ROLE_PLAIN;
    if (piece->length == 1 && (c == '(' || c == '[' || c == '{' || opens_angle(roles, i)))
        return open_bracket(roles, i, c);
    bool closes_angle = c == '>' && piece->length == 1 && open->bracket == '<';
    if (piece->length == 1 && (c == ')' || c == ']' || c == '}' || closes_angle))
        return close_bracket(roles, i);
    if (c == ',')
        return ROLE_COMMA;
    if (c == ';')
        return ROLE_SEMICOLON;
    if (is(piece, "..") && !ends_operand(format_before(roles->pieces, i)))
        return ROLE_UNARY; /* it spreads a list */
    if (c == '.' || is_hyphen(roles, i))
        return ROLE_TIGHT;
    if (c == ':')
        return colon(roles);
    if (c == '?')
        open->questions++;
    bool sign = is(piece, "-") || is(piece, "!") || is(piece, "~");
    if (sign && !ends_operand(format_before(roles->pieces, i)))
        return ROLE_UNARY;
    return is(piece, "*") || is(piece, "/") || is(piece, "%") ? ROLE_PRODUCT : ROLE_INFIX;
}

/* A statement ends with a semicolon, or with the brace of its block. */
static void read_token(Roles *roles, size_t i) {
    static const char *const KEYWORDS[] = {"in",       "if",     "div",        "mod", "for",
                                           "let",      "const",  "with",       "fun", "pipeline",
                                           "schedule", "import", "recurrence", NULL};
    FormatPiece *piece = &roles->pieces->data[i];
    piece->is_keyword = is_one_of(piece, KEYWORDS) && (i == 0 || !is_hyphen(roles, i - 1));
    piece->is_keyword |= is_word(piece, "by") && ends_operand(format_before(roles->pieces, i));
    bool closes = is(piece, "}") && nesting(roles) == 0;
    const FormatPiece *before = format_before(roles->pieces, i);
    bool goes_on = is_word(piece, "else") && before && before->role == ROLE_CLOSE_BLOCK;
    if (goes_on) {
        roles->statement = i;
        piece->is_keyword = true;
    }
    if (roles->statement == SIZE_MAX && !closes && !is(piece, ";")) {
        roles->statement = i;
        piece->begins = true;
    }
    piece->depth = depth(roles) - closes;
    piece->role = role_of(roles, i);
    piece->nesting = nesting(roles) - (piece->role == ROLE_OPEN || piece->role == ROLE_OPEN_ANGLE);
    bool semicolon = piece->role == ROLE_SEMICOLON && piece->nesting == 0;
    piece->ends = semicolon || piece->role == ROLE_CLOSE_BLOCK;
    if (piece->ends || piece->role == ROLE_OPEN_BLOCK)
        roles->statement = SIZE_MAX;
}

void format_roles(Arena *arena, FormatPieces *pieces) {
    Roles roles = {.arena = arena, .pieces = pieces, .statement = SIZE_MAX};
    vec_push(arena, &roles.open, (Open){.is_block = true, .block = BLOCK_FILE});
    for (size_t i = 0; i < pieces->length; i++) {
        FormatPiece *piece = &pieces->data[i];
        if (piece->kind == PIECE_TOKEN) {
            read_token(&roles, i);
            continue;
        }
        piece->depth = depth(&roles);
        piece->nesting = nesting(&roles);
    }
}
