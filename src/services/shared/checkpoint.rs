//! The state of a service at one moment, and the way back to it.
//!
//! States are persistent maps, so a checkpoint is a pointer for each container, queue, table and share, however much is in it. A restore
//! replaces the states that differ, all at the same moment and, on disk, in one change.

use crate::operation::{LockedService, NewTags, SavedState, WriterAtWork};
use crate::services::shared::accounts::{AccountState, ServiceAccounts};
use crate::services::shared::properties::Properties;
use crate::services::shared::resource::Resource;
use crate::services::shared::resource_index::ResourceIndex;
use crate::store::cell::{Cell, LockedCell};
use crate::store::changes::Changes;
use arc_swap::ArcSwap;
use std::collections::HashMap;
use std::sync::Arc;

/// The states of all accounts, or of one.
struct SavedAccounts<S: Resource> {
    /// The account, if it is one.
    only: Option<String>,
    by_name: HashMap<String, SavedAccount<S>>,
}

struct SavedAccount<S: Resource> {
    index: Arc<ResourceIndex<S>>,
    /// The resources of the index, by name.
    resources: Vec<(Arc<str>, SavedResource<S>)>,
    properties: Arc<Properties>,
}

struct SavedResource<S: Resource> {
    /// The cell that has the state, or had it before it was deleted. A restore replaces a deleted one, so that the next restore finds it.
    cell: ArcSwap<Cell<S>>,
    state: Arc<S>,
}

/// Accounts whose writers wait.
struct LockedAccounts<S: Resource> {
    /// The account, if it is one.
    only: Option<String>,
    accounts: Vec<LockedAccount<S>>,
}

struct LockedAccount<S: Resource> {
    name: String,
    index: LockedCell<ResourceIndex<S>>,
    properties: LockedCell<Properties>,
    resources: Vec<(Arc<str>, LockedCell<S>)>,
    replacement: Option<Replacement<S>>,
}

/// What a restore publishes.
struct Replacement<S: Resource> {
    index: Arc<ResourceIndex<S>>,
    properties: Arc<Properties>,
    /// For each locked resource the state that it gets, or `None` if it did not exist.
    resources: Vec<Option<Arc<S>>>,
}

/// Locks out the writers of an account, or of all accounts.
///
/// # Errors
/// The lock of a writer that is at work. No other lock is held then.
pub fn lock<S: Resource>(accounts: &ServiceAccounts<S>, only: Option<&str>) -> Result<Box<dyn LockedService>, WriterAtWork> {
    let chosen = accounts.chosen(only).into_iter();
    let accounts = chosen.map(|(name, state)| LockedAccount::lock(name, &state)).collect::<Result<_, _>>()?;
    Ok(Box::new(LockedAccounts { only: only.map(str::to_owned), accounts }))
}

/// The accounts as they were at a moment, in memory, without those that were not saved. `None` if the state is another service's.
pub fn accounts_at<S: Resource>(saved: &SavedState) -> Option<ServiceAccounts<S>> {
    let saved = saved.downcast_ref::<SavedAccounts<S>>()?;
    let states = saved.by_name.iter().map(|(name, saved)| {
        let detached = |saved: &SavedResource<S>| saved.cell.load().detached(S::clone(&saved.state));
        let cells = saved.resources.iter().map(|(name, saved)| (name.clone(), detached(saved)));
        let index = ResourceIndex::clone(&saved.index).with_live(cells);
        (name.clone(), AccountState::in_memory(index, Properties::clone(&saved.properties)))
    });
    Some(ServiceAccounts::in_memory(states.collect()))
}

/// The state, or one whose next entity tags are later.
fn with_new_tags<S: Resource>(state: &Arc<S>, tags: NewTags) -> Arc<S> {
    let mut draft = S::clone(state);
    let Some(latest) = draft.latest() else { return state.clone() };
    let Some(later) = tags.after(*latest) else { return state.clone() };
    *latest = later;
    Arc::new(draft)
}

