// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const documentHead = `# Interoperability

What other implementations of A2A and Dragoman say to each other, over each transport that they have. ` + "`make interop`" + ` installs
them as their packages pin them, plays the scenarios, and fails when a cell is red without a reason;
` + "`cd interop && go run . -write`" + ` writes this page. A **client** of theirs calls ` + "`dragoman serve --agent currency`" + ` and a test agent;
Dragoman's client, and its command, call an **agent** that is written with their server. Clients of MCP, which speak no A2A, have
[tables of their own](#clients-of-mcp-dragomans-coordinator), and so have [frameworks](#frameworks-as-clients-of-dragoman).

| scenario | what happens |
| --- | --- |
| card | finds the card of its generation and the interface of the transport in it |
| send | a message that is answered with a completed task |
| stream | the same as a stream, which ends at completed |
| multi-turn | a stream that ends at input-required; the answer completes the task |
| get | the task by its id, with its artifacts |
| list | the tasks of a context (1.0 only) |
| cancel | a running task ends as canceled |
| resubscribe | the stream of a running task is left and joined again, up to its cancellation |
| errors | unknown task, cancel of a finished task, message to an unknown and to a finished task |
| files | bytes and a link, sent there and back |
| data | structured data, sent there and back |
| push | a push configuration gets the refusal of its generation |
| login | gets a token from the OpenID provider that the card names, and calls with the SDK's own helper an agent that refuses callers without one |
| host | asks our host for money back in another currency: it asks an agent of rates, then one of expenses, whose form the client fills in |
| cli | ` + "`dragoman send`" + ` |

ok: as the generation prescribes. A number: red because of a fault of the peer, told below. A dash: the SDK has no such call.
`

// sections are the parts of the document, each with a table.
var sections = map[direction]struct{ title, about string }{
	fromPeer: {title: "Their client, Dragoman's server"}, toPeer: {title: "Dragoman's client, their server"},
	throughGateway: {title: "Their client, Dragoman's gateway, an agent of another generation"},
	asClient:       {"Frameworks as clients of Dragoman", aboutAsClient},
	asAgent:        {"Frameworks as agents for Dragoman", aboutAsAgent},
	toCoordinator:  {"Clients of MCP, Dragoman's coordinator", aboutCoordinator},
	toBridge:       {"Clients of MCP, A2A agents through Dragoman's bridge", aboutBridge},
}

const aboutAsClient = `Frameworks in which people write agents, each as its documentation shows it. Their clients call sample agents of Dragoman: directly,
` + "`dragoman serve`" + `; below a path, ` + "`dragoman samples up`" + `; gateway, ` + "`dragoman gateway`" + ` before the first; host, one
` + "`dragoman host`" + ` before all of them.

| scenario | what happens |
| --- | --- |
| currency | an amount in another currency; the result comes as text |
| question | the agent asks back; the answer completes the task, and the question does not come again |
| expenses | a form comes as data; text fills it in, and the request is approved |
| images | a picture comes as bytes |
| coder | two files come in several chunks, each piece once |

`

const aboutAsAgent = `An agent of the framework, with a model that is scripted in place of one in the cloud, is called by Dragoman: directly, by its Go client
without options; gateway, through ` + "`dragoman gateway`" + `; host, through ` + "`dragoman host`" + `, which has that one agent.

| scenario | what happens |
| --- | --- |
| card | the agent's card is read |
| currency | an amount in another currency; the result comes as text |
| stream | the same as a stream |
| question | the agent asks back, and understands the answer in the same conversation |
| images | a picture is sent along, and reaches the model |
| cli | ` + "`dragoman send`" + ` without options prints the result |

To add a framework, see [contributing](../CONTRIBUTING.md#frameworks).

`

const aboutCoordinator = `Over http the clients call ` + "`dragoman coord serve`" + `, over stdio they start ` + "`dragoman coord stdio`" + `. a2amcp-sdk is the Python package of
A2AMCP: its one transport method, a placeholder that calls nothing, is given a real call, and its objects do the rest.

| scenario | what happens |
| --- | --- |
| tools | several clients play the conversations of ` + "`apps/coord/mcp/testdata`" + `, which call all tools; each answer is compared to the last character, members in order |
| resources | each resource says what the tool says that lists the same |
| updates | a client that has subscribed to a resource hears that another one has changed it |
| prompt | join_project says how to work, and what goes on |
| progress | a call that waits for a lease hears that it waits |
| cancel | when that call is cancelled it leaves the queue |

`

const aboutBridge = `The clients use two sample agents, currency and slow, through ` + "`dragoman mcp bridge`" + `, which they start over stdio, or call with ` + "`--http`" + `.

| scenario | what happens |
| --- | --- |
| card | the agents' cards as resources |
| tools | the agents' skills as tools |
| call | text and data of an agent; a question that the client cannot pass on comes as an answer, and the next call answers it |
| progress | what an agent streams |
| elicitation | a question of an agent, which the client passes on, and the answer to it |
| cancel | the task of a call that is cancelled is cancelled |

`

// document is where the matrix is shown.
var document = filepath.Join("..", "docs", "interop.md")

// writeDocument writes the matrix for readers.
func (m *matrix) writeDocument() error {
	if err := m.verdict(); err != nil {
		return fmt.Errorf("%s is not written: %w", document, err)
	}
	return os.WriteFile(document, []byte(m.markdown()), 0o644)
}

func (m *matrix) markdown() string {
	var b strings.Builder
	b.WriteString(documentHead)
	for _, d := range directions {
		fmt.Fprintf(&b, "\n## %s\n\n%s", sections[d].title, sections[d].about)
		m.table(&b, d)
	}
	b.WriteString("\n## Faults of the peers\n\nFrom `interop/known.json`. Nothing of Dragoman's is loosened because " +
		"of them.\n\n")
	for i, f := range m.faults {
		fmt.Fprintf(&b, "%d. %s, %s over %s: %s\n", i+1, f.Peer, f.Direction, strings.Join(f.Transports, ", "),
			f.Reason)
	}
	return b.String()
}

// table writes the rows of one direction. A column without a cell is left out.
func (m *matrix) table(b *strings.Builder, d direction) {
	columns := m.columns(d)
	b.WriteString("| peer | speaks | transport |")
	gateway := d == throughGateway
	if gateway {
		b.WriteString(" agent behind |")
	}
	for _, j := range columns {
		fmt.Fprintf(b, " %s |", scenarios[j])
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", len(columns)+3))
	if gateway {
		b.WriteString(" --- |")
	}
	b.WriteByte('\n')
	for i, r := range m.rows {
		if r.direction != d {
			continue
		}
		speaks, transport := string(r.peer.generation), r.transport
		if r.peer.mcp {
			transport, speaks = r.mcp()
		}
		fmt.Fprintf(b, "| %s | %s | %s |", r.peer.title(), speaks, transport)
		if gateway {
			fmt.Fprintf(b, " %s |", r.peer.upstream)
		}
		for _, j := range columns {
			fmt.Fprintf(b, " %s |", m.judged[i][j].short())
		}
		b.WriteByte('\n')
	}
}
