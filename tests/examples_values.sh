#!/usr/bin/env bash
# The examples made with the compile-time layer, against oracles in Python: a median is a sort, an FFT is a
# DFT, a network and a blend are their formulas with loops over arrays. Skipped without NumPy.
# Arguments: source folder, build folder.
set -u
source=$(cd "$1" && pwd) hlc=$(cd "$2" && pwd)/hlc
for python in python3 /usr/bin/python3 none; do
  "$python" -c 'import numpy' 2> /dev/null && break
done
[ "$python" != none ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat > oracle.py <<'PY'
import subprocess
import sys

import numpy as np

hlc, examples = sys.argv[1], sys.argv[2]
random = np.random.default_rng(5)
failures = 0


WORDS = ('', 'x:', 'yx:', 'yxc:', 'nyxc:')  # the axes of files, whatever the layout


def run(name, schedule, arguments, size):
    words = []
    for key, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(key + '.npy', value)
            value = WORDS[value.ndim] + key + '.npy'
        words.append(f'{key}={value}')
    command = [hlc, 'run', f'{examples}/{name}.hl', f'--schedule={schedule}', *words, f'out={size}', '-o', WORDS[1 + size.count('x')] + 'out.npy']
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return np.load('out.npy')


def expect(name, got, wanted, tolerance):
    global failures
    error = np.max(np.abs(got.astype(np.float64) - wanted)) if got.shape == wanted.shape else f'shape {got.shape}'
    good = got.shape == wanted.shape and error <= tolerance
    print(f'{"" if good else "FAILED: "}{name}: {error}')
    failures += not good


# Pictures are (rows, columns, channels).
picture = random.integers(0, 256, (37, 70), np.uint8)
for r in 1, 2, 3:
    padded = np.pad(picture, r, 'edge')
    near = [padded[j:j + 37, i:i + 70] for j in range(2*r + 1) for i in range(2*r + 1)]
    expect(f'median r={r}', run('median', 'fast', {'input': picture, 'r': r}, '70x37'), np.median(near, axis=0), 0)

for L in 3, 6, 10:
    n = 1 << L
    signals = random.standard_normal((2, n, 16)).astype(np.float32)  # (c, i, b)
    wanted = np.fft.fft(signals[0] + 1j * signals[1], axis=0)
    for schedule in 'radix2', 'radix4':
        got = run('fft', schedule, {'input': np.moveaxis(signals, 0, 2), 'L': L}, f'16x{n}x2')
        expect(f'fft L={L} {schedule}', np.stack([got[..., 0], got[..., 1]]),
               np.stack([wanted.real, wanted.imag]), 1e-5 * n)


def down(f):
    """Weights 1 2 1 at even places; what lies outside is what the caller padded."""
    x = (f[:, 1:-2:2] + 2 * f[:, 2:-1:2] + f[:, 3::2]) / 4
    return (x[1:-2:2] + 2 * x[2:-1:2] + x[3::2]) / 4


def up(f):
    """Places 2k and 2k + 1: f(k), and the mean of f(k) and f(k + 1)."""
    def double(g):
        result = np.empty((2 * len(g) - 1, *g.shape[1:]))
        result[::2], result[1::2] = g, (g[:-1] + g[1:]) / 2
        return result
    return np.swapaxes(double(np.swapaxes(double(f), 0, 1)), 0, 1)


def blend(first, second, mask, levels):
    """On pictures padded by 2^levels * 4, a multiple of 2^levels; level k begins at -edge/2^k."""
    edge = 4 << levels
    pad = [(edge, edge + 1)] * 2
    planes = [[np.pad(p.astype(np.float64), pad + [(0, 0)] * (p.ndim - 2), 'edge')] for p in (first, second, mask[..., None] / 255)]
    for pyramid in planes:
        for _ in range(levels):
            f = pyramid[-1]
            padded = np.pad(f, [(2, 3), (2, 3), (0, 0)], 'edge')
            pyramid.append(down(padded)[:(f.shape[0] + 1) // 2, :(f.shape[1] + 1) // 2])
    a, b, m = planes
    mixed = a[levels] + (b[levels] - a[levels]) * m[levels]
    for k in range(levels - 1, -1, -1):
        h, w = a[k].shape[:2]
        la, lb, lm = (up(np.pad(p, [(0, 1), (0, 1), (0, 0)], 'edge'))[:h, :w] for p in (a[k + 1], b[k + 1], mixed))
        mixed = (a[k] - la) + ((b[k] - lb) - (a[k] - la)) * m[k] + lm
    return mixed[edge:edge + first.shape[0], edge:edge + first.shape[1]]


first, second = (random.integers(0, 256, (48, 64, 3), np.uint8) for _ in range(2))
mask = random.integers(0, 256, (48, 64), np.uint8)
for levels in 1, 2, 3:
    got = run('pyramid_blend', 'fast', {'first': first, 'second': second, 'mask': mask, 'levels': levels}, '64x48x3')
    expect(f'pyramid_blend levels={levels}', got, np.clip(np.floor(blend(first, second, mask, levels) + 0.5), 0, 255), 1)


def network(picture, weights, bias, layers):
    """`edge` pixels around the picture are what a layer reads beyond it."""
    edge = 4 << layers
    f = np.pad(picture.astype(np.float64), [(edge, edge)] * 2 + [(0, 0)], 'edge')
    for k in range(layers):
        padded = np.pad(f, [(1, 1), (1, 1), (0, 0)], 'edge')
        h, w, inputs = f.shape
        total = np.zeros((h, w, weights.shape[2])) + bias[k]
        for dy in range(3):
            for dx in range(3):
                total += padded[dy:dy + h, dx:dx + w] @ weights[k, :inputs, :, dx + 3*dy]
        f = np.maximum(total.reshape(h // 2, 2, w // 2, 2, -1).max(axis=(1, 3)), 0)
    edge >>= layers
    return f[edge:-edge, edge:-edge]


for layers, channels in (1, 8), (3, 16):
    picture = random.standard_normal((24, 40, 3)).astype(np.float32)
    weights = random.standard_normal((layers, channels, channels, 9)).astype(np.float32)  # (layer, input, output, tap)
    bias = random.standard_normal((layers, channels)).astype(np.float32)
    arguments = {'input': picture, 'weights': weights, 'bias': bias, 'layers': layers, 'channels': channels}
    wanted = network(picture, weights, bias, layers)
    got = run('convnet', 'fast', arguments, f'{40 >> layers}x{24 >> layers}x{channels}')
    expect(f'convnet layers={layers}', got, wanted, 1e-4 * np.max(np.abs(wanted)))
sys.exit(failures > 0)
PY
"$python" oracle.py "$hlc" "$source/examples"
