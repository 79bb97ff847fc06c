# SPDX-License-Identifier: Apache-2.0
"""Strands Agents as a client: an A2AAgent with the URL of the agent."""

from strands.agent.a2a_agent import A2AAgent

import framework
import run


class Talk:
    def __init__(self, url):
        self.agent, self.begun = A2AAgent(endpoint=url), False

    async def say(self, words):
        if self.begun:
            raise run.NotOffered("A2AAgent names neither task nor context, so each message begins a conversation")
        self.begun = True
        said = framework.Said()
        async for event in self.agent.stream_async(words):
            if "result" in event:
                said.texts += [c["text"] for c in event["result"].message["content"]]
                continue
            _, update = event["event"]
            if update and update.kind == "artifact-update":
                for part in update.artifact.parts:
                    take(said, part.root)
            elif update and update.status.message:
                said.data += [p.root.data for p in update.status.message.parts if p.root.kind == "data"]
        return said


def take(said, part):
    """Adds a part of an artifact to what was said."""
    if part.kind == "text" and part.text:
        said.chunks.append(part.text)
    elif part.kind == "data":
        said.data.append(part.data)
    elif part.kind == "file":
        said.files.append(framework.content(part.file))


framework.play(Talk)
