# SPDX-License-Identifier: Apache-2.0
"""A2A Min as a client: an A2aMinClient with the URL of the agent."""

import base64
from uuid import uuid4

from a2a_min import A2aMinClient
from a2a_min.base.types import TaskState

import framework


class Talk:
    def __init__(self, url):
        self.client, self.session, self.waits = A2aMinClient.connect(url), uuid4().hex, None

    async def say(self, words):
        said = framework.Said()
        task = await self.client.send_message(words, session_id=self.session, task_id=self.waits)
        self.waits = task.id if task.status.state == TaskState.INPUT_REQUIRED else None
        for holder in [task.status.message, *(task.artifacts or [])]:
            for part in holder.parts if holder else []:
                take(said, part)
        return said


def take(said, part):
    """Adds one part to what was said."""
    if part.type == "text":
        said.texts.append(part.text)
    elif part.type == "data":
        said.data.append(part.data)
    elif part.file.bytes:
        said.files.append(base64.b64decode(part.file.bytes))


framework.play(Talk)
