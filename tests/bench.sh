#!/usr/bin/env bash
# hlc bench: its measurements, its files, and its comparison with an earlier measurement.  The test
# asserts no times, only conclusions from numbers that it makes up.
# Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$(realpath "$0")")/support/expect.sh"
cd "$work" || exit 1

cat > blur.hl <<'HL'
pipeline blur(input: image<u8, 2>, w: i32 = 1 in 0..8) -> (out, nan) { // allow E0433
    let src = repeat_edge(input);
    fun f(x, y) = i32(src(x - 1, y)) + i32(src(x, y)) + i32(src(x + 1, y));
    fun out(x, y) = u8((f(x, y - 1) + f(x, y) + f(x, y + 1)) / 9);
    fun nan(x, y) = f32(f(x, y)) / 3.0;
}
schedule wide for blur { vectorize(out.x, 8); parallel(out.y); }
schedule inner for blur { split(out.y, yo, yi, 8); parallel(out.yo); }
pipeline other(a: image<u8, 1>) -> b { fun b(x) = a(x); }
schedule fast for other { vectorize(b.x, 16); }
HL
bench() { local code=$1; shift; expect "$code" "$hlc" bench blur.hl --pipeline=blur input=random:1:60x50 out=60x50 nan=60x50 --seconds=0 "$@"; }

bench 0 --threads=1,2
for line in "the empty schedule  *1 " "the empty schedule  *2 " "wide  *1 " "wide  *2 " "inner  *2 "; do
  grep -q "^$line" out || { fail "no line of $line"; cat out; }
done
bench 0 --schedule=wide --threads=3; [ "$(wc -l < out)" = 2 ] || fail "one schedule, one number of threads"
bench 0 --schedule=inner --schedule= --threads=1 --runs=1
sed -n 2p out | grep -q '^inner' && sed -n 3p out | grep -q '^the empty' || { fail "the order asked for"; cat out; }

# ---- JSON ----
bench 0 --threads=1,2 --json; cp out now.json
[ ! -s err ] || fail "standard error is not empty"
python3 - <<'PY' || fail "what --json writes"
import json
whole = json.load(open('now.json'))
assert whole['pipeline'] == 'blur' and whole['file'] == 'blur.hl' and whole['arguments'] == ['input=random:1:60x50', 'out=60x50', 'nan=60x50']
r = whole['results']
assert [(e['schedule'], e['threads']) for e in r] == [(s, t) for s in ('', 'wide', 'inner') for t in (1, 2)]
for e in r:
    assert e['pipeline'] == 'blur' and 0 < e['p10_ms'] <= e['median_ms'] <= e['p90_ms']
    assert e['low_ms'] <= e['median_ms'] <= e['high_ms'] and e['runs'] >= e['samples'] >= 1
    assert e['hash'] == r[0]['hash'] and e['steady'] in (True, False)

def write(name, change):
    made = json.loads(json.dumps(whole))
    for e in made['results']: change(e)
    json.dump(made, open(name, 'w'))
def scale(factor):
    def change(e):
        for key in e:
            if key.endswith('_ms'): e[key] *= factor
    return change
write('quick.json', scale(1e-8))
write('slow.json', scale(1e8))
write('vague.json', lambda e: e.update(p10_ms=0, p90_ms=1e12))
write('different.json', lambda e: e.update(hash='0'))
write('lacking.json', lambda e: e.pop('p90_ms'))
write('typed.json', lambda e: e.update(median_ms='1'))
made = json.load(open('vague.json')); made['results'] = made['results'][1:]; json.dump(made, open('fewer.json', 'w'))
made['results'] = []; json.dump(made, open('none.json', 'w'))
made['arguments'] = ['input=random:2:60x50']; json.dump(made, open('arguments.json', 'w'))
open('broken.json', 'w').write('{"results": [')
open('twice.json', 'w').write('{"results": [], "results": []}')
open('deep.json', 'w').write('[' * 100000)
PY

