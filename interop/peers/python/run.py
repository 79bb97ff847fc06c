# SPDX-License-Identifier: Apache-2.0
"""What the clients share: each scenario runs with a deadline and becomes one line of JSON on standard output."""

import asyncio
import json
import sys
import traceback

DEADLINE = 20  # seconds of one scenario

# What the scenarios say to the sample agent currency and to the probe agent.
AMOUNT = "100 USD in GBP"
RESULT = "77.252"
QUESTION = "How much is 1 USD?"
ANSWER = "GBP"
SLOW = "slow"
ECHO = "echo"
BYTES = b"\x00\x01binary\xff"
BYTES_TYPE, BYTES_NAME = "application/octet-stream", "blob.bin"
LINK, LINK_TYPE, LINK_NAME = "https://example.com/photo.png", "image/png", "photo.png"
DATA = {"name": "Ada", "nested": {"list": [1, "two", True, None]}}
ERRAND = "reimburse lunch for 20 EUR but needs to be converted to USD ahead of time."
UNKNOWN = "01a1fd5d-0000-7000-8000-000000000000"
WEBHOOK = "https://example.com/hook"


PROGRAM = ("sid1", "verysecret")  # what the OpenID provider knows of it


async def token(http, configuration):
    """Gets an access token for a program from the OpenID provider whose configuration is at a URL."""
    provider = (await http.get(configuration)).raise_for_status().json()
    form = {"grant_type": "client_credentials", "scope": "openid"}
    answer = await http.post(provider["token_endpoint"], data=form, auth=PROGRAM)
    return answer.raise_for_status().json()["access_token"]


async def unauthenticated(call):
    """Expects a call to fail because it has no credential: with 401, or UNAUTHENTICATED over gRPC."""
    try:
        await call
    except Exception as e:  # noqa: BLE001 each transport of each SDK has its own
        check("401" in str(e) or "UNAUTHENTICATED" in str(e), f"401 expected, not {type(e).__name__}: {e}")
        return
    check(False, "401 expected, not success")


class NotOffered(Exception):
    """The SDK has no way to do what a scenario needs."""


def check(truth, *detail):
    """Fails the scenario unless truth holds."""
    if not truth:
        raise AssertionError(" ".join(str(d) for d in detail))


def same_data(got):
    """Compares a data part with DATA; protobuf knows no integers, so 1 and 1.0 are the same."""
    check(got == DATA, "the data part came back as", got)


async def play(scenarios):
    """Runs the scenarios, a dict of coroutine functions, in their order."""
    for name, scenario in scenarios.items():
        line = {"scenario": name, "ok": True, "detail": ""}
        try:
            line["detail"] = await asyncio.wait_for(scenario(), DEADLINE) or ""
        except NotOffered as e:
            line.update(ok=False, absent=True, detail=str(e))
        except (Exception, asyncio.CancelledError) as e:  # noqa: BLE001 whatever it is, it is the result
            traceback.print_exc(file=sys.stderr)
            line.update(ok=False, detail=f"{type(e).__name__}: {e}"[:600])
        print(json.dumps(line), flush=True)


def arguments():
    """Returns the URL of currency, that of the probe, and the transport."""
    if len(sys.argv) != 4:
        sys.exit("usage: client.py CURRENCY-URL PROBE-URL TRANSPORT")
    return sys.argv[1], sys.argv[2], sys.argv[3]
