#!/bin/sh
# Runs the packed bench on a machine with a card, and leaves bench.tsv and bench.md in `results` beside this file. Arguments
# go to the program. CUDA's libraries are those of a Python that has PyTorch (PYTHON names it), else whatever the loader finds.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
python=${PYTHON:-python3}
libraries=$("$python" -c '
import glob, sys
print(":".join(folder for path in sys.path if path for folder in sorted(glob.glob(path + "/nvidia/*/lib"))))' 2>/dev/null)
export LD_LIBRARY_PATH="${libraries:+$libraries:}$LD_LIBRARY_PATH"
# What is not among the packed kernels is compiled once, and kept there.
export CANDLE_ROCM_CACHE_DIR="${CANDLE_ROCM_CACHE_DIR:-$here/kernels}"
exec "$here/bench" --python "$python" --out "$here/results" "$@"
