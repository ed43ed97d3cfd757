/* extern.c -- calls the C function of an extern stage for the interpreters, by libffi. */
#include "codegen/codegen.h"

#include <ffi.h>

static ffi_type *type_of(const hlc_extern_rule *rule) {
    static ffi_type *const integers[2][4] = {
        {&ffi_type_sint8, &ffi_type_sint16, &ffi_type_sint32, &ffi_type_sint64},
        {&ffi_type_uint8, &ffi_type_uint16, &ffi_type_uint32, &ffi_type_uint64}};
    int size = rule->type_bits == 64 ? 3 : rule->type_bits == 32 ? 2 : rule->type_bits == 16;
    if (rule->kind != HLC_EXTERN_SCALAR)
        return &ffi_type_pointer;
    if (rule->type_code == halide_type_float && size >= 2)
        return size == 3 ? &ffi_type_double : &ffi_type_float;
    return integers[rule->type_code != halide_type_int][size];
}

int codegen_call_extern(const void *closure, void *const *arguments) {
    const ExternClosure *callee = closure;
    ffi_type *types[HLC_MOST_EXTERN_ARGUMENTS];
    ffi_cif interface;
    ffi_arg result = 0;
    for (int i = 0; i < callee->count; i++)
        types[i] = type_of(&callee->rules[i]);
    if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, (unsigned)callee->count, &ffi_type_sint32,
                     types) != FFI_OK)
        return HLC_ERROR_INTERNAL;
    ffi_call(&interface, callee->function, &result, (void **)arguments);
    return (int)result;
}
