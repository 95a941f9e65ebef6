//! Random circuits: the checker against sets of states that are computed one by one.
