#!/usr/bin/env bash
# Checks `hlc assoc` and `hlc explain --associative`: the operators of the paper on parallel
# associative reductions, updates in all their forms, refusals with their reasons, malformed lines.
# A line of tests/associative/*.t has an operator, ` => ` and the beginning of the answer.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
export ASAN_OPTIONS=detect_leaks=0
cd "$source/tests/associative" || exit 1
folder=$(mktemp -d) && trap 'rm -rf "$folder"' EXIT
failures=0 asked=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }

judge() { # FILE, with these options
  local file=$1; shift
  grep -vE '^(#|$)' "$file" > "$folder/lines"
  sed 's/ => .*//' "$folder/lines" | "$hlc" assoc "$@" > "$folder/answers"
  [ "$(wc -l < "$folder/answers")" -eq "$(wc -l < "$folder/lines")" ] || fail "$file: not one answer for each line"
  while IFS= read -r line && IFS= read -r got <&3; do
    operator=${line%% => *} wanted=${line#* => }
    asked=$((asked + 1))
    case $got in "$wanted"*) ;; *) fail "$operator: $got, not $wanted" ;; esac
  done < "$folder/lines" 3< "$folder/answers"
}
judge operators.t
judge reals.t --reassociation
[ "$asked" -ge 110 ] || fail "only $asked operators were asked"

# Over the reals.
got=$("$hlc" assoc --reassociation 'f32: x + y' 'f64: min(x, y)' 'f32: x - y' | cut -d, -f1 | paste -sd' ')
[ "$got" = "associative over the reals associative over the reals unknown: no operator of the table computes this update" ] || fail "floats: $got"

# Merges without a choice for empty parts.
merge='{x.0 + y.0, (x.1*x.0 + y.1*y.0)/(x.0 + y.0), x.2 + y.2 + (y.1 - x.1)*(y.1 - x.1)*x.0*y.0/(x.0 + y.0)}'
got=$("$hlc" assoc --reassociation "f32: $merge" "f64: ${merge/y.1 - x.1/y.1 - x.0}")
[ "$got" = 'associative over the reals where 0 < x.0, identity {0.0, 0.0, 0.0}, commutative, made of mean_and_variance
unknown: no operator of the table computes elements 0, 1, 2 together' ] || fail "merging: $got"

# Each entry of the table is recognised as it stands, at the types of its section, and the answer
# names it.
types_of() {
  case $1 in
    number) echo i32 u8 ;; machine) echo i16 u64 ;; bool) echo bool ;; any) echo i32 bool ;; float) echo f32 f64 ;;
    'bool, machine' | 'bool, number' | 'bool, any') echo '{bool,i32}' '{bool,u8}' ;;
    'number '* | 'machine '*) echo "${1#* }" ;;
  esac
}
for rules in "$source"/associative/operators/*.rules; do
  while read -r name rest; do
    case $name in '' | '#'*) continue ;; over) types=$(types_of "$rest"); [ -n "$types" ] || fail "no types for the section: over $rest" >&2; continue ;; esac
    for type in $types; do echo "$name $type: ${rest%%->*}"; done
  done < "$rules"
done > "$folder/entries"
cut -d' ' -f2- "$folder/entries" | "$hlc" assoc --reassociation > "$folder/answers" || fail "the entries of the table: exit code $?"
[ "$(wc -l < "$folder/answers")" -eq "$(wc -l < "$folder/entries")" ] || fail "not one answer for each entry"
paste -d'|' "$folder/entries" "$folder/answers" > "$folder/recognised"
awk -F '|' '
  {
    entry = $0; sub(/ .*/, "", entry)
    answer = $0; sub(/.*\|associative/, "associative", answer)
    made = answer; sub(/.*made of /, "", made)
    if (answer !~ /^associative/) print "not recognised: " $0
    else if (made == entry) named[entry]++
    else other[entry] = $0
    asked[entry] = 1
  }
  END { for (entry in asked) if (!named[entry]) print "never named: " other[entry] }' "$folder/recognised" > "$folder/wrong"
[ ! -s "$folder/wrong" ] || fail "entries of the table: $(head -20 "$folder/wrong")"
# No entry was left out: the record of proofs, which the build compares with the table, names each
# entry once.
cut -d' ' -f1 "$source/associative/operators/proofs.txt" | sort > "$folder/proved"
cut -d' ' -f1 "$folder/entries" | sort -u | diff "$folder/proved" - || fail "not all entries of the table were asked"

