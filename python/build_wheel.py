"""Makes the wheel of the package `hlc` (PEP 517), with the standard library alone: `pip install` needs no network.

The wheel holds libhlc.so, if it is found: the file that the environment variable HLC_LIBRARY names, or the one of the
build folder `../build`. Such a wheel is for this machine's kind. Without the library the wheel is for any machine that
has hlc installed.
"""

import base64
import hashlib
import os
import pathlib
import re
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ABI = re.search(r'^ABI = "(.*)"', (HERE / "hlc" / "_native.py").read_text(), re.M).group(1)


def library():
    given = os.environ.get("HLC_LIBRARY")
    path = pathlib.Path(given) if given else HERE.parent / "build" / "shared" / f"libhlc.so.{ABI}"
    if given and not path.is_file():
        raise SystemExit(f"hlc: HLC_LIBRARY names {given}, which is no file")
    return path if path.is_file() else None


def get_requires_for_build_wheel(config_settings=None):
    return []


def metadata(version):
    return (f"Metadata-Version: 2.1\nName: hlc\nVersion: {version}\nSummary: Array pipelines, compiled: numpy in, numpy "
            "out\nLicense: see LICENSE\nRequires-Python: >=3.9\nRequires-Dist: numpy\nProvides-Extra: dask\n"
            'Requires-Dist: dask[array]; extra == "dask"\nRequires-Dist: distributed; extra == "dask"\n'
            'Requires-Dist: zarr; extra == "dask"\n')


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    found = library()
    version = re.search(r"project\(hlc VERSION ([\d.]+)", (HERE.parent / "CMakeLists.txt").read_text()).group(1)
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform()) if found else "any"
    tag = f"py3-none-{platform}"
    info = f"hlc-{version}.dist-info"
    package = (path for path in sorted((HERE / "hlc").rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    files = {str(path.relative_to(HERE)): path.read_bytes() for path in package}
    if found:
        files[f"hlc/libhlc.so.{ABI}"] = found.read_bytes()
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nhlc-dask = hlc.dask.command:main\n"
    files[f"{info}/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: hlc\nRoot-Is-Purelib: {'false' if found else 'true'}\n"
                              f"Tag: {tag}\n").encode()
    name = f"hlc-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as wheel:
        for path, data in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
            wheel.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD"), "\n".join([*record, f"{info}/RECORD,,"]) + "\n")
    return name