# ---- against an earlier measurement ----
bench 1 --threads=1,2 --against=quick.json; says "slower"; says "before"
bench 0 --threads=1,2 --against=slow.json; says "faster"
bench 0 --threads=1,2 --against=vague.json; says "same"
bench 1 --threads=1,2 --against=different.json; says "other result"
bench 0 --threads=2,1 --schedule= --against=fewer.json; says "not measured before"
bench 1 --threads=1 --against=quick.json --json
python3 - <<'PY' || fail "--against in JSON"
import json
r = json.load(open('out'))['results']
assert all(e['verdict'] == 'slower' and e['ratio'] > 1 and e['before']['median_ms'] > 0 for e in r)
PY
for file in lacking typed none broken twice deep; do
  bench 3 --threads=1 --against=$file.json; complains "[E0845]"
done
bench 2 --threads=1 --against=arguments.json; complains "[E0846]"
bench 3 --threads=1 --against=absent.json; complains "[E0801]"
expect 0 "$hlc" bench blur.hl --pipeline=other a=zero:9 --seconds=0.05 --threads=1
for seconds in -1 nan inf 1s 0x1 ""; do
  expect 2 "$hlc" bench blur.hl --pipeline=other a=zero:9 "--seconds=$seconds"; complains "is not a number of seconds, such as 10 or 0.5"
done
expect 2 "$hlc" bench blur.hl --pipeline=other a=zero:9 --seconds=0 --against=now.json; complains "[E0846]"

# ---- sums of floats in another order, which the pipeline grants or not ----
cat > sums.hl <<'HL'
pipeline sums(a: image<f32, 1>) -> out with reassociation {
    fun total() = { 0.0;  rdom(r = (0, a.width)) in () <- total() + a(r); }
    fun out(i) = total();
}
schedule parts for sums { split(total.s1.r, ro, ri, 8);  rfactor(total.s1.ro, u, part); parallel(part.s1.u); }
HL
expect 0 "$hlc" bench sums.hl a=random:1:1000 out=1 --seconds=0 --threads=1,2; [ "$(grep -c 'other sums' out)" = 2 ] || { fail "other sums"; cat out; }
grep -qE '^parts .*  up to [1-9]\.[0-9]e-0[5-9] off, other sums$' out || { fail "whose sums are others"; cat out; }
expect 0 "$hlc" bench sums.hl a=ramp:100 out=1 --seconds=0 --threads=1,2; grep -q 'other sums' out && { fail "sums that are the same"; cat out; }

# ---- refusals ----
bench 2 --threads=0; complains "[E0822]"
bench 2 --threads=1,; complains "[E0822]"
bench 2 --threads=two; complains "[E0822]"
bench 2 --schedule=wide --schedule=slow; complains "[E0807]"
bench 2 w=9; complains "parameter_too_large"
expect 2 "$hlc" bench blur.hl input=zero:9x9; complains "[E0810]"
expect 2 "$hlc" bench blur.hl input=zero:9x9 a=zero:9 z=zero:9; complains "z"
expect 2 "$hlc" bench blur.hl input=zero:9x9 a=zero:9 --schedule=wide --schedule=slow; complains "[E0807]"
expect 2 "$hlc" bench blur.hl --pipeline=blur --pipeline=absent input=zero:9x9; complains "absent"
expect 2 "$hlc" bench blur.hl --pipeline=blur input=zero:9x9 a=zero:9; complains "a"
expect 2 "$hlc" bench blur.hl --pipeline=blur; complains "[E0810]"
expect 2 "$hlc" bench; complains "[E0823]"

# ---- several pipelines ----
all() { expect 0 "$hlc" bench blur.hl input=random:1:60x50 out=60x50 nan=60x50 a=ramp:90 --seconds=0 --threads=1 "$@"; }
all
[ "$(cut -d' ' -f1 out | tr '\n' ' ')" = "blur the wide inner other the fast " ] || { fail "a table of two pipelines"; cat out; }
[ "$(grep -c '^the empty schedule .* 1\.00' out)" = 2 ] || { fail "the speed of each pipeline is its own"; cat out; }
all --schedule= --schedule=fast --schedule=wide
[ "$(cut -d' ' -f1 out | tr '\n' ' ')" = "blur the wide other the fast " ] || { fail "the schedules that each has"; cat out; }
all --pipeline=other --pipeline=blur --pipeline=other --schedule= --json
python3 -c "
import json
whole = json.load(open('out'))
assert whole['pipeline'] == 'other,blur' and [e['pipeline'] for e in whole['results']] == ['other', 'blur'], whole
whole['results'][0]['hash'] = '0'
json.dump(whole, open('both.json', 'w'))" || fail "the JSON of two pipelines"
expect 1 "$hlc" bench blur.hl input=random:1:60x50 out=60x50 nan=60x50 a=ramp:90 --seconds=0 --threads=1 --pipeline=other --pipeline=blur --schedule= --against=both.json
[ "$(grep -c 'other result' out)" = 1 ] || { fail "against the results of each pipeline"; cat out; }

