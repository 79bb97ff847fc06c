// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of JUnit's XML, as far as build servers read them.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
		seconds  float64
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit's XML: a suite for the card and one for each interface.
func (r *Report) WriteJUnit(w io.Writer) error {
	var all junitSuites
	for i := range r.Results {
		result := &r.Results[i]
		name := strings.TrimSpace(result.Profile + " " + result.Transport)
		if result.Transport == "" {
			name += " card"
		}
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != name {
			all.Suites = append(all.Suites, junitSuite{Name: name})
		}
		all.Suites[len(all.Suites)-1].add(result)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(r *Result) {
	c := junitCase{Name: r.Check + ": " + r.Title, Class: "conformance." + strings.ReplaceAll(s.Name, ".", "_"),
		Time: seconds(r.Duration.Seconds())}
	switch {
	case r.Bad():
		s.Failures++
		c.Failure = &junitMessage{Message: r.Reason, Text: r.details()}
	case r.Outcome == Skip:
		s.Skipped++
		c.Skipped = &junitMessage{Message: r.Reason}
	case r.Outcome == Warn:
		c.Out = "warning: " + r.Reason + "\n" + r.details()
	}
	s.Tests++
	s.seconds += r.Duration.Seconds()
	s.Time = seconds(s.seconds)
	s.Cases = append(s.Cases, c)
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

// details is all that is known of what was wrong.
func (r *Result) details() string {
	return fmt.Sprintf("clause: %s (%s)\nsent: %s\ngot: %s\nexpected: %s\nadvice: %s\n",
		r.Clause, strings.Join(append([]string{r.Level}, r.Requirements...), ", "), r.Request, r.Answer, r.Expected,
		r.Advice)
}
