# SPDX-License-Identifier: Apache-2.0
"""Python A2A as a server: an A2AServer that handles tasks, which keeps what was said in each session."""

import sys

from python_a2a import A2AServer, TaskState, TaskStatus, agent, run_server, skill

import framework

PORT = int(sys.argv[1])


@agent(name=framework.AGENT, description=framework.DESCRIPTION, version="1.0.0")
class Currency(A2AServer):
    sessions = {}

    @skill(name="Conversion", description=framework.SKILL, tags=["currency"])
    def convert(self, text):
        return text

    def handle_task(self, task):
        said = self.sessions.setdefault(task.session_id, [])
        said.append((task.message or {}).get("content", {}).get("text", ""))
        answer = framework.answer(said)
        if answer.endswith("?"):
            task.status = TaskStatus(state=TaskState.INPUT_REQUIRED, message={"role": "agent", "content": {"type": "text", "text": answer}})
            return task
        task.artifacts = [{"parts": [{"type": "text", "text": answer}]}]
        task.status = TaskStatus(state=TaskState.COMPLETED)
        return task


run_server(Currency(url=f"http://127.0.0.1:{PORT}"), host="127.0.0.1", port=PORT)
