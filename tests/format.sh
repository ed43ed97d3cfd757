#!/usr/bin/env bash
# `hlc fmt`: its output has the same comments and the same meaning, for our programs and for random
# layouts of them.  A second run changes nothing.  The examples are formatted.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
cd "$source" || exit 1

# ---- the command ----
"$hlc" fmt --check examples/*.hl > "$work/out" 2>&1 || fail "not in the canonical layout: $(cat "$work/out")"
cd "$work" || exit 1
printf 'pipeline p( )->out{fun out( x )=1;}' > a.hl
printf 'pipeline p() -> out {\n    fun out(x) = 1;\n}\n' > b.hl
"$hlc" fmt --check a.hl b.hl > out 2> err
[ $? -eq 1 ] && [ "$(cat out)" = a.hl ] && [ ! -s err ] || fail "--check names what differs"
chmod 640 a.hl
"$hlc" fmt a.hl && cmp -s a.hl b.hl || fail "in place"
[ "$(stat -c %a a.hl)" = 640 ] || fail "who may read the file is as it was"
if [ "$(id -u)" -ne 0 ]; then
  printf 'pipeline p( )->out{fun out( x )=1;}' > e.hl && cp e.hl f.hl && chmod 444 e.hl
  "$hlc" fmt e.hl 2> err; [ $? -eq 3 ] && cmp -s e.hl f.hl && grep -q E0802 err || fail "a file that may not be written stays"
fi
"$hlc" fmt < b.hl | cmp -s - b.hl && "$hlc" fmt - < b.hl | cmp -s - b.hl || fail "standard input"
printf 'pipeline p( -> out' > c.hl && cp c.hl d.hl
"$hlc" fmt c.hl 2> err; [ $? -eq 2 ] && cmp -s c.hl d.hl && grep -q E0102 err || fail "what does not parse is left alone"
"$hlc" fmt nowhere.hl 2> err; [ $? -eq 3 ] || fail "a file that is not there"
cat > layout.hl <<'HL'
/* a block
   comment */ import "other.hl"; // trailing
pipeline p(a:image<u8,2>,b:i32=-3 in -9..9,c:f32=1.5)->(out,t) with contraction,reassociation{
  const k=[1,2,1];   // one
 let f(x)=x>0?-x:!(b<2)?k[x]:b*2+b * 3; // two


    let src=repeat_edge(a,(0,b),_);
  // own line
  fun t(x,y)={ {1,2.0}; rdom(r=(0,3);s=(0,b)) in (x,y)<-{t(x,y).0,2.0} if r<s&&s!=2; }
  fun out(x,y)=u8(a(x,y)) + cast<u8>(sum(r in (-1,3)) i32(src(x+r,y)))
        + u8(max(b,
    2));
  require(b>-5,"no // comment");
}
schedule s for p{split(<out,z0,s0,x>,xo,xi,8,round-up);compute-root(t);  // three
  store-in( t,stack );

  specialize(out,b<2,b - 1>0); }
HL
cat > wanted.hl <<'HL'
/* a block
   comment */ import "other.hl";  // trailing

pipeline p(a: image<u8, 2>, b: i32 = -3 in -9..9, c: f32 = 1.5) -> (out, t) with contraction, reassociation {
    const k = [1, 2, 1];                                    // one
    let f(x) = x > 0 ? -x : !(b < 2) ? k[x] : b*2 + b * 3;  // two

    let src = repeat_edge(a, (0, b), _);
    // own line
    fun t(x, y) = {
        {1, 2.0};
        rdom(r = (0, 3); s = (0, b)) in (x, y) <- {t(x, y).0, 2.0} if r < s && s != 2;
    }
    fun out(x, y) = u8(a(x, y)) + cast<u8>(sum(r in (-1, 3)) i32(src(x + r, y)))
                  + u8(max(b,
                           2));
    require(b > -5, "no // comment");
}

schedule s for p {
    split(<out, z0, s0, x>, xo, xi, 8, round-up);  compute-root(t);  // three
    store-in(t, stack);

    specialize(out, b < 2, b - 1 > 0);
}
HL
"$hlc" fmt - < layout.hl > got.hl
diff wanted.hl got.hl || fail "the layout"
# Comments where blocks and operators meet; two signs that may not become one token.
printf '// first \t \npipeline p(a: i32,b:bool)->out{  // trailing\t \n' > comments.hl
cat >> comments.hl <<'HL'
 fun t(x)={/* no tuple */ 1;/* two */ (x)<-t(x)+1;}
 fun u(x)={  // here
  1;<-2}
 fun out(x)=- -x + /* three */ -a*(b?~ -x:i32(! !b))+- - -t(x)+u(x) /* four */; }
