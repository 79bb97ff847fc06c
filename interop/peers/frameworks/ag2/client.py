# SPDX-License-Identifier: Apache-2.0
"""AG2 as a client: an Agent whose model is a remote agent, by A2AConfig, with an observer of A2A events and a hook that is asked the
remote agent's questions."""

import asyncio

from ag2 import Agent, observer
from ag2.a2a import A2AConfig
from ag2.a2a.events import A2ATaskArtifactUpdate, A2ATaskStatusUpdate
from google.protobuf.json_format import MessageToDict

import framework


class Talk:
    def __init__(self, url):
        self.said, self.reply, self.run = None, None, None
        self.question, self.answer = asyncio.Queue(), asyncio.Queue()
        self.agent = Agent("remote", config=A2AConfig(card_url=url), hitl_hook=self.asked, observers=[
            observer(A2ATaskArtifactUpdate, self.artifact), observer(A2ATaskStatusUpdate, self.status),
        ])

    async def say(self, words):
        self.said = framework.Said()
        if self.run:  # an answer to a question
            await self.answer.put(words)
        else:
            begin = self.reply.ask if self.reply else self.agent.ask
            self.run = asyncio.create_task(begin(words))
        asked = asyncio.create_task(self.question.get())
        await asyncio.wait([self.run, asked], return_when=asyncio.FIRST_COMPLETED)
        if asked.done():
            self.said.texts.append(asked.result())
        else:
            asked.cancel()
            self.reply, self.run = await self.run, None
            self.said.texts.append(self.reply.body or "")
        return self.said

    async def asked(self, event) -> str:
        await self.question.put(event.content)
        return await self.answer.get()

    async def artifact(self, event: A2ATaskArtifactUpdate):
        self.take(event.update.artifact.parts, chunks=True)

    async def status(self, event: A2ATaskStatusUpdate):
        self.take(event.update.status.message.parts, chunks=False)

    def take(self, parts, chunks):
        for part in parts:
            if part.text and chunks:
                self.said.chunks.append(part.text)
            elif part.HasField("data"):
                self.said.data.append(MessageToDict(part.data))
            elif part.raw:
                self.said.files.append(part.raw)


framework.play(Talk)
