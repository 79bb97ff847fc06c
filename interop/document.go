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
Dragoman's client, and its command, call an **agent** that is written with their server.

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
| host | asks our host for money back in another currency: it asks an agent of rates, then one of expenses, whose form the client fills in |
| cli | ` + "`dragoman send`" + ` |

ok: as the generation prescribes. A number: red because of a fault of the peer, told below. A dash: the SDK has no such call.
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
	for _, part := range []struct {
		direction direction
		title     string
	}{
		{fromPeer, "Their client, Dragoman's server"}, {toPeer, "Dragoman's client, their server"},
		{throughGateway, "Their client, Dragoman's gateway, an agent of another generation"},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		m.table(&b, part.direction)
	}
	b.WriteString("\n## Faults of the peers\n\nFrom `interop/known.json`. Nothing of Dragoman's is loosened because of them.\n\n")
	for i, f := range m.faults {
		fmt.Fprintf(&b, "%d. %s, %s over %s: %s\n", i+1, f.Peer, f.Direction, strings.Join(f.Transports, ", "), f.Reason)
	}
	return b.String()
}

// table writes the rows of one direction. A column without a cell is left out.
func (m *matrix) table(b *strings.Builder, d direction) {
	var columns []int
	for j := range scenarios {
		for i, r := range m.rows {
			if r.direction == d && m.judged[i][j].verdict != blank {
				columns = append(columns, j)
				break
			}
		}
	}
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
		fmt.Fprintf(b, "| %s | %s | %s |", r.peer.title(), r.peer.generation, r.transport)
		if gateway {
			fmt.Fprintf(b, " %s |", r.peer.upstream)
		}
		for _, j := range columns {
			fmt.Fprintf(b, " %s |", m.judged[i][j].short())
		}
		b.WriteByte('\n')
	}
}
