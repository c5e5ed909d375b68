//! Training with a model on each rank: each has a part of the batch, and gradients are averaged.

use std::fmt;

use candle_core::backprop::GradStore;
use candle_core::{Result, Tensor, Var};
use candle_nn::VarMap;
use rocm_rccl::Reduce;

use crate::Communicator;
use crate::collective::Kind;
use crate::side_stream::SideStream;

/// Bytes of gradients that go together, unless [told otherwise](DataParallel::set_bucket).
const BUCKET: usize = 25 << 20;

/// A model's variables on each rank, which are kept equal on all ranks.
///
/// Each rank computes the loss of its part of the batch. [`backward`](DataParallel::backward) returns the gradients of the mean of all
/// ranks' losses, so a step of any optimizer is the same on all ranks. If the loss is a mean and the parts are equally large, it is also
/// the step that a single rank would take with the whole batch.
///
/// Gradients are reduced in buckets, on a separate stream. candle's `backward` returns all gradients at once. For a model that is cut into
/// [`Stages`], gradients of the last stage are reduced while those of earlier stages are still being computed.
pub struct DataParallel {
    communicator: Communicator,
    /// In the order of their names, which is the same on all ranks.
    vars: Vec<Var>,
    /// Where gradients are reduced.
    side: SideStream,
    bucket: usize,
}

impl DataParallel {
    /// Copies the values of rank 0's variables to all ranks.
    ///
    /// # Errors
    /// As [`Communicator::broadcast`].
    pub fn new(communicator: &Communicator, variables: &VarMap) -> Result<Self> {
        let named = variables.data().lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut named: Vec<(String, Var)> =
            named.iter().map(|(name, var)| (name.clone(), var.clone())).collect();
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        let vars: Vec<Var> = named.into_iter().map(|(_, var)| var).collect();
        for var in &vars {
            var.set(&communicator.broadcast(&var.as_detached_tensor(), 0)?)?;
        }
        Ok(Self {
            communicator: communicator.clone(),
            vars,
            side: SideStream::new(communicator)?,
            bucket: BUCKET,
        })
    }

    /// Sets how many bytes of gradients are reduced together.
    pub fn set_bucket(&mut self, bytes: usize) {
        self.bucket = bytes;
    }

    /// The variables, in the order of their names.
    pub fn variables(&self) -> &[Var] {
        &self.vars
    }

    /// Computes the gradients of the mean of all ranks' losses.
    ///
    /// # Errors
    /// As candle's `backward`. [`failure`](crate::failure) extracts why the ranks failed.
    pub fn backward(&self, loss: &Tensor) -> Result<GradStore> {
        self.stages().backward(loss)
    }

    /// Starts a pass of a model that is cut into stages.
    pub fn stages(&self) -> Stages<'_> {
        Stages { of: self, cuts: Vec::new() }
    }

    /// Sends the variables' gradients on their way, which are taken out of the store.
    fn start(&self, grads: &mut GradStore, under_way: &mut Vec<Bucket>) -> Result<()> {
        let mut bucket: Vec<(usize, Tensor)> = Vec::new();
        let mut size = 0;
        // Backward begins with the last layers, whose names tend to be last.
        for (index, var) in self.vars.iter().enumerate().rev() {
            let Some(grad) = grads.remove(var) else { continue };
            let bytes = grad.elem_count() * grad.dtype().size_in_bytes();
            let other = bucket.first().is_some_and(|(_, first)| first.dtype() != grad.dtype());
            if !bucket.is_empty() && (other || size + bytes > self.bucket) {
                under_way.push(self.reduce(std::mem::take(&mut bucket))?);
                size = 0;
            }
            size += bytes;
            bucket.push((index, grad));
        }
        if !bucket.is_empty() {
            under_way.push(self.reduce(bucket)?);
        }
        Ok(())
    }

    /// On the stream for gradients, behind what computes them.
    fn reduce(&self, grads: Vec<(usize, Tensor)>) -> Result<Bucket> {
        // Not the graph that they come from.
        let flat = |(_, grad): &(usize, Tensor)| grad.detach().flatten_all();
        let own = match &grads[..] {
            [one] => flat(one)?,
            all => Tensor::cat(&all.iter().map(flat).collect::<Result<Vec<_>>>()?, 0)?,
        };
        let mean = self.side.reduce(Kind::AllReduce(Reduce::Average), &own)?;
        Ok(Bucket { members: grads.into_iter().map(|(index, _)| index).collect(), own, mean })
    }

    /// The gradients, when they have come. A variable that several stages use has the sum of what each gave.
    fn finish(&self, grads: &mut GradStore, buckets: Vec<Bucket>) -> Result<()> {
        self.side.wait(buckets.iter().map(|bucket| bucket.own.clone()).collect())?;
        for Bucket { members, mean, .. } in buckets {
            let mut start = 0;
            for index in members {
                let var = &self.vars[index];
                let count = var.elem_count();
                let grad = mean.narrow(0, start, count)?.reshape(var.shape())?;
                let grad = match grads.remove(var) {
                    Some(other) => (other + grad)?,
                    None => grad,
                };
                grads.insert(var, grad);
                start += count;
            }
        }
        Ok(())
    }
}

/// Gradients under way, one after the other.
struct Bucket {
    /// Variables, by their place.
    members: Vec<usize>,
    /// What this rank computed. Kept until the device's stream waits for all buckets.
    own: Tensor,
    mean: Tensor,
}

/// A pass of a model in stages. Each `cut` ends a stage. The gradients of a stage are reduced while those of the stages before it are
/// computed.
///
/// ```ignore
/// let mut stages = data_parallel.stages();
/// let mut x = stages.cut(&embeddings.forward(tokens)?)?;
/// for layer in &layers {
///     x = stages.cut(&layer.forward(&x)?)?;
/// }
/// let grads = stages.backward(&loss(&head.forward(&x)?)?)?;
/// optimizer.step(&grads)?;
/// ```
pub struct Stages<'a> {
    of: &'a DataParallel,
    /// The end of a stage, and what the next one begins with.
    cuts: Vec<(Tensor, Var)>,
}

impl Stages<'_> {
    /// Ends a stage with `x`. Returns a copy of `x`, from which the next stage must be computed.
    ///
    /// # Errors
    /// If the copy fails.
    pub fn cut(&mut self, x: &Tensor) -> Result<Tensor> {
        let begin = Var::from_tensor(&x.detach())?;
        let tensor = begin.as_tensor().clone();
        self.cuts.push((x.clone(), begin));
        Ok(tensor)
    }

    /// [`DataParallel::backward`], stage by stage.
    ///
    /// # Errors
    /// As [`DataParallel::backward`].
    pub fn backward(self, loss: &Tensor) -> Result<GradStore> {
        let mut under_way = Vec::new();
        let mut grads = loss.backward()?;
        self.of.start(&mut grads, &mut under_way)?;
        let mut from = None;
        for (end, begin) in self.cuts.iter().rev() {
            let grad = from.as_mut().unwrap_or(&mut grads).remove(begin);
            // A stage that the loss does not depend on ends it.
            let Some(grad) = grad else { break };
            // The gradient has a graph of its own, through the weights that it was multiplied with: their gradients would come twice.
            let mut stage = (end * grad.detach())?.sum_all()?.backward()?;
            self.of.start(&mut stage, &mut under_way)?;
            from = Some(stage);
        }
        self.of.finish(&mut grads, under_way)?;
        Ok(grads)
    }
}

impl fmt::Debug for DataParallel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataParallel({} variables, {:?})", self.vars.len(), self.communicator)
    }
}
