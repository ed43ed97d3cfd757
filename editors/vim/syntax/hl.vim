" Vim syntax of hlc's .hl files.  tests/editors.sh compares the words with the compiler's tables.
if exists("b:current_syntax")
  finish
endif

syn keyword hlDeclaration pipeline schedule fun recurrence let const import require
syn keyword hlKeyword for rdom in if with div mod
syn keyword hlBoolean true false
syn keyword hlType bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 index
syn keyword hlType i8_sat i16_sat i32_sat i64_sat
syn keyword hlType u8_sat u16_sat u32_sat u64_sat image
syn keyword hlModifier planar interleaved strided contraction reassociation
syn keyword hlFunction abs absd acos argmax argmin asin atan atan2 atanh cast cbrt ceil
syn keyword hlFunction clamp clz constant_exterior cos cosh ctz div_round_to_zero erf exp
syn keyword hlFunction exp2 expm1 floor fma halving_add halving_sub is_finite is_inf is_nan
syn keyword hlFunction lerp log log10 log2 max maximum min minimum mirror_image
syn keyword hlFunction mirror_interior mod_round_to_zero mul_shift_right popcount pow
syn keyword hlFunction product reinterpret repeat_edge repeat_image round
syn keyword hlFunction rounding_halving_add rounding_mul_shift_right rounding_shift_left
syn keyword hlFunction rounding_shift_right saturating_add saturating_cast saturating_sub
syn keyword hlFunction select sin sinh sqrt sum tan tanh trunc widening_add widening_mul
syn keyword hlFunction widening_sub

syn match hlOperator "[-+*/%<>=!&|^~?]"
syn match hlNumber "\<\d\+\>"
syn match hlNumber "\<0[xX]\x\+\>"
syn match hlFloat "\<\d\+\.\d\+\([eE][-+]\?\d\+\)\?"
syn match hlFloat "\<\d\+[eE][-+]\?\d\+"
syn match hlName "\(\<\(fun\|pipeline\)\s\+\)\@<=\h\w*"

" Words win over what begins where they do, so functions are left out for `round-up`.
syn region hlSchedule start="\(\<schedule\)\@<=\s" end="}" contains=ALLBUT,hlEscape,hlTodo,hlFunction fold
syn match hlDirective "\<inline\>\ze\s*(" contained
syn match hlDirective "\<wrap\>\ze\s*(" contained
syn match hlDirective "\<clone\>\ze\s*(" contained
syn match hlDirective "\<eager\>\ze\s*(" contained
syn match hlDirective "\<rfactor\>\ze\s*(" contained
syn match hlDirective "\<split-reduction\>\ze\s*(" contained
syn match hlDirective "\<wavefront\>\ze\s*(" contained
syn match hlDirective "\<unfold-storage\>\ze\s*(" contained
syn match hlDirective "\<merge-ures\>\ze\s*(" contained
syn match hlDirective "\<specialize\>\ze\s*(" contained
syn match hlDirective "\<split\>\ze\s*(" contained
syn match hlDirective "\<fuse\>\ze\s*(" contained
syn match hlDirective "\<swap\>\ze\s*(" contained
syn match hlDirective "\<start-early\>\ze\s*(" contained
syn match hlDirective "\<traverse\>\ze\s*(" contained
syn match hlDirective "\<prefetch\>\ze\s*(" contained
syn match hlDirective "\<compute-at\>\ze\s*(" contained
syn match hlDirective "\<compute-root\>\ze\s*(" contained
syn match hlDirective "\<compute-with\>\ze\s*(" contained
syn match hlDirective "\<store-at\>\ze\s*(" contained
syn match hlDirective "\<store-root\>\ze\s*(" contained
syn match hlDirective "\<hoist-storage\>\ze\s*(" contained
syn match hlDirective "\<hoist-storage-root\>\ze\s*(" contained
syn match hlDirective "\<fold-storage\>\ze\s*(" contained
syn match hlDirective "\<store-in\>\ze\s*(" contained
syn match hlDirective "\<reorder-storage\>\ze\s*(" contained
syn match hlDirective "\<align-storage\>\ze\s*(" contained
syn match hlDirective "\<bound-storage\>\ze\s*(" contained
syn match hlDirective "\<trace\>\ze\s*(" contained
syn match hlDirective "\<stream\>\ze\s*(" contained
syn match hlDirective "\<bound\>\ze\s*(" contained
syn match hlDirective "\<bound-extent\>\ze\s*(" contained
syn match hlDirective "\<align-bounds\>\ze\s*(" contained
syn match hlDirective "\<atomic\>\ze\s*(" contained
syn match hlDirective "\<tile\>\ze\s*(" contained
syn match hlDirective "\<reorder\>\ze\s*(" contained
syn match hlDirective "\<vectorize\>\ze\s*(" contained
syn match hlDirective "\<unroll\>\ze\s*(" contained
syn match hlDirective "\<parallel\>\ze\s*(" contained
syn match hlConstant "\<\(parallel\|serial\|unrolled\|vectorized\)\>\ze\s*[,)]" contained
syn match hlConstant "\<\(guard\|predicate\|round-up-and-blend\|round-up\|shift-inwards-and-blend\|shift-inwards\|align-start\|align-end\)\>\ze\s*[,)]" contained

syn match hlEscape "\\." contained
syn region hlString start=+"+ end=+"+ oneline contains=hlEscape
syn keyword hlTodo TODO FIXME contained
syn match hlBlock "\<\(template\|directive\|extends\|else\)\>\ze\s\+[{A-Za-z_]"
syn match hlComment "//.*$" contains=hlTodo
syn region hlComment start="/\*" end="\*/" contains=hlTodo

hi def link hlDeclaration Statement
hi def link hlKeyword Keyword
hi def link hlBlock Keyword
hi def link hlBoolean Boolean
hi def link hlType Type
hi def link hlModifier StorageClass
hi def link hlFunction Function
hi def link hlName Identifier
hi def link hlOperator Operator
hi def link hlNumber Number
hi def link hlFloat Float
hi def link hlDirective PreProc
hi def link hlConstant Constant
hi def link hlEscape SpecialChar
hi def link hlString String
hi def link hlTodo Todo
hi def link hlComment Comment

syn sync fromstart

let b:current_syntax = "hl"
