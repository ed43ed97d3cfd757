#!/usr/bin/env bash
# Picture files through the command.  Another program (Python, by the formats' definitions) reads
# what hlc writes, and the reverse.  Arguments: source folder, build folder.
set -u
hlc=$(realpath "$2")/hlc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $1"; failures=$((failures + 1)); }
runs() { "$hlc" run "$@" > out 2> err < /dev/null || { fail "$*"; cat err; }; }
# refuses CODE DIAGNOSTIC TEXT arguments of run..
refuses() {
  local code=$1 diagnostic=$2 text=$3
  shift 3
  "$hlc" run "$@" > out 2> err < /dev/null
  local got=$?
  [ $got -eq "$code" ] && grep -qF "[$diagnostic]" err && grep -qF -- "$text" err && [ ! -s out ] && grep -q 'help:' err ||
    { fail "$code, not $got, with $diagnostic and '$text': $*"; cat out err; }
}

cat > files.py <<'PY'
"""Pictures as (type, width, height, channels, values in order channel, x, y), read and written by
the formats' definitions."""
import array, re, struct, zlib

def words(data, code, big):
    made = array.array({1: 'B', 2: 'H', 4: 'I'}[code] if isinstance(code, int) else code, data)
    if big: made.byteswap()
    return list(made)

