#include "ir/recurrence.h"

/* Accepts sums and differences of the variable and constants. */
bool recurrence_offset(Expr variable, Expr index, int64_t *offset) {
    *offset = 0;
    while (index != variable) {
        int64_t constant;
        if (index->op != OP_ADD && index->op != OP_SUB)
            return false;
        Expr left = index->arguments[0], right = index->arguments[1];
        bool is_right = expr_constant_integer(right, &constant);
        if (!is_right && (index->op == OP_SUB || !expr_constant_integer(left, &constant)))
            return false;
        int64_t step = index->op == OP_SUB ? constant : -constant;
        if (constant == INT64_MIN || __builtin_add_overflow(*offset, step, offset))
            return false;
        index = is_right ? left : right;
    }
    return true;
}

bool recurrence_distance(const Func *reader, Expr access, int64_t *distance) {
    hlc_assert(access->arity == reader->shape->dimensions,
               "equations of one recurrence have the same variables");
    for (int k = 0; k < reader->shape->dimensions; k++)
        if (!recurrence_offset(reader->variables[k], access->arguments[k], &distance[k]))
            return false;
    return true;
}

int recurrence_dimension(const Recurrence *recurrence, size_t variable) {
    const FuncShape *shape = recurrence->funcs.data[0]->shape;
    for (int k = 0; k < shape->dimensions; k++)
        if (shape->variables[k] == recurrence->domain.data[variable].variable)
            return k;
    hlc_assert(false, "the variables of a domain are variables of its equations");
    return -1;
}

bool recurrence_has(const Pipeline *pipeline, const Recurrence *recurrence, Symbol func) {
    const Func *found = pipeline_func(pipeline, func);
    return found && found->recurrence == recurrence;
}

Symbol recurrence_nest_name(Context *context, Symbol func) {
    return symbol_format(&context->symbols, "%s_merged", func->text);
}
