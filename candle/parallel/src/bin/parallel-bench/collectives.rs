//! All-reduces in place, as PyTorch makes them.

use candle_core::{Error, Result};
use candle_rocm::RocmDevice;
use candle_rocm_parallel::{Communicator, Reduce};

use crate::measure::{Sizes, seconds};

pub(crate) fn run(ranks: &Communicator, sizes: &Sizes, report: impl Fn(&str, f64)) -> Result<()> {
    for (name, bytes, calls) in
        [("all_reduce large", sizes.large, 10), ("all_reduce small", sizes.small, 200)]
    {
        let rocm = ranks.device().as_rocm_device()?.downcast_ref::<RocmDevice>();
        let rocm = rocm.ok_or_else(|| Error::Msg("the device does not belong to candle-rocm".into()))?;
        let mut buffer = rocm.alloc_zeros::<half::bf16>(bytes / 2)?;
        let time = seconds(ranks.device(), sizes.rounds, calls, || {
            let request = ranks.raw().all_reduce_in_place(&mut buffer, Reduce::Sum);
            request.and_then(rocm_rccl::Request::run).map_err(Error::wrap)
        })?;
        report(&format!("{name} ours"), time);
    }
    Ok(())
}