# A bad line does not stop the others; the exit code is 2.
got=$(printf 'i32: x +\ni32: x + y\nx + y\ni7: x\ni32: {x.0, y.1\ni32: x.1\n' | "$hlc" assoc)
status=$?
[ "$status" -eq 2 ] || fail "malformed lines: exit code $status"
[ "$(grep -c '^error: ' <<< "$got")" -eq 5 ] || fail "malformed lines: $got"
[ "$(sed -n 2p <<< "$got")" = "associative, identity 0, commutative, made of sum" ] || fail "the line after a bad one: $got"

# Answers about updates.
says() {
  local func=$1 wanted=$2 code=$3 file=${4:-updates} pipeline=${5:-}
  got=$("$hlc" explain "$file.hl" ${pipeline:+--pipeline=$pipeline} --associative="$func" 2>&1)
  status=$?
  [ "$status" -eq "$code" ] || fail "$func: exit code $status"
  grep -qF -- "$wanted" <<< "$got" || fail "$func: $got, not $wanted"
}
says parity 'parity.s1: associative, identity 0, commutative, made of sum' 0
says parity 'y.0 is input[r, 0]*input[r, 0]' 0
says nearest 'associative, no identity, not commutative, made of argmin_last(0, 1) and argmin_last(0, 2)' 0
says nearest 'it would commute where of equal values the least place is kept: all elements are y'"'"'s where y.0 < x.0 || y.0 == x.0 && (y.1 < x.1 || y.1 == x.1 && y.2 < x.2)' 0
says pair 'associative, identity {0, 1}, commutative, made of sum(0) and product(1)' 0
says matrix 'associative, identity {1, 0, 0, 1}, not commutative, made of matrix_2x2' 0
says count 'y.0 is select(3 < input[r, 0], 1, 0)' 0
says clamped 'clamped.s1: associative' 0
says bounded 'bounded.s1: associative, identity 0' 0
says unbounded 'unbounded.s1: unknown' 1
says moving 'moving.s1: unknown' 1
says staying 'staying.s1: associative' 0
says later 'later.s1: associative, identity 0, commutative, made of sum' 1
says later 'later.s2: unknown: what it holds is multiplied by 2, so that partial results need the product of these, too: keep it as another element, {f.0*k + .., f.1*k} from {.., 1}' 1
says dot 'dot.s1: associative over the reals, identity 0.0, commutative, made of sum' 0 contracted
says dot 'y.0 is a[r]*b[r]' 0 contracted
says less 'y.0 is -a[r]*b[r]' 0 contracted
says power 'power.s1: unknown' 1 contracted
says lightest 'lightest.s1: associative, identity {255, 0}, commutative, made of count_minima' 0
says lightest 'y.1 is 1' 0
says first_dark 'first_dark.s1: associative, identity {false, 0}, not commutative, made of first_where' 0
says last_dark 'last_dark.s1: associative, identity {false, 0}, not commutative, made of last_where' 0
says brightest 'brightest.s1: associative, identity {0, 0, 0, 0}, not commutative, made of argmax(0, 1)' 0
says saturated 'saturated.s1: associative, identity 0, commutative, made of saturating_sum' 0
says masked 'masked.s1: associative, identity {255, 0, 0}, commutative, made of bit_and(0) and bit_or(1) and bit_xor(2)' 0
says rotations 'made of quaternion_product' 0
says lines 'lines.s1: associative, identity {1, 0}, not commutative, made of affine' 0
says complement 'complement.s1: associative, identity 255, commutative' 0
says welford 'welford.s1: associative over the reals, identity {0.0, 0.0, 0.0}, commutative, made of mean_and_variance' 0 moments
says welford 'y.1 is a[r]' 0 moments
says other 'identity {0.0, inf, 0.0, 0.0}, commutative, made of mean_and_variance(0, 2, 3) and minimum(1)' 0 moments
says counted 'y.0 is select(0.5 < a[r], 1.0, 0.0)' 0 moments
says means 'means.s1: associative over the reals, identity {0.0, 0.0}, commutative, made of mean' 0 moments
says weighted 'weighted.s1: unknown' 1 moments
says wrong 'wrong.s1: unknown' 1 moments
says negative 'negative.s1: unknown' 1 moments
says best 'best.s1: associative, identity {2147483647, 2147483647, 0}, not commutative' 0 written
says hash 'hash.s1: associative, identity {0, 1}, not commutative, made of affine' 0 written
says run 'run.s1: associative, identity {true, 0}, not commutative, made of run_sum' 0 written
says run 'y.1 is select(7 < s[r], 1, 0)' 0 written
says until_zero 'until_zero.s1: associative, identity {false, 0}, not commutative' 0 written
says over 'over.s1: associative over the reals, identity {0.0, 0.0}, not commutative' 0 written
says highest_sum 'made of greatest_prefix' 0 written
says hits 'commutative, made of sum(0) and sum(1) and maximum(2)' 0 written
says bits 'bits.s1: associative, identity 0, commutative, made of bit_or' 0 written
says shifted 'shifted.s1: unknown' 1 written
says longest 'longest.s1: unknown' 1 written
says least 'least.s1: associative, identity {2147483647, 0}, not commutative, made of argmin' 0 natural
says least_place 'made of argmin(0, 1) and argmin(0, 2)' 0 natural
says last_least 'associative, no identity, not commutative, made of argmin_last' 0 natural
says darkest 'y.0 is select(k < a[r], b[r], 255)' 0 natural
says first 'first.s1: associative, identity -1, not commutative' 0 natural
says first 'x.0 becomes select(x.0 == -1, y.0, x.0), y.0 is select(k == a[r], i32(r), -1)' 0 natural
says first 'it would commute where the first place is found as the least one: min(f, select(.., place, k))' 0 natural
says last 'it would commute where the last place is found as the greatest one' 0 natural
says first_point 'associative, identity {-1, 0}, not commutative' 0 natural
says first_or_n 'associative, identity n, not commutative' 0 natural
says first_if 'an iteration may find a value that says so, too: keep a flag beside it' 1 natural
says in_turn 'in_turn.s1: unknown: no operator of the table computes this update' 1 natural
says divisor 'no operator of the table computes this update, and nothing is known of `%` of what the func holds' 1 natural
says occurrence 'occurrence.s1: associative, identity -1, not commutative' 0 natural
says last 'associative, identity -1, not commutative' 0 natural
says last 'x.0 becomes select(y.0 == -1, x.0, y.0), y.0 is select(k == a[r], i32(r), -1)' 0 natural
says last_value 'associative, identity {-1, 0}, not commutative' 0 natural
says any_value 'no value is known that is never set, to say so: keep a flag beside it' 1 natural
says some 'x.0 becomes max(x.0, y.0), y.0 is select(k < a[r], 1, 0)' 0 natural
says counted 'associative, identity 0, commutative' 0 natural
says counted 'x.0 becomes saturating_add(x.0, y.0)' 0 natural
for func in stops stops_after stops_wide stops_cast; do
  says $func 'associative, identity 0, commutative' 0 natural
  says $func 'x.0 becomes saturating_add(x.0, y.0), y.0 is b[r]' 0 natural
