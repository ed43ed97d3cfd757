/* proof.c -- proves all claims of an entry, at each type of each of its classes. */
#include "tools/operators/operator_proofs.h"

#include <string.h>

static const char *const CLAIMS[] = {[CLAIM_ASSOCIATIVE] = "associative",
                                     [CLAIM_IDENTITY] = "its identity",
                                     [CLAIM_COMMUTES] = "commutative",
                                     [CLAIM_STAYS] = "not less than 0"};

ProofResult claim_prove(SolverProcess *solver, Arena *arena, const OperatorEntry *entry,
                        Claim claim, const Type *types, int bits) {
    for (int ring = entry_has(entry, OP_MUL); ring >= 0; ring--) {
        process_send(solver, claim_query(arena, entry, claim, types, bits, ring));
        const char *answer = process_receive(solver, arena);
        if (!answer)
            return ENTRY_OPEN;
        if (!strncmp(answer, "unsat", 5))
            return ENTRY_PROVED;
        if (!strncmp(answer, "sat", 3))
            return ENTRY_REFUTED;
    }
    return ENTRY_OPEN;
}

typedef struct Asking {
    SolverProcess *solver;
    Arena *arena;
    const OperatorEntry *entry;
    Type types[OPERATOR_ELEMENTS];
    const char *failed;
    bool commutes_everywhere; /* if it does not claim to */
    bool of_no_identity;      /* only that there is none is asked */
    bool at_every_width;      /* one query for all widths */
    bool of_any_product;      /* with anything in the place of products */
} Asking;

static int class_count(const OperatorEntry *entry) {
    int count = 0;
    for (int i = 0; i < entry->arity; i++)
        if (entry->class_of[i] >= count)
            count = entry->class_of[i] + 1;
    return count;
}

/* Is it the first signed integer type of the class, or the first unsigned one? */
static bool is_first_of_its_sign(const OperatorEntry *entry, int class, int number) {
    Type type = type_by_number(number);
    for (int before = 0; before < number; before++)
        if (entry->types[class] >> before & 1 && type_by_number(before).kind == type.kind)
            return false;
    return true;
}

/* Should this type of the class be proved? One type stands for all of a structural class, and f64
 * for floats. If one query proves every width, one type stands for all signed, and one for all
 * unsigned integers. */
static bool is_asked(const Asking *asking, int class, int number) {
    const OperatorEntry *entry = asking->entry;
    if (entry->types[class] == OPERATOR_ANY)
        return number == type_number(I64);
    if (asking->at_every_width && type_is_machine_integer(type_by_number(number)) &&
        !is_first_of_its_sign(entry, class, number))
        return false;
    Type type = type_by_number(number);
    return (entry->types[class] >> number & 1) && (!type_is_float(type) || type_equal(type, F64));
}

static const char *where(const Asking *asking, int classes, Claim claim) {
    const char *text = arena_format(asking->arena, "%s over", CLAIMS[claim]);
    for (int i = 0; i < classes; i++)
        text = arena_format(asking->arena, "%s %s", text, type_name(asking->types[i]));
    return text;
}

/* At 4 bits only the sign and the kind matter, so only the types of 8 bits are tried. */
static bool is_first_of_its_kind(const Asking *asking, int classes) {
    for (int i = 0; i < classes; i++)
        if (asking->types[i].bits > 8 && asking->entry->types[i] != OPERATOR_ANY)
            return false;
    return true;
}

static int bits_asked(const Asking *asking) {
    return asking->at_every_width ? EVERY_WIDTH : 0;
}

/* With some value of k. */
static ProofResult prove_no_identity(const Asking *asking) {
    const OperatorEntry *entry = asking->entry;
    for (int k = 0; k < (entry->has_constant ? NO_IDENTITY_CLAIMS : 1); k++)
        if (claim_prove(asking->solver, asking->arena, entry, (Claim)(CLAIM_NO_IDENTITY + k),
                        asking->types, bits_asked(asking)) == ENTRY_PROVED)
            return ENTRY_PROVED;
    return ENTRY_OPEN;
}

/* Z3 leaves identities between quotients open. It gets the cases in which some of x, y and z is 0.
 */
static ProofResult prove_quotients(const Asking *asking) {
    ProofResult result = ENTRY_PROVED;
    for (int zeros = 1; zeros < ZEROS_CLAIMS && result == ENTRY_PROVED; zeros++)
        result = claim_prove(asking->solver, asking->arena, asking->entry,
                             (Claim)(CLAIM_ASSOCIATIVE_AT_ZEROS + zeros), asking->types, 0);
    if (result == ENTRY_PROVED && !quotients_are_associative(asking->entry))
        result = ENTRY_OPEN;
    return result;
}

