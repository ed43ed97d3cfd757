/* contract.h -- contracts under the prefixes of a schedule, as text: contract.c, contract_report.c
 * and the header of a compiled pipeline. */
#ifndef HLC_LIBRARY_CONTRACT_H
#define HLC_LIBRARY_CONTRACT_H

#include "library/compiler.h"
#include "lower/contract.h"
#include "lower/footprint.h"

/* Where a clause comes from. */
typedef struct ClauseOrigin {
    const char *directive; /* as it is written: before it the clause was not there; null: none */
    Place place;           /* of the directive */
} ClauseOrigin;

/* One thing that differs between two contracts. */
typedef struct ContractChange {
    const Clause *before, *after; /* null: there was none, there is none */
    ClauseOrigin origin;          /* of the later one */
} ContractChange;

typedef struct ContractReport {
    FILE *out;
    Arena *arena;
    Context *context;
    const char *pipeline, *schedule; /* null: the empty one */
    bool json;
} ContractReport;

/* "examples/blur.hl:3:5"; null for a place that is nowhere. */
const char *contract_place(Arena *arena, const Context *context, Place place);

/* A clause each, with `origins`; then the memory. */
void contract_report_clauses(const ContractReport *report, const Contract *contract,
                             const ClauseOrigin *origins);
void contract_report_memory(const ContractReport *report, const Footprint *footprint);
void contract_report_change(const ContractReport *report, const ContractChange *change);
void contract_report_peaks(const ContractReport *report, const char *against,
                           const Footprint *before, const Footprint *after);
/* `failing` null: the arguments keep the contract.  `bytes` negative: not known. */
void contract_report_verdict(const ContractReport *report, const Clause *failing, int64_t bytes);

#endif
