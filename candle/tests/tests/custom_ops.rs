//! Custom operations without a ROCm implementation.

use candle_core::{
    CpuStorage, CustomOp1, CustomOp2, CustomOp3, Device, InplaceOp1, InplaceOp2, InplaceOp3, Layout, Result,
    Shape, Tensor, rocm,
};
use candle_rocm_tests::{devices, in_child, stand_in};

/// `a + 10 b + 100 c` for one to three operands, read through their layouts.
struct Digits;

fn read<'a>(storage: &'a CpuStorage, layout: &'a Layout) -> Result<&'a [f32]> {
    let values = storage.as_slice::<f32>()?;
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&values[start..end]),
        None => candle_core::bail!("contiguous operands only"),
    }
}

fn digits(operands: &[(&CpuStorage, &Layout)]) -> Result<(CpuStorage, Shape)> {
    let mut sum = vec![0f32; operands[0].1.shape().elem_count()];
    for (power, (storage, layout)) in operands.iter().enumerate() {
        for (sum, value) in sum.iter_mut().zip(read(storage, layout)?) {
            *sum += value * 10f32.powi(power as i32);
        }
    }
    Ok((CpuStorage::F32(sum), operands[0].1.shape().clone()))
}

fn digits_in_place(dst: &mut CpuStorage, l: &Layout, others: &[(&CpuStorage, &Layout)]) -> Result<()> {
    let operands: Vec<_> = std::iter::once((&*dst, l)).chain(others.iter().copied()).collect();
    let (CpuStorage::F32(sum), _) = digits(&operands)? else { candle_core::bail!("f32 only") };
    let (start, end) = l.contiguous_offsets().unwrap();
    let CpuStorage::F32(values) = dst else { candle_core::bail!("f32 only") };
    values[start..end].copy_from_slice(&sum);
    Ok(())
}

impl CustomOp1 for Digits {
    fn name(&self) -> &'static str {
        "digits-1"
    }

    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        digits(&[(s, l)])
    }
}

impl CustomOp2 for Digits {
    fn name(&self) -> &'static str {
        "digits-2"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        digits(&[(s1, l1), (s2, l2)])
    }
}

impl CustomOp3 for Digits {
    fn name(&self) -> &'static str {
        "digits-3"
    }

    fn cpu_fwd(
        &self,
        s1: &CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        digits(&[(s1, l1), (s2, l2), (s3, l3)])
    }
}

impl InplaceOp1 for Digits {
    fn name(&self) -> &'static str {
        "digits-in-place-1"
    }

    fn cpu_fwd(&self, s: &mut CpuStorage, l: &Layout) -> Result<()> {
        digits_in_place(s, l, &[])
    }
}

impl InplaceOp2 for Digits {
    fn name(&self) -> &'static str {
        "digits-in-place-2"
    }

    fn cpu_fwd(&self, s1: &mut CpuStorage, l1: &Layout, s2: &CpuStorage, l2: &Layout) -> Result<()> {
        digits_in_place(s1, l1, &[(s2, l2)])
    }
}

impl InplaceOp3 for Digits {
    fn name(&self) -> &'static str {
        "digits-in-place-3"
    }

    fn cpu_fwd(
        &self,
        s1: &mut CpuStorage,
        l1: &Layout,
        s2: &CpuStorage,
        l2: &Layout,
        s3: &CpuStorage,
        l3: &Layout,
    ) -> Result<()> {
        digits_in_place(s1, l1, &[(s2, l2), (s3, l3)])
    }
}

