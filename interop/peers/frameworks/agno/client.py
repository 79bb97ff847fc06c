# SPDX-License-Identifier: Apache-2.0
"""Agno as a client: a RemoteAgent with protocol a2a, in its default form."""

from uuid import uuid4

from agno.agent import RemoteAgent

import framework


class Talk:
    def __init__(self, url):
        self.agent, self.session = RemoteAgent(base_url=url, agent_id="remote", protocol="a2a"), str(uuid4())

    async def say(self, words):
        said = framework.Said()
        output = await self.agent.arun(words, session_id=self.session)
        said.texts.append(output.content)
        said.files += [i.content for i in output.images or []]
        return said


framework.play(Talk)
