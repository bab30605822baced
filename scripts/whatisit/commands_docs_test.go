package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"example.com/whatis/docs"
)

// docs/commands.md is what --help says of each command.
func TestDocsCommands(t *testing.T) {
	t.Parallel()
	parser, err := parserOf(t.Context(), &commands{}, &console{})
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	flagsOf(&page, parser.Model.Node)
	describeCommands(&page, parser.Model.Node)
	docs.Section(t, "commands.md", "commands", page.String())
}

// describeCommands writes a section for each command below node.
func describeCommands(page *strings.Builder, node *kong.Node) {
	for _, child := range node.Children {
		if child.Hidden {
			continue
		}
		fmt.Fprintf(page, "## %s\n\n%s\n\n", child.FullPath(), child.Help)
		if len(child.Children) == 0 {
			fmt.Fprintf(page, "`whatisit %s`\n\n", child.Summary())
		}
		if child.Detail != "" {
			fmt.Fprintf(page, "%s\n\n", fenced(child.Detail))
		}
		flagsOf(page, child)
		describeCommands(page, child)
	}
}

// fenced returns a help text whose indented lines stand between fences, as they are.
func fenced(text string) string {
	const fence = "```"
	var lines []string
	inside := false
	for line := range strings.Lines(text + "\n") {
		line = strings.TrimRight(line, "\n")
		if indented := strings.HasPrefix(line, " "); line != "" && indented != inside {
			lines, inside = append(lines, fence), indented
		}
		lines = append(lines, line)
	}
	if inside {
		lines = append(lines, fence)
	}
	return strings.Join(lines, "\n")
}

// flagsOf writes the arguments and flags of node as a table, if there are any.
func flagsOf(page *strings.Builder, node *kong.Node) {
	var rows [][2]string
	for _, argument := range node.Positional {
		rows = append(rows, [2]string{argument.Summary(), argument.Help})
	}
	for _, flag := range node.Flags {
		name := flag.String()
		if flag.Tag.Negatable != "" {
			name = strings.Replace(name, "--", "--[no-]", 1)
		}
		if !flag.Hidden && (node.Parent == nil || flag.Name != "help") {
			rows = append(rows, [2]string{name, flag.Help})
		}
	}
	if len(rows) == 0 {
		return
	}
	page.WriteString("| | |\n| --- | --- |\n")
	for _, row := range rows {
		fmt.Fprintf(page, "| `%s` | %s |\n", strings.ReplaceAll(row[0], "|", `\|`), strings.ReplaceAll(row[1], "|", `\|`))
	}
	page.WriteString("\n")
}
