# SPDX-License-Identifier: Apache-2.0
"""A2A Min as a server: an AgentAdapter, which keeps what was said in each session."""

import sys

from a2a_min import A2aMinServer, AgentAdapter, AgentInvocationResult

import framework


class Currency(AgentAdapter):
    __doc__ = framework.DESCRIPTION
    sessions = {}

    def invoke(self, query, session_id):
        said = self.sessions.setdefault(session_id, [])
        said.append(query)
        result = AgentInvocationResult.agent_msg(framework.answer(said))
        result.requires_input = result.message.parts[0].text.endswith("?")
        return result


A2aMinServer.from_agent(Currency(), host="127.0.0.1", port=int(sys.argv[1])).start()