done
says stops_by 'x.0 becomes saturating_add(x.0, y.0), y.0 is 3' 0 natural
says stops_below 'x.0 becomes min(x.0 + y.0, 255), y.0 is i32(b[r])' 0 natural
says stops_down 'x.0 becomes max(x.0 + y.0, -99), y.0 is -i32(b[r])' 0 natural
says stops_not 'no operator of the table computes this update' 1 natural
says stops_late 'no operator of the table computes this update' 1 natural
says rise 'x.0 becomes x.0 + y.0, y.0 is max(i32(b[r]) - 7, 0)' 0 natural
says rise_so 'x.0 becomes x.0 + y.0, y.0 is min(i32(b[r]) - 200, 0)' 0 natural
says rise_unsigned 'x.0 becomes x.0 + y.0, y.0 is u32(b[r])' 0 natural
says rise_wraps 'its integers may wrap' 1 natural
says rise_byte 'its integers may wrap' 1 natural
says up_to 'x.0 becomes min(x.0 + y.0, 1000), y.0 is i32(b[r])' 0 natural
says up_to_k 'x.0 becomes min(x.0 + y.0, n)' 0 natural
says down_to 'x.0 becomes max(x.0 + y.0, -1000)' 0 natural
says falling 'what is added up to a limit may be negative' 1 natural
says below 'keep the sum of what is added beside it, {f.0 + v, min(f.1 + v, k)}' 1 natural
says below_kept 'made of greatest_suffix' 0 natural
says second 'identity {2147483647, 2147483647}, commutative, made of two_least' 0 natural
says second_down 'made of two_least' 0 natural
says third 'identity {0, 0, 0}, commutative, made of three_greatest' 0 natural
says fractions 'made of matrix_2x2' 0 natural
says least 'which of several floats is kept depends on the order where one of them is NaN' 1 floats floats
says place 'depends on the order where one of them is NaN or two are zeros, and the pipeline is not `with reassociation`' 1 floats floats
says sum 'sums and products of floats are rounded' 1 floats floats
says last 'identity {false, 0.0}, not commutative, made of last_where' 0 floats floats
says last_place 'identity {-1, 0.0}, not commutative' 0 floats floats
says last_real 'identity {false, 0.0}, not commutative, made of last_where' 0 floats reals
says second_real 'identity {-inf, -inf}, commutative, made of two_greatest' 0 floats reals
says polynomial 'what it holds is multiplied by k,' 1 natural
says polynomial_kept 'made of affine' 0 natural
says turning 'what it holds is multiplied by -1,' 1 natural
says since 'it begins anew where a condition says so, and partial results need to know whether they did' 1 natural
says since_kept 'made of run_sum' 0 natural
says moving_average 'what it holds is multiplied by 0.9,' 1 floats reals
says nesting 'associative, identity {0, 2000000}, not commutative, made of least_prefix' 0 natural
says nesting_far 'its integers may wrap, and only sums that do not are associative here' 1 natural
says richest 'made of greatest_stretch' 0 natural
says run_kept 'partial results need how it begins and ends, too: it is the greatest sum of neighbours' 1 natural
says run_as_sum 'made of greatest_stretch' 0 natural
says richest_pair 'partial results need the sum of all and the greatest from the beginning, too' 1 natural
says how_often 'commutative, made of count_minima' 0 natural
says how_often_greatest 'commutative, made of count_maxima' 0 natural
says least_of_some 'made of least_where' 0 natural
says both_ends 'commutative, made of greatest_prefix(0, 1) and greatest_suffix(0, 2)' 0 natural
says two_types 'two_types.s1: unknown' 1 natural
says a_quotient 'a_quotient.s1: unknown' 1 natural
says scaled 'associative over the reals, identity {-1e+03, 0.0, 0.0}, commutative' 0 softmax softmax
says scaled 'x.2 becomes exp(x.0 - max(x.0, y.0))*x.2 + exp(y.0 - max(x.0, y.0))*y.2, y.2 is v[r]' 0 softmax softmax
says turned 'identity {0.0, -1e+03}, commutative' 0 softmax softmax
says other 'other.s1: unknown' 1 softmax no_softmax
says endless 'endless.s1: unknown' 1 softmax no_softmax
says unscaled 'unscaled.s1: unknown' 1 softmax no_softmax
says elsewhere 'reads the func at another point than the one that it writes' 1

# Mean and variance of stretches and of lanes, merged, against integer sums; scaled sums of
# exponentials against a computation in two passes.  Each output must be 1 (right).
right() { # FILE POINTS ARGUMENTS ..
  local file=$1 points=$2 schedule way i got; shift 2
  ones=$(yes 1 | head -n "$points" | paste -sd' ')
  for schedule in "" factored lanes; do
    for way in "" --interpret=target; do
      "$hlc" run "$file.hl" "--pipeline=$file" --schedule=$schedule $way "$@" "right=$points" \
        -o right.0="$folder/0.npy" -o right.1="$folder/1.npy" -o right.2="$folder/2.npy" || fail "$file: $schedule $way"
      for i in 0 1 2; do
        got=$(tail -c "$points" "$folder/$i.npy" | od -An -v -tu1 "-w$points" | tr -s ' ' | cut -c2-)
        [ "$got" = "$ones" ] || fail "$file, $schedule $way, element $i: $got"
      done
    done
  done
}
right moments_run 20 input=random:3:500x20
right softmax 3 f=random:1:1000 v=random:2:1000
right softmax 2 f=random:1:3 v=random:2:3

[ $failures -eq 0 ] && echo "$asked operators are judged as they should be"
exit $((failures > 0))
