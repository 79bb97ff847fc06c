// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	mem "unsafe"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/expenses"
	"github.com/dragoman-a2a/dragoman/server"
)

// screen is a pseudo terminal with the program in it.
type screen struct {
	t      *testing.T
	keys   *os.File
	ended  chan error
	closed chan struct{}

	mu    sync.Mutex
	shown strings.Builder
	read  int           // how much of that was expected already
	more  chan struct{} // has a token when something was shown
}

// openTerminal starts the program at a terminal.
func openTerminal(t *testing.T, args ...string) *screen {
	t.Helper()
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo terminals here: %v; mount devpts to run this test: mount -t devpts devpts "+
			"/dev/pts", err)
	}
	var number, unlocked uint32
	control(t, keys, syscall.TIOCGPTN, mem.Pointer(&number))
	control(t, keys, syscall.TIOCSPTLCK, mem.Pointer(&unlocked))
	size := [4]uint16{40, 100, 0, 0}
	control(t, keys, syscall.TIOCSWINSZ, mem.Pointer(&size))
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{"dragoman"}, args...)
	cmd.Env = []string{"TERM=xterm", "HOME=" + t.TempDir(), "GORACE=" + os.Getenv("GORACE"),
		"GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	s := &screen{t: t, keys: keys, ended: make(chan error, 1), closed: make(chan struct{}),
		more: make(chan struct{}, 1)}
	go s.watch()
	go func() { s.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-s.closed
		keys.Close()
	})
	return s
}

func control(t *testing.T, f *os.File, request uintptr, arg mem.Pointer) {
	t.Helper()
	conn, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed syscall.Errno
	err = conn.Control(func(fd uintptr) {
		_, _,
			failed = syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(arg))
	})
	if err != nil || failed != 0 {
		t.Fatal(err, failed)
	}
}

func (s *screen) watch() {
	defer close(s.closed)
	b := make([]byte, 4096)
	for {
		n, err := s.keys.Read(b)
		s.mu.Lock()
		s.shown.Write(b[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// see waits until the texts are shown, one after the other, behind what was seen before.
func (s *screen) see(texts ...string) {
	s.t.Helper()
	late := time.After(30 * time.Second)
	for _, text := range texts {
		for !s.has(text) {
			select {
			case <-s.more:
			case <-late:
				s.t.Fatalf("%q is not shown:\n%s", text, s.rest())
			}
		}
	}
}

func (s *screen) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := strings.Index(s.shown.String()[s.read:], text)
	if at >= 0 {
		s.read += at + len(text)
	}
	return at >= 0
}

func (s *screen) rest() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()[s.read:]
}

// press types keys.
func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// leaves waits for the end of the program.
func (s *screen) leaves() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		if err != nil {
			s.t.Errorf("%v:\n%s", err, s.rest())
		}
	case <-time.After(30 * time.Second):
		s.t.Fatalf("the program does not end:\n%s", s.rest())
	}
}

const (
	enter = "\r"
	ctrlD = "\x04"
)

// Text that is typed at a field is the answer, and the commands are commands, whatever value the field has.
func TestFormsAtATerminal(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	for name, args := range map[string][]string{
		"chat": {"chat", "-a", url},
		"host": {"host", "-a", url, "--data-dir", ":memory:"},
		"send": {"send", "-a", url, "--fill", "lunch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openTerminal(t, args...)
			if name != "send" {
				s.see("> ")
				s.press("@Test lunch" + enter)
			}
			s.see("Enter keeps what stands in brackets", "Date of expense (date, such as 2026-11-21)", "Date: ")
			s.press("not a date" + enter)
			s.see("Date: it must be a date", "  Date: ")
			s.press("2026-11-20" + enter)
			s.see("Amount [20]: ")
			s.press("abc" + enter)
			s.see("Amount: it has no number in it", "Amount [20]: ")
			s.press(enter)
			s.see("Purpose: ")
			s.press("x" + enter)
			s.see("Request ID [request_id_1234567]: ")
			s.press(enter)
			s.see("Send it? [Y/n] ")
			s.press(enter)
			s.see("Instructions: Say more", "Date [2026-11-20]: ")
			s.press("2026-11-19" + enter)
			s.see("Amount [20]: ")
			s.press("/later" + enter)
			if name == "send" {
				s.see("the task waits for input", "Answer: dragoman send -a "+url+" --task-id ")
				s.leaves()
				return
			}
			s.see("/form asks for it again", "[input-required]> ")
			s.press("/form" + enter)
			s.see("Date [2026-11-19]: ")
			s.press("/cancel" + enter)
			s.see("Status: canceled", "> ")
			s.press("/quit" + enter)
			s.leaves()
		})
	}
}

