// SPDX-License-Identifier: Apache-2.0

// Package conformancecmd holds the command that checks an agent against the standard.
package conformancecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// codeConformance is the code of an agent that breaks the standard.
const codeConformance = cmdline.CodeOther + "CONFORMANCE"

type conformanceOptions struct {
	checks conformance.Options
	junit  string
}

const conformanceLong = `conformance tests an agent against the standard: its card, and each JSON-RPC and HTTP+JSON
interface of the profile. It sends valid and invalid requests and checks the responses strictly.
Each check prints one line. Below a failed check stand the clause of the standard, the request,
the response, the expected response, and the fix.

  pass     as the standard requires
  FAIL     violates the standard
  MISSING  the card advertises it, but the agent does not have it
  warn     allowed, but not recommended
  skip     not checked, and why

If a check fails or something is missing, the exit code is 1. Checks touch only tasks that they
create. They send --text to the agent, and --ask to make it ask for input. To check an agent on
another machine, pass --i-own-this-host.`

const conformanceExample = `  dragoman conformance http://127.0.0.1:8080
  dragoman conformance http://127.0.0.1:8080 --text "100 USD in GBP" --ask "How much is 1 USD?"
  dragoman conformance http://127.0.0.1:8080 --profile 0.3 -o json
  dragoman conformance https://agents.example.com --i-own-this-host --junit report.xml`

type checking struct{ *connect.Caller }

// Command returns the command that checks an agent. It takes some of the flags of a caller.
func Command(caller *connect.Caller) *cobra.Command {
	c := &checking{caller}
	var o conformanceOptions
	cmd := &cobra.Command{
		Use: "conformance [URL]", Short: "Test an agent against the standard", Long: conformanceLong,
		Example: conformanceExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) == 1 && c.Agent == "" {
				return nil
			}
			return cmdline.Usagef("%s takes the URL of one agent", cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			agent := append(args, c.Agent)[0]
			if agent == "" {
				return connect.NoAgent()
			}
			return c.conformance(cmd.Context(), agent, &o)
		},
	}
	flags, defaults := cmd.Flags(), conformance.Options{}.Defaults()
	flags.SortFlags = false
	flags.StringVar(&o.checks.Profile, "profile", "",
		"protocol version to check: 1.0 or 0.3 (default: 1.0 if the card has it)")
	flags.StringArrayVar(&o.checks.Transports, "transport", nil,
		"binding to check: JSONRPC or HTTP+JSON; repeatable (default: all bindings of the card)")
	flags.StringVar(&o.checks.Text, "text", defaults.Text, "message to send to the agent")
	flags.StringVar(&o.checks.Ask, "ask", "", "message that makes the agent ask for input (default: --text)")
	flags.SetAnnotation("text", cmdline.AnnotationPart, nil)
	flags.StringVar(&o.junit, "junit", "", "file for a report in JUnit XML")
	flags.BoolVar(&o.checks.AnyHost, connect.FlagOwnHost, false,
		"check an agent on another machine; the checks cause tasks and errors there")
	flags.DurationVar(&o.checks.Timeout, "answer-timeout", defaults.Timeout,
		"time limit of a response, and of a whole stream")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case connect.FlagAgentCard, "bearer", connect.FlagSvcParam, "insecure", "debug":
			flags.AddFlag(f)
		}
	})
	return cmd
}

func (c *checking) conformance(ctx context.Context, agent string, o *conformanceOptions) (err error) {
	if !strings.Contains(agent, "://") {
		agent = "http://" + agent
	}
	if o.checks.Header, err = c.Params(); err != nil {
		return err
	}
	o.checks.HTTPClient = c.HTTPClient()
	if !c.AsJSON {
		o.checks.Each = c.showCheck
	}
	start := time.Now()
	report, err := conformance.Run(ctx, agent, &o.checks)
	if err != nil {
		return checkFailure(err)
	}
	if err := c.reportTo(o.junit, report); err != nil {
		return err
	}
	if err := c.showChecks(report, time.Since(start)); err != nil || report.Conforms() {
		return err
	}
	return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: codeConformance,
		Message: fmt.Sprintf("%d checks failed", report.Count(conformance.Fail)+report.Count(conformance.Missing))}
}

// checkFailure sorts an error of a run in which nothing was checked.
func checkFailure(err error) error {
	if e, ok := errors.AsType[*conformance.HostError](err); ok {
		return cmdline.Usagef("%v", e).WithHint("if it is yours, add --" + connect.FlagOwnHost)
	}
	if e, ok := errors.AsType[*conformance.CardError](err); ok {
		why, hint := cmdline.CauseOf(e.Err, e.URL)
		return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeCardNotFound,
			Message: fmt.Sprintf("no agent card at %s that can be checked: %s", connect.WithoutUser(e.URL), why),
			Hint:    hint}
	}
	if text, ok := strings.CutPrefix(err.Error(), "conformance: "); ok {
		return cmdline.Usagef("%s", strings.NewReplacer("Profile is", "--profile is", "Transports has",
			"--transport is", "Timeout is", "--answer-timeout is").Replace(text))
	}
	return err
}

// outcomeWords are the outcomes as people see them.
var outcomeWords = map[conformance.Outcome]string{conformance.Fail: "FAIL", conformance.Missing: "MISSING"}

// showCheck prints a line, and what is known of a result that is not as it should be.
func (c *checking) showCheck(r conformance.Result) {
	word, where, what := string(r.Outcome), r.Transport, r.Title
	if w, ok := outcomeWords[r.Outcome]; ok {
		word = w
	}
	if where == "" {
		where = "card"
	}
	if r.Outcome == conformance.Skip {
		what = r.Reason
	}
	fmt.Fprintf(c.Out, "%-7s  %s %-9s  %-24s  %s\n", word, r.Profile, where, r.Check, terminal.Inline(what))
	if !r.Bad() && r.Outcome != conformance.Warn {
		return
	}
	fmt.Fprintf(c.Out, "  clause:   %s (%s)\n", r.Clause,
		strings.Join(append([]string{r.Level}, r.Requirements...), ", "))
	for _, line := range []struct{ label, text string }{
		{"sent:", r.Request}, {"got:", r.Answer}, {"that is:", r.Reason}, {"expected:", r.Expected},
		{"advice:", r.Advice},
	} {
		if line.text != "" {
			fmt.Fprintf(c.Out, "  %-9s %s\n", line.label, terminal.Inline(line.text))
		}
	}
}

// summary is the end of a report in JSON.
type summary struct {
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Missing int `json:"missing"`
	Warn    int `json:"warn"`
	Skip    int `json:"skip"`
}

// showChecks prints the summary, or all of a report as JSON.
func (c *checking) showChecks(r *conformance.Report, took time.Duration) error {
	s := summary{r.Count(conformance.Pass), r.Count(conformance.Fail), r.Count(conformance.Missing),
		r.Count(conformance.Warn), r.Count(conformance.Skip)}
	if c.AsJSON {
		return c.ShowValue(struct {
			*conformance.Report `json:",inline"`
			Summary             summary `json:"summary"`
		}{r, s})
	}
	fmt.Fprintf(c.Out, "%s: %d passed, %d failed, %d missing, %d warnings, %d skipped, in %.1f s\n",
		terminal.Inline(r.Agent), s.Pass, s.Fail, s.Missing, s.Warn, s.Skip, took.Seconds())
	return nil
}

// reportTo writes JUnit's XML to a file, "" for none.
func (c *checking) reportTo(name string, r *conformance.Report) (err error) {
	if name == "" {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return r.WriteJUnit(file)
}
