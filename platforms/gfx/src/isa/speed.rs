//! How long instructions take: `cargo test -p candle-rocm-gfx speed -- --ignored --nocapture`.

use crate::isa::testing::Bench;

#[test]
#[ignore = "measures"]
fn speed() {
    for processor in ["gfx906", "gfx1100"] {
        let mut bench = Bench::new(processor);
        let memory = bench.memory();
        bench.wave.set_scalar64(0, memory);
        // Contiguous words and double words; the same word; words of rows of 64 bytes; offsets of 16 bytes.
        bench.set64(2, |lane| memory + lane as u64 * 4);
        bench.set64(4, |lane| memory + lane as u64 * 8);
        bench.set64(6, |lane| memory + lane as u64 * 16);
        bench.set64(8, |_| memory);
        bench.set64(10, |lane| memory + lane as u64 * 64 % 4032);
        bench.set64(12, |lane| memory + lane as u64 * 2);
        bench.set(14, |lane| lane as u32 * 4);
        bench.set(15, |lane| lane as u32 * 16 % 1024);
        bench.set(16, |lane| lane as u32 / 8 * 16);
        bench.set(17, |lane| lane as u32 % 8 * 132);
        bench.set(18, |lane| lane as u32 * 2);
        (20..24).for_each(|number| bench.set(number, |lane| (lane as f32).to_bits()));
        bench.run("ds_write_b128 v15, v[20:23]");
        bench.wave.set_scalar64(4, 3 << 32 | 5);
        for text in [
            "v_mov_b32_e32 v32, v14",
            "v_add_f32_e32 v32, v20, v21",
            "v_fma_f32 v32, v20, v21, v22",
            "v_fma_f32 v32, -v20, s4, v22",
            "v_mul_lo_u32 v32, v20, v21",
            "v_lshlrev_b32_e32 v32, 2, v20",
            "v_mad_u64_u32 v[32:33], {to}, v20, v21, v[2:3]",
            "v_cmp_lt_i32_e64 {to}, v20, v21",
            "v_cndmask_b32_e64 v32, v20, v21, {mask}",
            "v_cvt_f32_f16_e32 v32, v20",
            "v_pk_fma_f16 v32, v20, v21, v22",
            "v_exp_f32_e32 v32, v20",
            "s_add_u32 s6, s4, s5",
            "s_lshl_b64 s[6:7], s[4:5], 2",
            "s_and_b64 s[6:7], s[4:5], s[0:1]",
            "global_load_dword v32, v[2:3], off",
            "global_load_dword v32, v14, s[0:1]",
            "global_load_dwordx2 v[32:33], v[4:5], off",
            "global_load_dwordx4 v[32:35], v[6:7], off",
            "global_load_dword v32, v[8:9], off",
            "global_load_dword v32, v[10:11], off",
            "global_load_dwordx4 v[32:35], v[10:11], off",
            "global_load_ushort v32, v[12:13], off",
            "global_load_short_d16_hi v32, v18, s[0:1]",
            "flat_load_dword v32, v[2:3]",
            "global_store_dword v[2:3], v20, off",
            "global_store_dwordx4 v[6:7], v[20:23], off",
            "global_store_short v[12:13], v20, off",
            "ds_read_b32 v32, v14",
            "ds_read_b32 v32, v17",
            "ds_read_b128 v[32:35], v15",
            "ds_read_b128 v[32:35], v16",
            "ds_read2_b32 v[32:33], v17 offset1:1",
            "ds_read2_b64 v[32:35], v16 offset1:1",
            "ds_write_b32 v14, v20",
            "ds_write_b32 v17, v20",
            "ds_write_b128 v15, v[20:23]",
            "ds_bpermute_b32 v32, v14, v20",
            "global_atomic_add v[2:3], v20, off",
        ] {
            let (to, mask) = if processor == "gfx906" { ("s[6:7]", "s[4:5]") } else { ("s6", "s4") };
            let text = &text.replace("{to}", to).replace("{mask}", mask);
            let all = bench.time(text);
            bench.set_exec(0x0fff_fff7_7fff_ffff);
            let some = bench.time(text);
            bench.set_exec(u64::MAX);
            println!("{processor} {text:<45} {all:6.1} ns, {some:6.1} ns with lanes off");
        }
    }
}
