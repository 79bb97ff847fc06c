// SPDX-License-Identifier: Apache-2.0

package paint_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
	"github.com/go-json-experiment/json"
)

func render(t testing.TB, s *paint.Scene) *image.RGBA {
	t.Helper()
	img, err := paint.Render(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func of(subjects ...string) *paint.Scene {
	s := &paint.Scene{Width: 96, Height: 96, Seed: 7}
	for _, name := range subjects {
		s.Objects = append(s.Objects, paint.Object{Subject: name})
	}
	return s
}

// Each subject shows on a background, and no two look alike.
func TestEverySubjectShows(t *testing.T) {
	t.Parallel()
	empty := render(t, &paint.Scene{Width: 96, Height: 96, Seed: 7, Background: paint.Background{Kind: "plain"}})
	seen := map[string]string{string(empty.Pix): "nothing"}
	for _, name := range paint.Subjects() {
		s := of(name)
		s.Background.Kind = "plain"
		img := render(t, s)
		if other, same := seen[string(img.Pix)]; same {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[string(img.Pix)] = name
	}
}

func TestSameSceneSamePixels(t *testing.T) {
	t.Parallel()
	for _, kind := range paint.Backgrounds {
		scene := func(seed uint32) *paint.Scene {
			s := of("cat", "sun")
			s.Background.Kind, s.Seed = kind, seed
			return s
		}
		one, again := render(t, scene(1)), render(t, scene(1))
		if !bytes.Equal(one.Pix, again.Pix) {
			t.Errorf("%s: the same scene has other pixels", kind)
		}
		if other := render(t, scene(2)); kind == "space" && bytes.Equal(one.Pix, other.Pix) {
			t.Errorf("%s: another seed has the same pixels", kind)
		}
	}
}

// Every member of a scene changes the picture.
func TestEveryMemberOfASceneCounts(t *testing.T) {
	t.Parallel()
	plain := render(t, of("tree", "cat"))
	for name, change := range map[string]func(*paint.Scene){
		"colour":     func(s *paint.Scene) { s.Objects[1].Colour = "blue" },
		"count":      func(s *paint.Scene) { s.Objects[1].Count = 3 },
		"right":      func(s *paint.Scene) { s.Objects[0].Place = "right" },
		"background": func(s *paint.Scene) { s.Background.Kind = "night" },
		"night":      func(s *paint.Scene) { s.Background.Night = true },
		"filter":     func(s *paint.Scene) { s.Filters = []paint.Filter{{Do: "grayscale"}} },
	} {
		s := of("tree", "cat")
		change(s)
		if bytes.Equal(render(t, s).Pix, plain.Pix) {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func TestColourOfAnObject(t *testing.T) {
	t.Parallel()
	s := of("heart")
	s.Objects[0].Colour = "#12ab34"
	if c := render(t, s).RGBAAt(48, 48); c != (color.RGBA{R: 0x12, G: 0xab, B: 0x34, A: 255}) {
		t.Errorf("the middle is %v", c)
	}
}

func TestBadScenes(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]*paint.Scene{
		"each side has 16 to 2048":  {Width: 15, Height: 100},
		"4096 pixels":               {Width: 64, Height: 4096},
		`background "moonbase"`:     {Background: paint.Background{Kind: "moonbase"}},
		"13 kinds of objects":       {Objects: make([]paint.Object, 13)},
		`no shapes for ""`:          {Objects: []paint.Object{{}}},
		`no shapes for "xylophone"`: {Objects: []paint.Object{{Subject: "xylophone"}}},
		"25 times cat":              {Objects: []paint.Object{{Subject: "cat", Count: 25}}},
		`place "nowhere"`:           {Objects: []paint.Object{{Subject: "cat", Place: "nowhere"}}},
		`colour "sky-blue-pink"`:    {Objects: []paint.Object{{Subject: "cat", Colour: "sky-blue-pink"}}},
		"33 changes":                {Filters: slices.Repeat([]paint.Filter{{Do: "grayscale"}}, 33)},
		`change "explode"`:          {Filters: []paint.Filter{{Do: "explode"}}},
		"rotate by 400":             {Filters: []paint.Filter{{Do: "rotate", Amount: 400}}},
		"tint needs a colour":       {Filters: []paint.Filter{{Do: "tint"}}},
		"rotate by 45":              {Filters: []paint.Filter{{Do: "rotate", Amount: 45}}},
	} {
		if _, err := paint.Render(t.Context(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

func TestRenderEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	if _, err := paint.Render(ctx, of("cat")); err != context.DeadlineExceeded {
		t.Errorf("error %v", err)
	}
}

func TestPreviewIsSmall(t *testing.T) {
	t.Parallel()
	s := of("cat")
	s.Width, s.Height = 1024, 512
	img, err := paint.Preview(t.Context(), s)
	if err != nil || img.Rect.Dx() != 128 || img.Rect.Dy() != 64 {
		t.Errorf("%v: %v", img.Rect, err)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for noun, want := range map[string]string{
		"rabbit": "rabbit", "Bunnies": "rabbit", "puppies": "dog", "houses": "house", "xylophone": "",
	} {
		if got, ok := paint.Find(noun); got != want || ok != (want != "") {
			t.Errorf("%s is %q, want %q", noun, got, want)
		}
	}
	for name, ok := range map[string]bool{"LightBlue": true, "#fff": false, "#00FF7f": true, "golden": true,
		"#ff": false, "#gggggg": false, "": false, "fast": false} {
		if _, got := paint.Colour(name); got != ok {
			t.Errorf("colour %q: %t", name, got)
		}
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	source := render(t, &paint.Scene{Width: 120, Height: 80, Objects: []paint.Object{{Subject: "car", Place: "left"}}})
	apply := func(img *image.RGBA, f paint.Filter) *image.RGBA {
		t.Helper()
		out, err := f.Apply(img)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		return out
	}
	for name, row := range map[string]struct {
		f    paint.Filter
		n    int // how often it gives the picture back
		w, h int
	}{
		"quarter turn": {paint.Filter{Do: "rotate", Amount: 90}, 4, 80, 120},
		"turn left":    {paint.Filter{Do: "rotate", Amount: -90}, 4, 80, 120},
		"half turn":    {paint.Filter{Do: "rotate", Amount: 180}, 2, 120, 80},
		"full turn":    {paint.Filter{Do: "rotate", Amount: 360}, 1, 120, 80},
		"mirror":       {paint.Filter{Do: "mirror"}, 2, 120, 80},
		"tint":         {paint.Filter{Do: "tint", Colour: "red"}, 0, 120, 80},
	} {
		img := apply(source, row.f)
		if img.Rect.Dx() != row.w || img.Rect.Dy() != row.h {
			t.Errorf("%s: %v, want %d × %d", name, img.Rect, row.w, row.h)
		}
		if row.n != 1 && bytes.Equal(img.Pix, source.Pix) {
			t.Errorf("%s changes nothing", name)
		}
		for range row.n - 1 {
			img = apply(img, row.f)
		}
		if row.n > 0 && !bytes.Equal(img.Pix, source.Pix) {
			t.Errorf("%s: %d times do not give the picture back", name, row.n)
		}
	}
	gray := apply(source, paint.Filter{Do: "grayscale"})
	for i := 0; i < len(gray.Pix); i += 4 {
		if p := gray.Pix[i : i+3]; p[0] != p[1] || p[1] != p[2] {
			t.Fatalf("a pixel of a gray picture is %v", p)
		}
	}
	right := apply(source, paint.Filter{Do: "rotate", Amount: 90})
	if right.RGBAAt(79, 0) != source.RGBAAt(0, 0) || right.RGBAAt(79, 119) != source.RGBAAt(119, 0) {
		t.Error("90 degrees are not clockwise")
	}
}

func TestCodecs(t *testing.T) {
	t.Parallel()
	img := render(t, of("cat"))
	for _, mediaType := range []string{paint.PNG, paint.JPEG} {
		b, err := paint.Encode(img, mediaType)
		if err != nil {
			t.Fatal(err)
		}
		back, err := paint.Decode(b)
		if err != nil || back.Rect != img.Rect {
			t.Errorf("%s: %v", mediaType, err)
		}
		if mediaType == paint.PNG && !bytes.Equal(back.Pix, img.Pix) {
			t.Error("PNG changes pixels")
		}
	}
	if _, err := paint.Encode(img, "image/tiff"); err == nil {
		t.Error("TIFF is encoded")
	}
	var g bytes.Buffer
	if err := gif.Encode(&g, img, nil); err != nil {
		t.Fatal(err)
	}
	if back, err := paint.Decode(g.Bytes()); err != nil || back.Rect != img.Rect {
		t.Errorf("GIF: %v", err)
	}
}

func TestDecodeLimits(t *testing.T) {
	t.Parallel()
	for want, content := range map[string][]byte{
		"not a PNG":                   []byte("hello"),
		"the limit is 8388608":        make([]byte, paint.MaxFile+1),
		"50000 × 50000":               claim(50000, 50000),
		"a picture of 4 × 4 pixels":   encoded(t, image.NewRGBA(image.Rect(0, 0, 4, 4))),
		"the picture is broken":       encoded(t, image.NewRGBA(image.Rect(0, 0, 40, 40)))[:60],
		"a picture of 1000000 × 1000": claim(1000000, 1000000),
	} {
		if _, err := paint.Decode(content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	big, err := paint.Decode(encoded(t, image.NewRGBA(image.Rect(0, 0, 3000, 100))))
	if err != nil || big.Rect.Dx() != paint.MaxSide {
		t.Errorf("3000 pixels become %v: %v", big, err)
	}
}

func encoded(t testing.TB, img image.Image) []byte {
	t.Helper()
	b, err := paint.Encode(img, paint.PNG)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// claim is the head of a PNG file that says how large it is.
func claim(width, height uint32) []byte {
	head := []byte("IHDR")
	head = binary.BigEndian.AppendUint32(head, width)
	head = binary.BigEndian.AppendUint32(head, height)
	head = append(head, 8, 6, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	return binary.BigEndian.AppendUint32(append(b, head...), crc32.ChecksumIEEE(head))
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, image.NewRGBA(image.Rect(0, 0, 20, 20))))
	f.Add(claim(50000, 50000))
	f.Add([]byte("GIF89a"))
	f.Fuzz(func(t *testing.T, content []byte) {
		img, err := paint.Decode(content)
		if err == nil && (max(img.Rect.Dx(), img.Rect.Dy()) > paint.MaxSide ||
			min(img.Rect.Dx(), img.Rect.Dy()) < paint.MinSide) {
			t.Errorf("a picture of %v", img.Rect)
		}
	})
}

// A scene comes from a model or out of a journal: whatever it says, it is painted or refused.
func FuzzScene(f *testing.F) {
	f.Add(`{"objects":[{"subject":"cat","count":3,"place":"top left"}],"background":{"kind":"night"},"style":"sketch"}`)
	f.Add(
		`{"objects":[{"subject":"cat","side":"on","of":"cat"}],"caption":"\u0000\u202e","filters":[{"do":"crop",` +
			`"amount":0.05}]}`)
	f.Add(
		`{"objects":[{"subject":"a"},{"subject":"b","count":24}],"filters":[{"do":"rotate","amount":1},{"do":"scale",` +
			`"amount":0.1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var s paint.Scene
		if json.Unmarshal([]byte(text), &s) != nil {
			return
		}
		s.Width, s.Height = min(s.Width, 64), min(s.Height, 64) // the time it takes is not what is tested
		paint.Render(t.Context(), &s)
	})
}
