# SPDX-License-Identifier: Apache-2.0

"""Requests come as lines of JSON on standard input, each from one of several clients of MCP that live in this program, and
what came of each goes as a line with its id to standard output."""

import asyncio
import json
import sys

# The arguments are the revision of MCP to speak, and "http" URL or "stdio" COMMAND...
revision, transport, *target = sys.argv[1:]


def say(value):
    print(json.dumps(value), flush=True)


def blocks(models):
    return [m.model_dump(by_alias=True, mode="json", exclude_none=True) for m in models]


class One:
    """A client of MCP."""

    def __init__(self, dial):
        self.dial = dial
        self.asked = []  # by elicitation
        self.answer = None
        self.updates = {}  # from resources to events that are set once they have changed

    def on_elicit(self, params):
        self.asked.append(params.message)
        return {"action": "accept", "content": {"answer": self.answer}}

    def on_updated(self, uri):
        if uri in self.updates:
            self.updates[uri].set()

    async def connect(self, request):
        connected = asyncio.get_running_loop().create_future()

        async def live():  # the SDK wants a client to end in the task that began it
            try:
                async with self.dial(request.get("elicits", False), self.on_elicit, self.on_updated) as client:
                    connected.set_result(client)
                    await asyncio.Event().wait()
            except Exception as e:
                if not connected.done():
                    connected.set_exception(e)

        self.life = asyncio.create_task(live())
        self.client = await connected
        return {"version": self.client.version}

    async def tools(self, request):
        return {"names": [t.name for t in (await self.client.list_tools()).tools]}

    async def call(self, request):
        self.answer = request.get("answer")
        heard = []

        async def on_progress(progress, total, message):
            heard.append(message or "")
            if request.get("cancel"):
                calling.cancel()

        extra = {"progress_callback": on_progress} if request.get("progress") else {}
        calling = asyncio.create_task(self.client.call_tool(request["tool"], request["arguments"], **extra))
        try:
            result = await calling
        except asyncio.CancelledError:
            return {"cancelled": True, "progress": heard}
        dumped = result.model_dump(by_alias=True)
        asked, self.asked = self.asked, []
        return {
            "content": blocks(result.content), "structured": dumped["structuredContent"], "failed": bool(dumped["isError"]),
            "progress": heard, "asked": asked,
        }

    async def resources(self, request):
        return {"names": [str(r.uri) for r in (await self.client.list_resources()).resources]}

    async def templates(self, request):
        result = (await self.client.list_resource_templates()).model_dump(by_alias=True)
        return {"names": [t["uriTemplate"] for t in result["resourceTemplates"]]}

    async def read(self, request):
        return {"content": blocks((await self.client.read_resource(request["uri"])).contents)}

    async def subscribe(self, request):
        self.updates[request["uri"]] = asyncio.Event()
        await self.client.subscribe(request["uri"])
        return {}

    async def updated(self, request):
        await self.updates[request["uri"]].wait()
        return {}

    async def prompt(self, request):
        result = await self.client.get_prompt(request["name"], request["arguments"])
        return {"content": blocks([m.content for m in result.messages])}


async def answer(one, request):
    try:
        say({"id": request["id"], **await getattr(one, request["do"])(request)})
    except Exception as e:
        say({"id": request["id"], "error": repr(e)})


async def serve(dial):
    """Serves requests with clients that dial makes."""
    clients, answers = {}, set()
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        if request["do"] == "connect":
            clients[request["who"]] = One(dial)
        task = asyncio.create_task(answer(clients[request["who"]], request))
        answers.add(task)
        task.add_done_callback(answers.discard)
    for one in clients.values():
        one.life.cancel()
    await asyncio.gather(*(one.life for one in clients.values()), *answers, return_exceptions=True)
