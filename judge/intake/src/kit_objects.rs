//! Compiled files of the kits alone, shared by all submissions that are built together.

use error::JudgeError;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Object files, by the hash of the kit's files that they are made from.
#[derive(Debug, Default)]
pub(super) struct KitObjects(Mutex<BTreeMap<String, Arc<[u8]>>>);

impl KitObjects {
    /// Returns an object file, and makes it with `compile` on first use. Other callers wait for it.
    ///
    /// # Errors
    /// As `compile`; the next call compiles it again.
    pub(super) fn get<F>(
        &self,
        of: &str,
        compile: impl FnOnce() -> Result<Result<Vec<u8>, F>, JudgeError>,
    ) -> Result<Result<Arc<[u8]>, F>, JudgeError> {
        let mut known = self.0.lock().expect("no builder panics");
        if let Some(object) = known.get(of) {
            return Ok(Ok(Arc::clone(object)));
        }
        Ok(compile()?.map(|bytes| {
            let object: Arc<[u8]> = bytes.into();
            known.insert(of.to_owned(), Arc::clone(&object));
            object
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_compiled_once_and_again_where_that_failed() {
        let objects = KitObjects::default();
        let get = |of: &str, compiled: Result<&str, &'static str>| {
            let compile = || Ok(compiled.map(|text| text.as_bytes().to_vec()));
            let got = objects.get(of, compile).expect("nothing fails by itself");
            got.map(|object| String::from_utf8(object.to_vec()).expect("text"))
        };
        assert_eq!(get("cat", Err("no memory")), Err("no memory"));
        assert_eq!(get("cat", Ok("first")), Ok("first".to_owned()));
        assert_eq!(get("cat", Ok("second")), Ok("first".to_owned()));
        assert_eq!(get("camel", Ok("third")), Ok("third".to_owned()));
    }
}
