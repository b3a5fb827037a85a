# The commands that CI runs, by short names.

# List the commands
default:
    @just --list

# Format the code
fmt:
    cargo fmt

# Check format and lints
lint:
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings

# Run the tests
test *args:
    cargo test --locked {{args}}

# Start the server
run *args:
    cargo run --release -- {{args}}

# Run the official SDKs against a server
conformance *args="":
    conformance/run {{args}}

# Measure what operations cost beside ten thousand entities and messages, and beside a million
bench:
    cargo bench --locked --bench scale

# Measure what it costs to keep data on disk: puts a second, and a start over a million blobs and entities
bench-disk *count:
    cargo bench --locked --bench disk -- {{count}}

# Check licences, advisories and sources of the dependencies
deny:
    cargo deny check

# Build the documentation of the code
docs:
    cargo doc --no-deps --document-private-items

# Build the book of docs/ into target/book, and check its links
book:
    scripts/book

# All that must hold before a change lands
ci:
    .ci/run
