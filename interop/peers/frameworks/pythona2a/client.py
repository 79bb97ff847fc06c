# SPDX-License-Identifier: Apache-2.0
"""Python A2A as a client: an A2AClient with the URL of the agent."""

import asyncio
from uuid import uuid4

from python_a2a import A2AClient, Message, MessageRole, TextContent

import framework


class Talk:
    def __init__(self, url):
        self.client, self.conversation = A2AClient(url, google_a2a_compatible=True), str(uuid4())

    async def say(self, words):
        said = framework.Said()
        message = Message(content=TextContent(text=words), role=MessageRole.USER, conversation_id=self.conversation)
        answer = await asyncio.to_thread(self.client.send_message, message)
        said.texts.append(answer.content.text if answer.content.type == "text" else str(answer.content))
        return said


framework.play(Talk)
