// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/files"
	"github.com/dragoman-a2a/dragoman/apps/samples/files/rules"
	blobs "github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/schema"
)

const sales = "city,price\nOslo,10\nBergen,12.5\nOslo,20\n"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHarness(t *testing.T, o files.Options, modes ...string) *agenttest.Harness {
	t.Helper()
	return agenttest.New(t, files.New(o), &agenttest.Options{Card: files.Card(), OutputModes: modes})
}

func message(text string, file ...a2a.Part) *a2a.Message {
	parts := file
	if text != "" {
		parts = append([]a2a.Part{a2a.TextPart(text)}, file...)
	}
	return a2a.NewMessage(a2a.RoleUser, parts...)
}

var csvFile = a2a.RawPart([]byte(sales), "text/csv", "sales.csv")

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func TestFilesInEachForm(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/csv")
		io.WriteString(w, sales)
	}))
	t.Cleanup(site.Close)
	fetch, err := blobs.NewFetcher(&blobs.FetchOptions{Allow: []string{site.URL}, Networks: blobs.NetworksLoopback})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, files.Options{Fetch: fetch})
	for name, file := range map[string]a2a.Part{
		"bytes":      csvFile,
		"UTF-16":     a2a.RawPart(utf16LE(sales), "text/csv", ""),
		"by name":    a2a.RawPart([]byte(sales), "", "x.CSV"),
		"semicolons": a2a.RawPart([]byte("city;price\nOslo;10\nBergen;12,5\nOslo;20\n"), "text/csv", ""),
		"tabs": a2a.RawPart([]byte("city\tprice\nOslo\t10\nBergen\t12.5\nOslo\t20\n"),
			"text/tab-separated-values", ""),
		"Excel":     a2a.RawPart([]byte("\xef\xbb\xbf"+sales), "application/vnd.ms-excel", "sales.csv"),
		"text part": {Content: a2a.Text(sales), MediaType: "text/csv"},
		"URL":       a2a.URLPart(site.URL+"/sales.csv", "", ""),
		"data URL":  a2a.URLPart("data:text/csv,"+strings.ReplaceAll(sales, "\n", "%0A"), "", ""),
	} {
		got := h.SendMessage(message("average price by city", file))
		const want = "The average price by city:\ncity: Bergen, mean price: 12.5\ncity: Oslo, mean price: 15"
		if got.State() != a2a.TaskStateCompleted || !strings.HasPrefix(got.Text(), want) {
			t.Errorf("%s: %v %q %q", name, got.State(), got.Text(), got.StatusText())
		}
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, files.Options{MaxBytes: 100})
	for name, row := range map[string]struct {
		m    *a2a.Message
		want string
	}{
		"none": {message("average price"), "Which file?"},
		"two":  {message("", csvFile, csvFile), "more than one file"},
		"large": {message("", a2a.RawPart(make([]byte, 101), "text/csv", "big.csv")),
			"big.csv has 101 bytes, and this agent reads up to 100"},
		"binary": {message("", a2a.RawPart([]byte("\x89PNG\r\n\x00"), "text/csv", "a.csv")),
			"a.csv is not a text in UTF-8"},
		"empty": {message("", a2a.RawPart([]byte(" \n"), "text/csv", "a.csv")), "a.csv is empty"},
		"URL": {message("", a2a.URLPart("https://example.com/a.csv", "text/csv", "")),
			"not one that this agent may fetch"},
		"private URL": {message("", a2a.URLPart("http://169.254.169.254/latest", "", "")),
			"not one that this agent may fetch"},
	} {
		got := h.SendMessage(row.m)
		if got.State() != a2a.TaskStateInputRequired || !strings.Contains(got.StatusText(), row.want) {
			t.Errorf("%s: %v %q, want %q", name, got.State(), got.StatusText(), row.want)
		}
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	h := newHarness(t, files.Options{})
	first := h.Send("How many rows?")
	if first.State() != a2a.TaskStateInputRequired {
		t.Fatalf("%v", first.State())
	}
	file := message("", a2a.RawPart([]byte("city,price,tax\nOslo,10,1\nBergen,12.5,2\n"), "text/csv", "sales.csv"))
	file.TaskID = first.Task.ID
	second := h.SendMessage(file)
	if second.State() != a2a.TaskStateCompleted || firstLine(second.Text()) != "Rows: 2. Columns: 3." {
		t.Fatalf("%v %q", second.State(), second.Text())
	}
	ask := func(text string) *agenttest.Result {
		m := message(text)
		m.ContextID = second.Task.ContextID
		return h.SendMessage(m)
	}
	if got := ask("max price"); !strings.HasPrefix(got.Text(), "The highest price is 12.5.") {
		t.Errorf("a later question: %q", got.Text())
	}
	replaced := message("how many rows?", a2a.RawPart([]byte("a,b\nx,1\n"), "text/csv", "other.csv"))
	replaced.ContextID = second.Task.ContextID
	if got := h.SendMessage(replaced); got.Text() != "There is 1 row." {
		t.Errorf("another file: %q", got.Text())
	}
	if got := ask("how many rows?"); got.Text() != "There is 1 row." {
		t.Errorf("after another file: %q", got.Text())
	}
	if got := h.Send("how many rows?"); got.State() != a2a.TaskStateInputRequired {
		t.Errorf("another conversation sees the file: %q", got.Text())
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	h := newHarness(t, files.Options{}, "text/plain")
	text := a2a.RawPart([]byte("The cat saw the dog.\nThe dog saw nothing, said the cat's owner: a dog!\n"),
		"text/plain", "story.txt")
	const counts = "Lines: 2. Words: 15. Characters: 71."
	for _, question := range []string{"", "statistics", "How many words are there?",
		"Analyze the attached report and generate high level overview"} {
		if got := h.SendMessage(message(question, text)); got.Text() != counts {
			t.Errorf("%q: %v %q", question, got.State(), got.Text())
		}
	}
	got := h.SendMessage(message("what is the meaning of it all?", text))
	if got.State() != a2a.TaskStateRejected || got.StatusText() != rules.Refusal {
		t.Errorf("%v %q", got.State(), got.StatusText())
	}
}

// Offline the agent refuses a question it cannot read, in one sentence, rather than answer another one.
func TestRefusesOffline(t *testing.T) {
	t.Parallel()
	for _, question := range []string{
		"tell me a joke", "average by city", "average city", "minimum and maximum price", "average price in Paris",
		"how many rows with price above 12",
		"average price in Oslo or Bergen", "how many rows where city is not Oslo", "top 3", "price", "which city",
		"show rows by price", "how many cities",
		"top -1 rows by price", "the", "?",
	} {
		got := newHarness(t, files.Options{}).SendMessage(message(question, csvFile))
		if got.State() != a2a.TaskStateRejected || got.StatusText() != rules.Refusal || len(got.Task.Artifacts) > 0 {
			t.Errorf("%q: %v %q %q", question, got.State(), got.StatusText(), got.Text())
		}
	}
	if strings.Count(rules.Refusal, ".") != 1 || !strings.Contains(rules.Refusal, "--llm") {
		t.Errorf("%q is not one sentence that names --llm", rules.Refusal)
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"how many rows?":             "There are 3 rows.",
		"how many rows in Oslo":      "There are 2 rows where city = oslo.",
		"What is the average price?": "The average price is 14.1666666667.",
		"total of prices by city": "The sum of price by city:\ncity: Bergen, sum price: 12.5\ncity: Oslo, " +
			"sum price: 30",
		"lowest price in Bergen":           "The lowest price where city = bergen is 12.5.",
		"What is the highest price?":       "The highest price is 20.",
		"median price":                     "The median price is 12.5.",
		"Top 1 rows by price":              "1 of 3 rows:\ncity: Oslo, price: 20",
		"show me a list of rows in Bergen": "1 of 1 rows where city = bergen:\ncity: Bergen, price: 12.5",
		"how many rows by city":            "The number of rows by city:\ncity: Bergen, rows: 1\ncity: Oslo, rows: 2",
		"statistics of price": "Rows: 3. Columns: 2.\nname: price, count: 3, missing: 0, distinct: 3, min: 10, max: " +
			"20, " +
			"mean: 14.1666666667, median: 12.5, sum: 42.5",
	} {
		got := newHarness(t, files.Options{}, "text/plain").SendMessage(message(question, csvFile))
		if got.State() != a2a.TaskStateCompleted || got.Text() != want {
			t.Errorf("%q: %v %q %q, want %q", question, got.State(), got.Text(), got.StatusText(), want)
		}
	}
}

// utf16LE is a text as spreadsheets write it on Windows.
func utf16LE(text string) []byte {
	raw := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return raw
}

// The question and the schema of the first documents, about tickets in a file.
func TestTicketsOfTheFirstDocuments(t *testing.T) {
	t.Parallel()
	tickets := a2a.RawPart([]byte("ticketNumber,description,status\nREQ12312,request for VPN access,open\n"+
		"REQ1,new laptop,closed\nREQ23422,Add to DL - team-gcp-onboarding,open\n"), "text/csv", "tickets.csv")
	m := message("Show me a list of my open IT tickets", tickets)
	m.Parts[0].Metadata = a2a.Metadata{"mimeType": jsontext.Value(`"application/json"`), "schema": jsontext.Value(
		`{"type":"array","items":{"type":"object","properties":{"ticketNumber":{"type":"string"},` +
			`"description":{"type":"string"}}}}`)}
	const want = `[{"description":"request for VPN access","ticketNumber":"REQ12312"},` +
		`{"description":"Add to DL - team-gcp-onboarding","ticketNumber":"REQ23422"}]`
	if got := newHarness(t, files.Options{}).SendMessage(m); got.State() != a2a.TaskStateCompleted ||
		canonical(parts(got)) != want {
		t.Errorf("%v %s", got.State(), parts(got))
	}
}

// parts says what an answer has, data as its JSON.
func parts(r *agenttest.Result) string {
	var all []string
	for _, p := range r.Task.Artifacts[0].Parts {
		switch c := p.Content.(type) {
		case a2a.Text:
			all = append(all, "text")
		case a2a.Data:
			all = append(all, string(c))
		case a2a.Raw:
			all = append(all, p.MediaType+": "+string(c))
		}
	}
	return strings.Join(all, " ")
}

func TestOutputModes(t *testing.T) {
	t.Parallel()
	const data = `{"file":"sales.csv","operation":"mean","rows":3,"text":"The average price is 14.1666666667.",` +
		`"records":[{"mean price":14.1666666667}]}`
	for name, row := range map[string]struct {
		modes []string
		want  string
	}{
		"any":       {nil, "text " + data},
		"text":      {[]string{"text/plain"}, "text"},
		"JSON":      {[]string{"application/json"}, data},
		"something": {[]string{"image/png"}, "text"},
	} {
		if got := parts(newHarness(t, files.Options{},
			row.modes...).SendMessage(message("average price", csvFile))); got != row.want {
			t.Errorf("%s: %s, want %s", name, got, row.want)
		}
	}
}

// The agent's own forms fit the schemas that it names with them.
func TestAnswersFitTheirSchemas(t *testing.T) {
	t.Parallel()
	h := newHarness(t, files.Options{})
	text := a2a.RawPart([]byte("one two two\n"), "text/plain", "story.txt")
	rich := a2a.RawPart([]byte("day,city,price,ok\n2024-01-02,Oslo,10,yes\n2024-01-03,Bergen,,no\n,Oslo,,\n"),
		"text/csv", "rich.csv")
	s, err := schema.Compile(files.Schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, ask := range []struct {
		file      a2a.Part
		questions []string
	}{
		{rich, []string{"", "how many rows", "average price by city", "sum price", "lowest price", "median price",
			"show rows", "top 1 rows by price", "max day", "average price in Bergen"}},
		{text, []string{"", "how many words"}},
	} {
		for _, question := range ask.questions {
			got := h.SendMessage(message(question, ask.file))
			if got.State() != a2a.TaskStateCompleted {
				t.Errorf("%q: %v %s", question, got.State(), got.StatusText())
				continue
			}
			p := got.Task.Artifacts[0].Parts[1]
			if err := s.Check([]byte(p.Content.(a2a.Data))); err != nil ||
				string(p.Metadata["schemaRef"]) != `"`+files.SchemaAnswer+`"` {
				t.Errorf("%q: %v: %s %s", question, err, p.Content, p.Metadata)
			}
		}
	}
}

func TestWantedForms(t *testing.T) {
	t.Parallel()
	h := newHarness(t, files.Options{})
	number := `{"type":"number"}`
	for name, row := range map[string]struct{ question, schema, want string }{
		"a number":   {"average price", number, `14.1666666667`},
		"an integer": {"how many rows", `{"type":"integer"}`, `3`},
		"a text":     {"how many rows", `{"type":"string"}`, `"There are 3 rows."`},
		"by its name": {"average price",
			`{"type":"object","properties":{"mean":{"type":"number"}},"required":["mean"],` +
				`"additionalProperties":false}`, `{"mean":14.1666666667}`},
		"not required": {"average price",
			`{"type":"object","properties":{"meanPrice":{"type":"number"},"count":{"type":"integer"},` +
				`"more":{"type":"string"}}}`, `{"count":3,"meanPrice":14.1666666667}`},
		"a list of groups": {"average price by city",
			`{"type":"array","items":{"type":"object","properties":{"city":{"type":"string"},` +
				`"mean":{"type":"number"}},"required":["city","mean"]}}`,
			`[{"city":"Bergen","mean":12.5},{"city":"Oslo","mean":15}]`},
		"groups within": {"average price by city",
			`{"type":"object","properties":{"cities":{"type":"array","items":{"type":"object",` +
				`"properties":{"city":{"type":"string"}}}}},"required":["cities"]}`,
			`{"cities":[{"city":"Bergen"},{"city":"Oslo"}]}`},
		"a list of values": {"how many rows by city", `{"type":"array","items":{"type":"string"}}`,
			`["Bergen","Oslo"]`},
		"rows": {"top 2 rows by price",
			`{"type":"array","items":{"type":"object","properties":{"City":{"type":"string"},` +
				`"Price":{"type":"number"}},"additionalProperties":false}}`,
			`[{"City":"Oslo","Price":20},{"City":"Bergen","Price":12.5}]`},
		"any object": {"max price", `{"type":"object"}`,
			`{"file":"sales.csv","operation":"max","records":[{"max price":20}],"rows":3,` +
				`"text":"The highest price is 20."}`},
		"the agent's own": {"how many rows", `"` + files.SchemaAnswer + `"`,
			`{"file":"sales.csv","operation":"rows","records":[{"rows":3}],"rows":3,"text":"There are 3 rows."}`},
	} {
		t.Run(name, func(t *testing.T) {
			m := message(row.question, csvFile)
			m.Parts[0].Metadata = a2a.Metadata{"mimeType": jsontext.Value(`"application/json"`),
				"schema": jsontext.Value(row.schema)}
			got := h.SendMessage(m)
			if got.State() != a2a.TaskStateCompleted {
				t.Fatalf("%v %s", got.State(), got.Text())
			}
			if got := canonical(parts(got)); got != canonical(row.want) {
				t.Errorf("%s, want %s", got, row.want)
			}
			p := got.Task.Artifacts[0].Parts[0]
			if p.MediaType != "application/json" || string(p.Metadata["mimeType"]) != `"application/json"` {
				t.Errorf("the part says %q and %s", p.MediaType, p.Metadata)
			}
		})
	}
}

func canonical(text string) string {
	v := jsontext.Value(text)
	if v.Canonicalize() != nil {
		return text
	}
	return string(v)
}

func TestWantedFormsThatCannotBe(t *testing.T) {
	t.Parallel()
	h := newHarness(t, files.Options{})
	for name, row := range map[string]struct{ key, value, want string }{
		"no fit": {"schema", `{"type":"object","required":["weather"]}`,
			`missing property 'weather'). In words: The highest price is 20.`},
		"no schema": {"schema", `{"type":"strin"}`, "no JSON Schema"},
		"elsewhere": {"schema", `{"$ref":"https://example.com/s"}`, "only within the schema"},
		"unknown": {"desiredOutputSchemaRef", `"https://schemas.example.com/x.json"`,
			"not one that this agent knows"},
		"takes too long": {"schema", growing(), "too large"},
	} {
		m := message("max price", csvFile)
		m.Parts[0].Metadata = a2a.Metadata{row.key: jsontext.Value(row.value)}
		got := h.SendMessage(m)
		if got.State() != a2a.TaskStateFailed || !strings.Contains(got.StatusText(), row.want) {
			t.Errorf("%s: %v %q, want %q", name, got.State(), got.StatusText(), row.want)
		}
	}
}

// growing is a schema in which each definition refers to the next one twice.
func growing() string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range 40 {
		fmt.Fprintf(&b, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	return b.String() + `"d40":{"type":"array"}}}`
}

func TestCard(t *testing.T) {
	t.Parallel()
	card := files.Card()
	if card.Name != "File Agent" || len(card.Skills) != 1 {
		t.Fatalf("%+v", card)
	}
	h := newHarness(t, files.Options{})
	for _, example := range card.Skills[0].Examples {
		if got := h.SendMessage(message(example, csvFile)); got.State() != a2a.TaskStateCompleted {
			t.Errorf("%q: %v %s", example, got.State(), got.Text())
		}
	}
}

// The agent answers every file without failing.
func FuzzFile(f *testing.F) {
	h := agenttest.New(f, files.New(files.Options{MaxBytes: 64 << 10}), &agenttest.Options{Card: files.Card()})
	for _, seed := range []string{sales, "a;b\n1,5;2\n", "\"a\nb\",c\n1", "a,a,\n1e999,2,3\n", "=1+1,2\n", "x",
		"\xff\xfea\x00", "a|b\n|\n"} {
		f.Add([]byte(seed), "text/csv", "average by a where b > 1")
		f.Add([]byte(seed), "application/octet-stream", "")
	}
	f.Fuzz(func(t *testing.T, content []byte, mediaType, question string) {
		m := message(question, a2a.RawPart(content, mediaType, ""))
		res, err := h.Service.SendMessage(context.Background(), &a2a.SendMessageRequest{Message: m})
		if err != nil {
			return // refused before the agent sees it
		}
		task := res.(*a2a.Task)
		if s := task.Status.State; s != a2a.TaskStateCompleted && s != a2a.TaskStateInputRequired &&
			s != a2a.TaskStateRejected {
			t.Errorf("%v: %s", s, task.Status.Message.Text())
		}
	})
}
