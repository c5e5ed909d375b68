#!/bin/sh
# Runs the packed benchmarks on a machine with several cards and writes parallel.tsv and parallel.md to `results` next to this file.
# Arguments are passed to the program. CUDA's libraries come from a Python with PyTorch (PYTHON names it), or else from the loader's path.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
python=${PYTHON:-python3}
libraries=$("$python" -c '
import glob, sys
print(":".join(folder for path in sys.path if path for folder in sorted(glob.glob(path + "/nvidia/*/lib"))))' 2>/dev/null)
export LD_LIBRARY_PATH="${libraries:+$libraries:}$LD_LIBRARY_PATH"
# Kernels that are not packed are compiled once and kept there.
export CANDLE_ROCM_CACHE_DIR="${CANDLE_ROCM_CACHE_DIR:-$here/kernels}"
export CANDLE_ROCM_PLATFORM="${CANDLE_ROCM_PLATFORM:-nvidia}"
exec "$here/bench" --python "$python" --out "$here/results" "$@"