fn all_of_them(device: &Device) -> Result<()> {
    // Views into longer tensors, so that the layouts matter.
    let view = |first: f32| Tensor::arange(first - 1., first + 3., device)?.narrow(0, 1, 2);
    let (a, b, c) = (view(1.)?, view(3.)?, view(5.)?);
    assert_eq!(a.apply_op1(Digits)?.to_vec1::<f32>()?, [1., 2.]);
    assert_eq!(a.apply_op2(&b, Digits)?.to_vec1::<f32>()?, [31., 42.]);
    assert_eq!(a.apply_op3(&b, &c, Digits)?.to_vec1::<f32>()?, [531., 642.]);
    a.inplace_op1(&Digits)?;
    a.inplace_op2(&b, &Digits)?;
    assert_eq!(a.to_vec1::<f32>()?, [31., 42.]);
    a.inplace_op3(&b, &c, &Digits)?;
    assert_eq!(a.to_vec1::<f32>()?, [561., 682.]);
    Ok(())
}

#[test]
fn operations_without_an_implementation_run_on_the_cpu_with_one_warning() -> Result<()> {
    let Some(stderr) = in_child("operations_without_an_implementation_run_on_the_cpu_with_one_warning", &[])
    else {
        for device in devices() {
            all_of_them(&device)?;
            all_of_them(&device)?;
        }
        return all_of_them(&stand_in());
    };
    for name in
        ["digits-1", "digits-2", "digits-3", "digits-in-place-1", "digits-in-place-2", "digits-in-place-3"]
    {
        let line = format!("candle: {name} has no ROCm implementation and runs on the CPU");
        let times = stderr.matches(&line).count();
        assert!(times == 1 || stderr.contains("SKIPPED"), "{times} times: {line}\n{stderr}");
    }
    Ok(())
}

#[test]
fn fallback_can_be_forbidden_by_the_environment() -> Result<()> {
    const NAME: &str = "fallback_can_be_forbidden_by_the_environment";
    let mut stderr = Some(String::new());
    for value in ["1", " On ", "TRUE", "yes"] {
        stderr = stderr.and_then(|_| in_child(NAME, &[("CANDLE_ROCM_NO_FALLBACK", value)]));
    }
    let Some(_) = stderr else {
        for device in devices() {
            let error =
                Tensor::ones(2, candle_core::DType::F32, &device)?.apply_op1(Digits).unwrap_err().to_string();
            assert!(error.contains("digits-1 has no ROCm implementation"), "{error}");
            let error = Tensor::ones(2, candle_core::DType::F32, &device)?
                .inplace_op1(&Digits)
                .unwrap_err()
                .to_string();
            assert!(error.contains("digits-in-place-1 has no ROCm implementation"), "{error}");
        }
        // The stand-in is the CPU itself.
        return all_of_them(&stand_in());
    };
    Ok(())
}

#[test]
fn other_values_do_not_forbid_it() -> Result<()> {
    const NAME: &str = "other_values_do_not_forbid_it";
    for (value, warnings) in [("", 0), ("0", 0), ("OFF", 0), ("no", 0), ("maybe", 1)] {
        let Some(stderr) = in_child(NAME, &[("CANDLE_ROCM_NO_FALLBACK", value)]) else {
            return devices().iter().try_for_each(all_of_them);
        };
        let warning =
            "CANDLE_ROCM_NO_FALLBACK=\"maybe\" is ignored; it takes on (1, true, yes) or off (0, false, no)";
        let times = stderr.matches(warning).count();
        assert!(times == warnings || stderr.contains("SKIPPED"), "{value:?}: {stderr}");
    }
    Ok(())
}

#[test]
fn fused_operations_off_the_device_are_not_taken() -> Result<()> {
    let x = Tensor::ones((2, 3), candle_core::DType::F32, &Device::Cpu)?;
    assert!(rocm::offer(&rocm::FusedOp::Sigmoid, &[&x])?.is_none());
    assert!(rocm::offer(&rocm::FusedOp::Sigmoid, &[&x.to_device(&stand_in())?])?.is_none());
    assert_eq!(rocm::fused_taken("sigmoid"), 0);
    Ok(())
}

/// An operation with the given name, with or without a CPU implementation.
struct Named(&'static str, bool);

impl CustomOp1 for Named {
    fn name(&self) -> &'static str {
        self.0
    }

    fn cpu_fwd(&self, s: &CpuStorage, l: &Layout) -> Result<(CpuStorage, Shape)> {
        match self.1 {
            true => digits(&[(s, l)]),
            false => candle_core::bail!("{} has no cpu impl", self.0),
        }
    }
}

