#!/usr/bin/env python3
"""Times the packages of the library: each pipeline of tests/packages under the empty schedule and under `fast`, with one
thread.  Prints the table of docs/library.md.

    bench/packages.py SOURCE BUILD
"""
import json, os, subprocess, sys

PICTURE = 'input=random:1:640x480'
RUNS = [
    ('pyramid', 'down', 'k=0', PICTURE, '320x240'),
    ('pyramid', 'up', 'k=0', 'input=random:1:320x240x3', '640x480x3'),
    ('blur', 'box', 'r=10', PICTURE, '640x480'),
    ('blur', 'gaussian', 'r=6 sigma=2', PICTURE + 'x1', '640x480x1'),
    ('sort', 'median', 'r=1', PICTURE, '640x480'),
    ('sort', 'median', 'r=2', PICTURE, '640x480'),
    ('fft', 'fft', 'L=10', 'input=random:1:64x1024x2', '64x1024x2'),
    ('resize', 'nearest', 'p=3 q=2', PICTURE, '426x320'),
    ('resize', 'cubic', 'p=3 q=2', PICTURE + 'x1', '426x320x1'),
    ('resize', 'lanczos', 'p=1 q=2', 'input=random:1:320x240', '640x480'),
    ('integral', 'integral', '', PICTURE, '641x481'),
    ('integral', 'mean', 'r=20', PICTURE, '640x480'),
    ('histogram', 'histogram', '', 'input=random:1:1920x1080', '256'),
    ('histogram', 'equalize', '', PICTURE, '640x480'),
    ('morphology', 'erode', 'r=7', PICTURE, '640x480'),
    ('morphology', 'closed', 'r=7', PICTURE, '640x480'),
    ('color', 'convert', 'k=0', PICTURE + 'x3', '640x480x3'),
    ('color', 'convert', 'k=6', PICTURE + 'x3', '640x480x3'),
    ('conv', 'layer', 'side=3', 'input=random:1:64x64x16 w=random:2:3x3x16x16 b=random:3:16', '64x64x16'),
    ('conv', 'pool', 'size=2', 'input=random:1:128x128x16x1', '64x64x16x1'),
    ('math', 'functions', 'k=1', 'input=random:1:100000', '100000x7'),
    ('matrix', 'product', '', 'a=random:1:256x256 b=random:2:256x256', '256x256'),
    ('bilateral', 'smooth', '', 'input=random:1:320x240', '320x240'),
    ('random', 'bits', 'seed=7', '', '640x480'),
    ('random', 'normal', 'seed=7', '', '640x480'),
    ('scan', 'rows', '', PICTURE, '640x480'),
    ('scan', 'columns', '', PICTURE, '640x480'),
    ('distance', 'city', '', 'input=random:1:320x240', '320x240'),
    ('distance', 'square', '', 'input=random:1:320x240', '320x240'),
]


def main(source, build):
    print('| package | pipeline | result | empty schedule, ms | `fast`, ms | times faster |')
    print('| --- | --- | --- | --- | --- | --- |')
    slower = 0
    for package, pipeline, arguments, inputs, window in RUNS:
        command = [os.path.join(build, 'hlc'), 'bench', os.path.join(source, 'tests/packages', package + '.hl'), '--json',
                   '--threads=1', '--seconds=4', '--pipeline=' + pipeline, '--schedule=', '--schedule=fast']
        command += arguments.split() + inputs.split() + ['out=' + window]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        empty, fast = (result['p10_ms'] for result in json.loads(done.stdout)['results'])
        print('| %s | %s | %s | %.3g | %.3g | %.3g |' % (package, (pipeline + ' ' + arguments).strip(), window, empty, fast, empty / fast))
        slower += fast > empty
    return slower == 0


if __name__ == '__main__':
    sys.exit(0 if main(*sys.argv[1:]) else 1)
