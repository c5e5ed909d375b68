//! candle's operations as [`Call`]s.

use std::marker::PhantomData;

use candle_core::backend::BackendStorage;
use candle_core::op::{BinaryOpT, CmpOp, UnaryOpT};
use candle_core::{DType, Layout, Result};

use super::Call;

pub struct Unary<B>(PhantomData<B>);

pub fn unary<B: UnaryOpT>() -> Unary<B> {
    Unary(PhantomData)
}

impl<B: UnaryOpT> Call for Unary<B> {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.unary_impl::<B>(args[0].1)
    }
}

pub struct Binary<B>(PhantomData<B>);

pub fn binary<B: BinaryOpT>() -> Binary<B> {
    Binary(PhantomData)
}

impl<B: BinaryOpT> Call for Binary<B> {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.binary_impl::<B>(args[1].0, args[0].1, args[1].1)
    }
}

pub struct Compare(pub CmpOp);

impl Call for Compare {
    fn name(&self) -> &'static str {
        "cmp"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.cmp(self.0, args[1].0, args[0].1, args[1].1)
    }
}

pub struct Affine(pub f64, pub f64);

impl Call for Affine {
    fn name(&self) -> &'static str {
        "affine"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.affine(args[0].1, self.0, self.1)
    }
}

pub struct Powf(pub f64);

impl Call for Powf {
    fn name(&self) -> &'static str {
        "powf"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.powf(args[0].1, self.0)
    }
}

pub struct Elu(pub f64);

impl Call for Elu {
    fn name(&self) -> &'static str {
        "elu"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.elu(args[0].1, self.0)
    }
}

pub struct Cast(pub DType);

impl Call for Cast {
    fn name(&self) -> &'static str {
        "to_dtype"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.to_dtype(args[0].1, self.0)
    }
}

pub struct Where;

impl Call for Where {
    fn name(&self) -> &'static str {
        "where_cond"
    }

    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S> {
        args[0].0.where_cond(args[0].1, args[1].0, args[1].1, args[2].0, args[2].1)
    }
}