HL
cat > wanted.hl <<'HL'
// first
pipeline p(a: i32, b: bool) -> out {  // trailing
    fun t(x) = { /* no tuple */ 1; /* two */ (x) <- t(x) + 1; }
    fun u(x) = {  // here
        1;
        <- 2
    }
    fun out(x) = - -x + /* three */ -a*(b ? ~-x : i32(! !b)) + - - -t(x) + u(x) /* four */;
}
HL
"$hlc" fmt - < comments.hl > got.hl
diff wanted.hl got.hl || fail "comments and signs"

# ---- meaning ----
# Of copies, which stand where their imports do.
mkdir -p copies/tests copies/docs
cp -r "$source/examples" copies/ && cp "$source/README.md" copies/ && cp "$source/docs/language.md" copies/docs/
for folder in programs golden bounds semantics explain; do cp -r "$source/tests/$folder" copies/tests/; done
cat > random_layouts.py <<'PY'
import glob, os, random, re, subprocess, sys
source, hlc = sys.argv[1:3]
random.seed(7)
PIECE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\s+|[A-Za-z_]\w*|\d[\w.]*(?:[eE][-+]\d+)?|.', re.S)
def run(text, *arguments):
    return subprocess.run([hlc, *arguments], input=text, capture_output=True, text=True)
def comments(text):
    return [p.rstrip() for p in PIECE.findall(text) if p.startswith(('//', '/*'))]
def meaning(text, folder):
    path = os.path.join(folder, f'.formatted{os.getpid()}.hl')
    with open(path, 'w') as file:
        file.write(text)
    try:
        told = []
        for name in sorted(set(re.findall(r'^\s*pipeline\s+(\w+)', re.sub(r'//[^\n]*|/\*.*?\*/', '', text, flags=re.S), re.M))):
            told.append(run('', 'lower', path, f'--pipeline={name}', '--after=initial').stdout)
        for name, of in re.findall(r'schedule\s+(\w+)\s+for\s+(\w+)', text)[:4]:
            told.append(run('', 'lower', path, f'--pipeline={of}', f'--schedule={name}', '--after=schedule').stdout)
        return told
    finally:
        os.remove(path)
def shuffled(text):
    out, line = [], False
    for piece in PIECE.findall(text):
        if piece.isspace():
            piece = random.choice([' ', ' ', '  ', '\n', '\n\n', ' \n\t', '\n\n\n '])
            if line:
                piece = '\n' + piece
        elif not line and not (out and out[-1][-1] + piece[0] in ('<-', '->', '//', '/*', '..', '==', '<=', '>=', '!=', '&&', '||', '<<', '>>', '=>')):
            if random.random() < 0.1 and not re.match(r'[\w."<>=!&|/*-]', piece):
                piece = random.choice([' ', '\n']) + piece
        line = piece.startswith('//')
        out.append(piece)
    return ''.join(out)
files = sorted(sum((glob.glob(f'{source}/{p}') for p in
                    ('examples/*.hl', 'examples/recurrences/*.hl', 'tests/programs/*.hl', 'tests/golden/*.hl', 'tests/bounds/*.hl', 'tests/semantics/*.hl', 'tests/explain/*.hl')), []))
blocks = sum((re.findall(r'```hl\n(.*?)```', open(page).read(), re.S) for page in (f'{source}/docs/language.md', f'{source}/README.md')), [])
texts = [(path, os.path.dirname(path), open(path).read()) for path in files] + [('docs', source, block) for block in blocks]
share = int(os.environ.get('HLC_SHARE', '1'))  # tests/support/share.sh
faults = count = 0
for name, folder, text in texts[::share]:
    wanted = meaning(text, folder)
    if not any(wanted):
        continue
    for layout in [text] + [shuffled(text) for _ in range(1)]:
        count += 1
        first = run(layout, 'fmt', '-')
        again = run(first.stdout, 'fmt', '-')
        what = None
        if first.returncode or again.returncode:
            what = first.stderr + again.stderr
        elif first.stdout != again.stdout:
            what = 'formatted again it is another text'
        elif comments(first.stdout) != comments(layout):
            what = 'other comments'
        elif meaning(first.stdout, folder) != wanted:
            what = 'another meaning'
        if what:
            faults += 1
            print(f'FAILED: {name}: {what}\n{layout if len(layout) < 900 else ""}')
print(f'{count} layouts, {faults} faults')
sys.exit(faults > 0 or count < 250 // share)
PY
python3 random_layouts.py "$work/copies" "$hlc" || fail "random layouts"
[ "$failures" -eq 0 ]
