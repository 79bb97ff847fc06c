#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs every fuzz target of the module, one after another, FUZZTIME each (30s). "make fuzz" calls this.
#
#   FUZZTIME   duration or count, as "go test -fuzztime" takes it (30s)
#   FUZZPKG    packages to look in (./...)
set -eu
cd "$(dirname "$0")/.."

time=${FUZZTIME:-30s}
count=0
packages=$(go list "${FUZZPKG:-./...}") # apart, so that a failure ends the script
for package in $packages; do
	# The list ends with a line about the package itself; a package that does not build must not pass for one without targets.
	list=$(go test -list '^Fuzz' "$package") || { echo "$list" >&2; exit 1; }
	for target in $(echo "$list" | grep '^Fuzz' || true); do
		echo "== $package $target ($time)"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
		count=$((count + 1))
	done
done
[ "$count" -gt 0 ] || { echo "fuzz: no targets in ${FUZZPKG:-./...}" >&2; exit 1; }
echo "fuzz: $count targets, $time each, no failure"
