#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Sees to it that there is a browser for the tests in browser/: installs one where that needs no questions, or says how.
set -eu
[ -n "${DRAGOMAN_BROWSER:-}" ] && exit 0
for name in chromium chromium-browser google-chrome google-chrome-stable; do
	command -v "$name" >/dev/null && exit 0
done
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
	echo "browser: installing chromium, which the tests of pages need"
	if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >/dev/null 2>&1; then
		exit 0
	fi
fi
echo "browser: there is none, so the tests of pages are SKIPPED; enable them with: apt-get install chromium (or set DRAGOMAN_BROWSER)"
