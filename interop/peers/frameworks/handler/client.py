# SPDX-License-Identifier: Apache-2.0
"""Handler as a client: its command, which sends a message and prints the answer as JSON."""

import asyncio
import base64
import json
import os
import sys

import framework

COMMAND = os.path.join(os.path.dirname(sys.executable), "handler")


class Talk:
    def __init__(self, url):
        self.url, self.context, self.waits = url, None, None

    async def say(self, words):
        arguments = ["--output", "json", "message", "send", "--url", self.url, "--text", words]
        for flag, value in (("--context-id", self.context), ("--task-id", self.waits)):
            arguments += [flag, value] if value else []
        process = await asyncio.create_subprocess_exec(
            COMMAND, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        out, err = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"status {process.returncode}: {out.decode()} {err.decode()}")
        return self.read(json.loads(out))

    def read(self, task):
        said = framework.Said()
        self.context = task["contextId"]
        self.waits = task["id"] if task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED" else None
        for holder in [task["status"].get("message", {}), *task.get("artifacts", [])]:
            for part in holder.get("parts", []):
                take(said, part)
        return said


def take(said, part):
    """Adds one part to what was said."""
    if "text" in part:
        said.texts.append(part["text"])
    elif "data" in part:
        said.data.append(part["data"])
    elif "raw" in part:
        said.files.append(base64.b64decode(part["raw"]))


framework.play(Talk)