func TestQuitAtAField(t *testing.T) {
	t.Parallel()
	s := openTerminal(t, "chat", "-a", serveAgent(t, formAgent, nil))
	s.see("> ")
	s.press("lunch" + enter)
	s.see("Date: ")
	s.press("/quit" + enter)
	s.see("Status: input-required", "Resume: dragoman chat")
	s.leaves()
}

// Output after Ctrl-D begins a line.
func TestCtrlDEndsTheLineOfThePrompt(t *testing.T) {
	t.Parallel()
	s := openTerminal(t, "chat", "-a", serveAgent(t, formAgent, nil))
	s.see("Test> ")
	s.press("lunch" + enter)
	s.see("Date: ")
	s.press(ctrlD)
	s.see("\r\nThe form waits", "Test [input-required]> ")
	s.press(ctrlD)
	s.see("\r\n" + "\x1b[?2004l" + "Task: ")
	s.leaves()
}

// From the sentence to the approval: the host converts, and a person fills the form field by field.
func TestConvertsThenFillsTheFormAtATerminal(t *testing.T) {
	t.Parallel()
	cur := serveAgent(t, currency.New(currency.Options{}), &server.Options{Card: currency.Card()})
	pay := serveAgent(t, expenses.New(expenses.Options{}), &server.Options{Card: expenses.Card()})
	const sentence = "reimburse lunch for 20 EUR but needs to be converted to USD ahead of time."
	for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
		for name, args := range map[string][]string{
			"host":     {"host", "--data-dir", ":memory:"},
			"host ask": {"host", "ask", "--data-dir", ":memory:", "--fill", sentence},
		} {
			t.Run(name+" over "+binding, func(t *testing.T) {
				t.Parallel()
				s := openTerminal(t, append(args, "-a", cur, "-a", pay, "--transport", binding)...)
				if name == "host" {
					s.see("> ")
					s.press(sentence + enter)
				}
				s.see("Date: ")
				s.press("2025-01-02" + enter)
				s.see("Amount [21.58 USD]: ")
				s.press(enter)
				s.see("Purpose [lunch]: ")
				s.press("lunch with a client" + enter)
				s.see("Request ID: request_id_", "Send it? [Y/n] ")
				s.press(enter)
				s.see("has been approved: 21.58 USD for lunch with a client on 2025-01-02")
				if name == "host" {
					s.see("> ")
					s.press("/quit" + enter)
				}
				s.leaves()
			})
		}
	}
}

// A person who waits sees for whom and why; the result stands alone in the end.
func TestSendShowsProgressAtATerminal(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url := serveAgent(t, agent.Func(func(ctx context.Context, t *agent.Turn) error {
		t.Working(a2a.TextPart("looking for the rates"))
		select {
		case <-release:
		case <-ctx.Done():
		}
		return t.Artifact("answer", a2a.TextPart("done"))
	}), nil)
	s := openTerminal(t, "send", "-a", url, "hi")
	s.see("Waiting for Test (", "s, working): looking for the rates")
	close(release)
	s.see("\r    ", "\rTask: ", "  Text: done")
	s.leaves()
	if left := s.rest(); strings.Contains(left, "Waiting") {
		t.Errorf("progress goes on: %q", left)
	}
}

const up = "\x1b[A"

// Pasted text is one message, with its lines and tabs, and comes back with the key Up, in the next conversation too.
func TestPasteAndHistoryOfAChat(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		return t.Reply(a2a.TextPart(fmt.Sprintf("got %q", t.Text())))
	}), nil)
	data := t.TempDir()
	s := openTerminal(t, "chat", url, "--data-dir", data)
	s.see("\x1b[?2004h", "> ")
	s.press("x: " + pasted("/one\r\n\ttwo\nthree\r") + "!")
	s.see("three!")
	s.press(enter)
	s.see(`got "x: /one\n\ttwo\nthree!"`, "> ")
	s.press(pasted("/a\r/b") + enter) // of several lines, and so no command
	s.see(`got "/a\n/b"`, "> ")
	s.press("/quit" + enter)
	s.see("\x1b[?2004l")
	s.leaves()

	s = openTerminal(t, "host", url, "--data-dir", data)
	s.see("> ")
	s.press(up + up + up)
	s.see("x: /one␊␉two␊three!")
	s.press("\x03" + "/quit" + enter)
	s.leaves()
}

// pasted is what a terminal sends for a text that is pasted.
func pasted(text string) string { return "\x1b[200~" + text + "\x1b[201~" }
