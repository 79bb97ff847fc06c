# SPDX-License-Identifier: Apache-2.0
"""Google ADK as a server: an LlmAgent with a scripted model, served by to_a2a."""

import sys
import warnings

import uvicorn
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.genai import types

import framework

warnings.filterwarnings("ignore")  # that the A2A support of ADK is experimental
PORT = int(sys.argv[1])


class Scripted(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        parts = [p for c in llm_request.contents if c.role == "user" for p in c.parts]
        last = [p for p in llm_request.contents[-1].parts if p.inline_data]
        words = framework.answer([p.text for p in parts if p.text], [p.inline_data.data for p in last])
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=words)]))


agent = LlmAgent(
    name=framework.AGENT, model=Scripted(model="scripted"), description=framework.DESCRIPTION, instruction=framework.SKILL)
uvicorn.run(to_a2a(agent, host="127.0.0.1", port=PORT), host="127.0.0.1", port=PORT, log_level="warning")
