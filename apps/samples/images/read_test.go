// SPDX-License-Identifier: Apache-2.0

package images_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
)

// found renders a request as JSON, without what is the same everywhere.
func found(t *testing.T, r images.Request) string {
	t.Helper()
	var v any = r.Scene
	if r.Scene != nil {
		r.Scene.Seed = 0
		for i := range r.Scene.Objects {
			if r.Scene.Objects[i].Count == 1 {
				r.Scene.Objects[i].Count = 0
			}
		}
	}
	switch r.Action {
	case images.Change:
		v = r.Edits
	case images.Ask:
		return "ask"
	}
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReadScenes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Draw a rabbit": `{"objects":[{"subject":"rabbit"}]}`,
		"Generate a photorealistic image of raspberry lemonade": `{"objects":[{"subject":"lemonade"}],"style":"photorealistic"}`,
		"three red balloons above a house, watercolour":         `{"objects":[{"subject":"balloon","colour":"red","count":3,"side":"above","of":"house"},{"subject":"house"}],"style":"watercolour"}`,
		"two big cats and a small dog on the beach":             `{"objects":[{"subject":"cat","count":2,"size":"large"},{"subject":"dog","size":"small"}],"background":{"kind":"beach"}}`,
		"an orange and an apple on a table":                     `{"objects":[{"subject":"orange fruit"},{"subject":"apple","side":"on","of":"table"},{"subject":"table"}]}`,
		"an orange cat":                                         `{"objects":[{"subject":"cat","colour":"orange"}]}`,
		"a rose and a rose car":                                 `{"objects":[{"subject":"flower"},{"subject":"car","colour":"rose"}]}`,
		"a light blue bird in the sky":                          `{"objects":[{"subject":"bird","colour":"light blue"}],"background":{"kind":"sky"}}`,
		"a #00ff00 robot":                                       `{"objects":[{"subject":"robot","colour":"#00ff00"}]}`,
		"a house with a tree on the left":                       `{"objects":[{"subject":"house"},{"subject":"tree","place":"left"}]}`,
		"a cat to the left of a house":                          `{"objects":[{"subject":"cat","side":"left","of":"house"},{"subject":"house"}]}`,
		"a cat next to a black dog":                             `{"objects":[{"subject":"cat","side":"beside","of":"dog"},{"subject":"dog","colour":"black"}]}`,
		"a boat at sunset, pixel art":                           `{"objects":[{"subject":"boat"}],"background":{"kind":"sunset"},"style":"pixel"}`,
		"a green triangle on a pink background":                 `{"objects":[{"subject":"triangle","colour":"green"}],"background":{"kind":"plain","colour":"pink"}}`,
		`a heart saying "I love you"`:                           `{"objects":[{"subject":"heart"}],"caption":"I love you"}`,
		"a card with the text 'Happy new year'":                 `{"objects":[{"subject":"card"}],"caption":"Happy new year"}`,
		"a dog's house":                                         `{"objects":[{"subject":"house"}]}`,
		"a xylophone":                                           `{"objects":[{"subject":"xylophone"}]}`,
		"a tomato":                                              `{"objects":[{"subject":"tomato","colour":"tomato"}]}`,
		"a yeti eating pizza":                                   `{"objects":[{"subject":"yeti"},{"subject":"pizza"}]}`,
		"640x480 picture of five penguins":                      `{"objects":[{"subject":"penguin","count":5}],"width":640,"height":480}`,
		"a wide picture of a train":                             `{"objects":[{"subject":"train"}],"width":768,"height":384}`,
		"a car in the city":                                     `{"objects":[{"subject":"car"}],"background":{"kind":"city"}}`,
		"sunset over the ocean":                                 `{"background":{"kind":"sunset"}}`,
		"a red and white ball":                                  `{"objects":[{"subject":"ball","colour":"red"}]}`,
		"a horse under a rainbow in a meadow at night":          `{"objects":[{"subject":"horse","side":"under","of":"rainbow"},{"subject":"rainbow"}],"background":{"kind":"meadow","night":true}}`,
		"a white rabbit in the snow at night":                   `{"objects":[{"subject":"rabbit","colour":"white"}],"background":{"kind":"snow","night":true}}`,
		"a rabbit at night in the forest":                       `{"objects":[{"subject":"rabbit"}],"background":{"kind":"forest","night":true}}`,
		"a rocket in space at night":                            `{"objects":[{"subject":"rocket"}],"background":{"kind":"space"}}`,
		"draw something":                                        "ask",
		"paint me a nice picture, please":                       "ask",
		"surprise me":                                           "ask",
		"red":                                                   "ask",
		"":                                                      "ask",
		"make it red":                                           "ask",
		"rotate it":                                             "ask",
		"Create an image of a dragon over a castle, sketch":     `{"objects":[{"subject":"dragon","side":"above","of":"castle"},{"subject":"castle"}],"style":"sketch"}`,
	} {
		if diff := cmp.Diff(want, found(t, images.Read(text, false))); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", text, diff)
		}
	}
}