def read_pnm(b):
    m = re.match(rb'P([4-6])\s+(\d+)\s+(\d+)\s+(?:(\d+)\s)?' if b[1:2] != b'4' else rb'P(4)\s+(\d+)\s+(\d+)\s()', b)
    w, h = int(m[2]), int(m[3])
    rest = b[m.end():]
    if m[1] == b'4':
        row = (w + 7) // 8
        return 'bool', w, h, 1, [1 - (rest[y * row + x // 8] >> (7 - x % 8) & 1) for y in range(h) for x in range(w)]
    n = 2 if int(m[4]) > 255 else 1
    return 'u%d' % (8 * n), w, h, 3 if m[1] == b'6' else 1, words(rest, n, True)

def read_pam(b):
    head, rest = b.split(b'ENDHDR\n', 1)
    f = dict(line.split(b' ', 1) for line in head.split(b'\n')[1:] if line)
    n = 2 if int(f[b'MAXVAL']) > 255 else 1
    return 'u%d' % (8 * n), int(f[b'WIDTH']), int(f[b'HEIGHT']), int(f[b'DEPTH']), words(rest, n, True)

def read_pfm(b):
    kind, size, scale, rest = b.split(b'\n', 3)
    w, h = map(int, size.split())
    c = 3 if kind == b'PF' else 1
    v = words(rest, 'f', float(scale) > 0)
    return 'f32', w, h, c, [s for y in reversed(range(h)) for s in v[y * w * c:(y + 1) * w * c]]

CODES = {'<V2': 'H', '|u1': 'B', '<u2': 'H', '<u4': 'I', '<u8': 'Q', '|i1': 'b', '<i2': 'h', '<i4': 'i', '<i8': 'q', '<f4': 'f', '<f8': 'd', '|b1': 'B'}
NAMES = {'|u1': 'u8', '<u2': 'u16', '<u4': 'u32', '<u8': 'u64', '|i1': 'i8', '<i2': 'i16', '<i4': 'i32', '<i8': 'i64', '<f4': 'f32', '<f8': 'f64', '|b1': 'bool', '<f2': 'f16', '<V2': 'bf16'}

def read_npy(b):
    assert b[:8] == b'\x93NUMPY\1\0'
    n = struct.unpack('<H', b[8:10])[0]
    assert (10 + n) % 64 == 0
    d = eval(b[10:10 + n])
    shape = d['shape'] + (1,) * (3 - len(d['shape']))
    w = words(b[10 + n:], CODES[d['descr']], False) if d['descr'] != '<f2' else [x for x, in struct.iter_unpack('<e', b[10 + n:])]
    if d['descr'] == '<V2':
        w = [struct.unpack('<f', struct.pack('<I', x << 16))[0] for x in w]
    return NAMES[d['descr']], shape[1], shape[0], shape[2], w

def read_png(b):
    at, data = 8, b''
    while at < len(b):
        n, kind = struct.unpack('>I4s', b[at:at + 8])
        body = b[at + 8:at + 8 + n]
        assert zlib.crc32(kind + body) == struct.unpack('>I', b[at + 8 + n:at + 12 + n])[0]
        if kind == b'IHDR': w, h, bits, colour, _, _, interlace = struct.unpack('>IIBBBBB', body)
        if kind == b'IDAT': data += body
        at += 12 + n
    c = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    data, bpp = zlib.decompress(data), c * bits // 8
    row, rows, before = w * bpp, bytearray(), bytearray(w * bpp)
    for y in range(h):
        f, line = data[y * (row + 1)], bytearray(data[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for i in range(row):
            a, u, q = line[i - bpp] if i >= bpp else 0, before[i], before[i - bpp] if i >= bpp else 0
            p = a + u - q
            paeth = min((abs(p - a), 0, a), (abs(p - u), 1, u), (abs(p - q), 2, q))[2]
            line[i] = (line[i] + [0, a, u, (a + u) // 2, paeth][f]) & 255
        rows += line
        before = line
    return 'u%d' % bits, w, h, c, words(bytes(rows), bits // 8, True)

def read_tiff(b):
    assert b[:4] == b'II*\0'
    at = struct.unpack('<I', b[4:8])[0]
    tags = {}
    for i in range(struct.unpack('<H', b[at:at + 2])[0]):
        tag, kind, n, value = struct.unpack('<HHI4s', b[at + 2 + 12 * i:at + 14 + 12 * i])
        size = {3: 'H', 4: 'I', 16: 'Q'}.get(kind)
        if not size: continue
        bytes_ = n * struct.calcsize(size)
        where = struct.unpack('<I', value)[0]
        tags[tag] = struct.unpack('<%d%s' % (n, size), value[:bytes_] if bytes_ <= 4 else b[where:where + bytes_])
    assert tags[259][0] == 8
    data = b''.join(zlib.decompress(b[o:o + n]) for o, n in zip(tags[273], tags[279]))
    kind = {1: 'u', 2: 'i', 3: 'f'}[tags[339][0]] + str(tags[258][0])
    code = {v: CODES.get(k) for k, v in NAMES.items()}[kind]
    return kind, tags[256][0], tags[257][0], tags[277][0], words(data, code, False)

READ = {'pgm': read_pnm, 'ppm': read_pnm, 'pnm': read_pnm, 'pbm': read_pnm, 'pam': read_pam, 'pfm': read_pfm, 'npy': read_npy, 'png': read_png, 'tif': read_tiff}

def read(path):
    return READ[path.rsplit('.', 1)[1]](open(path, 'rb').read())

def write_npy(path, descr, shape, data, fortran=False):
    head = repr({'descr': descr, 'fortran_order': fortran, 'shape': shape})
    head = head.encode() + b' ' * (-(11 + len(head)) % 64) + b'\n'
    open(path, 'wb').write(b'\x93NUMPY\1\0' + struct.pack('<H', len(head)) + head + data)

def write_png(path, w, h, c, bits, data):
    def chunk(kind, body): return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    row = w * c * bits // 8
    lines = b''.join(b'\0' + data[y * row:(y + 1) * row] for y in range(h))
    open(path, 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, bits, [0, 0, 4, 2, 6][c], 0, 0, 0)) + chunk(b'IDAT', zlib.compress(lines)) + chunk(b'IEND', b''))
PY

# ---- each type through each format ----
# A pipeline a type: the output is a known function of x, y and c.
for type in bool u8 u16 u32 i8 i16 i32 f16 bf16 f32 f64; do
  case $type in
    bool) value="(x*7 + y*3 + c) % 3 == 0" ;;
    f* | bf*) value="$type(x*7 + y*3 + c) / 16.0" ;;
    *) value="$type(x*7919 + y*104729 + c*1299709)" ;;
  esac
  for layout in planar interleaved; do
    printf 'pipeline p%s%s(a: image<%s, 3, %s>) -> b { fun b(x, y, c) = a(x, y, c); }\n' $type $layout $type $layout
  done
  printf 'pipeline p%s2(a: image<%s, 2>) -> b { fun b(x, y) = a(x, y); }\n' $type $type
  printf 'pipeline m%s() -> b { fun b(x, y, c) = %s; }\n' $type "$value"
done > types.hl

"$hlc" --tables | sed -n 's/^format //p' > formats
holds() { # the types that FORMAT can hold (no input has 64 bits), and the numbers of channels
  awk -F: -v format="$1" 'index($2, " " format " ") {
    gsub(/ [ui]64|^ | $/, "", $3); print $3 ":" ($4 == "" ? " 1 2 3 4" : $4) }' formats
}
for format in $(awk -F: '$1 != "JPEG" { split($2, endings, " "); print endings[1] }' formats); do
  held=$(holds $format)
  for type in ${held%:*}; do
    for channels in ${held#*:}; do
      case $format-$type in # tests/unit/image.c has the other combinations
        tif-u8 | tif-u16 | npy-u8 | npy-u16) ;;
        tif-* | npy-*) [ "$channels" = 3 ] || continue ;;
      esac
      name=$type-$channels.$format word=
      [ $format = npy ] && word=yxc: # whatever the layout
      runs types.hl --pipeline=m$type b=19x7x$channels -o $word$name
      layout=planar
      [ $((channels % 2)) -eq 1 ] && layout=interleaved
      runs types.hl --pipeline=p$type$layout a=$word$name -o ${word}again-$name
      cmp -s $name again-$name || fail "$name changes when it is read and written ($layout)"
      echo "$name $type $channels" >> made
    done
  done
done
python3 - <<'PY' || fail "what was written is not what another program reads"
import struct
from files import read
count = 0
for line in open('made'):
    name, kind, channels = line.split()
    got, w, h, c, values = read(name)
    assert (got, w, h, c) == (kind, 19, 7, int(channels)), (name, got, w, h, c)
    i = 0
    for y in range(7):
        for x in range(19):
            for ch in range(c):
                v = (x * 7 + y * 3 + ch) % 3 == 0 if kind == 'bool' else (x * 7 + y * 3 + ch) / 16 if 'f' in kind else x * 7919 + y * 104729 + ch * 1299709
                if kind[0] in 'ui':
                    bits = int(kind[1:])
                    v %= 1 << bits
                    if kind[0] == 'i' and v >> (bits - 1): v -= 1 << bits
                assert values[i] == v, (name, x, y, ch, values[i], v)
                i += 1
    assert i == len(values), name
    count += 1
assert count >= 50, count
print(count, 'files agree with another reader')
PY

# ---- axes of arrays ----
cat > axes.hl <<'HL'
pipeline planar(a: image<u8, 3>) -> out { fun out(x, y, z) = a(x, y, z); }
pipeline interleaved(a: image<u8, 3, interleaved>) -> out: interleaved { fun out(x, y, z) = a(x, y, z); }
pipeline many(a: image<u8, 4>) -> out { fun out(x, y, z, t) = a(x, y, z, t); }
pipeline place(a: image<u8, 3>) -> out { fun out(x, y, z) = u8(x) + u8(10)*u8(y) + u8(100)*u8(z) + a(x, y, z)*u8(0); }
HL
python3 - <<'PY'
from files import *
write_npy('axes.npy', '|u1', (6, 7, 8), bytes(i % 251 for i in range(6 * 7 * 8)))
write_npy('four.npy', '|u1', (2, 3, 4, 5), bytes(range(120)))
PY
runs axes.hl --pipeline=planar a=zyx:axes.npy -o zyx:same.npy
for pipeline in planar interleaved; do
  for word in "" xyz: zyx: yxc: yzx:; do # read and written alike, nothing changes
    runs axes.hl --pipeline=$pipeline a=${word}axes.npy -o ${word}again.npy
    cmp -s same.npy again.npy || fail "axes of $pipeline, '$word'"
  done
done
runs axes.hl --pipeline=many a=four.npy -o four_same.npy
runs axes.hl --pipeline=planar a=axes.npy -o yxc:turned.npy
runs axes.hl --pipeline=interleaved a=yxc:axes.npy -o xyz:other.npy
runs axes.hl --pipeline=many a=four.npy -o nyxc:four_turned.npy
runs axes.hl --pipeline=place a=zero:3x4x2 -o place.npy
python3 - <<'PY' || fail "the axes of arrays"
import ast, itertools, math
def load(path):
    data = open(path, 'rb').read()
    length = int.from_bytes(data[8:10], 'little')
    shape = ast.literal_eval(data[10:10 + length].decode())['shape']
    assert math.prod(shape) == len(data) - 10 - length
    return shape, dict(zip(itertools.product(*map(range, shape)), data[10 + length:]))
shape, axes = load('axes.npy')
assert load('same.npy') == (shape, axes) and load('four_same.npy') == load('four.npy')
turned, other = load('turned.npy'), load('other.npy')
assert turned[0] == (7, 8, 6) and other[0] == (7, 6, 8), (turned[0], other[0])
assert all(turned[1][y, x, z] == v and other[1][y, z, x] == v for (z, y, x), v in axes.items())
four, turned = load('four.npy'), load('four_turned.npy')
assert turned[0] == (2, 4, 5, 3)
assert all(turned[1][t, y, x, z] == v for (t, z, y, x), v in four[1].items())
shape, place = load('place.npy')
assert shape == (2, 4, 3) and all(v == x + 10 * y + 100 * z for (z, y, x), v in place.items())
PY
refuses 2 E0829 "names other axes" axes.hl --pipeline=planar a=yx:axes.npy
refuses 2 E0829 "names other axes" axes.hl --pipeline=planar a=yxct:axes.npy
refuses 2 E0826 "names other axes" axes.hl --pipeline=planar a=axes.npy -o yx:again.npy
refuses 2 E0826 "it is no array" axes.hl --pipeline=planar a=zero:4x4x3 -o yxc:again.png
refuses 2 E0835 "no contents named" axes.hl --pipeline=planar a=yyx:axes.npy
refuses 2 E0829 "it is no array" axes.hl --pipeline=planar a=yxc:u8-3.png

# ---- files of another program ----
python3 - <<'PY'
import struct
from files import *
write_png('colour.png', 3, 2, 3, 8, bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9, 100, 150, 201, 255, 255, 255]))
write_png('alpha.png', 2, 1, 4, 16, struct.pack('>8H', 1, 2, 3, 4, 65535, 6, 7, 8))
open('deep.pgm', 'wb').write(b'P5\n# by another\n2 2\n1023\n' + struct.pack('>4H', 0, 1, 512, 1023))
write_npy('columns.npy', '>f4', (2, 3), struct.pack('>6f', 1, 2, 3, 4, 5, 6), True)
write_npy('bytes.npy', '|u1', (2, 2, 3), bytes(range(12)))
PY
cat > take.hl <<'HL'
pipeline grey8(a: image<u8, 2>) -> b { fun b(x, y) = a(x, y); }
pipeline rgb16(a: image<u16, 3>) -> b { fun b(x, y, c) = a(x, y, c); }
pipeline rgb8(a: image<u8, 3>) -> b { fun b(x, y, c) = a(x, y, c); }
pipeline grey16(a: image<u16, 2>) -> b { fun b(x, y) = a(x, y); }
pipeline floats(a: image<f32, 2>) -> b { fun b(x, y) = a(x, y); }
pipeline row(a: image<i64, 1>) -> b { fun b(x) = a(x); }
HL
runs take.hl --pipeline=grey8 a=gray:colour.png -o grey.pgm
runs take.hl --pipeline=rgb16 a=rgb:alpha.png -o opaque.png
runs take.hl --pipeline=rgb16 a=rgba:colour.png -o opaque.pam
runs take.hl --pipeline=rgb8 a=rgb:grey.pgm -o grey.ppm
runs take.hl --pipeline=grey16 a=deep.pgm -o deep.png
runs take.hl --pipeline=floats a=columns.npy -o rows.npy
runs take.hl --pipeline=rgb8 a=yxc:bytes.npy -o bytes.png
runs take.hl --pipeline=row a=ramp:5 -o row.npy
python3 - <<'PY' || fail "files of another program"
from files import read
grey = [76, 150, 29, 9, 141, 255]
assert read('grey.pgm') == ('u8', 3, 2, 1, grey)
assert read('grey.ppm') == ('u8', 3, 2, 3, [g for g in grey for c in range(3)])
assert read('opaque.png') == ('u16', 2, 1, 3, [1, 2, 3, 65535, 6, 7])
assert read('opaque.pam')[3:] == (4, [257 * v for p in ((255, 0, 0), (0, 255, 0), (0, 0, 255), (9, 9, 9), (100, 150, 201), (255, 255, 255)) for v in p + (255,)])
assert read('deep.png') == ('u16', 2, 2, 1, [0, 64, 32800, 65535])
assert read('rows.npy') == ('f32', 3, 2, 1, [1, 3, 5, 2, 4, 6])
assert read('bytes.png') == ('u8', 2, 2, 3, list(range(12)))
assert read('row.npy')[4] == [0, 1, 2, 3, 4] and read('row.npy')[0] == 'i64'
PY
# JPEG, whose values are approximate: a flat picture keeps its colour.
printf 'pipeline flat() -> b { fun b(x, y, c) = u8(40 + 70 * c); }' > flat.hl
runs flat.hl b=64x48x3 -o flat.jpg
runs take.hl --pipeline=rgb8 a=flat.jpg -o flat.ppm
runs take.hl --pipeline=grey8 a=gray:flat.jpg -o flat.jpeg
python3 - <<'PY' || fail "a JPEG file's colours"
from files import read
kind, w, h, c, v = read('flat.ppm')
assert (kind, w, h, c) == ('u8', 64, 48, 3) and all(abs(s - [40, 110, 180][i % 3]) <= 2 for i, s in enumerate(v))
assert open('flat.jpg', 'rb').read()[:3] == b'\xff\xd8\xff'
PY
cat colour.png | "$hlc" run take.hl --pipeline=rgb8 a=/dev/stdin -o piped.png 2> err || fail "a picture through a pipe"
runs take.hl --pipeline=rgb8 a=colour.png -o direct.png; cmp -s piped.png direct.png || fail "what comes through a pipe"

