/* distance.c -- finds the constant difference of two integers that the code computes.
 *
 * It compares LLVM's instructions. The indices of two statements, or of two iterations of an
 * unrolled loop, come from the same operations on the same variables. So a walk over both finds the
 * constants in which they differ. All arithmetic wraps, as the code's does. If the walk exceeds its
 * steps, the difference is unknown.
 */
#include "codegen/emit.h"

enum { STEPS = 96 };

static bool constant_of(LLVMValueRef value, int64_t *number) {
    if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
        return false;
    *number = LLVMConstIntGetSExtValue(value);
    return true;
}

static int64_t wrapping_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrapping_sub(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static bool differ_by(int *steps, LLVMValueRef a, LLVMValueRef b, int64_t *distance);

static bool are_equal(int *steps, LLVMValueRef a, LLVMValueRef b) {
    int64_t distance;
    return differ_by(steps, a, b, &distance) && distance == 0;
}

/* Splits `value` into another value plus a constant. */
static bool take_constant(LLVMValueRef value, LLVMValueRef *rest, int64_t *number) {
    if (LLVMGetInstructionOpcode(value) != LLVMAdd ||
        !constant_of(LLVMGetOperand(value, 1), number))
        return false;
    *rest = LLVMGetOperand(value, 0);
    return true;
}

static bool sums_differ_by(int *steps, LLVMValueRef a, LLVMValueRef b, bool is_difference,
                           int64_t *distance) {
    int64_t first, second;
    if (!differ_by(steps, LLVMGetOperand(a, 0), LLVMGetOperand(b, 0), &first) ||
        !differ_by(steps, LLVMGetOperand(a, 1), LLVMGetOperand(b, 1), &second))
        return false;
    *distance = is_difference ? wrapping_sub(first, second) : wrapping_add(first, second);
    return true;
}

static bool products_differ_by(int *steps, LLVMValueRef a, LLVMValueRef b, int64_t *distance) {
    int64_t factor, first;
    if (!are_equal(steps, LLVMGetOperand(a, 1), LLVMGetOperand(b, 1)) ||
        !differ_by(steps, LLVMGetOperand(a, 0), LLVMGetOperand(b, 0), &first))
        return false;
    *distance = 0;
    if (first == 0)
        return true;
    if (!constant_of(LLVMGetOperand(a, 1), &factor))
        return false;
    *distance = (int64_t)((uint64_t)first * (uint64_t)factor);
    return true;
}

/* Are both the same pure operation on equal operands? */
static bool are_same_operation(int *steps, LLVMValueRef a, LLVMValueRef b) {
    switch ((int)LLVMGetInstructionOpcode(a)) {
    case LLVMICmp:
        if (LLVMGetICmpPredicate(a) != LLVMGetICmpPredicate(b))
            return false;
        break;
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMShl:
    case LLVMAShr:
    case LLVMLShr:
    case LLVMSDiv:
    case LLVMSRem:
    case LLVMSelect:
    case LLVMSExt:
    case LLVMZExt:
    case LLVMTrunc:
        break;
    default: /* reads of memory, and values from elsewhere */
        return false;
    }
    int count = LLVMGetNumOperands(a);
    if (LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMGetNumOperands(b) != count)
        return false;
    for (int i = 0; i < count; i++)
        if (!are_equal(steps, LLVMGetOperand(a, (unsigned)i), LLVMGetOperand(b, (unsigned)i)))
            return false;
    return true;
}

/* Finds a - b. The recursion is no deeper than the steps. */
static bool differ_by(int *steps, LLVMValueRef a, LLVMValueRef b, int64_t *distance) {
    int64_t left, right;
    LLVMValueRef rest;
    *distance = 0;
    if (a == b)
        return true;
    if ((*steps)-- <= 0 || LLVMTypeOf(a) != LLVMTypeOf(b))
        return false;
    if (constant_of(a, &left) && constant_of(b, &right)) {
        *distance = wrapping_sub(left, right);
        return true;
    }
    if (LLVMIsAInstruction(a) && take_constant(a, &rest, &left)) {
        bool is_known = differ_by(steps, rest, b, distance);
        *distance = wrapping_add(*distance, left);
        return is_known;
    }
    if (LLVMIsAInstruction(b) && take_constant(b, &rest, &right)) {
        bool is_known = differ_by(steps, a, rest, distance);
        *distance = wrapping_sub(*distance, right);
        return is_known;
    }
    if (!LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
        LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b))
        return false;
    switch ((int)LLVMGetInstructionOpcode(a)) {
    case LLVMAdd:
        return sums_differ_by(steps, a, b, false, distance);
    case LLVMSub:
        return sums_differ_by(steps, a, b, true, distance);
    case LLVMMul:
        return products_differ_by(steps, a, b, distance);
    default:
        return are_same_operation(steps, a, b);
    }
}

bool emit_distance(LLVMValueRef a, LLVMValueRef b, int64_t *distance) {
    int steps = STEPS;
    return differ_by(&steps, a, b, distance);
}
