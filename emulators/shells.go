package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"example.com/whatis/emulators/running"
)

// A shell is how a kind of shell sets a variable, and reads what -env prints.
type shell struct {
	line  string // that sets a variable: with its name, and its value quoted
	quote func(string) string
	use   string // the command that reads what -env prints
}

// shells are the shells that -env knows, by the names of their programs.
var shells = map[string]shell{
	"bash": {"export %s=%s", quoted, `eval "$(go run ./emulators -env)"`},
	"fish": {"set -gx %s %s", func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
	}, "go run ./emulators -env=fish | source"},
	"powershell": {"$env:%s = %s", func(s string) string {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}, "go run ./emulators -env=powershell | Out-String | Invoke-Expression"},
}

func init() {
	for _, same := range []string{"sh", "dash", "zsh", "ksh"} {
		shells[same] = shells["bash"]
	}
	shells["pwsh"] = shells["powershell"]
}

// set returns the line that sets a variable, given as NAME=value.
func (s shell) set(variable string) string {
	name, value, _ := strings.Cut(variable, "=")
	return fmt.Sprintf(s.line, name, s.quote(value))
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-]+$`)

// quoted returns s quoted for a shell.
func quoted(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// An envFlag is -env or -env=shell.
type envFlag struct {
	set  bool
	name string
}

// String returns the shell's name.
func (f *envFlag) String() string { return f.name }

// Set takes true for the flag without a value.
func (f *envFlag) Set(s string) error {
	f.set, f.name = s != "false", s
	if s == "true" || s == "false" {
		f.name = ""
		return nil
	}
	if _, ok := shells[s]; !ok {
		return fmt.Errorf("want bash, fish or powershell")
	}
	return nil
}

// IsBoolFlag makes the value optional.
func (f *envFlag) IsBoolFlag() bool { return true }

// shell returns the shell that is named, or else this machine's: PowerShell on Windows,
// elsewhere that of SHELL, and one like bash if that is unknown.
func (f *envFlag) shell() shell {
	usual := filepath.Base(os.Getenv("SHELL"))
	if runtime.GOOS == "windows" {
		usual = "powershell"
	}
	if s, ok := shells[cmp.Or(f.name, usual)]; ok {
		return s
	}
	return shells["bash"]
}

// printEnv prints the settings of the emulators that run at port, or of the only ones.
func printEnv(f envFlag, port string) error {
	settings, err := running.Find(port)
	if err != nil {
		return err
	}
	s := f.shell()
	fmt.Printf("# %s\n", s.use)
	for _, variable := range settings {
		fmt.Println(s.set(variable))
	}
	return nil
}

// announce lets -env and whatisit --emulated find w, until withdraw is called.
func (w *world) announce() (withdraw func()) {
	withdraw, err := running.Announce(w.variables(environment()))
	if err != nil {
		fmt.Fprintln(os.Stderr, "emulators: -env and whatisit --emulated will not find these:", err)
		return func() {}
	}
	return withdraw
}
