# Times the cases given as JSON on stdin, in the same way as the parent process: batches of calls, synchronized, medians.
import json, statistics, sys, time

cases = json.load(sys.stdin)
import torch
import torch.nn.functional as F

if not torch.cuda.is_available():
    sys.exit("PyTorch has no GPU here")
print(f"PyTorch {torch.__version__}", file=sys.stderr)
torch.set_grad_enabled(False)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "u8": torch.uint8, "u32": torch.int64}


def batch(function, calls):
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        function()
    torch.cuda.synchronize()
    return (time.perf_counter() - start) / calls


def faster(function, *arguments):
    """The function, or what torch.compile makes of it."""
    calls = [lambda: function(*arguments)]
    try:
        compiled = torch.compile(function)
        calls.append(lambda: compiled(*arguments))
        for _ in range(3):
            batch(calls[1], 1)
    except Exception as error:
        print(f"torch.compile: {error}".split("\n")[0], file=sys.stderr)
        return calls[0]
    return min(calls, key=lambda call: min(batch(call, 20) for _ in range(3)))


for case in cases:
    t = TYPES.get(case["dtype"].split("->")[0].split("/")[-1], torch.float32)
    # u: uniform in [-1, 1]; below: integers; half: 0.5 as an operand (on the CPU, so that the kernel takes it as a scalar
    # instead of broadcasting a tensor).
    names = {
        "torch": torch, "F": F, "t": t, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16,
        "u": lambda *dims, dtype=t: torch.empty(dims, device="cuda").uniform_(-1, 1).to(dtype),
        "half": torch.tensor(0.5, dtype=t if t.is_floating_point else torch.float32),
        "faster": faster,
        "below": lambda bound, *dims: torch.randint(bound, dims, device="cuda"),
    }
    try:
        exec(case["setup"], names)
        exec(f"def call():\n    {case['code']}", names)
        function = names["call"]
        for _ in range(3):
            batch(function, 1)
        each = batch(function, 1)
        calls = max(1, min(2000, int(0.004 / each)))
        if calls >= 30:
            calls = max(1, min(2000, int(0.004 / batch(function, 30))))
        times = [batch(function, calls) for _ in range(case["rounds"])]
        print(json.dumps({"case": case["case"], "us": statistics.median(times) * 1e6 / case["calls"]}))
    except Exception as error:
        print(f"{case['name']}: {error}".split("\n")[0], file=sys.stderr)
    names.clear()
