/* plan_print.c -- prints a plan: for people, and as the JSON object of docs/large-split.md. */
#include "library/split/plan.h"

#include "ir/type.h"
#include "library/json.h"

#include <inttypes.h>

/* ---- JSON ---- */

static void put_names(const PlanNames *names, FILE *out) {
    fputc('[', out);
    for (size_t i = 0; i < names->length; i++) {
        fputs(i ? "," : "", out);
        json_text(names->data[i], out);
    }
    fputc(']', out);
}

static void put_ports(const PlanPorts *ports, FILE *out) {
    fputc('[', out);
    for (size_t i = 0; i < ports->length; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        json_text(ports->data[i].name, out);
        json_member("array", ports->data[i].array, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_part(const PlanPart *part, FILE *out) {
    fputs("{\"pipeline\":", out);
    json_text(part->name, out);
    json_member("text", part->text, out);
    json_member("schedule", part->schedule, out);
    fputs(",\"images\":", out);
    put_ports(&part->images, out);
    fputs(",\"domains\":", out);
    put_names(&part->domains, out);
    fputs(",\"parameters\":", out);
    put_names(&part->parameters, out);
    fputs(",\"outputs\":", out);
    put_ports(&part->outputs, out);
    fputc('}', out);
}

static void put_merge(const PlanMerge *merge, FILE *out) {
    fputs(",\"merge\":", out);
    if (!merge) {
        fputs("null", out);
        return;
    }
    fputs("{\"part\":", out);
    put_part(&merge->part, out);
    fputs(",\"left\":", out);
    put_names(&merge->left, out);
    fputs(",\"right\":", out);
    put_names(&merge->right, out);
    fputs(",\"identity\":", out);
    put_part(&merge->identity, out);
    fprintf(out, ",\"commutative\":%s}", merge->is_commutative ? "true" : "false");
}

static const char *kind_text(PlanKind kind) {
    return kind == PLAN_MAP ? "map" : kind == PLAN_CHAIN ? "chain" : "scan";
}

static void put_order(const PlanOrder *order, FILE *out) {
    fputs(",\"before\":", out);
    put_ports(&order->before, out);
    json_member("first", order->first, out);
    json_member("end", order->end, out);
}

/* `along` of a scan: {"dimension":1,"toward":"higher","reach":1,"before":..,"first":..,"end":..} */
static void put_along(const PlanStep *step, FILE *out) {
    fputs(",\"along\":[", out);
    for (int k = 0; k < step->order_count; k++) {
        const PlanOrder *order = &step->orders[k];
        fprintf(out, "%s{\"dimension\":%d,\"toward\":\"%s\",\"reach\":%d", k ? "," : "",
                order->dimension, order->is_lower ? "lower" : "higher", order->reach);
        put_order(order, out);
        fputc('}', out);
    }
    fputc(']', out);
}

static void put_step(const PlanStep *step, FILE *out) {
    fprintf(out, "{\"kind\":\"%s\",\"part\":", kind_text(step->kind));
    put_part(&step->part, out);
    if (step->kind != PLAN_MAP) {
        fputs(",\"range\":", out);
        put_part(&step->range, out);
        fputs(",\"windows\":[", out);
        for (int d = 0; d < step->dimensions; d++)
            fprintf(out, "%s%s", d ? "," : "", step->windows[d] ? "true" : "false");
        fputc(']', out);
    }
    if (step->kind == PLAN_CHAIN) {
        put_order(&step->orders[0], out);
        put_merge(step->merge, out);
    }
    if (step->kind == PLAN_SCAN)
        put_along(step, out);
    fputc('}', out);
}

static void put_inputs(const Signature *signature, FILE *out) {
    for (size_t i = 0; i < signature->inputs.length; i++) {
        InputRef input = signature->inputs.data[i];
        const ImageParameter *image = &signature->images.data[input.index];
        const Parameter *parameter = &signature->parameters.data[input.index];
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        json_text(input.is_image ? image->name->text : parameter->name->text, out);
        json_member("type", type_name(input.is_image ? image->type : parameter->type), out);
        if (input.is_image)
            fprintf(out, ",\"dimensions\":%d", image->dimensions);
        fputc('}', out);
    }
}

void split_plan_print_json(const SplitPlan *plan, FILE *out) {
    fputs("{\"format\":2,\"pipeline\":", out);
    json_text(plan->whole->signature.name->text, out);
    fputs(",\"inputs\":[", out);
    put_inputs(&plan->whole->signature, out);
    fputs("],\"outputs\":[", out);
    for (size_t i = 0; i < plan->outputs.length; i++) {
        const PlanOutput *output = &plan->outputs.data[i];
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        json_text(output->name, out);
        json_member("type", type_name(output->type), out);
        fprintf(out, ",\"dimensions\":%d", output->dimensions);
        json_member("array", output->array, out);
        fputc('}', out);
    }
    fputs("],\"whole\":", out);
    put_part(&plan->whole_part, out);
    fputs(",\"arrays\":[", out);
    for (size_t i = 0; i < plan->arrays.length; i++) {
        const PlanArray *array = &plan->arrays.data[i];
        fputs(i ? ",{\"name\":" : "{\"name\":", out);
        json_text(array->name, out);
        json_member("type", type_name(array->type), out);
        fprintf(out, ",\"dimensions\":%d,\"step\":%zu}", array->dimensions, array->step);
    }
    fputs("],\"steps\":[", out);
    for (size_t i = 0; i < plan->steps.length; i++) {
        fputs(i ? "," : "", out);
        put_step(&plan->steps.data[i], out);
    }
    fputs("],\"notes\":", out);
    put_names(&plan->notes, out);
    fputs("}\n", out);
}

/* ---- for people ---- */

static void print_ports(const char *word, const PlanPorts *ports, FILE *out) {
    for (size_t i = 0; i < ports->length; i++)
        fprintf(out, "%s%s", i ? ", " : word, ports->data[i].array);
}

void split_plan_print_orders(const PlanStep *step, const char *what, FILE *out) {
    fputs(what, out);
    for (int k = 0; k < step->order_count; k++) {
        const PlanOrder *order = &step->orders[k];
        fprintf(out, "%salong dimension %d", k ? ", and " : "", order->dimension);
        if (order->reach)
            fprintf(out, "%s, which reads %d before it",
                    order->is_lower ? " toward lower coordinates" : "", order->reach);
        else
            fputs(" in any order", out);
    }
}

static void print_step(const PlanStep *step, size_t number, FILE *out) {
    fprintf(out, "step %zu: %s", number, kind_text(step->kind));
    print_ports(" makes ", &step->part.outputs, out);
    print_ports(" of ", &step->part.images, out);
    if (step->kind == PLAN_CHAIN)
        fprintf(out, "; blocks in order%s",
                !step->merge                  ? ""
                : step->merge->is_commutative ? ", or apart and merged in any order"
                                              : ", or apart and merged in order");
    if (step->kind == PLAN_SCAN)
        split_plan_print_orders(step, "; windows in order ", out);
    fputs("\n\n", out);
    fputs(step->part.text, out);
    fputc('\n', out);
}

void split_plan_print(const SplitPlan *plan, FILE *out) {
    for (size_t i = 0; i < plan->steps.length; i++)
        print_step(&plan->steps.data[i], i, out);
    for (size_t i = 0; i < plan->notes.length; i++)
        fprintf(out, "note: %s\n", plan->notes.data[i]);
}
