package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	pubsub "cloud.google.com/go/pubsub/v2/apiv1"
	"cloud.google.com/go/storage"
	"google.golang.org/api/option"
)

const scope = "https://www.googleapis.com/auth/cloud-platform"

// account returns the credentials for Google: the token in GOOGLE_OAUTH_ACCESS_TOKEN, as
// for Terraform; the application default credentials; else gcloud's account. An emulator,
// named by its own variable, needs none.
func account(ctx context.Context, emulator string) ([]option.ClientOption, error) {
	if os.Getenv(emulator) != "" {
		return nil, nil
	}
	if token := os.Getenv("GOOGLE_OAUTH_ACCESS_TOKEN"); token != "" {
		return bearer(token), nil
	}
	found, err := credentials.DetectDefault(&credentials.DetectOptions{Scopes: []string{scope}})
	if err == nil {
		return []option.ClientOption{option.WithAuthCredentials(found)}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, gcloudPatience)
	defer cancel()
	token, failed := exec.CommandContext(ctx, "gcloud", "auth", "print-access-token").Output()
	if failed != nil {
		return nil, fmt.Errorf("no account: run gcloud auth login, or gcloud auth application-default login (%w; gcloud: %w)", err, failed)
	}
	return bearer(strings.TrimSpace(string(token))), nil
}

// bearer returns credentials with an access token, which is valid for an hour.
func bearer(token string) []option.ClientOption {
	return []option.ClientOption{option.WithAuthCredentials(auth.NewCredentials(&auth.CredentialsOptions{TokenProvider: fixed(token)}))}
}

// A fixed is a token source that always returns the same token.
type fixed string

// Token returns it.
func (t fixed) Token(context.Context) (*auth.Token, error) {
	return &auth.Token{Value: string(t), Type: "Bearer"}, nil
}

// objects opens Cloud Storage, or the emulator at STORAGE_EMULATOR_HOST.
func objects(ctx context.Context) (*storage.Client, error) {
	who, err := account(ctx, "STORAGE_EMULATOR_HOST")
	if err != nil {
		return nil, err
	}
	return storage.NewClient(ctx, who...)
}

// topics opens Pub/Sub, or the emulator at PUBSUB_EMULATOR_HOST.
type topics struct {
	publish *pubsub.TopicAdminClient
	pull    *pubsub.SubscriptionAdminClient
}

func openTopics(ctx context.Context) (t topics, err error) {
	who, err := account(ctx, "PUBSUB_EMULATOR_HOST")
	if err != nil {
		return t, err
	}
	if t.publish, err = pubsub.NewTopicAdminClient(ctx, who...); err != nil {
		return t, err
	}
	t.pull, err = pubsub.NewSubscriptionAdminClient(ctx, who...)
	return t, err
}

func (t topics) close() error {
	var err error
	if t.publish != nil {
		err = t.publish.Close()
	}
	if t.pull != nil {
		err = errors.Join(err, t.pull.Close())
	}
	return err
}

// full returns the full name of a topic or subscription of a project.
func full(project, kind, name string) (string, error) {
	switch {
	case strings.HasPrefix(name, "projects/"):
		return name, nil
	case project == "":
		return "", usage("of which project is %s? Set GOOGLE_CLOUD_PROJECT, or use --project", cmp.Or(name, kind))
	}
	return "projects/" + project + "/" + kind + "/" + name, nil
}
