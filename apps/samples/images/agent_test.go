// SPDX-License-Identifier: Apache-2.0

package images_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/rules"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newHarness(t *testing.T, o images.Options, modes ...string) *agenttest.Harness {
	t.Helper()
	return agenttest.New(t, images.New(o), &agenttest.Options{Card: images.Card(), OutputModes: modes})
}

// sensible plays a model that understands what the rules understand and cannot paint.
func sensible(t *testing.T) llm.Model {
	t.Helper()
	return llmtest.Func(t, func(r *llmtest.Request) llmtest.Step { return think(t, r) }).Model()
}

// think is what that model answers. Where a server takes no schema, it has to be said in words.
func think(t *testing.T, r *llmtest.Request) llmtest.Step {
	if r.Prompt != "" {
		return llmtest.Fail(404, "this model does not paint")
	}
	before, text, ok := strings.Cut(r.LastUser(), "The user's message:\n")
	if !ok || !strings.Contains(r.System, "rabbit") ||
		len(r.Schema) == 0 && !strings.Contains(r.System, "JSON Schema") {
		t.Errorf("the model is told too little: %q", r.Body)
	}
	answer, ok := rules.Read(text, !strings.Contains(before, "no picture yet"))
	if !ok {
		answer = paint.Request{Action: paint.Ask, Question: "What do you mean?"}
	}
	if answer.Scene != nil {
		answer.Scene.Seed = 0
	}
	return llmtest.JSON(answer)
}

// eachEngine runs a test with the rules and with a model over the same painter.
func eachEngine(t *testing.T, test func(t *testing.T, o images.Options)) {
	t.Helper()
	t.Parallel()
	t.Run("rules", func(t *testing.T) { t.Parallel(); test(t, images.Options{}) })
	t.Run("llm", func(t *testing.T) { t.Parallel(); test(t, images.Options{Model: sensible(t)}) })
}

// pictureOf returns the file of the one artifact of a completed task.
func pictureOf(t *testing.T, task *a2a.Task) (a2a.Part, []byte) {
	t.Helper()
	if task == nil || task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 ||
		len(task.Artifacts[0].Parts) != 1 {
		t.Fatalf("no picture: %+v", task)
	}
	part := task.Artifacts[0].Parts[0]
	raw, ok := part.Content.(a2a.Raw)
	if !ok {
		t.Fatalf("the part is a %T", part.Content)
	}
	return part, raw
}

