// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// A file is the same in each work tree of a repository and by whatever name it is reached, and those elsewhere are
// none.
func TestRelativePaths(t *testing.T) {
	t.Parallel()
	clitest.NeedsGit(t)
	base := t.TempDir()
	main, linked, other := filepath.Join(base, "shop"), filepath.Join(base, "linked"), filepath.Join(base, "other")
	for _, args := range [][]string{
		{"init", "-q", main}, {"init", "-q", other},
		{"-C", main, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "x"},
		{"-C", main, "worktree", "add", "-q", linked},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for link, to := range map[string]string{"alias": main, "shop/soon": "later.go", "shop/loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(base, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	repo, err := repositoryOf(t.Context(), main)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		filepath.Join(main, "src", "new", "x.go"): "src/new/x.go", filepath.Join(linked, "x.go"): "x.go",
		filepath.Join(main, "soon"): "later.go", filepath.Join(main, "loop"): "loop",
		filepath.Join(base, "alias", "x.go"): "x.go", filepath.Join(main, "src", "..", "x.go"): "x.go",
		filepath.Join(other, "x.go"): "", filepath.Join(base, "x.go"): "", main + "x": "",
	} {
		got, err := repo.relative(t.Context(), file)
		if got != want || (want == "") != (err == errOutside) {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
	for dir, want := range map[string]string{main: "shop", linked: "shop", base: filepath.Base(base)} {
		repo, err := repositoryOf(t.Context(), dir)
		if err != nil || repo.name() != want {
			t.Errorf("%s is called %s, %v", dir, repo.name(), err)
		}
	}
}

// On macOS one folder has two spellings, and git and a harness need not write the same one.
func TestFilesOfEitherSpelling(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	const composed, apart = "caf\u00e9", "cafe\u0301"
	if err := os.Mkdir(filepath.Join(base, composed), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{{composed, apart}, {apart, composed}, {composed, composed}} {
		repo := &repository{root: filepath.Join(base, names[0])}
		got, err := repo.relative(t.Context(), filepath.Join(base, names[1], "x.go"))
		if got != "x.go" || err != nil {
			t.Errorf("%q below %q: %q, %v", names[1], names[0], got, err)
		}
	}
}
