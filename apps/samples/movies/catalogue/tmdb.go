// SPDX-License-Identifier: Apache-2.0

package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/apps/samples/internal/fetch"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
)

// DefaultTMDB is the base URL of The Movie Database.
const DefaultTMDB = "https://api.themoviedb.org/3"

const (
	imageBase = "https://image.tmdb.org/t/p/w500"
	maxQuery  = 60    // runes of a query
	maxText   = 2000  // runes of a text in an answer
	minVotes  = "300" // of films that are recommended: a rating of few votes says little
)

// tmdb is the [Catalogue] of The Movie Database. It follows no redirects, which would take the key elsewhere.
type tmdb struct {
	base   *url.URL
	key    string
	client *http.Client
}

// NewTMDB returns the catalogue of The Movie Database, or of a server that speaks like it. The key is that of v3, 32
// hexadecimal digits, or the token of v4. An empty base URL is [DefaultTMDB], a nil transport that of package http.
func NewTMDB(key, baseURL string, transport http.RoundTripper) (Catalogue, error) {
	if key == "" {
		return nil, errors.New("catalogue: TMDB needs a key; set TMDB_API_KEY")
	}
	base, err := fetch.BaseURL(cmp.Or(baseURL, DefaultTMDB))
	if err != nil {
		return nil, fmt.Errorf("catalogue: TMDB: %w", err)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &tmdb{base, key, &http.Client{Transport: transport, CheckRedirect: stay}}, nil
}

// FromEnv returns the catalogue that the environment names: that of TMDB when TMDB_API_KEY is set, at TMDB_BASE_URL
// when that is set too, and the bundled one otherwise.
func FromEnv(getenv func(string) string) (Catalogue, error) {
	key := strings.TrimSpace(getenv("TMDB_API_KEY"))
	if key == "" {
		return Bundled(), nil
	}
	return NewTMDB(key, getenv("TMDB_BASE_URL"), nil)
}

func (*tmdb) Source() string { return "TMDB" }

// get asks one question. A token of v4 goes into a header, a key of v3 into the query.
func (t *tmdb) get(ctx context.Context, path string, query url.Values, v any) error {
	header := http.Header{"Accept": {"application/json"}}
	query.Set("language", "en-US")
	if strings.Count(t.key, ".") == 2 || len(t.key) > 40 {
		header.Set("Authorization", "Bearer "+t.key)
	} else {
		query.Set("api_key", t.key)
	}
	target := t.base.JoinPath(path)
	target.RawQuery = query.Encode()
	err := fetch.JSON(ctx, t.client, target, header, v, lenient)
	if errors.Is(err, fetch.StatusError(http.StatusUnauthorized)) {
		err = fmt.Errorf("%w; check TMDB_API_KEY", err)
	}
	if err != nil {
		return fmt.Errorf("catalogue: TMDB %s: %w", path, err)
	}
	return nil
}

// lenient reads what TMDB sends. Nothing is decided by a member that comes twice.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(json.UnmarshalFunc(cleanText), json.UnmarshalFunc(imageURL))))

// cleanText reads a text as one line of bounded length.
func cleanText(raw []byte, s *string) error {
	var text *string // null stands for nothing
	err := json.Unmarshal(raw, &text, jsontext.AllowInvalidUTF8(true))
	if text != nil {
		*s = reply.Line(*text, maxText)
	}
	return err
}

// imageURL reads the path of a picture, and makes a URL of it; "" of a path that is none.
func imageURL(raw []byte, i *Image) error {
	var path *string
	err := json.Unmarshal(raw, &path)
	if path != nil && strings.HasPrefix(*path, "/") && !strings.ContainsAny(*path, " \"'<>\\") {
		*i = Image(imageBase + *path)
	}
	return err
}

// list asks for records, page 1 of them.
func list[T any](ctx context.Context, t *tmdb, path string, query url.Values) ([]T, error) {
	var answer struct {
		Results []T `json:"results"`
	}
	query.Set("include_adult", "false")
	query.Set("page", "1")
	err := t.get(ctx, path, query, &answer)
	return answer.Results, err
}

func (t *tmdb) SearchMovies(ctx context.Context, title string) ([]Movie, error) {
	return list[Movie](ctx, t, "search/movie", url.Values{"query": {reply.Line(title, maxQuery)}})
}

func (t *tmdb) SearchPeople(ctx context.Context, name string) ([]Person, error) {
	return list[Person](ctx, t, "search/person", url.Values{"query": {reply.Line(name, maxQuery)}})
}

func (t *tmdb) Movie(ctx context.Context, id int) (Movie, error) {
	m := Movie{Credits: &Credits{}}
	err := t.get(ctx, "movie/"+strconv.Itoa(id), url.Values{"append_to_response": {"credits"}}, &m)
	return m, err
}

func (t *tmdb) Person(ctx context.Context, id int) (Person, error) {
	p := Person{MovieCredits: &MovieCredits{}}
	err := t.get(ctx, "person/"+strconv.Itoa(id), url.Values{"append_to_response": {"movie_credits"}}, &p)
	return p, err
}

func (t *tmdb) Discover(ctx context.Context, f Filter) ([]Movie, error) {
	query := url.Values{"sort_by": {"vote_average.desc"}, "vote_count.gte": {minVotes}}
	set := func(name, format string, number int) {
		if number > 0 {
			query.Set(name, fmt.Sprintf(format, number))
		}
	}
	for name, ids := range map[string][]int{"with_genres": f.Genres, "with_cast": f.Cast} {
		if len(ids) > 0 {
			query.Set(name, strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]"))
		}
	}
	set("with_crew", "%d", f.Director)
	set("primary_release_date.gte", "%d-01-01", f.From)
	set("primary_release_date.lte", "%d-12-31", f.To)
	return list[Movie](ctx, t, "discover/movie", query)
}
