# The llama of cases/models.rs in PyTorch: B sequences, L layers, H hidden, I intermediate, NH heads, NK KV heads, V vocabulary, P prompt
# tokens, N decoded tokens.
D = H // NH


def weight(*dims):
    return (torch.randn(dims, device="cuda") * 0.02).to(t)


embedding, head, last = weight(V, H), weight(V, H), weight(H) + 1
# As few matrix products as possible: queries, keys and values in one, gate and up in one.
shapes = {"qkv": (H + 2 * NK * D, H), "o": (H, H), "up": (2 * I, H), "down": (H, I)}
layers = [{name: weight(*shape) for name, shape in shapes.items()} | {"a": weight(H) + 1, "b": weight(H) + 1} for _ in range(L)]
cache = [[torch.zeros(B, NK, P + N, D, device="cuda", dtype=t) for _ in range(2)] for _ in range(L)]
angles = torch.outer(torch.arange(P + N, device="cuda"), 10000 ** -(torch.arange(0, D, 2, device="cuda") / D)).repeat(1, 2)
cos, sin = angles.cos().to(t), angles.sin().to(t)
tokens = below(V, B, P + N)


def forward(tokens, at):
    x = embedding[tokens]
    n = tokens.shape[1]
    c, s = cos[at : at + n], sin[at : at + n]
    for w, (keys, values) in zip(layers, cache):
        y = F.rms_norm(x, (H,), w["a"], 1e-5)
        qk, v = F.linear(y, w["qkv"]).view(B, n, -1, D).transpose(1, 2).split([NH + NK, NK], 1)
        a, b = qk.chunk(2, -1)
        q, k = (qk * c + torch.cat([-b, a], -1) * s).split([NH, NK], 1)
        keys[:, :, at : at + n], values[:, :, at : at + n] = k, v
        y = F.scaled_dot_product_attention(
            q, keys[:, :, : at + n], values[:, :, : at + n], is_causal=n > 1, enable_gqa=True
        )
        x = x + F.linear(y.transpose(1, 2).reshape(B, n, H), w["o"])
        gate, up = F.linear(F.rms_norm(x, (H,), w["b"], 1e-5), w["up"]).chunk(2, -1)
        x = x + F.linear(F.silu(gate) * up, w["down"])
    return F.linear(F.rms_norm(x[:, -1], (H,), last, 1e-5), head)


def prefill():
    return forward(tokens[:, :P], 0)


def decode():
    for at in range(P, P + N):
        forward(tokens[:, at : at + 1], at).argmax(-1).tolist()


# One CUDA graph for each step: the cache has its full length, and a mask hides what is not there yet.
token, position = tokens[:, :1].clone(), torch.zeros(1, dtype=torch.int64, device="cuda")
graph = None


def step():
    x = embedding[token]
    c, s = cos[position], sin[position]
    mask = (torch.arange(P + N, device="cuda") <= position)[None, None, None]
    for w, (keys, values) in zip(layers, cache):
        y = F.rms_norm(x, (H,), w["a"], 1e-5)
        qk, v = F.linear(y, w["qkv"]).view(B, 1, -1, D).transpose(1, 2).split([NH + NK, NK], 1)
        a, b = qk.chunk(2, -1)
        q, k = (qk * c + torch.cat([-b, a], -1) * s).split([NH, NK], 1)
        keys.index_copy_(2, position, k)
        values.index_copy_(2, position, v)
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask, enable_gqa=True)
        x = x + F.linear(y.transpose(1, 2).reshape(B, 1, H), w["o"])
        gate, up = F.linear(F.rms_norm(x, (H,), w["b"], 1e-5), w["up"]).chunk(2, -1)
        x = x + F.linear(F.silu(gate) * up, w["down"])
    return F.linear(F.rms_norm(x[:, -1], (H,), last, 1e-5), head).argmax(-1)


def decode_by_graph():
    global graph, chosen
    if graph is None:
        warm_up = torch.cuda.Stream()
        with torch.cuda.stream(warm_up):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(warm_up)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            chosen = step()
    for at in range(P, P + N):
        token.copy_(tokens[:, at : at + 1])
        position.fill_(at)
        graph.replay()
        chosen.tolist()
