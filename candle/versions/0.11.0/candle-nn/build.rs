fn main() {
    candle_rocm_overlay::build_script();
}
