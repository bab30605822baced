// Command mutate checks the Terraform as it is, and with -all breaks it on purpose and sees that
// its tests notice.
//
//	go run ./scripts/mutate [-all] [-check scripts/terraform-check] [-dir terraform]
//	go run ./scripts/mutate -schema FILE [-sample N] [-skip N]
//	go run ./scripts/mutate -values N
//
// First the checker must pass the Terraform as it is, and prints what its tests say. Each
// mutation of the table changes one argument in a copy, and names the run of
// terraform/tests that must fail and what it must say. A copy holds several mutations, each of another run, and of the tests
// those runs alone, as the checker takes seconds for each. Exits with 1 when the Terraform
// does not pass or a mutation goes unnoticed, with 2 when nothing can be tried.
//
// With -schema, the output of `terraform providers schema -json`, mutations are generated:
// each argument of each resource is removed, changed, or made its neighbour's, and of each
// kind of resource each argument that the provider knows is added. The list of held
// arguments (testdata/arguments.txt) notices what is set or removed; what it lets through is
// tried with the runs that name the resource, N of them, or with -all, which takes hours, all
// but the first -skip, which an earlier run has tried. The summary tells what was noticed by
// its meaning, which a test or a rule states, from what was noticed as unexpected alone. Exits
// with 1 if less than 95 of 100 are noticed, or less than 60 by their meaning.
//
// With -values, N of all changes of value are tried: a default, a threshold, another alert's
// link or remedy, another chart's query. Exits with 1 if less than 95 of 100 are noticed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	all := flag.Bool("all", false, "break it on purpose too")
	check := flag.String("check", "scripts/terraform-check", "the checker: a command that takes the folder and runs `terraform test` in it")
	dir := flag.String("dir", "terraform", "the folder of the Terraform")
	schema := flag.String("schema", "", "generate mutations, by this schema of the provider")
	sampled := flag.Int("sample", 10, "how many generated mutations Terraform's tests try")
	skip := flag.Int("skip", 0, "of those that Terraform's tests try, how many are left out, as an earlier run has tried them")
	changed := flag.Int("values", 0, "try so many changes of value")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tool, err := filepath.Abs(*check)
	if err == nil {
		_, err = os.Stat(tool)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutate: no checker (-check): %v\n", err)
		os.Exit(2)
	}
	c := checker{tool: tool, dir: *dir}
	if *changed > 0 {
		enough, err := tryValues(ctx, c, *changed)
		if err != nil {
			fmt.Fprintf(os.Stderr, "mutate: %v\n", err)
			os.Exit(2)
		}
		if !enough {
			os.Exit(1)
		}
		return
	}
	if *schema != "" {
		if *all {
			*sampled = -1
		}
		enough, err := tryGenerated(ctx, c, *schema, *sampled, *skip)
		if err != nil {
			fmt.Fprintf(os.Stderr, "mutate: %v\n", err)
			os.Exit(2)
		}
		if !enough {
			os.Exit(1)
		}
		return
	}
	fmt.Printf("%s as it is:\n", *dir)
	if err := c.passes(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "mutate: %s does not pass %s: %v\n", *dir, *check, err)
		os.Exit(1)
	}
	if !*all {
		return
	}
	fmt.Println("broken on purpose, do its tests notice?")
	unnoticed, err := try(ctx, c, table)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutate: %v\n", err)
		os.Exit(2)
	}
	fmt.Printf("%d of %d mutations noticed\n", len(table)-unnoticed, len(table))
	if unnoticed > 0 {
		os.Exit(1)
	}
}

// try checks the mutations, a copy at a time, and counts those that go unnoticed.
func try(ctx context.Context, c checker, mutations []mutation) (unnoticed int, err error) {
	for _, batch := range batches(mutations) {
		found, err := c.check(ctx, batch)
		if err != nil {
			return 0, err
		}
		for _, m := range batch {
			verdict := "noticed"
			if !m.noticed(found) {
				verdict = "UNNOTICED"
				unnoticed++
			}
			fmt.Printf("%-9s  %-20s  %s: %s\n", verdict, m.file, m.run, m.says)
			for _, d := range found {
				if verdict == "UNNOTICED" && d.run == m.run {
					fmt.Printf("           it says: %s\n", d.text)
				}
			}
		}
	}
	return unnoticed, nil
}
