# SPDX-License-Identifier: Apache-2.0
"""FastA2A as a client: an A2AClient with the URL of the agent."""

import base64
from uuid import uuid4

from fasta2a.client import A2AClient

import framework


class Talk:
    def __init__(self, url):
        self.client, self.context, self.waits = A2AClient(url), None, None

    async def say(self, words):
        said = framework.Said()
        message = {"role": "user", "parts": [{"text": words}], "message_id": str(uuid4())}
        if self.context:
            message["context_id"] = self.context
        if self.waits:
            message["task_id"] = self.waits
        async for answer in self.client.stream_message(message):
            if "error" in answer:
                raise RuntimeError(answer["error"])
            self.take(said, answer["result"])
        return said

    def take(self, said, event):
        """Adds what one event shows to what was said."""
        status, artifacts, task = None, [], event
        if "task" in event:
            task = event["task"]
            status, artifacts = task["status"], task.get("artifacts", [])
            self.context, self.waits = task["context_id"], task["id"]
        elif "status_update" in event:
            status = event["status_update"]["status"]
        elif "artifact_update" in event:
            artifacts = [event["artifact_update"]["artifact"]]
        if status:
            self.waits = self.waits if status["state"] in ("input-required", "working", "submitted") else None
            add(said, (status.get("message") or {}).get("parts", []), said.texts)
        for artifact in artifacts:
            add(said, artifact["parts"], said.chunks)


def add(said, parts, texts):
    for part in parts:
        if "text" in part:
            texts.append(part["text"])
        elif "data" in part:
            said.data.append(part["data"])
        elif "raw" in part:
            said.files.append(base64.b64decode(part["raw"]))


framework.play(Talk)