func decoded(t *testing.T, content []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func inContext(of *agenttest.Result, parts ...a2a.Part) *a2a.Message {
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	m.ContextID = of.Task.ContextID
	return m
}

func TestRabbit(t *testing.T) {
	eachEngine(t, func(t *testing.T, o images.Options) {
		r := newHarness(t, o).Send("draw a picture of a rabbit") // as the first documents of A2A have it
		part, content := pictureOf(t, r.Task)
		if part.MediaType != paint.PNG || part.Filename != "rabbit.png" {
			t.Errorf("%s %s", part.MediaType, part.Filename)
		}
		if img, err := png.Decode(bytes.NewReader(content)); err != nil || img.Bounds().Dx() != 512 {
			t.Errorf("%v: %v", img.Bounds(), err)
		}
		a := r.Task.Artifacts[0]
		if got := string(a.Metadata["renderer"]); !strings.Contains(got, "offline sample renderer") ||
			a.Name != images.ArtifactName || string(a.Metadata["width"]) != "512" {
			t.Errorf("artifact %s %v", a.Name, a.Metadata)
		}
		if text := r.StatusText(); !strings.Contains(text, "Rabbit. ") ||
			!strings.Contains(text, "offline sample renderer") {
			t.Errorf("text %q", text)
		}
	})
}

// While it is painted, the artifact holds a small preview, which the picture replaces.
func TestPreview(t *testing.T) {
	t.Parallel()
	r := newHarness(t, images.Options{}).Send("Draw a rabbit")
	var updates []*a2a.ArtifactUpdate
	for _, ev := range r.Events {
		if u, ok := ev.(*a2a.ArtifactUpdate); ok {
			updates = append(updates, u)
		}
	}
	if len(updates) != 2 || updates[0].Artifact.ID != updates[1].Artifact.ID || updates[0].LastChunk ||
		!updates[1].LastChunk || updates[1].Append {
		t.Fatalf("updates %+v", updates)
	}
	small := decoded(t, updates[0].Artifact.Parts[0].Content.(a2a.Raw))
	if small.Bounds().Dx() != 128 || string(updates[0].Artifact.Metadata["preview"]) != "true" ||
		updates[1].Artifact.Metadata["preview"] != nil {
		t.Errorf("preview %v %v", small.Bounds(), updates[0].Artifact.Metadata)
	}
}

func TestSamePromptSameBytes(t *testing.T) {
	eachEngine(t, func(t *testing.T, o images.Options) {
		const prompt = "three white rabbits in space"
		_, one := pictureOf(t, newHarness(t, o).Send(prompt).Task)
		_, again := pictureOf(t, newHarness(t, o).Send(prompt).Task)
		_, other := pictureOf(t, newHarness(t, o).Send("three white rabbits at night").Task)
		if !bytes.Equal(one, again) || bytes.Equal(one, other) {
			t.Error("the bytes do not follow the prompt")
		}
	})
}

// A change in the same context keeps the scene; another context does not see the picture.
func TestMakeItRed(t *testing.T) {
	eachEngine(t, func(t *testing.T, o images.Options) {
		h := newHarness(t, o)
		first := h.Send("a rabbit at night")
		second := h.SendMessage(inContext(first, a2a.TextPart("make it red")))
		_, before := pictureOf(t, first.Task)
		_, after := pictureOf(t, second.Task)
		a, b := decoded(t, before), decoded(t, after)
		if a.At(5, 5) != b.At(5, 5) || a.At(500, 40) != b.At(500, 40) {
			t.Error("the sky has changed")
		}
		if a.At(256, 260) == b.At(256, 260) {
			t.Errorf("the rabbit is %v before and after", a.At(256, 260))
		}
		if second.Task.ID == first.Task.ID {
			t.Error("a finished task went on")
		}
		third := h.SendMessage(inContext(first, a2a.TextPart("rotate it left and add a tree")))
		if _, content := pictureOf(t, third.Task); !strings.Contains(string(third.Task.Artifacts[0].Metadata["scene"]),
			`"red"`) || bytes.Equal(content, after) {
			t.Errorf("scene %s", third.Task.Artifacts[0].Metadata["scene"])
		}
		if elsewhere := h.Send("make it red"); elsewhere.State() != a2a.TaskStateInputRequired ||
			!strings.Contains(elsewhere.StatusText(), "no picture") {
			t.Errorf("another context: %v %s", elsewhere.State(), elsewhere.StatusText())
		}
	})
}

// A place at night is said to be so, and looks so.
func TestSnowAtNight(t *testing.T) {
	eachEngine(t, func(t *testing.T, o images.Options) {
		night := newHarness(t, o).Send("a white rabbit in the snow at night")
		if !strings.Contains(night.StatusText(), "White rabbit; background snow at night.") {
			t.Errorf("text %q", night.StatusText())
		}
		_, dark := pictureOf(t, night.Task)
		_, light := pictureOf(t, newHarness(t, o).Send("a white rabbit in the snow").Task)
		for _, at := range []image.Point{{20, 20}, {20, 490}} { // the sky and the ground
			r, _, b, _ := decoded(t, dark).At(at.X, at.Y).RGBA()
			day, _, _, _ := decoded(t, light).At(at.X, at.Y).RGBA()
			if r > day*2/3 || b < r {
				t.Errorf("%v: %d at night, %d by day, blue %d", at, r>>8, day>>8, b>>8)
			}
		}
	})
}

func TestVaguePromptAsks(t *testing.T) {
	eachEngine(t, func(t *testing.T, o images.Options) {
		h := newHarness(t, o)
		first := h.Send("draw something")
		if first.State() != a2a.TaskStateInputRequired || first.StatusText() != paint.AskSubject {
			t.Fatalf("%v %s", first.State(), first.StatusText())
		}
		pictureOf(t, h.Reply(first, "a cat").Task)
	})
}

// Offline the agent refuses what it cannot draw, in one sentence, rather than draw something else.
func TestRefusesOffline(t *testing.T) {
	t.Parallel()
	upload := a2a.RawPart(photo(t, 120, 80), "image/png", "input_image.png")
	for text, file := range map[string][]a2a.Part{
		"Analyze this image and highlight any faces.":           {upload},
		"analyze this image":                                    nil,
		"write a long paper describing the attached pictures":   {upload},
		"remove the rabbit":                                     {upload},
		"add a tree":                                            {upload},
		"a xylophone":                                           nil,
		"a rabbit, watercolour":                                 nil,
		"Generate a photorealistic image of raspberry lemonade": nil,
		"a rabbit with a red hat":                               nil,
		"rotate it by 45 degrees":                               {upload},
		"make the rabbit":                                       {upload},
		"a 9000x9000 picture of an elephant":                    nil,
		"Show me a list of my open IT tickets":                  nil,
	} {
		r := newHarness(t, images.Options{}).SendMessage(
			a2a.NewMessage(a2a.RoleUser, append(file, a2a.TextPart(text))...))
		if r.State() != a2a.TaskStateRejected || r.StatusText() != rules.Refusal || len(r.Task.Artifacts) > 0 {
			t.Errorf("%s: %v %s, %d artifacts", text, r.State(), r.StatusText(), len(r.Task.Artifacts))
		}
	}
	if strings.Count(rules.Refusal, ".") != 1 || !strings.Contains(rules.Refusal, "--llm") {
		t.Errorf("%q is not one sentence that names --llm", rules.Refusal)
	}
}

// The examples of the card work offline, each after the one before it.
func TestExamples(t *testing.T) {
	t.Parallel()
	h := newHarness(t, images.Options{})
	var last *agenttest.Result
	for i, want := range []string{
		`"subject":"rabbit"`,
		`"subject":"rabbit","colour":"white","count":1}],"background":{"kind":"snow","night":true}`,
		`"subject":"balloon","colour":"red","count":3},{"subject":"house"`,
		`"colour":"blue","count":3},{"subject":"house","count":1},{"subject":"tree","count":1,"place":"left"}`,
		`"filters":[{"do":"rotate","amount":90}]`,
	} {
		m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(images.Card().Skills[0].Examples[i]))
		if last != nil {
			m.ContextID = last.Task.ContextID
		}
		last = h.SendMessage(m)
		pictureOf(t, last.Task)
		if scene := string(last.Task.Artifacts[0].Metadata["scene"]); !strings.Contains(scene, want) {
			t.Errorf("%s: %s, want %s", m.Text(), scene, want)
		}
	}
}

