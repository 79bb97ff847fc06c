# SPDX-License-Identifier: Apache-2.0
"""Microsoft's Agent Framework as a client: an A2AAgent with the card of the agent, in a session."""

import base64
import json

import httpx
from a2a.client import A2ACardResolver
from agent_framework_a2a import A2AAgent

import framework


class Talk:
    def __init__(self, url):
        self.url, self.agent, self.session = url, None, None

    async def say(self, words):
        if not self.agent:
            async with httpx.AsyncClient() as client:
                card = await A2ACardResolver(httpx_client=client, base_url=self.url).get_agent_card()
            self.agent = A2AAgent(name=card.name, agent_card=card, url=self.url)
            self.session = self.agent.create_session()
        said = framework.Said()
        response = await self.agent.run(words, session=self.session)
        for message in response.messages:
            for content in message.contents:
                take(said, content)
        return said


def take(said, content):
    """Adds one content to what was said. The framework makes text of data, on lines after the text before it."""
    if content.type == "text":
        text, brace, data = ("\n" + content.text).partition("\n{")
        said.texts.append(text)
        if brace:
            said.data.append(json.loads("{" + data))
    elif content.type == "data":
        said.files.append(base64.b64decode(content.uri.partition(",")[2]))


framework.play(Talk)
