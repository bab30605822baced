package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/user"
	"strings"
	"time"

	"example.com/whatis/internal/catalog/review"
)

// resultsReviewCommand says what a person says of a result.
type resultsReviewCommand struct {
	ID      string            `arg:"" name:"id" help:"The result's ID, as in the list."`
	Verdict string            `arg:"" enum:"accept,correct,reject,undo" help:"accept, correct, reject, or undo, which takes back what was said last."`
	Set     map[string]string `placeholder:"FIELD=VALUE" mapsep:"none" help:"With correct: what is otherwise, once for each field. Fields: product_name, brand, category, gtin, expiration_date; key_features, separated by |; or no_product=true alone."`

	Revision string `placeholder:"REVISION" help:"What you have seen: revision in the result. Without it the review counts only while nobody else has reviewed the photo."`
	By       string `placeholder:"NAME" help:"Who says so, where the service does not know; your user name unless it is set."`
	elsewhere
}

// Help returns the help text of whatisit results review, without its flags.
func (resultsReviewCommand) Help() string {
	return `Says of a result that it is right, wrong, or otherwise; the catalogue and all results of the same photo follow. Prints who said what of the photo, and when, the latest last.

    whatisit results show ID | grep revision
    whatisit results review ID reject --revision 0.1795518164755000

Exit codes: 0 it is said; 1 it is not, such as when somebody else has said something since, which is then printed; 2 wrong usage; 130 after Ctrl-C.`
}

// fields returns the corrected fields; nil if there are none.
func (r *resultsReviewCommand) fields() (map[string]any, error) {
	if len(r.Set) == 0 {
		return nil, nil
	}
	fields := map[string]any{}
	for name, value := range r.Set {
		switch name {
		case "product_name", "brand", "category", "gtin", "expiration_date":
			fields[name] = value
		case "key_features":
			fields[name] = strings.Split(value, "|")
		case "no_product":
			if value != "true" {
				return nil, usage("--set no_product=%s: want true, or leave it out", value)
			}
			fields[name] = true
		default:
			return nil, usage("--set %s: want product_name, brand, category, gtin, expiration_date, key_features or no_product", name)
		}
	}
	return fields, nil
}

// Run says it.
func (r *resultsReviewCommand) Run(ctx context.Context, c *console) error {
	fields, err := r.fields()
	if err != nil {
		return err
	}
	if u, err := user.Current(); err == nil && r.By == "" {
		r.By = u.Username
	}
	s, err := r.open(c)
	if err != nil {
		return err
	}
	said := map[string]any{"verdict": r.Verdict, "by": r.By, "revision": r.Revision}
	if fields != nil {
		said["fields"] = fields
	}
	body, err := json.Marshal(said)
	if err != nil {
		return err
	}
	var now review.Review
	err = s.answer(ctx, request{method: http.MethodPost, path: "/results/" + url.PathEscape(r.ID) + "/review", kind: "application/json", body: body}, &now)
	if err != nil {
		return because(ctx, err)
	}
	if c.json {
		return printJSON(c, now)
	}
	for _, act := range append(now.History, now.Entry) {
		fmt.Fprintln(c.out, actLine(act))
	}
	back := "nothing is left to take back"
	if now.Stands != nil {
		back = fmt.Sprintf("to take back %s: whatisit results review %s undo --revision %s", now.Stands.Verdict, r.ID, now.Revision)
	}
	_, err = fmt.Fprintf(c.out, "revision %s; %s\n", now.Revision, back)
	return err
}

// actLine returns an act as a line: when, who, what.
func actLine(a review.Entry) string {
	line := a.At.Local().Format(time.DateTime) + "  " + a.By + "  " + a.Verdict
	if a.Fields == nil {
		return line
	}
	data, err := json.Marshal(a.Fields)
	if err != nil {
		return line
	}
	return line + " " + string(data)
}
