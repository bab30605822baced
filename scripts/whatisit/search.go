package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"example.com/whatis/emulators/samples"
	"example.com/whatis/internal/agent"
	"example.com/whatis/internal/app"
	"example.com/whatis/internal/search"
	"example.com/whatis/internal/usererror"
)

// searchCommand finds products of a shop.
type searchCommand struct {
	Words  []string          `arg:"" optional:"" name:"words" help:"The query, in words."`
	Image  string            `placeholder:"FILE" help:"A picture to search by."`
	Face   string            `placeholder:"FILE" help:"The analysis of a face, as JSON: finds frames of the recommended shapes."`
	Like   string            `placeholder:"ID" help:"More like this product."`
	Shop   string            `placeholder:"NAME" help:"The shop (the service's default; with --emulated: eyewear)."`
	Limit  *int              `placeholder:"N" help:"How many products, 1 to 50 (5)."`
	Filter map[string]string `placeholder:"FACET=CODE" help:"A required value, as --filter color=black, or one of several: color=black|brown; may be repeated."`
	Lang   string            `placeholder:"vi|en|ko" help:"The language of the answer (default: that of the query)."`
	Expect string            `placeholder:"ID" help:"Print this product's rank, or the filter that removed it."`

	Session string `placeholder:"ID" help:"The conversation to go on with, as the answer before names it; new begins one."`
	where
}

// Help returns the help text of whatisit search, without its flags.
func (searchCommand) Help() string {
	return `Words and a picture together have the weights 0.6 and 0.4. The products are printed on standard output as a table, with scores and reasons, or with --json as the service sends them; ignored and dropped filters are printed on standard error.

    whatisit search --emulated kính mát nữ mắt mèo màu đỏ dưới 2 triệu
    whatisit search --url https://… --image glasses.jpg "in blue, not metal"
    whatisit search --json round titanium frames | jq '.products[].name'
    whatisit search --session new sunglasses for men
    whatisit search --session ID cheaper

--emulated searches 374 frames that are drawn here. Who else answers is named as for analyze.

Exit codes: 0 an answer, even one without products; 1 none; 2 wrong usage, and no request was sent.`
}

// Run searches, and prints the answer.
func (s *searchCommand) Run(ctx context.Context, c *console) error {
	q, err := s.request()
	if err != nil {
		return err
	}
	s.where = s.found(c)
	service, err := s.open(ctx, c)
	if err != nil {
		return err
	}
	defer service.close()
	if s.Emulated {
		if q.Shop = cmp.Or(q.Shop, samples.EyewearShop); q.Shop == samples.EyewearShop {
			err = importEyewear(ctx)
		}
		if err != nil {
			return err
		}
	}
	answer, err := service.search(ctx, q)
	if err != nil {
		return err
	}
	if c.json {
		_, err := c.out.Write(encode(answer))
		return err
	}
	var result search.Result
	if err := json.Unmarshal(answer, &result); err != nil {
		return fmt.Errorf("%s does not answer with a search result: is it a whatis service? (%w)", service.base, err)
	}
	if err := c.found(result); err != nil {
		return err
	}
	service.askOn(c, "search", result.Session)
	return nil
}

// askOn says how a command goes on with a conversation, unless there is none or it ends with
// this process.
func (s *service) askOn(c *console, command, session string) {
	if session != "" && s.base != inProcess {
		c.say("to ask on: whatisit %s --session %s …", command, session)
	}
}

// request returns the search that the command line describes.
func (s *searchCommand) request() (search.Request, error) {
	q := search.Request{
		Query: strings.Join(s.Words, " "), Like: s.Like, Shop: s.Shop, Limit: s.Limit, Filters: map[string]search.Choices{}, Lang: s.Lang, Expect: s.Expect, Session: s.Session,
	}
	if q.Session != "" {
		q.Turn = rand.Text() // what is sent again after a lost answer is not applied twice
	}
	for facet, codes := range s.Filter {
		q.Filters[facet] = search.Choices{codes}
	}
	var err error
	if s.Image != "" {
		if q.Image, err = (photo{name: s.Image}).read(); err != nil {
			return q, usage("--image %s: %s", s.Image, err)
		}
	}
	if s.Face != "" {
		data, err := os.ReadFile(s.Face)
		if err == nil {
			err = json.Unmarshal(data, &q.Analysis)
		}
		if err != nil {
			return q, usage("--face %s: %s", s.Face, err)
		}
	}
	if strings.TrimSpace(q.Query) == "" && q.Image == nil && q.Like == "" {
		return q, usage("the search is empty: give words, or a picture with --image (see whatisit search --help)")
	}
	if err := q.Check(); err != nil {
		return q, usage("%s", usererror.Text(err))
	}
	return q, nil
}

// search sends q to the service and returns its answer as the service wrote it. It prints
// the agents' steps as they happen.
func (s *service) search(ctx context.Context, q search.Request) (json.RawMessage, error) {
	r := request{method: http.MethodPost, path: "/search", accept: "text/event-stream, application/json;q=0.9", kind: "application/json", body: encode(q)}
	var answer json.RawMessage
	err := s.patiently(ctx, "search", func() (err error) {
		answer, err = s.askOnce(ctx, &r, func(e agent.Event) { s.note("%s", describe(e)) })
		return err
	})
	return answer, err
}

// importEyewear imports the sample frames into the catalogue, with their pictures.
func importEyewear(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "whatis-eyewear-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path, err := samples.WriteEyewear(folder)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return usageError{err}
	}
	_, err = app.New(config).ImportFile(ctx, app.CatalogFile{Reader: file, Shop: samples.EyewearShop, Folder: filepath.Dir(path)})
	return err
}
