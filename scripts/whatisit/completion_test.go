package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	for words, want := range map[string]string{
		"ba": "batch", "re": "results resume replay", "results s": "show", "results --or": "--order", "results --order ": "newest doubt", "results list --order d": "doubt",
		"completion ": "bash zsh fish powershell", "analyze photo.jpg --htm": "--html", "search --lang v": "", "eval ": "accuracy search discover floor thresholds", "__": "", "replay --pr": "--prefix --project",
	} {
		c := prepared(t, nil, append([]string{"__complete"}, strings.Split(words, " ")...)...)
		if code, got := c.here(), strings.Join(strings.Fields(c.stdout.String()), " "); code != 0 || got != want {
			t.Errorf("%q is completed to %q, exit %d; want %q", words, got, code, want)
		}
	}
}

// Bash itself completes with what is printed for it; zsh and fish take theirs, where they
// are.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for shell, check := range completions {
		c := prepared(t, nil, "completion", shell)
		if code := c.run(); code != 0 || c.stdout.String() != check {
			t.Errorf("%s: exit %d, %q", shell, code, &c.stdout)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		parsed := exec.CommandContext(t.Context(), path, "-n")
		parsed.Stdin = strings.NewReader(check)
		if out, err := parsed.CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v, %s", shell, err, out)
		}
	}
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to complete words")
	}
	c := prepared(t, nil)
	command := c.Path
	c.Path, c.Args = path, []string{path, "-c", `eval "$(` + command + ` completion bash)"
for words in "whatisit cat" "whatisit results --order "; do
  IFS=' ' read -ra COMP_WORDS <<<"$words"
  [[ $words != *" " ]] || COMP_WORDS+=("")
  COMP_WORDS[0]=` + command + ` COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _whatisit
  echo "${COMPREPLY[@]}"
done
asked() { [[ $IFS != $' \t\n' ]] || echo as always; } # bash 3.2 joins the words if IFS has no space
COMP_WORDS=(asked "") COMP_CWORD=1
_whatisit
echo "${COMPREPLY[@]}"`}
	if code := c.run(); code != 0 || c.stdout.String() != "catalog\nnewest doubt\nas always\n" {
		t.Errorf("bash: exit %d, %q, %q; want catalog, two orders, and IFS as always", code, &c.stdout, &c.stderr)
	}
	c = prepared(t, nil, "completion", "--help")
	if code := c.run(); code != 0 || !strings.Contains(c.stdout.String(), `eval "$(whatisit completion bash)"`) {
		t.Errorf("completion --help: exit %d, %q; want eval, as source <(…) defines nothing in bash 3.2", code, &c.stdout)
	}
}
