//! `redoubt fmt`: to come.
