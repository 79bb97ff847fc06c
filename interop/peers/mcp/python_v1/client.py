# SPDX-License-Identifier: Apache-2.0

import asyncio
import os
from contextlib import AsyncExitStack, asynccontextmanager

import mcp.types as types
from lines import revision, serve, target, transport
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

types.LATEST_PROTOCOL_VERSION = revision  # which a session asks for


class Session(ClientSession):
    async def subscribe(self, uri):
        await self.subscribe_resource(AnyUrl(uri))


@asynccontextmanager
async def dial(elicits, on_elicit, on_updated):
    async def elicited(context, params):
        return types.ElicitResult(**on_elicit(params))

    async def told(message):
        if isinstance(message, types.ServerNotification) and isinstance(message.root, types.ResourceUpdatedNotification):
            on_updated(str(message.root.params.uri))

    async with AsyncExitStack() as stack:
        if transport == "http":
            streams = await stack.enter_async_context(streamable_http_client(target[0]))
        else:
            server = StdioServerParameters(command=target[0], args=target[1:], env=dict(os.environ))
            streams = await stack.enter_async_context(stdio_client(server))
        session = await stack.enter_async_context(
            Session(streams[0], streams[1], message_handler=told, elicitation_callback=elicited if elicits else None)
        )
        session.version = (await session.initialize()).protocolVersion
        yield session


asyncio.run(serve(dial))