# ---- samples that the file's format clamps ----
cat > bright.hl <<'HL'
pipeline bright(k: f32) -> (b, c) {
    fun b(x, y) = f32(x) * k;
    fun c(x, y) = f64(x) / f64(y);
}
HL
clamps() { # TEXT ARGUMENT..; "": nothing is said
  local text=$1
  shift
  "$hlc" run bright.hl b=4x2 c=4x2 "$@" 2> err || fail "a bright picture: $(cat err)"
  if [ -n "$text" ]; then grep -qF "$text" err; else [ ! -s err ]; fi || fail "clamped samples, $*: $(cat err)"
}
clamps '2 of 8 samples of output `b` lie outside of [0, 1], and are clamped in b.png' k=0.5 -o b=b.png
clamps '6 of 8 samples of output `b`' k=-0.5 -o b=b.jpg
clamps '5 of 8 samples of output `c` are greater than 1' k=1 -o c=c.pgm
clamps "" k=0.25 -o b=b.png
clamps "" k=10 -o b=b.npy -o c=c.tif

# ---- refusals, each with its remedy ----
refuses 2 E0829 "write gray: before the path" take.hl --pipeline=grey8 a=colour.png
refuses 2 E0829 "declare it image<f32, 2>" take.hl --pipeline=grey8 a=columns.npy
refuses 2 E0829 "declare image<u8, 3>" take.hl --pipeline=row a=colour.png
refuses 2 E0826 "does not hold 2 channels" flat.hl b=4x4x2 -o x.jpg
refuses 2 E0826 "it holds u8 only" types.hl --pipeline=mu16 b=4x4x3 -o x.jpg
refuses 2 E0826 "a PBM file does not hold u8" flat.hl b=4x4x1 -o x.pbm
refuses 2 E0826 "4 channels" flat.hl b=4x4x4 -o x.ppm
refuses 2 E0828 ".npy" flat.hl b=4x4x3 -o x.bmp
refuses 3 E0841 "more bytes follow" take.hl --pipeline=grey8 a=<(cat grey.pgm grey.pgm)
refuses 3 E0825 "PGM file: it ends too early" take.hl --pipeline=grey8 a=<(head -c 15 grey.pgm)
refuses 3 E0840 "read are PNG" take.hl --pipeline=grey8 a=take.hl
touch empty.png
refuses 3 E0840 "empty" take.hl --pipeline=grey8 a=empty.png
# What may never end is not waited for.
mkfifo fifo.png
for endless in fifo.png /dev/zero /dev/null; do
  timeout 20 "$hlc" run take.hl --pipeline=grey8 a=$endless 2> err < /dev/null
  [ $? -eq 3 ] && grep -q 'E0801.*never end' err || fail "$endless is waited for: $(cat err)"
