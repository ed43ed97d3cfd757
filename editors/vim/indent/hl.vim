" Vim indentation of hlc's .hl files: a level for each line that leaves a bracket open, as `hlc fmt` has it.
if exists("b:did_indent")
  finish
endif
let b:did_indent = 1

setlocal indentexpr=HlIndent(v:lnum) indentkeys=0{,0},0),0],!^F,o,O nosmartindent
let b:undo_indent = "setlocal indentexpr< indentkeys< smartindent<"

if exists("*HlIndent")
  finish
endif

" The brackets of a line, without those in strings and comments.
function s:Brackets(number)
  let text = substitute(getline(a:number), '"\(\\.\|[^"\\]\)*"', '', 'g')
  let text = substitute(text, '/\*.\{-}\*/\|//.*$', '', 'g')
  return substitute(text, '[^][(){}]', '', 'g')
endfunction

" How many closing brackets the line begins with.
function s:Closing(number)
  return len(matchstr(substitute(getline(a:number), '\s', '', 'g'), '^[])}]*'))
endfunction

function HlIndent(number)
  let before = prevnonblank(a:number - 1)
  if before == 0
    return 0
  endif
  let depth = 0
  for bracket in split(s:Brackets(before), '\zs')
    let depth += bracket =~ '[[({]' ? 1 : -1
  endfor
  " Brackets that close at the beginning of a line have moved that line.
  let depth += s:Closing(before)
  let level = depth > 0 ? 1 : depth < 0 ? -1 : 0
  let level -= s:Closing(a:number) > 0 ? 1 : 0
  return indent(before) + level * shiftwidth()
endfunction
