# SPDX-License-Identifier: Apache-2.0
"""Google ADK as a client: a RemoteA2aAgent with the URL of the agent's card, in a Runner with a session."""

import json
import logging
import sys
import warnings

from google.adk.a2a.converters.part_converter import A2A_DATA_PART_END_TAG, A2A_DATA_PART_START_TAG
from google.adk.agents.remote_a2a_agent import AGENT_CARD_WELL_KNOWN_PATH, RemoteA2aAgent
from google.adk.runners import InMemoryRunner
from google.genai import types

import framework

warnings.filterwarnings("ignore")  # that the A2A support of ADK is experimental
logging.basicConfig(stream=sys.stderr)
APP = USER = "interop"


class Talk:
    def __init__(self, url):
        remote = RemoteA2aAgent(name="remote", agent_card=url + AGENT_CARD_WELL_KNOWN_PATH)
        self.runner, self.session = InMemoryRunner(agent=remote, app_name=APP), None

    async def say(self, words):
        if not self.session:
            self.session = await self.runner.session_service.create_session(app_name=APP, user_id=USER)
        said = framework.Said()
        message = types.Content(role="user", parts=[types.Part(text=words)])
        async for event in self.runner.run_async(user_id=USER, session_id=self.session.id, new_message=message):
            if event.error_message:
                raise RuntimeError(event.error_message)
            for part in (event.content and event.content.parts) or []:
                take(said, part, event.partial)
        return said


def take(said, part, partial):
    """Adds what one part shows to what was said."""
    if part.text and partial:
        said.chunks.append(part.text)
    elif part.text and not part.thought:
        said.texts.append(part.text)
    elif part.function_call:  # by which ADK shows a question
        said.texts += [str(v) for v in part.function_call.args.values()]
    elif part.inline_data and part.inline_data.data.startswith(A2A_DATA_PART_START_TAG):
        content = part.inline_data.data.removeprefix(A2A_DATA_PART_START_TAG).removesuffix(A2A_DATA_PART_END_TAG)
        said.data.append(json.loads(content))
    elif part.inline_data:
        said.files.append(part.inline_data.data)


framework.play(Talk)
