#!/usr/bin/env bash
# Checks lease.pml exhaustively: `check.sh [ends] [-DNAME[=VALUE]...]`, e.g. `check.sh -DFAULT_NO_MARK -DTTL=3`.
#
# Without `ends` the assertions are checked, with it that every run ends. Prints what Spin's verifier reports, and where
# it found an error the trail to it. Exits 0 if there is none, 1 if there is one, 2 if it could not be checked.
# TRAIL=0 leaves the trail out; SHORT=1 looks for a shorter one; MEMORY is the limit in megabytes (1024).
set -uo pipefail
model=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/lease.pml

for tool in spin cc; do
  command -v "$tool" > /dev/null || { echo "$tool is missing; on Debian: apt-get install spin gcc" >&2; exit 2; }
done

compile=(-w "${OPTIMIZE:--O2}" "-DMEMLIM=${MEMORY:-1024}" -DSAFETY)
search=(-m100000)
defines=("$@")
if [ "${1:-}" = ends ]; then
  defines=(-DLIVENESS "${@:2}")
  compile=(-w "${OPTIMIZE:--O2}" "-DMEMLIM=${MEMORY:-1024}" -DNFAIR=3)
  search+=(-a -f)
fi
if [ "${SHORT:-0}" = 1 ]; then
  compile+=(-DREACH)
  search+=(-i)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cp "$model" lease.pml
spin "${defines[@]}" -a lease.pml > spin.log || { cat spin.log >&2; exit 2; }
cc "${compile[@]}" -o pan pan.c || exit 2
./pan "${search[@]}" > report || { cat report >&2; exit 2; }
cat report

grep -qE 'errors: [1-9]' report && found=1 || found=0
if [ "$found" = 0 ] && grep -qE 'Search not completed|max search depth too small|out of memory' report; then exit 2; fi
if [ "$found" = 1 ] && [ "${TRAIL:-1}" = 1 ]; then spin "${defines[@]}" -t -p lease.pml; fi
exit "$found"