/// Stock candle-nn runs its operations as plain custom operations: the message must point to the missing patch in Cargo.toml.
#[test]
fn stock_candle_nn_is_recognized() -> Result<()> {
    const NAMES: [&str; 5] = ["softmax-last-dim", "rms-norm", "layer-norm", "rotary-emb", "sigmoid"];
    let name = "stock_candle_nn_is_recognized";
    let Some(stderr) = in_child(name, &[]) else {
        for device in devices() {
            let x = Tensor::ones(2, candle_core::DType::F32, &device)?;
            for name in NAMES.into_iter().chain(["my-gemm"]) {
                x.apply_op1_no_bwd(&Named(name, true))?;
            }
            let error = x.apply_op1_no_bwd(&Named("metal-sdpa", false)).unwrap_err().to_string();
            assert!(error.contains("[patch.crates-io] needs a line for `candle-nn`"), "{error}");
        }
        return Ok(());
    };
    if stderr.contains("SKIPPED") {
        return Ok(());
    }
    for name in NAMES {
        let warning = format!("candle: {name} has no ROCm implementation and runs on the CPU");
        let lines: Vec<&str> = stderr.lines().filter(|line| line.starts_with(&warning)).collect();
        let [line] = lines[..] else { panic!("{lines:?} in {stderr}") };
        assert!(line.contains("[patch.crates-io] needs a line for `candle-nn`"), "{line}");
    }
    let other = stderr.lines().find(|line| line.contains("my-gemm")).expect("a warning");
    assert!(!other.contains("candle-nn"), "{other}");
    Ok(())
}

/// Without a CPU implementation either, it is an error without a warning.
#[test]
fn without_a_cpu_implementation_it_is_an_error() -> Result<()> {
    let name = "without_a_cpu_implementation_it_is_an_error";
    let Some(stderr) = in_child(name, &[]) else {
        for device in devices() {
            let x = Tensor::ones((2, 3), candle_core::DType::F32, &device)?;
            let error = x.apply_op1_no_bwd(&Named("mine", false)).unwrap_err();
            let text = error.to_string();
            for part in ["mine has no ROCm implementation for f32 [2, 3]", "mine has no cpu impl", "rocm_fwd"]
            {
                assert!(text.contains(part), "{text}");
            }
            let found = rocm::NoImplementation::of(&error).expect("a NoImplementation error");
            assert_eq!((found.op, found.operands[0].0.dims()), ("mine", &[2, 3][..]));
            assert!(found.cpu.is_some());
        }
        // On the stand-in, the error is the CPU's.
        let x = Tensor::ones(2, candle_core::DType::F32, &stand_in())?;
        let error = x.apply_op1_no_bwd(&Named("mine", false)).unwrap_err().to_string();
        assert!(error.starts_with("mine has no cpu impl"), "{error}");
        return Ok(());
    };
    assert!(!stderr.contains("runs on the CPU"), "{stderr}");
    Ok(())
}

/// As the stock softmax does with dtypes that it lacks: it quotes the tensor, in one line.
struct Quoting;

impl CustomOp1 for Quoting {
    fn name(&self) -> &'static str {
        "quoting"
    }

    fn cpu_fwd(&self, s: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!("unsupported dtype for quoting, äöü: {s:?}")
    }
}

#[test]
fn elements_are_not_quoted() -> Result<()> {
    for device in devices() {
        let x = Tensor::zeros(10_000, candle_core::DType::U32, &device)?;
        let text = x.apply_op1_no_bwd(&Quoting).unwrap_err().to_string();
        let text = text.lines().next().unwrap_or_default();
        assert!(text.len() < 500 && text.contains("for quoting, äöü: U32([0"), "{text}");
        assert!(text.contains("…; implement `rocm_fwd` for it"), "{text}");
    }
    Ok(())
}
