# SPDX-License-Identifier: Apache-2.0
"""The graph that agent.py serves: one node, which answers, or asks by an interrupt."""

import base64
from typing import Annotated

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import interrupt
from typing_extensions import TypedDict

import framework


class State(TypedDict):
    messages: Annotated[list, add_messages]


def node(state):
    blocks = [b for m in state["messages"] if m.type == "human" for b in m.content_blocks]
    said = [b["text"] for b in blocks if b["type"] == "text"]
    last = [b for b in state["messages"][-1].content_blocks if b.get("base64")]
    answer = framework.answer(said, [base64.b64decode(b["base64"]) for b in last])
    if answer.endswith("?"):
        answer = framework.answer([*said, text_of(interrupt(answer))])
    return {"messages": [AIMessage(content=answer)]}


def text_of(resumed):
    """Returns the text that a task was resumed with."""
    return resumed if isinstance(resumed, str) else str(resumed)


graph = StateGraph(State).add_node("agent", node).add_edge(START, "agent").add_edge("agent", END).compile()
