/* contract.h -- contracts under the prefixes of a schedule, as text: contract.c, contract_report.c
 * and the header of a compiled pipeline. */
#ifndef HLC_LIBRARY_SHOW_CONTRACT_H
#define HLC_LIBRARY_SHOW_CONTRACT_H

#include "library/compiler.h"
#include "lower/report/contract.h"
#include "lower/report/footprint.h"

/* The origin of a clause. */
typedef struct ClauseOrigin {
    const char *directive; /* source text of the directive that introduces the clause; null: none */
    Place place;           /* of the directive */
} ClauseOrigin;

/* One difference between two contracts. */
typedef struct ContractChange {
    const ContractClause *before, *after; /* null: there was none, there is none */
    ClauseOrigin origin;                  /* of the later one */
} ContractChange;

typedef struct ContractReport {
    FILE *out;
    Arena *arena;
    Context *context;
    const Signature *signature;
    const char *schedule; /* null: the empty one */
    bool json;
    bool for_people; /* clauses that fail only near the limits of 32 and 64 bits are counted */
} ContractReport;

/* Finds the most memory that a run of the program takes at one time besides inputs and outputs, in
 * bytes. False if it is not known. The arguments are ready. */
bool contract_peak(hlc *h, const Program *program, hlc_arguments *a, int64_t *bytes);

/* Must every image and window keep this clause, whatever the pipeline computes? The contracts of
 * all schedules print such clauses in one line, or omit them. */
bool contract_is_of_buffer(const ContractReport *report, const ContractClause *clause);

/* The clause's condition as people read it; of one that is too long, the number of its terms. */
const char *contract_clause_words(const ContractReport *report, const ContractClause *clause);

/* Prints the values of the const parameters, and the windows that the pipeline proposes, a line
 * each, behind `prefix`. */
void contract_report_values(hlc *h, const ContractReport *report, const char *prefix);

/* For the header of a pipeline: prints the clauses with their reasons, and the memory. Each line
 * begins with `prefix`, as the inside of a comment. */
void contract_report_comment(const ContractReport *report, const Contract *contract,
                             const Footprint *footprint, const char *prefix);

/* Prints the clauses, one a line, with `origins`; then the memory. */
void contract_report_clauses(const ContractReport *report, const Contract *contract,
                             const ClauseOrigin *origins);
/* The clauses for people: contract_people.c. */
void contract_report_people(const ContractReport *report, Pool *pool, const Contract *contract,
                            const ClauseOrigin *origins);
void contract_report_memory(const ContractReport *report, const Footprint *footprint);
void contract_report_change(const ContractReport *report, const ContractChange *change);
void contract_report_peaks(const ContractReport *report, const char *against,
                           const Footprint *before, const Footprint *after);
/* `failing` null: the arguments satisfy the contract. `bytes` negative: unknown. */
void contract_report_verdict(const ContractReport *report, const ContractClause *failing,
                             int64_t bytes);

#endif
