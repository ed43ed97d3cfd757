#!/usr/bin/env bash
# The words that editors/ colours are the compiler's: keywords, types, functions, directives,
# traversals and tails.  The test compares them with the compiler's tables.  With BLESS=1 it writes
# the functions and directives into editors/.  Arguments: source folder, build folder.
set -u
tables=$("$2/hlc" --tables) || exit 1
cd "$1" || exit 1
TABLES=$tables python3 - << 'PY'
import json, os, re, sys, textwrap
read = lambda path: open(path).read()
def table(path, start, end=r'\}'):
    return set(re.findall(r'"([\w-]+)"', re.search(start + r'(.*?)' + end, read(path), re.S).group(1)))
keywords = table('frontend/parser.c', r'keywords\[\] = \{')
builtins = table('frontend/scope.c', r'builtins\[\] = \{')
types = {w for w in builtins if re.fullmatch(r'bool|bf16|[iuf]\d+(_sat)?|index', w)} | {'image'}
rows = [line.split(' ') for line in os.environ['TABLES'].splitlines()]
functions = (builtins - types) | {row[2] for row in rows if row[0] == 'operator' and row[3] == 'CALL'} \
    | table('frontend/parse_expression.c', r'names\[\] = \{')
directives = [row[2] for row in rows if row[0] == 'directive']
schedule = read('schedule/text.c')
modifiers = table('frontend/parse.c', r'words\[\] = \{\[LAYOUT_PLANAR\]') | {'planar', 'contraction', 'reassociation'}
modifiers &= {'planar', 'interleaved', 'strided', 'contraction', 'reassociation'}
traversals = {'serial', 'parallel', 'vectorized', 'unrolled'}
tails = {'guard', 'predicate', 'round-up', 'shift-inwards', 'round-up-and-blend', 'shift-inwards-and-blend'}
alignments = {'align-start', 'align-end'}
for word in traversals | tails | alignments:
    assert f'"{word}"' in schedule, f'{word} is no word of schedules'
for word in ('contraction', 'reassociation'):
    assert f'"{word}"' in read('frontend/parse.c'), word

def write(path, pattern, words):
    text, count = re.subn(pattern, lambda match: match.group(1) + words + match.group(2), read(path), flags=re.M)
    assert count == 1, f'{path}: {pattern}'
    open(path, 'w').write(text)

if os.environ.get('BLESS') == '1':
    longest_first = lambda words: '|'.join(sorted(words, key=lambda word: (-len(word), word)))
    textmate = r'("name": "%s",\n *"match": "[^"]*?\\\\b\()[^)]*(\)[^"]*")'
    write('editors/textmate/hl.tmLanguage.json', textmate % 'support.function.hl', longest_first(functions))
    write('editors/textmate/hl.tmLanguage.json', textmate % 'keyword.other.directive.hl', longest_first(directives))
    begin = 'syn keyword hlFunction '
    lines = textwrap.wrap(' '.join(sorted(functions)), 92 - len(begin), break_on_hyphens=False)
    write('editors/vim/syntax/hl.vim', '()(?:^syn keyword hlFunction .*\n)+()', ''.join(f'{begin}{line}\n' for line in lines))
    write('editors/vim/syntax/hl.vim', '()(?:^syn match hlDirective .*\n)+()',
          ''.join(f'syn match hlDirective "\\<{word}\\>\\ze\\s*(" contained\n' for word in directives))
directives = set(directives)

faults = 0
def compare(what, got, wanted):
    global faults
    if got != wanted:
        faults += 1
        print(f'{what} (BLESS=1 writes functions and directives): lacks {sorted(wanted - got)}, has {sorted(got - wanted)} too many')

# TextMate: the alternatives of each rule, by scope.
grammar = json.loads(read('editors/textmate/hl.tmLanguage.json'))
scopes = {}
def collect(node):
    if isinstance(node, dict):
        if 'name' in node and 'match' in node:
            words = set(re.findall(r'[A-Za-z_][\w-]*', re.sub(r'\\b|\\s\*|\\w|\(\?[<=!]+[^)]*\)', ' ', node['match'])))
            scopes.setdefault(node['name'], set()).update(words)
        for value in node.values():
            collect(value)
    elif isinstance(node, list):
        for value in node:
            collect(value)
collect(grammar)
words = keywords - {'true', 'false', 'image'}
compare('TextMate, keywords', scopes['keyword.declaration.hl'] | scopes['keyword.control.hl'], words)
blocks = {'template', 'directive', 'extends', 'else'}  # words only where a name follows, or a brace
for word in blocks:
    assert any(f'"{word}"' in read(f'frontend/parse_{part}.c') for part in ('block', 'schedule')), word
compare('TextMate, blocks', scopes['keyword.other.block.hl'] & blocks, blocks)
compare('TextMate, types', scopes['storage.type.hl'], types)
compare('TextMate, functions', scopes['support.function.hl'], functions)
compare('TextMate, directives', scopes['keyword.other.directive.hl'], directives)
compare('TextMate, modifiers', scopes['storage.modifier.hl'], modifiers)
compare('TextMate, traversals', scopes['constant.language.traversal.hl'], traversals)
compare('TextMate, tails', scopes['constant.language.tail.hl'], tails | alignments)

vim = read('editors/vim/syntax/hl.vim')
def vim_words(group):
    return {w for line in re.findall(rf'^syn keyword {group} (.*)$', vim, re.M) for w in line.split()} - {'contained'}
compare('vim, keywords', vim_words('hlDeclaration') | vim_words('hlKeyword'), words)
compare('vim, blocks', set(re.search(r'^syn match hlBlock "\\<\\\((.*?)\\\)', vim, re.M)[1].split('\\|')), blocks)
compare('vim, types', vim_words('hlType'), types)
compare('vim, functions', vim_words('hlFunction'), functions)
compare('vim, modifiers', vim_words('hlModifier'), modifiers)
compare('vim, directives', set(re.findall(r'^syn match hlDirective "\\<([\w-]+)\\>', vim, re.M)), directives)
constants = set(w for part in re.findall(r'^syn match hlConstant "\\<\\\((.*?)\\\)\\>', vim, re.M) for w in part.split('\\|'))
compare('vim, traversals and tails', constants, traversals | tails | alignments)
print(f'{len(words)} keywords, {len(types)} types, {len(functions)} functions, {len(directives)} directives; {faults} faults')
sys.exit(faults > 0 or len(directives) < 10 or len(functions) < 40)
PY
