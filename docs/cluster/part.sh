#!/bin/sh
# One part of a run: part.sh I N FILE... decides the I-th of N parts, writes part-I.jsonl, and goes on where it was if it is
# started again. REDOUBT is the command (redoubt), OUT the folder for the results (.), OPTIONS what else to ask for.
set -eu
part=$1 parts=$2
shift 2
out=${OUT:-.}
journal=$out/part-$part.journal
mkdir -p "$out"
if [ -s "$journal" ]; then keep=--resume; else keep=--journal; fi
code=0
# shellcheck disable=SC2086
"${REDOUBT:-redoubt}" check "$@" --quiet --shard "$part/$parts" --format jsonl "$keep" "$journal" ${OPTIONS:-} \
    > "$out/part-$part.tmp" || code=$?
case $code in
    0 | 10 | 20) mv "$out/part-$part.tmp" "$out/part-$part.jsonl" ;; # decided, or not: both are results
    *) exit $code ;;
esac
