# The quality recipe; `.ci/run` is all of it.

# Everything that must hold before a change lands.
all:
    .ci/run

# Format the code.
format:
    cargo fmt --all

# Clippy's warnings, as errors.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# All tests, or the integration tests of one module.
test module="":
    cargo test {{ if module == "" { "" } else { "--test it " + module + "::" } }}

# The search on several workers, which is not built by default, and the package for Python, with a target folder of its own.
distributed:
    cargo test --release -p redoubt-exchange
    cargo test --release --features distributed --test distributed

python:
    CARGO_TARGET_DIR=target/python pip install './python[test]' && python -m pytest python

# Random programs through the whole pipeline for a number of seconds, different ones every day.
soak seconds="60":
    REDOUBT_SOAK={{ seconds }} cargo test --test it soak:: -- --ignored --nocapture

# Whether the generated parsers are current.
parsers:
    cargo run -q -p redoubt-grammar -- --check

# The API documentation, with warnings as errors.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# The command lines of the README.
readme:
    .ci/readme

# Accept changed snapshots and the outputs in docs/.
snapshots:
    INSTA_UPDATE=always UPDATE_DOCS=1 cargo test --no-fail-fast
