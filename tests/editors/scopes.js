// scopes.js -- tokenizes with the TextMate grammar, as editors do: scopes.js SOURCE NODE_MODULES
//
// Checks the assertions of tests/editors/scopes.hl; then, in the examples, that every keyword, number,
// string, comment and directive has a scope that says so (found by a small scanner of its own), that
// comments hide words, and that nothing of a comment or string leaks into the next line.
const fs = require('fs'), path = require('path');
const [source, modules] = process.argv.slice(2);
const textmate = require(path.join(modules, 'vscode-textmate')), oniguruma = require(path.join(modules, 'vscode-oniguruma'));
let asked = 0, failures = 0;

function check(where, tokens, column, length, scope) {
  asked++;
  for (let c = column; c < column + length; c++) {
    const token = tokens.find(t => t.startIndex <= c && c < t.endIndex);
    if (!token || !token.scopes.some(s => s.startsWith(scope))) {
      failures++;
      console.log(`FAILED: ${where}:${column + 1}: not ${scope} but ${token && token.scopes.join(' ')}`);
      return;
    }
  }
}

function tokenize(grammar, text) {
  let stack = textmate.INITIAL;
  return text.split('\n').map(line => {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    return { line, tokens: result.tokens };
  });
}

function checkAssertions(grammar, file) {
  const lines = fs.readFileSync(file, 'utf8').split('\n'), code = [];
  lines.forEach((line, number) => {
    const below = line.match(/^\/\/ (\s*)(\^+) (\S+)$/), begin = line.match(/^\/\/ <(-+) (\S+)$/);
    if (below)
      code[code.length - 1].wanted.push([number, 3 + below[1].length, below[2].length, below[3]]);
    else if (begin)
      code[code.length - 1].wanted.push([number, 0, begin[1].length, begin[2]]);
    else
      code.push({ line, wanted: [] });
  });
  const told = tokenize(grammar, code.map(c => c.line).join('\n'));
  code.forEach((c, i) => c.wanted.forEach(([number, column, length, scope]) =>
    check(`${path.basename(file)}:${number + 1}`, told[i].tokens, column, length, scope)));
}

const KEYWORDS = /^(pipeline|schedule|fun|let|const|import|require|for|rdom|in|if|with|div|mod)$/;
const PIECE = /\/\/.*|"(?:\\.|[^"\\])*"|[A-Za-z_]\w*(?:-[a-z]+)*(?=\s*\()|[A-Za-z_]\w*|\d+\.\d+(?:[eE][-+]?\d+)?|\d+|./g;
function checkExample(grammar, file, directives) {
  let inSchedule = false, inComment = false;
  for (const [number, { line, tokens }] of tokenize(grammar, fs.readFileSync(file, 'utf8')).entries()) {
    if (/\/\*/.test(line) || inComment) {
      inComment = !/\*\//.test(line);
      continue;
    }
    if (/^schedule\b/.test(line))
      inSchedule = true;
    for (const piece of line.matchAll(PIECE)) {
      const text = piece[0], where = `${path.basename(file)}:${number + 1}`;
      const expect = scope => check(where, tokens, piece.index, text.length, scope);
      if (text.startsWith('//')) expect('comment.line');
      else if (text.startsWith('"')) expect('string.quoted');
      else if (inSchedule && directives.has(text) && /^\s*\(/.test(line.slice(piece.index + text.length))) expect('keyword.other.directive');
      else if (KEYWORDS.test(text)) expect('keyword.');
      else if (/^\d/.test(text) && !/[\w.]/.test(line[piece.index - 1] || ' ')) expect('constant.numeric');
      else if (/^[iuf](8|16|32|64)$/.test(text)) expect('storage.type');
    }
    if (/^\}/.test(line))
      inSchedule = false;
  }
}

(async () => {
  await oniguruma.loadWASM(fs.readFileSync(path.join(modules, 'vscode-oniguruma/release/onig.wasm')));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({ createOnigScanner: p => new oniguruma.OnigScanner(p), createOnigString: s => new oniguruma.OnigString(s) }),
    loadGrammar: async () => textmate.parseRawGrammar(
      fs.readFileSync(path.join(source, 'editors/textmate/hl.tmLanguage.json'), 'utf8'), 'hl.tmLanguage.json'),
  });
  const grammar = await registry.loadGrammar('source.hl');
  checkAssertions(grammar, path.join(source, 'tests/editors/scopes.hl'));
  const directives = new Set([...fs.readFileSync(path.join(source, 'schedule/directives.def'), 'utf8')
    .matchAll(/^DIRECTIVE\(\w+,\s*"([\w-]+)"/gm)].map(m => m[1]));
  const examples = fs.readdirSync(path.join(source, 'examples')).filter(f => f.endsWith('.hl'));
  for (const file of examples)
    checkExample(grammar, path.join(source, 'examples', file), directives);
  console.log(`${asked} stretches in ${examples.length + 1} files, ${failures} failures`);
  process.exit(failures > 0 || asked < 300 || directives.size < 30 || examples.length < 5 ? 1 : 0);
})().catch(error => { console.error(error); process.exit(1); });
