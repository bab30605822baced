package main

import (
	"os/exec"
	"strings"
	"testing"
)

// Each shell reads back what was set: those that are installed are asked, of the others it is
// known how they quote.
func TestShells(t *testing.T) {
	t.Parallel()
	print := map[string]string{"bash": `printf %s "$X"`, "fish": `printf %s "$X"`, "powershell": "[Console]::Write($env:X)"}
	programs := map[string]string{"bash": "sh", "fish": "fish", "powershell": "pwsh"}
	known := map[string]string{
		"bash":       `export X='it'\''s "$HOME" \ ; ls'`,
		"fish":       `set -gx X 'it\'s "$HOME" \\ ; ls'`,
		"powershell": `$env:X = 'it''s "$HOME" \ ; ls'`,
	}
	for name, want := range known {
		if got := shells[name].set(`X=it's "$HOME" \ ; ls`); got != want {
			t.Errorf("for %s: %s, want %s", name, got, want)
		}
		program, err := exec.LookPath(programs[name])
		if err != nil {
			t.Logf("%s is not installed here", programs[name])
			continue
		}
		for _, value := range []string{"a", "a b", "it's", `"$HOME" \ ; ls`, "차", "a=b;c", "http://127.0.0.1:8084/storage/v1/", "*=127.0.0.1:8089"} {
			line := shells[name].set("X=" + value)
			out, err := exec.CommandContext(t.Context(), program, "-c", line+"\n"+print[name]).Output()
			if err != nil || string(out) != value {
				t.Errorf("%s reads %s as %q, %v; want %q", name, line, out, err, value)
			}
		}
	}
}

// The shell of -env is the one that is named, or else that of SHELL.
func TestShellOf(t *testing.T) {
	for _, test := range []struct{ set, usual, want string }{
		{"true", "/usr/bin/fish", "set -gx X a"},
		{"true", "/bin/zsh", "export X=a"},
		{"true", "", "export X=a"},
		{"true", "/opt/nushell", "export X=a"},
		{"pwsh", "/bin/bash", "$env:X = 'a'"},
		{"bash", "/usr/bin/fish", "export X=a"},
	} {
		t.Setenv("SHELL", test.usual)
		var f envFlag
		if err := f.Set(test.set); err != nil || strings.ReplaceAll(f.shell().set("X=a"), "X 'a'", "X a") != test.want {
			t.Errorf("-env=%s where SHELL is %q: %s, %v; want %s", test.set, test.usual, f.shell().set("X=a"), err, test.want)
		}
	}
	if err := new(envFlag).Set("cmd"); err == nil {
		t.Error("-env=cmd is accepted")
	}
}

// printed runs the command beside s, and returns what it prints.
func (s *session) printed(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	return start(s.t, []string{"XDG_CACHE_HOME=" + s.cache, "SHELL=/bin/bash"}, args...).end()
}

// tells checks that -env prints what s has printed.
func (s *session) tells() {
	s.t.Helper()
	out, _, code := s.printed("-env")
	for name, value := range s.env {
		if !strings.Contains(out, "export "+name+"="+value) {
			s.t.Errorf("-env: exit code %d, no %s=%s in\n%s", code, name, value, out)
		}
	}
	shown, err := exec.CommandContext(s.t.Context(), "sh", "-c", `eval "$1"; printf %s "$EMULATED_WEB"`, "-", out).Output()
	if err != nil || !strings.Contains(string(shown), ";Kenya") || len(s.env) < 20 {
		s.t.Errorf("a shell that reads -env has the %d variables, and EMULATED_WEB is %q, %v", len(s.env), shown, err)
	}
	if _, stderr, code := s.printed("-env=fish", "-port", "1"); code != 1 || !strings.Contains(stderr, "emulators run at the ports") {
		s.t.Errorf("-env -port 1: exit code %d, %s; want 1 and the ports", code, stderr)
	}
}

// toldNobody checks that -env says so where no emulators run any more.
func (s *session) toldNobody() {
	s.t.Helper()
	if out, stderr, code := s.printed("-env"); code != 1 || out != "" || !strings.Contains(stderr, "no emulators run here") {
		s.t.Errorf("-env afterwards: exit code %d, %q, %s; want 1", code, out, stderr)
	}
}
