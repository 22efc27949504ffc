//! A cache of active campaigns. Each submitted run is checked against its campaign, which may be large and never
//! changes.

use crate::problem::Problem;
use crate::store::{Store, campaigns};
use hirace_litmus::campaign::SharedCampaign;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// The number of cached campaigns.
const KEPT: usize = 8;

/// The most recently read campaigns.
#[derive(Debug, Default)]
pub struct CampaignCache(Mutex<VecDeque<Arc<SharedCampaign>>>);

impl CampaignCache {
    /// Returns the campaign of this name.
    ///
    /// # Errors
    /// There is no such campaign, or it cannot be read.
    pub async fn of(&self, store: &Store, name: &str) -> Result<Arc<SharedCampaign>, Problem> {
        if let Ok(known) = self.0.lock()
            && let Some(known) = known.iter().find(|known| known.name == name)
        {
            return Ok(Arc::clone(known));
        }
        let of = name.to_owned();
        let read = store.read(move |from| campaigns::one(from, &of)).await?;
        let announced = Arc::new(read.announced);
        if let Ok(mut known) = self.0.lock() {
            known.push_back(Arc::clone(&announced));
            if known.len() > KEPT {
                known.pop_front();
            }
        }
        Ok(announced)
    }
}
