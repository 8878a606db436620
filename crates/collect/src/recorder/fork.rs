//! What a process that forks has to mind.

use std::cell::UnsafeCell;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// A lock that the child of a fork may break: whoever held it in the parent does not exist there.
pub struct Latch<T> {
    is_held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only while the latch is held.
unsafe impl<T: Send> Sync for Latch<T> {}

impl<T> Latch<T> {
    pub const fn new(value: T) -> Self {
        Self { is_held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    pub fn with<R>(&self, use_it: impl FnOnce(&mut T) -> R) -> R {
        struct Open<'a>(&'a AtomicBool);
        impl Drop for Open<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Release);
            }
        }
        while self.is_held.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            std::thread::yield_now();
        }
        let _open = Open(&self.is_held);
        // SAFETY: the latch is held by this thread until the end of this function.
        use_it(unsafe { &mut *self.value.get() })
    }

    /// In the child of a fork: opens the latch, whoever held it, and puts another value in. The old value
    /// is not dropped: what it refers to belongs to the parent.
    pub fn take_over(&self, value: T) {
        // SAFETY: the child of a fork has one thread, this one.
        std::mem::forget(unsafe { std::mem::replace(&mut *self.value.get(), value) });
        self.is_held.store(false, Ordering::Release);
    }
}

/// Has `forget` called in every child that this process forks.
pub fn watch(forget: fn()) {
    static ONCE: Once = Once::new();
    static mut FORGET: Option<fn()> = None;
    extern "C" fn in_child() {
        // SAFETY: written once before the handler was registered.
        if let Some(forget) = unsafe { FORGET } {
            forget();
        }
    }
    ONCE.call_once(|| {
        // SAFETY: nothing reads it before the handler is registered; the handler is a plain function.
        unsafe {
            FORGET = Some(forget);
            libc::pthread_atfork(None, None, Some(in_child));
        }
    });
}
