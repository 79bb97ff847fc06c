# SPDX-License-Identifier: Apache-2.0
"""LangGraph as a server: a graph that asks by an interrupt, served by langgraph-api in memory."""

import os
import sys

os.environ |= {"LANGGRAPH_NO_VERSION_CHECK": "true", "LANGSMITH_TRACING": "false"}

from langgraph_api.cli import run_server  # noqa: E402

GRAPH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "currency.py") + ":graph"
os.chdir(sys.prefix)  # the server keeps its state in .langgraph_api below the working folder: let that be in the cache
run_server("127.0.0.1", int(sys.argv[1]), graphs={"Currency": GRAPH}, disable_persistence=True)
