#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Serves the sample agents currency and hello until Ctrl-C. "make run" builds the binary and calls this.
#
#   CURRENCY_ADDR   where currency listens (127.0.0.1:8080)
#   HELLO_ADDR      where hello listens (127.0.0.1:8081)
#   RUN_DATA        folder of the two databases (data/ in the checkout); tasks in it survive a restart
#   DRAGOMAN_BIN    the binary (bin/dragoman)
set -eu
cd "$(dirname "$0")/.."

bin=${DRAGOMAN_BIN:-bin/dragoman}
data=${RUN_DATA:-data}
currency=${CURRENCY_ADDR:-127.0.0.1:8080}
hello=${HELLO_ADDR:-127.0.0.1:8081}
currency_pid=
hello_pid=

terminate() {
	for pid in $currency_pid $hello_pid; do
		kill -TERM "$pid" 2>/dev/null || true
	done
}

# stop waits for the servers to drain. The next Ctrl-C is their second signal, which ends them at once.
stop() {
	trap terminate INT TERM
	trap - EXIT
	terminate
	until wait; do :; done # interrupted by that Ctrl-C
}

fail() {
	echo "run: $1" >&2
	stop
	exit 1
}

# ended PID NAME says how a server that nobody stopped has ended.
ended() {
	status=0
	wait "$1" || status=$?
	how="exit status $status; its message is above"
	[ "$status" -le 128 ] || how="signal $(kill -l "$status" 2>/dev/null || echo "$((status - 128))")"
	fail "$2 ended by itself ($how). The tasks are kept; run make run again"
}

# unready NAME
unready() {
	fail "$1 did not start; its message is above. If another make run goes on here, stop that first"
}

# ready PID ADDR NAME waits until the agent answers with its card, ten seconds at most.
ready() {
	tries=0
	until "$bin" card get -a "http://$2" >/dev/null 2>&1; do
		kill -0 "$1" 2>/dev/null || unready "$3"
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || fail "$3 does not answer at http://$2 after ten seconds"
		sleep 0.1
	done
	# The card may be that of somebody else's server on the same port.
	kill -0 "$1" 2>/dev/null || unready "$3"
}

trap 'stop; exit 0' INT TERM
trap stop EXIT

mkdir -p "$data"
"$bin" serve --agent currency --addr "$currency" --data-dir "$data" &
currency_pid=$!
"$bin" serve --agent hello --addr "$hello" --data-dir "$data" &
hello_pid=$!
ready "$currency_pid" "$currency" currency
ready "$hello_pid" "$hello" hello

cat <<EOF

Both agents are up; their tasks are kept in $data/. Try in another terminal:

  $bin send -a http://$currency --text "100 USD in GBP"
  $bin send -a http://$currency --text "How much is 1 USD?"
  $bin send -a http://$hello --text "Ann" --stream
  $bin task list -a http://$currency

Ctrl-C stops both.
EOF

# A server that ends by itself ends the other one too.
while :; do
	kill -0 "$currency_pid" 2>/dev/null || ended "$currency_pid" currency
	kill -0 "$hello_pid" 2>/dev/null || ended "$hello_pid" hello
	sleep 1
done
