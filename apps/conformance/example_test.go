// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http/httptest"

	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// An agent is checked in a test of its own.
func ExampleRun() {
	web := httptest.NewUnstartedServer(nil)
	url := "http://" + web.Listener.Addr().String()
	stop := serveHello(web, url)
	defer stop()

	report, err := conformance.Run(context.Background(), url, &conformance.Options{Text: "Ada"})
	if err != nil {
		log.Fatal(err) // nothing could be checked
	}
	for _, r := range report.Results {
		if r.Bad() {
			fmt.Printf("%s: %s; expected %s (%s)\n", r.Check, r.Reason, r.Expected, r.Clause)
		}
	}
	fmt.Println(report.Agent, report.Conforms())
	// Output: Hello Agent true
}

// serveHello serves the sample that greets.
func serveHello(web *httptest.Server, url string) (stop func()) {
	e, err := engine.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	agent := e.Agent("hello", hello.New(hello.Options{}), &engine.AgentOptions{Card: hello.Card()})
	web.Config.Handler, err = server.New(agent, &server.Options{
		Card: hello.Card(), URL: url, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		log.Fatal(err)
	}
	web.Start()
	return func() {
		e.Shutdown(context.Background())
		web.Close()
	}
}
