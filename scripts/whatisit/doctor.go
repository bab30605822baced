package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"example.com/whatis/internal/app"
)

// doctorCommand examines a configuration: each model and each part of the cloud once.
type doctorCommand struct {
	Models   bool   `help:"Only ask the models."`
	Cloud    bool   `help:"Only look at the cloud's part, which asks no model and costs nothing."`
	Deployed bool   `help:"Examine the configuration of the deployed services, which gcloud reads, in place of the environment's."`
	Project  string `env:"GOOGLE_CLOUD_PROJECT" placeholder:"ID" help:"Their project (GOOGLE_CLOUD_PROJECT, else gcloud's own)."`
	Region   string `placeholder:"NAME" help:"Their region."`
	Prefix   string `default:"whatis" placeholder:"NAME" help:"The deployment (${default})."`
}

// Help returns the help text of whatisit doctor, without its flags.
func (doctorCommand) Help() string {
	return `Makes one smallest call to each configured model where it is configured to be asked: those that read, judge and write, one with Google Search, one at the flex tier if it is set, the embedding and the speech model; that costs some $0.02. Then it looks at the buckets, the database, every query that needs an index, the topics, ACCESS and, with --deployed, who can reach the services. It goes the service's own ways, with the environment's keys and the application default credentials: what these may do, the services' accounts may not be allowed to, and the other way round.

    whatisit doctor
    whatisit doctor --deployed --project my-project --region europe-west1
    whatisit doctor --deployed --cloud --region europe-west1    free

Each row is well, wrong, or for a person to look at, with what to do on the next line; then what it cost. With --json a list.

Exit codes: 0 nothing is wrong; 1 something is, or gcloud does not answer; 2 wrong usage; 130 after Ctrl-C.`
}

// Run examines.
func (d *doctorCommand) Run(ctx context.Context, c *console) error {
	switch {
	case !prefixForm.MatchString(d.Prefix):
		return usage("--prefix is %s: want small letters, digits and hyphens", d.Prefix)
	case d.Deployed && d.Region == "":
		return usage("--region is missing: the services' region, such as europe-west1")
	}
	elsewhere{}.log(c)
	var found []app.Finding
	if d.Deployed {
		services, err := d.services(ctx)
		if err != nil {
			return err
		}
		if err := setVariables(services["api"].variables()); err != nil {
			return err
		}
		if !d.Models || d.Cloud {
			found = d.reach(services)
		}
	}
	config, err := app.ReadConfig(ctx)
	if err != nil {
		return usageError{err}
	}
	models, cloud := d.Models || !d.Cloud, d.Cloud || !d.Models
	if models && !strings.HasPrefix(config.Analyze.ImageModel, "emulated") {
		c.say("REAL MODEL: one smallest call to each costs some $0.02 together.")
	}
	a := app.New(config)
	for f := range a.Examine(ctx, models, cloud) {
		found = append(found, f)
	}
	if cloud {
		found = append(found, d.roles())
	}
	if err := errors.Join(ctx.Err(), a.Flush(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	return c.asFindings(found)
}

// A deployed is a service, as Cloud Run tells of it.
type deployed struct {
	Metadata struct {
		Name        string
		Annotations map[string]string
	}
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Env []struct{ Name, Value string }
				}
			}
		}
	}
}

// variables returns the environment of the service. Values of secrets are not in it.
func (s deployed) variables() map[string]string {
	all := map[string]string{}
	for _, container := range s.Spec.Template.Spec.Containers {
		for _, v := range container.Env {
			if v.Value != "" {
				all[v.Name] = v.Value
			}
		}
	}
	return all
}

// services returns the deployed services by their part of the name, with gcloud.
func (d *doctorCommand) services(ctx context.Context) (map[string]deployed, error) {
	words := []string{"run", "services", "list", "--region=" + d.Region, "--format=json"}
	if d.Project != "" {
		words = append(words, "--project="+d.Project)
	}
	command := exec.CommandContext(ctx, "gcloud", words...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("gcloud %s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(complaint.String()))
	}
	var all []deployed
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("gcloud %s: %w", strings.Join(words, " "), err)
	}
	services := map[string]deployed{}
	for _, s := range all {
		if name, ours := strings.CutPrefix(s.Metadata.Name, d.Prefix+"-"); ours {
			services[name] = s
		}
	}
	if _, ok := services["api"]; !ok {
		return nil, fmt.Errorf("%s has no service %s-api: nothing is deployed there yet, or --prefix names another deployment", d.Region, d.Prefix)
	}
	return services, nil
}

// reach says of each service from where it can be reached, and of the API whether it knows who calls.
func (d *doctorCommand) reach(services map[string]deployed) (found []app.Finding) {
	for _, want := range []struct{ service, ingress string }{{"upload", "internal"}, {"task", "internal"}, {"api", "all internal-and-cloud-load-balancing"}} {
		f := app.Finding{State: app.Well, Name: "ingress of " + d.Prefix + "-" + want.service}
		s, ok := services[want.service]
		f.Detail = s.Metadata.Annotations["run.googleapis.com/ingress"]
		switch {
		case !ok:
			f.State, f.Detail, f.Remedy = app.Wrong, "there is no such service", "deploy it: scripts/deploy"
		case !strings.Contains(" "+want.ingress+" ", " "+f.Detail+" "):
			f.State = app.Wrong
			f.Remedy = fmt.Sprintf("gcloud run services update %s-%s --region=%s --ingress=%s", d.Prefix, want.service, d.Region, strings.Fields(want.ingress)[0])
		}
		found = append(found, f)
	}
	return found
}

// roles names the roles, which are not to be seen from here.
func (d *doctorCommand) roles() app.Finding {
	project := cmp.Or(d.Project, os.Getenv("GOOGLE_CLOUD_PROJECT")) // which --deployed sets
	return app.Finding{
		State: app.Look, Name: "roles of the services' accounts",
		Detail: "on the project roles/datastore.user and, with Vertex AI, roles/aiplatform.user; terraform/identity.tf has those on buckets, topics and secrets",
		Remedy: fmt.Sprintf("gcloud projects get-iam-policy %s --flatten=bindings[].members --filter=bindings.members:%s- --format='value(bindings.members,bindings.role)'", project, d.Prefix),
	}
}

// asFindings prints findings, each with its remedy on the next line, and what they cost.
func (c *console) asFindings(found []app.Finding) error {
	usd, wrong := 0.0, 0
	var table table
	table.row("STATE", "WHAT", "USD", "FOUND")
	for _, f := range found {
		usd += f.USD
		if f.State == app.Wrong {
			wrong++
		}
		table.row(f.State, f.Name, dollars(f.USD), f.Detail)
		if f.Remedy != "" {
			table.row("", "", "", "→ "+f.Remedy)
		}
	}
	print := func() error { return table.print(c.out) }
	if c.json {
		print = func() error { return printJSON(c, found) }
	}
	if err := print(); err != nil {
		return err
	}
	c.say("%d of %d checks found something wrong; it cost %s USD", wrong, len(found), dollars(usd))
	if wrong > 0 {
		return errPrinted
	}
	return nil
}
