# SPDX-License-Identifier: Apache-2.0
"""CrewAI as a client: an Agent with the URL of a remote agent, in a Crew. Its model is scripted: it passes on what the user says, and shows
the user what the conversation with the remote agent has come to."""

import asyncio
import json
import os
import queue
import sys
import threading

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

from crewai import Agent, BaseLLM, Crew, Task  # noqa: E402 it reads the variables
from crewai.a2a import A2AClientConfig  # noqa: E402

import framework  # noqa: E402


class Scripted(BaseLLM):
    def __init__(self, talk):
        super().__init__(model="scripted")
        self._talk = talk

    def call(self, messages, *args, **options):
        return self._talk.turn(messages[-1]["content"])


class Talk:
    def __init__(self, url):
        # By default CrewAI accepts application/json only, of which it reads nothing: it reads text.
        modes = ["text/plain", "image/png", "application/json"]
        self.remote = A2AClientConfig(endpoint=url, trust_remote_completion_status=True, accepted_output_modes=modes)
        self.thread = None
        self.loop, self.said = asyncio.get_running_loop(), asyncio.Queue()
        self.words = queue.Queue()

    async def say(self, words):
        self.words.put(words)
        if not self.thread:
            self.thread = threading.Thread(target=self.work, daemon=True)
            self.thread.start()
        text = await self.said.get()
        if isinstance(text, Exception):
            raise text
        said = framework.Said()
        if isinstance(text, str):
            said.texts.append(text)
            return said
        for part in text[-1]["parts"]:
            said.texts += [part["text"]] if part["kind"] == "text" else []
            said.data += [part["data"]] if part["kind"] == "data" else []
        return said

    def show(self, text):
        self.loop.call_soon_threadsafe(self.said.put_nowait, text)

    def work(self):
        try:
            agent = Agent(role="Clerk", goal="Help", backstory="Knows others", llm=Scripted(self), a2a=self.remote)
            task = Task(description="Do what the user says", expected_output="The answer", agent=agent)
            self.show(Crew(agents=[agent], tasks=[task]).kickoff().raw)
        except Exception as e:  # noqa: BLE001 whatever it is, it is the result
            self.show(e)

    def turn(self, prompt):
        """Returns what the model answers to a prompt, which has the conversation with the remote agent once there is one."""
        _, begun, rest = prompt.partition("<PREVIOUS_A2A_CONVERSATION>")
        if begun and '"agent"' in rest:
            self.show(messages(rest.partition("</PREVIOUS_A2A_CONVERSATION>")[0].strip()))
        return json.dumps({"a2a_ids": [str(self.remote.endpoint)], "message": self.words.get(), "is_a2a": True})


def messages(conversation):
    """Returns the messages that a prompt shows, one JSON object after the other."""
    found, decoder = [], json.JSONDecoder()
    while conversation:
        message, end = decoder.raw_decode(conversation)
        found.append(message)
        conversation = conversation[end:].strip()
    return found


framework.play(Talk)
sys.stdout.flush()
os._exit(0)  # a conversation that waits for its user holds threads