# ---- several files, with a pipeline of one name ----
sed 's/u8((f(x, y - 1)/u8((f(x, y - 2)/; s/vectorize(out.x, 8)/vectorize(out.x, 16)/' blur.hl > later.hl
printf 'pipeline lone(only: image<u8, 1>, const by = 2, n: i32) -> far { fun far(x) = only(x) / by + u8(n); }\nschedule apart for lone { vectorize(far.x, 16); }\n' > lone.hl
files() { local code=$1; shift; expect "$code" "$hlc" bench blur.hl input=random:1:60x50 later.hl out=60x50 nan=60x50 --seconds=0 --threads=1 "$@"; }
files 0 --schedule= a=ramp:90
[ "$(cut -d' ' -f1 out | tr '\n' ' ')" = "blur.hl blur the other the later.hl blur the other the " ] || { fail "a table of two files"; cat out; }
files 0 a=ramp:90 lone.hl only=zero:50 by=3 n=1 --schedule=fast --schedule=apart
[ "$(cut -d' ' -f1 out | tr '\n' ' ')" = "blur.hl other fast later.hl other fast lone.hl lone apart " ] || { fail "arguments of some files"; cat out; }
files 0 lone.hl only=zero:50 n=1 --schedule=apart --schedule=wide --pipeline=lone --pipeline=blur --json
python3 -c "
import json
whole = json.load(open('out'))
assert whole['file'] == 'blur.hl,later.hl,lone.hl' and whole['pipeline'] == 'lone,blur,blur', whole
assert whole['arguments'] == ['input=random:1:60x50', 'out=60x50', 'nan=60x50', 'only=zero:50', 'n=1'], whole
results = whole['results']
assert [(e['file'], e['pipeline'], e['schedule']) for e in results] == [('lone.hl', 'lone', 'apart'), ('blur.hl', 'blur', 'wide'), ('later.hl', 'blur', 'wide')], results
assert results[1]['hash'] != results[2]['hash'], results
for e in results: e['high_ms'] = e['median_ms'] = 1e9; e['p90_ms'] = 1e10
results[2]['hash'] = '0'
json.dump(whole, open('three.json', 'w'))" || fail "the JSON of several files"
files 1 lone.hl only=zero:50 n=1 --schedule=apart --schedule=wide --pipeline=lone --pipeline=blur --against=three.json
[ "$(grep -c 'other result' out)" = 1 ] && tail -1 out | grep -q 'other result' || { fail "against a file of the same pipeline's name"; cat out; }
files 2 a=ramp:90 only=zero:50; complains "only"
files 2 a=ramp:90 lone.hl only=zero:50; complains "[E0810]"; complains "\`n\`"
files 2 a=ramp:90 --schedule=none; complains "[E0807]"
files 2 --pipeline=none; complains "none"
files 3 a=ramp:90 absent.hl; complains "absent.hl"
printf 'pipeline bad(a: image<u8, 1>) -> b { fun b(x) = a(x) + c; }\n' > bad.hl
files 2 a=ramp:90 bad.hl; complains "bad.hl:1:"; complains "E0201"
printf 'pipeline odd(odd_in: image<u8, 2>) -> v { fun v(x, y) = (odd_in(x, y) + odd_in(x + 1, y)) / 2; }\n' > odd.hl
files 0 odd.hl odd_in=zero:51x50 v=50x50 --pipeline=odd --pipeline=blur --schedule=; complains "odd.hl:1:"; complains "E0430"
files 2 a=ramp:90 odd.hl odd_in=zero:51x50 v=50x50 --deny=all; complains "error[E0430]"

# ---- a program in the text form ----
"$hlc" lower blur.hl --pipeline=other --schedule=fast > other.ir
expect 0 "$hlc" bench other.ir a=ramp:90 --seconds=0 --threads=1; says "the empty schedule"

[ $failures -eq 0 ] && echo "bench measures and compares"
exit $((failures > 0))
