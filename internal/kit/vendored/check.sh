#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Checks the types of the scripts of pages, in a folder that looks as a server shows them.
set -eu
cd "$(dirname "$0")"
npm ci --silent --no-audit --no-fund
rm -rf served
mkdir served
cp -R ../web served/.dragoman
cp ../../../apps/console/web/*.js served/
node_modules/.bin/tsc -p .
rm -rf served
