#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Makes the files in ../web/vendor of the libraries in package.json, with their licences and checksums.
set -eu
cd "$(dirname "$0")"
npm ci --silent --no-audit --no-fund
[ -x node_modules/esbuild/bin/esbuild ] && node node_modules/esbuild/install.js
out=../web/vendor
mkdir -p "$out"
for name in preact marked prism; do
	node_modules/.bin/esbuild "$name.js" --bundle --format=esm --minify --target=es2022 --legal-comments=none \
		--log-level=warning --outfile="$out/$name.js"
done
for library in preact htm @preact/signals @preact/signals-core marked prismjs; do
	printf '== %s %s\n\n' "$library" "$(node -p "require('./node_modules/$library/package.json').version")"
	cat node_modules/$library/LICENSE*
	echo
done >"$out/LICENSES.txt"
(cd "$out" && sha256sum LICENSES.txt marked.js preact.js prism.js >SHA256SUMS)
