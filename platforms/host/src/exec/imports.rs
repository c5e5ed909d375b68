//! C's functions that kernels call, with Linux's calling convention.
//!
//! In single precision they are computed in double precision and rounded once, which is the nearest float but for one value in millions:
//! glibc's are that exact too, and other systems' libraries are not.

use std::ffi::{CStr, c_char, c_void};

/// The address of a function.
pub(super) fn find(name: &[u8]) -> Option<usize> {
    let name = std::str::from_utf8(name).ok()?;
    let of_floats = || single(name.strip_suffix('f')?);
    other(name).or_else(|| double(name)).or_else(of_floats)
}

/// Functions of one and of two numbers.
macro_rules! numbers {
    ($($one:ident)*; $($two:ident)*) => {
        mod c {
            unsafe extern "C" {
                $(pub(super) safe fn $one(x: f64) -> f64;)*
                $(pub(super) safe fn $two(x: f64, y: f64) -> f64;)*
            }
        }

        fn double(name: &str) -> Option<usize> {
            $(extern "sysv64" fn $one(x: f64) -> f64 { c::$one(x) })*
            $(extern "sysv64" fn $two(x: f64, y: f64) -> f64 { c::$two(x, y) })*
            addresses!(name: $($one)* $($two)*)
        }

        fn single(name: &str) -> Option<usize> {
            $(extern "sysv64" fn $one(x: f32) -> f32 { c::$one(x.into()) as f32 })*
            $(extern "sysv64" fn $two(x: f32, y: f32) -> f32 { c::$two(x.into(), y.into()) as f32 })*
            addresses!(name: $($one)* $($two)*)
        }
    };
}

macro_rules! addresses {
    ($name:ident: $($function:ident)*) => {
        match $name {
            $(stringify!($function) => Some($function as *const () as usize),)*
            _ => None,
        }
    };
}

numbers! {
    acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p log2 logb nearbyint rint
    round sin sinh sqrt tan tanh tgamma trunc;
    atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder
}

unsafe extern "C" {
    safe fn nextafterf(x: f32, y: f32) -> f32;
    safe fn ldexp(x: f64, exponent: i32) -> f64;
    fn frexp(x: f64, exponent: *mut i32) -> f64;
}

