package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCommand prints the completion script of a shell.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell."`
}

// Help returns the help text of whatisit completion, without its flags.
func (completionCommand) Help() string {
	return `    eval "$(whatisit completion bash)"                      in ~/.bashrc, on macOS ~/.bash_profile
    source <(whatisit completion zsh)                       in ~/.zshrc, behind compinit
    whatisit completion fish | source                       in ~/.config/fish/config.fish
    whatisit completion powershell | Out-String | iex       in $PROFILE

Commands, flags and the values that a flag knows are completed by whatisit itself; everything else as files.`
}

// completions are the scripts. They call whatisit __complete with the command line
// without its first word; the last word, perhaps empty, is the one to complete.
var completions = map[string]string{
	"bash": `_whatisit() {
  local found=$("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) IFS=$'\n'
  COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _whatisit whatisit
`,
	"zsh": `_whatisit() {
  local -a found
  found=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found || _files
}
compdef _whatisit whatisit
`,
	"fish": `complete -c whatisit -a '(whatisit __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
	"powershell": `Register-ArgumentCompleter -Native -CommandName whatisit -ScriptBlock {
  param($begun, $line, $at)
  $words = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -le $at } | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($begun -eq '') { $words += '""' }
  & whatisit __complete @words 2>$null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
}

// Run prints it.
func (s completionCommand) Run(c *console) error {
	_, err := fmt.Fprint(c.out, completions[s.Shell])
	return err
}

// completeCommand prints the possible next words, one a line. Shells call it.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints them.
func (s completeCommand) Run(k *kong.Kong, c *console) error {
	if len(s.Words) == 0 {
		return nil
	}
	last := len(s.Words) - 1
	for _, word := range next(k.Model.Node, s.Words[:last], s.Words[last]) {
		if _, err := fmt.Fprintln(c.out, word); err != nil {
			return err
		}
	}
	return nil
}

// next returns the words that may follow before and begin with begun.
func next(node *kong.Node, before []string, begun string) (words []string) {
	var value *kong.Flag // whose value comes next
	for _, word := range before {
		switch {
		case value != nil:
			value = nil
		case strings.HasPrefix(word, "-"):
			node = usual(node)
			value = valued(node, word)
		default:
			node = below(node, word)
		}
	}
	switch {
	case value != nil:
		words = value.EnumSlice()
	case strings.HasPrefix(begun, "-"):
		for _, group := range usual(node).AllFlags(true) {
			for _, flag := range group {
				words = append(words, "--"+flag.Name)
			}
		}
	default:
		for _, child := range node.Children {
			if !child.Hidden {
				words = append(words, child.Name)
			}
		}
		if len(node.Positional) > 0 {
			words = append(words, node.Positional[0].EnumSlice()...)
		}
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" || !strings.HasPrefix(word, begun) })
}

// valued returns the flag that word is, if its value is the next word.
func valued(node *kong.Node, word string) *kong.Flag {
	for _, group := range node.AllFlags(false) {
		for _, flag := range group {
			if word == "--"+flag.Name && !flag.IsBool() {
				return flag
			}
		}
	}
	return nil
}

// usual returns the default command of node.
func usual(node *kong.Node) *kong.Node {
	if node.DefaultCmd != nil {
		return node.DefaultCmd
	}
	return node
}

// below returns node's command of that name, or node itself if the word is an argument.
func below(node *kong.Node, name string) *kong.Node {
	for _, child := range node.Children {
		if child.Name == name {
			return child
		}
	}
	return node
}
