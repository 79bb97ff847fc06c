# SPDX-License-Identifier: Apache-2.0

import asyncio
import os
from contextlib import asynccontextmanager

import mcp.client.session
import mcp.types as types
from lines import revision, serve, target, transport
from mcp import Client, StdioServerParameters

sessionless = revision >= "2026-07-28"
if not sessionless:
    mcp.client.session.LATEST_HANDSHAKE_VERSION = revision  # which a session asks for


class Caller(Client):
    @property
    def version(self):
        return self.protocol_version

    async def subscribe(self, uri):
        if not sessionless:
            return await self.subscribe_resource(uri)
        heard = asyncio.get_running_loop().create_future()

        async def listen():
            async with self.listen(resource_subscriptions=[uri]) as changes:
                heard.set_result(None)
                async for change in changes:
                    self.on_updated(str(change.uri))

        self.listening = asyncio.create_task(listen())
        await heard


@asynccontextmanager
async def dial(elicits, on_elicit, on_updated):
    async def elicited(context, params):
        return types.ElicitResult(**on_elicit(params))

    async def told(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            on_updated(str(message.params.uri))

    server = target[0]
    if transport == "stdio":
        server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
    mode = "auto" if sessionless else "legacy"
    async with Caller(server, mode=mode, message_handler=told, elicitation_callback=elicited if elicits else None) as client:
        client.on_updated, client.listening = on_updated, None
        try:
            yield client
        finally:
            if client.listening:
                client.listening.cancel()


asyncio.run(serve(dial))
