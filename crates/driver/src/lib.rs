//! A question in, a verdict out: who works on it, when, and what becomes of what they find.
//!
//! The [`ledger`] books who decided what, and believes nobody. [`check`] has the strategies for programs and their
//! schedules, [`time`] those for properties of whole runs, [`ltl`] for formulas on the machine behind a program,
//! [`hardware`] for circuits, [`relational`] for relational models. The [`journal`] keeps verdicts,
//! [`encode`] hands programs to other tools.

use redoubt_base as base;
use redoubt_bits::{blast, certify, relations, system};
use redoubt_boxes::{abstraction, boxes, exact, explorer};
use redoubt_checker as certificate;
use redoubt_circuit as circuit;
use redoubt_clauses::{cnf, sat};
use redoubt_engine::engine;
use redoubt_facts::{analysis, claims};
use redoubt_formula as formula;
use redoubt_languages as languages;
use redoubt_program::{expr, program, simulate, text};
use redoubt_simplify as simplify;
use redoubt_smv as smv;
use redoubt_states::{explicit, ranking};
use redoubt_temporal as temporal;
use redoubt_witness as witness;
use redoubt_words as words;

pub mod check;
pub mod encode;
pub mod hardware;
pub mod journal;
pub mod ledger;
pub mod ltl;
pub mod modal;
pub mod relational;
pub mod time;