impl<S: Resource> SavedAccount<S> {
    fn empty() -> SavedAccount<S> {
        SavedAccount { index: Arc::default(), resources: Vec::new(), properties: Arc::default() }
    }
}

impl<S: Resource> LockedAccount<S> {
    fn lock(name: String, state: &AccountState<S>) -> Result<LockedAccount<S>, WriterAtWork> {
        // The index comes first: no resource is created or deleted from here on.
        let index = state.resources.try_lock()?;
        let properties = state.properties.try_lock()?;
        let resources = index.read().iter().map(|(name, cell)| Ok((name.clone(), cell.try_lock()?))).collect::<Result<_, _>>()?;
        Ok(LockedAccount { name, index, properties, resources, replacement: None })
    }

    fn save(&self) -> SavedAccount<S> {
        let saved = |cell: &LockedCell<S>| SavedResource { cell: ArcSwap::new(cell.cell().clone()), state: cell.read() };
        let resources = self.resources.iter().map(|(name, cell)| (name.clone(), saved(cell))).collect();
        SavedAccount { index: self.index.read(), resources, properties: self.properties.read() }
    }

    fn prepare(&mut self, saved: &SavedAccount<S>, tags: NewTags) {
        let places: HashMap<*const Cell<S>, usize> =
            self.resources.iter().enumerate().map(|(at, (_, cell))| (Arc::as_ptr(cell.cell()), at)).collect();
        let mut resources = vec![None; self.resources.len()];
        let mut cells = Vec::with_capacity(saved.resources.len());
        for (name, SavedResource { cell: saved_cell, state }) in &saved.resources {
            let (mut cell, state) = (saved_cell.load_full(), with_new_tags(state, tags));
            match places.get(&Arc::as_ptr(&cell)) {
                Some(at) => resources[*at] = Some(state),
                // It was deleted meanwhile. Its cell stays closed for writers that still have it.
                None => {
                    cell = cell.another(S::clone(&state));
                    saved_cell.store(cell.clone());
                }
            }
            cells.push((name.clone(), cell));
        }
        let index = Arc::new(ResourceIndex::clone(&saved.index).with_live(cells));
        self.replacement = Some(Replacement { index, properties: saved.properties.clone(), resources });
    }

    fn write(&self, to: &mut Changes<'_>) {
        let Some(replacement) = &self.replacement else { return };
        for ((_, cell), state) in self.resources.iter().zip(&replacement.resources) {
            if let Some(state) = state {
                cell.write_changes(state, to);
            }
        }
        self.index.write_changes(&replacement.index, to);
        self.properties.write_changes(&replacement.properties, to);
    }

    fn publish(mut self) {
        let Some(Replacement { index, properties, resources }) = self.replacement.take() else { return };
        for ((_, cell), state) in self.resources.iter_mut().zip(resources) {
            match state {
                Some(state) => cell.publish(state),
                None => cell.close(),
            }
        }
        self.index.publish(index);
        self.properties.publish(properties);
    }
}

impl<S: Resource> LockedService for LockedAccounts<S> {
    fn save(&self) -> SavedState {
        let by_name = self.accounts.iter().map(|account| (account.name.clone(), account.save())).collect();
        Arc::new(SavedAccounts { only: self.only.clone(), by_name })
    }

    fn prepare(&mut self, saved: &SavedState, tags: NewTags) {
        let Some(SavedAccounts { only, by_name }) = saved.downcast_ref::<SavedAccounts<S>>() else { return };
        for account in &mut self.accounts {
            match by_name.get(&account.name) {
                Some(saved) => account.prepare(saved, tags),
                // It was made later, on its first use.
                None if only.as_ref().is_none_or(|only| *only == account.name) => account.prepare(&SavedAccount::empty(), tags),
                None => {}
            }
        }
    }

    fn write(&self, to: &mut Changes<'_>) {
        self.accounts.iter().for_each(|account| account.write(to));
    }

    fn publish(self: Box<Self>) {
        self.accounts.into_iter().for_each(LockedAccount::publish);
    }
}
