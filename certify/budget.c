/* budget.c -- what one certificate may spend on questions that stay without an answer.
 *
 * A question that is answered costs little; one that is not costs its whole limit.  So that a
 * program with many such ends in bounded time, each question may spend a part of what is left
 * only: the first ones have their full limit, later ones less and less, and the last none.  All is
 * counted in what the solver counts, never in time: the same program gets the same certificate
 * everywhere.
 */
#include "certify/internal.h"

enum {
    FULL_QUESTIONS = 20, /* in a budget */
    LARGEST_SHARE = 10,  /* a question may spend a tenth of what is left */
    LEAST_SHARE = 50,    /* with less than a fiftieth of the limit nothing is asked */
    FREE_SHARE = 4       /* less than a quarter of the limit is not counted */
};

Budget budget_of(uint64_t limit) {
    return (Budget){.limit = limit, .left = FULL_QUESTIONS * limit};
}

uint64_t budget_share(const Budget *budget) {
    uint64_t share = budget->left / LARGEST_SHARE;
    return share < budget->limit / LEAST_SHARE ? 0 : share < budget->limit ? share : budget->limit;
}

void budget_charge(Budget *budget, uint64_t spent) {
    /* Unless a question had little more than that. */
    if (spent < budget->limit / FREE_SHARE && spent < budget_share(budget) / 2)
        return;
    budget->left -= spent < budget->left ? spent : budget->left;
}
