# SPDX-License-Identifier: Apache-2.0
"""FastA2A as a server: a Pydantic AI agent with a scripted model, served by agent_to_a2a."""

import sys

import uvicorn
from fasta2a.pydantic_ai import agent_to_a2a
from fasta2a.schema import Skill
from pydantic_ai import Agent
from pydantic_ai.messages import BinaryContent, ModelRequest, ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

import framework

PORT = int(sys.argv[1])


def words(messages):
    said, pictures = [], []
    for m in messages:
        for part in m.parts if isinstance(m, ModelRequest) else []:
            for content in [part.content] if isinstance(part.content, str) else part.content:
                if isinstance(content, BinaryContent):
                    pictures.append(content.data)
                else:
                    said.append(content)
    last = any(not isinstance(p.content, str) for p in messages[-1].parts)
    return framework.answer(said, pictures if last else ())


async def reply(messages, info):
    return ModelResponse(parts=[TextPart(words(messages))])


async def stream(messages, info):
    for word in words(messages).split(" "):
        yield word + " "


skill = Skill(
    id="convert", name="Conversion", description=framework.SKILL, tags=["currency"], input_modes=["text/plain"], output_modes=["text/plain"])
app = agent_to_a2a(
    Agent(FunctionModel(reply, stream_function=stream)), name=framework.AGENT, description=framework.DESCRIPTION,
    url=f"http://127.0.0.1:{PORT}", skills=[skill])
uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
