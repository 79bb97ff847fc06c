// SPDX-License-Identifier: Apache-2.0

package card

import "slices"

// Severity says how bad a problem is.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // the card breaks a rule of its generation, or clients cannot use it
	SeverityWarning Severity = "warning" // the card may not mean what it says, or some clients will have trouble
)

// A Rule is something that [Validate] looks for. Its ID never changes its meaning.
type Rule struct {
	ID       string
	Severity Severity
	Wants    string // what a card that keeps the rule is like
	Source   string // where the rule comes from: a section of the specification of the version that is named
}

// A Problem is a place where a card breaks a rule.
type Problem struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Path     string   `json:"path"` // as the card spells it, like skills[0].tags; "" for the card as a whole
	Message  string   `json:"message"`
}

// Rules lists the rules that there are, by ID. docs/cards.md has them as a table.
func Rules() []Rule { return slices.Clone(rules) }

var rules = []Rule{
	{"CARD-AUTH-001", SeverityError, "Each scheme that a requirement names is declared.", "1.0 §4.4.1; 0.3.0 §5.5"},
	{"CARD-AUTH-002", SeverityError, "A scheme is of one type that its generation knows.",
		"1.0 §4.5.1; 0.3.0 §5.5.3; 0.2.1 §5.5.3"},
	{"CARD-AUTH-003", SeverityError, "An API key is in query, header or cookie.", "1.0 §4.5.2; 0.3.0 schema"},
	{"CARD-AUTH-004", SeverityError, "An OAuth scheme has a flow; in 1.0 exactly one.", "1.0 §4.5.7; 0.3.0 schema"},
	{"CARD-AUTH-005", SeverityWarning, "No flow is implicit or password, which OAuth 2.1 does not have.", "1.0 §4.5.7"},
	{"CARD-AUTH-006", SeverityWarning, "A card has no credentials: anybody may read it.", "0.1.0 §5.4; 0.3.0 §5.4"},
	{"CARD-AUTH-007", SeverityWarning, "authentication.schemes is a list.", "0.1.0 §5.5.3"},
	{"CARD-AUTH-008", SeverityError, "Requirements are spelt as the card's generation does: security before 1.0, " +
		"securityRequirements since. Else the agent looks open.", "1.0 appendix A; 1.0 §4.4.1"},
	{"CARD-EXT-001", SeverityWarning, "Each extension is listed once.", "1.0 §4.6"},
	{"CARD-FORM-001", SeverityWarning, "A card without supportedInterfaces has something that tells 0.1 from 0.2: " +
		"protocolVersion is best.", "0.3.0 §5.5"},
	{"CARD-FORM-002", SeverityWarning, "Members belong to the card's generation; clients of that ignore the others.",
		"the schemas of 0.1.0 to 1.0.1"},
	{"CARD-FORM-003", SeverityWarning, "Members are known: what is not may be a slip of the pen.",
		"the schemas of 0.1.0 to 1.0.1"},
	{"CARD-FORM-004", SeverityError, "Names are in camel case.", "1.0 §5.5"},
	{"CARD-FORM-005", SeverityWarning, "A member that has no value is left out, not null.",
		"the schemas of 0.1.0 to 0.3.0"},
	{"CARD-IFACE-001", SeverityWarning, "Each interface is listed once.", "1.0 §4.4.6"},
	{"CARD-IFACE-002", SeverityWarning, "additionalInterfaces has url with preferredTransport, too.", "0.3.0 §5.6.2"},
	{"CARD-IFACE-003", SeverityWarning, "A binding is JSONRPC, GRPC, HTTP+JSON or a URI.", "1.0 §5.8; 0.3.0 §5.6"},
	{"CARD-IFACE-004", SeverityWarning, "preferredTransport says what url speaks.", "0.3.0 §5.6.1"},
	{"CARD-IFACE-005", SeverityWarning, "In a card for several generations the address for the older ones is among " +
		"supportedInterfaces, with their version.", "1.0 appendix A"},
	{"CARD-IFACE-006", SeverityWarning, "A tenant is not the name of something else in the paths of HTTP+JSON.",
		"1.0 §11.3; Dragoman"},
	{"CARD-JSON-001", SeverityError, "A card is one JSON object in UTF-8, no member of which is there twice.",
		"RFC 8259; 1.0 §5.5"},
	{"CARD-JSON-002", SeverityError, "Each member is of the type that its generation gives it.",
		"the schemas of 0.1.0 to 1.0.1"},
	{"CARD-MODE-001", SeverityWarning, "Input and output modes are media types. text is read as text/plain.",
		"1.0 §4.4.1; 0.3.0 §5.5"},
	{"CARD-REQ-001", SeverityError, "Required members are there.", "1.0 §4.4; the schemas of 0.1.0 to 0.3.0"},
	{"CARD-REQ-002", SeverityWarning, "Required texts and lists are not empty.", "1.0 §5.7"},
	{"CARD-REQ-003", SeverityError, "There is an interface, with an address.", "1.0 §4.4.1; 0.3.0 §5.5"},
	{"CARD-SIG-001", SeverityError, "A signature has a protected header in base64url that names its algorithm, which " +
		"is not none.", "1.0 §8.4.2; RFC 7515 §4.1.1"},
	{"CARD-SIG-002", SeverityError, "The protected header of a card of 1.0 names the key.", "1.0 §8.4.2"},
	{"CARD-SIG-003", SeverityError, "A signature is base64url.", "1.0 §8.4; RFC 7515 §2"},
	{"CARD-SIG-004", SeverityWarning, "A card with signatures has one form: they cover no other.", "1.0 §8.4.1"},
	{"CARD-SKILL-001", SeverityError, "No two skills have the same id.", "1.0 §4.4.5; 0.3.0 §5.5.4"},
	{"CARD-URL-001", SeverityError, "Addresses of the agent and of what its security needs are absolute URLs; that " +
		"of a gRPC interface may be a host with a port.", "1.0 §4.4.6; 0.3.0 §5.6"},
	{"CARD-URL-002", SeverityWarning, "Addresses beyond this machine are https.", "1.0 §7.1; 0.2.1 §4.1"},
	{"CARD-URL-003", SeverityWarning, "Links for people are absolute URLs.", "1.0 §4.4.1; 0.3.0 §5.5"},
	{"CARD-VER-001", SeverityError, "protocolVersion has the form Major.Minor, before 1.0 with a patch or without.",
		"1.0 §3.6; 0.3.0 §5.5"},
	{"CARD-VER-002", SeverityWarning, "protocolVersion is one whose cards look like this card.",
		"1.0 §3.6; 0.3.0 §5.5"},
	{"CARD-VER-003", SeverityWarning, "The version of an interface has no patch number.", "1.0 §3.6"},
}

// severities has the severity of each rule.
var severities = func() map[string]Severity {
	m := make(map[string]Severity, len(rules))
	for _, r := range rules {
		m[r.ID] = r.Severity
	}
	return m
}()
