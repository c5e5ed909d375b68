//! What belongs to a device without the device knowing of it: one value of each type.

use std::any::Any;
use std::sync::OnceLock;

/// A list that only grows, so that looking something up takes no lock. It holds a handful of values.
#[derive(Default)]
pub(super) struct Extensions(OnceLock<Box<Extension>>);

struct Extension {
    value: Box<dyn Any + Send + Sync>,
    next: Extensions,
}

impl Extensions {
    /// The value of that type, made now if it was not yet.
    pub(super) fn get<T: Any + Send + Sync + Default>(&self) -> &T {
        let mut list = self;
        loop {
            let extension = list.0.get_or_init(|| {
                Box::new(Extension { value: Box::<T>::default(), next: Extensions::default() })
            });
            if let Some(value) = extension.value.downcast_ref() {
                return value;
            }
            list = &extension.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn one_of_each_type() {
        let extensions = Extensions::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    extensions.get::<AtomicU32>().fetch_add(1, Ordering::Relaxed);
                    extensions.get::<std::sync::Mutex<Vec<u8>>>().lock().unwrap().push(7);
                });
            }
        });
        assert_eq!(extensions.get::<AtomicU32>().load(Ordering::Relaxed), 4);
        assert_eq!(*extensions.get::<std::sync::Mutex<Vec<u8>>>().lock().unwrap(), [7; 4]);
    }
}
