// SPDX-License-Identifier: Apache-2.0

package repolint

// An exception is a file, or a folder with all files below it, in which a rule does not hold yet or never will.
type exception struct{ name, why string }

// exceptions from the rules about prose and lines. The tests log entries that are no longer needed.
var exceptions = struct{ markdown, errors, lines, types, files, packages []exception }{
	markdown: []exception{
		{"docs/requirements.md", "quotes the statements of the standard"},
		{"docs/decisions/0001-one-model.md", "a record of its time, which is not edited"},
		{"docs/decisions/0002-journal-is-the-truth.md", "a record of its time, which is not edited"},
		{"docs/decisions/0003-json-v2.md", "a record of its time, which is not edited"},
		{"docs/decisions/0005-uuidv7.md", "a record of its time, which is not edited"},
		{"docs/decisions/0006-module.md", "a record of its time, which is not edited"},
		{"docs/decisions/0007-when-a-blocking-send-answers.md", "a record of its time, which is not edited"},
		{"docs/decisions/0008-one-commit-at-a-time.md", "a record of its time, which is not edited"},
		{"docs/decisions/0010-rows-of-the-journal.md", "a record of its time, which is not edited"},
		{"docs/decisions/0011-command-line.md", "a record of its time, which is not edited"},
		{"docs/decisions/0013-old-generations-at-the-edge.md", "a record of its time, which is not edited"},
		{"docs/decisions/0014-gateway.md", "a record of its time, which is not edited"},
		{"docs/decisions/0015-grpc.md", "a record of its time, which is not edited"},
		{"docs/decisions/0016-language-models.md", "a record of its time, which is not edited"},
		{"docs/decisions/0017-registry.md", "a record of its time, which is not edited"},
		{"docs/decisions/0018-files-by-reference.md", "a record of its time, which is not edited"},
		{"docs/decisions/0019-host.md", "a record of its time, which is not edited"},
		{"docs/decisions/0020-coordination.md", "a record of its time, which is not edited"},
		{"docs/decisions/0021-who-speaks-as-the-agent.md", "a record of its time, which is not edited"},
		{"docs/decisions/0023-memory-in-bytes.md", "a record of its time, which is not edited"},
		{"docs/decisions/0026-counts-with-the-writes.md", "a record of its time, which is not edited"},
		{"docs/decisions/0027-grpc-in-the-card.md", "a record of its time, which is not edited"},
		{"docs/decisions/0031-clients-of-april-2025.md", "a record of its time, which is not edited"},
		{"docs/decisions/0032-files-of-0.3-in-protobuf.md", "a record of its time, which is not edited"},
		{"docs/decisions/0035-data-folder.md", "a record of its time, which is not edited"},
		{"docs/decisions/0037-routing-among-other-trades.md", "a record of its time, which is not edited"},
		{"docs/decisions/0038-quota-of-an-owner.md", "a record of its time, which is not edited"},
		{"docs/decisions/0039-half-closed-callers.md", "a record of its time, which is not edited"},
		{"docs/interop.md", "written by the module interop, with the words of its list of known faults"},
	},
	types: []exception{
		{"agent/Turn", "what authors of agents call; splitting it would split their documentation"},
		{"journal/memory/Journal", "implements the interface of journals, which has most of them"},
	},
	files: []exception{},
	packages: []exception{ // a point stands for the package without the folders below it
		{"apps/coord/.", "the state machine of a project, whose parts change one state in one transaction"},
		{"engine/.", "a runner, its committer, its inbox and its turns share one lock"},
	},
}
