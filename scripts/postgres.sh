#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Sees to it that the tests find PostgreSQL and PgBouncer: installs them where that needs no questions, or says how. The
# tests start servers of their own; one that the installation starts is stopped again.
set -eu
found() { [ -n "$(ls /usr/lib/postgresql/*/bin/initdb /usr/pgsql-*/bin/initdb 2>/dev/null)" ] || command -v initdb >/dev/null; }
pooler() { command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ]; }
found && pooler && exit 0
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
	echo "postgres: installing postgresql and pgbouncer, which the tests of several nodes need"
	mkdir -p /etc/postgresql-common
	[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
	if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql pgbouncer; } >/dev/null 2>&1; then
		exit 0
	fi
fi
echo "postgres: there is none, so the tests of several nodes are SKIPPED; enable them with: apt-get install postgresql pgbouncer"
