// SPDX-License-Identifier: Apache-2.0

package catalogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
)

// DefaultTMDB is the base URL of The Movie Database.
const DefaultTMDB = "https://api.themoviedb.org/3"

const (
	imageBase   = "https://image.tmdb.org/t/p/w500"
	tmdbTimeout = 10 * time.Second // of a whole request, body included
	tmdbMaxBody = 2 << 20          // bytes of an answer
	maxQuery    = 60               // runes of a query
	maxText     = 2000             // runes of a text in an answer
	minVotes    = "300"            // of films that are recommended: a rating of few votes says little
)

// TMDBOptions configure [NewTMDB].
type TMDBOptions struct {
	// the key of v3 (32 hexadecimal digits), or the token of v4; required; never shown or logged
	Key     string       `json:"-"`
	BaseURL string       // "": [DefaultTMDB]; http or https, without query
	Client  *http.Client // nil: a client of its own; its transport is used, its redirect rule and timeout are not
}

// String shows the options without the key.
func (o TMDBOptions) String() string { return "TMDB at " + cmp.Or(o.BaseURL, DefaultTMDB) }

// GoString shows the options without the key.
func (o TMDBOptions) GoString() string { return o.String() }

// tmdb is the [Catalogue] of The Movie Database. Each call is one request: no retries, 10 seconds, at most 2 MiB, no
// redirects, which would take the key elsewhere.
type tmdb struct {
	base   *url.URL
	key    string
	client *http.Client
}

// NewTMDB returns the catalogue of The Movie Database, or of a server that speaks like it.
func NewTMDB(o TMDBOptions) (Catalogue, error) {
	if o.Key == "" {
		return nil, errors.New("catalogue: TMDB needs a key; set TMDB_API_KEY")
	}
	base, err := url.Parse(cmp.Or(o.BaseURL, DefaultTMDB))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" ||
		base.Fragment != "" || base.User != nil {
		return nil, fmt.Errorf("catalogue: the base URL of TMDB must be like %s", DefaultTMDB)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if o.Client != nil {
		client.Transport = o.Client.Transport
	}
	return &tmdb{base: base, key: o.Key, client: client}, nil
}

// FromEnv returns the catalogue that the environment names: that of TMDB when TMDB_API_KEY is set, at TMDB_BASE_URL
// when that is set too, and the bundled one otherwise.
func FromEnv(getenv func(string) string) (Catalogue, error) {
	key := strings.TrimSpace(getenv("TMDB_API_KEY"))
	if key == "" {
		return Bundled(), nil
	}
	return NewTMDB(TMDBOptions{Key: key, BaseURL: getenv("TMDB_BASE_URL")})
}

func (*tmdb) Source() string { return "TMDB" }

// bearer reports whether the key is a token of v4, which goes into a header; a key of v3 goes into the query.
func (t *tmdb) bearer() bool { return strings.Count(t.key, ".") == 2 || len(t.key) > 40 }

// get asks one question. Its errors name neither the key nor the URL that may contain it.
func (t *tmdb) get(ctx context.Context, path string, query url.Values, v any) error {
	ctx, cancel := context.WithTimeout(ctx, tmdbTimeout)
	defer cancel()
	target := t.base.JoinPath(path)
	query.Set("language", "en-US")
	if !t.bearer() {
		query.Set("api_key", t.key)
	}
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return errors.New("catalogue: TMDB: the request cannot be made")
	}
	request.Header.Set("Accept", "application/json")
	if t.bearer() {
		request.Header.Set("Authorization", "Bearer "+t.key)
	}
	response, err := t.client.Do(request)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // which leaves out the URL
		}
		return fmt.Errorf("catalogue: TMDB %s: %w", path, err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized:
		return fmt.Errorf("catalogue: TMDB %s: status 401; check TMDB_API_KEY", path)
	default:
		return fmt.Errorf("catalogue: TMDB %s: status %d", path, response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, tmdbMaxBody+1))
	if err != nil {
		return fmt.Errorf("catalogue: TMDB %s: %w", path, err)
	}
	if len(text) > tmdbMaxBody {
		return fmt.Errorf("catalogue: TMDB %s: answer of more than %d bytes", path, tmdbMaxBody)
	}
	if err := json.Unmarshal(text, v, lenient); err != nil {
		return fmt.Errorf("catalogue: TMDB %s: the answer is not what it should be: %w", path, err)
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