fn other(name: &str) -> Option<usize> {
    extern "sysv64" fn fma(x: f64, y: f64, z: f64) -> f64 {
        x.mul_add(y, z)
    }
    extern "sysv64" fn fmaf(x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
    extern "sysv64" fn nextafterf(x: f32, y: f32) -> f32 {
        self::nextafterf(x, y)
    }
    extern "sysv64" fn ldexp(x: f64, exponent: i32) -> f64 {
        self::ldexp(x, exponent)
    }
    extern "sysv64" fn ldexpf(x: f32, exponent: i32) -> f32 {
        self::ldexp(x.into(), exponent) as f32
    }
    unsafe extern "sysv64" fn frexp(x: f64, exponent: *mut i32) -> f64 {
        // SAFETY: the kernel's out-parameter.
        unsafe { self::frexp(x, exponent) }
    }
    unsafe extern "sysv64" fn frexpf(x: f32, exponent: *mut i32) -> f32 {
        // SAFETY: the kernel's out-parameter.
        unsafe { self::frexp(x.into(), exponent) as f32 }
    }
    unsafe extern "sysv64" fn modf(x: f64, whole: *mut f64) -> f64 {
        // SAFETY: the kernel's out-parameter.
        unsafe { *whole = x.trunc() };
        let part = if x.is_infinite() { 0. } else { x - x.trunc() };
        part.copysign(x)
    }
    unsafe extern "sysv64" fn modff(x: f32, whole: *mut f32) -> f32 {
        // SAFETY: the kernel's out-parameter.
        unsafe { *whole = x.trunc() };
        let part = if x.is_infinite() { 0. } else { x - x.trunc() };
        part.copysign(x)
    }
    extern "sysv64" fn llround(x: f64) -> i64 {
        x.round() as i64
    }
    extern "sysv64" fn llroundf(x: f32) -> i64 {
        x.round() as i64
    }
    extern "sysv64" fn llrint(x: f64) -> i64 {
        x.round_ties_even() as i64
    }
    extern "sysv64" fn llrintf(x: f32) -> i64 {
        x.round_ties_even() as i64
    }
    // `long` has 64 bits on Linux.
    use {llrint as lrint, llrintf as lrintf, llround as lround, llroundf as lroundf};
    unsafe extern "sysv64" fn sincos(x: f64, sin: *mut f64, cos: *mut f64) {
        // SAFETY: the kernel's out-parameters.
        unsafe { (*sin, *cos) = (c::sin(x), c::cos(x)) };
    }
    unsafe extern "sysv64" fn sincosf(x: f32, sin: *mut f32, cos: *mut f32) {
        // SAFETY: the kernel's out-parameters.
        unsafe { (*sin, *cos) = (c::sin(x.into()) as f32, c::cos(x.into()) as f32) };
    }
    unsafe extern "sysv64" fn memcpy(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void {
        // SAFETY: the kernel's promise.
        unsafe { to.copy_from_nonoverlapping(from, len) };
        to
    }
    unsafe extern "sysv64" fn memmove(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void {
        // SAFETY: the kernel's promise.
        unsafe { to.copy_from(from, len) };
        to
    }
    unsafe extern "sysv64" fn memset(to: *mut c_void, value: i32, len: usize) -> *mut c_void {
        // SAFETY: the kernel's promise.
        unsafe { to.write_bytes(value as u8, len) };
        to
    }
    unsafe extern "sysv64" fn memcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
        // SAFETY: the kernel's promise.
        let [one, other] = [one, other].map(|start| unsafe { std::slice::from_raw_parts(start, len) });
        one.cmp(other) as i32
    }
    unsafe extern "sysv64" fn strlen(text: *const c_char) -> usize {
        // SAFETY: the kernel's promise.
        unsafe { CStr::from_ptr(text) }.count_bytes()
    }
    // Compilers call it for their own comparisons.
    use memcmp as bcmp;
    addresses!(name: fma fmaf nextafterf ldexp ldexpf frexp frexpf modf modff llround llroundf llrint llrintf lround lroundf lrint
        lrintf sincos sincosf memcpy memmove memset memcmp bcmp strlen)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRELUDE: &str = include_str!("../hiprtc/prelude/math.h");

    /// All that the prelude declares; the compiler has the absolute values of integers.
    #[test]
    fn the_preludes_functions() {
        let mut names = Vec::new();
        for line in PRELUDE.lines() {
            let family = line.strip_prefix("__CRH_LIBM_").and_then(|rest| rest.get(2..)?.strip_suffix(')'));
            if let Some(name) = family {
                names.extend([name.to_owned(), format!("{name}f")]);
            }
            let function = line.strip_prefix("extern \"C\" ").and_then(|rest| rest.split('(').next());
            if let Some(name) = function.and_then(|rest| rest.split(' ').next_back()) {
                names.push(name.to_owned());
            }
        }
        names.retain(|name| !name.ends_with("abs") || name.starts_with('f'));
        assert!(names.len() > 100, "{names:?}");
        for name in &names {
            assert!(find(name.as_bytes()).is_some(), "{name}");
        }
        assert_eq!(find(b"printf"), None);
    }

    #[test]
    fn values() {
        type One<T> = extern "sysv64" fn(T) -> T;
        let address = |name: &str| find(name.as_bytes()).unwrap();
        // SAFETY: functions of this type.
        let single = |name: &str, x: f32| unsafe { std::mem::transmute::<usize, One<f32>>(address(name)) }(x);
        // SAFETY: functions of this type.
        let double = |name: &str, x: f64| unsafe { std::mem::transmute::<usize, One<f64>>(address(name)) }(x);
        assert_eq!(single("expf", 1.), std::f32::consts::E);
        assert_eq!(single("erff", 0.5), 0.520_499_9);
        assert_eq!(double("erf", 0.), 0.);
        assert_eq!((double("rint", 2.5), single("roundf", 2.5)), (2., 3.));
        assert_eq!(single("sqrtf", 2.), std::f32::consts::SQRT_2);

        // SAFETY: a function of this type.
        let modf = unsafe {
            std::mem::transmute::<usize, unsafe extern "sysv64" fn(f64, *mut f64) -> f64>(address("modf"))
        };
        let mut whole = 0.;
        // SAFETY: a variable of ours.
        let part = |x: f64, whole: &mut f64| unsafe { modf(x, whole) };
        assert_eq!((part(-2.25, &mut whole), whole), (-0.25, -2.));
        assert_eq!(
            (part(f64::NEG_INFINITY, &mut whole).to_bits(), whole),
            ((-0_f64).to_bits(), f64::NEG_INFINITY)
        );
    }
}