func TestReadEdits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"make it red":                        `[{"do":"recolour","colour":"red"}]`,
		"red":                                `[{"do":"recolour","colour":"red"}]`,
		"Now make it light green, please":    `[{"do":"recolour","colour":"light green"}]`,
		"paint it orange":                    `[{"do":"recolour","colour":"orange"}]`,
		"please change its color to gold":    `[{"do":"recolour","colour":"gold"}]`,
		"make the rabbit blue":               `[{"do":"recolour","subject":"rabbit","colour":"blue"}]`,
		"add a moon and a tree on the left":  `[{"do":"add","object":{"subject":"moon","count":1}},{"do":"add","object":{"subject":"tree","count":1,"place":"left"}}]`,
		"remove the tree":                    `[{"do":"remove","subject":"tree"}]`,
		"remove the text":                    `[{"do":"caption"}]`,
		"replace the rabbit with a grey cat": `[{"do":"replace","subject":"rabbit","object":{"subject":"cat","colour":"grey","count":1}}]`,
		"turn it into a dog":                 `[{"do":"replace","object":{"subject":"dog","count":1}}]`,
		"change the background to night":     `[{"do":"background","background":"night"}]`,
		"make the background pink":           `[{"do":"background","colour":"pink","background":"plain"}]`,
		"put it in space":                    `[{"do":"background","background":"space"}]`,
		"at night":                           `[{"do":"background","background":"night"}]`,
		"in watercolour style":               `[{"do":"style","style":"watercolour"}]`,
		`write "Hello" on it`:                `[{"do":"caption","text":"Hello"}]`,
		"add a red border":                   `[{"do":"border","colour":"red"}]`,
		"bigger":                             `[{"do":"size","size":"large"}]`,
		"make the tree smaller":              `[{"do":"size","subject":"tree","size":"small"}]`,
		"move it to the left":                `[{"do":"move","place":"left"}]`,
		"rotate 90 degrees":                  `[{"do":"filter","filter":{"do":"rotate","amount":90}}]`,
		"rotate it left by 45°":              `[{"do":"filter","filter":{"do":"rotate","amount":-45}}]`,
		"turn it upside down":                `[{"do":"filter","filter":{"do":"rotate","amount":180}}]`,
		"flip it horizontally":               `[{"do":"filter","filter":{"do":"mirror"}}]`,
		"flip it vertically":                 `[{"do":"filter","filter":{"do":"flip"}}]`,
		"make it black and white":            `[{"do":"filter","filter":{"do":"grayscale"}}]`,
		"invert the colours":                 `[{"do":"filter","filter":{"do":"invert"}}]`,
		"blur it a little":                   `[{"do":"filter","filter":{"do":"blur","amount":4}}]`,
		"darker":                             `[{"do":"filter","filter":{"do":"brightness","amount":-0.3}}]`,
		"more contrast":                      `[{"do":"filter","filter":{"do":"contrast","amount":0.3}}]`,
		"crop to 200x100":                    `[{"do":"filter","filter":{"do":"crop","width":200,"height":100}}]`,
		"crop it to 60%":                     `[{"do":"filter","filter":{"do":"crop","amount":0.6}}]`,
		"resize to 50%":                      `[{"do":"filter","filter":{"do":"scale","amount":0.5}}]`,
		"resize it to 300 pixels wide":       `[{"do":"filter","filter":{"do":"resize","width":300}}]`,
		"tint it blue":                       `[{"do":"filter","filter":{"do":"tint","colour":"blue"}}]`,
		"as jpeg":                            `null`,
		"undo":                               "ask",
		"make it nice":                       "ask",
		"a blue car":                         `{"objects":[{"subject":"car","colour":"blue"}]}`,
		"draw a dog":                         `{"objects":[{"subject":"dog"}]}`,
		"make a cat":                         `{"objects":[{"subject":"cat"}]}`,
	} {
		got := found(t, images.Read(text, true))
		if want == "null" {
			want = "[]"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: want -, got +:\n%s", text, diff)
		}
	}
}

func TestReadFormat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a cat as JPEG": paint.JPEG, "a png image of a cat": paint.PNG, "a cat": "", "save a cat to cat.jpg": paint.JPEG,
	} {
		if got := images.Read(text, false).Format; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestSeedIsOfTheWords(t *testing.T) {
	t.Parallel()
	one, same, other := images.Read("a cat", false), images.Read("  A  cat ", false), images.Read("a cat!", false)
	if one.Scene.Seed != same.Scene.Seed || one.Scene.Seed == other.Scene.Seed {
		t.Errorf("seeds %d, %d, %d", one.Scene.Seed, same.Scene.Seed, other.Scene.Seed)
	}
}

// Whatever the text, the scene can be painted or asks for something outside the limits, which Normalize says.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"a cat on a table", "make it red and add 3 trees", "“x” 'y' 9x9 \x00 left of", "add a", "on", "orange", "999 dogs", strings.Repeat("a xylophone and ", 40)} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, have bool) {
		r := images.Read(text, have)
		switch r.Action {
		case images.Create:
			if err := r.Scene.Normalize(); err != nil && !strings.Contains(err.Error(), "each side has") {
				t.Errorf("%q: %v", text, err)
			}
		case images.Ask:
			if r.Question == "" {
				t.Errorf("%q asks nothing", text)
			}
		}
	})
}
