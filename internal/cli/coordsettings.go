// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const coordSettingsLong = `settings shows the settings of a project, after it has changed those that are given:

  --strict       serves only agents that have registered; without it, the other
                 agents get a warning
  --ignore-case  treats paths that differ in case only as the same file, as on
                 macOS and Windows
  --per-branch   lets only agents on the same branch conflict
  --root         takes absolute paths below these folders for paths of the
                 project: the folder of the repository and those of its work
                 trees; --root "" takes all back

In a project with tokens it takes one of the role admin. People set the first three on the
page of the coordinator, too.`

func (c *command) coordSettingsCommand(o *coordOptions) *cobra.Command {
	var given coord.Settings
	cmd := &cobra.Command{
		Use: "settings", Short: "Show and change the settings of a project", Long: coordSettingsLong, Args: cmdline.NoArgs,
		Example: "  dragoman coord settings\n  dragoman coord settings --strict --root . --root ../shop-login\n  dragoman coord settings --strict=false",
	}
	flags := cmd.Flags()
	flags.BoolVar(&given.Strict, "strict", false, "serve registered agents only")
	flags.BoolVar(&given.IgnoreCase, "ignore-case", false, "paths that differ in case only are the same")
	flags.BoolVar(&given.PerBranch, "per-branch", false, "only agents on the same branch are in each other's way")
	flags.StringArrayVar(&given.Roots, "root", nil, "folder below which absolute paths are the project's; repeatable")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.coordSettings(cmd.Context(), o, func(s *coord.Settings) (changed bool) {
			for name, set := range map[string]func(){
				"strict": func() { s.Strict = given.Strict }, "ignore-case": func() { s.IgnoreCase = given.IgnoreCase },
				"per-branch": func() { s.PerBranch = given.PerBranch }, "root": func() { s.Roots = c.absolute(given.Roots) },
			} {
				if cmd.Flags().Changed(name) {
					set()
					changed = true
				}
			}
			return changed
		})
	}
	return cmd
}

// settingsOf are the settings of a project with all of them there, for programs.
type settingsOf struct {
	Project    string   `json:"project"`
	Strict     bool     `json:"strict"`
	IgnoreCase bool     `json:"ignore_case"`
	PerBranch  bool     `json:"per_branch"`
	Roots      []string `json:"roots"`
}

// absolute returns the folders that are named, as absolute paths.
func (c *command) absolute(folders []string) (all []string) {
	for _, f := range folders {
		switch {
		case f == "":
		case filepath.IsAbs(f):
			all = append(all, f)
		default:
			all = append(all, filepath.Join(c.Dir, f))
		}
	}
	return all
}

// coordSettings shows the settings of a project, after change has changed some.
func (c *command) coordSettings(ctx context.Context, o *coordOptions, change func(*coord.Settings) bool) error {
	if _, err := o.place(ctx, c.Dir); err != nil {
		return err
	}
	var settings coord.Settings
	path := projectPath(o.project) + "/settings"
	if err := c.coordAPI(ctx, o, http.MethodGet, path, nil, &settings); err != nil {
		return err
	}
	if change(&settings) {
		if err := c.coordAPI(ctx, o, http.MethodPut, path, settings, &coord.Configured{}); err != nil {
			return err
		}
	}
	if c.AsJSON {
		return c.ShowValue(settingsOf{o.project, settings.Strict, settings.IgnoreCase, settings.PerBranch, settings.Roots})
	}
	return c.ShowText(func(p *terminal.Printer) {
		p.Field(0, "Project", o.project)
		p.Field(1, "Registered agents only", cmdline.YesNo(&settings.Strict))
		p.Field(1, "Case is ignored", cmdline.YesNo(&settings.IgnoreCase))
		p.Field(1, "Each branch on its own", cmdline.YesNo(&settings.PerBranch))
		if len(settings.Roots) > 0 {
			p.Field(1, "Roots", strings.Join(settings.Roots, ", "))
		}
	})
}
