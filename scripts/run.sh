#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Serves the sample agents currency, hello and expenses, a host before them and a console until Ctrl-C. "make run" builds the binary and calls this.
#
#   CURRENCY_ADDR   where currency listens (127.0.0.1:8080)
#   HELLO_ADDR      where hello listens (127.0.0.1:8081)
#   EXPENSES_ADDR   where expenses listens (127.0.0.1:8082)
#   HOST_ADDR       where the host listens (127.0.0.1:8100)
#   CONSOLE_ADDR    where the console listens (127.0.0.1:12000)
#   RUN_DATA        folder of the databases (data/ in the checkout); tasks in it survive a restart
#   DRAGOMAN_BIN    the binary (bin/dragoman)
set -eu
cd "$(dirname "$0")/.."

bin=${DRAGOMAN_BIN:-bin/dragoman}
data=${RUN_DATA:-data}
currency=${CURRENCY_ADDR:-127.0.0.1:8080}
hello=${HELLO_ADDR:-127.0.0.1:8081}
expenses=${EXPENSES_ADDR:-127.0.0.1:8082}
host=${HOST_ADDR:-127.0.0.1:8100}
console=${CONSOLE_ADDR:-127.0.0.1:12000}
servers= # NAME:PID of each

terminate() {
	for server in $servers; do
		kill -TERM "${server#*:}" 2>/dev/null || true
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

# start NAME COMMAND... runs a server of the binary.
start() {
	name=$1
	shift
	"$bin" "$@" --data-dir "$data" &
	servers="$servers $name:$!"
}

# ready NAME ADDR waits until the agent answers with its card, ten seconds at most.
ready() {
	pid=${servers##* "$1":}
	pid=${pid%% *}
	tries=0
	until "$bin" card get -a "http://$2" >/dev/null 2>&1; do
		kill -0 "$pid" 2>/dev/null || unready "$1"
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || fail "$1 does not answer at http://$2 after ten seconds"
		sleep 0.1
	done
	# The card may be that of somebody else's server on the same port.
	kill -0 "$pid" 2>/dev/null || unready "$1"
}

trap 'stop; exit 0' INT TERM
trap stop EXIT

mkdir -p "$data"
start currency serve --agent currency --addr "$currency"
start hello serve --agent hello --addr "$hello"
start expenses serve --agent expenses --addr "$expenses"
ready currency "$currency"
ready hello "$hello"
ready expenses "$expenses"
start host host -a "http://$currency" -a "http://$expenses" --serve "$host"
ready host "$host"
start console console --addr "$console" -a "http://$host" -a "http://$currency" -a "http://$expenses" -a "http://$hello"

cat <<EOF

All agents are up; their tasks are kept in $data/. Open the console in a browser:

  http://$console

Start a conversation with Host and ask it:

  reimburse lunch for 20 EUR but needs to be converted to USD ahead of time

Or try in another terminal:

  $bin send -a http://$currency --text "100 USD in GBP"
  $bin send -a http://$currency --text "How much is 1 USD?"
  $bin send -a http://$hello --text "Ann" --stream
  $bin task list -a http://$currency

Ctrl-C stops all.
EOF

# A server that ends by itself ends the others, too.
while :; do
	for server in $servers; do
		kill -0 "${server#*:}" 2>/dev/null || ended "${server#*:}" "${server%%:*}"
	done
	sleep 1
done
