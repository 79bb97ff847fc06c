# SPDX-License-Identifier: Apache-2.0

"""The object layer of a2amcp-sdk over a real call: its one transport method is a placeholder, which is replaced here."""

import asyncio
import json
import sys
import urllib.request

from a2amcp.core import A2AMCPClient, Agent, ConflictError, ConflictStrategy, Project, TimeoutError, TodoStatus


class Client(A2AMCPClient):
    def _call_mcp_tool(self, tool_name, **kwargs):
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "a2amcp-sdk", "version": "0.1.4"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": tool_name, "arguments": kwargs, "_meta": meta}
        request = urllib.request.Request(
            self.server_url,
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode(),
            {
                "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool_name,
            },
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            body = response.read().decode()
        if not body.startswith("{"):  # an event stream
            body = next(line[len("data:"):] for line in reversed(body.splitlines()) if line.startswith("data:"))
        return json.loads(body)["result"]["content"][0]["text"]


async def main():
    project = Project(Client(sys.argv[1]), "a2amcp")
    ann = Agent(project, "001", "feature/auth", "Build authentication")
    bob = Agent(project, "002", "feature/ui", "Build the login page")
    async with ann, bob:
        assert (await ann.register())["other_active_agents"] == ["task-002"]
        agents = await project.agents.list()
        assert list(agents) == ["task-001", "task-002"] and agents["task-001"].branch == "feature/auth"
        assert agents["task-001"].started_at.endswith("Z") and agents["task-001"].status == "active"

        first = await ann.todos.add("Create login endpoint", 2)
        second = await ann.todos.add("Write tests")
        await ann.todos.complete(first)
        await ann.todos.block(second)
        assert [(t.text, t.status, t.priority) for t in await ann.todos.list()] == [
            ("Create login endpoint", TodoStatus.COMPLETED, 2), ("Write tests", TodoStatus.BLOCKED, 1),
        ]
        ((owner, todo),) = await project.todos.find_by_text("LOGIN")
        assert owner == "task-001" and todo.id == first and todo.completed_at

        async with ann.files.coordinate("src/user.ts", "create", "Creating the model"):
            try:
                await bob.files.lock("src/user.ts", strategy=ConflictStrategy.ABORT)
                raise AssertionError("two agents have one file")
            except ConflictError as e:
                assert (e.conflict.agent, e.conflict.change_type, e.conflict.description) == ("task-001", "create", "Creating the model")
        await bob.files.lock("src/user.ts", description="Adding fields")
        await bob.files.release("src/user.ts")
        assert [c["session"] for c in await project.get_recent_changes(5)] == ["task-002", "task-001"]

        await project.interfaces.register("task-001", "User", "interface User {}")
        user = await project.interfaces.require("User", timeout=5)
        assert (user.registered_by, user.file_path, user.definition) == ("task-001", None, "interface User {}")
        assert await project.interfaces.get("Nothing") is None and list(await project.interfaces.list()) == ["User"]

        @ann.handles("query")
        async def answer(message):
            return f"{message['query_type']}: id and name"

        async def answers():
            while True:
                await ann.process_messages()
                await asyncio.sleep(0.05)

        answering = asyncio.create_task(answers())
        assert await bob.communication.query("task-001", "interface", "What fields?") == "interface: id and name"
        answering.cancel()
        assert await bob.communication.query("task-999", "help", "?") is None
        try:
            await ann.communication.query("task-002", "status", "Done?", timeout=1)
            raise AssertionError("nobody answered")
        except TimeoutError:
            pass
        assert await ann.communication.broadcast("info", "User is ready") == 1
        query, broadcast = await bob.communication.check_messages()
        assert (query["type"], query["requires_response"]) == ("query", True)
        assert (broadcast["type"], broadcast["message_type"], broadcast["content"]) == ("broadcast", "info", "User is ready")
        assert await bob.communication.check_messages() == []
    assert await project.agents.list() == {}


asyncio.run(main())
