// SPDX-License-Identifier: Apache-2.0

package coordcmd

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

const coordSettingsLong = `settings changes the settings that you pass, and shows all settings of a project:

  --strict       serve registered agents only; without it, other agents get a
                 warning
  --ignore-case  treat paths that differ only in case as the same file, as on
                 macOS and Windows
  --per-branch   let only agents on the same branch conflict
  --root         read absolute paths below these folders as paths of the
                 project: the folder of the repository and its work trees;
                 --root "" removes all roots

If the project has tokens, you need one with the role admin. You can also change the first three
settings on the coordinator's page.`

func (c *commands) settingsCommand(o *coordOptions) *cobra.Command {
	var given coord.Settings
	cmd := &cobra.Command{
		Use: "settings", Short: "Show and change the settings of a project", Long: coordSettingsLong,
		Args: cmdline.NoArgs,
		Example: "  dragoman coord settings\n  dragoman coord settings --strict --root . --root ../shop-login\n  " +
			"dragoman coord settings --strict=false",
	}
	flags := cmd.Flags()
	flags.BoolVar(&given.Strict, "strict", false, "serve registered agents only")
	flags.BoolVar(&given.IgnoreCase, "ignore-case", false, "treat paths that differ only in case as the same file")
	flags.BoolVar(&given.PerBranch, "per-branch", false, "let only agents on the same branch conflict")
	flags.StringArrayVar(&given.Roots, "root", nil,
		"read absolute paths below this folder as paths of the project; repeatable")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return c.settings(cmd.Context(), o, func(s *coord.Settings) (changed bool) {
			for name, set := range map[string]func(){
				"strict": func() { s.Strict = given.Strict }, "ignore-case": func() { s.IgnoreCase = given.IgnoreCase },
				"per-branch": func() { s.PerBranch = given.PerBranch },
				"root":       func() { s.Roots = c.absolute(given.Roots) },
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

func (c *commands) absolute(folders []string) (all []string) {
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

func (c *commands) settings(ctx context.Context, o *coordOptions, change func(*coord.Settings) bool) error {
	if _, err := o.place(ctx, c.Dir); err != nil {
		return err
	}
	var settings coord.Settings
	path := projectPath(o.project) + "/settings"
	if err := c.callAPI(ctx, o, http.MethodGet, path, nil, &settings); err != nil {
		return err
	}
	if change(&settings) {
		if err := c.callAPI(ctx, o, http.MethodPut, path, settings, &coord.Configured{}); err != nil {
			return err
		}
	}
	if c.AsJSON {
		return c.ShowValue(settingsOf{o.project, settings.Strict, settings.IgnoreCase, settings.PerBranch,
			settings.Roots})
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