/* At the width of the types. */
static ProofResult prove_claim(const Asking *asking, Claim claim) {
    if (claim == CLAIM_ASSOCIATIVE && entry_has(asking->entry, OP_DIV))
        return prove_quotients(asking);
    return claim_prove(asking->solver, asking->arena, asking->entry, claim, asking->types,
                       bits_asked(asking));
}

static ProofResult prove_at(Asking *asking, int classes) {
    const OperatorEntry *entry = asking->entry;
    if (asking->of_no_identity)
        return prove_no_identity(asking);
    for (int claim = CLAIM_ASSOCIATIVE; claim <= CLAIM_STAYS; claim++) {
        if ((claim == CLAIM_IDENTITY && !entry->has_identity) ||
            (claim == CLAIM_STAYS && !entry->not_negative))
            continue;
        bool wanted = claim != CLAIM_COMMUTES || entry->commutes;
        if (!wanted && (!asking->commutes_everywhere || asking->of_any_product))
            continue;
        ProofResult result = ENTRY_PROVED;
        if (wanted && !asking->of_any_product && is_first_of_its_kind(asking, classes))
            result =
                claim_prove(asking->solver, asking->arena, entry, (Claim)claim, asking->types, 4);
        if (result == ENTRY_PROVED)
            result = prove_claim(asking, (Claim)claim);
        if (!wanted)
            asking->commutes_everywhere &= result == ENTRY_PROVED;
        else if (result != ENTRY_PROVED) {
            asking->failed = where(asking, classes, (Claim)claim);
            return result;
        }
    }
    return ENTRY_PROVED;
}

static ProofResult prove_classes(Asking *asking, int classes, int at) {
    if (at == classes)
        return prove_at(asking, classes);
    for (int number = 0; number < TYPE_COUNT; number++) {
        if (!is_asked(asking, at, number))
            continue;
        asking->types[at] = type_by_number(number);
        ProofResult result = prove_classes(asking, classes, at + 1);
        if (result != ENTRY_PROVED)
            return result;
    }
    return ENTRY_PROVED;
}

/* First tries the claim with products as unknowns: at the full width Z3 leaves much of the rest
 * open. */
static bool prove_of_any_product(Asking asking) {
    if (!entry_is_ring(asking.entry) || !entry_has(asking.entry, OP_MUL))
        return false;
    asking.at_every_width = asking.of_any_product = true;
    return prove_classes(&asking, class_count(asking.entry), 0) == ENTRY_PROVED;
}

static Asking ask(SolverProcess *solver, Arena *arena, const OperatorEntry *entry) {
    return (Asking){
        .solver = solver, .arena = arena, .entry = entry, .at_every_width = entry_is_linear(entry)};
}

static bool lacks_identity(SolverProcess *solver, Arena *arena, const OperatorEntry *entry) {
    Asking asking = ask(solver, arena, entry);
    asking.of_no_identity = true;
    return prove_of_any_product(asking) ||
           prove_classes(&asking, class_count(entry), 0) == ENTRY_PROVED;
}

/* Does Z3 refute commutativity at 4 bits, at the first type of each class? */
static bool is_seen_not_to_commute(Asking asking) {
    for (int class = 0; class < class_count(asking.entry); class ++) {
        int number = 0;
        while (!is_asked(&asking, class, number))
            number++;
        asking.types[class] = type_by_number(number);
    }
    return claim_prove(asking.solver, asking.arena, asking.entry, CLAIM_COMMUTES, asking.types,
                       4) == ENTRY_REFUTED;
}

ProofResult entry_prove(SolverProcess *solver, Arena *arena, const OperatorEntry *entry,
                        const char **failed) {
    Asking asking = ask(solver, arena, entry);
    asking.commutes_everywhere = !entry->commutes;
    ProofResult result = ENTRY_PROVED;
    if (entry_is_ring(entry) && (entry->commutes || is_seen_not_to_commute(asking)) &&
        prove_of_any_product(asking))
        asking.commutes_everywhere = false;
    else
        result = prove_classes(&asking, class_count(entry), 0);
    *failed = asking.failed;
    if (result == ENTRY_PROVED && asking.commutes_everywhere) {
        *failed = "it is commutative, and does not say so";
        return ENTRY_REFUTED;
    }
    if (result == ENTRY_PROVED && !entry->has_identity && !lacks_identity(solver, arena, entry)) {
        *failed = "that it has no identity";
        return ENTRY_OPEN;
    }
    return result;
}