func TestOutputModes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		modes []string
		text  string
		want  string // the media type; "" is a refusal
		says  string
	}{
		"any":   {nil, "a cat", paint.PNG, "Cat"},
		"png":   {[]string{"image/png"}, "a cat", paint.PNG, ""},
		"jpeg":  {[]string{"text/plain", "image/jpeg"}, "a cat", paint.JPEG, ""},
		"range": {[]string{"image/*"}, "a cat", paint.PNG, ""},
		"asked": {nil, "a cat as jpeg", paint.JPEG, ""},
		"asked in vain": {[]string{"image/png"}, "a cat as jpeg", paint.PNG,
			"It is image/png, as the request does not accept image/jpeg."},
		"text only":      {[]string{"text/plain"}, "a cat", "", "the request accepts only text/plain"},
		"something else": {[]string{"image/webp", "video/mp4"}, "a cat", "", "image/webp, video/mp4"},
		"the word image": {[]string{"*/*"}, "a cat", paint.PNG, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newHarness(t, images.Options{}, row.modes...).Send(row.text)
			if !strings.Contains(r.StatusText(), row.says) {
				t.Errorf("text %q, want %q", r.StatusText(), row.says)
			}
			if row.want == "" {
				if r.State() != a2a.TaskStateRejected || len(r.Task.Artifacts) != 0 {
					t.Errorf("state %v", r.State())
				}
				return
			}
			part, content := pictureOf(t, r.Task)
			if part.MediaType != row.want {
				t.Errorf("media type %s", part.MediaType)
			}
			if row.want == paint.JPEG {
				if _, err := jpeg.Decode(bytes.NewReader(content)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func photo(t *testing.T, w, h int) []byte {
	t.Helper()
	img, err := paint.Render(t.Context(), &paint.Scene{Width: w, Height: h, Objects: []paint.Object{{Subject: "car"}}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := paint.Encode(img, paint.PNG)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestUploadedPicture(t *testing.T) {
	eachEngine(t, func(t *testing.T, o images.Options) {
		h := newHarness(t, o)
		upload := a2a.RawPart(photo(t, 120, 80), "image/png", "car.png")
		first := h.SendMessage(a2a.NewMessage(a2a.RoleUser, upload, a2a.TextPart("rotate it")))
		_, content := pictureOf(t, first.Task)
		if b := decoded(t, content).Bounds(); b.Dx() != 80 || b.Dy() != 120 {
			t.Errorf("turned: %v", b)
		}
		if first.Task.Artifacts[0].Metadata["scene"] != nil {
			t.Error("an uploaded picture has a scene")
		}
		second := h.SendMessage(inContext(first, a2a.TextPart("make it grayscale and mirror it")))
		_, content = pictureOf(t, second.Task)
		img := decoded(t, content)
		if r, g, b, _ := img.At(20, 20).RGBA(); img.Bounds().Dx() != 80 || r != g || g != b {
			t.Errorf("%v %v", img.Bounds(), img.At(20, 20))
		}
		// An edit that needs to know what the picture shows is not pretended.
		third := h.SendMessage(inContext(first, a2a.TextPart("remove the car")))
		if third.State() == a2a.TaskStateCompleted || len(third.Task.Artifacts) > 0 {
			t.Errorf("%v %s", third.State(), third.StatusText())
		}
	})
}

// Later pictures are made of the one that was sent with an earlier message of the same task.
func TestUploadFirstThenText(t *testing.T) {
	t.Parallel()
	h := newHarness(t, images.Options{})
	first := h.SendMessage(a2a.NewMessage(a2a.RoleUser, a2a.RawPart(photo(t, 60, 40), "image/png", "")))
	if first.State() != a2a.TaskStateInputRequired ||
		!strings.Contains(first.StatusText(), "What should be done with the picture?") {
		t.Fatalf("%v %s", first.State(), first.StatusText())
	}
	done := h.Reply(first, "make it blue and mirror it")
	if _, content := pictureOf(t, done.Task); decoded(t, content).Bounds().Dx() != 60 {
		t.Error("another picture")
	}
}

func TestDataURI(t *testing.T) {
	t.Parallel()
	uri := "data:image/png;base64," + base64.StdEncoding.EncodeToString(photo(t, 60, 40))
	r := newHarness(t, images.Options{}).SendMessage(
		a2a.NewMessage(a2a.RoleUser, a2a.URLPart(uri, "image/png", ""), a2a.TextPart("flip it")))
	pictureOf(t, r.Task)
}

// A picture behind an address is fetched from where that is allowed, also when the message before had it.
func TestPictureByURL(t *testing.T) {
	t.Parallel()
	picture := photo(t, 60, 40)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/page" {
			fmt.Fprint(w, "<!DOCTYPE html>")
			return
		}
		w.Header().Set("Content-Type", "image/png")
		w.Write(picture)
	}))
	defer ts.Close()
	fetch, err := files.NewFetcher(&files.FetchOptions{Allow: []string{ts.URL}, Networks: files.NetworksLoopback,
		MediaTypes: []string{"image/*"}})
	if err != nil {
		t.Fatal(err)
	}
	h := newHarness(t, images.Options{Fetch: fetch})
	r := h.SendMessage(a2a.NewMessage(a2a.RoleUser, a2a.URLPart(ts.URL+"/cat.png", "image/png", "")))
	if r.State() != a2a.TaskStateInputRequired {
		t.Fatalf("%v %s", r.State(), r.StatusText())
	}
	if _, content := pictureOf(t, h.Reply(r, "rotate it").Task); decoded(t, content).Bounds().Dx() != 40 {
		t.Error("another picture")
	}
	r = h.SendMessage(a2a.NewMessage(a2a.RoleUser, a2a.URLPart(ts.URL+"/page", "image/png", ""),
		a2a.TextPart("rotate it")))
	if r.State() != a2a.TaskStateInputRequired || !strings.Contains(r.StatusText(), "text/html") {
		t.Errorf("%v %s", r.State(), r.StatusText())
	}
}

func TestReferredTask(t *testing.T) {
	t.Parallel()
	h := newHarness(t, images.Options{})
	cat, dog := h.Send("a cat"), h.Send("a dog")
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("make it blue"))
	m.ContextID, m.ReferenceTaskIDs = dog.Task.ContextID, []a2a.TaskID{cat.Task.ID}
	if scene := string(h.SendMessage(m).Task.Artifacts[0].Metadata["scene"]); !strings.Contains(scene,
		`"subject":"cat","colour":"blue"`) {
		t.Errorf("scene %s", scene)
	}
}

func TestBadPictures(t *testing.T) {
	t.Parallel()
	h := newHarness(t, images.Options{})
	for want, part := range map[string]a2a.Part{
		"not a PNG":        a2a.RawPart([]byte("GIF? no"), "image/png", ""),
		"--allow-url":      a2a.URLPart("https://example.com/cat.png", "image/png", ""),
		"is not base64":    a2a.URLPart("data:image/png;base64,!!!", "image/png", ""),
		"each side has 16": a2a.RawPart(mustPNG(t, image.NewRGBA(image.Rect(0, 0, 3, 3))), "image/png", ""),
	} {
		r := h.SendMessage(a2a.NewMessage(a2a.RoleUser, part, a2a.TextPart("make it red")))
		if r.State() != a2a.TaskStateInputRequired || !strings.Contains(r.StatusText(), want) {
			t.Errorf("%v %q, want %q", r.State(), r.StatusText(), want)
		}
		if done := h.SendMessage(func() *a2a.Message {
			m := a2a.NewMessage(a2a.RoleUser, a2a.RawPart(photo(t, 60, 40), "image/png", ""),
				a2a.TextPart("make it red"))
			m.TaskID, m.ContextID = r.Task.ID, r.Task.ContextID
			return m
		}()); done.State() != a2a.TaskStateCompleted {
			t.Errorf("another picture: %v %s", done.State(), done.StatusText())
		}
	}
}

func mustPNG(t *testing.T, img image.Image) []byte {
	t.Helper()
	b, err := paint.Encode(img, paint.PNG)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSizeLimits(t *testing.T) {
	t.Parallel()
	h := newHarness(t, images.Options{})
	for _, text := range []string{"a 9000x9000 picture of a cat", "a 4x4 picture of a cat"} {
		if r := h.Send(text); r.State() != a2a.TaskStateInputRequired ||
			!strings.Contains(r.StatusText(), "16 to 2048") {
			t.Errorf("%s: %v %s", text, r.State(), r.StatusText())
		}
	}
}

// A model that paints is named as the one who did; its picture can be changed like one that was sent.
func TestModelPaints(t *testing.T) {
	t.Parallel()
	painted := &llm.Image{MediaType: paint.PNG, Data: photo(t, 64, 64)}
	model := llmtest.New(t,
		llmtest.JSON(map[string]any{"action": "create",
			"scene": map[string]any{"objects": []any{map[string]any{"subject": "fox"}}}, "prompt": "a red fox"}),
		llmtest.Step{Image: painted},
		llmtest.JSON(map[string]any{"action": "edit",
			"edits": []any{map[string]any{"do": "recolour", "colour": "blue"}}, "prompt": "the fox, blue"}),
		llmtest.Step{Image: painted},
	)
	h := newHarness(t, images.Options{Model: model.Model()})
	first := h.Send("a fox")
	_, content := pictureOf(t, first.Task)
	if decoded(t, content).Bounds().Dx() != 64 ||
		!strings.Contains(string(first.Task.Artifacts[0].Metadata["renderer"]), llmtest.ModelName) {
		t.Errorf("%v", first.Task.Artifacts[0].Metadata)
	}
	if strings.Contains(first.StatusText(), "offline") || model.Last().Prompt != "a red fox" {
		t.Errorf("%s; prompt %q", first.StatusText(), model.Last().Prompt)
	}
	pictureOf(t, h.SendMessage(inContext(first, a2a.TextPart("make it blue"))).Task)
	if from := model.Last().From; from == nil || !bytes.Equal(from.Data, content) {
		t.Errorf("the model edits %+v", from)
	}
}

func TestModelFails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		steps []llmtest.Step
		state a2a.TaskState
		says  string
	}{
		"refuses": {[]llmtest.Step{llmtest.Refuse("no")}, a2a.TaskStateRejected, "refuses"},
		"bad request": {[]llmtest.Step{llmtest.Fail(401, "secret words of the provider")}, a2a.TaskStateFailed,
			"could not be asked"},
		"refuses to paint": {[]llmtest.Step{llmtest.JSON(
			paint.Request{Action: paint.Create, Scene: &paint.Scene{Objects: []paint.Object{{Subject: "cat"}}}}),
			{Status: 400, Code: "content_policy_violation", Message: "no"}}, a2a.TaskStateRejected, "refuses"},
		"asks nothing": {[]llmtest.Step{llmtest.JSON(paint.Request{Action: paint.Ask})}, a2a.TaskStateInputRequired,
			"What should the picture show"},
		"edits nothing": {[]llmtest.Step{llmtest.JSON(paint.Request{Action: paint.Change})},
			a2a.TaskStateInputRequired, "no picture"},
		"impossible scene": {[]llmtest.Step{llmtest.JSON(
			paint.Request{Action: paint.Create, Scene: &paint.Scene{Objects: []paint.Object{{Subject: "xylophone"}}}}),
			llmtest.Fail(404, "it does not paint")}, a2a.TaskStateInputRequired, "xylophone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range row.steps {
				if r, ok := row.steps[i].JSON.(paint.Request); ok && r.Scene != nil {
					r.Scene.Seed = 0
				}
			}
			r := newHarness(t, images.Options{Model: llmtest.New(t, row.steps...).Model()}).Send("a cat")
			if r.State() != row.state || !strings.Contains(r.StatusText(), row.says) ||
				strings.Contains(r.StatusText(), "secret") {
				t.Errorf("%v %q", r.State(), r.StatusText())
			}
		})
	}
}
