#!/usr/bin/env python3
"""Trains the demo's language model and writes it as GGUF (Q8_0): tokenizer, training and file format in one file.

    python3 corpus.py corpus.txt
    python3 train.py --corpus corpus.txt --out .

Needs PyTorch and NumPy, and a few minutes on a data center GPU. The architecture is llama's (RMSNorm, rotary embeddings of adjacent
pairs, grouped-query attention, SwiGLU, tied embeddings), so that unmodified llama code can run it.
"""
import argparse, hashlib, json, math, re, struct, time
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

VOCAB, DIM, LAYERS, HEADS, KV_HEADS, FFN, CONTEXT = 2048, 256, 5, 4, 2, 512, 512
HEAD_DIM, EPS, ROPE_BASE = DIM // HEADS, 1e-5, 10000.0
END = "<|endoftext|>"  # token 0: starts every text and ends every document


# --- Tokenizer: byte-level BPE. Text is first split like Qwen2's tokenizers do ("tokenizer.ggml.pre" = "qwen2"); the corpus is ASCII.

SPLIT = re.compile(r"'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_characters():
    """GPT-2's printable substitute for each byte."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {b: chr(b) for b in visible}
    for b in range(256):
        table.setdefault(b, chr(256 + len(table) - len(visible)))
    return [table[b] for b in range(256)]


BYTES = byte_characters()


def merge(word, pair, joined):
    out, i = [], 0
    while i < len(word):
        if word[i : i + 2] == pair:
            out.append(joined)
            i += 2
        else:
            out.append(word[i])
            i += 1
    return tuple(out)


def train_tokenizer(text):
    """The merges, most frequent pair first (ties: alphabetical order)."""
    counts = Counter(SPLIT.findall(text))
    words = [tuple(BYTES[b] for b in w.encode()) for w in counts]
    frequency = list(counts.values())
    pairs, where = Counter(), defaultdict(set)
    for i, word in enumerate(words):
        for pair in zip(word, word[1:]):
            pairs[pair] += frequency[i]
            where[pair].add(i)
    merges = []
    while len(merges) < VOCAB - 1 - 256:
        best = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(best)
        for i in where.pop(best):
            for pair in zip(words[i], words[i][1:]):
                pairs[pair] -= frequency[i]
            words[i] = merge(words[i], best, best[0] + best[1])
            for pair in zip(words[i], words[i][1:]):
                pairs[pair] += frequency[i]
                where[pair].add(i)
        del pairs[best]
    return merges


class Tokenizer:
    def __init__(self, merges):
        self.merges = merges
        self.rank = {pair: i for i, pair in enumerate(merges)}
        self.tokens = [END, *BYTES, *(a + b for a, b in merges)]
        self.id = {t: i for i, t in enumerate(self.tokens)}
        self.cache = {}
        assert len(self.id) == VOCAB

    def word(self, word):
        if word not in self.cache:
            parts = tuple(BYTES[b] for b in word.encode())
            while len(parts) > 1:
                pair = min(zip(parts, parts[1:]), key=lambda p: self.rank.get(p, math.inf))
                if pair not in self.rank:
                    break
                parts = merge(parts, pair, pair[0] + pair[1])
            self.cache[word] = [self.id[p] for p in parts]
        return self.cache[word]

    def encode(self, text):
        return [i for w in SPLIT.findall(text) for i in self.word(w)]

    def decode(self, ids):
        value = {c: b for b, c in enumerate(BYTES)}
        return bytes(value[c] for i in ids if i for c in self.tokens[i]).decode(errors="replace")


# --- Model. Parameters have their GGUF names.


def rotate(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Llama(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = dropout
        kv = KV_HEADS * HEAD_DIM
        shapes = {"token_embd": (VOCAB, DIM), "output_norm": (DIM,)}
        for i in range(LAYERS):
            shapes |= {
                f"blk.{i}.attn_norm": (DIM,), f"blk.{i}.ffn_norm": (DIM,),
                f"blk.{i}.attn_q": (DIM, DIM), f"blk.{i}.attn_k": (kv, DIM), f"blk.{i}.attn_v": (kv, DIM), f"blk.{i}.attn_output": (DIM, DIM),
                f"blk.{i}.ffn_gate": (FFN, DIM), f"blk.{i}.ffn_up": (FFN, DIM), f"blk.{i}.ffn_down": (DIM, FFN),
            }
        self.names = list(shapes)
        self.weights = nn.ParameterList()
        for name, shape in shapes.items():
            if len(shape) == 1:
                self.weights.append(torch.ones(shape))
            else:
                residual = name.endswith(("attn_output", "ffn_down"))
                self.weights.append(torch.randn(shape) * 0.02 * (3 if name != "token_embd" else 1) / (math.sqrt(2 * LAYERS) if residual else 1))
        angles = torch.outer(torch.arange(CONTEXT).float(), ROPE_BASE ** (-torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def named(self):
        return {f"{n}.weight": w for n, w in zip(self.names, self.weights)}

    def forward(self, ids):
        w, (batch, length) = dict(zip(self.names, self.weights)), ids.shape
        cos, sin = self.cos[:length], self.sin[:length]
        drop = lambda t: F.dropout(t, self.dropout, self.training)
        norm = lambda t, name: F.rms_norm(t, (DIM,), w[name], EPS)
        heads = lambda t: t.view(batch, length, -1, HEAD_DIM).transpose(1, 2)
        x = drop(F.embedding(ids, w["token_embd"]))
        for i in range(LAYERS):
            b = f"blk.{i}."
            h = norm(x, b + "attn_norm")
            q, k, v = (heads(F.linear(h, w[b + n])) for n in ("attn_q", "attn_k", "attn_v"))
            q, k = rotate(q, cos, sin).to(v.dtype), rotate(k, cos, sin).to(v.dtype)
            k, v = (t.repeat_interleave(HEADS // KV_HEADS, 1) for t in (k, v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + drop(F.linear(y.transpose(1, 2).reshape(batch, length, DIM), w[b + "attn_output"]))
            h = norm(x, b + "ffn_norm")
            h = F.silu(F.linear(h, w[b + "ffn_gate"])) * F.linear(h, w[b + "ffn_up"])
            x = x + drop(F.linear(h, w[b + "ffn_down"]))
        return F.linear(norm(x, "output_norm"), w["token_embd"])


# --- GGUF


def q8_0(values):
    """Blocks of 32: an f16 scale, then 32 signed bytes."""
    blocks = values.astype(np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(1) / 127
    inverse = np.divide(1, scale, out=np.zeros_like(scale), where=scale > 0)
    quants = np.rint(blocks * inverse[:, None]).astype(np.int8)
    packed = np.concatenate([scale.astype("<f2").view(np.uint8).reshape(-1, 2), quants.view(np.uint8)], 1)
    return packed.tobytes(), (scale.astype(np.float16).astype(np.float32)[:, None] * quants).reshape(values.shape)


def write_gguf(path, model, tokenizer, quantized):
    """Writes version 3 of the format, little-endian."""
    string = lambda s: struct.pack("<Q", len(s.encode())) + s.encode()
    u32, f32, boolean = (lambda v: (4, struct.pack("<I", v))), (lambda v: (6, struct.pack("<f", v))), (lambda v: (7, struct.pack("<?", v)))
    text = lambda s: (8, string(s))
    array = lambda kind, items: (9, struct.pack("<IQ", kind, len(items)) + b"".join(items))
    metadata = {
        "general.architecture": text("llama"), "general.name": text("tiny-docs"), "general.license": text("MIT OR Apache-2.0"),
        "general.description": text("Writes prose in the manner of Rust's documentation"),
        "general.quantization_version": u32(2), "general.file_type": u32(7 if quantized else 1),
        "llama.context_length": u32(CONTEXT), "llama.embedding_length": u32(DIM), "llama.block_count": u32(LAYERS),
        "llama.feed_forward_length": u32(FFN), "llama.vocab_size": u32(VOCAB), "llama.attention.head_count": u32(HEADS),
        "llama.attention.head_count_kv": u32(KV_HEADS), "llama.attention.layer_norm_rms_epsilon": f32(EPS),
        "llama.rope.dimension_count": u32(HEAD_DIM), "llama.rope.freq_base": f32(ROPE_BASE),
        "tokenizer.ggml.model": text("gpt2"), "tokenizer.ggml.pre": text("qwen2"),
        "tokenizer.ggml.tokens": array(8, [string(t) for t in tokenizer.tokens]),
        "tokenizer.ggml.token_type": array(5, [struct.pack("<i", 3 if t == END else 1) for t in tokenizer.tokens]),
        "tokenizer.ggml.merges": array(8, [string(f"{a} {b}") for a, b in tokenizer.merges]),
        "tokenizer.ggml.bos_token_id": u32(0), "tokenizer.ggml.eos_token_id": u32(0), "tokenizer.ggml.add_bos_token": boolean(True),
    }
    infos, data = b"", b""
    for name, weight in model.named().items():
        values = weight.detach().float().cpu().numpy()
        if values.ndim == 1:
            kind, packed = 0, values.astype("<f4").tobytes()
        elif quantized:
            kind, packed = 8, q8_0(values)[0]
        else:
            kind, packed = 1, values.astype("<f2").tobytes()
        infos += string(name) + struct.pack("<I", values.ndim) + b"".join(struct.pack("<Q", d) for d in reversed(values.shape)) + struct.pack("<IQ", kind, len(data))
        data += packed + b"\0" * (-len(packed) % 32)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(model.names), len(metadata))
    head += b"".join(string(k) + struct.pack("<I", kind) + value for k, (kind, value) in metadata.items()) + infos
    Path(path).write_bytes(head + b"\0" * (-len(head) % 32) + data)


# --- Training


@torch.no_grad()
def generate(model, tokenizer, prompt, count, temperature, device):
    model.eval()
    ids = [0] + tokenizer.encode(prompt)
    random = torch.Generator(device).manual_seed(1)
    for _ in range(count):
        logits = model(torch.tensor([ids[-CONTEXT:]], device=device))[0, -1].float()
        logits[0] = -math.inf
        ids.append(int(logits.argmax() if temperature == 0 else torch.multinomial(F.softmax(logits / temperature, 0), 1, generator=random)))
    return tokenizer.decode(ids)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", type=Path, default="corpus.txt")
    parser.add_argument("--out", type=Path, default=".")
    parser.add_argument("--steps", type=int, default=3500)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--dropout", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=6.0, help="the schedule is shortened to end by then")
    args = parser.parse_args()
    started = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    torch.set_float32_matmul_precision("high")

    corpus = args.corpus.read_text()
    documents = corpus.split("\f\n")
    tokenizer = Tokenizer(train_tokenizer(corpus))
    streams = {"train": [], "held out": []}
    starts = {"train": [], "held out": []}
    for i, document in enumerate(documents):
        part = "held out" if i % 50 == 7 else "train"
        stream = streams[part]
        paragraphs = re.split(r"(?<=\n\n)", document.rstrip("\n"))
        for paragraph in paragraphs:
            starts[part].append(len(stream))
            stream += tokenizer.encode(paragraph)
        stream.append(0)
    tokens, beginnings = {}, {}
    for part, stream in streams.items():
        tokens[part] = torch.tensor(stream, dtype=torch.int64, device=device)
        beginnings[part] = torch.tensor([s for s in starts[part] if s + CONTEXT <= len(stream)], device=device)
    held_out_bytes = len(tokenizer.decode(streams["held out"]).encode()) / len(streams["held out"])
    print(f"{len(corpus)} bytes, {len(streams['train'])} tokens to train on, {len(streams['held out'])} held out, "
          f"{held_out_bytes:.2f} bytes per token; {time.time() - started:.0f} s; on {device}", flush=True)

    # A text starts with END, at a paragraph: windows are END followed by the next tokens.
    def window(part, first):
        follow = tokens[part][first[:, None] + torch.arange(CONTEXT, device=device)]
        return torch.cat((torch.zeros_like(follow[:, :1]), follow[:, :-1]), 1), follow

    model = Llama(args.dropout).to(device)
    parameters = sum(p.numel() for p in model.parameters())
    print(f"{parameters} parameters", flush=True)
    matrices, vectors = [p for p in model.parameters() if p.ndim > 1], [p for p in model.parameters() if p.ndim == 1]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0}],
                                  lr=args.lr, betas=(0.9, 0.95), fused=device == "cuda")
    loss_of = lambda ids, targets: F.cross_entropy(model(ids).flatten(0, 1).float(), targets.flatten())
    half = lambda: torch.autocast(device, torch.bfloat16, enabled=device == "cuda")

    @torch.no_grad()
    def held_out(mixed=True):
        model.eval()
        first, losses = beginnings["held out"], []
        for chunk in first[:: max(1, len(first) // 256)].split(64):
            with torch.autocast(device, torch.bfloat16, enabled=mixed and device == "cuda"):
                losses.append(loss_of(*window("held out", chunk)).item())
        return sum(losses) / len(losses)

    best, best_weights, best_step, recent, begun = math.inf, None, 0, [], time.time()
    history, done = [], False
    step = 0
    while not done:
        progress = max(step / args.steps, (time.time() - begun) / (60 * args.minutes))
        rate = args.lr * min(1, (step + 1) / 200) * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * min(1, progress))))
        for group in optimizer.param_groups:
            group["lr"] = rate
        model.train()
        chosen = beginnings["train"][torch.randint(len(beginnings["train"]), (args.batch,), device=device)]
        with half():
            loss = loss_of(*window("train", chosen))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        recent.append(loss.detach())
        step += 1
        done = progress >= 1 or step >= args.steps
        if step % 250 == 0 or done:
            train, recent = torch.stack(recent).mean().item(), []
            held = held_out()
            if held < best:
                best, best_step, best_weights = held, step, {k: v.detach().clone() for k, v in model.state_dict().items()}
            history.append((step, round(train, 4), round(held, 4)))
            print(f"step {step:6}  loss {train:.4f}  held out {held:.4f}  rate {rate:.1e}  {time.time() - begun:.0f} s", flush=True)

    model.load_state_dict(best_weights)
    args.out.mkdir(parents=True, exist_ok=True)
    write_gguf(args.out / "tiny-docs.F16.gguf", model, tokenizer, quantized=False)
    file = args.out / "tiny-docs.Q8_0.gguf"
    write_gguf(file, model, tokenizer, quantized=True)
    with torch.no_grad():  # from here on, the weights are those of the file
        for weight in model.parameters():
            if weight.ndim > 1:
                weight.copy_(torch.from_numpy(q8_0(weight.detach().float().cpu().numpy())[1]))
    quantized = held_out(mixed=False)
    prompts = ["Returns", "The borrow checker", "In Rust, ownership", "An iterator that"]
    report = {
        "parameters": parameters, "steps": step, "best step": best_step, "batch": args.batch, "seed": args.seed, "lr": args.lr, "dropout": args.dropout,
        "seconds": round(time.time() - begun), "device": torch.cuda.get_device_name() if device == "cuda" else "cpu", "torch": torch.__version__,
        "training tokens": len(streams["train"]), "corpus SHA-256": hashlib.sha256(corpus.encode()).hexdigest(),
        "loss, last 250 steps": history[-1][1], "held-out loss": round(best, 4), "held-out loss as Q8_0": round(quantized, 4),
        "held-out bits per byte as Q8_0": round(quantized / math.log(2) / held_out_bytes, 4), "file bytes": file.stat().st_size,
        "history": history,
        "greedy": [generate(model, tokenizer, p, 60, 0, device) for p in prompts],
        "sampled": [generate(model, tokenizer, p, 150, 0.7, device) for p in prompts],
    }
    (args.out / "training.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps({k: v for k, v in report.items() if k != "history"}, indent=1))


main()
