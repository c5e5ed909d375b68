//! What a pool goes over.

use candle_core::Layout;

use crate::{Result, RocmError};

/// What becomes of the elements of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Average,
    Max,
}

impl Kind {
    /// The operation's name.
    pub(crate) fn op(self) -> &'static str {
        match self {
            Self::Average => "avg_pool2d",
            Self::Max => "max_pool2d",
        }
    }
}

/// A pool without padding over images `[batch, channels, height, width]`, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Windows {
    pub(crate) kind: Kind,
    /// Height and width of a window.
    pub(crate) window: (usize, usize),
    /// How far apart windows are.
    pub(crate) stride: (usize, usize),
    pub(crate) input: [usize; 4],
    /// Height and width of the output.
    pub(crate) output: [usize; 2],
}

impl Windows {
    pub(crate) fn new(
        kind: Kind,
        layout: &Layout,
        window: (usize, usize),
        stride: (usize, usize),
    ) -> Result<Self> {
        let op = kind.op();
        let &[batch, channels, height, width] = layout.dims() else {
            return Err(RocmError::InvalidArgument {
                op,
                message: format!(
                    "expected images [batch, channels, height, width], got shape {:?}",
                    layout.dims()
                ),
            });
        };
        let along = |size: usize, k: usize, s: usize| {
            let sane = k > 0 && s > 0 && s < 1 << 31 && size < 1 << 31;
            sane.then(|| Some(size.checked_sub(k)? / s + 1)).flatten()
        };
        let sizes = along(height, window.0, stride.0).zip(along(width, window.1, stride.1));
        match (sizes, batch.checked_mul(channels)) {
            (Some((h, w)), Some(images)) if images < 1 << 31 => {
                Ok(Self { kind, window, stride, input: [batch, channels, height, width], output: [h, w] })
            }
            _ => Err(RocmError::InvalidArgument {
                op,
                message: format!(
                    "windows of {window:?} at strides of {stride:?} must fit into images of {:?}, whose sizes are below 2^31",
                    layout.dims()
                ),
            }),
        }
    }
}
