# All-reduces of PyTorch's NCCL: arguments are ranks, bytes of the large one and of the small one, rounds.
import os
import sys

SCRIPT = """
import os, statistics, sys, time
import torch, torch.distributed as dist
rank, ranks, large, small, rounds = (int(word) for word in sys.argv[1:6])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", rank=rank, world_size=ranks)
for name, size, calls in (("large", large, 10), ("small", small, 200)):
    x = torch.zeros(size // 2, dtype=torch.bfloat16, device="cuda")
    times = []
    for _ in range(rounds + 1):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(calls):
            dist.all_reduce(x)
        torch.cuda.synchronize()
        times.append((time.perf_counter() - began) / calls)
    if rank == 0:
        print(f"all_reduce {name} torch\\t{statistics.median(times[1:])}", flush=True)
dist.destroy_process_group()
"""

import socket
import subprocess

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
environment = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
ranks = int(sys.argv[1])
processes = [
    subprocess.Popen([sys.executable, "-c", SCRIPT, str(rank), *sys.argv[1:]], env=environment) for rank in range(ranks)
]
sys.exit(max(process.wait() for process in processes))
