//go:build unix

package main

import (
	"regexp"
	"strings"
)

// A line is a command that the README shows, and what it is said to print.
type line struct {
	section string
	command string
	answer  string // … stands for anything; "" for whatever it prints
}

var (
	console = regexp.MustCompile("(?s)```console\n(.*?)```")
	pasted  = regexp.MustCompile("(?s)```sh\n(go .*?)```") // a block to be pasted: a command of Go without an answer
)

// linesOf returns the commands of a README, by its sections. Comments behind them are left
// out, and so is the README's own command for all tests, which is a step of its own.
func linesOf(readme string) (all []line) {
	for _, section := range strings.Split("\n"+readme, "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		text = pasted.ReplaceAllString(text, "```console\n$$ $1```")
		for _, block := range console.FindAllStringSubmatch(text, -1) {
			for _, entry := range strings.Split("\n"+block[1], "\n$ ")[1:] {
				command, answer, _ := strings.Cut(entry, "\n")
				command, _, _ = strings.Cut(command, "  # ")
				if command = strings.TrimSpace(command); command != "go test ./..." {
					all = append(all, line{name, command, strings.TrimSpace(answer)})
				}
			}
		}
	}
	return all
}

// serves reports that a command stays up until it is ended.
func (l line) serves() bool {
	return strings.HasPrefix(l.command, "go run ./emulators") && !strings.Contains(l.command, "-once") && !strings.Contains(l.command, "-samples")
}

var space = regexp.MustCompile(`\s+`)

// matches reports that out holds what the README shows, its lines in that order.
func (l line) matches(out string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(l.answer), "…", ".*")
	return regexp.MustCompile("(?s)" + space.ReplaceAllString(pattern, `\s+`)).MatchString(out)
}