done
"$hlc" run take.hl --pipeline=grey8 a=. 2> err; [ $? -eq 3 ] && grep -q 'E0801.*directory' err || fail "a folder is no picture"
python3 - <<'PY'
import struct, zlib
body = struct.pack('>IIBBBBB', 60000, 60000, 8, 2, 0, 0, 0)
idat = zlib.compress(bytes(1000))
chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
open('bomb.png', 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', body) + chunk(b'IDAT', idat) + chunk(b'IEND', b''))
PY
refuses 3 E0842 "more pixels than a file of its length" take.hl --pipeline=rgb8 a=bomb.png
python3 - <<'PY'
import struct, zlib
chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
def png(name, w, h):
    pack = zlib.compressobj(9)
    idat = b''.join(pack.compress(bytes(w + 1)) for y in range(h)) + pack.flush()
    open(name, 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 0, 0, 0, 0)) + chunk(b'IDAT', idat) + chunk(b'IEND', b''))
png('long.png', 1, 2000000)
png('wide.png', 2000000, 1)
png('deep.png', 3000, 1500)
PY
for name in long wide; do
  runs take.hl --pipeline=grey8 a=$name.png -o $name.out.png
  runs take.hl --pipeline=grey8 a=$name.out.png -o $name.out.npy
done
# The samples have a limit, as stored and as the input takes them.
refuses 3 E0842 "4 MB that are allowed" take.hl --pipeline=grey8 a=deep.png --picture-limit=4
refuses 3 E0842 "--picture-limit" take.hl --pipeline=floats a=deep.png --picture-limit=8
runs take.hl --pipeline=floats a=deep.png --picture-limit=18
runs take.hl --pipeline=floats a=deep.png --picture-limit=0
# A number is no image.
printf '\x93NUMPY\1\0\x3e\0%-61s\n\7' "{'descr': '|u1', 'fortran_order': False, 'shape': ()}" > number.npy
refuses 2 E0829 "declare a parameter of u8" take.hl --pipeline=grey8 a=number.npy

# All outputs are written, or none.
cat > two.hl <<'HL'
pipeline two(a: image<u8, 2>) -> (one, other) { fun one(x, y) = a(x, y); fun other(x, y) = a(x, y) + 1; }
HL
runs two.hl a=ramp:8x8 -o one=y.png -o other=z.png
[ -s y.png ] && [ -s z.png ] || fail "two outputs"
rm y.png z.png
for path in no/z.png z.pbm /dev/full; do
  "$hlc" run two.hl a=ramp:8x8 -o one=y.png -o other=$path > out 2> err && fail "$path is written"
  [ ! -e y.png ] || { fail "the first output is written, though $path cannot be"; rm y.png; }
done

[ -z "$(ls | grep '^[xyz]\.')" ] || fail "a refused run left a file"

[ $failures -eq 0 ] && echo "pictures go in and out"
exit $((failures > 0))
