# SPDX-License-Identifier: Apache-2.0
"""Strands Agents as a server: an Agent for each conversation, with a scripted model, served by A2AServer."""

import sys

from a2a.types import AgentSkill
from strands import Agent
from strands.models import Model
from strands.multiagent.a2a import A2AServer

import framework


class Scripted(Model):
    def update_config(self, **config):
        pass

    def get_config(self):
        return {}

    def structured_output(self, output_model, prompt, system_prompt=None, **options):
        raise NotImplementedError

    async def stream(self, messages, tool_specs=None, system_prompt=None, **options):
        said = [c["text"] for m in messages if m["role"] == "user" for c in m["content"] if "text" in c]
        pictures = [c["image"]["source"]["bytes"] for c in messages[-1]["content"] if "image" in c]
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        for word in framework.answer(said, pictures).split(" "):
            yield {"contentBlockDelta": {"delta": {"text": word + " "}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def agent(context_id):
    return Agent(model=Scripted(), name=framework.AGENT, description=framework.DESCRIPTION, callback_handler=None)


skill = AgentSkill(id="convert", name="Conversion", description=framework.SKILL, tags=["currency"])
A2AServer(agent_factory=agent, skills=[skill], host="127.0.0.1", port=int(sys.argv[1])).serve(log_level="warning")
